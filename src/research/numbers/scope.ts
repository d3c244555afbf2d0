/** What the words around a number name: attempts, metrics, groups, last values and effects of a Room. */
import type { EffectFigures } from "../../contract/answers/measurements.ts"
import { PRIMARY } from "../measurements/reads.ts"
import type { Measured } from "../measurements/values.ts"
import type { Effect } from "../measurements/working-out.ts"
import { type Bindings, PARAGRAPH, type Passages, SENTENCE } from "./bindings.ts"
import type { Numeral } from "./numerals.ts"
import { type Mention, phraseOf, type Sentence } from "./passages.ts"
import { facetAt, facetIn, type Group, type Holder, type Metric, type Quantities, saidAs } from "./quantities.ts"

/** What is told of a difference. */
export type Figured = Pick<
  EffectFigures,
  "estimate" | "se" | "df" | "low" | "high" | "p" | "unit" | "pairs" | "ofCount" | "againstCount" | "noise"
>

/** An effect of a finding, or a difference in the table of a checkpoint. */
export interface KnownEffect {
  readonly holder: Holder
  readonly effect: Pick<Effect, "metric" | "split" | "of" | "against" | "where">
  /** As it was when the finding or the checkpoint was written. */
  readonly before: Figured
  /** As it is now; null if it can no longer be worked out. The same as before if nothing moved. */
  readonly now: Figured | null
  readonly hasMoved: boolean
}

/** A value that an attempt reported at a step. */
export interface Point {
  readonly name: string
  readonly split: string | null
  readonly step: number
  readonly value: number
}

/** What a text belongs to. */
export interface Own {
  readonly attemptIds: ReadonlySet<string>
  readonly versionIds: ReadonlySet<string>
  /** The groups of its attempts alone. */
  readonly groups: readonly Group[]
}

/** What is known of a Room. */
export interface Known {
  readonly quantities: Quantities
  /** Effects of its newest findings, newest first. */
  newestEffects(): readonly KnownEffect[]
  /** Effects of the record itself, of its table, and of the findings that the text names. */
  effectsNamed(): readonly KnownEffect[]
  readonly own: Own
  /** The attempts behind findings and plans, by label. */
  readonly behind: ReadonlyMap<string, ReadonlySet<string>>
  /** How many objects of a kind the Room has; undefined if it has none, or there is no such kind. */
  countOf(noun: string): number | undefined
  /** Numbers that the plan of the record states, and those of records that a text names, by label. */
  statedIn(label: string): readonly { readonly holder: Holder; readonly value: number }[]
  readonly planned: readonly { readonly holder: Holder; readonly value: number }[]
  /** What an attempt reported at the steps that the text names. */
  pointsAt(attemptId: string): readonly Point[]
}

/** A last value: where it stands in the frame of its metric. */
export interface Value {
  readonly metric: Metric
  readonly index: number
}
/** The attempts that a count may be of, and those of them that nothing which the sentence names contradicts. */
interface Counted {
  readonly inScope: readonly Measured[]
  readonly mine: readonly Measured[]
}
interface Candidate {
  readonly group: Group
  /** How many of the dimensions that tell it from others the text names. */
  readonly bound: number
}

/** What numbers may be, by what they are bound to. */
interface Found {
  readonly groups: Map<string, readonly Candidate[]>
  readonly values: Map<string, readonly Value[] | undefined>
  readonly pairs: Map<string, readonly Pair[]>
}
const nothingFound = (): Found => ({ groups: new Map(), values: new Map(), pairs: new Map() })
/** Two groups that differ in one dimension alone. */
export type Pair = readonly [mine: Group, theirs: Group]
/** The same for all texts that belong to nothing, as long as the state of a Room is kept. */
const foundIn = new WeakMap<Quantities, Found>()
const severalIn = new WeakMap<Quantities, ReadonlySet<string>>()
/** The attempts that reported several values of a metric. */
const withSeveral = (quantities: Quantities): ReadonlySet<string> =>
  severalIn.getOrInsertComputed(quantities, ({ metrics }) => {
    const found = new Set<string>()
    for (const some of metrics.values())
      for (const { ofAttempt } of some) for (const [id, indices] of ofAttempt) if (indices.length > 1) found.add(id)
    return found
  })
/** Bindings of a Room for which it is kept, and values of dimensions whose other attempts are. */
const [KEPT, OTHERS] = [10_000, 200]
const othersIn = new WeakMap<Quantities, Map<string, ReadonlySet<string> | undefined>>()

/** Most quantities among which a number is looked for, if the text names all that they have in common. */
export const NARROW = 12
/** Sets of attempts named by one text whose groups are worked out for it. */
const SETS = 20
/** Groups of a record's own attempts, for one metric, that need not be named. */
const FEW = 3
/** The letters of what has attempts behind it. */
const LABELLED = ["A", "E", "F", "P"]

export class Scope {
  readonly known: Known
  readonly in: Passages

  constructor(known: Known, passages: Passages) {
    this.known = known
    this.in = passages
  }

  /** The attempts that labels or values of dimensions near a number name; undefined if it names none. */
  attemptsOf(bindings: Bindings, level: number): ReadonlySet<string> | undefined {
    let key = ""
    for (const letter of LABELLED) {
      const bound = bindings.get(letter)
      if (bound !== undefined && bound.level <= level) for (const label of bound.values) key += `${label} `
    }
    return this.#labelled.getOrInsertComputed(key, () => this.#attemptsNamed(bindings, level))
  }
  readonly #labelled = new Map<string, ReadonlySet<string> | undefined>()
  #attemptsNamed(bindings: Bindings, level: number): ReadonlySet<string> | undefined {
    const { quantities, behind } = this.known
    const chosen: ReadonlySet<string>[] = []
    const attempts = bindings.get("A")
    if (attempts !== undefined && attempts.level <= level)
      chosen.push(new Set([...attempts.values].flatMap((label) => quantities.byLabel.get(label)?.attemptId ?? [])))
    const experiments = bindings.get("E")
    if (experiments !== undefined && experiments.level <= level)
      chosen.push(allOf(quantities.ofExperiment, experiments.values))
    for (const letter of ["F", "P"]) {
      const named = bindings.get(letter)
      if (named === undefined || named.level > level) continue
      const some = allOf(behind, named.values)
      if (some.size > 0) chosen.push(some)
    }
    if (chosen.length === 0) return undefined
    // A sentence that names an attempt and its experiment speaks of the attempt.
    return chosen.reduce((one, other) => {
      const both = one.intersection(other)
      return both.size > 0 ? both : one.union(other)
    })
  }

  /** The attempts that have a dimension, and not this value of it; undefined if it is none. */
  #withOther(facet: string, value: string): ReadonlySet<string> | undefined {
    const known = othersIn.getOrInsertComputed(this.known.quantities, () => new Map())
    if (known.size > OTHERS) known.clear()
    return known.getOrInsertComputed(`${facet}\u0000${value}`, () => {
      const dimension = this.known.quantities.dimensions.get(facet)
      if (dimension === undefined) return undefined
      const [same, others] = [new Set<string>(), new Set<string>()]
      for (const [text, some] of dimension.values)
        for (const attemptId of some) (saidAs(text) === value ? same : others).add(attemptId)
      return others.difference(same)
    })
  }
  readonly #agreed = new Map<Iterable<string>, Map<string, readonly string[]>>()
  /** Those of some attempts that have, of each dimension that a sentence names, a value that it names or none. */
  #agreeing(some: Iterable<string>, bindings: Bindings): readonly string[] {
    const { wanted } = bindings
    let key = ""
    for (const [facet, values] of wanted) key += `${facet}\u0000${[...values].join("\u0001")}\u0002`
    const known = this.#agreed.getOrInsertComputed(some, () => new Map())
    return known.getOrInsertComputed(key, () => {
      // Of what has none of the values that a sentence names: those that have another than each.
      const excluded = [...wanted].flatMap(([facet, values]) => {
        const [first, ...others] = Array.from(values, (value) => this.#withOther(facet, value))
        if (first === undefined || others.includes(undefined)) return []
        return others.reduce<ReadonlySet<string>>((left, other) => left.intersection(other ?? left), first)
      })
      const agreeing: string[] = []
      next: for (const id of some) {
        for (const each of excluded) if (each.has(id)) continue next
        agreeing.push(id)
      }
      return agreeing
    })
  }

  readonly #scopes = new Map<string, Counted>()
  countedIn(bindings: Bindings, named: ReadonlySet<string> | undefined): Counted {
    return this.#scopes.getOrInsertComputed(bindings.key, () => this.#scopeOf(bindings, named))
  }
  get #all(): ReadonlySet<string> {
    return (this.#ids ??= new Set(this.known.quantities.byId.keys()))
  }
  #ids: ReadonlySet<string> | undefined
  /** The attempts that a count may be of. */
  #scopeOf(bindings: Bindings, named: ReadonlySet<string> | undefined): Counted {
    const all = named ?? this.#all
    const agreeing = this.#agreeing(all, bindings)
    const inScope = this.#listed.getOrInsertComputed(all, () => this.#listOf(all))
    return { inScope, mine: this.#listed.getOrInsertComputed(agreeing, () => this.#listOf(agreeing)) }
  }
  readonly #listed = new Map<Iterable<string>, readonly Measured[]>()
  #listOf(ids: Iterable<string>): readonly Measured[] {
    const { byId } = this.known.quantities
    const found: Measured[] = []
    for (const id of ids) {
      const attempt = byId.get(id)
      if (attempt !== undefined) found.push(attempt)
    }
    return found
  }

  readonly #within = new Map<ReadonlySet<string>, Map<Metric, readonly Group[]>>()
  /** The groups of a metric; those of some attempts alone if any are named. */
  groupsWithin(metric: Metric, named: ReadonlySet<string> | undefined): readonly Group[] {
    if (named === undefined) return metric.groups
    const known = this.#within.getOrInsertComputed(named, () => new Map())
    return known.getOrInsertComputed(metric, () => {
      return (
        this.#groupsAmong(named)?.filter((group) => group.metric === metric) ??
        [...named].flatMap(
          (attemptId) => metric.byFirst.get(attemptId)?.filter((group) => isWithin(group, named)) ?? [],
        )
      )
    })
  }

  readonly #among = new Map<ReadonlySet<string>, readonly Group[] | undefined>()
  /**
   * The groups of a few attempts alone, if one of them reported several values of a metric: a group of its experiment
   * may hold other attempts too. Undefined if each reported one, or if the text names too many such sets.
   */
  #groupsAmong(named: ReadonlySet<string>): readonly Group[] | undefined {
    const { quantities } = this.known
    if (this.#among.has(named)) return this.#among.get(named)
    if (named.size > NARROW || this.#among.size >= SETS) return undefined
    if (named.isDisjointFrom(withSeveral(quantities))) return undefined
    const succeeded = quantities.attempts.filter(
      ({ attemptId, status }) => named.has(attemptId) && status === "succeeded",
    )
    // A run and its reproduction are not averaged, as in the groups of an experiment.
    const groups = [...Map.groupBy(succeeded, ({ intent }) => PRIMARY.includes(intent)).values()].flatMap((some) => {
      const [experiment, ...others] = new Set(some.map(({ experimentId }) => experimentId))
      const isOne = experiment !== undefined && others.length === 0
      const holder = isOne
        ? { kind: "experiment" as const, id: experiment, label: quantities.experiments.get(experiment) ?? null }
        : { kind: "room" as const, id: quantities.roomId, label: null }
      return quantities.groupsAmong(new Set(some.map(({ attemptId }) => attemptId)), holder)
    })
    this.#among.set(named, groups)
    return groups
  }

  /** Whether nothing that the sentence names contradicts a group. */
  isConsistent(group: Group, bindings: Bindings): boolean {
    for (const [facet, values] of bindings.wanted) {
      if (facet === "split") {
        if (group.metric.split !== null && !values.has(group.metric.split)) return false
        continue
      }
      const own = facetIn(group, facet)
      if (own !== undefined) {
        if (!values.has(own)) return false
      } else if (facet === "seed") {
        if (values.size === 1) return false
      } else return false
    }
    return true
  }

  /** The effects of the record itself, and of findings that the sentence names. */
  effectsNamed(bindings: Bindings): KnownEffect[] {
    const { own } = this.known
    const findings = bindings.get("F")?.values
    if (own.versionIds.size === 0 && findings === undefined) return []
    return this.known
      .effectsNamed()
      .filter(({ holder: { id, label } }) => own.versionIds.has(id) || (label !== null && findings?.has(label)))
  }

  /** The metrics that a text names for a number. */
  metricsOf(bindings: Bindings): { readonly metrics: readonly Metric[]; readonly isNamed: boolean } {
    const { quantities, own } = this.known
    const named = bindings.get("metric")
    const split = bindings.get("split")
    const isSplit = (metric: Metric) =>
      split === undefined || split.level === PARAGRAPH || metric.split === null || split.values.has(metric.split)
    if (named !== undefined)
      return {
        metrics: [...named.values].flatMap((name) => quantities.metrics.get(name) ?? []).filter(isSplit),
        isNamed: true,
      }
    if (own.groups.length > 0) {
      const metrics = [...new Set(own.groups.map(({ metric }) => metric))].filter(isSplit)
      return { metrics, isNamed: new Set(metrics.map(({ name }) => name)).size === 1 }
    }
    const [only, ...more] = quantities.metrics.values()
    return { metrics: more.length > 0 ? [] : (only ?? []).filter(isSplit), isNamed: false }
  }

  readonly #found = nothingFound()
  /** Where what a number may be is kept: for the text, or for all texts that belong to nothing. */
  #foundFor(bindings: Bindings): Found {
    const { own, quantities } = this.known
    if (own.attemptIds.size > 0 || own.versionIds.size > 0 || bindings.has("F") || bindings.has("P")) return this.#found
    // A text has groups of its own for the first few attempts with several values that it names.
    for (const level of withSeveral(quantities).size === 0 ? [] : [SENTENCE, PARAGRAPH]) {
      const named = this.attemptsOf(bindings, level)
      if (named !== undefined && named.size <= NARROW && !named.isDisjointFrom(withSeveral(quantities)))
        return this.#found
    }
    const known = foundIn.getOrInsertComputed(quantities, nothingFound)
    for (const each of [known.groups, known.values, known.pairs]) if (each.size > KEPT) each.clear()
    return known
  }

  /**
   * The groups that a number may be the mean of, if the text names them, the least merged first. Numbers with the same
   * names share them.
   */
  groupsOf(bindings: Bindings): readonly Candidate[] {
    return this.#foundFor(bindings).groups.getOrInsertComputed(bindings.key, () => this.#candidatesOf(bindings))
  }
  /**
   * Groups of the attempts that a sentence names; else, if several experiments have the metric, those of the attempts
   * that its paragraph names, or of the whole Room, and the text's own.
   */
  #groupsNear(metric: Metric, named: ReadonlySet<string> | undefined, further: ReadonlySet<string> | undefined) {
    if (named !== undefined || metric.experiments <= 1) return this.groupsWithin(metric, named)
    const wide =
      further === undefined
        ? metric.groups.filter(({ holder }) => holder.kind === "room")
        : this.groupsWithin(metric, further)
    return new Set([...wide, ...this.groupsWithin(metric, this.known.own.attemptIds)])
  }
  #candidatesOf(bindings: Bindings): readonly Candidate[] {
    const { metrics } = this.metricsOf(bindings)
    const { own, quantities } = this.known
    const named = this.attemptsOf(bindings, SENTENCE)
    const further = named ?? this.attemptsOf(bindings, PARAGRAPH)
    const found: { readonly group: Group; readonly bound: number; readonly isOwn: boolean }[] = []
    /** @param isNamed whether its attempts are known to be those that the sentence names */
    const consider = (group: Group, isNamed: boolean): void => {
      if (named !== undefined && !isNamed && !isWithin(group, named)) return
      if (!this.isConsistent(group, bindings)) return
      const isOwn = own.attemptIds.size > 0 && isWithin(group, own.attemptIds)
      if (own.groups.length > 0 && !isOwn && named === undefined) return
      if (named === undefined && !isOwn && group.metric.experiments > 1) {
        const isPlaced = further === undefined ? group.holder.kind === "room" : isWithin(group, further)
        if (!isPlaced) return
      }
      const bound = group.telling.filter((facet) => bindings.get(facet)?.values.has(group.key.get(facet) ?? "")).length
      found.push({ group, bound, isOwn })
    }
    for (const group of own.groups) if (metrics.includes(group.metric)) consider(group, false)
    for (const metric of metrics) for (const group of this.#groupsNear(metric, named, further)) consider(group, true)
    // A record that compares two arms speaks of them: "from 0.210 to 0.314".
    const isFew =
      bindings.has("metric") &&
      own.groups.filter((group) => group.merged === 0 && found.some((each) => each.group === group)).length <= FEW
    const chosen = found.filter(({ group, bound, isOwn }) => {
      if (bound > 0) return true
      if (group.telling.length > 0)
        return (named !== undefined && isSmall(found.length)) || (isOwn && isFew && group.merged === 0)
      return isOwn || named !== undefined || quantities.attempts.length === group.attempts.length || group.merged === 0
    })
    const most = Math.max(0, ...chosen.map(({ bound }) => bound))
    const nearest = chosen.filter(({ bound }) => bound === most)
    return nearest.length <= NARROW ? nearest.toSorted((one, other) => one.group.merged - other.group.merged) : []
  }

  /** The pairs of groups that a difference may be of, found once for numbers with the same names. */
  pairsOf(bindings: Bindings, facet: string, one: string, other: string, find: () => readonly Pair[]) {
    const key = [bindings.key, facet, one, other].join("\u0003")
    return this.#foundFor(bindings).pairs.getOrInsertComputed(key, find)
  }

  valuesAt(bindings: Bindings): readonly Value[] | undefined {
    return this.#foundFor(bindings).values.getOrInsertComputed(bindings.key, () => this.#valuesOf(bindings))
  }
  /** The last values of attempts that the text names, by their labels or by seed and arm; undefined if too many. */
  #valuesOf(bindings: Bindings): readonly Value[] | undefined {
    const { metrics } = this.metricsOf(bindings)
    const { quantities, own } = this.known
    const labelled = bindings.get("A")
    const named = this.attemptsOf(bindings, SENTENCE)
    const seed = bindings.get("seed")
    const bySeed = seed === undefined || seed.level > SENTENCE || seed.values.size > 1 ? undefined : seed
    const isLabelled = labelled !== undefined && (labelled.level <= SENTENCE || bySeed !== undefined)
    const scope = named ?? (own.attemptIds.size > 0 ? own.attemptIds : undefined)
    const ofSeed = bySeed && quantities.dimensions.get("seed")?.values.get([...bySeed.values][0] ?? "")
    const candidates = isLabelled ? (named ?? this.attemptsOf(bindings, PARAGRAPH)) : (ofSeed ?? scope)
    if (candidates === undefined) return undefined
    const most = !isLabelled ? NARROW : bindings.get("metric") === undefined ? NARROW : 20 * NARROW
    const within = scope === undefined || isLabelled ? candidates : candidates.intersection(scope)
    const fitting = this.#agreeing(within, bindings)
    const found: Value[] = []
    for (const metric of metrics)
      for (const attemptId of fitting) {
        for (const index of metric.ofAttempt.get(attemptId) ?? []) {
          if (!this.#holds(metric, index, bindings)) continue
          found.push({ metric, index })
          if (found.length > most) return undefined
        }
      }
    return found
  }

  /** Whether nothing that the sentence names contradicts a value. */
  #holds(metric: Metric, index: number, bindings: Bindings): boolean {
    for (const [facet, values] of bindings.wanted) {
      if (facet === "split") {
        if (metric.split !== null && !values.has(metric.split)) return false
        continue
      }
      const own = facetAt(metric, index, facet)
      if (own === undefined || !values.has(own)) return false
    }
    return true
  }

  /** Whether a text names a metric: by its name, or "pass@1" of "held-out pass@1" where `held-out` is a split of it. */
  isCalled(name: string, bindings: Bindings): boolean {
    const named = bindings.get("metric")?.values
    if (named === undefined) return false
    const phrase = phraseOf(name)
    const isPart = (other: string): boolean =>
      (this.known.quantities.metrics.get(other) ?? []).some(
        ({ split }) => split !== null && `${phraseOf(split)} ${phraseOf(other)}` === phrase,
      )
    return named.has(name) || [...named].some(isPart)
  }

  /** The attempts that the sentence of a number names. */
  labelsOf(numeral: Numeral): readonly Mention[] {
    const sentence = this.in.sentenceOf(numeral)
    return (sentence && this.in.around(sentence).byFacet.get("A")) ?? []
  }

  /** The words of the sentence of a number. */
  wordsOf(numeral: Numeral): string[] {
    const sentence = this.in.sentenceOf(numeral)
    return sentence === undefined ? [] : phraseOf(this.in.text.slice(sentence.start, sentence.end)).split(" ")
  }

  readonly #says = new Map<RegExp, Map<Sentence, boolean>>()
  /** Whether the sentence of a number has a word of the pattern, a global one, that is not part of a name. */
  says(numeral: Numeral, pattern: RegExp): boolean {
    const sentence = this.in.sentenceOf(numeral)
    if (sentence === undefined) return false
    const known = this.#says.getOrInsertComputed(pattern, () => new Map())
    return known.getOrInsertComputed(sentence, ({ start, end }) =>
      [...this.in.text.slice(start, end).matchAll(pattern)].some(({ index }) => !this.in.isNamed(start + index)),
    )
  }
}

/** The attempts of some labels. */
function allOf(attemptsOf: ReadonlyMap<string, ReadonlySet<string>>, labels: ReadonlySet<string>): ReadonlySet<string> {
  const [first, ...others] = Array.from(labels, (label) => attemptsOf.get(label) ?? new Set<string>())
  return others.reduce<ReadonlySet<string>>((all, some) => all.union(some), first ?? new Set())
}
/** Whether all attempts of a group are among some. */
const isWithin = ({ attempts }: Group, some: ReadonlySet<string>): boolean =>
  attempts.every(({ attemptId }) => some.has(attemptId))
const isSmall = (count: number): boolean => count <= 3
