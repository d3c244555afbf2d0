/** Renders effects in one line, for tables of hypotheses and cards of findings. */
import type { GatheredContrast, GatheredEstimate } from "../../contract/answers/gathered.ts"
import type { EffectAnswer } from "../../contract/answers/measurements.ts"
import { figure, interval } from "../../research/measurements/figures.ts"
import { contrastInWords } from "../../research/measurements/in-words.ts"
import { type Html, html } from "../html.ts"

type Estimate = Pick<GatheredEstimate, "estimate" | "low" | "high" | "se">

/** A number with its interval: "−3.69, −3.91 to −3.47". */
export const withInterval = ({ estimate, low, high, se }: Estimate): Html =>
  html`<span class="effect">\
<strong>${figure(estimate, se)}</strong> \
${
  low === null
    ? html`<span class="quiet">no spread known</span>`
    : html`<span class="quiet">${interval(low, high, se)}</span>`
}</span>`

const inLine = (what: string, estimate: Estimate, of: string, n: number): Html =>
  html`<span title="${what}">${withInterval(estimate)}</span><br> <span class="meta">${of}, n ${n}</span>`

/** Renders the effects toward a record in one line: the pooled estimate, or the newest one if they cannot be pooled. */
export function effectToward(contrasts: readonly GatheredContrast[]): Html | null {
  const [first] = contrasts
  const newest = first?.estimates.at(-1)
  if (first === undefined || newest === undefined) return null
  const { what, pooled, estimates } = first
  return pooled === null
    ? inLine(what, newest, newest.label, newest.n)
    : inLine(
        what,
        pooled,
        `${pooled.k} pooled`,
        estimates.reduce((sum, { n, isPooled }) => sum + (isPooled ? n : 0), 0),
      )
}

/** Renders the first effect of a finding in one line. @returns null if there is none, or it has no estimate any more */
export function effectOfFinding([effect]: readonly EffectAnswer[]): Html | null {
  if (effect === undefined || effect.estimate === null) return null
  const { estimate, low, high, se, pairs, ofCount, againstCount } = effect
  return inLine(
    contrastInWords(effect),
    { estimate, low, high, se },
    "its effect",
    pairs ?? Math.min(ofCount ?? 0, againstCount ?? 0),
  )
}
