/** Makes records from the fields that arXiv and Crossref send, whatever the format. */
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import { isoTime } from "../../ledger/world.ts"
import type { PaperRecord, Description, SourcePaper } from "./papers.ts"
import { Parser } from "htmlparser2"
import { isObject } from "../../contract/json.ts"
import { isDoi, paperOfDoi, DOI } from "../../contract/schema/fields.ts"
import { asArxivId } from "../../contract/schema/paper-mention.ts"

// Tracks which filed papers still need metadata from a source.

/**
 * How long to wait before requesting a paper again that its source did not have. It may have been announced by then.
 */
const RETRY_AFTER_MS = 7 * 86_400_000

export type Metadata = ReturnType<typeof metadata>

export function metadata(db: Db) {
  const missing = (isFromSource: string) =>
    db.prepare<{ paper_id: string; here: number }>(
      `SELECT w.paper_id, EXISTS (SELECT 1 FROM papers p WHERE p.paper_id = w.paper_id) AS here
       FROM (SELECT paper_id
         FROM saved_papers
         WHERE known = 0 AND ${isFromSource}
         UNION SELECT paper_id
         FROM collection_papers
         WHERE known = 0 AND ${isFromSource}) w
       WHERE NOT EXISTS (SELECT 1 FROM paper_misses m WHERE m.paper_id = w.paper_id AND m.asked_at BETWEEN +? AND +?)
        LIMIT +?`,
    )
  const missingFrom = {
    arxiv: missing("paper_id NOT GLOB '10.*/*' AND instr(paper_id, ':') = 0"),
    crossref: missing("paper_id GLOB '10.*/*'"),
  }
  const reveal = ["saved_papers", "collection_papers"].map((table) =>
    db.prepare(`UPDATE ${table} SET known = 1 WHERE known = 0 AND paper_id = +?`),
  )
  const insertMiss = inserting(db, "paper_misses", { onConflict: "DO UPDATE SET asked_at = excluded.asked_at" })

  return {
    /**
     * Returns filed papers whose metadata is not shown yet: `here` if this instance has it for someone else, `absent`
     * if it must be requested.
     */
    missing(source: PaperRecord["source"], now: number, count: number): { here: string[]; absent: string[] } {
      const rows = missingFrom[source].all(isoTime(now - RETRY_AFTER_MS), isoTime(now), count)
      const ids = (here: boolean) => rows.filter((row) => (row.here === 1) === here).map((row) => row.paper_id)
      return { here: ids(true), absent: ids(false) }
    },
    /** Makes the metadata of papers visible to everyone who filed them. */
    reveal: (paperIds: readonly string[]) =>
      paperIds.forEach((paperId) => reveal.forEach((statement) => statement.run(paperId))),
    /** Records that a source does not have these papers. */
    recordMisses: (paperIds: readonly string[], at: string) =>
      paperIds.forEach((paperId) => insertMiss({ paperId, askedAt: at })),
  }
}

// Takes markup out of titles and names: HTML, JATS and MathML as Crossref, PubMed and reference managers write them. A
// sign that begins no known element stays: `p < 0.05` is not a tag.

/** The elements whose tags are dropped and whose text stays. */
const INLINE: ReadonlySet<string> = new Set(
  `a abbr abstract b bdi bdo big br cite code del dfn div em font i ins italic bold kbd label list list-item mark math
  mfenced mfrac mi mn mo mover mpadded mrow mspace msqrt mroot mstyle msub msubsup msup mtable mtd mtext mtr munder
  munderover ol p q roman s sc scp sec semantics small span strike strong sub sup title tt u ul li underline var h1 h2
  h3 h4 h5 h6 inline-formula tex-math nocase overline monospace named-content`.split(/\s+/),
)
const isKnown = (name: string): boolean => INLINE.has(name.replace(/^(?:jats|mml|m):/, ""))
/** Elements after which words do not run together. */
const APART = /^(?:jats:)?(?:p|div|br|li|title|sec|list-item|h[1-6])$/

function once(text: string): string {
  let plain = ""
  let end = 0
  const keep = (name: string) => {
    const tag = text.slice(parser.startIndex, parser.endIndex + 1)
    // What is no element was text: it stays as it was written. `a <b and c> d` has no attribute with a value either.
    const isElement = isKnown(name) && (!/\s\w/.test(tag) || tag.includes("="))
    if (!isElement) plain += tag
    else if (APART.test(name)) plain += " "
    end = parser.endIndex + 1
  }
  const parser = new Parser(
    {
      onopentag: (name, _attributes, isImplied) => void (isImplied || keep(name)),
      onclosetag: (name, isImplied) => void (isImplied || keep(name)),
      ontext: (part) => {
        plain += part
        end = parser.endIndex + 1
      },
      oncomment: () => void (end = parser.endIndex + 1),
    },
    { decodeEntities: true, lowerCaseTags: true, recognizeSelfClosing: true },
  )
  parser.write(text)
  parser.end()
  // A tag that is never closed is text.
  return plain + text.slice(end)
}

/** Returns a value as one line of plain text. Markup that was escaped is taken out too: `&lt;i&gt;` is a tag. */
export function plain(text: string): string {
  let found = text
  if (/[<&]/.test(found)) {
    found = once(found)
    if (/<\/?[a-z]|&(?:[a-z]+|#\w+);/i.test(found)) found = once(found)
  }
  return (
    found
      .replaceAll("\0", "")
      // TeX puts accents on letters without a dot.
      .replace(/[ıȷ](?=\p{M})/gu, (letter) => (letter === "ı" ? "i" : "j"))
      .replace(/\s+/g, " ")
      .trim()
      .toWellFormed()
      .normalize()
  )
}

/** The most characters of each kind of field, and the most items of a list. Real papers stay far below these limits. */
const LONGEST = 2_000
export const LONGEST_ABSTRACT = 20_000
const SHORT = 200
export const MOST_AUTHORS = 5_000
export const MOST_CATEGORIES = 100

/** An object of parsed JSON or XML, unchecked. */
export type Members = { readonly [member: string]: unknown }
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const objects = (value: unknown): readonly Members[] => list(value).filter(isObject)

/** Returns a value as one line of text, since sources wrap lines; empty if it is not text. */
export const clean = (value: unknown, most = LONGEST): string =>
  typeof value === "string"
    ? value
        .slice(0, 10 * most)
        .toWellFormed()
        .replaceAll("\0", "")
        .replace(/\s+/g, " ")
        .trim()
        .slice(0, most)
        .toWellFormed()
    : ""
export const short = (value: unknown, most = SHORT): string | null => clean(value, most) || null
export const cleanList = (values: readonly unknown[], most: number): string[] =>
  values
    .slice(0, most)
    .map((value) => clean(value))
    .filter((value) => value !== "")

const momentOf = (value: unknown): string | null => {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

/** Returns the paper that a DOI field names, with or without the doi.org URL; null if it is not a DOI. */
export function doiIn(value: unknown): string | null {
  const text = clean(value, 400).replace(/^(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:\s*)/i, "")
  return DOI.test(text) ? paperOfDoi(text) : null
}

/** The unchecked fields of an arXiv paper. The authors entered `doi` and `journal` for the published version. */
export type ArxivFields = Readonly<
  Record<"id" | "title" | "abstract" | "published" | "doi" | "journal", unknown> &
    Record<"authors" | "categories", readonly unknown[]>
>

const noPublication = { venue: null, volume: null, issue: null, pages: null, isbn: null, url: null } satisfies Partial<
  Description & { url: null }
>

/** Makes a paper from arXiv's fields; null if they have no arXiv id or no title. */
export function paperFromArxiv({
  id,
  title,
  authors,
  abstract,
  categories,
  published,
  doi,
  journal,
}: ArxivFields): SourcePaper | null {
  const paperId = asArxivId(id)
  const named = clean(title)
  if (paperId === undefined || named === "") return null
  const publishedAt = momentOf(published)
  // Authors may enter several DOIs separated by spaces. The first is the paper's.
  const other = doiIn(clean(doi).split(" ")[0])
  const record: PaperRecord = {
    title: named,
    authors: cleanList(authors, MOST_AUTHORS),
    ...noPublication,
    venue: short(journal, 500),
    year: publishedAt === null ? null : Number(publishedAt.slice(0, 4)),
    publishedAt,
    abstract: short(abstract, LONGEST_ABSTRACT),
    categories: [...new Set(cleanList(categories, MOST_CATEGORIES))],
    source: "arxiv",
  }
  return { paperId, sameAs: other !== null && isDoi(other) ? other : null, record }
}
