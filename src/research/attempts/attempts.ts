/** Attempts: their rows, and how they are shown. */
import type { Author } from "../../contract/answers/index.ts"
import type { AttemptIntent, AttemptStatus } from "../../contract/schema/enumerations.ts"
import { JsonText, parse, type Stored } from "../../contract/json.ts"
import type { Cost } from "../../contract/schema/cost.ts"
import { limits } from "../../contract/limits.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting, type NewRow } from "../../ledger/storage/inserting.ts"
import { fromOtherRoom } from "../../ledger/lists/other-room.ts"
import type { Made } from "../../ledger/journal/behaviour.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import { filteredList } from "../../ledger/lists/filtered-list.ts"
import type { AttemptState } from "./admission.ts"
import type { PlanMatch } from "./plan-match.ts"
import { AGENT } from "../../ledger/journal/author.ts"
import {
  type Row,
  type Reproduces,
  text,
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

export interface NewAttempt
  extends Made,
    Pick<NewRow<"attempts">, "attemptId" | "experimentId" | "label" | "intent" | "planId" | "rerunOf"> {
  readonly reproduces: { readonly attemptId?: string; readonly findingVersionId?: string } | undefined
  readonly planMatch: PlanMatch | null
  readonly inputs: readonly { readonly materialId: string; readonly name: string }[]
}

type Filters = { readonly [N in "experimentId" | "roomId" | "status" | "intent" | "label" | "findingVersionId" | "agent"]?: string }

/** Of three lists the one that looks at least: of a finding, of an experiment, or any. */
const pick = <L>({ findingVersionId, experimentId, label }: Filters, [any, ofExperiment, ofFinding]: readonly [L, L, L]): L =>
  findingVersionId !== undefined ? ofFinding : experimentId !== undefined && label === undefined ? ofExperiment : any

type Told = NonNullable<BodyOf<"report_attempt_event">["reproduction"]>

export type Attempts = ReturnType<typeof attempts>

export function attempts(db: Db, basePath = "") {
  const summaryOf = (row: ListedRow) => summary(row, basePath)
  const insert = inserting(db, "attempts")
  const insertInput = inserting(db, "attempt_inputs")
  const updateMatch = db.prepare("UPDATE attempts SET plan_match = +? WHERE attempt_id = +?")
  const following = db.prepare<{ attemptId: string; status: AttemptStatus; content: Stored<BodyOf<"register_attempt">> }>(
    `SELECT a.attempt_id AS attemptId, a.status, ${contentOf("a")} AS content FROM attempts a WHERE a.plan_id = +? ORDER BY a.attempt_id`,
  )
  const updateCost = db.prepare("UPDATE attempts SET cost = +? WHERE attempt_id = +?")
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

    /** Takes an attempt one revision further. */
    advance({ attemptId, experimentId, status }: AttemptState, next: AttemptStatus, at: string): void {
      update.run(next, at, attemptId)
      if (next === status) return
      count({ experimentId, status, attempts: -1 })
      count({ experimentId, status: next, attempts: 1 })
    },

    /** The attempts that follow a plan, with what was registered. */
    following: (planId: string) => following.all(planId).map(({ content, ...attempt }) => ({ ...attempt, registered: parse(content) })),
    /** Keeps how it compares with a plan that was opened since. */
    rematch: (attemptId: string, match: PlanMatch): void => void updateMatch.run(JSON.stringify(match), attemptId),
    /** Keeps what it cost, as it was said last. */
    took: (attemptId: string, cost: Cost): void => void updateCost.run(JSON.stringify(cost), attemptId),

    /** Keeps what a reproduction says of what it reproduces. */
    tell(
      attemptId: string,
      { verdict, explanation, repeats }: Told,
      effect: { readonly repeats: string; readonly figures: string } | undefined,
    ) {
      const named = { repeatsId: repeats?.versionId, repeatsPosition: repeats?.effect, repeats: effect?.repeats, figures: effect?.figures }
      keepReproduction({ attemptId, verdict, explanation, ...named })
    },
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
