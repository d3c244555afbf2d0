/** What the form of a finding holds before anybody wrote in it: all that its experiment and its attempts tell already. */
import { orNull, type Visit } from "../../visit.ts"
import { counted } from "../../words.ts"

const EXECUTION = "/provenance/execution"
/** Contrasts that are proposed; others can be added. */
const MOST = 3

/** What the group is called that others are compared with. */
const isBaseline = (value: unknown): boolean =>
  ["baseline", "base", "control", "none", "plain", "default"].includes(String(value).toLowerCase())

interface Begun {
  readonly effects: readonly object[]
  readonly baselineAttemptIds: readonly string[]
}

/** Contrasts with the baseline of the first metric that has one, for the groups that some attempts measured, and whose attempts the baseline is. */
function contrasts(visit: Visit, experimentId: string, attemptIds: readonly string[]): Begun | null {
  const { metrics } = visit.ask("experiment_measurements", { experimentId })
  for (const { metric, split, dimensions } of metrics) {
    const found = dimensions.find(({ values }) => values.length > 1 && values.some(isBaseline))
    if (found === undefined) continue
    const { dimension } = found
    const over = dimensions.find((each) => each.dimension === "seed")?.dimension
    const { groups } = visit.ask("experiment_measurements", { experimentId }, { metric, split: split ?? undefined, by: dimension })
    const isNamed = ({ attempts }: (typeof groups)[number]) => attempts.some(({ attemptId }) => attemptIds.includes(attemptId))
    const base = groups.find(({ key }) => isBaseline(key[dimension]))
    const others = groups.filter((group) => group !== base && isNamed(group)).slice(0, MOST)
    if (base === undefined || others.length === 0) continue
    const effects = others.map(({ key }) => ({ metric, split, of: key, against: base.key, over }))
    return { effects, baselineAttemptIds: isNamed(base) ? [] : base.attempts.map(({ attemptId }) => attemptId) }
  }
  return null
}

/** Of a finding about an experiment: where it holds, the numbers it may rest on, and the hypotheses it may speak of. */
export function beginFinding(visit: Visit, draft: URLSearchParams) {
  const begun = { retrospective: false }
  const experimentId = draft.get(`${EXECUTION}/experimentId`)
  const experiment = experimentId === null ? null : orNull(() => visit.ask("experiment", { experimentId }))
  if (experiment === null) return begun
  const found = orNull(() => contrasts(visit, experiment.experimentId, draft.getAll(`${EXECUTION}/attemptIds`)))
  const says = { towardHypothesis: experiment.hypotheses.map(({ versionId }) => ({ versionId })) }
  return {
    ...begun,
    scope: experiment.scope,
    ...(found && { effects: found.effects, provenance: { execution: { baselineAttemptIds: found.baselineAttemptIds } } }),
    ...(says.towardHypothesis.length > 0 && { says }),
  }
}

/** "error of arm: shift − arm: baseline": the differences that a draft names. */
export const effectsIn = (draft: URLSearchParams): string =>
  [...draft]
    .filter(([name, metric]) => /^\/effects\/\d+\/metric$/.test(name) && metric !== "")
    .map(([name, metric]) => {
      const [of = "", against = "", where = ""] = ["of", "against", "where"].map(
        (part) => draft.get(name.replace(/metric$/, part))?.replaceAll("\n", ", ") ?? "",
      )
      return `${metric} of ${of} − ${against}${where === "" ? "" : ` at ${where}`}`
    })
    .join("; ")

/** How many attempts a draft compares its own with. */
export const comparedIn = (draft: URLSearchParams): string => {
  const count = draft.getAll(`${EXECUTION}/baselineAttemptIds`).filter((id) => id !== "").length
  return count === 0 ? "" : `compared with ${counted(count, "attempt")}`
}
