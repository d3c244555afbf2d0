/**
 * Finds what each number of a text is in the record. A number is found when a value equals it as it is rounded, and the
 * words around it, or the record that the text belongs to, name what it is of.
 */
import type { EffectFigures } from "../../contract/answers/measurements.ts"
import { canonicalJson } from "../../contract/json.ts"
import type { Scalar } from "../measurements/cells.ts"
import { folded } from "../measurements/stated.ts"
import type { Measured } from "../measurements/values.ts"
import type { Effect } from "../measurements/working-out.ts"
import { type Bindings, CLAUSE, keyOf, PARAGRAPH, type Passages, SENTENCE } from "./bindings.ts"
import { isRounded, states } from "./comparing.ts"
import { facetAt, facetIn, type Quantities, type Group, type Holder, type Metric, saidAs } from "./quantities.ts"
import type { Numeral } from "./numerals.ts"

/** An effect of a finding. */
export interface KnownEffect {
  readonly holder: Holder
  readonly effect: Effect
  /** As it was when the finding landed. */
  readonly figures: EffectFigures
  /** As it is now; null if it can no longer be worked out. The same as before if nothing moved. */
  readonly now: EffectFigures | null
  readonly hasMoved: boolean
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
  readonly effects: readonly KnownEffect[]
  readonly own: Own
  /** The attempts behind findings and plans, by label. */
  readonly behind: ReadonlyMap<string, ReadonlySet<string>>
  /** Counts of the Room's objects, by noun. */
  readonly counts: ReadonlyMap<string, number>
  /** Numbers that the plan of the record states, and those of records that a text names, by label. */
  statedIn(label: string): readonly { readonly holder: Holder; readonly value: number }[]
  readonly planned: readonly { readonly holder: Holder; readonly value: number }[]
}

export type Is = {
  readonly kind: "mean" | "effect" | "metric" | "count" | "setting" | "dimension"
  readonly of: Holder | null
  readonly metric?: string
  readonly split?: string
  readonly group?: Readonly<Record<string, Scalar | null>>
  readonly role?: string
  readonly value: number
  readonly now?: number | null
  readonly n?: number
  readonly attempts?: readonly string[]
}

export interface Resolved {
  readonly state: "resolves" | "may_be" | "moved" | "unknown" | "setting"
  readonly is?: Is
  readonly candidates: number
}

/** A last value: where it stands in the frame of its metric. */
interface Value {
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

const UNKNOWN: Resolved = { state: "unknown", candidates: 0 }

/** Most quantities among which a number is looked for, if the text names all that they have in common. */
const NARROW = 12
/** Most groups whose differences are worked out for a number. */
const PAIRS = 24
/** The letters of what has attempts behind it. */
const LABELLED = ["A", "E", "F", "P"]
/** Most labels in an answer. */
const LABELS = 10

/** A pattern for any of some words, each with or without an ending if it has a star. */
const anyOf = (words: string): string =>
  words
    .split(" ")
    .map((word) => word.replace("*", "\\w*"))
    .join("|")
const [LOWER, HIGHER] = [
  "lower* less fewer below drop* fell fall* decreas* reduc* smaller shrink* slower behind loses lost short minus",
  "higher more above rise* rose increas* larger greater raise* exceed* gain* ahead",
]
const OTHER =
  "better worse than gap gaps differ* improv* beat* outperform* adds saves advantage faster against versus vs"
const DIFFERENCE = new RegExp(
  `\\b(?:${anyOf(`${LOWER} ${HIGHER} ${OTHER} over effect effects delta deltas`)})\\b|[−Δδ]`,
  "iu",
)
const DOWN = new RegExp(`\\b(?:${anyOf(LOWER)})\\b`, "iu")
const UP = new RegExp(`\\b(?:${anyOf(HIGHER)})\\b`, "iu")
const BESIDE = anyOf("than against versus vs over from below above behind beats")
/** What stands before the side that the other is compared with. */
const SECOND_BEFORE = new RegExp(
  `\\b(?:${BESIDE}|compared (?:with|to)|relative to)\\.?\\s(?:that of |of |the )?$`,
  "iu",
)
const OVERALL = /\b(?:overall|average[ds]?|mean|across|all|pooled|together|in total)\b/iu

const ROLES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\b(?:sd|std|s\.d\.|standard deviations?|stdev|spread|noise)\b[^0-9]{0,16}$/iu, ["sd"]],
  [/\b(?:se|sem|s\.e\.|standard errors?)\b[^0-9]{0,12}$/iu, ["se"]],
  [/\b[pP](?: ?[-–] ?values?)?\s?(?:=|<|>|≈|of)\s?$/u, ["p"]],
  [/\b[nN]\s?=\s?$/u, ["n"]],
  [/\b(?:min|minimum|lowest|worst|smallest)\b[^0-9]{0,24}$/iu, ["min", "max"]],
  [/\b(?:max|maximum|highest|best|largest|peak)\b[^0-9]{0,24}$/iu, ["max", "min"]],
  [/\b(?:interval|CI|bounds?|limits?)\b[^0-9]{0,16}$/u, ["low", "high"]],
]
const ENDS = ["low", "high", "min", "max", "mean"]

/** The numbers of a group or an effect, by what they are. */
type Sheet = Readonly<Record<string, number | null>>
const sheetOf = ({ summary }: Group): Sheet => ({
  ...{ mean: summary.mean, sd: summary.sd, se: summary.se, low: summary.low, high: summary.high },
  ...{ min: summary.min, max: summary.max, n: summary.n },
  half: summary.low === null ? null : summary.mean - summary.low,
})
const sheetOfEffect = (figures: EffectFigures): Sheet => ({
  ...{ mean: figures.estimate, se: figures.se, low: figures.low, high: figures.high, p: figures.p, df: figures.df },
  ...{ sd: figures.noise?.sd ?? null, n: figures.pairs ?? Math.min(figures.ofCount, figures.againstCount) },
  half: figures.low === null ? null : figures.estimate - figures.low,
})

const REFERENCES = anyOf(
  "table figure fig section sec eq equation appendix line lines page pages p pp algorithm entry entries version",
)
const REFERENCE = new RegExp(`(?:\\b(?:${REFERENCES})\\.?|§)\\s?$`, "iu")
const LEVEL_AFTER = /^[\s-]?(?:CI|confidence|interval|credible|level)\b/iu
const BETWEEN = anyOf(
  "of the these those its all other more independent distinct different random succeeded successful failed planned " +
    "paired completed finished training repeated",
)
const NOUNS = anyOf(
  "attempts? runs? trials? repeats? repetitions? replicates? replications? seeds? arms? conditions? groups? pairs? " +
    "values? experiments? findings? hypothesis hypotheses plans? reviews? metrics?",
)
const COUNTED = new RegExp(`^[\\s-](?:(?:${BETWEEN})\\s){0,3}(${NOUNS})\\b`, "iu")
const OUT_OF = /^\s?(?:of|\/|out of)\s?(?:the\s|its\s|all\s)?([0-9]{1,6})(?![0-9.])/iu

const near = (numeral: Numeral, value: number): boolean => numeral.readings.some((reading) => isRounded(reading, value))

export class Resolver {
  readonly #known: Known
  readonly #in: Passages

  constructor(known: Known, passages: Passages) {
    this.#known = known
    this.#in = passages
  }

  /** What a number is. Numbers are asked for in the order of the text. */
  resolve(numeral: Numeral, previous: Resolved | undefined): Resolved {
    if (numeral.isDate) return { state: "setting", candidates: 0 }
    const { text } = this.#in
    const head = text.slice(Math.max(0, numeral.start - 48), numeral.start)
    const tail = text.slice(numeral.end, numeral.end + 64)
    if (numeral.readings.length === 0) return UNKNOWN
    if (numeral.form === "percent" && LEVEL_AFTER.test(tail)) return { state: "setting", candidates: 0 }
    if (numeral.form === "plain" && REFERENCE.test(head)) return { state: "setting", candidates: 0 }
    const bindings = this.#in.bindingsOf(numeral)
    return (
      this.#spread(numeral, previous) ??
      this.#placed(numeral, bindings) ??
      this.#counted(numeral, bindings, head, tail) ??
      this.#measured(numeral, bindings, head) ??
      this.#stated(numeral, bindings) ??
      this.#chance(numeral)
    )
  }

  /** A spread or interval behind a number belongs to the same figure. */
  readonly #sheets = new WeakMap<
    Resolved,
    { readonly sheet: Sheet; readonly is: Is; readonly measure: Pick<Metric, "name" | "unit"> }
  >()
  #spread(numeral: Numeral, previous: Resolved | undefined): Resolved | undefined {
    const beside = previous && this.#sheets.get(previous)
    if (beside === undefined) return numeral.role === "spread" ? { state: "unknown", candidates: 0 } : undefined
    if (numeral.role === "value") return undefined
    const wanted = numeral.role === "spread" ? ["sd", "se", "half"] : ["low", "high"]
    const { sheet, is, measure } = beside
    for (const role of wanted) {
      const value = sheet[role]
      const form = numeral.form === "plain" && numeral.role === "spread" ? this.#formOf(is) : numeral.form
      if (value == null || !states({ ...numeral, form }, value, measure, true)) continue
      return this.#found({ ...is, role, value }, sheet, measure)
    }
    return numeral.role === "spread" ? UNKNOWN : undefined
  }
  readonly #forms = new WeakMap<Is, Numeral["form"]>()
  #formOf = (is: Is): Numeral["form"] => this.#forms.get(is) ?? "plain"

  #found(
    is: Is,
    sheet?: Sheet,
    measure?: Pick<Metric, "name" | "unit">,
    state: Resolved["state"] = "resolves",
  ): Resolved {
    const found: Resolved = { state, is, candidates: 1 }
    if (sheet !== undefined && measure !== undefined) this.#sheets.set(found, { sheet, is, measure })
    return found
  }

  /** The attempts that labels or values of dimensions near a number name; undefined if it names none. */
  #attemptsOf(bindings: Bindings, level: number): ReadonlySet<string> | undefined {
    let key = ""
    for (const letter of LABELLED) {
      const bound = bindings.get(letter)
      if (bound !== undefined && bound.level <= level) for (const label of bound.values) key += `${label} `
    }
    return this.#labelled.getOrInsertComputed(key, () => this.#attemptsNamed(bindings, level))
  }
  readonly #labelled = new Map<string, ReadonlySet<string> | undefined>()
  #attemptsNamed(bindings: Bindings, level: number): ReadonlySet<string> | undefined {
    const { quantities, behind } = this.#known
    const chosen: Set<string>[] = []
    const attempts = bindings.get("A")
    if (attempts !== undefined && attempts.level <= level)
      chosen.push(new Set([...attempts.values].flatMap((label) => quantities.byLabel.get(label)?.attemptId ?? [])))
    const experiments = bindings.get("E")
    if (experiments !== undefined && experiments.level <= level)
      chosen.push(new Set([...experiments.values].flatMap((label) => [...(quantities.ofExperiment.get(label) ?? [])])))
    for (const letter of ["F", "P"]) {
      const named = bindings.get(letter)
      if (named === undefined || named.level > level) continue
      const some = new Set([...named.values].flatMap((label) => [...(behind.get(label) ?? [])]))
      if (some.size > 0) chosen.push(some)
    }
    if (chosen.length === 0) return undefined
    // A sentence that names an attempt and its experiment speaks of the attempt.
    return chosen.reduce((one, other) => {
      const both = one.intersection(other)
      return both.size > 0 ? both : one.union(other)
    })
  }

  /** A value of a dimension or a setting, beside its name. */
  #placed(numeral: Numeral, bindings: Bindings): Resolved | undefined {
    const placed = this.#in.placed.get(numeral)
    if (placed === undefined) return undefined
    const { facet, isBefore } = placed
    if (facet === "seed" && !isBefore) return undefined
    const { quantities } = this.#known
    const dimension = quantities.dimensions.get(facet)
    const named = this.#attemptsOf(bindings, SENTENCE)
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
    const { dimensions } = this.#known.quantities
    return [...bindings].every(([other, { values, level }]) => {
      const dimension = dimensions.get(other)
      if (dimension === undefined || other === facet || level > CLAUSE) return true
      return [...dimension.values].some(([text, some]) => values.has(saidAs(text)) && !some.isDisjointFrom(attemptIds))
    })
  }

  readonly #contradicting = new Map<string, ReadonlySet<string> | undefined>()
  /** The attempts that have only other values of a dimension; undefined if it is none. */
  #others(facet: string, values: ReadonlySet<string>): ReadonlySet<string> | undefined {
    return this.#contradicting.getOrInsertComputed(JSON.stringify([facet, ...values]), () => {
      const dimension = this.#known.quantities.dimensions.get(facet)
      if (dimension === undefined) return undefined
      const [same, others] = [new Set<string>(), new Set<string>()]
      for (const [text, some] of dimension.values)
        for (const attemptId of some) (values.has(saidAs(text)) ? same : others).add(attemptId)
      return others.difference(same)
    })
  }

  /** A number of attempts, seeds, arms and so on. */
  #counted(numeral: Numeral, bindings: Bindings, head: string, tail: string): Resolved | undefined {
    if (
      numeral.form !== "plain" ||
      numeral.unit !== null ||
      numeral.readings.every(({ value }) => !Number.isInteger(value))
    )
      return undefined
    const outOf = OUT_OF.exec(tail)
    const [, noun = ""] = COUNTED.exec(outOf === null ? tail : tail.slice(outOf[0].length)) ?? []
    const isN = /\b[nN]\s?=\s?$/u.test(head)
    if (noun === "" && !isN) return undefined
    const { quantities, own, counts } = this.#known
    const stem = isN
      ? "n"
      : noun
          .toLowerCase()
          .replace(/^hypothes[ie]s$/, "hypothesis")
          .replace(/s$/, "")
    const named = this.#attemptsOf(bindings, PARAGRAPH) ?? (own.attemptIds.size > 0 ? own.attemptIds : undefined)
    const { inScope, mine } = this.#scopes.getOrInsertComputed(keyOf(bindings), () => this.#scopeOf(bindings, named))
    const sentence = this.#in.sentenceOf(numeral)
    const words = sentence === undefined ? "" : this.#in.text.slice(sentence.start, sentence.end)
    const found: [number, Holder][] = []
    const room: Holder = { kind: "room", id: quantities.roomId, label: null }
    const [only] = new Set(mine.map(({ experimentId }) => experimentId))
    const of: Holder =
      named !== undefined && only !== undefined && mine.every(({ experimentId }) => experimentId === only)
        ? { kind: "experiment", id: only, label: quantities.experiments.get(only) ?? null }
        : room
    if (/^(?:attempt|run|trial|repeat|repetition|replicate|replication|value|n|group|pair)$/.test(stem)) {
      const statuses = [...new Set(mine.map(({ status }) => status))]
      const said = statuses.filter((status) => words.toLowerCase().includes(status.slice(0, 6)))
      for (const status of said) found.push([mine.filter((each) => each.status === status).length, of])
      const isPart = outOf !== null && said.length > 0
      if (!isPart) {
        found.push([mine.length, of], [mine.filter(({ status }) => status === "succeeded").length, of])
        found.push([inScope.length, of])
        for (const some of Map.groupBy(mine, ({ arm, experimentId }) => `${experimentId} ${arm}`).values())
          found.push([some.length, of])
      }
    }
    if (/^(?:seed|value|n|pair|repeat|repetition|replicate|replication|run)$/.test(stem)) {
      found.push(...seedsAmong(quantities, [mine, inScope]).map((count): [number, Holder] => [count, of]))
      const metrics = bindings.get("metric")?.values
      for (const some of quantities.metrics.values())
        for (const { name, groups } of some)
          if (metrics === undefined || metrics.has(name))
            for (const group of groups)
              if (group.merged === 0 && group.attempts.every(({ attemptId }) => named?.has(attemptId) ?? true))
                if (this.#isConsistent(group, bindings)) found.push([group.summary.n, group.holder])
      for (const each of this.#effectsNamed(bindings)) {
        const { pairs, ofCount, againstCount } = each.figures
        for (const count of [pairs, ofCount, againstCount]) if (count !== null) found.push([count, each.holder])
      }
    }
    if (/^(?:arm|condition|group)$/.test(stem)) {
      const arms = quantities.dimensions.get("arm")?.values
      const scope = new Set(inScope.map(({ attemptId }) => attemptId))
      if (arms !== undefined) found.push([[...arms.values()].filter((some) => !some.isDisjointFrom(scope)).length, of])
    }
    const ofRoom = counts.get(stem)
    if (ofRoom !== undefined) found.push([ofRoom, room])
    if (stem === "metric") found.push([quantities.metrics.size, room])
    const match = found.find(([count]) => numeral.readings.some(({ value }) => value === count))
    if (match === undefined) return UNKNOWN
    return this.#found({ kind: "count", of: match[1], value: match[0] })
  }

  readonly #scopes = new Map<string, Counted>()
  /** The attempts that a count may be of. */
  #scopeOf(bindings: Bindings, named: ReadonlySet<string> | undefined): Counted {
    const inScope = this.#known.quantities.attempts.filter(({ attemptId }) => named?.has(attemptId) ?? true)
    const contradicting = [...bindings].flatMap(([facet, { values, level }]) =>
      level > SENTENCE ? [] : (this.#others(facet, values) ?? []),
    )
    return {
      inScope,
      mine: inScope.filter(({ attemptId }) => !contradicting.some((some) => some.has(attemptId))),
    }
  }

  /** Whether nothing that the sentence names contradicts a group. */
  #isConsistent(group: Group, bindings: Bindings): boolean {
    for (const [facet, { values, level }] of bindings) {
      if (level > SENTENCE || facet === "metric" || /^[A-Z]$/.test(facet)) continue
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
  #effectsNamed(bindings: Bindings): KnownEffect[] {
    const { effects, own } = this.#known
    const findings = bindings.get("F")?.values
    return effects.filter(
      ({ holder: { id, label } }) => own.versionIds.has(id) || (label !== null && findings?.has(label)),
    )
  }

  /** A value that was measured: an effect, a mean, the difference of two, or an attempt's last value. */
  #measured(numeral: Numeral, bindings: Bindings, head: string): Resolved | undefined {
    const roles = this.#rolesOf(numeral, head)
    const labelled = bindings.get("A")
    // A sentence that names one attempt speaks of its value, not of a mean of one.
    const isOne = labelled !== undefined && labelled.level <= SENTENCE && labelled.values.size === 1
    const own = isOne && roles.includes("mean") ? this.#value(numeral, bindings, 1) : undefined
    if (own !== undefined) return own
    return (
      this.#effect(numeral, bindings, roles) ??
      this.#mean(numeral, bindings, roles) ??
      this.#difference(numeral, bindings) ??
      (roles.includes("mean") ? this.#value(numeral, bindings) : undefined)
    )
  }

  #rolesOf(numeral: Numeral, head: string): readonly string[] {
    const told = ROLES.find(([pattern]) => pattern.test(head))?.[1]
    if (told !== undefined) return told
    return numeral.role === "from" || numeral.role === "to" ? ENDS : ["mean"]
  }

  #effect(numeral: Numeral, bindings: Bindings, roles: readonly string[]): Resolved | undefined {
    const named = new Set(this.#effectsNamed(bindings))
    const metric = bindings.get("metric")
    for (const known of this.#known.effects) {
      const { effect, figures, now, hasMoved, holder } = known
      if (metric === undefined ? !named.has(known) : metric.level <= SENTENCE && !metric.values.has(effect.metric))
        continue
      const sides = this.#sidesOf(effect, numeral, bindings)
      if (sides === undefined || (!named.has(known) && !(sides.isNamed && metric !== undefined))) continue
      const measure = { name: effect.metric, unit: figures.unit }
      const sheet = sheetOfEffect(figures)
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
        this.#forms.set(is, numeral.form)
        return this.#found(is, sheet, measure, hasMoved ? "moved" : "resolves")
      }
    }
    return undefined
  }

  /**
   * How a sentence names the two sides of an effect; undefined if it names another arm instead. `isSwapped`: it speaks
   * of the second side first.
   */
  #sidesOf(effect: Effect, numeral: Numeral, bindings: Bindings) {
    const { where = {} } = effect
    const sentence = this.#in.sentenceOf(numeral)
    if (sentence === undefined) return undefined
    const { byFacet } = this.#in.around(sentence)
    let [isNamed, isSwapped] = [true, false]
    let order: "told" | "open" = "open"
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
      order = "told"
      isSwapped = this.#isSecondFirst(mentions, other)
    }
    for (const [name, value] of Object.entries(where)) {
      const bound = bindings.get(folded(name))
      if (bound === undefined || String(value).startsWith("!")) continue
      if (bound.level <= SENTENCE && !bound.values.has(saidAs(value))) return undefined
    }
    return { isNamed, isSwapped, order }
  }

  readonly #facets = new Map<Effect, { facet: string; one: string | undefined; other: string | undefined }[]>()
  /** The dimensions of the two sides of an effect. */
  #facetsOf(effect: Effect) {
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
    const before = this.#in.text.slice(Math.max(0, first.start - 40), first.start)
    const isMarked = SECOND_BEFORE.test(before)
    return (first.value === second) !== isMarked
  }

  /** Whether a number states a difference: with its sign, or with the direction that the words have. */
  #statesDifference(
    numeral: Numeral,
    value: number,
    measure: Pick<Metric, "name" | "unit">,
    order: "told" | "open",
  ): boolean {
    if (numeral.sign !== null)
      return states(numeral, value, measure) || (numeral.role === "to" && states(numeral, -value, measure))
    if (!states(numeral, Math.abs(value), measure)) return false
    const sentence = this.#in.sentenceOf(numeral)
    if (order === "open" || sentence === undefined || value === 0) return true
    const clause = sentence.clauses.find(({ start, end }) => numeral.start >= start && numeral.start < end) ?? sentence
    for (const span of [clause, sentence]) {
      const words = this.#in.text.slice(span.start, span.end)
      const [down, up] = [DOWN.test(words), UP.test(words)]
      if (down !== up) return down ? value < 0 : value > 0
    }
    return true
  }

  /** The metrics that a text names for a number. */
  #metricsOf(bindings: Bindings): { readonly metrics: readonly Metric[]; readonly isNamed: boolean } {
    const { quantities, own } = this.#known
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

  readonly #candidates = new Map<string, readonly Candidate[]>()
  /** The groups that a number may be the mean of, if the text names them. Numbers with the same names share them. */
  #groupsOf(bindings: Bindings): readonly Candidate[] {
    return this.#candidates.getOrInsertComputed(keyOf(bindings), () => this.#candidatesOf(bindings))
  }
  #candidatesOf(bindings: Bindings): readonly Candidate[] {
    const { metrics } = this.#metricsOf(bindings)
    const { own, quantities } = this.#known
    const named = this.#attemptsOf(bindings, SENTENCE)
    const further = named ?? this.#attemptsOf(bindings, PARAGRAPH)
    const all = [
      ...own.groups.filter(({ metric }) => metrics.includes(metric)),
      ...(named === undefined
        ? metrics.flatMap(({ groups }) => groups)
        : metrics.flatMap(({ byFirst }) => [...named].flatMap((attemptId) => byFirst.get(attemptId) ?? []))),
    ]
    const found = all.flatMap((group) => {
      const isWithin = (some: ReadonlySet<string> | undefined) =>
        some !== undefined && group.attempts.every(({ attemptId }) => some.has(attemptId))
      if (named !== undefined && !isWithin(named)) return []
      if (!this.#isConsistent(group, bindings)) return []
      const isOwn = isWithin(own.attemptIds)
      if (own.groups.length > 0 && !isOwn && named === undefined) return []
      const bound = group.telling.filter((facet) => bindings.get(facet)?.values.has(group.key.get(facet) ?? "")).length
      const isPlaced = isWithin(further) || isOwn || (further === undefined && group.holder.kind === "room")
      if (!isPlaced && group.metric.experiments > 1) return []
      return [{ group, bound, isOwn }]
    })
    const chosen = found.filter(({ group, bound, isOwn }) => {
      if (bound > 0) return true
      if (group.telling.length > 0) return named !== undefined && isSmall(found.length)
      return isOwn || named !== undefined || quantities.attempts.length === group.attempts.length || group.merged === 0
    })
    const most = Math.max(0, ...chosen.map(({ bound }) => bound))
    const nearest = chosen.filter(({ bound }) => bound === most)
    return nearest.length <= NARROW ? nearest : []
  }

  #mean(numeral: Numeral, bindings: Bindings, roles: readonly string[]): Resolved | undefined {
    const inOrder = this.#groupsOf(bindings).toSorted((one, other) => one.group.merged - other.group.merged)
    for (const role of roles)
      for (const { group } of inOrder) {
        if (group.telling.length === 0 && group.merged > 0 && !this.#says(numeral, OVERALL)) continue
        const sheet = sheetOf(group)
        const value = sheet[role]
        if (value == null || !states(numeral, value, group.metric)) continue
        return this.#found(this.#isOfGroup(group, role, value, numeral), sheet, group.metric)
      }
    return undefined
  }

  #isOfGroup({ metric, holder, shown, summary, attempts }: Group, role: string, value: number, numeral: Numeral): Is {
    const is: Is = {
      ...{ kind: "mean", of: holder, metric: metric.name, role, group: shown, value, n: summary.n },
      ...(metric.split !== null && { split: metric.split }),
      attempts: attempts.slice(0, LABELS).map(({ label }) => label),
    }
    this.#forms.set(is, numeral.form)
    return is
  }

  #says(numeral: Numeral, pattern: RegExp): boolean {
    const sentence = this.#in.sentenceOf(numeral)
    return sentence !== undefined && pattern.test(this.#in.text.slice(sentence.start, sentence.end))
  }

  /** The difference, relative difference or ratio of two groups that the sentence names. */
  #difference(numeral: Numeral, bindings: Bindings): Resolved | undefined {
    const sentence = this.#in.sentenceOf(numeral)
    if (sentence === undefined) return undefined
    const isFactor = numeral.form === "factor"
    if (!isFactor && numeral.sign === null && numeral.form !== "points" && !this.#says(numeral, DIFFERENCE))
      return undefined
    const { byFacet } = this.#in.around(sentence)
    for (const [facet, mentions] of byFacet) {
      if (!this.#known.quantities.dimensions.has(facet)) continue
      const distinct = [...new Set(mentions.map(({ value }) => value))]
      if (distinct.length !== 2) continue
      const rest = new Map([...bindings].filter(([name]) => name !== facet))
      const groups = this.#groupsOf(rest).map(({ group }) => group)
      const wide = groups.length > 0 ? groups : this.#groupsOf(bindings).map(({ group }) => group)
      const [first, second] = distinct
      const isSwapped = this.#isSecondFirst(mentions, second)
      const [one, other] = isSwapped ? [second, first] : [first, second]
      const all = this.#pairsOf(wide, rest, facet, one ?? "", other ?? "")
      for (const [mine, theirs] of all.slice(0, PAIRS)) {
        const gap = mine.side.less(theirs.side)
        if (gap === null) continue
        const { metric } = mine
        const [a, b] = [mine.summary.mean, theirs.summary.mean]
        const sheet: Sheet = {
          ...{ mean: gap.estimate, se: gap.se, low: gap.low, high: gap.high, p: gap.p, sd: gap.sd },
          n: gap.pairs ?? Math.min(mine.summary.n, theirs.summary.n),
          half: gap.low === null ? null : gap.estimate - gap.low,
        }
        const is = (role: string, value: number): Is => ({
          ...this.#isOfGroup(mine, role, value, numeral),
          kind: "effect",
          group: { ...mine.shown, against: theirs.shown[this.#nameOf(facet, theirs)] ?? null },
        })
        const factors = [a / b, b / a]
        if (isFactor) {
          const factor = factors.find((value) => near(numeral, value))
          if (factor !== undefined) return this.#found(is("ratio", factor))
          continue
        }
        if (this.#statesDifference(numeral, gap.estimate, metric, "told"))
          return this.#found(is("difference", gap.estimate), sheet, metric)
        const relative = (100 * (a - b)) / b
        if (numeral.form === "percent" && this.#statesDifference(numeral, relative, { name: "", unit: "%" }, "told"))
          return this.#found(is("relative difference", relative))
      }
    }
    return undefined
  }

  #nameOf(facet: string, { shown }: Group): string {
    return Object.keys(shown).find((name) => folded(name) === facet) ?? facet
  }

  /** Groups that differ in one dimension alone. */
  #pairsOf(groups: readonly Group[], rest: Bindings, facet: string, one: string, other: string): [Group, Group][] {
    const { metrics } = this.#metricsOf(rest)
    const known = new Set([...groups, ...metrics.flatMap((metric) => metric.groups)])
    const named = this.#attemptsOf(rest, PARAGRAPH)
    const { own } = this.#known
    const fitting = [...known].filter(
      (group) =>
        this.#isConsistent(group, rest) &&
        (named === undefined || group.attempts.every(({ attemptId }) => named.has(attemptId))) &&
        (own.groups.length === 0 ||
          named !== undefined ||
          group.attempts.every(({ attemptId }) => own.attemptIds.has(attemptId))),
    )
    const byTable = Map.groupBy(fitting, ({ table, key }) =>
      JSON.stringify([table, [...key].filter(([name]) => name !== facet).sort()]),
    )
    const pairs = [...byTable.values()].flatMap((some): [Group, Group][] => {
      const [mine, theirs] = [one, other].map((value) => some.find(({ key }) => key.get(facet) === value))
      return mine === undefined || theirs === undefined ? [] : [[mine, theirs]]
    })
    const experiments = pairs.filter(([{ holder }]) => holder.kind === "experiment")
    const isOpen = named === undefined && own.groups.length === 0 && experiments.length > 1
    return (isOpen ? pairs.filter(([{ holder }]) => holder.kind === "room") : pairs).sort(
      ([one], [two]) => one.merged - two.merged,
    )
  }

  readonly #values = new Map<string, readonly Value[] | undefined>()
  /** The last values of attempts that the text names, by their labels or by seed and arm; undefined if too many. */
  #valuesOf(bindings: Bindings): readonly Value[] | undefined {
    const { metrics } = this.#metricsOf(bindings)
    const { quantities, own } = this.#known
    const labelled = bindings.get("A")
    const named = this.#attemptsOf(bindings, SENTENCE)
    const seed = bindings.get("seed")
    const bySeed = seed === undefined || seed.level > SENTENCE || seed.values.size > 1 ? undefined : seed
    const isLabelled = labelled !== undefined && (labelled.level <= SENTENCE || bySeed !== undefined)
    const scope = named ?? (own.attemptIds.size > 0 ? own.attemptIds : undefined)
    const ofSeed = bySeed && quantities.dimensions.get("seed")?.values.get([...bySeed.values][0] ?? "")
    const candidates = isLabelled ? (named ?? this.#attemptsOf(bindings, PARAGRAPH)) : (ofSeed ?? scope)
    if (candidates === undefined) return undefined
    const most = !isLabelled ? NARROW : bindings.get("metric") === undefined ? NARROW : 20 * NARROW
    const found: Value[] = []
    for (const metric of metrics)
      for (const attemptId of candidates) {
        if (scope !== undefined && !isLabelled && !scope.has(attemptId)) continue
        for (const index of metric.ofAttempt.get(attemptId) ?? []) {
          if (!this.#holds(metric, index, bindings)) continue
          found.push({ metric, index })
          if (found.length > most) return undefined
        }
      }
    return found
  }

  /** The last value of an attempt that the text names. @param most of so many at most */
  #value(numeral: Numeral, bindings: Bindings, most = Number.POSITIVE_INFINITY): Resolved | undefined {
    const found = this.#values.getOrInsertComputed(keyOf(bindings), () => this.#valuesOf(bindings))
    if (found === undefined || found.length > most) return undefined
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
      return this.#found(is)
    }
    return undefined
  }

  /** Whether nothing that the sentence names contradicts a value. */
  #holds(metric: Metric, index: number, bindings: Bindings): boolean {
    for (const [facet, { values, level }] of bindings) {
      if (level > SENTENCE || facet === "metric" || /^[A-Z]$/.test(facet)) continue
      if (facet === "split") {
        if (metric.split !== null && !values.has(metric.split)) return false
        continue
      }
      const own = facetAt(metric, index, facet)
      if (own === undefined || !values.has(own)) return false
    }
    return true
  }

  /** A number that a plan or a record states which the text belongs to or names. */
  #stated(numeral: Numeral, bindings: Bindings): Resolved | undefined {
    const { planned, statedIn } = this.#known
    const named = ["H", "P", "C", "E"].flatMap((letter) => [...(bindings.get(letter)?.values ?? [])].flatMap(statedIn))
    const match = [...planned, ...named].find(({ value }) => near(numeral, value))
    if (match === undefined) return undefined
    return { state: "setting", is: { kind: "setting", of: match.holder, value: match.value }, candidates: 1 }
  }

  /** How many values of the Room equal a number that nothing names. */
  #chance(numeral: Numeral): Resolved {
    const { sorted } = this.#known.quantities
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

const isSmall = (count: number): boolean => count <= 3

/** The number of distinct seeds of some attempts. */
function seedsAmong(
  { dimensions }: Quantities,
  scopes: readonly (readonly { readonly attemptId: string }[])[],
): number[] {
  const seeds = [...(dimensions.get("seed")?.values.values() ?? [])]
  return scopes.map((some) => {
    const ids = new Set(some.map(({ attemptId }) => attemptId))
    return seeds.filter((each) => !each.isDisjointFrom(ids)).length
  })
}

/** What a quantity is now, of which a text states a former value; null if it is not there any more. */
export function presentOf({ kind, of, metric, split, group = {}, role = "mean" }: Is, quantities: Quantities) {
  const measures = (quantities.metrics.get(metric ?? "") ?? []).filter((each) => each.split === (split ?? null))
  const isSame = (other: Readonly<Record<string, Scalar | null>>) =>
    canonicalJson({ ...other }) === canonicalJson({ ...group })
  if (kind === "mean") {
    const groups = measures
      .flatMap((each) => each.groups)
      .filter(({ shown, holder }) => isSame(shown) && holder.id === of?.id)
    const [found] = groups
    return found === undefined ? null : (sheetOf(found)[role] ?? null)
  }
  if (kind !== "metric" || of === null) return null
  for (const measure of measures)
    for (const index of measure.ofAttempt.get(of.id) ?? [])
      if (isSame(dimensionsAt(measure, index))) return measure.frame.values[index] ?? null
  return null
}

/** The dimensions of a last value. */
const dimensionsAt = ({ frame }: Metric, index: number): Readonly<Record<string, Scalar>> =>
  Object.fromEntries(
    [...frame.columns].flatMap(([name, { codes, scalars }]) => {
      const scalar = scalars[codes[index] ?? -1]
      return scalar === undefined ? [] : [[name, scalar]]
    }),
  )
