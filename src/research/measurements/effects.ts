/** Effects: differences of measured values that a finding rests its numbers on, worked out here from the attempts it names. */
import { canonicalJson, parse, type Stored } from "../../contract/json.ts"
import type { EffectAnswer } from "../../contract/answers/measurements.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import { withheldSince } from "../../ledger/journal/withheld-since.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import { type Cell, type Dimensions, textOf } from "./cells.ts"
import { figure, interval } from "./figures.ts"
import { type Contrast, differenceOf, pointsOf } from "./table.ts"
import type { Values } from "./values.ts"

type Effect = NonNullable<BodyOf<"publish_finding">["effects"]>[number]
/** What an effect comes to. */
type Figures = Omit<NonNullable<EffectAnswer["now"]>, "sentence">
/** Figures as they are kept, with the sum of the revisions that the attempts had then: no attempt moved while it is the same. */
type Kept = Figures & { readonly revisions: number }
type Fault = { readonly at: keyof Effect; readonly message: string }

/** The attempts whose values a finding may rest on. */
export interface Named {
  readonly attemptIds: readonly string[]
  readonly baselineAttemptIds: readonly string[]
}
const allOf = ({ attemptIds, baselineAttemptIds }: Named): string[] => [...new Set([...attemptIds, ...baselineAttemptIds])]

interface Row {
  readonly effect: Stored<Effect>
  /** null: nothing is left of what it was worked out from. */
  readonly figures: Stored<Kept | null>
  readonly position: number
  readonly experimentLabel: string
  readonly attemptIds: string
  readonly baselineAttemptIds: string
  readonly revisions: number
}

/** Whether a cell stands at a place. */
const standsAt = ({ dimensions }: Cell, place: Dimensions): boolean =>
  Object.entries(place).every(([name, value]) => textOf(dimensions[name] ?? "") === textOf(value))

/** The dimensions of a place in words: `smoothing, labels 400`. */
const worded = (place: Dimensions): string =>
  Object.entries(place)
    .map(([name, value]) => (name === "arm" ? textOf(value) : `${name} ${textOf(value)}`))
    .join(", ")

/** The places of an event by which values are found: once they are withheld, the values are no longer the metric's. */
const NAMES = "/metrics/*/[ns]*"

const none = {
  method: null,
  estimate: null,
  se: null,
  low: null,
  high: null,
  p: null,
  pairs: null,
  ofCount: null,
  againstCount: null,
}

/** An effect in one sentence: `error of smoothing − baseline at labels 400: −1.15, 95 % −1.72 to −0.58, 10 pairs`. */
export function effectInWords({ metric, split, of, against, where = {} }: Effect, figures: Figures | null): string {
  const at = Object.keys(where).length === 0 ? "" : ` at ${worded(where)}`
  const what = `${metric}${split === undefined ? "" : ` (${split})`} of ${worded(of)} − ${worded(against)}${at}`
  if (figures === null) return `${what}: the values it was worked out from were withheld`
  const { estimate, se, low, high, pairs } = figures
  const sure = low === null ? "no spread known" : `95 % ${interval(low, high, se)}`
  const paired = pairs === null ? "unpaired" : `${pairs} pairs`
  return `${what}: ${figure(estimate, se)}, ${sure}, ${paired}`
}

/** Whether two figures say the same: a value without a partner changes no paired difference. */
const isSame = (one: Figures, other: Figures | null): boolean =>
  other !== null && one.estimate === other.estimate && one.low === other.low && one.high === other.high && one.pairs === other.pairs

export type Effects = ReturnType<typeof effects>

export function effects(db: Db, values: Values) {
  const insert = inserting(db, "finding_effects")
  const named = (role: string) =>
    `(SELECT json_group_array(t.attempt_id) FROM finding_attempts t WHERE t.version_id = f.version_id AND t.role = '${role}')`
  const ofFinding = db.prepare<Row>(
    `SELECT f.effect, f.figures, v.history_position AS position, e.label AS experimentLabel, ${named("producing")} AS attemptIds, ${named("baseline")} AS baselineAttemptIds,
       (SELECT coalesce(sum(a.revision), 0) FROM finding_attempts t JOIN attempts a ON a.attempt_id = t.attempt_id
        WHERE t.version_id = f.version_id AND t.role <> 'evidence') AS revisions
     FROM finding_effects f JOIN experiments e ON e.experiment_id = f.experiment_id JOIN records v ON v.version_id = f.version_id WHERE f.version_id = +? ORDER BY f.position`,
  )
  const isWithheldSince = withheldSince(db)

  const revisionsOf = db.prepare<{ revisions: number }>(
    "SELECT coalesce(sum(a.revision), 0) AS revisions FROM json_each(+?) j CROSS JOIN attempts a ON a.attempt_id = j.value",
  )

  /** A value is of the effect's experiment; what it is compared with may also come from an attempt that the finding names as its baseline. */
  function strayIn(effect: Effect, { baselineAttemptIds }: Named, cells: readonly Cell[]): Fault | undefined {
    const { experimentId, of } = effect
    const stray = cells.find(
      (cell) => cell.attempt.experimentId !== experimentId && (standsAt(cell, of) || !baselineAttemptIds.includes(cell.attempt.attemptId)),
    )
    if (stray === undefined) return undefined
    const part = standsAt(stray, of) ? "of" : "against"
    return { at: "experimentId", message: `is another experiment than that of ${stray.attempt.label}, whose values "${part}" takes` }
  }

  /**
   * Works an effect out from succeeded attempts.
   * @returns what cannot be worked out, as the member of the effect and a sentence
   */
  function workedOut(effect: Effect, finding: Named): Figures | Fault {
    const { metric, split = "", of, against, over, where = {} } = effect
    const attempts = values.attempts({ attemptIds: allOf(finding) }).filter(({ status }) => status === "succeeded")
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
    const stray = strayIn(
      effect,
      finding,
      here.filter((cell) => Number.isFinite(cell.value) && (standsAt(cell, of) || standsAt(cell, against))),
    )
    if (stray !== undefined) return stray
    const difference: Omit<Contrast, "corrected"> | null = differenceOf(one, other)
    if (difference === null) return { at: "of", message: "cannot be compared" }
    const { method, estimate, se, low, high, p, pairs } = difference
    return { method, estimate, se, low, high, p, pairs, ofCount: one.length, againstCount: other.length }
  }

  return {
    /** What of the effects of a finding cannot be worked out, each at its place in the body. @param finding undefined where it names no attempts */
    faults(asked: readonly Effect[], finding: Named | undefined): { path: string; message: string }[] {
      if (asked.length > 0 && finding === undefined)
        return [{ path: "/provenance/execution", message: "is needed, because effects are worked out from the attempts that it names" }]
      return asked.flatMap((effect, position) => {
        const found = finding && workedOut(effect, finding)
        return found && "message" in found ? [{ path: `/effects/${position}/${found.at}`, message: found.message }] : []
      })
    },

    /** Keeps the effects of a finding as they are when it lands. */
    insert(versionId: string, asked: readonly Effect[], finding: Named): void {
      if (asked.length === 0) return
      const { revisions } = revisionsOf.one(JSON.stringify(allOf(finding)))
      asked.forEach((effect, position) => {
        const found = workedOut(effect, finding)
        // In a replay, what it was worked out from may have been withheld since.
        const kept: Kept | null = "message" in found ? null : { ...found, revisions }
        const { experimentId, metric } = effect
        insert({ versionId, position, experimentId, metric, effect: canonicalJson(effect), figures: canonicalJson(kept) })
      })
    },

    /** The effects of a finding as they were, and as they would be now where that differs: worked out again only once an attempt moved. */
    of: (versionId: string): EffectAnswer[] =>
      ofFinding
        .all(versionId)
        .map(({ effect: text, figures: told, position, experimentLabel, attemptIds, baselineAttemptIds, revisions }) => {
          const effect = parse(text)
          const kept = parse(told)
          const { revisions: before, ...figures } = kept ?? { ...none, revisions: null }
          const finding: Named = { attemptIds: JSON.parse(attemptIds), baselineAttemptIds: JSON.parse(baselineAttemptIds) }
          const now = kept !== null && revisions === before ? kept : workedOut(effect, finding)
          const hasMoved = "message" in now || !isSame(now, kept)
          const isWithheld = kept === null || isWithheldSince(position, NAMES, allOf(finding)) > 0
          return {
            ...effect,
            split: effect.split ?? null,
            over: effect.over ?? null,
            where: effect.where ?? {},
            experimentLabel,
            ...figures,
            sentence: effectInWords(effect, kept),
            isStale: hasMoved || isWithheld,
            staleReason: isWithheld ? "values_withheld" : hasMoved ? "values_changed" : null,
            now: hasMoved && !("message" in now) ? { ...now, sentence: effectInWords(effect, now) } : null,
          }
        }),
  }
}
