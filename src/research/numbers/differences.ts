/** Differences that a text states: effects of findings, and of two groups that a sentence names. */
import type { Scalar } from "../measurements/cells.ts"
import type { Gap } from "../measurements/sides.ts"
import { folded } from "../measurements/stated.ts"
import { type Bindings, PARAGRAPH, SENTENCE, CLAUSE } from "./bindings.ts"
import {
  states,
  statesEither,
  anyOf,
  near,
  type Is,
  isOfGroup,
  type Match,
  type Sheet,
  sheetOfEffect,
  sheetOf,
} from "./matches.ts"
import type { Numeral } from "./numerals.ts"
import { type Group, type Metric, saidAs, facetIn } from "./quantities.ts"
import type { KnownEffect, Pair, Scope } from "./scope.ts"
import type { Effect } from "../measurements/working-out.ts"

type FoundEffect = KnownEffect["effect"]

/** Most groups whose differences are worked out for a number. */
const PAIRS = 24
const [LOWER, HIGHER] = [
  "lower* less fewer below drop* fell fall* decreas* reduc* smaller shrink* slower behind loses lost short minus",
  "higher more above rise* rose increas* larger greater raise* exceed* gain* ahead",
]
const OTHER =
  "better worse than gap gaps differ* improv* beat* outperform* adds saves advantage faster against versus vs"
const DIFFERENCE = new RegExp(
  `\\b(?:${anyOf(`${LOWER} ${HIGHER} ${OTHER} over effect effects delta deltas`)})\\b|[−Δδ]`,
  "giu",
)
const DOWN = new RegExp(`\\b(?:${anyOf(LOWER)})\\b`, "iu")
const UP = new RegExp(`\\b(?:${anyOf(HIGHER)})\\b`, "iu")
const BESIDE = anyOf("than against versus vs over from below above behind beats")
/** What stands before the side that the other is compared with. */
const SECOND_BEFORE = new RegExp(
  `\\b(?:${BESIDE}|compared (?:with|to)|relative to)\\.?\\s(?:that of |of |the )?$`,
  "iu",
)

/** The differences of groups that were worked out, for as long as the groups are kept. */
const gaps = new WeakMap<Group, WeakMap<Group, Gap | null>>()
const gapOf = (mine: Group, theirs: Group): Gap | null =>
  gaps.getOrInsertComputed(mine, () => new WeakMap()).getOrInsertComputed(theirs, () => mine.side.less(theirs.side))

export class Differences {
  readonly #scope: Scope

  constructor(scope: Scope) {
    this.#scope = scope
  }

  readonly #measures = new Map<KnownEffect, Pick<Metric, "name" | "unit">>()
  effect(numeral: Numeral, bindings: Bindings, roles: readonly string[]): Match | undefined {
    const named = this.#scope.effectsNamed(bindings)
    const holders = new Set(named.map(({ holder }) => holder.id))
    const metric = bindings.get("metric")
    const others = metric === undefined ? [] : this.#scope.known.newestEffects()
    const all = named.length === 0 ? others : [...named, ...others.filter(({ holder }) => !holders.has(holder.id))]
    for (const known of all) {
      const { effect, before, now, hasMoved, holder } = known
      const isNamed = holders.has(holder.id)
      if (metric !== undefined && metric.level <= SENTENCE && !metric.values.has(effect.metric))
        if (!isNamed || !this.#scope.isCalled(effect.metric, bindings)) continue
      const measure = this.#measures.getOrInsertComputed(known, () => ({ name: effect.metric, unit: before.unit }))
      const sheet = sheetOfEffect(before)
      // To compare values takes less time than to compare what the sentence names.
      const isStated = roles.some((role) => sheet[role] != null && statesEither(numeral, sheet[role], measure))
      const sides = isStated ? this.#sidesOf(effect, numeral, bindings) : undefined
      if (sides === undefined || (!isNamed && !(sides.isNamed && metric !== undefined))) continue
      // A table has many differences.
      if (holder.kind === "checkpoint" && sides.order === "open") continue
      for (const role of roles) {
        const value = sheet[role]
        if (value == null) continue
        const isSigned = role === "mean" || role === "low" || role === "high"
        const stated = isSigned ? value * (sides.isSwapped ? -1 : 1) : value
        if (!this.#statesDifference(numeral, stated, measure, role === "mean" ? sides.order : "open")) continue
        const present = now === null ? null : (sheetOfEffect(now)[role] ?? null)
        const is: Is = {
          ...{ kind: "effect", of: holder, metric: effect.metric, role: role === "mean" ? "estimate" : role, value },
          ...(effect.split !== undefined && { split: effect.split }),
          group: { ...effect.of, ...effect.where },
          ...(hasMoved && { now: present }),
          ...(sheet.n !== null && sheet.n !== undefined && { n: sheet.n }),
        }
        return { is, sheet, measure, hasMoved }
      }
    }
    return undefined
  }

  /**
   * How a sentence names the two sides of an effect; undefined if it names another arm instead. `isSwapped`: it speaks
   * of the second side first.
   */
  #sidesOf(effect: FoundEffect, numeral: Numeral, bindings: Bindings) {
    const { where = {} } = effect
    const sentence = this.#scope.in.sentenceOf(numeral)
    if (sentence === undefined) return undefined
    const { byFacet } = this.#scope.in.around(sentence)
    let [isNamed, isSwapped] = [true, false]
    let order: "known" | "open" = "open"
    for (const { facet, one, other } of this.#facetsOf(effect)) {
      const mentions = (byFacet.get(facet) ?? []).filter(({ value }) => value === one || value === other)
      const others = (byFacet.get(facet) ?? []).filter(({ value }) => value !== one && value !== other)
      if (others.length > 0 && mentions.length < 2) return undefined
      if (
        one !== other &&
        !(mentions.some(({ value }) => value === one) && mentions.some(({ value }) => value === other))
      )
        isNamed = false
      if (one === other || mentions.length === 0) continue
      order = "known"
      isSwapped = this.#isSecondFirst(mentions, other)
    }
    for (const [name, value] of Object.entries(where)) {
      const bound = bindings.get(folded(name))
      if (bound === undefined || String(value).startsWith("!")) continue
      if (bound.level <= SENTENCE && !bound.values.has(saidAs(value))) return undefined
    }
    return { isNamed, isSwapped, order }
  }

  readonly #facets = new Map<FoundEffect, { facet: string; one: string | undefined; other: string | undefined }[]>()
  /** The dimensions of the two sides of an effect. */
  #facetsOf(effect: FoundEffect) {
    const said = (value: Scalar | undefined) => (value === undefined ? undefined : saidAs(value))
    return this.#facets.getOrInsertComputed(effect, ({ of, against }) =>
      Object.keys({ ...of, ...against }).map((name) => ({
        facet: folded(name),
        one: said(of[name]),
        other: said(against[name]),
      })),
    )
  }

  /** Whether a sentence makes the second side of a difference its subject. */
  #isSecondFirst(
    mentions: readonly { readonly value: string; readonly start: number }[],
    second: string | undefined,
  ): boolean {
    const [first] = mentions
    if (first === undefined || second === undefined) return false
    const before = this.#scope.in.text.slice(Math.max(0, first.start - 40), first.start)
    const isMarked = SECOND_BEFORE.test(before)
    return (first.value === second) !== isMarked
  }

  /** Whether a number states a difference: with its sign, or with the direction that the words have. */
  #statesDifference(
    numeral: Numeral,
    value: number,
    measure: Pick<Metric, "name" | "unit">,
    order: "known" | "open",
  ): boolean {
    if (numeral.sign !== null)
      return states(numeral, value, measure) || (numeral.role === "to" && states(numeral, -value, measure))
    if (!states(numeral, Math.abs(value), measure)) return false
    const sentence = this.#scope.in.sentenceOf(numeral)
    if (order === "open" || sentence === undefined || value === 0) return true
    const clause = sentence.clauses.find(({ start, end }) => numeral.start >= start && numeral.start < end) ?? sentence
    for (const span of [clause, sentence]) {
      const words = this.#scope.in.text.slice(span.start, span.end)
      const [down, up] = [DOWN.test(words), UP.test(words)]
      if (down !== up) return down ? value < 0 : value > 0
    }
    return true
  }

  /** The difference, relative difference or ratio of two groups that the sentence names. */
  difference(numeral: Numeral, bindings: Bindings): Match | undefined {
    const sentence = this.#scope.in.sentenceOf(numeral)
    if (sentence === undefined) return undefined
    const isFactor = numeral.form === "factor"
    if (!isFactor && numeral.sign === null && numeral.form !== "points" && !this.#scope.says(numeral, DIFFERENCE))
      return undefined
    const { byFacet } = this.#scope.in.around(sentence)
    for (const [facet, mentions] of byFacet) {
      if (!this.#scope.known.quantities.dimensions.has(facet)) continue
      const distinct = [...new Set(mentions.map(({ value }) => value))]
      if (distinct.length !== 2) continue
      const [first = "", second = ""] = distinct
      const isSwapped = this.#isSecondFirst(mentions, second)
      const [one, other] = isSwapped ? [second, first] : [first, second]
      const pairs = this.#scope.pairsOf(bindings, facet, one, other, () => this.#pairsOf(bindings, facet, one, other))
      for (const [mine, theirs] of pairs) {
        const gap = gapOf(mine, theirs)
        if (gap === null) continue
        const { metric } = mine
        const [a, b] = [mine.summary.mean, theirs.summary.mean]
        const sheet: Sheet = {
          ...{ mean: gap.estimate, se: gap.se, low: gap.low, high: gap.high, p: gap.p, sd: gap.sd },
          n: gap.pairs ?? Math.min(mine.summary.n, theirs.summary.n),
          half: gap.low === null ? null : gap.estimate - gap.low,
        }
        const is = (role: string, value: number): Is => ({
          ...isOfGroup(mine, role, value),
          kind: "effect",
          group: { ...mine.shown, against: theirs.shown[this.#nameOf(facet, theirs)] ?? null },
        })
        const factors = [a / b, b / a]
        if (isFactor) {
          const factor = factors.find((value) => near(numeral, value))
          if (factor !== undefined) return { is: is("ratio", factor) }
          continue
        }
        if (this.#statesDifference(numeral, gap.estimate, metric, "known"))
          return { is: is("difference", gap.estimate), sheet, measure: metric }
        const relative = (100 * (a - b)) / b
        if (numeral.form === "percent" && this.#statesDifference(numeral, relative, { name: "", unit: "%" }, "known"))
          return { is: is("relative difference", relative) }
      }
    }
    return undefined
  }

  #nameOf(facet: string, { shown }: Group): string {
    return Object.keys(shown).find((name) => folded(name) === facet) ?? facet
  }

  /** Groups that differ in one dimension alone: those that a text names but for it. */
  #pairsOf(bindings: Bindings, facet: string, one: string, other: string): readonly Pair[] {
    const rest = bindings.without(facet)
    const found = this.#scope.groupsOf(rest)
    const groups = (found.length > 0 ? found : this.#scope.groupsOf(bindings)).map(({ group }) => group)
    const { metrics } = this.#scope.metricsOf(rest)
    const named = this.#scope.attemptsOf(rest, PARAGRAPH)
    const known = new Set([...groups, ...metrics.flatMap((metric) => this.#scope.groupsWithin(metric, named))])
    const { own } = this.#scope.known
    const isSide = ({ key }: Group) => key.get(facet) === one || key.get(facet) === other
    const fitting = [...known].filter(
      (group) =>
        isSide(group) &&
        this.#scope.isConsistent(group, rest) &&
        (named === undefined || group.attempts.every(({ attemptId }) => named.has(attemptId))) &&
        (own.groups.length === 0 ||
          named !== undefined ||
          group.attempts.every(({ attemptId }) => own.attemptIds.has(attemptId))),
    )
    const byTable = Map.groupBy(fitting, ({ table, key }) =>
      JSON.stringify([table, [...key].filter(([name]) => name !== facet).sort()]),
    )
    const pairs = [...byTable.values()].flatMap((some): Pair[] => {
      const [mine, theirs] = [one, other].map((value) => some.find(({ key }) => key.get(facet) === value))
      return mine === undefined || theirs === undefined ? [] : [[mine, theirs]]
    })
    const experiments = pairs.filter(([{ holder }]) => holder.kind === "experiment")
    const isOpen = named === undefined && own.groups.length === 0 && experiments.length > 1
    return (isOpen ? pairs.filter(([{ holder }]) => holder.kind === "room") : pairs)
      .sort(([one], [two]) => one.merged - two.merged)
      .slice(0, PAIRS)
  }
}

// The groups that a record's own effects compare. Its sentences speak of them without their names.

/** One side of an effect: the values of its dimensions, by folded name. */
type Place = ReadonlyMap<string, string>

interface Side {
  readonly group: Group
  readonly place: Place
  /** The effects on the same metric that have it as their first and as their second side. */
  readonly isOf: boolean
  readonly isAgainst: boolean
}

const placeOf = (dimensions: Effect["of"]): Place =>
  new Map(Object.entries(dimensions).map(([name, value]) => [folded(name), saidAs(value)]))
const isAt = ({ key }: Group, place: Place): boolean => [...place].every(([facet, value]) => key.get(facet) === value)
const isSame = (one: Place, other: Place): boolean =>
  one.size === other.size && [...one].every(([facet, value]) => other.get(facet) === value)

export class Sides {
  readonly #scope: Scope

  constructor(scope: Scope) {
    this.#scope = scope
  }

  #last: Place | undefined
  #known: readonly Side[] | undefined
  /** The groups of the record's own attempts at each side, for each metric that its effects compare. */
  get #sides(): readonly Side[] {
    this.#known ??= this.#work()
    return this.#known
  }
  #work(): readonly Side[] {
    const { own, effectsNamed, quantities } = this.#scope.known
    if (own.versionIds.size === 0) return []
    const mine = effectsNamed().flatMap(({ holder, effect }) =>
      holder.kind === "record" && own.versionIds.has(holder.id) ? [effect] : [],
    )
    const places = mine.flatMap(({ of, against }) => [placeOf(of), placeOf(against)])
    const isOwn = ({ attempts }: Group) => attempts.every(({ attemptId }) => own.attemptIds.has(attemptId))
    return [...new Set(mine.map(({ metric }) => metric))].flatMap((name) => {
      const some = mine.filter(({ metric }) => metric === name)
      const wheres = some.map(({ where = {} }) => placeOf(where))
      const splits = new Set(some.map(({ split = null }) => split))
      const metrics = (quantities.metrics.get(name) ?? []).filter(({ split }) => splits.has(null) || splits.has(split))
      const groups = [
        ...own.groups.filter(({ metric }) => metrics.includes(metric)),
        ...metrics.flatMap((metric) => metric.groups.filter(isOwn)),
      ].filter((group) => wheres.some((where) => [...where].every(([facet, value]) => facetIn(group, facet) === value)))
      return groups.flatMap((group): Side[] => {
        const place = places.find((each) => isAt(group, each))
        if (place === undefined) return []
        const isOf = some.some(({ of }) => isSame(placeOf(of), place))
        return [{ group, place, isOf, isAgainst: some.some(({ against }) => isSame(placeOf(against), place)) }]
      })
    })
  }

  /** The mean, or another number, of a side that the words around a number do not contradict. */
  find(numeral: Numeral, bindings: Bindings, roles: readonly string[]): Match | undefined {
    const seed = bindings.get("seed")
    if (this.#sides.length === 0) return undefined
    if (seed !== undefined && seed.level <= SENTENCE && seed.values.size === 1) return undefined
    const named = this.#scope.attemptsOf(bindings, SENTENCE)
    const metrics = new Set(this.#sides.map(({ group }) => group.metric.name))
    const isOpen = bindings.get("metric") === undefined && metrics.size === 1
    const wanted = roles.includes("mean") ? ["mean"] : roles
    const fitting = this.#sides.filter(
      ({ group, place, isOf, isAgainst }) =>
        (isOpen || this.#scope.isCalled(group.metric.name, bindings)) &&
        group.attempts.every(({ attemptId }) => named?.has(attemptId) ?? true) &&
        !(numeral.role === "from" && isOf && !isAgainst) &&
        !(numeral.role === "to" && isAgainst && !isOf) &&
        [...place].every(([facet, value]) => this.#isOpenTo(numeral, bindings, facet, value)),
    )
    const isNamed = ({ place }: Side) => [...place].some(([facet, value]) => bindings.get(facet)?.values.has(value))
    // "with it they end at 0.276 and 0.620" speaks of one side.
    const rank = (side: Side) =>
      isNamed(side) ? 2 : this.#last !== undefined && isSame(side.place, this.#last) ? 1 : 0
    for (const { group, place } of fitting.toSorted((one, other) => rank(other) - rank(one)))
      for (const role of wanted) {
        const sheet = sheetOf(group)
        const value = sheet[role]
        if (value == null || !states(numeral, value, group.metric)) continue
        this.#last = place
        return { is: isOfGroup(group, role, value), sheet, measure: group.metric }
      }
    return undefined
  }

  /** Whether the clause of a number leaves room for a side: it names that one, none, or the other end of a range. */
  #isOpenTo(numeral: Numeral, bindings: Bindings, facet: string, value: string): boolean {
    const bound = bindings.get(facet)
    if (bound === undefined || bound.level > CLAUSE || bound.values.has(value)) return true
    if (numeral.role === "from" || numeral.role === "to")
      return [...bound.values].every((each) => this.#sides.some(({ place }) => place.get(facet) === each))
    // "After 960 steps it is 0.518 with resets" names the side "960 steps, resets" in two parts.
    const words = value.split(" ")
    const said = new Set(this.#scope.wordsOf(numeral))
    return (
      [...bound.values].every((each) => each.split(" ").every((word) => words.includes(word))) &&
      words.every((word) => said.has(word))
    )
  }
}
