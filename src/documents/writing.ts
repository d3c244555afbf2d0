/**
 * Builds Markdown documents of limited length, and parts that several of them have. Text that users wrote is quoted, so
 * that it cannot look like part of the document.
 */
import { limits } from "../contract/limits.ts"
import { pageOf, type PagedKind } from "../contract/objects/objects.ts"
import type { AnswerOf, ParametersOf, ReadName } from "../contract/reads/index.ts"
import { oneLine, shortened, withoutTrailing } from "../contract/text.ts"
import { pathOfFigure, type Pictured } from "../contract/definitions/attachments.ts"
import { writerName } from "../contract/answers/parts.ts"
import { reviewerIs, type Review } from "../contract/nouns/reviews.ts"

type Texts<N extends ReadName> = { readonly [K in keyof ParametersOf<N>]?: string | number | undefined }
type Ids = Readonly<Record<string, string | undefined>>

/** The source of a document: reads, with the permissions of the caller. */
export interface DocumentSource {
  ask<N extends ReadName>(name: N, ids?: Ids, query?: Texts<N>): AnswerOf<N>
  /** A read's answer in a text format, or as the Markdown that is made of any answer. */
  text<N extends ReadName>(name: N, ids?: Ids, query?: Texts<N>): string
  /** A parameter in the path. */
  id(name: string): string
  readonly query: URLSearchParams
  /** The prefix of every path: empty, or starting with a slash. */
  readonly basePath: string
}

/** Makes a document as Markdown. @throws Refusal if its object does not exist */
export type Document = (source: DocumentSource) => string

/** The most characters of a long text that a document quotes. */
const QUOTED = 4_000
/** The most characters of a text in a list. */
const LISTED = 600

/** A user's text, in one line. */
export const inline = (text: string, most = LISTED): string => shortened(oneLine(text), most)

/** A user's long text as a block quote, so that none of its lines can be a heading of the document. */
export const quoted = (text: string, most = QUOTED): string => shortened(text, most).replace(/^/gmu, "> ")

/** A block quote in at most `bytes` bytes, with a mark where it is cut. */
export function quotedWithin(text: string, bytes: number): string {
  const whole = quoted(text, text.length)
  if (Buffer.byteLength(whole) <= bytes) return whole
  const end = "\n> … (cut here)"
  const fits = Buffer.from(whole).subarray(0, Math.max(0, bytes - Buffer.byteLength(end)))
  // Drops a character that was cut in two.
  return `${withoutTrailing(fits.toString("utf8"), "\uFFFD")}${end}`
}

/** A name of the contract in plain words. */
export const words = (name: string): string => name.replaceAll("_", " ")

/** A link to an object's document, or page, with its label. Marks a label given by another Room. */
export function linkTo(
  { basePath }: Pick<DocumentSource, "basePath">,
  kind: string,
  id: string,
  label: string | null,
  { labelFromOtherRoom }: { readonly labelFromOtherRoom?: boolean } = {},
): string {
  const page = pageOf(kind, id)
  const text = label ?? `${words(kind)} ${id}`
  const link = page === undefined ? text : `[${text}](${basePath}${page}${kind === "collection" ? "" : ".md"})`
  return labelFromOtherRoom === true ? `${link} of another Room` : link
}
/** The kinds of objects whose pages are also there as Markdown: those that anybody may read. */
export type DocumentedKind = Exclude<PagedKind, "collection">

export interface Section {
  readonly title: string
  readonly items: readonly string[]
  /** The address of the complete list, and its length if that is more than the items. */
  readonly all?: { readonly link: string; readonly count?: number }
}

const itemText = (item: string): string => `- ${item}\n`

/**
 * How many items of each section fit: first an equal share of the bytes for each section, then the remaining bytes in
 * order.
 */
function fitting(sections: readonly Section[], bytes: number): number[] {
  const counts = sections.map(() => 0)
  let left = bytes
  const take = (index: number, most: number): void => {
    let allowed = most
    for (const item of sections[index]?.items.slice(counts[index]) ?? []) {
      const cost = Buffer.byteLength(itemText(item))
      if (cost > Math.min(allowed, left)) return
      counts[index] = (counts[index] ?? 0) + 1
      allowed -= cost
      left -= cost
    }
  }
  sections.forEach((_, index) => take(index, bytes / sections.length))
  sections.forEach((_, index) => take(index, left))
  return counts
}

/**
 * Builds a document of at most `limits.documentBytes`. Sections that do not fit are cut, with the number of items left
 * out.
 * @param head the text before the sections
 */
export function assemble(head: string, sections: readonly Section[], json: string): string {
  const filled = sections.filter(({ items }) => items.length > 0)
  const foot = `\nJSON: ${json}\n`
  const counts = fitting(filled, limits.documentBytes - Buffer.byteLength(`${head}${foot}`) - filled.length * 300)
  const parts = filled.map(({ title, items, all }, index) => {
    const shown = counts[index] ?? 0
    const more = Math.max(items.length, all?.count ?? 0) - shown
    const rest = more > 0 ? itemText(`and ${more} more${all === undefined ? "" : `: ${all.link}`}`) : ""
    return `\n## ${title}\n${items.slice(0, shown).map(itemText).join("")}${rest}`
  })
  return `${head}${parts.join("")}${foot}`
}

/** A record that an object names, in a line. */
export const recordLine = (source: DocumentSource, record: NamedRecord, most?: number): string =>
  `${linkTo(source, record.kind, record.versionId, record.label, record)} (${record.status}): ` +
  `${inline(record.wording, most)}`
type NamedRecord = Pick<
  AnswerOf<"record">["premises"][number],
  "kind" | "versionId" | "label" | "labelFromOtherRoom" | "status" | "wording"
>

/** One line per picture. */
export const pictureLines = ({ basePath }: Pick<DocumentSource, "basePath">, { figures = [] }: Pictured): string[] =>
  figures.map(({ digest, alt }) => `picture: ${inline(alt, 500)} (${basePath}${pathOfFigure(digest)})`)

const standing = ({ withdrawn, counts, answered }: Review): string =>
  withdrawn !== null
    ? ", withdrawn"
    : counts
      ? answered === null
        ? ""
        : `, answered by its author's ${answered.by}`
      : ", replaced by a newer one"

export const reviewsOf = ({ reviews }: { readonly reviews: readonly Review[] }): Section => ({
  title: "Reviews",
  items: reviews.map(
    (review) =>
      `${words(review.verdict)} (${writerName(review.author)}, ${reviewerIs(review)}, ` +
      `${review.at.slice(0, 10)}${standing(review)})` +
      `${review.checked.length === 0 ? "" : `, checked ${review.checked.join(", ")}`}: ${inline(review.explanation)}`,
  ),
})
