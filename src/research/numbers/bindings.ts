/** What the words around each number of a text say that it belongs to. */
import type { Quantities } from "./quantities.ts"
import type { Numeral, Numerals } from "./numerals.ts"
import { headAt, type Mention, rowsOf, type Sentence, sentencesOf, type Span, spanAt } from "./passages.ts"

/** How near a name is to a number: in its clause, its sentence, or before it in its paragraph. */
export const [CLAUSE, SENTENCE, PARAGRAPH] = [0, 1, 2]

/** The facet of a step of a curve that is no setting. */
export const STEP = "@step"

export interface Bound {
  readonly values: ReadonlySet<string>
  readonly level: number
}
/** What a number is bound to, by facet. */
export class Bindings extends Map<string, Bound> {
  #key: string | undefined
  /** Equal for numbers that are bound to the same. */
  get key(): string {
    if (this.#key !== undefined) return this.#key
    let key = ""
    for (const [facet, { values, level }] of this) {
      key += `${facet}\u0000${level}`
      for (const value of values) key += `\u0001${value}`
      key += "\u0002"
    }
    return (this.#key = key)
  }

  #wanted: ReadonlyMap<string, ReadonlySet<string>> | undefined
  /** The dimensions that the sentence of a number names, with the values that it names. */
  get wanted(): ReadonlyMap<string, ReadonlySet<string>> {
    if (this.#wanted !== undefined) return this.#wanted
    const wanted = new Map<string, ReadonlySet<string>>()
    for (const [facet, { values, level }] of this)
      if (level <= SENTENCE && facet !== "metric" && !/^(?:[A-Z]|@.*)$/.test(facet)) wanted.set(facet, values)
    return (this.#wanted = wanted)
  }

  /** The same without a facet. */
  without(facet: string): Bindings {
    const others = new Bindings(this)
    others.delete(facet)
    return others
  }
}

/** A number that is a value of a dimension or setting: `400` of "400 labels". */
interface Placed {
  readonly facet: string
  /** Whether the text names the dimension before it. */
  readonly isBefore: boolean
}

const BEFORE = /^[\s=:`"'(_*]{0,3}$/
/** The same with a verb between them, if the dimension has that value: "seeds is 0.81" names no seed. */
const STATED = /^[\s=:`"'(_*]{0,3}(?:(?:size )?of|is|was|at|set to)[\s=:`"'–_*]{0,3}$/
const AFTER = /^[\s\-`_*]{0,2}$/
const LISTED = /^[\s`]{0,2}(?:,|and|or|to|through|–|-|, and|&)[\s`]{0,2}$/
const RANGED = /^\s?(?:to|through|–|-)\s?$/
/** A word before the value of a dimension that another such word takes up again. */
const PLACING = /\b(?:at|with|for|after|using|from|to) $/u
/** Most characters between the name of a dimension and its value. */
const NEAR = 16
/** Most values of a range of labels or seeds. */
const RANGE = 1_000

/** Whether a number stands without a unit, a sign or another form. */
export const isBare = ({ form, unit, sign, role }: Numeral): boolean =>
  form === "plain" && unit === null && sign === null && role !== "spread"

/** The labels of a text as mentions; "A3 to A5" names A4 as well. */
function labelsOf(text: string, { labels }: Numerals): Mention[] {
  return labels.flatMap((label, at) => {
    const facet = label.text[0] ?? ""
    const mention = { facet, value: label.text, start: label.start, end: label.end }
    const next = labels[at + 1]
    if (next === undefined || !next.text.startsWith(facet) || !RANGED.test(text.slice(label.end, next.start)))
      return mention
    const [from, to] = [Number(label.text.slice(1)), Number(next.text.slice(1))]
    if (!(to > from) || to - from > RANGE) return mention
    return Array.from({ length: to - from }, (_, by) => ({ ...mention, value: `${facet}${from + by}` }))
  })
}

/** Mentions by facet. A form of a word names nothing where the sentence has that name as it is written. */
function byFacetOf(mentions: readonly Mention[]): Map<string, Mention[]> {
  const found = Map.groupBy(mentions, ({ facet }) => facet)
  for (const [facet, some] of found) {
    if (!some.some(({ isInflected }) => isInflected)) continue
    const written = new Set(some.flatMap(({ isInflected, value }) => (isInflected === true ? [] : [value])))
    const kept = some.filter(({ isInflected, value }) => isInflected !== true || !written.has(value))
    found.set(facet, kept)
  }
  return found
}

/** The words of a text that a Room has a meaning for, and what each number is beside. */
export class Passages {
  readonly text: string
  readonly numerals: readonly Numeral[]
  readonly sentences: readonly Sentence[]
  readonly mentions: readonly Mention[]
  readonly placed = new Map<Numeral, Placed>()
  /** Numbers that are part of a name: the 10 of an arm "groups of 10". */
  readonly inside = new Map<Numeral, Mention>()
  /** The cell at the head of the column in which a number stands, if it stands in a table. */
  readonly heads: ReadonlyMap<Numeral, Span>
  readonly #quantities: Quantities
  readonly #named = new Map<Sentence | undefined, string[]>()
  readonly #measured: ReadonlyMap<Sentence | undefined, readonly Numeral[]>

  constructor(text: string, read: Numerals, quantities: Quantities) {
    this.text = text
    this.numerals = read.numerals
    this.#quantities = quantities
    this.sentences = sentencesOf(text)
    this.#measured = Map.groupBy(this.numerals, (numeral) => this.sentenceOf(numeral))
    const rows = rowsOf(text)
    this.heads = new Map(
      rows.length === 0
        ? []
        : this.numerals.flatMap((numeral) => {
            const head = headAt(text, rows, numeral.digitsEnd - 1)
            return head === undefined ? [] : [[numeral, head] as const]
          }),
    )
    const named = quantities.names.in(text)
    const dimensions = named.filter(({ facet }) => facet === "name")
    for (const { value, start } of dimensions)
      if (value !== "seed") this.#named.getOrInsertComputed(spanAt(this.sentences, start), () => []).push(value)
    this.#enclose(named.filter(({ facet }) => facet !== "name"))
    this.#place(dimensions)
    const values = [...this.placed].flatMap(([numeral, { facet }]) => this.#valuesOf(numeral, facet))
    this.mentions = [...named.filter(({ facet }) => facet !== "name"), ...labelsOf(text, read), ...values].sort(
      (one, other) => one.start - other.start,
    )
  }

  #isKnown({ readings }: Numeral, facet: string): boolean {
    const known = this.#quantities.dimensions.get(facet)?.values
    return readings.some(({ value }) => known?.has(String(value)) === true)
  }

  /** Finds the numbers within longer names. Numbers and names are both in the order of the text. */
  #enclose(names: readonly Mention[]): void {
    let next = 0
    for (const numeral of this.numerals) {
      while ((names[next]?.end ?? this.text.length) <= numeral.start) next += 1
      const name = names[next]
      if (name === undefined || name.start > numeral.start || name.end < numeral.digitsEnd) continue
      if (name.end - name.start > numeral.digitsEnd - numeral.start) this.inside.set(numeral, name)
    }
  }

  /** Finds the numbers that stand beside the name of a dimension or setting, and those listed with them. */
  #place(names: readonly Mention[]): void {
    const { text, numerals } = this
    for (const [numeral, { start, end }] of this.heads) {
      const name = names.find((each) => each.start >= start && each.end <= end)
      if (name !== undefined && this.#isKnown(numeral, name.value))
        this.placed.set(numeral, { facet: name.value, isBefore: true })
    }
    // Numbers and names are both in the order of the text.
    let next = 0
    let taken: Mention | undefined
    for (const [at, numeral] of numerals.entries()) {
      while ((names[next]?.start ?? text.length) < numeral.digitsEnd) next += 1
      if (numeral.isDate || numeral.form !== "plain" || numeral.role === "spread" || this.inside.has(numeral)) continue
      if (this.placed.has(numeral)) continue
      const before = names[next - 1]
      const isNear = before !== undefined && before.end <= numeral.start && before.end > numeral.start - NEAR
      const gap = isNear ? text.slice(before.end, numeral.start) : "…"
      const isKnown = before !== undefined && this.#isKnown(numeral, before.value)
      // In "100 labels: 0.13" the name belongs to the number before it.
      const isTaken = taken === before && !isKnown
      const isBefore = before !== undefined && !isTaken && (BEFORE.test(gap) || (STATED.test(gap) && isKnown))
      if (isBefore) {
        this.placed.set(numeral, { facet: before.value, isBefore })
        continue
      }
      const previous = numerals[at - 1]
      const listed = previous && this.placed.get(previous)
      if (
        listed?.isBefore === true &&
        LISTED.test(text.slice(previous?.end ?? 0, numeral.start)) &&
        (this.#isKnown(numeral, listed.facet) || this.isStep(previous))
      ) {
        this.placed.set(numeral, listed)
        continue
      }
      const after = names[next]
      const isBehind = after !== undefined && after.start <= numeral.digitsEnd + 3
      if (!isBehind || !AFTER.test(text.slice(numeral.digitsEnd, after.start))) continue
      this.placed.set(numeral, { facet: after.value, isBefore: false })
      if (this.#isKnown(numeral, after.value)) taken = after
    }
    for (let at = numerals.length - 2; at >= 0; at -= 1) {
      const [numeral, next] = [numerals[at], numerals[at + 1]]
      const listed = next && this.placed.get(next)
      if (numeral === undefined || next === undefined || listed === undefined || listed.isBefore) continue
      if (this.placed.has(numeral) || !LISTED.test(text.slice(numeral.end, next.start))) continue
      if (this.#isKnown(numeral, listed.facet)) this.placed.set(numeral, listed)
    }
    if (this.placed.size > 0) this.#repeat()
  }

  /** A number behind the same word as one with a place has that place too: "2 points at 50 labels and 1 at 400". */
  #repeat(): void {
    const last = new Map<string, { readonly facet: string; readonly sentence: Sentence | undefined }>()
    for (const numeral of this.numerals) {
      const [word] = PLACING.exec(this.text.slice(Math.max(0, numeral.start - 8), numeral.start)) ?? []
      if (word === undefined || numeral.isDate) continue
      const sentence = this.sentenceOf(numeral)
      const placed = this.placed.get(numeral)
      if (placed !== undefined) {
        if (placed.facet !== "seed") last.set(word, { facet: placed.facet, sentence })
        continue
      }
      const { facet, sentence: before } = last.get(word) ?? {}
      if (facet === undefined || before !== sentence || !isBare(numeral) || this.inside.has(numeral)) continue
      if (this.#isKnown(numeral, facet)) this.placed.set(numeral, { facet, isBefore: false })
    }
  }

  /** The dimensions and settings that the sentence of a number names, but for seeds, which are many small numbers. */
  dimensionsOf(numeral: Numeral): readonly string[] {
    return this.#named.get(this.sentenceOf(numeral)) ?? []
  }

  /** The values of a dimension that a number names; the first of a range names all between. */
  #valuesOf(numeral: Numeral, facet: string): Mention[] {
    const { start, end } = numeral
    const { isBefore = false } = this.placed.get(numeral) ?? {}
    // "5 seeds" counts them.
    if (facet === "seed" && !isBefore) return []
    const value = numeral.readings[0]?.value
    if (value === undefined) return []
    if (this.isStep(numeral)) return [{ facet: STEP, value: String(value), start, end }]
    const next = this.numerals[this.numerals.indexOf(numeral) + 1]
    const until = next?.readings[0]?.value
    if (
      facet === "seed" &&
      next !== undefined &&
      until !== undefined &&
      RANGED.test(this.text.slice(end, next.start)) &&
      until > value &&
      until - value < RANGE
    )
      return Array.from({ length: until - value + 1 }, (_, by) => ({ facet, value: String(value + by), start, end }))
    return [{ facet, value: String(value), start, end }]
  }

  /** Whether a number is a step of a curve rather than how many steps were set. */
  isStep(numeral: Numeral | undefined): boolean {
    const facet = numeral && this.placed.get(numeral)?.facet
    return numeral !== undefined && facet === "step" && !this.#isKnown(numeral, facet)
  }

  sentenceOf = ({ start }: Span): Sentence | undefined => spanAt(this.sentences, start)

  within({ start, end }: Span): Mention[] {
    let [low, high] = [0, this.mentions.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.mentions[middle]?.start ?? 0) < start) low = middle + 1
      else high = middle
    }
    const found: Mention[] = []
    for (let at = low; at < this.mentions.length; at += 1) {
      const mention = this.mentions[at]
      if (mention === undefined || mention.start >= end) break
      found.push(mention)
    }
    return found
  }

  /** Whether a place belongs to the name of a metric or of a dimension's value. */
  isNamed = (place: number): boolean => spanAt(this.mentions, place) !== undefined

  /** The steps of curves that the text names. */
  get steps(): ReadonlySet<number> {
    return new Set(this.mentions.flatMap(({ facet, value }) => (facet === STEP ? [Number(value)] : [])))
  }

  readonly #ofSentence = new Map<Sentence, { byFacet: Map<string, Mention[]>; values: Numeral[] }>()
  /** The mentions of a sentence by facet, and its numbers that may be measured. */
  around(sentence: Sentence) {
    return this.#ofSentence.getOrInsertComputed(sentence, () => ({
      byFacet: byFacetOf(this.within(sentence)),
      values: (this.#measured.get(sentence) ?? []).filter(
        (each) =>
          !each.isDate &&
          !this.placed.has(each) &&
          !this.inside.has(each) &&
          (each.role === "value" || each.role === "from"),
      ),
    }))
  }

  readonly #ofParagraph = new Map<number, Map<string, ReadonlySet<string>>>()
  #gathered = 0
  /** What the sentences before one in its paragraph named last. */
  #before(sentence: Sentence): ReadonlyMap<string, ReadonlySet<string>> {
    const last = this.#ofParagraph.getOrInsertComputed(sentence.paragraph, () => new Map())
    for (; this.#gathered < this.sentences.length; this.#gathered += 1) {
      const each = this.sentences[this.#gathered]
      if (each === undefined || each.start >= sentence.start) break
      const own = this.#ofParagraph.getOrInsertComputed(each.paragraph, () => new Map())
      for (const [facet, mentions] of this.around(each).byFacet)
        own.set(facet, new Set(mentions.map(({ value }) => value)))
      // No number of it is asked for any more.
      this.#ofSentence.delete(each)
    }
    return last
  }

  /** The facets of a sentence whose mentions belong to its numbers one by one, with the distinct values in order. */
  #alignedIn(sentence: Sentence): ReadonlyMap<string, readonly string[]> {
    const { byFacet, values } = this.around(sentence)
    const aligned = new Map<string, readonly string[]>()
    if (values.length < 2) return aligned
    for (const [facet, mentions] of byFacet) {
      const distinct = [...new Set(mentions.map(({ value }) => value))]
      const first = mentions[0]?.start ?? 0
      const isAligned =
        distinct.length === values.length &&
        // One phrase may name two metrics.
        new Set(mentions.map(({ start }) => start)).size >= distinct.length &&
        (mentions.every(({ end }) => end <= (values[0]?.start ?? 0)) || first >= (values.at(-1)?.end ?? 0))
      if (isAligned) aligned.set(facet, distinct)
    }
    return aligned
  }
  /** The clause of the last number, and what it is bound to if that is the same for all numbers of the clause. */
  #last: { readonly clause: Span; readonly bindings: Bindings } | undefined

  /** What a number is bound to. Numbers are asked for in order. */
  bindingsOf(numeral: Numeral): Bindings {
    const sentence = this.sentenceOf(numeral)
    if (sentence === undefined) return new Bindings()
    const clause = spanAt(sentence.clauses, numeral.start)
    const isInTable = this.heads.has(numeral)
    if (clause !== undefined && !isInTable && this.#last?.clause === clause) return this.#last.bindings
    const aligned = this.#alignedIn(sentence)
    const bindings = this.#bound(numeral, sentence, clause, aligned)
    if (clause !== undefined && !isInTable && aligned.size === 0) this.#last = { clause, bindings }
    return bindings
  }
  #bound(
    numeral: Numeral,
    sentence: Sentence,
    clause: Span | undefined,
    aligned: ReadonlyMap<string, readonly string[]>,
  ): Bindings {
    const found = new Bindings()
    const { byFacet, values } = this.around(sentence)
    const at = values.indexOf(numeral)
    for (const [facet, mentions] of byFacet) {
      const near =
        clause === undefined ? [] : mentions.filter(({ start }) => start >= clause.start && start < clause.end)
      const one = at < 0 ? undefined : aligned.get(facet)?.[at]
      const chosen = one !== undefined ? [one] : (near.length > 0 ? near : mentions).map(({ value }) => value)
      found.set(facet, { values: new Set(chosen), level: one !== undefined || near.length > 0 ? CLAUSE : SENTENCE })
    }
    const head = this.heads.get(numeral)
    if (head !== undefined)
      for (const [facet, mentions] of Map.groupBy(this.within(head), (mention) => mention.facet))
        found.set(facet, { values: new Set(mentions.map(({ value }) => value)), level: CLAUSE })
    for (const [facet, before] of this.#before(sentence))
      if (!found.has(facet)) found.set(facet, { values: before, level: PARAGRAPH })
    return found
  }
}
