/** The rows of attempts, and lists of them. */
import type { Author } from "../../contract/answers/parts.ts"
import type { AttemptIntent, AttemptStatus } from "../../contract/schema/enumerations.ts"
import { each, keysOf } from "../../contract/typed.ts"
import { JsonText, parse, type Stored } from "../../contract/json.ts"
import type { Cost } from "../../contract/answers/costs.ts"
import { limits } from "../../contract/limits.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting, type NewRow } from "../../ledger/storage/inserting.ts"
import { fromOtherRoom } from "../../ledger/lists/labelled.ts"
import type { Made } from "../../ledger/journal/behaviour.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import { filteredList } from "../../ledger/lists/paging.ts"
import { text } from "../experiments/experiments.ts"
import {
  type AttemptState,
  type Row,
  type ListedRow,
  shown,
  summary,
  ORDINAL,
  STATE,
  REPRODUCTION,
  SUMMARY,
  WHOLE,
  OF_FINDING,
} from "./summary.ts"
import type { PlanMatch } from "../experiments/plans.ts"
import { AGENT } from "../../ledger/journal/actor.ts"

/** An attempt with its Room, Thread and plan. */
export interface Attempt extends AttemptState {
  readonly roomId: string
  readonly threadId: string
  readonly intent: AttemptIntent
  readonly registeredAt: string
  /** The finding or attempt that it is to reproduce. */
  readonly reproduces: string | undefined
  readonly planId: string | null
}

export interface NewAttempt
  extends Made,
    Pick<NewRow<"attempts">, "attemptId" | "experimentId" | "label" | "intent" | "planId" | "rerunOf"> {
  readonly reproduces?: { readonly attemptId?: string; readonly findingVersionId?: string }
  readonly planMatch: PlanMatch | null
  readonly inputs: readonly { readonly materialId: string; readonly name: string }[]
}

type Filters = {
  readonly [N in "experimentId" | "roomId" | "status" | "intent" | "label" | "findingVersionId" | "agent"]?: string
}

const plain = {
  experimentId: "a.experiment_id",
  roomId: "a.room_id",
  status: "a.status",
  intent: "a.intent",
  label: "a.label",
}
const columns = { ...plain, agent: AGENT("a") }
// A plus keeps SQLite from using the index of that column: an experiment has fewer attempts than a Room has of one
// status. In a Room of 100,000 attempts, those of an experiment with a status take 0.5 ms, and 8 ms without it.
const compared = { ...each(keysOf(plain), (name) => `+${plain[name]}`), agent: AGENT("a") }
const summaries = { any: SUMMARY, ofFinding: OF_FINDING }

/**
 * Lists attempts in the order of a key, from the list that reads the fewest rows: that of a finding, of an experiment,
 * or of everything.
 * @param select the statement of all attempts (a), and of those that a finding names (t), up to their WHERE
 */
export function attemptList<Row, After extends string | number>(
  db: Db,
  select: { readonly any: string; readonly ofFinding: string },
  key: string,
  keyOfFinding: string,
) {
  const any = filteredList<Row>(db, select.any, columns, key)
  const ofExperiment = filteredList<Row>(db, select.any, { ...columns, roomId: compared.roomId }, key)
  const own = { ...compared, findingVersionId: "t.version_id" }
  const ofFinding = filteredList<Row>(db, select.ofFinding, own, keyOfFinding)
  return (filters: Filters, after: After | undefined, count: number): Row[] => {
    const { findingVersionId, experimentId, label } = filters
    const list =
      findingVersionId !== undefined
        ? ofFinding
        : experimentId !== undefined && label === undefined
          ? ofExperiment
          : any
    return list(filters, after, count)
  }
}

type Reproduction = NonNullable<BodyOf<"report_attempt_event">["reproduction"]>

export type Attempts = ReturnType<typeof attempts>

export function attempts(db: Db, basePath = "") {
  const summed =
    <After>(list: (filters: Filters, after: After, count: number) => ListedRow[]) =>
    (filters: Filters, after: After, count: number) =>
      list(filters, after, count).map((row) => summary(row, basePath))
  const insert = inserting(db, "attempts")
  const insertInput = inserting(db, "attempt_inputs")
  const updateMatch = db.prepare("UPDATE attempts SET plan_match = +? WHERE attempt_id = +?")
  const following = db.prepare<{
    attemptId: string
    status: AttemptStatus
    content: Stored<BodyOf<"register_attempt">>
  }>(
    `SELECT a.attempt_id AS attemptId, a.status, ${contentOf("a")} AS content
      FROM attempts a
      WHERE a.experiment_id = +? AND a.plan_id = +?
      ORDER BY a.attempt_id`,
  )
  const countFollowing = db.prepare<{ count: number }>(
    `SELECT count(*) AS count
     FROM (SELECT 1 FROM attempts WHERE experiment_id = +? AND plan_id = +? LIMIT ${limits.sealedAttempts})`,
  )
  const updateCost = db.prepare("UPDATE attempts SET cost = +? WHERE attempt_id = +?")
  const update = db.prepare(
    "UPDATE attempts SET status = +?, revision = revision + 1, updated_at = +? WHERE attempt_id = +?",
  )
  const insertReproduction = inserting(db, "reproductions")
  const reproducing = db.prepare<Pick<Row, "attemptId" | "label" | "roomId" | "status" | "reproduction"> & Author>(
    `SELECT a.attempt_id AS attemptId, a.label, a.room_id AS roomId, a.status, a.registrant_id AS userId, p.username,
        ${AGENT("a")} AS agent, ${REPRODUCTION}
     FROM attempts a
      JOIN people p ON p.user_id = a.registrant_id
      WHERE a.reproduces_attempt_id = +?
      ORDER BY a.attempt_id DESC
      LIMIT ${limits.pageItems}`,
  )
  const count = inserting(db, "attempt_counts", { onConflict: "DO UPDATE SET attempts = attempts + excluded.attempts" })
  const find = db.prepare<Omit<Attempt, "reproduces"> & { readonly reproduces: string | null }>(
    `SELECT ${STATE}, a.plan_id AS planId, coalesce(a.reproduces_attempt_id, a.reproduces_version_id) AS reproduces
      FROM attempts a
      WHERE a.attempt_id = +?`,
  )
  const match = db.prepare<{ planMatch: Stored<PlanMatch> | null }>(
    "SELECT plan_match AS planMatch FROM attempts WHERE attempt_id = +?",
  )
  const labels = db.prepare<{ attemptId: string; label: string; planId: string | null }>(
    `SELECT a.attempt_id AS attemptId, a.label, a.plan_id AS planId
      FROM attempts a
      WHERE a.experiment_id = +?
      ORDER BY ${ORDINAL}
      LIMIT +?`,
  )
  const implementation = db.prepare<{ implementation: Reproduction["implementation"] | null }>(
    "SELECT implementation FROM reproductions WHERE attempt_id = +?",
  )
  const one = db.prepare<Row & { content: Stored<BodyOf<"register_attempt">> }>(`${WHOLE} WHERE a.attempt_id = +?`)
  return {
    insert(attempt: NewAttempt): void {
      const { attemptId, experimentId, authorId, reproduces, planMatch, at } = attempt
      insert({
        ...attempt,
        registrantId: authorId,
        status: "registered",
        revision: 1,
        reproducesAttemptId: reproduces?.attemptId,
        reproducesVersionId: reproduces?.findingVersionId,
        registeredAt: at,
        updatedAt: at,
        planMatch: planMatch && JSON.stringify(planMatch),
      })
      attempt.inputs.forEach(({ materialId, name }, position) => insertInput({ attemptId, position, materialId, name }))
      count({ experimentId, status: "registered", attempts: 1 })
    },

    /** Advances an attempt by one revision. */
    advance({ attemptId, experimentId, status }: AttemptState, next: AttemptStatus, at: string): void {
      update.run(next, at, attemptId)
      if (next === status) return
      count({ experimentId, status, attempts: -1 })
      count({ experimentId, status: next, attempts: 1 })
    },

    /** Returns the attempts that follow a plan, with their registrations. */
    following: (experimentId: string, planId: string) =>
      following
        .all(experimentId, planId)
        .map(({ content, ...attempt }) => ({ ...attempt, registered: parse(content) })),
    /** Whether as many attempts follow a plan as may while it is sealed. */
    isFollowedByMost: (experimentId: string, planId: string): boolean =>
      countFollowing.one(experimentId, planId).count >= limits.sealedAttempts,
    /** Stores the comparison with a plan that was opened after the registration. */
    rematch: (attemptId: string, match: PlanMatch): void => void updateMatch.run(JSON.stringify(match), attemptId),
    /** Stores the latest reported cost. */
    setCost: (attemptId: string, cost: Cost): void => void updateCost.run(JSON.stringify(cost), attemptId),

    setReproduction: (attemptId: string, { verdict, explanation, implementation }: Reproduction): void =>
      void insertReproduction({ attemptId, verdict, explanation, implementation }),
    /** Returns the newest attempts registered to reproduce another one. */
    reproducing: (attemptId: string, seenFrom: string) =>
      reproducing.all(attemptId).map(({ userId, username, agent, reproduction, ...row }) => ({
        ...row,
        registrant: { userId, username, agent },
        reproduction: text(reproduction),
        ...fromOtherRoom(row.roomId, seenFrom),
      })),

    find(attemptId: string): Attempt | undefined {
      const row = find.get(attemptId)
      return row && { ...row, reproduces: row.reproduces ?? undefined }
    },
    /** Returns the comparison of an attempt with its plan; null if it names no plan. */
    matchOf(attemptId: string): PlanMatch | null {
      const row = match.get(attemptId)
      return row?.planMatch ? parse(row.planMatch) : null
    },
    /** Returns the first attempts of an experiment in the order of their labels, by label and plan alone. */
    labelsOf: (experimentId: string, count: number) => labels.all(experimentId, count),
    /** Returns which code a reproduction says it ran; undefined if it says nothing. */
    implementationOf: (attemptId: string): Reproduction["implementation"] | undefined =>
      implementation.get(attemptId)?.implementation ?? undefined,
    /** Returns an attempt with its registration, without its events. */
    read(attemptId: string) {
      const row = one.get(attemptId)
      return row && { ...shown(row, basePath), registration: new JsonText(row.content) }
    },
    /** Returns up to `count` attempts after an id that match the filters; for a finding, each with its role. */
    page: summed(attemptList<ListedRow, string>(db, summaries, "a.attempt_id", "t.attempt_id")),
    /**
     * The same in the order of labels, after the number of a label. A finding names few attempts, so sorting them is
     * cheap.
     */
    pageByLabel: summed(attemptList<ListedRow, number>(db, summaries, ORDINAL, ORDINAL)),
  }
}
