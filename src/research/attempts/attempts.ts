/** Attempts: their rows, and how they are shown. */
import type { Author } from "../../contract/answers/index.ts"
import type { AttemptIntent, AttemptRole, AttemptStatus, RoomState } from "../../contract/schema/enumerations.ts"
import { JsonText, parse, type Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { AttemptSummary } from "../../contract/answers/work.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import { fromOtherRoom } from "../../ledger/lists/other-room.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import { filteredList } from "../../ledger/lists/filtered-list.ts"
import { WORK_STATE } from "../../rooms/imported.ts"
import { type AttemptState, attemptAffordances, outcomeOf } from "./admission.ts"
import type { PlanMatch } from "./plan-match.ts"
import { AGENT } from "../../ledger/journal/author.ts"

/** An attempt as admission sees it, with where it belongs. */
export interface Attempt extends AttemptState {
  readonly roomId: string
  readonly threadId: string
  readonly intent: AttemptIntent
  readonly registeredAt: string
  /** The finding or attempt it sets out to reproduce. */
  readonly reproduces: string | undefined
  /** The plan it is compared with. */
  readonly planId: string | null
}

export interface NewAttempt {
  readonly attemptId: string
  readonly experimentId: string
  readonly roomId: string
  readonly threadId: string
  readonly label: string
  readonly entryId: string
  readonly registrantId: string
  readonly intent: AttemptIntent
  readonly planId: string | undefined
  readonly rerunOf: string | undefined
  readonly reproduces: { readonly attemptId?: string; readonly findingVersionId?: string } | undefined
  readonly at: string
  readonly planMatch: PlanMatch | null
  /** Where its write stands in the history, which has its content. */
  readonly position: number
  readonly contentDigest: string
  readonly inputs: readonly { readonly materialId: string; readonly name: string }[]
}

type Own = "attemptId" | "label" | "experimentId" | "experimentLabel" | "roomId" | "threadId" | "entryId" | "intent" | "status" | "revision"
type Row = Pick<AttemptSummary, Own | "planId" | "rerunOf" | "registeredAt" | "updatedAt" | "contentDigest"> &
  Reproduces & {
    readonly registrantId: string
    readonly username: string
    readonly agent: string | null
    readonly registrantIsMember: number
    readonly roomState: RoomState
    readonly planMatch: Stored<PlanMatch> | null
    readonly reproduction: Stored<AttemptSummary["reproduction"]> | null
    readonly failure: Stored<AttemptSummary["failure"]> | null
    /** How the finding that was asked for names it. */
    readonly role?: AttemptRole
  }

interface Reproduces {
  readonly ofAttempt: string | null
  readonly ofVersion: string | null
}
const reproduces = ({ ofAttempt, ofVersion }: Reproduces): AttemptSummary["reproduces"] =>
  ofAttempt !== null ? { attemptId: ofAttempt } : ofVersion === null ? null : { findingVersionId: ofVersion }

const text = <T>(json: Stored<T> | null) => json && new JsonText(json)

/** A row of a list: what came of the attempt stands in it. */
interface ListedRow extends Row {
  readonly argv: Stored<AttemptSummary["argv"]>
  readonly metrics: Stored<AttemptSummary["metrics"]>
  readonly hasMoreMetrics: number
}

/** What lists and the read of one attempt both show. */
const shown = (row: Row, basePath: string) => ({
  attemptId: row.attemptId,
  label: row.label,
  experimentId: row.experimentId,
  experimentLabel: row.experimentLabel,
  roomId: row.roomId,
  threadId: row.threadId,
  entryId: row.entryId,
  registrant: { userId: row.registrantId, username: row.username, agent: row.agent },
  intent: row.intent,
  status: row.status,
  outcome: outcomeOf(row.status),
  revision: row.revision,
  planId: row.planId,
  rerunOf: row.rerunOf,
  reproduces: reproduces(row),
  reproduction: text(row.reproduction),
  registeredAt: row.registeredAt,
  updatedAt: row.updatedAt,
  contentDigest: row.contentDigest,
  planMatch: text(row.planMatch),
  failure: text(row.failure),
  affordances: attemptAffordances(row, {
    basePath,
    roomIsActive: row.roomState === "active",
    registrantIsMember: row.registrantIsMember === 1,
  }),
  ...(row.role === undefined ? {} : { role: row.role }),
})

/** An attempt as lists show it. */
const summary = (row: ListedRow, basePath: string) => ({
  ...shown(row, basePath),
  argv: new JsonText(row.argv),
  metrics: new JsonText(row.metrics),
  metricsTruncated: row.hasMoreMetrics === 1,
})

/** Its place among the attempts of its Room, out of its label; the indexes by it hold the same expression. */
export const ORDINAL = "CAST(substr(a.label, 2) AS INTEGER)"
/** What both show. An attempt ends with its last event, which says why. */
const STATE = `a.attempt_id AS attemptId, a.label, a.experiment_id AS experimentId, a.status, a.revision, a.registrant_id AS registrantId,
  a.room_id AS roomId, a.thread_id AS threadId, a.intent, a.registered_at AS registeredAt, a.reproduces_attempt_id AS ofAttempt, a.reproduces_version_id AS ofVersion`
const REPRODUCTION =
  "(SELECT json_object('verdict', q.verdict, 'explanation', q.explanation) FROM reproductions q WHERE q.attempt_id = a.attempt_id) AS reproduction"
/** Why it failed; null where it did not. */
export const FAILURE = `CASE WHEN a.status IN ('failed', 'preflight_failed') THEN
    (SELECT v.body -> '$.failure' FROM attempt_events v WHERE v.attempt_id = a.attempt_id AND v.revision = a.revision) END AS failure`
const COLUMNS = `${STATE}, a.entry_id AS entryId, a.plan_id AS planId, a.rerun_of AS rerunOf, a.updated_at AS updatedAt, a.plan_match AS planMatch,
  a.content_digest AS contentDigest,
  ${REPRODUCTION},
  ${FAILURE},
  p.username, ${AGENT("a")} AS agent, e.label AS experimentLabel, ${WORK_STATE("r")} AS roomState,
  EXISTS (SELECT 1 FROM members m WHERE m.room_id = a.room_id AND m.user_id = a.registrant_id) AS registrantIsMember`
/** The dimensions of a value; null without them. */
export const DIMENSIONS = (row: string) => `(SELECT d.dimensions FROM dimension_sets d WHERE d.dimensions_id = ${row}.dimensions_id)`
/** What a list shows beside: how it was started, and the last values. The rest of the registration is left to the read of one attempt. */
const LISTED = `${COLUMNS}, ${contentOf("a")} -> '$.argv' AS argv,
  (SELECT json_group_array(json_object('name', name, 'split', split, 'dimensions', json(dimensions), 'unit', unit, 'step', step, 'value', json(value))) FROM (
    SELECT l.name, nullif(l.split, '') AS split, ${DIMENSIONS("l")} AS dimensions, l.unit, l.step, l.value FROM attempt_last_metrics l
    WHERE l.attempt_id = a.attempt_id ORDER BY l.name, l.split, l.dimensions_id LIMIT ${limits.listedMetrics})) AS metrics,
  EXISTS (SELECT 1 FROM attempt_last_metrics l WHERE l.attempt_id = a.attempt_id LIMIT 1 OFFSET ${limits.listedMetrics}) AS hasMoreMetrics`
const RELATED = `JOIN people p ON p.user_id = a.registrant_id
  JOIN experiments e ON e.experiment_id = a.experiment_id
  JOIN rooms r ON r.room_id = a.room_id`
const SUMMARY = `SELECT ${LISTED} FROM attempts a ${RELATED}`
const WHOLE = `SELECT ${COLUMNS}, ${contentOf("a")} AS content FROM attempts a ${RELATED}`
// SQLite keeps the order of a CROSS JOIN: the few attempts of the finding come first, whatever else is asked of them.
const OF_FINDING = `SELECT ${LISTED}, t.role FROM finding_attempts t CROSS JOIN attempts a ON a.attempt_id = t.attempt_id ${RELATED}`

type Filters = { readonly [N in "experimentId" | "roomId" | "status" | "intent" | "label" | "findingVersionId" | "agent"]?: string }

/** Of three lists the one that looks at least: of a finding, of an experiment, or any. */
const pick = <L>({ findingVersionId, experimentId, label }: Filters, [any, ofExperiment, ofFinding]: readonly [L, L, L]): L =>
  findingVersionId !== undefined ? ofFinding : experimentId !== undefined && label === undefined ? ofExperiment : any

export type Attempts = ReturnType<typeof attempts>

export function attempts(db: Db, basePath = "") {
  const summaryOf = (row: ListedRow) => summary(row, basePath)
  const insert = inserting(db, "attempts")
  const insertInput = inserting(db, "attempt_inputs")
  const update = db.prepare("UPDATE attempts SET status = +?, revision = revision + 1, updated_at = +? WHERE attempt_id = +?")
  const keepReproduction = inserting(db, "reproductions")
  const reproducing = db.prepare<Pick<Row, "attemptId" | "label" | "roomId" | "status" | "reproduction"> & Author>(
    `SELECT a.attempt_id AS attemptId, a.label, a.room_id AS roomId, a.status, a.registrant_id AS userId, p.username, ${AGENT("a")} AS agent, ${REPRODUCTION}
     FROM attempts a JOIN people p ON p.user_id = a.registrant_id WHERE a.reproduces_attempt_id = +? ORDER BY a.attempt_id DESC LIMIT ${limits.pageItems}`,
  )
  const count = inserting(db, "attempt_counts", { onConflict: "DO UPDATE SET attempts = attempts + excluded.attempts" })
  const find = db.prepare<Omit<Attempt, "reproduces"> & Reproduces>(
    `SELECT ${STATE}, a.plan_id AS planId FROM attempts a WHERE a.attempt_id = +?`,
  )
  const match = db.prepare<{ planMatch: Stored<PlanMatch> | null }>("SELECT plan_match AS planMatch FROM attempts WHERE attempt_id = +?")
  const one = db.prepare<Row & { content: Stored<BodyOf<"register_attempt">> }>(`${WHOLE} WHERE a.attempt_id = +?`)
  const columns = {
    experimentId: "a.experiment_id",
    roomId: "a.room_id",
    status: "a.status",
    intent: "a.intent",
    label: "a.label",
    agent: AGENT("a"),
  }
  // With a plus a column is compared, but not looked up by: an experiment's own attempts are fewer than a Room's of some status.
  const compared = {
    experimentId: "+a.experiment_id",
    roomId: "+a.room_id",
    status: "+a.status",
    intent: "+a.intent",
    label: "+a.label",
    agent: AGENT("a"),
  }
  const list = filteredList<ListedRow>(db, SUMMARY, columns, "a.attempt_id")
  const ofExperiment = filteredList<ListedRow>(db, SUMMARY, { ...columns, roomId: compared.roomId }, "a.attempt_id")
  const ofFinding = filteredList<ListedRow>(db, OF_FINDING, { ...compared, findingVersionId: "t.version_id" }, "t.attempt_id")
  // The same in the order of their labels; of a finding, the few that it names are sorted.
  const byLabel = filteredList<ListedRow>(db, SUMMARY, columns, ORDINAL)
  const ofExperimentByLabel = filteredList<ListedRow>(db, SUMMARY, { ...columns, roomId: compared.roomId }, ORDINAL)
  const ofFindingByLabel = filteredList<ListedRow>(db, OF_FINDING, { ...compared, findingVersionId: "t.version_id" }, ORDINAL)

  return {
    insert(attempt: NewAttempt): void {
      const { attemptId, experimentId, reproduces, planMatch, at } = attempt
      insert({
        ...attempt,
        status: "registered",
        revision: 1,
        reproducesAttemptId: reproduces?.attemptId,
        reproducesVersionId: reproduces?.findingVersionId,
        registeredAt: at,
        updatedAt: at,
        planMatch: planMatch && JSON.stringify(planMatch),
        historyPosition: attempt.position,
      })
      attempt.inputs.forEach(({ materialId, name }, position) => insertInput({ attemptId, position, materialId, name }))
      count({ experimentId, status: "registered", attempts: 1 })
    },

    /** Takes an attempt one revision further. */
    advance({ attemptId, experimentId, status }: AttemptState, next: AttemptStatus, at: string): void {
      update.run(next, at, attemptId)
      if (next === status) return
      count({ experimentId, status, attempts: -1 })
      count({ experimentId, status: next, attempts: 1 })
    },

    /** Keeps what a reproduction says of what it reproduces. */
    tell: (attemptId: string, { verdict, explanation }: { readonly verdict: string; readonly explanation: string }) =>
      keepReproduction({ attemptId, verdict, explanation }),
    /** The newest attempts that set out to reproduce another one. */
    reproducing: (attemptId: string, seenFrom: string) =>
      reproducing.all(attemptId).map(({ userId, username, agent, reproduction, ...row }) => ({
        ...row,
        registrant: { userId, username, agent },
        reproduction: text(reproduction),
        ...fromOtherRoom(row.roomId, seenFrom),
      })),

    find(attemptId: string): Attempt | undefined {
      const row = find.get(attemptId)
      return row && { ...row, reproduces: row.ofAttempt ?? row.ofVersion ?? undefined }
    },
    /** How an attempt compares with the plan it names; null when it names none. */
    matchOf(attemptId: string): PlanMatch | null {
      const row = match.get(attemptId)
      return row?.planMatch ? parse(row.planMatch) : null
    },
    /** An attempt with its registration, but for what its events brought. */
    read(attemptId: string) {
      const row = one.get(attemptId)
      return row && { ...shown(row, basePath), registration: new JsonText(row.content) }
    },
    /** Up to `count` attempts after an id that match the filters; of a finding, each with how it names the attempt. */
    page(filters: Filters, after: string | undefined, count: number) {
      return pick(filters, [list, ofExperiment, ofFinding])(filters, after, count).map(summaryOf)
    },
    /** The same in the order in which their Room labelled them, after the number of a label. */
    pageByLabel: (filters: Filters, after: number, count: number) =>
      pick(filters, [byLabel, ofExperimentByLabel, ofFindingByLabel])(filters, after, count).map(summaryOf),
  }
}
