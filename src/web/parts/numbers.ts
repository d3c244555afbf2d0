/**
 * The numbers of statements, syntheses, summaries and messages as links to where they come from. They are looked up
 * while the page is made, on a reading thread, and kept for each text and state of its Room.
 */
import type { CheckedNumber, RecordNumbers } from "../../contract/answers/numbers.ts"
import { numbersInWords } from "../../contract/answers/numbers.ts"
import type { Context } from "../../research/numbers/numbers.ts"
import { pathOf, type Html, html } from "../html.ts"
import type { LinkedNumber } from "../linked-numbers.ts"
import type { Visit } from "../visit.ts"
import { counted } from "../words.ts"

/** Characters of texts with numbers that are looked up for a page: the first ones, the same on every thread. */
const CHARACTERS = 12_000
/** Links of numbers on a page. */
const LINKS = 500

interface Left {
  characters: number
  links: number
}
const left = new WeakMap<Visit, Left>()

type Is = NonNullable<CheckedNumber["is"]>

/** "arm = shift, labels = 400" */
const groupInWords = (group: Is["group"]): string =>
  Object.entries(group ?? {})
    .map(([name, value]) => `${name} = ${value ?? "not stated"}`)
    .join(", ")

/** What a number is, in a sentence: what it measures, exactly, over how many values, from which attempts. */
function sentenceOf({ kind, of, metric, split, group, role, value, now, n, attempts = [] }: Is): string {
  const isNamed = role !== undefined && role !== "mean" && role !== "estimate"
  const what =
    kind === "mean"
      ? `${isNamed ? role : "mean"} of ${metric}`
      : kind === "effect"
        ? `${isNamed ? role : "difference"} in ${metric}`
        : (metric ?? kind)
  const where = [split === undefined ? "" : `split = ${split}`, groupInWords(group)].filter((part) => part !== "")
  const from = of?.label == null ? "" : `, ${of.label}`
  const over = n === undefined ? "" : `, over ${counted(n, "value")}`
  const behind = attempts.length === 0 ? "" : `, from ${attempts.join(", ")}`
  const place = where.length === 0 ? "" : ` (${where.join(", ")})`
  if (now === undefined) return `${what}${place}${from}: exactly ${value}${over}${behind}`
  return `${what}${place}${from}: it was ${value}, and is ${now ?? "not in the record any more"} now${over}${behind}`
}

function pathTo({ kind, id }: NonNullable<Is["of"]>): string {
  return kind === "record" ? `/records/${id}` : (pathOf(kind, id) ?? "/")
}

function linked(visit: Visit, { text, start, state, is }: CheckedNumber): LinkedNumber {
  const room = left.get(visit)
  if (is?.of == null || (state !== "resolves" && state !== "moved") || room === undefined || room.links === 0)
    return { text, start, link: null }
  room.links -= 1
  const id = `number-${LINKS - room.links}`
  return { text, start, link: { path: pathTo(is.of), tip: sentenceOf(is), id, hasMoved: state === "moved" } }
}

/** Looks up the numbers of a text, for `markdown` and `inlineMarkdown`. @param context what the text belongs to */
export function numbersOf(visit: Visit, context: Context, text: string): readonly LinkedNumber[] {
  const { numbers } = visit.tables
  if (!/[0-9]/.test(text)) return []
  const room = left.getOrInsertComputed(visit, () => ({ characters: CHARACTERS, links: LINKS }))
  if (text.length > room.characters) return []
  room.characters -= text.length
  return numbers.ofRecord(context, text).numbers.map((number) => linked(visit, number))
}

/** How many of a record's numbers are in the record, and which are not. */
export function numbersLine(numbersCheck: RecordNumbers | null): Html | null {
  const words = numbersCheck && numbersInWords(numbersCheck)
  return words === null ? null : html` <span class="numbers">${words}</span>`
}
