/** One instance of the service: its data, its domains, and what they do for each operation and read of the contract. */
import { Ledger, type OutsideCheck } from "../ledger/admit.ts"
import type { Actor } from "../ledger/actor.ts"
import type { GroupHooks } from "../ledger/commit-queue.ts"
import type { Behaviours } from "../ledger/behaviour.ts"
import type { Db } from "../ledger/database.ts"
import type { Readers } from "../ledger/reading.ts"
import { standings } from "../ledger/standings.ts"
import { moment, type World } from "../ledger/world.ts"
import { libraryOperations, libraryReads, libraryTables } from "../library/library.ts"
import { Accounts } from "../people/accounts.ts"
import { invitations } from "../people/invitations.ts"
import { people } from "../people/people.ts"
import { sessions } from "../people/sessions.ts"
import { attempts } from "../research/attempts/attempts.ts"
import { events } from "../research/attempts/events.ts"
import { attemptOperations } from "../research/attempts/operations.ts"
import { attemptReads } from "../research/attempts/reads.ts"
import { experiments } from "../research/experiments/experiments.ts"
import { experimentOperations } from "../research/experiments/operations.ts"
import { plans } from "../research/experiments/plans.ts"
import { experimentReads } from "../research/experiments/reads.ts"
import { materials } from "../research/materials/materials.ts"
import { materialOperations } from "../research/materials/operations.ts"
import { materialReads } from "../research/materials/reads.ts"
import { checkpoints } from "../research/checkpoints/checkpoints.ts"
import { checkpointOperations } from "../research/checkpoints/operations.ts"
import { contextReads } from "../research/contexts/room-context.ts"
import { citations } from "../research/citations/citations.ts"
import { Exports } from "../research/export/exports.ts"
import { findingLinks } from "../research/findings/finding-links.ts"
import { findings } from "../research/findings/findings.ts"
import { findingLinkOperations } from "../research/findings/link-operations.ts"
import { publicationOperations } from "../research/findings/operations.ts"
import { links } from "../research/links/links.ts"
import { linkOperations } from "../research/links/operations.ts"
import { linkReads } from "../research/links/reads.ts"
import { provenance } from "../research/provenance/provenance.ts"
import { provenanceReads } from "../research/provenance/reads.ts"
import { conceptIndex } from "../research/records/concepts.ts"
import { recordOperations } from "../research/records/operations.ts"
import { recordReads } from "../research/records/reads.ts"
import { records } from "../research/records/records.ts"
import { searchReads } from "../research/search/reads.ts"
import { search } from "../research/search/search.ts"
import { credentialOperations } from "../rooms/credential-operations.ts"
import { credentials } from "../rooms/credentials.ts"
import { memberOperations } from "../rooms/member-operations.ts"
import { members } from "../rooms/members.ts"
import { roomReads } from "../rooms/reads.ts"
import { roomOperations } from "../rooms/room-operations.ts"
import { rooms } from "../rooms/rooms.ts"
import { threadOperations } from "../threads/operations.ts"
import { threadReads } from "../threads/reads.ts"
import { threads } from "../threads/threads.ts"

export type Instance = ReturnType<typeof createInstance>

export interface InstanceParts {
  readonly db: Db
  readonly world: World
  readonly instanceId: string
  /** Opens a second, reading connection; left out where nothing is exported. */
  readonly aside?: () => Db
  /** Left out, for commands that pin nothing. */
  readonly repositories?: OutsideCheck
  /** Told of each group of writes. */
  readonly hooks?: Pick<GroupHooks, "afterGroup" | "isLost">
}

const noConnection = (): Db => {
  throw new Error("this instance was made without a way to open its data once more")
}
const nothingChecked: OutsideCheck = { check: async () => ({ ok: null, reason: "This process checks no repositories.", retryAfter: null }) }

/**
 * Lets each read see the data as of one moment, however many statements it runs: another thread or process may write in between.
 * Of a read that waits, this holds for what it looks at before it waits.
 */
function ofOneMoment<R extends object>(db: Db, readers: R): R {
  const whole = Object.entries(readers as Record<string, (asked: unknown) => unknown>).map(
    ([name, read]) => [name, (asked: unknown) => db.snapshot(() => read(asked))] as const,
  )
  return Object.fromEntries(whole) as R
}

/** Builds everything that stands between the edge and the data. */
export function createInstance({ db, world, instanceId, aside = noConnection, repositories = nothingChecked, hooks }: InstanceParts) {
  const knownMaterials = materials(db)
  const tables = {
    people: people(db),
    sessions: sessions(db, world),
    invitations: invitations(db, world),
    rooms: rooms(db),
    members: members(db),
    credentials: credentials(db),
    threads: threads(db),
    records: records(db),
    experiments: experiments(db),
    plans: plans(db),
    attempts: attempts(db),
    events: events(db),
    materials: knownMaterials,
    findings: findings(db, knownMaterials),
    findingLinks: findingLinks(db),
    concepts: conceptIndex(db),
    links: links(db),
    checkpoints: checkpoints(db),
    standings: standings(db),
    search: search(db),
    provenance: provenance(db),
    library: libraryTables(db),
  }
  const gate = {
    confirm({ grant, key }: Actor, at: string) {
      if (grant !== null) tables.credentials.confirm(grant.credentialId, at)
      if (key !== undefined) tables.library.keys.confirm(key.keyId, at)
    },
    used({ grant, key }: Actor, at: string) {
      if (grant !== null) tables.credentials.used(grant.credentialId, at)
      if (key !== undefined) tables.library.keys.used(key.keyId, at)
    },
    standing: tables.rooms.standing,
  }
  const ledger = new Ledger({ db, world, gate, repositories, hooks: { beforeCommit: tables.search.index, ...hooks } })
  const { timeline, activity, watch } = ledger
  const strangers = tables.threads.strangers

  const behaviours: Behaviours = {
    ...threadOperations({ ...tables, timeline }),
    ...recordOperations(tables),
    ...publicationOperations(tables),
    ...findingLinkOperations(tables),
    ...linkOperations(tables),
    ...checkpointOperations(tables),
    ...experimentOperations(tables),
    ...attemptOperations(tables),
    ...materialOperations(tables),
    ...roomOperations(tables),
    ...memberOperations(tables),
    ...credentialOperations({ ...tables, strangers }),
    ...libraryOperations(tables.library, tables.people),
  }
  ledger.learn(behaviours)

  const readers: Omit<Readers, "receipt" | "session" | "invitation" | "room_export"> = ofOneMoment(db, {
    ...roomReads({ ...tables, activity, watch, assignments: tables.experiments.assignedTo, snapshot: (work) => ledger.snapshot(work) }),
    ...threadReads({ ...tables, timeline, now: () => moment(world.now()) }),
    ...recordReads(tables),
    ...linkReads(tables),
    ...contextReads({ ...tables, snapshot: (work) => ledger.snapshot(work) }),
    ...experimentReads(tables),
    ...attemptReads(tables),
    ...materialReads(tables),
    ...searchReads(tables),
    ...provenanceReads({ ...tables, snapshot: (work) => ledger.snapshot(work) }),
    ...libraryReads(tables.library),
  })
  const accounts = new Accounts({ ...tables, ledger, world })
  const exports = new Exports({ rooms: tables.rooms, aside, instanceId })

  return { instanceId, db, world, ledger, tables, readers, accounts, citations: citations(tables), exports }
}
