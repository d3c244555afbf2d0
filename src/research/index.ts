/** Assembles the research domain: its tables, the behaviours of its operations and its readers. */
import type { OperationName } from "../contract/operations/index.ts"
import { type FollowingStep, following } from "../ledger/journal/behaviour.ts"
import type { Db } from "../ledger/storage/database.ts"
import type { Labels } from "../ledger/lists/labelled.ts"
import type { Standings } from "../ledger/lists/standings.ts"
import type { People } from "../people/people.ts"
import type { Members } from "../rooms/members.ts"
import type { Rooms } from "../rooms/rooms.ts"
import type { Threads } from "../threads/threads.ts"
import { attempts } from "./attempts/attempts.ts"
import { events } from "./attempts/events.ts"
import { attemptOperations } from "./attempts/operations.ts"
import { comparingReads } from "./attempts/comparing-reads.ts"
import { curves } from "./attempts/curves.ts"
import { openingOperations } from "./attempts/opening.ts"
import { logReads, logs } from "./attempts/logs.ts"
import { attemptReads } from "./attempts/reads.ts"
import { attachments } from "../ledger/journal/attachments.ts"
import { attemptTables } from "./attempts/table.ts"
import { boards } from "./boards/boards.ts"
import { boardOperations } from "./boards/operations.ts"
import { boardReads } from "./boards/reads.ts"
import { boardStandings } from "./boards/standings.ts"
import { candidates } from "./brief/candidates.ts"
import { briefReads } from "./brief/reads.ts"
import { checkpoints } from "./checkpoints/checkpoints.ts"
import { checkpointOperations } from "./checkpoints/operations.ts"
import { roomCitationReads } from "./citations/room.ts"
import { checkpointReads } from "./checkpoints/reads.ts"
import { citations } from "./citations/citations.ts"
import { contextReads } from "./contexts/room-context.ts"
import { evidence } from "./evidence/evidence.ts"
import { doubts } from "./findings/doubts.ts"
import { type Warnings, warnings } from "./advice/warnings.ts"
import { evidenceReads } from "./evidence/reads.ts"
import { costSums } from "./experiments/costs.ts"
import { experiments } from "./experiments/experiments.ts"
import { leases } from "./experiments/leases.ts"
import { experimentOperations } from "./experiments/operations.ts"
import { plans } from "./experiments/plans.ts"
import { experimentReads } from "./experiments/reads.ts"
import { Exports, filesOn, type RoomFiles } from "./export/exports.ts"
import { filesOf } from "./export/process.ts"
import { findingLinks } from "./findings/finding-links.ts"
import { findings } from "./findings/findings.ts"
import { publicationOperations } from "./findings/operations.ts"
import { claims } from "./claims/claims.ts"
import { claimOperations, renewingStep } from "./claims/operations.ts"
import { concerns } from "./inbox/concerns.ts"
import { judging } from "./judging/judging.ts"
import { judgingReads } from "./judging/reads.ts"
import { links } from "./links/links.ts"
import { linkOperations } from "./links/operations.ts"
import { linkReads } from "./links/reads.ts"
import { materials } from "./materials/materials.ts"
import { materialOperations } from "./materials/operations.ts"
import { materialReads } from "./materials/reads.ts"
import { effects } from "./measurements/effects.ts"
import { movedEffects } from "./measurements/moved-effects.ts"
import { gatheredEffects } from "./measurements/gathered.ts"
import { groupCurves } from "./measurements/group-curves.ts"
import { keptTables } from "./measurements/kept-tables.ts"
import { measurementReads, measurementTables } from "./measurements/reads.ts"
import { repeatedEffects } from "./measurements/repeated-effects.ts"
import { reproductionEffects } from "./measurements/reproduction-effects.ts"
import { values } from "./measurements/values.ts"
import { workingOut } from "./measurements/working-out.ts"
import { news } from "./inbox/news.ts"
import { concerning } from "./inbox/of-person.ts"
import { provenance } from "./provenance/provenance.ts"
import { provenanceReads } from "./provenance/reads.ts"
import { publicationReads } from "./publications/reads.ts"
import { conceptIndex } from "./records/concepts.ts"
import { recordOperations } from "./records/operations.ts"
import { records } from "./records/records.ts"
import { reviewOperations } from "./reviews/operations.ts"
import { reviews } from "./reviews/reviews.ts"
import { searchReads } from "./search/reads.ts"
import { search } from "./search/search.ts"
import { extrasFinders, similarReads } from "./search/similar/reads.ts"
import { similar } from "./search/similar/similar.ts"

export { inboxReads } from "./inbox/reads.ts"
export { Exports, filesOf, filesOn, type RoomFiles }

/** The entries that concern a person, and the news of their Rooms. */
export const newsOf = (sources: Parameters<typeof concerning>[0] & Parameters<typeof news>[0]) => ({
  concerning: concerning(sources),
  news: news(sources),
})

/**
 * @param basePath the path of the base URL; affordances put it before their own paths @param now milliseconds since
 * 1970
 */
export function researchTables(db: Db, basePath: string, labels: Labels, now: () => number) {
  const knownMaterials = materials(db)
  const knownEvidence = evidence(db)
  const knownPlans = plans(db, now)
  const knownFindings = findings(db, knownMaterials)
  const measuredValues = values(db)
  const knownCurves = curves(db)
  const workedOut = workingOut(measuredValues)
  const measured = measurementTables(measuredValues)
  const repeated = repeatedEffects(db)
  return {
    records: records(db),
    concepts: conceptIndex(db),
    experiments: experiments(db, basePath, now),
    leases: leases(db),
    costs: costSums(db),
    plans: knownPlans,
    attempts: attempts(db, basePath),
    events: events(db),
    logs: logs(db, attachments(db)),
    curves: knownCurves,
    attemptTables: attemptTables(db),
    measured,
    keptTables: keptTables(db, measured),
    groupCurves: groupCurves(measuredValues, knownCurves),
    effects: effects(db, workedOut, repeated),
    gathered: gatheredEffects(db),
    movedEffects: movedEffects(db, workedOut, repeated),
    reproductionEffects: reproductionEffects(db, workedOut, repeated),
    materials: knownMaterials,
    findings: knownFindings,
    doubts: doubts({ evidence: knownEvidence, plans: knownPlans, findings: knownFindings }),
    findingLinks: findingLinks(db),
    links: links(db),
    checkpoints: checkpoints(db),
    evidence: knownEvidence,
    judging: judging(db, knownEvidence),
    reviews: reviews(db),
    boards: boards(db),
    boardStandings: boardStandings(db, measuredValues),
    claims: claims(db),
    concerns: concerns(db, labels),
    brief: candidates(db),
    search: search(db),
    similar: similar(db, now),
    provenance: provenance(db),
  }
}

/** The tables of this domain, and those it uses of other domains. */
type Tables = ReturnType<typeof researchTables> & {
  readonly people: People
  readonly rooms: Rooms
  readonly members: Members
  readonly threads: Threads
  readonly standings: Standings
}

/** Returns the behaviours of research operations, and the steps that follow their writes. */
export function researchOperations(tables: Tables & { readonly db: Db }) {
  const { rooms, threads, experiments, materials, similar } = tables
  const advice = warnings(tables.db, tables)
  const extras = extrasFinders(similar, experiments)
  const links = linkOperations(tables)
  const operations = {
    ...recordOperations(tables, extras.publish_hypothesis),
    ...publicationOperations(tables, extras.publish_finding),
    ...checkpointOperations(tables),
    ...experimentOperations(tables, extras.propose_experiment),
    ...attemptOperations(tables, extras.register_attempt),
    ...openingOperations(tables),
    ...materialOperations(rooms, threads, materials),
    ...boardOperations(threads, tables.boards, tables.boardStandings),
    ...links.operations,
    ...reviewOperations(tables.reviews),
    ...claimOperations(tables.claims),
  }
  return {
    operations,
    replied: links.replied,
    /** The step that adds warnings to the receipts of some operations. */
    advice: (names: readonly OperationName[]) => adviceStep(advice, names),
    /** The step that renews claims and leases, and warns about the claims of others. */
    renewing: (names: readonly OperationName[]) => renewingStep(tables, names),
  }
}

const adviceStep = (advice: Warnings, names: readonly OperationName[]): FollowingStep =>
  following(names, ({ operation, call, subject, change, outcome: { target, result } }) => {
    const written = { body: call.body, id: target.id, roomId: subject.roomId ?? "", at: change.at, result }
    return advice.of(operation, written)
  })

/** @param now milliseconds since 1970 */
export function researchReads(tables: Tables, exports: Exports, now: () => number) {
  const { people, rooms, records, attempts, events, materials, findings, evidence } = tables
  return {
    ...evidenceReads(evidence),
    ...judgingReads(records, tables.checkpoints, tables.judging),
    ...briefReads(tables, now),
    ...publicationReads({ ...tables, citations: citations(records, rooms, findings, people) }),
    ...roomCitationReads(rooms, tables.members, people),
    ...linkReads(tables),
    ...contextReads(tables),
    ...experimentReads(tables),
    ...attemptReads(rooms, attempts, events, materials, evidence, tables.logs),
    ...logReads(attempts, tables.logs),
    ...comparingReads(tables.attemptTables, tables.curves),
    ...measurementReads(tables),
    ...checkpointReads(tables),
    ...materialReads(rooms, materials),
    ...boardReads(rooms, tables.boards, tables.boardStandings),
    ...searchReads(people, tables.search),
    ...similarReads(rooms, tables.similar),
    ...provenanceReads(rooms, tables.provenance),
    ...exports.reads(),
  }
}
