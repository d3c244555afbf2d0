/** Fills in the form of a finding from its experiment and attempts. */
import { orNull, type Visit } from "../../visit.ts"
import { counted } from "../../words.ts"

const EXECUTION = "/provenance/execution"
/** How many contrasts are proposed. Others can be added. */
const MOST = 3

/** Whether a group's name is one that people give to the baseline. */
const isBaseline = (value: unknown): boolean =>
  ["baseline", "base", "control", "none", "plain", "default"].includes(String(value).toLowerCase())

/**
 * Compares the groups that these attempts measured with the baseline, by the first metric that has one. Also returns
 * the baseline's attempts.
 */
function contrasts(visit: Visit, experimentId: string, attemptIds: readonly string[]) {
  const { metrics } = visit.ask("experiment_measurements", { experimentId })
  for (const { metric, split, dimensions } of metrics) {
    const found = dimensions.find(({ values }) => values.length > 1 && values.some(isBaseline))
    if (found === undefined) continue
    const { dimension } = found
    const over = dimensions.find((each) => each.dimension === "seed")?.dimension
    const { groups } = visit.ask(
      "experiment_measurements",
      { experimentId },
      { metric, split: split ?? undefined, by: dimension },
    )
    const isNamed = ({ attempts }: (typeof groups)[number]) =>
      attempts.some(({ attemptId }) => attemptIds.includes(attemptId))
    const base = groups.find(({ key }) => isBaseline(key[dimension]))
    const others = groups.filter((group) => group !== base && isNamed(group)).slice(0, MOST)
    if (base === undefined || others.length === 0) continue
    const effects = others.map(({ key }) => ({ metric, split, of: key, against: base.key, over }))
    return { effects, baselineAttemptIds: isNamed(base) ? [] : base.attempts.map(({ attemptId }) => attemptId) }
  }
  return null
}

/** Returns the initial values of a finding: its scope, effects and hypotheses, if its experiment is known. */
export function beginFinding(visit: Visit, draft: URLSearchParams) {
  const initial = { retrospective: false }
  const experimentId = draft.get(`${EXECUTION}/experimentId`)
  const experiment = experimentId === null ? null : orNull(() => visit.ask("experiment", { experimentId }))
  if (experiment === null) return initial
  const found = orNull(() => contrasts(visit, experiment.experimentId, draft.getAll(`${EXECUTION}/attemptIds`)))
  const says = { towardHypothesis: experiment.hypotheses.map(({ versionId }) => ({ versionId })) }
  return {
    ...initial,
    scope: experiment.scope,
    ...(found && {
      effects: found.effects,
      provenance: { execution: { baselineAttemptIds: found.baselineAttemptIds } },
    }),
    ...(says.towardHypothesis.length > 0 && { says }),
  }
}

/** Describes the differences of a draft: "error of arm: shift − arm: baseline". */
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

/** Describes how many attempts a draft compares its own with: "compared with 3 attempts". */
export const comparedIn = (draft: URLSearchParams): string => {
  const count = draft.getAll(`${EXECUTION}/baselineAttemptIds`).filter((id) => id !== "").length
  return count === 0 ? "" : `compared with ${counted(count, "attempt")}`
}
