/**
 * Finds what each number of a text is in the record. A number is found when a value equals it as it is rounded, and the
 * words around it, or the record that the text belongs to, name what it is of.
 */
import { type Bindings, CLAUSE, isBare, type Passages, SENTENCE } from "./bindings.ts"
import {
  scalesOf,
  states,
  anyOf,
  near,
  dimensionsAt,
  type Is,
  isOfGroup,
  type Match,
  type Resolved,
  sheetOf,
  countOf,
  Curves,
} from "./matches.ts"
import { Differences, Sides } from "./differences.ts"
import type { Numeral } from "./numerals.ts"
import type { Mention, Span } from "./passages.ts"
import { saidAs } from "./quantities.ts"
import { type Known, Scope, type Value } from "./scope.ts"

const UNKNOWN: Resolved = { state: "unknown", candidates: 0 }
const OVERALL =
  /\b(?:overall|average[ds]?|mean|across|all|pooled|together|in total|over \w+ (?:\w+ )?(?:seeds|runs|attempts))\b/giu

const MEAN = /\b(?:averages?d?|mean)\b/giu

const ROLES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\b(?:standard deviation|spread) (?:of|over|across)\b[^0-9.;]{0,40}$/iu, ["sd"]],
  [/\bstandard error (?:of|over|across)\b[^0-9.;]{0,40}$/iu, ["se"]],
  [/\b(?:sd|std|s\.d\.|standard deviations?|stdev|spread|noise)\b[^0-9]{0,16}$/iu, ["sd"]],
  [/\b(?:se|sem|s\.e\.|standard errors?)\b[^0-9]{0,12}$/iu, ["se"]],
  [/\b[pP](?: ?[-–] ?values?)?\s?(?:=|<|>|≈|of)\s?$/u, ["p"]],
  [/\b[nN]\s?=\s?$/u, ["n"]],
  [/\b(?:min|minimum|lowest|worst|smallest)\b[^0-9]{0,24}$/iu, ["min", "max"]],
  [/\b(?:max|maximum|highest|best|largest|peak)\b[^0-9]{0,24}$/iu, ["max", "min"]],
  [/\b(?:interval|CI|bounds?|limits?)\b[^0-9]{0,16}$/u, ["low", "high"]],
]
/** Each finds some text before a number that one of the patterns for roles finds: most numbers have no such role. */
const ANY_ROLE = ["iu", "u"].map((flags) => {
  const some = ROLES.flatMap(([pattern]) => (pattern.flags === flags ? pattern.source : []))
  return new RegExp(some.map((source) => `(?:${source})`).join("|"), flags)
})
const ENDS = ["low", "high", "min", "max", "mean"]

const REFERENCES = anyOf(
  "table figure fig section sec eq equation appendix line lines page pages p pp algorithm entry entries version",
)
const REFERENCE = new RegExp(`(?:\\b(?:${REFERENCES})\\.?|§)\\s?$`, "iu")
const LEVEL_AFTER = /^[\s-]?(?:CI|confidence|interval|credible|level)\b/iu

export class Resolver {
  readonly #scope: Scope
  readonly #differences: Differences
  readonly #sides: Sides
  readonly #curves: Curves

  constructor(known: Known, passages: Passages) {
    this.#scope = new Scope(known, passages)
    this.#differences = new Differences(this.#scope)
    this.#sides = new Sides(this.#scope)
    this.#curves = new Curves(this.#scope)
  }

  /** What a number is. Numbers are asked for in the order of the text. */
  resolve(numeral: Numeral, previous: Resolved | undefined): Resolved {
    if (numeral.isDate) return { state: "setting", candidates: 0 }
    const { text } = this.#scope.in
    const column = this.#scope.in.heads.get(numeral)
    // In a table the head of the column says what a sentence says before a number, or behind it.
    const said = column && text.slice(column.start, column.end).replace("|", "")
    const head =
      said === undefined ? text.slice(Math.max(0, numeral.start - 64), numeral.start) : `${said.trimEnd()} = `
    const tail = said === undefined ? text.slice(numeral.end, numeral.end + 64) : ` ${said.trim()}`
    if (numeral.readings.length === 0) return UNKNOWN
    if (numeral.form === "percent" && LEVEL_AFTER.test(tail)) return { state: "setting", candidates: 0 }
    if (numeral.form === "plain" && REFERENCE.test(head)) return { state: "setting", candidates: 0 }
    const name = this.#scope.in.inside.get(numeral)
    if (name !== undefined) return partOf(name, numeral)
    const bindings = this.#scope.in.bindingsOf(numeral)
    const roles = this.#rolesOf(numeral, head, column)
    return (
      this.#spread(numeral, previous) ??
      this.#placed(numeral, bindings) ??
      this.#counted(numeral, bindings, head, tail) ??
      this.#measured(numeral, bindings, roles) ??
      this.#inUnitBefore(numeral, bindings, roles) ??
      this.#stated(numeral, bindings) ??
      this.#named(numeral, bindings) ??
      this.#chance(numeral)
    )
  }

  readonly #sheets = new Map<Resolved, Required<Omit<Match, "hasMoved">> & { readonly form: Numeral["form"] }>()
  /** A spread or interval behind a number belongs to the same figure. */
  #spread(numeral: Numeral, previous: Resolved | undefined): Resolved | undefined {
    const beside = previous && this.#sheets.get(previous)
    if (beside === undefined) return numeral.role === "spread" ? UNKNOWN : undefined
    if (numeral.role === "value") return undefined
    const wanted = numeral.role === "spread" ? ["sd", "se", "half"] : ["low", "high"]
    const { sheet, is, measure } = beside
    for (const role of wanted) {
      const value = sheet[role]
      const form = numeral.form === "plain" && numeral.role === "spread" ? beside.form : numeral.form
      if (value == null || !states({ ...numeral, form }, value, measure, true)) continue
      return this.#found({ is: { ...is, role, value }, sheet, measure }, beside.form)
    }
    return numeral.role === "spread" ? UNKNOWN : undefined
  }

  /** A count. One that is none of those which are known is in no measurement either. */
  #counted(numeral: Numeral, bindings: Bindings, head: string, tail: string): Resolved | undefined {
    const match = countOf(this.#scope, numeral, bindings, head, tail)
    return match === null ? UNKNOWN : match && this.#found(match, numeral.form)
  }

  /** The answer for a match. A spread or an interval behind it is looked for in its sheet. */
  #found({ is, sheet, measure, hasMoved = false }: Match, form: Numeral["form"]): Resolved {
    const found: Resolved = { state: hasMoved ? "moved" : "resolves", is, candidates: 1 }
    if (sheet !== undefined && measure !== undefined) this.#sheets.set(found, { sheet, is, measure, form })
    return found
  }

  /** A value of a dimension or a setting, beside its name. */
  #placed(numeral: Numeral, bindings: Bindings): Resolved | undefined {
    const placed = this.#scope.in.placed.get(numeral)
    if (placed === undefined) return undefined
    const { facet, isBefore } = placed
    if (facet === "seed" && !isBefore) return undefined
    if (this.#scope.in.isStep(numeral)) {
      const is = this.#curves.step(numeral)
      return is && { state: "setting", is, candidates: 1 }
    }
    return this.#settingIn(facet, numeral, bindings)
  }

  /** A value of a dimension or a setting that the sentence names elsewhere: "all labels, if there are at most 100". */
  #named(numeral: Numeral, bindings: Bindings): Resolved | undefined {
    if (!isBare(numeral)) return undefined
    for (const facet of this.#scope.in.dimensionsOf(numeral)) {
      const found = this.#settingIn(facet, numeral, bindings)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** A number that is a value of a dimension or a setting, of attempts that the sentence does not contradict. */
  #settingIn(facet: string, numeral: Numeral, bindings: Bindings): Resolved | undefined {
    const { quantities } = this.#scope.known
    const dimension = quantities.dimensions.get(facet)
    const named = this.#scope.attemptsOf(bindings, SENTENCE)
    for (const [text, attemptIds] of dimension?.values ?? []) {
      const value = Number(text)
      if (text === "" || !near(numeral, value) || (named !== undefined && attemptIds.isDisjointFrom(named))) continue
      if (!this.#agrees(attemptIds, bindings, facet)) continue
      const isDimension = [...quantities.metrics.values()].some((some) => some.some(({ facets }) => facets.has(facet)))
      const one = quantities.attempts.find(({ attemptId }) => attemptIds.has(attemptId))
      const of = one && { kind: "attempt" as const, id: one.attemptId, label: one.label }
      const is = {
        kind: isDimension ? "dimension" : "setting",
        of: of ?? null,
        group: { [dimension?.name ?? facet]: value },
        value,
      } as const
      return { state: "setting", is, candidates: 1 }
    }
    return undefined
  }

  /** Whether some of the attempts that state a setting have the arm and the text settings that the sentence names. */
  #agrees(attemptIds: ReadonlySet<string>, bindings: Bindings, facet: string): boolean {
    const { dimensions } = this.#scope.known.quantities
    return [...bindings].every(([other, { values, level }]) => {
      const dimension = dimensions.get(other)
      if (dimension === undefined || other === facet || level > CLAUSE) return true
      return [...dimension.values].some(([text, some]) => values.has(saidAs(text)) && !some.isDisjointFrom(attemptIds))
    })
  }

  /** A value that was measured: an effect, a mean, the difference of two, or an attempt's last value. */
  #measured(numeral: Numeral, bindings: Bindings, roles: readonly string[]): Resolved | undefined {
    // What stands beside a step in its clause is what was reported there.
    const isPoint = roles.includes("mean") && !this.#scope.in.placed.has(numeral)
    const point = isPoint ? this.#curves.value(numeral, bindings, CLAUSE) : undefined
    if (point !== undefined) return point === null ? undefined : this.#found(point, numeral.form)
    const labelled = bindings.get("A")
    // A sentence that names one attempt speaks of its value, not of a mean of one.
    const isOne = labelled !== undefined && labelled.level <= SENTENCE && labelled.values.size === 1
    const own = isOne && roles.includes("mean") ? this.#value(numeral, bindings, 1) : undefined
    const match =
      own ??
      this.#differences.effect(numeral, bindings, roles) ??
      this.#mean(numeral, bindings, roles) ??
      this.#differences.difference(numeral, bindings) ??
      (roles.includes("mean") ? this.#value(numeral, bindings) : undefined) ??
      (isTelling(numeral) ? this.#unnamed(numeral, bindings, roles, isPoint) : undefined)
    return match && this.#found(match, numeral.form)
  }

  /** A number in the unit of the one before it: "2.4 points at 50 labels and 0.3 at 400". */
  #inUnitBefore(numeral: Numeral, bindings: Bindings, roles: readonly string[]): Resolved | undefined {
    if (!isBare(numeral) || !numeral.text.includes(".")) return undefined
    const sentence = this.#scope.in.sentenceOf(numeral)
    const values = sentence === undefined ? [] : this.#scope.in.around(sentence).values
    const { form = "plain" } = values[values.indexOf(numeral) - 1] ?? {}
    return form === "percent" || form === "points" ? this.#measured({ ...numeral, form }, bindings, roles) : undefined
  }

  /** What a record's sentence speaks of without its name. */
  #unnamed(numeral: Numeral, bindings: Bindings, roles: readonly string[], isPoint: boolean): Match | undefined {
    const side = this.#sides.find(numeral, bindings, roles)
    if (side !== undefined || !isPoint) return side
    return this.#curves.value(numeral, bindings, SENTENCE) ?? undefined
  }

  #rolesOf(numeral: Numeral, head: string, column: Span | undefined): readonly string[] {
    const from = column?.start ?? numeral.start - head.length
    for (const [pattern, roles] of ANY_ROLE.some((any) => any.test(head)) ? ROLES : []) {
      const found = pattern.exec(head)
      // An arm may be called "noise" or "best".
      if (found !== null && !this.#scope.in.isNamed(from + found.index)) return roles
    }
    return numeral.role === "from" || numeral.role === "to" ? ENDS : ["mean"]
  }

  #mean(numeral: Numeral, bindings: Bindings, roles: readonly string[]): Match | undefined {
    const candidates = this.#scope.groupsOf(bindings)
    for (const role of roles)
      for (const { group } of candidates) {
        if (group.telling.length === 0 && group.merged > 0 && !this.#scope.says(numeral, OVERALL)) continue
        const sheet = sheetOf(group)
        const value = sheet[role]
        if (value == null || !states(numeral, value, group.metric)) continue
        return { is: isOfGroup(group, role, value), sheet, measure: group.metric }
      }
    return undefined
  }

  /** The last value of an attempt that the text names. @param most of so many at most */
  #value(numeral: Numeral, bindings: Bindings, most = Number.POSITIVE_INFINITY): Match | undefined {
    const found = this.#scope.valuesAt(bindings)
    if (found === undefined || found.length > most || !isTellingAmong(numeral, found)) return undefined
    // One of several is not their mean.
    if (found.length > 1 && this.#scope.says(numeral, MEAN)) return undefined
    for (const { metric, index } of found) {
      const value = metric.frame.values[index] ?? Number.NaN
      if (!Number.isFinite(value) || !states(numeral, value, metric)) continue
      const { attemptId, label } = metric.frame.sources[metric.frame.sourceOf[index] ?? -1] ?? {
        attemptId: "",
        label: "",
      }
      const is: Is = {
        ...{
          kind: "metric",
          of: { kind: "attempt", id: attemptId, label },
          metric: metric.name,
          group: dimensionsAt(metric, index),
          value,
        },
        ...(metric.split !== null && { split: metric.split }),
        n: 1,
      }
      return { is }
    }
    return undefined
  }

  /** A number that a plan or a record states which the text belongs to or names. */
  #stated(numeral: Numeral, bindings: Bindings): Resolved | undefined {
    const { planned, statedIn } = this.#scope.known
    const named = ["H", "P", "C", "E"].flatMap((letter) => [...(bindings.get(letter)?.values ?? [])].flatMap(statedIn))
    const match = [...planned, ...named].find(({ value }) => near(numeral, value))
    if (match === undefined) return undefined
    return { state: "setting", is: { kind: "setting", of: match.holder, value: match.value }, candidates: 1 }
  }

  /** How many values of the Room equal a number that nothing names. */
  #chance(numeral: Numeral): Resolved {
    const { sorted } = this.#scope.known.quantities
    const below = (value: number, orEqual: boolean): number => {
      let [low, high] = [0, sorted.length]
      while (low < high) {
        const middle = (low + high) >> 1
        const at = sorted[middle] ?? Number.NaN
        if (at < value || (orEqual && at === value)) low = middle + 1
        else high = middle
      }
      return low
    }
    const scales =
      numeral.form === "percent" || numeral.form === "points" ? [1, 0.01] : numeral.form === "factor" ? [] : [1]
    const count = numeral.readings.reduce(
      (sum, { value, half }) =>
        sum +
        scales.reduce((found, scale) => {
          const slack = Math.abs(value * scale) * 1e-12
          const [from, to] = [(value - half) * scale - slack, (value + half) * scale + slack]
          return found + below(to, true) - below(from, false)
        }, 0),
      0,
    )
    return count > 0 ? { state: "may_be", candidates: count } : UNKNOWN
  }
}

/** Whether a number has digits enough to tell one quantity from another: "0.3" equals many. */
const isTelling = ({ text }: Numeral): boolean => text.replace(/[^0-9]/g, "").length > 2

/** Values one of which a number may be by its digits alone, and how often it may equal one by chance. */
const [SOME, CHANCE] = [3, 0.1]
/** Whether a number has digits enough to tell one of some values from the others: "0.21" equals one of many anyway. */
function isTellingAmong(numeral: Numeral, some: readonly Value[]): boolean {
  if (some.length <= SOME) return true
  const values = some.map(({ metric, index }) => metric.frame.values[index] ?? Number.NaN).filter(Number.isFinite)
  const [reading] = numeral.readings
  const [first] = some
  if (values.length <= SOME || reading === undefined || first === undefined) return true
  const [scale = 1] = scalesOf(numeral, first.metric, values[0] ?? 0)
  const range = Math.max(...values) - Math.min(...values)
  return values.length * 2 * reading.half * scale <= CHANCE * range
}

/** A number that is a part of a name: of a metric, or of the value of a dimension. */
function partOf({ facet, value }: Mention, { readings: [reading] }: Numeral): Resolved {
  const whole = reading?.value ?? Number.NaN
  const named = facet === "metric" ? { metric: value } : { group: { [facet]: value } }
  return { state: "setting", is: { kind: "dimension", of: null, ...named, value: whole }, candidates: 1 }
}
