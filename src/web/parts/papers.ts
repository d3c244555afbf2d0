/** Papers of a Library as its pages show them: what they are called, what they are filed under, how far they are read. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { nameOfPaper } from "../../contract/schema/paper-mention.ts"
import { withQuery } from "../addresses.ts"
import { type Content, type Html, html, to } from "../html.ts"

export type Paper = Pick<
  AnswerOf<"library_papers">["items"][number],
  "paperId" | "arxivId" | "doi" | "isbn" | "url" | "title" | "authors" | "year" | "venue" | "source"
>

export const paperPath = (paperId: string, collectionId?: string): string =>
  withQuery(`/library/papers/${encodeURIComponent(paperId)}`, { collection: collectionId })

/** Authors by name; of more than a few the first. */
export const authorsOf = (authors: readonly string[], most = 4): string =>
  authors.length > most ? `${authors.slice(0, most - 1).join(", ")} and ${authors.length - most + 1} others` : authors.join(", ")

/** What a paper is called: its title where it is known, else its DOI, ISBN or arXiv id. */
export const calledBy = ({ paperId, title }: Pick<Paper, "paperId" | "title">): string => title ?? nameOfPaper(paperId) ?? "Untitled"

/** Some contents in a row, with a dot between them; those that are null are left out. */
const inRow = (contents: readonly (Content | null)[]): Html =>
  html`${contents.filter((each) => each !== null).map((each, index) => html`${index === 0 ? null : " · "}${each}`)}`

/** Who wrote it, when and where it appeared, and its name, as far as these are known. */
export function paperLine({ paperId, title, authors, year, venue }: Paper): Html {
  const who = [authorsOf(authors), year === null ? "" : String(year)].filter((part) => part !== "").join(", ")
  return inRow([
    title === null ? "No title yet" : null,
    who === "" ? null : who,
    venue,
    title === null ? null : (nameOfPaper(paperId) ?? null),
  ])
}

/** A paper as lists name it. */
export const paperName = (paper: Paper, collectionId?: string): Html =>
  html`<a class="wording" href="${to(paperPath(paper.paperId, collectionId))}">${calledBy(paper)}</a><p class="hint">${paperLine(paper)}</p>`

const outward = (address: string, text: string): Html => html`<a rel="nofollow noopener noreferrer" href="${address}">${text}</a>`

/** Where a paper can be read: at arXiv, at its publisher's by its DOI, or at the address that was given. */
export function paperLinks({ arxivId, doi, url }: Pick<Paper, "arxivId" | "doi" | "url">): Html[] {
  return [
    ...(arxivId === null
      ? []
      : [outward(`https://arxiv.org/abs/${arxivId}`, "Abstract at arXiv"), outward(`https://arxiv.org/pdf/${arxivId}`, "PDF at arXiv")]),
    ...(doi === null ? [] : [outward(`https://doi.org/${encodeURIComponent(doi).replaceAll("%2F", "/")}`, `doi:${doi}`)]),
    ...(url === null || !/^https?:\/\//.test(url) ? [] : [outward(url, new URL(url).host)]),
  ]
}

/** Who says what a paper is. */
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

/** How many notes there are, and how many of them are new to the reader. */
export const noted = ({ notes, unread }: { readonly notes: number; readonly unread: number }, after: Content = null): Html =>
  html`${notes}${after}${unread === 0 ? null : html` <strong class="active">${unread} new</strong>`}`

/** "page 7 of 23" */
export const readTo = ({ page, pages }: { readonly page: number; readonly pages: number | null }): string =>
  `page ${page.toLocaleString("en")}${pages === null ? "" : ` of ${pages.toLocaleString("en")}`}`

/** Tags as links to what else has them. */
export const tagLinks = (tags: readonly string[]): Html =>
  html`${tags.map((tag) => html`<a class="tag" href="${to(withQuery("/library", { tag }))}">${tag}</a> `)}`

/** The same list as a file for other programs. */
export const asFiles = (path: string, query: Readonly<Record<string, string | undefined>> = {}): Html =>
  html`<p class="ways">${(
    [
      ["BibTeX", "bibtex"],
      ["RIS", "ris"],
      ["CSL-JSON", "csl"],
    ] as const
  ).map(([name, format]) => html`<a href="${to(withQuery(path, { ...query, format }))}" download>${name}</a> `)}</p>`
