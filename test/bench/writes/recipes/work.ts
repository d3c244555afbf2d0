/** Writes of experiments, plans, attempts and materials. Most change the state of their object, so each has its own. */
import { inTurn, times } from "../../data/house.ts"
import { material, newReference, planned, proposal, registration, some, started, taken } from "../../data/targets.ts"
import type { Recipes } from "../recipes.ts"

const open = { expectedRevision: 1, expectedStatus: "open" } as const
const claimed = { expectedRevision: 2, expectedStatus: "claimed" } as const

export const work: Recipes<
  | "propose_experiment"
  | "amend_experiment"
  | "cancel_experiment"
  | "take_experiment"
  | "release_experiment"
  | "report_experiment_status"
  | "accept_plan"
  | "register_attempt"
  | "report_attempt_event"
  | "register_material"
  | "report_material_location"
> = {
  propose_experiment: ({ here }, count) => times(count, () => ({ said: { ...here, hypotheses: [] } })),
  amend_experiment: (house, count) =>
    times(count, () => ({ said: { experimentId: proposal(house), ...open, hypotheses: undefined } })),
  cancel_experiment: (house, count) => times(count, () => ({ said: { experimentId: proposal(house), ...open } })),
  take_experiment: (house, count) => times(count, () => ({ said: { experimentId: proposal(house), ...open } })),
  release_experiment: (house, count) => times(count, () => ({ said: { experimentId: taken(house), ...claimed } })),
  report_experiment_status: (house, count) =>
    times(count, () => ({ said: { experimentId: taken(house), ...claimed } })),
  accept_plan: (house, count) =>
    times(count, () => ({ said: { experimentId: taken(house), ...claimed, repository: house.pin, hypotheses: [] } })),
  register_attempt(house, count) {
    const plans = some(() => planned(house))
    return times(count, (index) => ({ said: registration(house, inTurn(plans, index)) }))
  },
  report_attempt_event(house, count) {
    const plans = some(() => planned(house))
    return times(count, (index) => ({ said: { attemptId: started(house, inTurn(plans, index)) } }))
  },
  register_material: ({ here }, count) => times(count, () => ({ said: { ...here, reference: newReference() } })),
  report_material_location: (house, count) => times(count, () => ({ said: { materialId: material(house) } })),
}
