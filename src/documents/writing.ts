/** How documents are written: what somebody said never looks like a part of the document, and no document grows without end. */
import { isKeyOf } from "../contract/each.ts"
import { limits } from "../contract/limits.ts"
import { type PagedKind, pageOf } from "../contract/objects/objects.ts"
import type { AnswerOf, ParametersOf, ReadName } from "../contract/reads/index.ts"
import { oneLine, shortened, withoutTrailing } from "../contract/text.ts"

type Texts<N extends ReadName> = { readonly [K in keyof ParametersOf<N>]?: string | number | undefined }
type Ids = Readonly<Record<string, string | undefined>>

/** What a document is made of: the reads that everybody has, as whoever asks for it may ask them. */
export interface Asking {
  ask<N extends ReadName>(name: N, ids?: Ids, query?: Texts<N>): AnswerOf<N>
  /** A read's answer in a form that is a text. */
  text<N extends ReadName>(name: N, ids?: Ids, query?: Texts<N>): string
  /** A part of the address. */
  id(name: string): string
  /** The query of the address. */
  readonly query: URLSearchParams
  /** In front of every path: empty, or beginning with a slash. */
  readonly basePath: string
}

/** A document as Markdown. @throws Refusal where what it is about is not there */
export type Document = (asking: Asking) => string

/** Characters of what somebody said at length, as far as a document quotes it. */
const QUOTED = 4_000
/** The same of what stands in a list. */
const LISTED = 600

/** What somebody said, in one line. */
export const said = (text: string, most = LISTED): string => shortened(oneLine(text), most)

/** What somebody said at length, line by line, with a mark before each: no line of it can be a heading of the document. */
export const quoted = (text: string, most = QUOTED): string => shortened(text, most).replace(/^/gmu, "> ")

/** The same of as much as has room in so many bytes; what is left out is said. */
export function quotedWithin(text: string, bytes: number): string {
  const whole = quoted(text, text.length)
  if (Buffer.byteLength(whole) <= bytes) return whole
  const end = "\n> … (cut here)"
  const fits = Buffer.from(whole).subarray(0, Math.max(0, bytes - Buffer.byteLength(end)))
  // A character that was cut in two stands for nothing.
  return `${withoutTrailing(fits.toString("utf8"), "\uFFFD")}${end}`
}

/** The words of the contract as people read them. */
export const words = (name: string): string => name.replaceAll("_", " ")

/** An object by its label, with the address of its own document; a label that another Room gave is marked so. */
export function named(
  { basePath }: Pick<Asking, "basePath">,
  kind: string,
  id: string,
  label: string | null,
  { labelFromOtherRoom }: { readonly labelFromOtherRoom?: boolean } = {},
): string {
  const page = pageOf(kind, id)
  const text = label ?? `${words(kind)} ${id}`
  const link = page === undefined ? text : `[${text}](${basePath}${page}${isKeyOf(hasDocument, kind) && hasDocument[kind] ? ".md" : ""})`
  return labelFromOtherRoom === true ? `${link} of another Room` : link
}
/** Whether the page of a kind of object is there as a document too. */
const hasDocument = {
  hypothesis: true,
  experiment: true,
  plan: true,
  attempt: true,
  finding: true,
  cited_claim: true,
  material: false,
  board: false,
  finding_link: false,
  link: false,
  review: false,
  checkpoint: true,
  thread: true,
  room: true,
  collection: false,
} as const satisfies Readonly<Record<PagedKind, boolean>>
type HasDocument = typeof hasDocument
export type DocumentedKind = { [K in PagedKind]: HasDocument[K] extends true ? K : never }[PagedKind]

export interface Section {
  readonly title: string
  readonly items: readonly string[]
  /** Where all of it is listed, and how many there are where they are more than the items. */
  readonly all?: { readonly link: string; readonly count?: number }
}

const itemText = (item: string): string => `- ${item}\n`

/** How many items of each section have room in so many bytes: at first the same share for each, then what is left, in order. */
function fitting(sections: readonly Section[], bytes: number): number[] {
  const told = sections.map(() => 0)
  let left = bytes
  const tell = (index: number, most: number): void => {
    let allowed = most
    for (const item of sections[index]?.items.slice(told[index]) ?? []) {
      const cost = Buffer.byteLength(itemText(item))
      if (cost > Math.min(allowed, left)) return
      told[index] = (told[index] ?? 0) + 1
      allowed -= cost
      left -= cost
    }
  }
  sections.forEach((_, index) => tell(index, bytes / sections.length))
  sections.forEach((_, index) => tell(index, left))
  return told
}

/**
 * A document, never longer than `limits.documentBytes`: of its sections as much as has room, the rest counted.
 * @param head what stands before the sections; short by nature
 */
export function written(head: string, sections: readonly Section[], json: string): string {
  const filled = sections.filter(({ items }) => items.length > 0)
  const foot = `\nJSON: ${json}\n`
  const counts = fitting(filled, limits.documentBytes - Buffer.byteLength(`${head}${foot}`) - filled.length * 300)
  const parts = filled.map(({ title, items, all }, index) => {
    const told = counts[index] ?? 0
    const more = Math.max(items.length, all?.count ?? 0) - told
    const rest = more > 0 ? itemText(`and ${more} more${all === undefined ? "" : `: ${all.link}`}`) : ""
    return `\n## ${title}\n${items.slice(0, told).map(itemText).join("")}${rest}`
  })
  return `${head}${parts.join("")}${foot}`
}
