/** Works an effect out: the difference of two groups of values that attempts reported. */
import type { EffectFigures } from "../../contract/answers/measurements.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import { type Cell, type Dimensions, standsAt, dimensionAt } from "./cells.ts"
import { contrastOf } from "./contrasts.ts"
import { differenceOf, pointsOf } from "./table.ts"
import type { Pending, Values } from "./values.ts"

export type Effect = NonNullable<BodyOf<"publish_finding">["effects"]>[number]
/** What an effect comes to. */
export type Figures = EffectFigures

/** The attempts whose values an effect may rest on. */
export interface Named {
  readonly attemptIds: readonly string[]
  readonly baselineAttemptIds: readonly string[]
}
export const allOf = ({ attemptIds, baselineAttemptIds }: Named): string[] => [...new Set([...attemptIds, ...baselineAttemptIds])]

/** What cannot be worked out, as the member of the effect and a sentence. */
export interface Fault {
  readonly at: keyof Effect
  readonly message: string
}
export interface WorkedOut {
  readonly figures: Figures
  /** The attempts whose values it was worked out from, in the order of their ids. */
  readonly attemptIds: readonly string[]
}
export const isFault = (found: WorkedOut | Fault): found is Fault => "message" in found

/** A value is of the effect's experiment; what it is compared with may also come from an attempt that is named as a baseline. */
function strayIn({ experimentId, of }: Effect, { baselineAttemptIds }: Named, cells: readonly Cell[]): Fault | undefined {
  const stray = cells.find(
    (cell) =>
      cell.attempt.experimentId !== experimentId && (standsAt(cell.dimensions, of) || !baselineAttemptIds.includes(cell.attempt.attemptId)),
  )
  if (stray === undefined) return undefined
  const part = standsAt(stray.dimensions, of) ? "of" : "against"
  return { at: "experimentId", message: `is another experiment than that of ${stray.attempt.label}, whose values "${part}" takes` }
}

export type WorkingOut = ReturnType<typeof workingOut>

export function workingOut(values: Values) {
  /**
   * Works an effect out from succeeded attempts.
   * @param pending values that an attempt is about to report with its success
   */
  return function workedOut(effect: Effect, named: Named, pending?: Pending): WorkedOut | Fault {
    const { metric, split = "", of, against, over, where = {} } = effect
    if (contrastOf(effect).isEmpty) return { at: "against", message: "names the same group as of" }
    const attempts = values
      .attempts({ attemptIds: allOf(named) })
      .filter(({ status, attemptId }) => status === "succeeded" || attemptId === pending?.attemptId)
    const names = [...new Set([...Object.keys(of), ...Object.keys(against), ...Object.keys(where), ...(over === undefined ? [] : [over])])]
    const cells = values.cells(attempts, metric, split, names, pending)
    if (cells.length === 0) return { at: "metric", message: "is not reported by any succeeded attempt that is named" }
    const here = cells.filter((cell) => standsAt(cell.dimensions, where))
    if (here.length === 0) return { at: "where", message: "names a place where no value stands" }
    const finite = here.filter((cell) => Number.isFinite(cell.value))
    const groupOf = (place: Dimensions) => finite.filter((cell) => standsAt(cell.dimensions, place))
    const [mine, theirs] = [groupOf(of), groupOf(against)]
    if (mine.length === 0) return { at: "of", message: "names a group without a finite value" }
    if (theirs.length === 0) return { at: "against", message: "names a group without a finite value" }
    const [one, other] = [pointsOf(mine, over), pointsOf(theirs, over)]
    if (one.length === 0 || other.length === 0)
      return { at: "over", message: `is a dimension that no value of "${one.length === 0 ? "of" : "against"}" has` }
    const used = [...mine, ...theirs]
    const stray = strayIn(effect, named, used)
    if (stray !== undefined) return stray
    const sources = [...new Map(used.map(({ attempt }) => [attempt.attemptId, attempt])).values()]
    const units = values.unitsOf(sources, metric, split, pending)
    if (units.length > 1)
      return { at: "metric", message: `is reported in different units, ${units.slice(0, 5).join(" and ")}: corrects tells the right one` }
    const difference = differenceOf(one, other)
    if (difference === null) return { at: "of", message: "cannot be compared" }
    const { method, estimate, se, low, high, p, pairs, unpaired } = difference
    return {
      figures: {
        ...{ method, estimate, se, low, high, p, pairs, unpaired },
        ofCount: one.length,
        againstCount: other.length,
        withoutOver: over === undefined ? 0 : used.filter(({ dimensions }) => dimensionAt(dimensions, over) === undefined).length,
        unit: units[0] ?? null,
      },
      attemptIds: sources.map(({ attemptId }) => attemptId).sort(),
    }
  }
}
