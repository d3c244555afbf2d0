/**
 * Who holds an experiment and on which terms: leases, their renewal and lapse, takeovers, and the warnings for the
 * agents concerned.
 */
import { type Author, writerName } from "../../contract/answers/index.ts"
import type { Warning } from "../../contract/answers/advice.ts"
import { limits } from "../../contract/limits.ts"
import { type Actor, AGENT_OR_NONE_AT } from "../../ledger/journal/actor.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { later } from "../../ledger/world.ts"
import { leaseOf } from "./admission.ts"
import { type Experiment, HOLDING_AGENT, HOLDING_AGENT_OR_NONE } from "./experiments.ts"

/** SQL for the agent that holds an experiment `e`, and on which terms. */
export const HOLDING = `${HOLDING_AGENT} AS agent, e.lease_minutes AS leaseMinutes, e.lease_until AS leaseUntil`
/** The terms on which an experiment is held. */
export type Terms = Pick<Experiment, "leaseMinutes" | "leaseUntil">

/** Returns a row with the terms as answers show them. @param now milliseconds since 1970 */
export function withTerms<Row extends Terms>({ leaseMinutes, leaseUntil, ...row }: Row, now: number) {
  const lease = leaseOf({ leaseMinutes, leaseUntil }, now)
  return { ...row, ...(lease && { lease }) }
}

/** Whether others may take an experiment over. @param now milliseconds since 1970 */
export const isLost = (terms: Terms, now: number): boolean => leaseOf(terms, now)?.lapsed === true

/** Why an experiment that its holder lost is free. */
export const lostInWords = (holder: { username: string; agent: string | null }, { leaseUntil }: Terms): string =>
  `${writerName(holder)} held it; the lease lapsed at ${leaseUntil}`

/** What the inbox tells an agent whose experiment somebody took over. */
export const takenFromYou = (label: string): string =>
  `${label} was yours; your lease had lapsed, and it was taken over.`

export type Holders = ReturnType<typeof holders>

export function holders(db: Db) {
  const anyOf = db.prepare(
    "SELECT 1 FROM experiments WHERE assignee_id = +? AND room_id = +? AND lease_until IS NOT NULL LIMIT 1",
  )
  // If a person took the experiment in the browser, any agent of theirs renews the lease.
  const held = db.prepare<{ experimentId: string; minutes: number }>(
    `SELECT e.experiment_id AS experimentId, e.lease_minutes AS minutes FROM experiments e
     WHERE e.experiment_id IN (SELECT value FROM json_each(+?)) AND e.assignee_id = +? AND e.lease_until IS NOT NULL
        AND coalesce(${HOLDING_AGENT_OR_NONE}, '') IN ('', +?)`,
  )
  const renew = db.prepare("UPDATE experiments SET lease_until = +? WHERE experiment_id = +?")
  const takeover = db.prepare<Author & { at: string; label: string }>(
    `SELECT v.at, v.author_id AS userId, p.username, ${AGENT_OR_NONE_AT("v.history_position")} AS agent, e.label
     FROM experiment_revisions v JOIN people p ON p.user_id = v.author_id JOIN experiments e USING (experiment_id)
     WHERE v.experiment_id = +? AND v.operation = 'take_experiment'
        AND v.history_position > (SELECT a.history_position FROM attempts a WHERE a.attempt_id = +?)
       AND EXISTS (SELECT 1
         FROM experiment_revisions b
         WHERE b.experiment_id = v.experiment_id AND b.revision = v.revision - 1 AND b.assignee_id IS NOT NULL)
     ORDER BY v.revision DESC LIMIT 1`,
  )
  const holder = db.prepare<{ username: string; agent: string | null }>(
    `SELECT p.username, ${HOLDING_AGENT} AS agent
      FROM experiments e
      JOIN people p ON p.user_id = e.assignee_id
      WHERE e.experiment_id = +?`,
  )
  const unended = db.prepare<{ label: string }>(
    `SELECT label FROM attempts WHERE experiment_id = +? AND status IN ('registered', 'started')
        AND intent <> 'reproduction' ORDER BY attempt_id LIMIT ${limits.claimWarnings}`,
  )

  return {
    /** Whether a person holds an experiment of a Room on a lease. */
    anyOf: (userId: string, roomId: string): boolean => anyOf.get(userId, roomId) !== undefined,

    /** Renews the leases of an agent on some experiments. @param ids a JSON list */
    renew(ids: string, { userId, agent = "" }: Actor, at: string): void {
      for (const { experimentId, minutes } of held.all(ids, userId, agent)) renew.run(later(at, minutes), experimentId)
    },

    /** Warns an agent that another agent of the same person holds the experiment. */
    heldByOther(
      { experimentId, label, assigneeId, holdingAgent }: Experiment,
      { userId, username, agent = "" }: Actor,
    ): Warning[] {
      if (assigneeId !== userId || !holdingAgent || holdingAgent === agent) return []
      const message =
        `${label} is held by another agent of the same person: ` + `${writerName({ username, agent: holdingAgent })}.`
      return [{ code: "held_by_other_agent", message, experimentId, label, by: username, agent: holdingAgent }]
    },

    /** Warns an agent that takes an experiment over: from whom, and which attempts are unfinished. */
    tookOver({ experimentId, label, assigneeId, leaseUntil }: Experiment): Warning[] {
      const from = assigneeId === null ? undefined : holder.get(experimentId)
      if (from === undefined || leaseUntil === null) return []
      const running = unended.all(experimentId).map((attempt) => attempt.label)
      const still = running.length === 0 ? "" : ` No outcome was reported for ${running.join(", ")}.`
      const message = `${label} was held by ${writerName(from)}, whose lease lapsed at ${leaseUntil}.${still}`
      return [
        { code: "lease_lapsed", message, experimentId, label, by: from.username, agent: from.agent, until: leaseUntil },
      ]
    },

    /** Warns the sender of a report if another agent took the experiment over since the attempt was registered. */
    takenOver(experimentId: string, attemptId: string, { userId, agent = "" }: Actor): Warning[] {
      const found = takeover.get(experimentId, attemptId)
      if (found === undefined || (found.userId === userId && found.agent === agent)) return []
      const { at, label, username } = found
      const holder = { username, agent: found.agent || null }
      const message =
        `${label} was taken over by ${writerName(holder)} at ${at}, after your lease had ` +
        "lapsed. This report is marked late."
      return [{ code: "taken_over", message, experimentId, label, by: username, agent: holder.agent }]
    },
  }
}
