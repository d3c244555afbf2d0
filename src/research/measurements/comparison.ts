/** Compares the effect of a reproduction with the effect that it repeats: the agreement, a sentence and the verdict. */
import type { EffectAgreement, ReproductionVerdict } from "../../contract/schema/enumerations.ts"
import { figure, interval } from "./figures.ts"

/** The numbers of an effect that are compared. */
export interface Estimated {
  readonly estimate: number
  readonly se: number | null
  readonly low: number | null
  readonly high: number | null
}

export interface Comparison {
  readonly agreement: EffectAgreement
  readonly sentence: string
}

const contains = ({ low, high }: Estimated, value: number): boolean => low !== null && high !== null && low <= value && value <= high

/** Returns the same difference with its sides swapped. */
export const reversed = <E extends Estimated>(effect: E): E => ({
  ...effect,
  estimate: -effect.estimate,
  low: effect.high === null ? null : -effect.high,
  high: effect.low === null ? null : -effect.low,
})

function agreementOf(own: Estimated, first: Estimated): EffectAgreement {
  if (contains(own, first.estimate)) return "holds_estimate"
  return Math.sign(own.estimate) === Math.sign(first.estimate) ? "sign_agrees" : "neither"
}

/** Whether an interval is too wide to tell much: it contains both the first estimate and zero, which the first interval excluded. */
const isInconclusive = (own: Estimated, first: Estimated): boolean =>
  contains(own, first.estimate) && contains(own, 0) && !contains(first, 0)

/**
 * Compares an effect with the one that it repeats.
 * @param label label of the finding with the first effect
 */
export function compared(own: Estimated, first: Estimated, label: string): Comparison {
  const agreement = agreementOf(own, first)
  const [estimate, firstly] = [figure(own.estimate, own.se), `${figure(first.estimate, first.se)} (${label})`]
  const between = own.low === null ? "no spread known" : `95 % ${interval(own.low, own.high, own.se)}`
  const sentences = {
    holds_estimate: `The interval of ${estimate}, ${between}, holds the first estimate, ${firstly}${isInconclusive(own, first) ? ", and zero too: it tells little" : ""}.`,
    sign_agrees: `The sign of ${estimate}, ${between}, agrees with the first estimate, ${firstly}; its interval does not hold it.`,
    neither: `Neither the interval nor the sign of ${estimate}, ${between}, agrees with the first estimate, ${firstly}.`,
  }
  return { agreement, sentence: sentences[agreement] }
}

/** Returns the verdict of an effect on the one that it repeats. */
export function verdictOf(own: Estimated, first: Estimated): ReproductionVerdict {
  if (isInconclusive(own, first)) return "inconclusive"
  const verdicts = { holds_estimate: "reproduces", sign_agrees: "partly_reproduces", neither: "does_not_reproduce" } as const
  return verdicts[agreementOf(own, first)]
}

/** Returns the joint verdict of several effects that repeat effects of one finding; undefined without any. */
export function verdictOfAll(verdicts: readonly ReproductionVerdict[]): ReproductionVerdict | undefined {
  const telling = verdicts.filter((verdict) => verdict !== "inconclusive")
  if (telling.length === 0) return verdicts[0]
  return telling.every((verdict) => verdict === telling[0]) ? telling[0] : "partly_reproduces"
}
