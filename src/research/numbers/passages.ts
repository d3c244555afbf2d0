/** A text in paragraphs, sentences and clauses, and the names of a Room's metrics, dimensions and values in it. */

/** A stretch of a text. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** What a text names: a metric, a dimension, or a value of one. */
export interface Name {
  /** `metric`, `split`, `name` for a dimension or setting, or the folded name of a dimension. */
  readonly facet: string
  readonly value: string
}
export interface Mention extends Name, Span {
  /** Whether a form of its word names it, as "shifted" does `shift`. */
  readonly isInflected?: boolean
}

/** A sentence with its clauses, and the number of its paragraph. */
export interface Sentence extends Span {
  readonly clauses: readonly Span[]
  readonly paragraph: number
}

const WORD = /[\p{L}\p{N}]+(?:[@.+/'][\p{L}\p{N}]+)*/gu
const ALIASES: Readonly<Record<string, string>> = {
  val: "validation",
  valid: "validation",
  acc: "accuracy",
  ppl: "perplexity",
}

/** A word without case, and without the "s" of a plural or a possessive. */
function stemOf(word: string): string {
  const lower = word.toLowerCase()
  const plain = lower.endsWith("'s") ? lower.slice(0, -2) : lower
  const stem = plain.length > 3 && plain.endsWith("s") && !plain.endsWith("ss") ? plain.slice(0, -1) : plain
  return ALIASES[stem] ?? stem
}

/** Endings that a word of an arm or a metric takes in a sentence: "shifting" and "shifted" speak of `shift`. */
const ENDING = /(?:i?ed|ie|ing|e|y)$/
const NOUN = /(?<=.{5})ation$|(?<=t)ion$/
/** Fewest letters that a word has in common with a name. */
const ROOT = 4

/** A word without a common ending; undefined for one that is too short to be told from others. */
function rootOf(stem: string): string | undefined {
  if (!/^\p{L}+$/u.test(stem)) return undefined
  const whole = NOUN.test(stem) ? stem.replace(NOUN, "") : stem.replace(ENDING, "")
  const root = whole === stem ? stem : whole.replace(/([bdgmnprt])\1$/, "$1")
  return root.length < ROOT ? undefined : root
}

interface Word extends Span {
  readonly stem: string
}
function wordsOf(text: string): Word[] {
  // A long text says most of its words again.
  const stems = new Map<string, string>()
  return Array.from(text.matchAll(WORD), ({ 0: word, index }) => ({
    stem: stems.getOrInsertComputed(word, stemOf),
    start: index,
    end: index + word.length,
  }))
}

/** A phrase as it is compared: `val_loss` and "validation loss" are equal. */
export const phraseOf = (text: string): string =>
  wordsOf(text)
    .map(({ stem }) => stem)
    .join(" ")

/** Words that are values of dimensions and more often something else. They count only beside the name of theirs. */
const COMMON = new Set(
  (
    "a an the no none on off all yes true false first last best new old one other both and or not with without in at " +
    "of to by for from as is it set full low high"
  ).split(" "),
)
/** Whether a phrase says a value only beside the name of its dimension: a number, a letter, or a common word. */
const needsName = (phrase: string): boolean => COMMON.has(phrase) || phrase.length < 2 || /^[0-9. ]+$/.test(phrase)

/** Most words of a name that is looked for. */
const LONGEST = 12

/** The names of a Room, by their first word. */
export class Names {
  readonly #byFirst = new Map<string, { readonly words: readonly string[]; readonly names: Name[] }[]>()
  readonly #known = new Set<string>()

  /** Adds what a phrase names. */
  add(name: Name, phrase: string): void {
    const words = phrase.split(" ")
    const key = JSON.stringify([name.facet, name.value, phrase])
    const [first = ""] = words
    if (first === "" || words.length > LONGEST || this.#known.has(key)) return
    if (name.facet !== "name" && name.facet !== "metric" && needsName(phrase)) return
    this.#known.add(key)
    const some = this.#byFirst.getOrInsertComputed(first, () => [])
    const same = some.find((each) => each.words.length === words.length && each.words.join(" ") === phrase)
    if (same === undefined) some.push({ words, names: [name] })
    else same.names.push(name)
    some.sort((one, other) => other.words.length - one.words.length)
  }

  #byRoot: ReadonlyMap<string, readonly Name[]> | undefined
  /** The arms and metrics of one word that no other has in common with a root. */
  #rooted(): ReadonlyMap<string, readonly Name[]> {
    const found = new Map<string, { readonly word: string; readonly names: readonly Name[] }[]>()
    for (const [word, known] of this.#byFirst)
      for (const { words, names } of known) {
        const inflected = names.filter(({ facet }) => facet === "arm" || facet === "metric")
        const root = words.length > 1 || inflected.length === 0 ? undefined : rootOf(word)
        if (root !== undefined) found.getOrInsertComputed(root, () => []).push({ word, names: inflected })
      }
    return new Map(
      [...found].flatMap(([root, [only, ...others]]) => (only && others.length === 0 ? [[root, only.names]] : [])),
    )
  }

  /** What a word with an ending names, if it is no name itself. */
  #inflected(stem: string): readonly Name[] {
    this.#byRoot ??= this.#rooted()
    return this.#byRoot.get(rootOf(stem) ?? "") ?? []
  }

  /** Finds the names in a text, the longest first at each place. */
  in(text: string): Mention[] {
    const words = wordsOf(text)
    const found: Mention[] = []
    const inflected = new Map<string, readonly Name[]>()
    const rooted = (stem: string) => this.#inflected(stem)
    for (let at = 0; at < words.length; at += 1) {
      const first = words[at]
      if (first === undefined) continue
      const known = this.#byFirst
        .get(first.stem)
        ?.find((each) => each.words.every((word, by) => words[at + by]?.stem === word))
      const last = known === undefined ? first : words[at + known.words.length - 1]
      const names = known?.names ?? inflected.getOrInsertComputed(first.stem, rooted)
      const place = { start: first.start, end: last?.end ?? first.end, isInflected: known === undefined }
      for (const name of names) found.push({ ...name, ...place })
      at += (known?.words.length ?? 1) - 1
    }
    return found
  }
}

const SENTENCE_END = /(?<![.!?])[.!?]+["')\]*_]*(?=\s(?:\s|[\p{Lu}0-9([*_`])|$)|\n/gu
const CLAUSE_END =
  /[,;:()|]|\s(?:and|but|while|whereas|versus|vs\.?|against|than|compared|with|for|instead of|rather than)\s|\s[–—]\s/gu

/** Splits a text at the matches of a pattern. */
function splitAt(text: string, { start, end }: Span, pattern: RegExp): Span[] {
  const found: Span[] = []
  let from = start
  for (const {
    0: { length },
    index,
  } of text.slice(start, end).matchAll(pattern)) {
    const to = start + index + length
    if (to > from) found.push({ start: from, end: to })
    from = to
  }
  if (from < end) found.push({ start: from, end })
  return found
}

/** A table goes on with the paragraph before it. */
const PARAGRAPH_END = /\n[ \t]*\n(?![ \t]*\|)/g

/** Splits a text into sentences. A line of a list or a table is one. */
export function sentencesOf(text: string): Sentence[] {
  const breaks = Array.from(text.matchAll(PARAGRAPH_END), ({ index }) => index)
  let paragraph = 0
  return splitAt(text, { start: 0, end: text.length }, SENTENCE_END).flatMap((span) => {
    while ((breaks[paragraph] ?? text.length) < span.start) paragraph += 1
    if (text.slice(span.start, span.end).trim() === "") return []
    return { ...span, paragraph, clauses: splitAt(text, span, CLAUSE_END) }
  })
}

/** The span that holds a place, of spans in order. */
export function spanAt<S extends Span>(spans: readonly S[], place: number): S | undefined {
  let [low, high] = [0, spans.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const span = spans[middle]
    if (span === undefined) return undefined
    if (place < span.start) high = middle - 1
    else if (place >= span.end) low = middle + 1
    else return span
  }
  return undefined
}

/** A row of a table in Markdown, with the cells of the table's head. */
interface Row extends Span {
  readonly head: readonly Span[]
}
const ROW = /^[ \t]{0,3}\|.*$/gm
const RULED = /^[ \t]*\|[ \t|:-]+$/
const isRule = (line: string): boolean => line.includes("-") && RULED.test(line)

const cellsOf = (text: string, { start, end }: Span): Span[] => splitAt(text, { start, end }, /\|/g)

/** The rows of the tables of a text that have a head. */
export function rowsOf(text: string): Row[] {
  const lines = Array.from(text.matchAll(ROW), ({ 0: line, index }) => ({ start: index, end: index + line.length }))
  let head: Span[] = []
  return lines.flatMap((line, at) => {
    const [before, next] = [lines[at - 1], lines[at + 1]]
    if (before?.end !== line.start - 1) head = []
    if (next?.start === line.end + 1 && isRule(text.slice(next.start, next.end))) head = cellsOf(text, line)
    const isHead = head[0]?.start === line.start
    return head.length === 0 || isHead ? [] : [{ ...line, head }]
  })
}

/** The cell at the head of the column in which a place is, of rows in order. */
export function headAt(text: string, rows: readonly Row[], place: number): Span | undefined {
  const row = spanAt(rows, place)
  return row?.head[cellsOf(text, row).findIndex(({ start, end }) => place >= start && place < end)]
}
