/** A paper as the files for reference managers have it, whoever told of it. */
import { parse, type Stored } from "../../contract/json.ts"
import { isArxivId, isDoi } from "../../contract/schema/fields.ts"
import { nameOfPaper } from "../../contract/schema/paper-mention.ts"
import type { Description, ShownPaper } from "../papers/papers.ts"

export interface Cited extends ShownPaper {
  /** The key it was imported under; left out, one made of its name, which never changes either. */
  readonly citationKey: string | null
  /** JSON of the tags of the caller. */
  readonly tags?: Stored<string[]>
}

/** The key of a paper: the one it was imported under, or one made of its name. */
export const keyOf = ({ paperId, citationKey }: Pick<Cited, "paperId" | "citationKey">): string =>
  citationKey ?? (isArxivId(paperId) ? `arXiv:${paperId}` : paperId.replace(/[^A-Za-z0-9.:/_+-]/g, "-"))

/** The year in which arXiv gave out an id. */
function yearOf(arxivId: string): number {
  const year = Number(/([0-9]{2})[0-9]{2}(?:\.|[0-9]{3})/.exec(arxivId)?.[1])
  return year > 90 ? 1900 + year : 2000 + year
}

/** What a record or whoever filed the paper says. */
type Said = { readonly [M in keyof Description]?: Description[M] | null } & {
  readonly doi?: string
  readonly url?: string | null
  readonly abstract?: string | null
  readonly categories?: readonly string[]
}

/** What a paper is: a book, an article in a journal, something of arXiv, or only what was said of it. */
export type Form = "book" | "article" | "preprint" | "other"

/** Everything that a file says of a paper; undefined where nothing is known. */
export function citationFields(cited: Cited) {
  const { paperId, record, sameAs, given, tags } = cited
  const { doi: givenDoi, ...said }: Said = record !== null ? parse(record) : given !== null ? parse(given) : {}
  const other = sameAs ?? givenDoi ?? ""
  const arxivId = [paperId, other].find(isArxivId)
  const doi = [paperId, other].find(isDoi)
  const isBook = paperId.startsWith("isbn:")
  const form: Form = isBook ? "book" : said.venue != null ? "article" : arxivId !== undefined ? "preprint" : "other"
  const url =
    arxivId !== undefined
      ? `https://arxiv.org/abs/${arxivId}`
      : doi !== undefined
        ? `https://doi.org/${encodeURI(doi)}`
        : (said.url ?? undefined)
  return {
    key: keyOf(cited),
    form,
    ...{ arxivId, doi, url },
    isbn: isBook ? paperId.slice(5) : (said.isbn ?? undefined),
    /** What stands for a paper without a name of its own. */
    reference: paperId.startsWith("ref:") ? paperId : undefined,
    /** A paper of which nothing is known has its name for a title. */
    title: said.title ?? nameOfPaper(paperId) ?? paperId,
    isTitled: said.title != null,
    authors: said.authors ?? [],
    date: said.publishedAt?.slice(0, 10),
    year: said.year ?? (said.publishedAt == null ? undefined : Number(said.publishedAt.slice(0, 4))) ?? (arxivId && yearOf(arxivId)),
    venue: said.venue ?? undefined,
    volume: said.volume ?? undefined,
    issue: said.issue ?? undefined,
    pages: said.pages ?? undefined,
    abstract: said.abstract ?? undefined,
    categories: said.categories ?? [],
    tags: tags === undefined ? [] : parse(tags),
  }
}
