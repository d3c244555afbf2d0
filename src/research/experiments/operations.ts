/** The behaviours that propose, change and report on experiments, and accept plans; their reads; and the domain. */
import { experimentsInBrief } from "./brief.ts"
import { known } from "../../ledger/write/references.ts"
import type { OperationName } from "../../contract/operations/index.ts"
import { behaviour, type Call, type Change, type ExtrasOf, madeBy } from "../../ledger/journal/behaviour.ts"
import { threadSubject, type Threads } from "../../threads/threads.ts"
import { admitReport, admitToExperiment, currentExperiment, type Expected, type Holders, holders } from "./holders.ts"
import type { Evidence } from "../evidence/evidence.ts"
import { exportedExperiments, type Experiments, type Step, experiments } from "./experiments.ts"
import { later } from "../../ledger/world.ts"
import { mustRepeatAnArm, mustSealInTime, type Plans, type CostSums, costSums, plans } from "./plans.ts"
import { authorFrom } from "../../ledger/journal/actor.ts"
import { picked } from "../../contract/typed.ts"
import { feedOf, idPage, pageSize } from "../../ledger/lists/paging.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Materials } from "../materials/materials.ts"
import type { Records } from "../records/records.ts"
import type { Reviews } from "../reviews/reviews.ts"
import type { Domain, Ground } from "../../ledger/domains/domain.ts"

/** Finds the experiment that a body names. @throws Refusal `unknown_experiment` */
export function experimentSubject(experiments: Experiments, experimentId: string) {
  const experiment = known("experiment", experiments.find(experimentId))
  return { roomId: experiment.roomId, threadId: experiment.threadId, experiment }
}

type Found = ReturnType<typeof experimentSubject>

export interface WritingTables {
  readonly threads: Threads
  readonly experiments: Experiments
  readonly plans: Plans
  readonly evidence: Evidence
  readonly holders: Holders
  readonly extras: { readonly propose_experiment: ExtrasOf<"propose_experiment"> }
}

function experimentOperations({ threads, experiments, plans, evidence, holders, extras }: WritingTables) {
  const subject = ({ body }: Call<{ experimentId: string }>) => experimentSubject(experiments, body.experimentId)

  /** Advances the experiment and returns the outcome for the receipt. */
  function advance(call: Call, { experiment }: Found, operation: string, { at, position }: Change, step: Step) {
    const { experimentId, label } = experiment
    const warnings = holders.heldByOther(experiment, call.actor)
    const now = experiments.advance(experimentId, operation, call.actor.userId, at, step, position)
    return { target: { id: experimentId, label }, result: { experimentId, label, ...now }, warnings }
  }

  /** Returns the state of an experiment if it has changed since an earlier receipt. */
  function moved({ targetId, result }: { targetId: string; result: { revision: number } }) {
    const experiment = experiments.find(targetId)
    return experiment === undefined || experiment.revision === result.revision
      ? undefined
      : currentExperiment(experiment)
  }

  /** What the operations that only change the state of an experiment share. */
  const step = (operation: OperationName) => ({
    subject,
    moved,
    admit: ({ actor, body }: Call<Expected>, { experiment }: Found, at: string) =>
      admitToExperiment(operation, experiment, actor.userId, body, at),
  })

  const statement = (call: Call, { at }: Change, text: string) => ({ text, by: authorFrom(call.actor), at })

  const propose_experiment = behaviour("propose_experiment", {
    ...extras.propose_experiment,
    subject: ({ body }) => threadSubject(threads, body.threadId, body.roomId),
    moved,
    write(call, subject, change) {
      const { hypotheses } = call.body
      const experimentId = change.newId()
      const label = change.label("experiment")
      experiments.insert({ ...call.body, ...madeBy(call, subject, change), experimentId, label })
      evidence.addresses(experimentId, [], hypotheses, change.at)
      return { target: { id: experimentId, label }, result: { experimentId, label, status: "open", revision: 1 } }
    },
  })

  const amend_experiment = behaviour<"amend_experiment", Found>("amend_experiment", {
    ...step("amend_experiment"),
    write(call, subject, change) {
      const { experimentId, hypotheses } = call.body
      if (hypotheses !== undefined)
        evidence.addresses(experimentId, experiments.hypothesesOf(experimentId), hypotheses, change.at)
      return advance(call, subject, "amend_experiment", change, { proposal: call.body })
    },
  })

  const cancel_experiment = behaviour<"cancel_experiment", Found>("cancel_experiment", {
    ...step("cancel_experiment"),
    write: (call, subject, change) =>
      advance(call, subject, "cancel_experiment", change, {
        status: "cancelled",
        conclusion: statement(call, change, call.body.reason),
      }),
  })

  const take_experiment = behaviour<"take_experiment", Found>("take_experiment", {
    ...step("take_experiment"),
    write(call, subject, change) {
      const assigneeId = call.actor.userId
      const { leaseMinutes } = call.body
      const lease = leaseMinutes === undefined ? null : { minutes: leaseMinutes, until: later(change.at, leaseMinutes) }
      const warnings = holders.tookOver(subject.experiment)
      const { target, result } = advance(call, subject, "take_experiment", change, {
        status: "claimed",
        assigneeId,
        lease,
      })
      return { target, result: { ...result, assigneeId, ...(lease && { leaseUntil: lease.until }) }, warnings }
    },
  })

  const release_experiment = behaviour<"release_experiment", Found>("release_experiment", {
    ...step("release_experiment"),
    write: (call, subject, change) =>
      advance(call, subject, "release_experiment", change, {
        status: "open",
        assigneeId: null,
        lease: null,
        handoff: statement(call, change, call.body.handoff),
      }),
  })

  const report_experiment_status = behaviour("report_experiment_status", {
    subject,
    moved,
    admit: ({ actor, body }, { experiment }, at) => admitReport(experiment, actor.userId, body.status, body, at),
    write(call, subject, change) {
      const { status, summary } = call.body
      return advance(call, subject, "report_experiment_status", change, {
        status,
        ...(status !== "in_progress" && { lease: null }),
        ...(summary && status !== "in_progress" && { conclusion: statement(call, change, summary) }),
      })
    },
  })

  const accept_plan = behaviour("accept_plan", {
    subject,
    moved,
    outside: ({ body }) => body.repository,
    admit({ actor, body }, { experiment }, at) {
      admitToExperiment("accept_plan", experiment, actor.userId, body, at)
      mustSealInTime(body, at)
      mustRepeatAnArm(body)
    },
    write(call, subject, change) {
      const { body } = call
      const { experimentId } = subject.experiment
      const planId = change.newId()
      const label = change.label("plan")
      plans.insert({
        ...body,
        ...madeBy(call, subject, change),
        planId,
        experimentId,
        label,
        opensAt: body.sealed?.opensAt,
      })
      const premises = body.premises.map(({ versionId }) => versionId)
      evidence.uses("plan", planId, "plan_premise", premises, change.at)
      evidence.uses("plan", planId, "plan_hypothesis", body.hypotheses, change.at)
      const { result, warnings } = advance(call, subject, "accept_plan", change, { planId })
      return { target: { id: planId, label }, targetId: experimentId, result: { ...result, planId, label }, warnings }
    },
  })

  return {
    propose_experiment,
    amend_experiment,
    cancel_experiment,
    take_experiment,
    release_experiment,
    report_experiment_status,
    accept_plan,
  }
}

// Reads of experiments, proposals and plans; and the domain of experiments.

export interface Tables {
  readonly rooms: Rooms
  readonly records: Records
  readonly experiments: Experiments
  readonly plans: Plans
  readonly materials: Materials
  readonly evidence: Evidence
  readonly reviews: Reviews
  readonly costs: CostSums
}

function experimentReads({ rooms, records, experiments, plans, materials, evidence, reviews, costs }: Tables) {
  function mustRead(experimentId: string) {
    const experiment = known("experiment", experiments.read(experimentId))
    return { ...experiment, hypotheses: records.resolve(experiment.hypotheses, experiment.roomId) }
  }

  return {
    experiments({ query }) {
      rooms.mustFitLabel(query)
      return idPage(
        query,
        (after, count) => experiments.page(query, after, count),
        ({ experimentId }) => experimentId,
      )
    },

    experiment: ({ params: { experimentId } }) => ({
      ...mustRead(experimentId),
      acceptedPlans: plans.of(experimentId),
      costs: costs.ofExperiment(experimentId),
    }),

    experiment_history({ params, query }) {
      mustRead(params.experimentId)
      const revisions = experiments.history(params.experimentId, query.after ?? 0, pageSize(query) + 1)
      return feedOf(revisions, query, ({ sequence, ...revision }) => revision)
    },

    proposal({ params }) {
      const experiment = mustRead(params.proposalId)
      return {
        proposalId: params.proposalId,
        ...picked(
          experiment,
          "experimentId",
          "label",
          "roomId",
          "threadId",
          "entryId",
          "proposer",
          "createdAt",
          "updatedAt",
        ),
        ...picked(experiment, "revision", "status", "question", "scope", "hypotheses", "suggestedProtocol"),
      }
    },

    plan({ params }) {
      const { shown, parsed, ...content } = known("plan", plans.read(params.planId))
      const premiseIds = parsed.premises.map(({ versionId }) => versionId)
      return {
        ...shown,
        ...content,
        hypotheses: records.resolve(parsed.hypotheses, shown.roomId),
        premises: records
          .resolve(premiseIds, shown.roomId)
          .map((record, index) => ({ ...record, explanation: parsed.premises[index]?.explanation ?? "" })),
        requiredMaterials: parsed.requiredMaterials.map(({ materialId, purpose }) => ({
          material: materials.summary(materialId, shown.roomId) ?? null,
          purpose,
        })),
        costs: costs.ofPlan(params.planId),
        reviews: reviews.of(params.planId),
        warnings: evidence.doubtsAmong(
          [...parsed.hypotheses, ...premiseIds],
          shown.roomId,
          plans.foundation(params.planId)?.position ?? 0,
        ),
      }
    },
  } satisfies Partial<Readers>
}

export const domain = {
  tables: [
    ({ db, basePath, now }: Ground) => ({
      experiments: experiments(db, basePath, now),
      holders: holders(db),
      costs: costSums(db),
      plans: plans(db, now),
    }),
  ],
  operations: [experimentOperations],
  reads: [experimentReads],
  brief: [experimentsInBrief],
  exported: [exportedExperiments],
} satisfies Domain
