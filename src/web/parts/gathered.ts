/** Renders effects in one line, for cards of findings. */
import type { GatheredEstimate } from "../../contract/answers/gathered.ts"
import type { EffectAnswer } from "../../contract/answers/measurements.ts"
import { figureOn, intervalOn, scaleOf } from "../../research/measurements/figures.ts"
import { contrastInWords } from "../../research/measurements/in-words.ts"
import { type Html, html } from "../html.ts"

type Estimate = Pick<GatheredEstimate, "estimate" | "low" | "high" | "se">

/** A difference with its interval and its unit: "−3.69 points, −3.91 to −3.47". */
function withInterval({ estimate, low, high, se }: Estimate, unit: string | null): Html {
  const scale = scaleOf(unit)
  const spread = low === null ? "no spread known" : intervalOn(scale, low, high, se)
  return html`<span class="effect"><strong>${figureOn(scale, estimate, se)}${scale.difference}</strong> \
<span class="quiet">${spread}</span></span>`
}

/** Renders the first effect of a finding in one line. @returns null if there is none, or it has no estimate any more */
export function effectOfFinding([effect]: readonly EffectAnswer[]): Html | null {
  if (effect === undefined || effect.estimate === null) return null
  const { estimate, low, high, se, pairs, ofCount, againstCount, unit } = effect
  const n = pairs ?? Math.min(ofCount ?? 0, againstCount ?? 0)
  return html`<span title="${contrastInWords(effect)}, n ${n}">\
${withInterval({ estimate, low, high, se }, unit)}</span>`
}
