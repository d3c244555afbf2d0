/** The fields of a paper in a bibliography file, from a source's record or from the description sent with the paper. */
import { parse, type Stored } from "../../contract/json.ts"
import { isArxivId, isDoi } from "../../contract/schema/fields.ts"
import { nameOfPaper } from "../../contract/schema/paper-mention.ts"
import { type CslDate, dateOfParts, nameOf } from "../papers/csl.ts"
import type { Description, ShownPaper } from "../papers/papers.ts"

export interface Cited extends ShownPaper {
  /** The key it was imported under; null for a key derived from its id. */
  readonly citationKey: string | null
  readonly tags?: Stored<string[]>
}

const keyOf = ({ paperId, citationKey }: Cited): string =>
  citationKey ?? (isArxivId(paperId) ? `arXiv:${paperId}` : paperId.replace(/[^A-Za-z0-9.:/_+-]/g, "-"))

function yearOfArxivId(arxivId: string): number {
  const year = Number(/([0-9]{2})[0-9]{2}(?:\.|[0-9]{3})/.exec(arxivId)?.[1])
  return year > 90 ? 1900 + year : 2000 + year
}

/** The members that records and descriptions may have. */
type Source = { readonly [M in keyof Description]?: Description[M] | null } & {
  readonly doi?: string
  readonly url?: string | null
  readonly abstract?: string | null
  readonly categories?: readonly string[]
  readonly source?: string
}

/** The kind of publication; `other` if only a description is known. */
export type Form = "book" | "article" | "chapter" | "paper" | "thesis" | "report" | "preprint" | "other"

/** The forms that CSL has a type for, and those whose venue is the book that holds them. */
const forms: Readonly<Record<string, Form>> = {
  book: "book",
  chapter: "chapter",
  "paper-conference": "paper",
  thesis: "thesis",
  report: "report",
}

/** The date of a description from before its parts were kept. */
function issuedOf({ publishedAt, year }: Source, arxivId: string | undefined): CslDate | undefined {
  if (publishedAt != null) return dateOfParts([publishedAt.slice(0, 10).split("-")])
  const known = year ?? (arxivId && yearOfArxivId(arxivId))
  return known ? { "date-parts": [[known]] } : undefined
}

/** Returns the fields of a paper; those that are not known are undefined. */
export function citationFields(cited: Cited) {
  const { paperId, record, sameAs, given, tags } = cited
  const { doi: givenDoi, ...source }: Source = record !== null ? parse(record) : given !== null ? parse(given) : {}
  const other = sameAs ?? givenDoi ?? ""
  const arxivId = [paperId, other].find(isArxivId)
  const doi = [paperId, other].find(isDoi)
  const isBook = paperId.startsWith("isbn:")
  const stated = forms[source.type ?? ""]
  const form: Form = isBook
    ? "book"
    : stated !== undefined && (source.venue != null || stated === "book")
      ? stated
      : source.venue != null
        ? "article"
        : arxivId !== undefined
          ? "preprint"
          : "other"
  const url =
    arxivId !== undefined
      ? `https://arxiv.org/abs/${arxivId}`
      : doi !== undefined
        ? `https://doi.org/${encodeURI(doi)}`
        : (source.url ?? undefined)
  return {
    key: keyOf(cited),
    form,
    arxivId,
    doi,
    url,
    isbn: isBook ? paperId.slice(5) : (source.isbn ?? undefined),
    /** The id of a paper known only by its description. */
    reference: paperId.startsWith("ref:") ? paperId : undefined,
    /** The id serves as the title if no title is known. */
    title: source.title ?? nameOfPaper(paperId) ?? paperId,
    isTitled: source.title != null,
    names: source.names ?? (source.authors ?? []).map(nameOf),
    /** Whether texts are TeX already. */
    isTex: source.source === "arxiv",
    moreAuthors: source.moreAuthors === true,
    /** The date in its parts. A paper of arXiv shows its year in its id. */
    issued: source.issued ?? issuedOf(source, arxivId),
    publisher: source.publisher ?? undefined,
    date: source.publishedAt?.slice(0, 10),
    year:
      source.year ??
      (source.publishedAt == null ? undefined : Number(source.publishedAt.slice(0, 4))) ??
      (arxivId === undefined ? undefined : yearOfArxivId(arxivId)),
    venue: source.venue ?? undefined,
    volume: source.volume ?? undefined,
    issue: source.issue ?? undefined,
    pages: source.pages ?? undefined,
    abstract: source.abstract ?? undefined,
    categories: source.categories ?? [],
    tags: tags === undefined ? [] : parse(tags),
  }
}
