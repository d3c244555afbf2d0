/** Compares a registration with its plan: at registration, and again when a sealed plan is opened. */
import { canonicalJson, type Json } from "../../contract/json.ts"
import type { PlanContent } from "../experiments/plans.ts"

/** The parts of a registration that are compared. */
export interface Registered {
  readonly repository: { readonly url: string; readonly commit: string }
  readonly argv: readonly string[]
  readonly configuration: Readonly<Record<string, unknown>>
  readonly inputs: readonly { readonly materialId: string }[]
}

/** One departure from the plan. */
export interface Deviation {
  readonly field: string
  readonly planned: Json
  readonly registered: Json
}

export interface PlanMatch {
  readonly planId: string
  /** Whether the repositories are the same, ignoring `.git` at the end of the address. */
  readonly repositoryMatchesPlan: boolean
  /** Whether both the repository and the commit are the same. */
  readonly commitMatchesPlan: boolean
  /** Whether the command line is that of the entry point or of an arm; null if the plan names neither. */
  readonly argvMatchesPlan: boolean | null
  /** `entrypoint`, an arm's name, or null if nothing matched. */
  readonly argvComparedWith: string | null
  /** Whether the command line is that of the entry point; false for every arm. */
  readonly argvMatches: boolean
  readonly materialsMatchPlan: boolean
  readonly deviations: Deviation[]
}

const same = (one: unknown, other: unknown) => canonicalJson(one ?? null) === canonicalJson(other ?? null)
const json = (value: unknown) => (value ?? null) as Json

function configurationDeviations(planned: Registered["configuration"], registered: Registered["configuration"]): Deviation[] {
  return Object.keys(planned)
    .filter((name) => !Object.hasOwn(registered, name) || !same(planned[name], registered[name]))
    .map((name) => ({ field: `configuration/${name}`, planned: json(planned[name]), registered: json(registered[name]) }))
}

/** Normalises the address of a repository. */
const addressOf = ({ url }: Registered["repository"]) => url.toLowerCase().replace(/\.git$/, "")

/** Compares a registration with its plan, including arms; with a sealed plan, only with what it shows. */
export function planMatch(planId: string, plan: PlanContent, registered: Registered): PlanMatch {
  const { entrypoint, arms = [], configuration = {} } = plan.protocol ?? {}
  const argvMatches = entrypoint !== undefined && same(entrypoint.argv, registered.argv)
  const argvComparedWith = argvMatches ? "entrypoint" : (arms.find(({ argv }) => same(argv, registered.argv))?.name ?? null)
  const namesArgv = entrypoint !== undefined || arms.length > 0
  const argvMatchesPlan = namesArgv ? argvComparedWith !== null : null

  const urlMatches = addressOf(plan.repository) === addressOf(registered.repository)
  const commitMatchesPlan = urlMatches && plan.repository.commit === registered.repository.commit
  const inputs = new Set(registered.inputs.map(({ materialId }) => materialId))
  const missing = plan.requiredMaterials.filter(({ materialId }) => !inputs.has(materialId))

  const deviations: Deviation[] = [
    ...(urlMatches ? [] : [{ field: "repository/url", planned: plan.repository.url, registered: registered.repository.url }]),
    ...(plan.repository.commit === registered.repository.commit
      ? []
      : [{ field: "repository/commit", planned: plan.repository.commit, registered: registered.repository.commit }]),
    ...(argvMatchesPlan === false
      ? [
          {
            field: "argv",
            planned: entrypoint ? [...entrypoint.argv] : arms.map(({ argv }) => [...argv]),
            registered: [...registered.argv],
          },
        ]
      : []),
    ...missing.map(({ materialId }) => ({ field: "inputs", planned: materialId, registered: null })),
    ...configurationDeviations(configuration, registered.configuration),
  ]
  return {
    planId,
    repositoryMatchesPlan: urlMatches,
    commitMatchesPlan,
    argvMatchesPlan,
    argvComparedWith,
    argvMatches,
    materialsMatchPlan: missing.length === 0,
    deviations,
  }
}
