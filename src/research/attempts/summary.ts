/** The state of an attempt, which admits its events, its settings, and its summary for lists and for its own read. */
import { isObject, JsonText, type Stored, type JsonObject } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { type BodyOf, operationOf } from "../../contract/operations/index.ts"
import type { AttemptRole, RoomState, AttemptStatus } from "../../contract/schema/enumerations.ts"
import type { Cost } from "../../contract/answers/costs.ts"
import type { AttemptSummary } from "../../contract/nouns/attempt-answers.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import { WORK_STATE } from "../../rooms/imported.ts"
import type { PlanMatch } from "../experiments/plans.ts"
import { AGENT } from "../../ledger/journal/actor.ts"
import { text } from "../experiments/experiments.ts"
import { picked } from "../../contract/typed.ts"
import { Refusal } from "../../contract/refusals.ts"
import { attemptStates } from "../../contract/states.ts"
import { orOf } from "../../contract/text.ts"

// Checks the events of attempts against the state table. Admission and affordances read the same rows.

/** The state of an attempt that admission needs. */
export interface AttemptState {
  readonly attemptId: string
  readonly label: string
  readonly experimentId: string
  readonly status: AttemptStatus
  readonly revision: number
  readonly registrantId: string
}

const rowsFrom = (status: string) => attemptStates.filter(({ from }) => from.some((state) => state === status))
/** Events that change the status; a correction does not. */
const stepsFrom = (status: string) => rowsFrom(status).filter((row) => !("needs" in row))

/** Returns the state of an attempt for a refusal, with the `expected` block to copy into the next request. */
export const currentAttempt = (attempt: AttemptState): JsonObject => ({
  ...picked(attempt, "attemptId", "label", "experimentId", "status", "revision"),
  expected: { expectedRevision: attempt.revision, expectedStatus: attempt.status },
})

/**
 * Admits an event and returns the next status.
 * @throws Refusal 403 for an attempt of another person, 409 `state_conflict`
 */
export function admitEvent(attempt: AttemptState, userId: string, body: BodyOf<"report_attempt_event">): AttemptStatus {
  const current = currentAttempt(attempt)
  if (attempt.registrantId !== userId)
    throw new Refusal("role_required", "Only the registrant of an attempt can report its events.", {
      current: { ...current, needed: ["registrant"] },
    })
  if (body.expectedRevision !== attempt.revision || body.expectedStatus !== attempt.status)
    throw new Refusal("state_conflict", `${attempt.label} has changed since you read it.`, { current })
  const sent = { corrects: (body.corrects ?? []).length > 0, late: body.late === true }
  const row = rowsFrom(attempt.status).find(
    (each) => each.event === body.event && (!("needs" in each) || sent[each.needs]),
  )
  if (row === undefined) {
    const following = orOf(stepsFrom(attempt.status).map(({ event }) => event))
    throw new Refusal(
      "state_conflict",
      attempt.status === "registered"
        ? `${attempt.label} has not started: report that it started first. Accepted now: ${following}.`
        : `${attempt.label} is ${attempt.status}, so ${body.event} cannot be reported` +
            `${following === "" ? "." : ` now. Accepted now: ${following}.`}`,
      { current },
    )
  }
  return row.to === "unchanged" ? attempt.status : row.to
}

/**
 * Returns the operations that the server would accept next about an attempt, and from whom.
 * @param isOpen whether the Room is active and the registrant is still a member; former members cannot report
 */
function attemptAffordances(attempt: AttemptState, basePath: string, isOpen: boolean) {
  const event = stepsFrom(attempt.status).map((row) => row.event)
  const { name, path, permissions } = operationOf("report_attempt_event")
  const afforded = {
    operation: name,
    path: `${basePath}${path}`,
    permission: permissions[0] ?? null,
    by: "registrant",
    userId: attempt.registrantId,
    values: { event },
  }
  return {
    expected: { expectedRevision: attempt.revision, expectedStatus: attempt.status },
    operations: isOpen && event.length > 0 ? [afforded] : [],
  }
}

/** Returns the reported outcome of an attempt; null before it started. */
export const outcomeOf = (status: AttemptStatus): AttemptSummary["outcome"] =>
  status === "registered" ? null : status === "started" ? "unknown" : status

// The settings of an attempt as flat text by name: arm, command line, configuration, environment, inputs, commit.

type Registration = Pick<BodyOf<"register_attempt">, "argv" | "configuration" | "environment" | "repository">
export type Settings = ReadonlyMap<string, string>

const cut = (text: string): string =>
  text.length <= limits.tableCell ? text : `${text.slice(0, limits.tableCell - 1)}…`

/** Calls `tell` with the path and the text of each leaf of a nested value. A list is a leaf. */
export function eachLeaf(value: unknown, path: string, tell: (path: string, text: string) => void): void {
  if (!isObject(value) || Array.isArray(value)) tell(path, typeof value === "string" ? value : JSON.stringify(value))
  else for (const name of Object.keys(value)) eachLeaf(value[name], path === "" ? name : `${path}.${name}`, tell)
}

const isFlag = (word: string | undefined): word is string => word !== undefined && /^--?[A-Za-z]/.test(word)

/** Splits a command line into its flags with their values, and the remaining words. */
export function flagsOf(argv: readonly string[]) {
  const words: string[] = []
  const flags: (readonly [name: string, value: string])[] = []
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? ""
    const next = argv[index + 1]
    if (!isFlag(word)) words.push(word)
    else if (word.includes("=")) flags.push([word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)])
    else if (next === undefined || isFlag(next)) flags.push([word, "set"])
    else {
      flags.push([word, next])
      index += 1
    }
  }
  return { flags, command: words.join(" ") }
}

function* all(
  { argv, configuration, environment = {}, repository }: Registration,
  arm: string | null,
  inputs: Settings,
) {
  if (arm !== null) yield ["arm", arm] as const
  const leaves: [string, string][] = []
  eachLeaf(configuration, "", (path, text) => leaves.push([path, text]))
  yield* leaves
  const { flags, command } = flagsOf(argv)
  yield* flags
  yield ["command", command] as const
  for (const [name, label] of inputs) yield [`input ${name}`, label] as const
  yield ["commit", repository.commit.slice(0, 12)] as const
  for (const [name, value] of Object.entries(environment)) yield [`environment ${name}`, value] as const
}

/**
 * Returns the first settings of an attempt. If several parts of a registration have a setting of the same name, the
 * first counts.
 * @param arm the arm of its plan with this command line
 * @param inputs labels of materials by the name of the input
 */
export function settingsOf(registration: Registration, arm: string | null, inputs: Settings): Settings {
  const found = new Map<string, string>()
  for (const [name, value] of all(registration, arm, inputs)) {
    if (found.size >= limits.tableSettings) break
    if (name !== "" && !found.has(name)) found.set(cut(name), cut(value))
  }
  return found
}

// Selects the columns of attempts and turns rows into summaries.

type Own =
  | "attemptId"
  | "label"
  | "experimentId"
  | "experimentLabel"
  | "roomId"
  | "threadId"
  | "entryId"
  | "intent"
  | "status"
  | "revision"
export type Row = Pick<AttemptSummary, Own | "planId" | "rerunOf" | "registeredAt" | "updatedAt" | "contentDigest"> & {
  readonly registrantId: string
  readonly username: string
  readonly agent: string | null
  readonly registrantIsMember: number
  readonly roomState: RoomState
  readonly planMatch: Stored<PlanMatch> | null
  readonly reproduces: Stored<AttemptSummary["reproduces"]> | null
  readonly reproduction: Stored<AttemptSummary["reproduction"]> | null
  readonly failure: Stored<AttemptSummary["failure"]> | null
  readonly cost: Stored<Cost> | null
  /** Its role in the finding of the query. */
  readonly role?: AttemptRole
}

/** A row of a list, with command line and last values. */
export interface ListedRow extends Row {
  readonly argv: Stored<AttemptSummary["argv"]>
  readonly metrics: Stored<AttemptSummary["metrics"]>
  readonly hasMoreMetrics: number
}

/** Returns the members that lists and the read of one attempt share. */
export const shown = (row: Row, basePath: string) => ({
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
  reproduces: text(row.reproduces),
  reproduction: text(row.reproduction),
  registeredAt: row.registeredAt,
  updatedAt: row.updatedAt,
  contentDigest: row.contentDigest,
  cost: text(row.cost),
  planMatch: text(row.planMatch),
  failure: text(row.failure),
  affordances: attemptAffordances(row, basePath, row.roomState === "active" && row.registrantIsMember === 1),
  ...(row.role === undefined ? {} : { role: row.role }),
})

/** Returns an attempt as lists show it. */
export const summary = (row: ListedRow, basePath: string) => ({
  ...shown(row, basePath),
  argv: new JsonText(row.argv),
  metrics: new JsonText(row.metrics),
  metricsTruncated: row.hasMoreMetrics === 1,
})

/** The number in its label. The indexes in schema.sql hold the same expression. */
export const ORDINAL = "CAST(substr(a.label, 2) AS INTEGER)"
export const STATE = `a.attempt_id AS attemptId, a.label, a.experiment_id AS experimentId, a.status, a.revision, \
a.registrant_id AS registrantId,
  a.room_id AS roomId, a.thread_id AS threadId, a.intent, a.registered_at AS registeredAt`
const SAID = `json_patch(json_object('verdict', q.verdict, 'explanation', q.explanation),
      json_object('implementation', q.implementation))`
const REPEATS = `(SELECT json_group_array(json(shown))
      FROM (SELECT x.shown
        FROM reproduction_effects x
        WHERE x.attempt_id = q.attempt_id
        ORDER BY x.position))`
const REPEATING = "EXISTS (SELECT 1 FROM reproduction_effects x WHERE x.attempt_id = q.attempt_id)"
export const REPRODUCTION = `(SELECT iif(${REPEATING}, json_set(${SAID}, '$.repeats', json(${REPEATS})), ${SAID})
  FROM reproductions q WHERE q.attempt_id = a.attempt_id) AS reproduction`
/** The failure in its last event; null if it did not fail. */
export const FAILURE = `CASE WHEN a.status IN ('failed', 'preflight_failed') THEN
    (SELECT v.body -> '$.failure'
      FROM attempt_events v
      WHERE v.attempt_id = a.attempt_id AND v.revision = a.revision) END AS failure`
/** The reason why it failed, from its last event. */
export const WHY_FAILED = `(SELECT coalesce(v.body ->> '$.failure.stage' || ': '
  || (v.body ->> '$.failure.explanation'), v.body ->> '$.message', a.status)
  FROM attempt_events v WHERE v.attempt_id = a.attempt_id ORDER BY v.revision DESC LIMIT 1)`
const COLUMNS = `${STATE}, a.entry_id AS entryId, a.plan_id AS planId, a.rerun_of AS rerunOf, a.updated_at AS updatedAt,
    a.plan_match AS planMatch,
  a.content_digest AS contentDigest, a.cost,
  CASE WHEN a.reproduces_attempt_id IS NOT NULL THEN json_object('attemptId', a.reproduces_attempt_id)
    WHEN a.reproduces_version_id IS NOT NULL THEN json_object('findingVersionId',
      a.reproduces_version_id) END AS reproduces,
  ${REPRODUCTION},
  ${FAILURE},
  p.username, ${AGENT("a")} AS agent, e.label AS experimentLabel, ${WORK_STATE("r")} AS roomState,
  EXISTS (SELECT 1 FROM members m WHERE m.room_id = a.room_id AND m.user_id = a.registrant_id) AS registrantIsMember`
/** The dimensions of a value; null if it has none. */
export const DIMENSIONS = (row: string) =>
  `(SELECT d.dimensions FROM dimension_sets d WHERE d.dimensions_id = ${row}.dimensions_id)`
/** The columns of a list, which has only the command line of a registration. */
const LISTED = `${COLUMNS}, ${contentOf("a")} -> '$.argv' AS argv,
  (SELECT json_group_array(json_object('name', name, 'split', split, 'dimensions', json(dimensions), 'unit', unit,
    'step', step, 'value', json(value))) FROM (
    SELECT l.name, nullif(l.split, '') AS split, ${DIMENSIONS("l")} AS dimensions, l.unit, l.step, l.value
    FROM attempt_last_metrics l
    WHERE l.attempt_id = a.attempt_id
    ORDER BY l.name, l.split, l.dimensions_id
    LIMIT ${limits.listedMetrics})) AS metrics,
  EXISTS (SELECT 1
    FROM attempt_last_metrics l
    WHERE l.attempt_id = a.attempt_id
    LIMIT 1 OFFSET ${limits.listedMetrics}) AS hasMoreMetrics`
const RELATED = `JOIN people p ON p.user_id = a.registrant_id
  JOIN experiments e ON e.experiment_id = a.experiment_id
  JOIN rooms r ON r.room_id = a.room_id`
export const SUMMARY = `SELECT ${LISTED} FROM attempts a ${RELATED}`
export const WHOLE = `SELECT ${COLUMNS}, ${contentOf("a")} AS content FROM attempts a ${RELATED}`
// SQLite keeps the order of a CROSS JOIN, so the few attempts of the finding are read first, whatever the filters.
export const OF_FINDING = `SELECT ${LISTED}, t.role
  FROM finding_attempts t
  CROSS JOIN attempts a ON a.attempt_id = t.attempt_id ${RELATED}`
