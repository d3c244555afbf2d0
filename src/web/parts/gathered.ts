/** Renders effects in one line, for cards of findings. */
import type { GatheredEstimate } from "../../contract/answers/gathered.ts"
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

/** Renders the first effect of a finding in one line. @returns null if there is none, or it has no estimate any more */
export function effectOfFinding([effect]: readonly EffectAnswer[]): Html | null {
  if (effect === undefined || effect.estimate === null) return null
  const { estimate, low, high, se, pairs, ofCount, againstCount } = effect
  const n = pairs ?? Math.min(ofCount ?? 0, againstCount ?? 0)
  return html`<span title="${contrastInWords(effect)}, n ${n}">${withInterval({ estimate, low, high, se })}</span>`
}
