/** The behaviours that register attempts, report their events and open sealed plans; and the domain. */
import type { LandedEffect } from "../../contract/answers/measurements.ts"
import { limits } from "../../contract/limits.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import { known } from "../../ledger/write/references.ts"
import { type Issue, Refusal } from "../../contract/refusals.ts"
import { behaviour, type ExtrasOf, madeBy } from "../../ledger/journal/behaviour.ts"
import { admitToExperiment, type Holders } from "../experiments/holders.ts"
import type { Warning } from "../../contract/answers/receipts.ts"
import { words } from "../../contract/definitions/sentence.ts"
import type { ReproductionVerdict } from "../../contract/schema/enumerations.ts"
import { type Evidence, type Recount, attributionOf } from "../evidence/evidence.ts"
import type { Experiments } from "../experiments/experiments.ts"
import { experimentSubject } from "../experiments/operations.ts"
import { type Plans, mustMatchSeal, planMatch as comparedWithPlan, planMatch } from "../experiments/plans.ts"
import { admitEvent, currentAttempt } from "./summary.ts"
import { exportedAttempts, type Attempt, type Attempts, attempts } from "./attempts.ts"
import { type Cell, mustBeOneValue, mustCorrect, type Events, events } from "./reported.ts"
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import type { Attachments } from "../../ledger/journal/attachments.ts"
import { comparingReads } from "./comparing-reads.ts"
import { curves } from "./curves.ts"
import { attemptReads, attemptsInBrief, failureReads, failures, logReads, logs } from "./reads.ts"
import { attemptTables } from "./table.ts"

type Reported = BodyOf<"report_attempt_event">
type Output = NonNullable<Reported["outputs"]>[number]

/** The effects of reproductions that repeat effects of findings (src/research/measurements). */
interface ReproductionEffects {
  amountOf(attempt: Attempt, body: Reported): number
  faults(attempt: Attempt, body: Reported): Issue[]
  keep(attempt: Attempt, body: Reported): Computed | undefined
  forReceipt(attemptId: string): LandedEffect[]
  couldName(attempt: Attempt): { readonly versionId: string; readonly label: string } | undefined
}
/** The verdict that the numbers give. */
interface Computed {
  readonly verdict: ReproductionVerdict
  readonly sentence: string
}

export interface WritingTables {
  readonly experiments: Experiments
  readonly plans: Plans
  readonly attempts: Attempts
  readonly events: Events
  readonly evidence: Evidence
  readonly reproductionEffects: ReproductionEffects
  readonly movedEffects: {
    mustBear(attempt: Attempt, body: Reported, values: () => number): void
    moved(attemptIds: readonly string[], late?: Reported): readonly Recount[]
  }
  readonly holders: Holders
  readonly extras: { readonly register_attempt: ExtrasOf<"register_attempt"> }
}

/**
 * Returns warnings about the effect that a reproduction repeats. @param could a finding whose effect it could have
 * named
 */
function adviceOn(
  { label }: Attempt,
  { reproduction, event }: Reported,
  computed: Computed | undefined,
  could: { versionId: string; label: string } | undefined,
): Warning[] {
  if (reproduction === undefined) return []
  const { verdict, repeats } = reproduction
  if (repeats === undefined && event === "succeeded" && could !== undefined)
    return [
      {
        code: "effect_not_named",
        message:
          `${could.label} rests on an effect. Name it in reproduction.repeats, and the service computes it ` +
          `from ${label} and compares the two.`,
        ...could,
      },
    ]
  if (computed === undefined || computed.verdict === verdict) return []
  const message =
    `You say ${words(verdict)}; by its numbers it counts as ${words(computed.verdict)}. ` + `${computed.sentence}`
  return [{ code: "verdict_differs", message }]
}

function attemptOperations(tables: WritingTables) {
  const { experiments, plans, attempts, events, evidence, reproductionEffects, movedEffects, holders } = tables
  /** Returns the state of an attempt if it has changed since an earlier receipt. */
  function moved({ targetId, result }: { targetId: string; result: { revision: number } }) {
    const attempt = attempts.find(targetId)
    return attempt === undefined || attempt.revision === result.revision ? undefined : currentAttempt(attempt)
  }

  /** @throws Refusal `invalid_schema` if the opening of a sealed plan would have too many attempts to compare */
  function mustLimitAttemptsOfSealed({ planId, experimentId }: BodyOf<"register_attempt">): void {
    const plan = planId === undefined ? undefined : plans.read(planId)?.shown
    if (plan?.sealed == null || plan.sealed.openedAt !== null) return
    if (!attempts.isFollowedByMost(experimentId, plan.planId)) return
    const most = limits.sealedAttempts.toLocaleString("en")
    const message = `is of a sealed plan that ${most} attempts follow: open it first`
    throw new Refusal("invalid_schema", `Too many attempts follow the sealed plan ${plan.label}. Nothing was stored.`, {
      issues: [{ path: "/planId", message }],
    })
  }

  const register_attempt = behaviour("register_attempt", {
    ...tables.extras.register_attempt,
    moved,
    subject: ({ body }) => experimentSubject(experiments, body.experimentId),
    references({ body: { intent, planId } }, { experiment }) {
      const acceptedBy = intent !== "planned" || planId === undefined ? undefined : plans.read(planId)?.shown.acceptedBy
      // If nobody holds the experiment, admission refuses the write for that reason.
      if (acceptedBy === undefined || experiment.assigneeId === null || acceptedBy.userId === experiment.assigneeId)
        return []
      const message =
        `was accepted by ${acceptedBy.username}, who does not hold ${experiment.label} now; ` +
        "its assignee must accept a plan of their own first"
      return [{ path: "/planId", message }]
    },
    outside: ({ body }) => body.repository,
    admit({ actor, body }, { experiment }, at) {
      const existing = attempts.find(body.attemptId)
      if (existing !== undefined)
        throw new Refusal(
          "attempt_exists",
          `${existing.label} already has this attemptId. Every execution needs a new one.`,
          {
            current: currentAttempt(existing),
          },
        )
      const { intent } = body
      admitToExperiment(
        "register_attempt",
        experiment,
        actor.userId,
        body,
        at,
        ({ values }) => values?.intent.includes(intent) === true,
      )
      mustLimitAttemptsOfSealed(body)
    },
    write(call, subject, change) {
      const { actor, body } = call
      const { attemptId, experimentId, intent, planId, reproduces } = body
      const label = change.label("attempt")
      const plan = planId === undefined ? undefined : plans.contentOf(planId, experimentId)
      const planMatch = planId === undefined || plan === undefined ? null : comparedWithPlan(planId, plan, body)
      attempts.insert({ ...body, ...madeBy(call, subject, change), label, planMatch })
      events.registered(attemptId, change.at)
      if (reproduces !== undefined)
        evidence.reproducing(
          "attemptId" in reproduces ? reproduces.attemptId : reproduces.findingVersionId,
          attemptId,
          body.repository,
          attributionOf(actor, change.at),
        )
      return {
        target: { id: attemptId, label },
        result: { attemptId, label, status: "registered", revision: 1 },
        warnings: intent === "reproduction" ? [] : holders.heldByOther(subject.experiment, actor),
      }
    },
  })

  /** @throws Refusal `invalid_schema` if an output label is not unique among all events of the attempt */
  function mustBeNewOutputs(attemptId: string, outputs: readonly Output[]): void {
    const issues = outputs.flatMap(({ outputLabel }, index) => {
      const repeated =
        events.hasOutput(attemptId, outputLabel) ||
        outputs.findIndex((other) => other.outputLabel === outputLabel) < index
      return repeated
        ? [{ path: `/outputs/${index}/outputLabel`, message: "names an output that this attempt already has" }]
        : []
    })
    if (issues.length > 0)
      throw new Refusal("invalid_schema", "Each output of an attempt has a label of its own.", { issues })
  }

  /** @throws Refusal `invalid_schema` if an attempt that reproduces nothing reports a verdict */
  function mustBeReproduction({ label, reproduces }: Attempt, { reproduction }: Reported): void {
    if (reproduction === undefined || reproduces !== undefined) return
    throw new Refusal("invalid_schema", `Only a reproduction has a verdict, and ${label} reproduces nothing.`, {
      issues: [{ path: "/reproduction", message: `is only for reproductions; ${label} reproduces nothing` }],
    })
  }

  const report_attempt_event = behaviour("report_attempt_event", {
    moved,
    readExtras: ({ body, targetId }) =>
      body.reproduction?.repeats === undefined ? {} : { effects: reproductionEffects.forReceipt(targetId) },
    subject({ body }) {
      const attempt = known("attempt", attempts.find(body.attemptId))
      return { roomId: attempt.roomId, threadId: attempt.threadId, attempt }
    },
    references: ({ body }, { attempt }) => [
      // The edge has replaced a table by its metrics.
      ...(body.table === undefined ? [] : [{ path: "/table", message: "must be read before" }]),
      ...reproductionEffects.faults(attempt, body),
    ],
    admit({ actor, body }, { attempt }) {
      admitEvent(attempt, actor.userId, body)
      mustBeReproduction(attempt, body)
      const { attemptId, label } = attempt
      const lastOf = (cell: Cell) => events.lastOf(attemptId, cell)
      mustCorrect(label, body, (metric, split) => events.hasMetric(attemptId, metric, split), lastOf)
      mustBeOneValue(label, body, lastOf)
      mustBeNewOutputs(body.attemptId, body.outputs ?? [])
      movedEffects.mustBear(attempt, body, () => reproductionEffects.amountOf(attempt, body))
    },
    write({ actor, body }, { attempt }, { at }) {
      const { attemptId, label } = attempt
      const status = admitEvent(attempt, actor.userId, body)
      const revision = attempt.revision + 1
      attempts.advance(attempt, status, at)
      const takenOver =
        attempt.reproduces === undefined ? holders.takenOver(attempt.experimentId, attemptId, actor) : []
      events.report(attemptId, revision, at, takenOver.length === 0 ? body : { ...body, late: true })
      if (body.cost !== undefined) attempts.setCost(attemptId, body.cost)
      const computed = reproductionEffects.keep(attempt, body)
      if (body.reproduction !== undefined && attempt.reproduces !== undefined) {
        attempts.setReproduction(attemptId, body.reproduction)
        const { verdict, sentence } = { sentence: undefined, ...body.reproduction, ...computed }
        evidence.reproduced(attemptId, verdict, sentence, at)
      }
      // Effects that rest on this attempt change when it succeeds, and when it reports more values later.
      const late = attempt.status === "succeeded" ? body : undefined
      if (status === "succeeded")
        for (const recount of movedEffects.moved([attemptId], late)) evidence.recounted(recount)
      return {
        target: { id: attemptId, label },
        result: { attemptId, label, status, revision },
        warnings: [...adviceOn(attempt, body, computed, reproductionEffects.couldName(attempt)), ...takenOver],
      }
    },
  })

  return { register_attempt, report_attempt_event }
}

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
      const following = attempts.following(experimentId, planId)
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
      failures: failures(db),
    }),
  ],
  operations: [attemptOperations, openingOperations],
  reads: [attemptReads, logReads, comparingReads, failureReads],
  brief: [attemptsInBrief],
  exported: [exportedAttempts],
} satisfies Domain
