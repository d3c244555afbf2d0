/** Effects: differences of measured values that a finding rests its numbers on, worked out here from the attempts it names. */
import { canonicalJson, parse, type Stored } from "../../contract/json.ts"
import type { EffectAnswer } from "../../contract/answers/measurements.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { type Cell, type Dimensions, textOf } from "./cells.ts"
import { figure, interval } from "./figures.ts"
import { type Contrast, differenceOf, pointsOf } from "./table.ts"
import type { Values } from "./values.ts"

type Effect = NonNullable<BodyOf<"publish_finding">["effects"]>[number]
/** What an effect comes to. */
type Figures = Pick<EffectAnswer, "method" | "estimate" | "se" | "low" | "high" | "p" | "pairs" | "ofCount" | "againstCount">

interface Row {
  readonly effect: Stored<Effect>
  readonly figures: Stored<Figures>
  readonly experimentLabel: string
  readonly attemptIds: string
}

/** Whether a cell stands at a place. */
const standsAt = ({ dimensions }: Cell, place: Dimensions): boolean =>
  Object.entries(place).every(([name, value]) => textOf(dimensions[name] ?? "") === textOf(value))

/** The dimensions of a place in words: `smoothing, labels 400`. */
const worded = (place: Dimensions): string =>
  Object.entries(place)
    .map(([name, value]) => (name === "arm" ? textOf(value) : `${name} ${textOf(value)}`))
    .join(", ")

/** An effect in one sentence: `error of smoothing − baseline at labels 400: −1.15, 95 % −1.72 to −0.58, 10 pairs`. */
export function effectInWords({ metric, split, of, against, where = {} }: Effect, { estimate, se, low, high, pairs }: Figures): string {
  const at = Object.keys(where).length === 0 ? "" : ` at ${worded(where)}`
  const sure = low === null ? "no spread known" : `95 % ${interval(low, high, se)}`
  const paired = pairs === null ? "unpaired" : `${pairs} pairs`
  return `${metric}${split === undefined ? "" : ` (${split})`} of ${worded(of)} − ${worded(against)}${at}: ${figure(estimate, se)}, ${sure}, ${paired}`
}

/** Whether two figures say the same: a value without a partner changes no paired difference. */
const isSame = (one: Figures, other: Figures): boolean =>
  one.estimate === other.estimate && one.low === other.low && one.high === other.high && one.pairs === other.pairs

export type Effects = ReturnType<typeof effects>

export function effects(db: Db, values: Values) {
  const insert = db.prepare(
    "INSERT INTO finding_effects (version_id, position, experiment_id, metric, effect, figures) VALUES (?, ?, ?, ?, ?, ?)",
  )
  const ofFinding = db.prepare<Row>(
    `SELECT f.effect, f.figures, e.label AS experimentLabel,
       (SELECT json_group_array(t.attempt_id) FROM finding_attempts t WHERE t.version_id = f.version_id AND t.role <> 'evidence') AS attemptIds
     FROM finding_effects f JOIN experiments e ON e.experiment_id = f.experiment_id WHERE f.version_id = ? ORDER BY f.position`,
  )

  /**
   * Works an effect out from succeeded attempts.
   * @returns what cannot be worked out, as the member of the effect and a sentence
   */
  function workedOut(effect: Effect, attemptIds: readonly string[]): Figures | { readonly at: keyof Effect; readonly message: string } {
    const { metric, split = "", of, against, over, where = {} } = effect
    const attempts = values.attempts({ attemptIds }).filter(({ status }) => status === "succeeded")
    const names = [...new Set([...Object.keys(of), ...Object.keys(against), ...Object.keys(where), ...(over === undefined ? [] : [over])])]
    const cells = values.cells(attempts, metric, split, names)
    if (cells.length === 0) return { at: "metric", message: "is not reported by any succeeded attempt that the finding names" }
    const here = cells.filter((cell) => standsAt(cell, where))
    if (here.length === 0) return { at: "where", message: "names a place where no value stands" }
    const groupOf = (place: Dimensions) =>
      pointsOf(
        here.filter((cell) => standsAt(cell, place)),
        over,
      )
    const [one, other] = [groupOf(of), groupOf(against)]
    if (one.length === 0) return { at: "of", message: "names a group without a finite value" }
    if (other.length === 0) return { at: "against", message: "names a group without a finite value" }
    const difference: Omit<Contrast, "corrected"> | null = differenceOf(one, other)
    if (difference === null) return { at: "of", message: "cannot be compared" }
    const { method, estimate, se, low, high, p, pairs } = difference
    return { method, estimate, se, low, high, p, pairs, ofCount: one.length, againstCount: other.length }
  }

  return {
    /** What of the effects of a finding cannot be worked out, each at its place in the body. */
    faults: (asked: readonly Effect[], attemptIds: readonly string[]): { path: string; message: string }[] =>
      asked.flatMap((effect, position) => {
        const found = workedOut(effect, attemptIds)
        return "message" in found ? [{ path: `/effects/${position}/${found.at}`, message: found.message }] : []
      }),

    /** Keeps the effects of a finding as they are when it lands. */
    insert(versionId: string, asked: readonly Effect[], attemptIds: readonly string[]): void {
      asked.forEach((effect, position) => {
        const found = workedOut(effect, attemptIds)
        // In a replay: what it was worked out from was withheld since.
        if ("message" in found) return
        insert.run(versionId, position, effect.experimentId, effect.metric, canonicalJson(effect), canonicalJson(found))
      })
    },

    /** The effects of a finding as they were, and as they would be now where that differs. */
    of: (versionId: string): EffectAnswer[] =>
      ofFinding.all(versionId).map(({ effect: text, figures: kept, experimentLabel, attemptIds }) => {
        const effect = parse(text)
        const figures = parse(kept)
        const now = workedOut(effect, JSON.parse(attemptIds))
        const isStale = "message" in now || !isSame(now, figures)
        return {
          ...effect,
          split: effect.split ?? null,
          over: effect.over ?? null,
          where: effect.where ?? {},
          experimentLabel,
          ...figures,
          sentence: effectInWords(effect, figures),
          isStale,
          now: isStale && !("message" in now) ? { ...now, sentence: effectInWords(effect, now) } : null,
        }
      }),
  }
}
