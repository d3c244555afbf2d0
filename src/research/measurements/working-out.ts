/** Works an effect out: the difference of two groups of values that attempts reported. */
import type { EffectFigures } from "../../contract/answers/measurements.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { Source } from "./cells.ts"
import { contrastOf } from "./contrasts.ts"
import { at, kept, sourcesIn, without } from "./frame.ts"
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
function strayIn(
  { experimentId }: Effect,
  { baselineAttemptIds }: Named,
  mine: readonly Source[],
  theirs: readonly Source[],
): Fault | undefined {
  const isOther = (source: Source) => source.experimentId !== experimentId
  const [own] = mine.filter(isOther)
  const stray = own ?? theirs.find((source) => isOther(source) && !baselineAttemptIds.includes(source.attemptId))
  if (stray === undefined) return undefined
  const part = own === undefined ? "against" : "of"
  return { at: "experimentId", message: `is another experiment than that of ${stray.label}, whose values "${part}" takes` }
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
    const told = values.frame(attempts, metric, split, pending)
    if (told.values.length === 0) return { at: "metric", message: "is not reported by any succeeded attempt that is named" }
    const here = at(values.completed(told, attempts, names), where)
    if (here.values.length === 0) return { at: "where", message: "names a place where no value stands" }
    const finite = kept(here, (index) => Number.isFinite(here.values[index]))
    const [mine, theirs] = [at(finite, of), at(finite, against)]
    if (mine.values.length === 0) return { at: "of", message: "names a group without a finite value" }
    if (theirs.values.length === 0) return { at: "against", message: "names a group without a finite value" }
    const [one, other] = [pointsOf(mine, over), pointsOf(theirs, over)]
    if (one.values.length === 0 || other.values.length === 0)
      return { at: "over", message: `is a dimension that no value of "${one.values.length === 0 ? "of" : "against"}" has` }
    const stray = strayIn(effect, named, sourcesIn(mine), sourcesIn(theirs))
    if (stray !== undefined) return stray
    const sources = [...new Set([...sourcesIn(mine), ...sourcesIn(theirs)])]
    const units = values.unitsOf(sources, metric, split, pending)
    if (units.length > 1)
      return { at: "metric", message: `is reported in different units, ${units.slice(0, 5).join(" and ")}: corrects tells the right one` }
    const difference = differenceOf(one, other)
    if (difference === null) return { at: "of", message: "cannot be compared" }
    const { method, estimate, se, low, high, p, pairs, unpaired } = difference
    return {
      figures: {
        ...{ method, estimate, se, low, high, p, pairs, unpaired },
        ofCount: one.values.length,
        againstCount: other.values.length,
        withoutOver: over === undefined ? 0 : without(mine, over) + without(theirs, over),
        unit: units[0] ?? null,
      },
      attemptIds: sources.map(({ attemptId }) => attemptId).sort(),
    }
  }
}
