/** Papers of a Library as its pages show them: what they are called, what they are filed under, how far they are read. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { withQuery } from "../addresses.ts"
import { type Content, type Html, html, to } from "../html.ts"

type Paper = Pick<AnswerOf<"library_papers">["items"][number], "arxivId" | "title" | "authors" | "publishedAt">

export const paperPath = (arxivId: string, collectionId?: string): string =>
  withQuery(`/library/papers/${encodeURIComponent(arxivId)}`, { collection: collectionId })

/** Authors by name; of more than a few the first. */
export const authorsOf = (authors: readonly string[], most = 4): string =>
  authors.length > most ? `${authors.slice(0, most - 1).join(", ")} and ${authors.length - most + 1} others` : authors.join(", ")

/** A paper as lists name it: its title where it is known, else its id. */
export const paperName = ({ arxivId, title, authors, publishedAt }: Paper, collectionId?: string): Html =>
  html`<a class="wording" href="${to(paperPath(arxivId, collectionId))}">${title ?? `arXiv:${arxivId}`}</a><p class="hint">${
    title === null
      ? "nothing more is known of it here"
      : html`${authorsOf(authors)}${publishedAt === null ? null : html`${authors.length === 0 ? null : ", "}${publishedAt.slice(0, 4)}`}${authors.length === 0 && publishedAt === null ? null : " · "}arXiv:${arxivId}`
  }</p>`

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
