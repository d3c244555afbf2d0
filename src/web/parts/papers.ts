/** Renders papers of a Library: names, links, tags, reading progress. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { nameOfPaper } from "../../contract/schema/paper-mention.ts"
import { withQuery } from "../addresses.ts"
import { type Content, type Html, html, joined, to } from "../html.ts"

export type Paper = Pick<
  AnswerOf<"library_papers">["items"][number],
  "paperId" | "arxivId" | "doi" | "isbn" | "url" | "title" | "authors" | "moreAuthors" | "year" | "venue" | "source"
>

export const paperPath = (paperId: string, collectionId?: string): string =>
  withQuery(`/library/papers/${encodeURIComponent(paperId)}`, { collection: collectionId })

/** The authors' names, or the first ones if there are many. */
export const authorsOf = (authors: readonly string[], areMore = false, most = 4): string =>
  authors.length > most
    ? `${authors.slice(0, most - 1).join(", ")} and ${authors.length - most + 1}${areMore ? " or more" : ""} others`
    : `${authors.join(", ")}${areMore ? " and others" : ""}`

/** The name of a paper: its title, or its DOI, ISBN or arXiv id if the title is unknown. */
export const calledBy = ({ paperId, title }: Pick<Paper, "paperId" | "title">): string =>
  title ?? nameOfPaper(paperId) ?? "Untitled"

function paperLine({ paperId, title, authors, moreAuthors, year, venue }: Paper): Content {
  const who = [authorsOf(authors, moreAuthors), year ?? ""].filter((part) => part !== "").join(", ")
  const parts = title === null ? ["No title yet", who, venue] : [who, venue, nameOfPaper(paperId)]
  return joined(
    parts.filter((part) => part != null && part !== ""),
    " · ",
  )
}

/** A paper in a list. */
export const paperName = (paper: Paper, collectionId?: string): Html =>
  html`<a class="wording" href="${to(paperPath(paper.paperId, collectionId))}">${calledBy(paper)}</a>\
<p class="hint">${paperLine(paper)}</p>`

const outward = (address: string, text: string): Html =>
  html`<a rel="nofollow noopener noreferrer" href="${address}">${text}</a>`

/** Links to a paper: at arXiv, at its publisher by its DOI, or at the address that was filed. */
export const paperLinks = ({ arxivId, doi, url }: Pick<Paper, "arxivId" | "doi" | "url">): Html[] => [
  ...(arxivId === null
    ? []
    : [
        outward(`https://arxiv.org/abs/${arxivId}`, "Abstract at arXiv"),
        outward(`https://arxiv.org/pdf/${arxivId}`, "PDF at arXiv"),
      ]),
  ...(doi === null ? [] : [outward(`https://doi.org/${encodeURIComponent(doi).replaceAll("%2F", "/")}`, `doi:${doi}`)]),
  ...(url === null || !/^https?:\/\//.test(url) ? [] : [outward(url, new URL(url).host)]),
]

/** The source of a paper's metadata. */
export const sourceLine = ({ source }: Pick<Paper, "source">): string =>
  source === "arxiv"
    ? "Metadata from arXiv"
    : source === "crossref"
      ? "Metadata from Crossref"
      : source === "given"
        ? "As it was filed; no source has confirmed it"
        : "No metadata yet"

export const collectionLink = ({ id, name }: { readonly id: string; readonly name: string }): Html =>
  html`<a href="${to(`/library/collections/${id}`)}">${name}</a>`

/** The number of notes, and how many of them are new to the reader. */
export const noted = (
  { notes, unread }: { readonly notes: number; readonly unread: number },
  after: Content = null,
): Html => html`${notes}${after}${unread === 0 ? null : html` <strong class="active">${unread} new</strong>`}`

/** Reading progress: "page 7 of 23". */
export const readTo = ({ page, pages }: { readonly page: number; readonly pages: number | null }): string =>
  `page ${page.toLocaleString("en")}${pages === null ? "" : ` of ${pages.toLocaleString("en")}`}`

/** Tags as links to the papers that have them. */
export const tagLinks = (tags: readonly string[]): Html =>
  html`${tags.map((tag) => html`<a class="tag" href="${to(withQuery("/library", { tag }))}">${tag}</a> `)}`

/** Links to the same list as a file for other programs. */
export const asFiles = (path: string, query: Readonly<Record<string, string | undefined>> = {}): Html =>
  html`<p class="ways">${(
    [
      ["BibTeX", "bibtex"],
      ["RIS", "ris"],
      ["CSL-JSON", "csl"],
    ] as const
  ).map(([name, format]) => html`<a href="${to(withQuery(path, { ...query, format }))}" download>${name}</a> `)}</p>`
