/** The fields of a paper in a bibliography file, from a source's record or from the description sent with the paper. */
import { parse, type Stored } from "../../contract/json.ts"
import { isArxivId, isDoi } from "../../contract/schema/fields.ts"
import { nameOfPaper } from "../../contract/schema/paper-mention.ts"
import type { Description, ShownPaper } from "../papers/papers.ts"

export interface Cited extends ShownPaper {
  /** The key it was imported under; null for a key derived from its id. */
  readonly citationKey: string | null
  readonly tags?: Stored<string[]>
}

const keyOf = ({ paperId, citationKey }: Cited): string =>
  citationKey ?? (isArxivId(paperId) ? `arXiv:${paperId}` : paperId.replace(/[^A-Za-z0-9.:/_+-]/g, "-"))

function yearOf(arxivId: string): number {
  const year = Number(/([0-9]{2})[0-9]{2}(?:\.|[0-9]{3})/.exec(arxivId)?.[1])
  return year > 90 ? 1900 + year : 2000 + year
}

/** The members that records and descriptions may have. */
type Source = { readonly [M in keyof Description]?: Description[M] | null } & {
  readonly doi?: string
  readonly url?: string | null
  readonly abstract?: string | null
  readonly categories?: readonly string[]
}

/** The kind of publication; `other` if only a description is known. */
type Form = "book" | "article" | "preprint" | "other"

/** Returns the fields of a paper; those that are not known are undefined. */
export function citationFields(cited: Cited) {
  const { paperId, record, sameAs, given, tags } = cited
  const { doi: givenDoi, ...source }: Source = record !== null ? parse(record) : given !== null ? parse(given) : {}
  const other = sameAs ?? givenDoi ?? ""
  const arxivId = [paperId, other].find(isArxivId)
  const doi = [paperId, other].find(isDoi)
  const isBook = paperId.startsWith("isbn:")
  const form: Form = isBook ? "book" : source.venue != null ? "article" : arxivId !== undefined ? "preprint" : "other"
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
    authors: source.authors ?? [],
    date: source.publishedAt?.slice(0, 10),
    year:
      source.year ??
      (source.publishedAt == null ? undefined : Number(source.publishedAt.slice(0, 4))) ??
      (arxivId && yearOf(arxivId)),
    venue: source.venue ?? undefined,
    volume: source.volume ?? undefined,
    issue: source.issue ?? undefined,
    pages: source.pages ?? undefined,
    abstract: source.abstract ?? undefined,
    categories: source.categories ?? [],
    tags: tags === undefined ? [] : parse(tags),
  }
}
