/** Renders papers of a Library: names, links, tags, reading progress; and the boxes for pasting papers. */
import { createHash, randomUUID } from "node:crypto"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { nameOfPaper } from "../../contract/schema/paper-mention.ts"
import { withQuery, type Content, type Html, html, joined, to } from "../html.ts"
import { limits } from "../../contract/limits.ts"
import type { ResultOf } from "../../contract/operations/index.ts"
import type { Found } from "../../library/index.ts"
import { counted, shortened } from "../words.ts"

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

// The boxes for pasting papers, with their preview and outcome.

type Unreadable = Readonly<ResultOf<"import_papers">["unreadable"]>

/** What a page shows about a pasted text. */
export interface PasteResult {
  /** The text, if it has not been stored yet. */
  readonly text?: string
  readonly recognised?: Found
  /** New papers, papers that were there already, and what could not be read. */
  readonly outcome?: {
    readonly filed: readonly string[]
    readonly already: readonly string[]
    readonly unreadable: Unreadable
  }
  readonly refusal?: string
  readonly collectionId?: string | undefined
}

/** The maximum number of papers, or parts of a text, that are listed one by one. */
const TOLD = 50

/** A digest of a text, which the form sends back to say that its preview was seen. */
export const seenMark = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32)

interface Box extends PasteResult {
  readonly collections: readonly { readonly id: string; readonly name: string }[]
  /** The Collection whose page the box is on. */
  readonly of?: { readonly id: string; readonly name: string }
}

const saving = ({ papers, byWords }: Found): string =>
  `Save ${counted(papers.length, byWords.length === papers.length ? "reference" : "paper")}`

/** Renders the box. It keeps a text that has not been stored yet. */
export const pasteBox = ({ collections, of, text, recognised, collectionId }: Box): Html =>
  html`<form class="paste" method="post" action="${to("/web/paste")}" data-recognised>\
<input type="hidden" name="requestId" value="${randomUUID()}">\
${of && html`<input type="hidden" name="of" value="${of.id}">`}<label for="paste">Add papers</label>
<textarea id="paste" name="text" required rows="2" maxlength="${limits.importedText}" aria-describedby="paste-hint" \
spellcheck="false">${text}</textarea>
<p class="hint" id="paste-hint">Paste DOIs, ISBNs, arXiv ids, addresses, a list of references, or a BibTeX, RIS or \
CSL-JSON file.</p>
<div id="recognised" aria-live="polite">${recognised === undefined ? null : recognisedAs(recognised, text ?? "")}</div>
<div class="send"><button${recognised === undefined ? null : html` autofocus`}>\
${recognised === undefined ? "Save" : saving(recognised)}</button>\
<button class="quiet" name="preview" value="1">Preview</button>${
    of === undefined && collections.length > 0
      ? html`<label for="paste-into">and add to</label><select id="paste-into" name="collectionId">\
<option value="">no Collection</option>\
${collections.map(
  ({ id, name }) => html`<option value="${id}"${id === collectionId ? html` selected` : null}>${name}</option>`,
)}</select>`
      : null
  }<label class="from-file" data-file-into="paste">From a file<input type="file" \
accept=".bib,.ris,.json,.txt,.bibtex,text/plain"></label></div></form>`

const unread = (unreadable: Unreadable): Html | null =>
  unreadable.length === 0
    ? null
    : html`<p><strong>${counted(unreadable.length, "part")} could not be read:</strong></p>\
<ul>${unreadable.slice(0, TOLD).map(({ input, why }) => html`<li><q>${shortened(input, 160)}</q> ${why}</li>`)}\
${unreadable.length > TOLD ? html`<li>and ${unreadable.length - TOLD} more</li>` : null}</ul>`

/** Renders the preview: the papers recognised in a text. Nothing has been stored yet. */
function recognisedAs({ papers, unreadable, byWords }: Found, text: string): Html {
  const item = ({ paperId, given }: Found["papers"][number]) => {
    const name = nameOfPaper(paperId)
    return html`<li>${name === undefined ? null : html`<span class="name">${name}</span> `}\
${given?.title === undefined ? null : shortened(given.title, 160)}\
${byWords.includes(paperId) ? html` <span class="tag">without an identifier, kept as written</span>` : null}</li>`
  }
  const known = papers.length - byWords.length
  const heading = [
    known === 0 ? "No paper recognised" : `${counted(known, "paper")} recognised`,
    ...(byWords.length === 0 ? [] : [`${counted(byWords.length, "reference")} kept as written`]),
  ]
  return html`<div class="outcome preview${unreadable.length === 0 && byWords.length === 0 ? "" : " partly"}">\
<h2>${heading.join("; ")}${papers.length === 0 ? null : ", not saved yet"}</h2>\
<input type="hidden" name="seen" value="${seenMark(text)}">
${
  papers.length === 0
    ? null
    : html`<ul>${papers.slice(0, TOLD).map(item)}\
${papers.length > TOLD ? html`<li>and ${papers.length - TOLD} more</li>` : null}</ul>`
}${unread(unreadable)}</div>`
}

const papers = (heading: string, paperIds: readonly string[], collectionId?: string): Html | null =>
  paperIds.length === 0
    ? null
    : html`<p><strong>${heading}</strong> \
${joined(
  paperIds
    .slice(0, TOLD)
    .map((id) => html`<a href="${to(paperPath(id, collectionId))}">${nameOfPaper(id) ?? "a reference"}</a>`),
)}${paperIds.length > TOLD ? ` and ${paperIds.length - TOLD} more` : null}</p>`

/** Renders the outcome. @param collection the Collection that the papers were added to */
export function pasted(
  { outcome, refusal }: PasteResult,
  collection?: { readonly id: string; readonly name: string },
): Html | null {
  if (refusal !== undefined)
    return html`<div class="outcome partly" role="status" id="pasted"><h2>Nothing was saved</h2>\
<p>${refusal} What you pasted is still in the box.</p></div>`
  if (outcome === undefined) return null
  const { filed, already, unreadable } = outcome
  const where = collection === undefined ? "saved" : `added to “${collection.name}”`
  const heading =
    filed.length === 0 ? "Nothing new: these papers were there already" : `${counted(filed.length, "paper")} ${where}`
  return html`<div class="outcome${unreadable.length === 0 ? "" : " partly"}" role="status" id="pasted">\
<h2>${heading}</h2>
${papers("New:", filed, collection?.id)}${papers("Already there:", already, collection?.id)}${unread(unreadable)}</div>`
}
