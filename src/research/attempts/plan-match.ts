/** Compares a registration with its plan: at registration, and again when a sealed plan is opened. */
import type { AttemptSummary } from "../../contract/answers/work.ts"
import { canonicalJson } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { PlanContent } from "../experiments/plans.ts"

/** The parts of a registration that are compared. */
export type Registered = Pick<BodyOf<"register_attempt">, "repository" | "argv" | "configuration"> & {
  readonly inputs: readonly { readonly materialId: string }[]
}
export type PlanMatch = NonNullable<AttemptSummary["planMatch"]>
type Deviations = PlanMatch["deviations"]

const same = (one: unknown, other: unknown) => canonicalJson(one ?? null) === canonicalJson(other ?? null)

const departing = (departs: boolean, field: string, planned: unknown, registered: unknown): Deviations =>
  departs ? [{ field, planned, registered }] : []

const configurationDeviations = (
  planned: Registered["configuration"],
  registered: Registered["configuration"],
): Deviations =>
  Object.keys(planned)
    .filter((name) => !Object.hasOwn(registered, name) || !same(planned[name], registered[name]))
    .map((name) => ({
      field: `configuration/${name}`,
      planned: planned[name] ?? null,
      registered: registered[name] ?? null,
    }))

/** Normalises the address of a repository. */
export const addressOf = ({ url }: { readonly url: string }): string => url.toLowerCase().replace(/\.git$/, "")

/** Compares a registration with its plan, including arms; with a sealed plan, only with what it shows. */
export function planMatch(planId: string, plan: PlanContent, registered: Registered): PlanMatch {
  const { entrypoint, arms = [], configuration = {} } = plan.protocol ?? {}
  const argvMatches = entrypoint !== undefined && same(entrypoint.argv, registered.argv)
  const argvComparedWith = argvMatches
    ? "entrypoint"
    : (arms.find(({ argv }) => same(argv, registered.argv))?.name ?? null)
  const namesArgv = entrypoint !== undefined || arms.length > 0
  const argvMatchesPlan = namesArgv ? argvComparedWith !== null : null

  const [pinned, run] = [plan.repository, registered.repository]
  const urlMatches = addressOf(pinned) === addressOf(run)
  const commitMatches = pinned.commit === run.commit
  const inputs = new Set(registered.inputs.map(({ materialId }) => materialId))
  const missing = plan.requiredMaterials.filter(({ materialId }) => !inputs.has(materialId))

  const deviations: Deviations = [
    ...departing(!urlMatches, "repository/url", pinned.url, run.url),
    ...departing(!commitMatches, "repository/commit", pinned.commit, run.commit),
    ...departing(argvMatchesPlan === false, "argv", entrypoint?.argv ?? arms.map(({ argv }) => argv), registered.argv),
    ...missing.map(({ materialId }) => ({ field: "inputs", planned: materialId, registered: null })),
    ...configurationDeviations(configuration, registered.configuration),
  ]
  return {
    planId,
    repositoryMatchesPlan: urlMatches,
    commitMatchesPlan: urlMatches && commitMatches,
    argvMatchesPlan,
    argvComparedWith,
    argvMatches,
    materialsMatchPlan: missing.length === 0,
    deviations,
  }
}
