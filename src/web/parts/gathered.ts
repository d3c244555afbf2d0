/** Effects that findings rest on, gathered by the record they speak of: for forest plots and the tables of beliefs. */
import type { EffectAnswer } from "../../contract/answers/measurements.ts"
import type { EvidenceItem } from "../../contract/answers/evidence.ts"
import { contrastInWords } from "../../research/measurements/in-words.ts"
import { figure, interval } from "../../research/measurements/figures.ts"
import { type Pooled, pooled } from "../../research/measurements/statistics.ts"
import { type Html, html } from "../html.ts"
import type { Visit } from "../visit.ts"

/** One estimate of a contrast, as a finding rests on it. */
export interface Estimate {
  readonly estimate: number
  readonly low: number | null
  readonly high: number | null
  readonly se: number | null
  /** Pairs, or the values on the smaller side. */
  readonly n: number
  /** The finding: its label and id. */
  readonly label: string
  readonly versionId: string
  readonly who: string
  readonly agent: string | null
  /** Whether other code than the record's own ran; null where it cannot be told. */
  readonly code: boolean | null
  readonly isStale: boolean
}

/** The estimates of one contrast, the oldest first, and what they come to together once there are three. */
export interface Contrast {
  /** "error of shift − baseline at labels 50" */
  readonly what: string
  readonly estimates: readonly Estimate[]
  readonly pooled: Pooled | undefined
}

/** An effect's figures as a finding's row; undefined where nothing is left of them. */
function estimateOf(effect: EffectAnswer, { by, author, independence }: EvidenceItem): Estimate | undefined {
  const { estimate, low, high, se, pairs, ofCount, againstCount, isStale } = effect
  if (estimate === null) return undefined
  return {
    ...{ estimate, low, high, se, isStale },
    n: pairs ?? Math.min(ofCount ?? 0, againstCount ?? 0),
    label: by.label ?? "",
    versionId: by.id,
    who: author.username,
    agent: author.agent,
    code: independence.code,
  }
}

/** The contrasts of the findings that count toward a record, the one with the most estimates first. */
export function contrastsOf(visit: Visit, pieces: readonly EvidenceItem[]): Contrast[] {
  const found = pieces
    .filter(({ standing, by }) => standing === "counted" && by.kind === "finding")
    .flatMap((piece) =>
      visit.tables.effects.of(piece.by.id).flatMap((effect) => {
        const estimate = estimateOf(effect, piece)
        return estimate === undefined ? [] : [{ what: contrastInWords(effect), estimate }]
      }),
    )
  return [...Map.groupBy(found, ({ what }) => what)]
    .map(([what, same]) => {
      // Evidence comes newest first; a plot is read from the first word on.
      const estimates = same.map(({ estimate }) => estimate).toReversed()
      return { what, estimates, pooled: pooled(estimates.flatMap(({ estimate, se }) => (se === null ? [] : [{ estimate, se }]))) }
    })
    .toSorted((one, other) => other.estimates.length - one.estimates.length)
}

/** A number with its interval: "−3.69, −3.91 to −3.47". */
export const withInterval = ({ estimate, low, high, se }: Pick<Estimate, "estimate" | "low" | "high" | "se">): Html =>
  html`<span class="effect"><strong>${figure(estimate, se)}</strong> ${low === null ? html`<span class="quiet">no spread known</span>` : html`<span class="quiet">${interval(low, high, se)}</span>`}</span>`

/** What the effects toward a record come to in a line: pooled where that can be, else the newest estimate. */
export function effectToward(contrasts: readonly Contrast[]): Html | null {
  const [first] = contrasts
  const newest = first?.estimates.at(-1)
  if (first === undefined || newest === undefined) return null
  const of = first.pooled === undefined ? newest.label : `${first.pooled.k} pooled`
  return html`<span title="${first.what}">${withInterval(first.pooled ?? newest)}</span><br><span class="meta">${of}, n ${first.pooled === undefined ? newest.n : first.estimates.reduce((sum, { n }) => sum + n, 0)}</span>`
}
