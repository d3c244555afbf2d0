/** How the effect of a reproduction compares with the effect that it repeats: in a word, in a sentence, and as what it counts for. */
import type { EffectAgreement, ReproductionVerdict } from "../../contract/schema/enumerations.ts"
import { figure, interval } from "./figures.ts"

/** As much of an effect as is compared. */
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

const holds = ({ low, high }: Estimated, value: number): boolean => low !== null && high !== null && low <= value && value <= high

/** The same difference the other way round. */
export const reversed = <E extends Estimated>(effect: E): E => ({
  ...effect,
  estimate: -effect.estimate,
  low: effect.high === null ? null : -effect.high,
  high: effect.low === null ? null : -effect.low,
})

function agreementOf(own: Estimated, first: Estimated): EffectAgreement {
  if (holds(own, first.estimate)) return "holds_estimate"
  return Math.sign(own.estimate) === Math.sign(first.estimate) ? "sign_agrees" : "neither"
}

/** Whether an interval is so wide that it holds zero too, where the first one did not: then it tells little. */
const tellsLittle = (own: Estimated, first: Estimated): boolean => holds(own, first.estimate) && holds(own, 0) && !holds(first, 0)

/**
 * Compares an effect with the one that it repeats.
 * @param label of the finding that has the first one
 */
export function compared(own: Estimated, first: Estimated, label: string): Comparison {
  const agreement = agreementOf(own, first)
  const [estimate, firstly] = [figure(own.estimate, own.se), `${figure(first.estimate, first.se)} (${label})`]
  const between = own.low === null ? "no spread known" : `95 % ${interval(own.low, own.high, own.se)}`
  const sentences = {
    holds_estimate: `The interval of ${estimate}, ${between}, holds the first estimate, ${firstly}${tellsLittle(own, first) ? ", and zero too: it tells little" : ""}.`,
    sign_agrees: `The sign of ${estimate}, ${between}, agrees with the first estimate, ${firstly}; its interval does not hold it.`,
    neither: `Neither the interval nor the sign of ${estimate}, ${between}, agrees with the first estimate, ${firstly}.`,
  }
  return { agreement, sentence: sentences[agreement] }
}

/** What an effect counts for as a reproduction of another. */
export function verdictOf(own: Estimated, first: Estimated): ReproductionVerdict {
  if (tellsLittle(own, first)) return "inconclusive"
  const verdicts = { holds_estimate: "reproduces", sign_agrees: "partly_reproduces", neither: "does_not_reproduce" } as const
  return verdicts[agreementOf(own, first)]
}

/** What several effects that repeat effects of one finding count for together; undefined for none. */
export function verdictOfAll(verdicts: readonly ReproductionVerdict[]): ReproductionVerdict | undefined {
  const telling = verdicts.filter((verdict) => verdict !== "inconclusive")
  if (telling.length === 0) return verdicts[0]
  return telling.every((verdict) => verdict === telling[0]) ? telling[0] : "partly_reproduces"
}
