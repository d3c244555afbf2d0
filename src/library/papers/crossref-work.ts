/** Crossref's JSON: works as its REST API and its public data file have them, alone or in lists. */
import { isObject } from "../../contract/json.ts"
import { asArxivId, mentionedArxivId } from "../../contract/schema/paper-mention.ts"
import type { SourcePaper } from "./papers.ts"
import { clean, short, paperFromCrossref } from "./record.ts"

type Members = { readonly [member: string]: unknown }
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const objects = (value: unknown): readonly Members[] => list(value).filter(isObject)
const first = (value: unknown): unknown => list(value)[0]

/** Titles and abstracts hold JATS and MathML. */
const withoutTags = (value: unknown): string =>
  typeof value !== "string"
    ? ""
    : value
        .slice(0, 200_000)
        .replace(/<(?:jats:)?title>[^<]{0,40}<\/(?:jats:)?title>/g, " ")
        .replace(/<[^<>]{0,500}>/g, " ")
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&amp;", "&")

const nameOf = ({ given, family, name, suffix }: Members): string =>
  clean(name) ||
  [given, family, suffix]
    .map((part) => clean(part))
    .filter((part) => part !== "")
    .join(" ")

/** The parts of the earliest date that a work has: of these Crossref calls `issued`. */
function dateOf({ issued, published }: Members): { year: number | null; publishedAt: string | null } {
  const [parts] = [issued, published]
    .map((date) => (isObject(date) ? list(first(date["date-parts"])) : []))
    .filter(([year]) => Number.isInteger(year))
  const [year, month, day] = parts ?? []
  if (typeof year !== "number" || year < 1_000 || year > 9_999) return { year: null, publishedAt: null }
  const isWhole = Number.isInteger(month) && Number.isInteger(day)
  const at = isWhole ? Date.UTC(year, Number(month) - 1, Number(day)) : Number.NaN
  return { year, publishedAt: Number.isNaN(at) ? null : new Date(at).toISOString() }
}

const PREPRINTS = ["has-preprint", "is-preprint-of", "is-version-of", "has-version", "is-identical-to"]

/** The arXiv id among the relations of a work, if it has one. */
function preprintOf({ relation }: Members): string | null {
  const related = PREPRINTS.flatMap((name) => (isObject(relation) ? objects(relation[name]) : []))
  const ids = related.slice(0, 100).map(({ id, "id-type": type }) => {
    const text = clean(id, 300)
    return type === "arxiv" ? asArxivId(text.replace(/^arxiv:/i, "")) : mentionedArxivId(text)
  })
  return ids.find((id) => id !== undefined) ?? null
}

/** What a work tells of a paper; null for one without DOI or title. */
export function paperFromWork(work: Members): SourcePaper | null {
  return paperFromCrossref({
    doi: work.DOI,
    title: withoutTags(first(work.title)),
    authors: objects(work.author).map(nameOf),
    ...dateOf(work),
    venue: short(first(work["container-title"]), 500) ?? short(work.publisher, 500),
    volume: short(work.volume),
    issue: short(work.issue),
    pages: short(work.page),
    isbn:
      list(work.ISBN)
        .map((isbn) => clean(isbn).replace(/[^0-9]/g, ""))
        .find((isbn) => /^97[89][0-9]{10}$/.test(isbn)) ?? null,
    abstract: withoutTags(work.abstract),
    subjects: list(work.subject),
    preprint: preprintOf(work),
  })
}

/** The works of an answer: one, a list of them, or what the public data file holds. Undefined for what is none of these. */
function worksOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value
  if (!isObject(value)) return undefined
  const message = isObject(value.message) ? value.message : value
  if (Array.isArray(message.items)) return message.items
  return "DOI" in message ? [message] : undefined
}

/** What an answer of Crossref tells of papers, and how many of its items are none. @throws Error for what is no answer of Crossref */
export function crossrefPapers(json: string): { papers: SourcePaper[]; others: number } {
  const works = worksOf(JSON.parse(json) as unknown)
  if (works === undefined) throw new Error("This holds no works of Crossref.")
  const papers = works.map((work) => (isObject(work) ? paperFromWork(work) : null)).filter((told) => told !== null)
  return { papers, others: works.length - papers.length }
}
