/** Writes of records and of assertions about them. */
import { inTurn, times } from "../../data/house.ts"
import { dispute, finding, findingOver, hypothesis, planned, some, succeeded } from "../../data/targets.ts"
import type { Recipe, Recipes } from "../recipes.ts"

/** An assertion on a record of its own, which it changes. */
const assertion: Recipe<"assert_correction" | "assert_dispute" | "assert_retraction"> = (house, count) =>
  times(count, () => ({ said: { targetVersionId: hypothesis(house), replacementVersionId: undefined } }))

export const records: Recipes<
  | "publish_hypothesis"
  | "publish_finding"
  | "publish_cited_claim"
  | "link_experiment_finding"
  | "assert_correction"
  | "assert_supersession"
  | "assert_dispute"
  | "assert_retraction"
  | "withdraw_link"
> = {
  publish_hypothesis(house, count) {
    const known = some(() => hypothesis(house))
    const explanation = "It rests on this."
    return times(count, (index) => ({
      said: { ...house.here, premises: [{ versionId: inTurn(known, index), explanation }], references: [] },
    }))
  },
  publish_finding(house, count) {
    const plan = planned(house)
    const attempts = some(() => succeeded(house, plan))
    return times(count, (index) => ({ said: findingOver(house, plan.experimentId, inTurn(attempts, index)) }))
  },
  publish_cited_claim: ({ here }, count) => times(count, () => ({ said: here })),
  link_experiment_finding(house, count) {
    const plan = planned(house)
    const found = some(() => {
      const attemptId = succeeded(house, plan)
      return { attemptId, findingVersionId: finding(house, plan.experimentId, attemptId) }
    })
    // A repetition would be refused: each refers to a hypothesis of its own.
    const toward = () => [
      { versionId: hypothesis(house), verdict: "supports" as const, explanation: "The predicted difference was seen." },
    ]
    return times(count, (index) => ({
      said: { experimentId: plan.experimentId, ...inTurn(found, index), towardHypothesis: toward() },
    }))
  },
  assert_correction: assertion,
  assert_supersession(house, count) {
    const replacementVersionId = hypothesis(house)
    return times(count, () => ({ said: { targetVersionId: hypothesis(house), replacementVersionId } }))
  },
  assert_dispute: assertion,
  assert_retraction: assertion,
  withdraw_link: (house, count) => times(count, () => ({ said: { linkId: dispute(house) } })),
}
