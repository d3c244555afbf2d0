/** Reads of experiments, proposals and plans. */
import { Refusal } from "../../contract/refusals.ts"
import { feedPage, keysetPage, pageSize, uuidCursor } from "../../ledger/paging.ts"
import type { Readers } from "../../ledger/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Evidence } from "../evidence/evidence.ts"
import type { Materials } from "../materials/materials.ts"
import type { Records } from "../records/records.ts"
import type { Experiments } from "./experiments.ts"
import type { Plans } from "./plans.ts"

interface Parts {
  readonly rooms: Rooms
  readonly records: Records
  readonly experiments: Experiments
  readonly plans: Plans
  readonly materials: Materials
  readonly evidence: Evidence
}

export function experimentReads({ rooms, records, experiments, plans, materials, evidence }: Parts) {
  /** @throws Refusal 404 */
  function mustRead(experimentId: string | undefined) {
    const experiment = experiments.read(experimentId as string)
    if (experiment === undefined) throw new Refusal("unknown_experiment", "There is no such experiment.")
    const { hypothesisIds, ...shown } = experiment
    return { ...shown, hypotheses: records.resolve(hypothesisIds) }
  }

  return {
    experiments({ query }) {
      rooms.mustFitLabel(query)
      return keysetPage(
        experiments.page(query, uuidCursor(query.after), pageSize(query) + 1),
        query,
        (experiment) => experiment,
        ({ experimentId }) => experimentId,
      )
    },

    experiment: ({ params }) => ({ ...mustRead(params.experimentId), acceptedPlans: plans.of(params.experimentId as string) }),

    experiment_history({ params, query }) {
      mustRead(params.experimentId)
      return feedPage(
        experiments.history(params.experimentId as string, query.after ?? 0, pageSize(query) + 1),
        query,
        ({ sequence: _same, ...revision }) => revision,
      )
    },

    proposal({ params }) {
      const {
        experimentId,
        label,
        roomId,
        threadId,
        entryId,
        proposer,
        createdAt,
        updatedAt,
        revision,
        status,
        question,
        scope,
        hypotheses,
        suggestedProtocol,
      } = mustRead(params.proposalId)
      return {
        proposalId: experimentId,
        experimentId,
        label,
        roomId,
        threadId,
        entryId,
        proposer,
        createdAt,
        updatedAt,
        revision,
        status,
        question,
        scope,
        hypotheses,
        suggestedProtocol,
      }
    },

    plan({ params }) {
      const plan = plans.read(params.planId as string)
      if (plan === undefined) throw new Refusal("unknown_plan", "There is no such plan.")
      const { shown, content, parsed } = plan
      return {
        ...shown,
        content,
        hypotheses: records.resolve(parsed.hypotheses),
        premises: records
          .resolve(parsed.premises.map(({ versionId }) => versionId))
          .map((record, index) => ({ ...record, explanation: parsed.premises[index]?.explanation ?? "" })),
        requiredMaterials: parsed.requiredMaterials.map(({ materialId, purpose }) => ({
          material: materials.summary(materialId, shown.roomId) ?? null,
          purpose,
        })),
        warnings: evidence.doubtsAmong([...parsed.hypotheses, ...parsed.premises.map(({ versionId }) => versionId)], shown.roomId),
      }
    },
  } satisfies Partial<Readers>
}
