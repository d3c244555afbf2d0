/** Reads of experiments, proposals and plans; and the domain of experiments. */
import { picked } from "../../contract/typed.ts"
import { known } from "../../contract/objects/no-such.ts"
import { feedOf, idPage, pageSize } from "../../ledger/lists/paging.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Evidence } from "../evidence/evidence.ts"
import type { Materials } from "../materials/materials.ts"
import type { Records } from "../records/records.ts"
import { type Experiments, experiments } from "./experiments.ts"
import { type CostSums, costSums, type Plans, plans } from "./plans.ts"
import type { Reviews } from "../reviews/reviews.ts"
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import { holders } from "./holders.ts"
import { experimentOperations } from "./operations.ts"

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
} satisfies Domain
