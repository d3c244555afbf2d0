/** Attempts: what they reported, their logs and curves, and the tables that compare them. */
import { known } from "../../contract/objects/no-such.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { behaviour } from "../../ledger/journal/behaviour.ts"
import type { Evidence, Recount } from "../evidence/evidence.ts"
import { mustMatchSeal, type Plans } from "../experiments/plans.ts"
import { type Attempts, attempts } from "./attempts.ts"
import { planMatch } from "./plan-match.ts"
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import type { Attachments } from "../../ledger/journal/attachments.ts"
import { comparingReads } from "./comparing-reads.ts"
import { curves } from "./curves.ts"
import { events } from "./events.ts"
import { logReads, logs } from "./logs.ts"
import { attemptOperations } from "./operations.ts"
import { attemptReads } from "./reads.ts"
import { attemptTables } from "./table.ts"

// The behaviour that opens a sealed plan: it publishes the protocol and compares the plan's attempts with it.

export interface Tables {
  readonly plans: Plans
  readonly attempts: Attempts
  readonly evidence: Evidence
  readonly movedEffects: {
    mustWaitItsTurn(planId: string): void
    moved(attemptIds: readonly string[]): readonly Recount[]
  }
}

function openingOperations({ plans, attempts, evidence, movedEffects }: Tables) {
  const open_plan = behaviour("open_plan", {
    subject({ body: { planId } }) {
      const { shown: plan } = known("plan", plans.read(planId))
      return { roomId: plan.roomId, threadId: plan.threadId, plan }
    },
    admit({ actor, body }, { plan: { label, sealed, acceptedBy } }) {
      if (acceptedBy.userId !== actor.userId)
        throw new Refusal("role_required", `Only ${acceptedBy.username}, who accepted ${label}, can open it.`, {
          current: { needed: ["acceptor"] },
        })
      if (sealed === null || sealed.openedAt !== null)
        throw new Refusal("state_conflict", `${label} is ${sealed === null ? "not sealed" : "already open"}.`, {
          current: { planId: body.planId, label, sealed },
        })
      mustMatchSeal(body, sealed.digest)
      movedEffects.mustWaitItsTurn(body.planId)
    },
    write({ body: { planId, protocol } }, { plan: { label, experimentId } }, { at, position }) {
      plans.open(planId, position)
      const content = plans.contentOf(planId, experimentId)
      const following = attempts.following(planId)
      if (content !== undefined)
        for (const { attemptId, registered } of following)
          attempts.rematch(attemptId, planMatch(planId, { ...content, protocol }, registered))
      // The opened plan may name the arms of its attempts, which effects are computed from.
      const succeeded = following.flatMap(({ attemptId, status }) => (status === "succeeded" ? [attemptId] : []))
      for (const recount of movedEffects.moved(succeeded)) evidence.recounted(recount)
      return { target: { id: planId, label }, result: { planId, label, openedAt: at } }
    },
  })

  return { open_plan }
}

export const domain = {
  tables: [
    ({ db, basePath, attachments }: Ground & { attachments: Attachments }) => ({
      attempts: attempts(db, basePath),
      events: events(db),
      logs: logs(db, attachments),
      curves: curves(db),
      attemptTables: attemptTables(db),
    }),
  ],
  operations: [attemptOperations, openingOperations],
  reads: [attemptReads, logReads, comparingReads],
} satisfies Domain
