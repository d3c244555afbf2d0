/** Compares a registration with its plan: at registration, and again when a sealed plan is opened. */
import { addressOf } from "../../contract/definitions/work.ts"
import type { AttemptSummary } from "../../contract/answers/attempts.ts"
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

const sameArgv = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((word, index) => word === other[index])

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

type Arms = NonNullable<PlanMatch["arms"]>

/** The words of a command: lists apart at their commas, and an option by its name without a final "s". */
const wordsOf = (argv: readonly string[]): string[] =>
  argv
    .flatMap((each) => each.split(/[=,]/))
    .filter((each) => each !== "")
    .map((each) => (each.startsWith("-") ? each.toLowerCase().replace(/s$/, "") : each))

type PlannedArms = readonly { readonly name: string; readonly argv: readonly string[] }[]

/** The words of each arm, those of its own, and those that every arm has. */
function readArms(planned: PlannedArms) {
  const arms = planned.map(({ name, argv }) => ({ name, words: wordsOf(argv) }))
  const sets = arms.map(({ words }) => new Set(words))
  const common = new Set((arms[0]?.words ?? []).filter((word) => sets.every((words) => words.has(word))))
  return { common, arms: arms.map((arm) => ({ ...arm, own: arm.words.filter((word) => !common.has(word)) })) }
}
/** A plan that is opened is compared with all its attempts. */
const alreadyRead = new WeakMap<PlannedArms, ReturnType<typeof readArms>>()

/**
 * Compares one run of several arms with the arms that it covers: those whose own words, which not every arm has, it
 * names. Undefined if it covers fewer than two.
 */
function armsOf(planned: PlannedArms, argv: readonly string[]) {
  const { arms, common } = alreadyRead.getOrInsertComputed(planned, () => readArms(planned))
  const run = new Set(wordsOf(argv))
  const isCovered = ({ own }: (typeof arms)[number]) => own.length > 0 && own.every((word) => run.has(word))
  const covered = arms.filter(isCovered)
  const missing = arms.filter((arm) => !isCovered(arm))
  if (covered.length < 2) return undefined
  const known = new Set(covered.flatMap(({ words }) => words))
  const found: Arms = {
    covers: covered.map(({ name }) => name),
    missing: missing.map(({ name }) => name),
    added: [...run].filter((word) => !known.has(word)),
  }
  return { arms: found, isWhole: run.isSupersetOf(common) && found.added.length === 0 }
}

/** Compares a registration with its plan, including arms; with a sealed plan, only with what it shows. */
export function planMatch(planId: string, plan: PlanContent, registered: Registered): PlanMatch {
  const { entrypoint, arms = [], configuration = {} } = plan.protocol ?? {}
  const argvMatches = entrypoint !== undefined && sameArgv(entrypoint.argv, registered.argv)
  const argvComparedWith = argvMatches
    ? "entrypoint"
    : (arms.find(({ argv }) => sameArgv(argv, registered.argv))?.name ?? null)
  const namesArgv = entrypoint !== undefined || arms.length > 0
  const several = argvComparedWith === null ? armsOf(arms, registered.argv) : undefined
  const argvMatchesPlan = namesArgv ? argvComparedWith !== null || several?.isWhole === true : null

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
    argvComparedWith: argvComparedWith ?? several?.arms.covers.join(", ") ?? null,
    argvMatches,
    materialsMatchPlan: missing.length === 0,
    ...(several && { arms: several.arms }),
    deviations,
  }
}
