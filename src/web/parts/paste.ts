/** The one box that takes whatever names papers of arXiv, and what is said of each afterwards. */
import { randomUUID } from "node:crypto"
import { limits } from "../../contract/limits.ts"
import { type Html, html, to } from "../html.ts"
import { counted, shortened } from "../words.ts"
import { paperPath } from "./papers.ts"

/** What became of a pasted text. */
export interface PasteResult {
  /** Papers that were not there before, and those that were. */
  readonly filed: readonly string[]
  readonly already: readonly string[]
  /** What names no paper of arXiv, with why where it is an entry of a file. */
  readonly others: readonly string[]
  /** The name of the Collection that they went to. */
  readonly collection?: { readonly id: string; readonly name: string }
  /** Papers for which there was no room in one go. */
  readonly left: readonly string[]
  /** Why no more of it was stored. */
  readonly refusal?: string
  /** The text as it was sent, where it is to be sent again. */
  readonly text?: string
}

/** How many parts of a text, and papers, are listed one by one. */
const TOLD = 50

interface Box {
  /** The Collections to choose from; or the one that the box belongs to. */
  readonly collections: readonly { readonly id: string; readonly name: string }[]
  readonly of?: string
  readonly text?: string | undefined
}

/** The box; the text in it is what was not stored the last time. */
export const pasteBox = ({ collections, of, text }: Box): Html =>
  html`<form class="paste" method="post" action="${to("/web/paste")}"><input type="hidden" name="requestId" value="${randomUUID()}">${
    of === undefined ? null : html`<input type="hidden" name="of" value="${of}">`
  }<label for="paste">Add papers</label>
<textarea id="paste" name="text" required rows="2" maxlength="${limits.bibtex}" aria-describedby="paste-hint" spellcheck="false">${text}</textarea>
<p class="hint" id="paste-hint">Paste arXiv ids, addresses or DOIs, a whole list of references, or a BibTeX or RIS file.</p>
<div class="send"><button>Save</button>${
    of === undefined && collections.length > 0
      ? html`<label for="paste-into">and file under</label><select id="paste-into" name="collectionId"><option value="">no Collection</option>${collections.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}</select>`
      : null
  }<label class="from-file" data-file-into="paste">From a file<input type="file" accept=".bib,.ris,.txt,.bibtex,text/plain"></label></div></form>`

const papers = (heading: string, arxivIds: readonly string[], collectionId?: string): Html | null =>
  arxivIds.length === 0
    ? null
    : html`<p><strong>${heading}</strong> ${arxivIds.slice(0, TOLD).map((id, index) => html`${index === 0 ? null : ", "}<a href="${to(paperPath(id, collectionId))}">${id}</a>`)}${arxivIds.length > TOLD ? ` and ${arxivIds.length - TOLD} more` : null}</p>`

/** What happened to each thing that was pasted. */
export function pasted({ filed, already, others, collection, left, refusal }: PasteResult): Html {
  const isWhole = refusal === undefined && others.length === 0 && left.length === 0
  const where = collection === undefined ? "saved" : `saved and filed under “${collection.name}”`
  const heading = filed.length === 0 ? "Nothing new was saved" : `${counted(filed.length, "paper")} ${where}`
  return html`<div class="outcome${isWhole ? "" : " partly"}" role="status" id="pasted"><h2>${heading}</h2>
${refusal === undefined ? null : html`<p>${refusal} What was pasted is still in the box.</p>`}${papers("New:", filed, collection?.id)}${papers("There already:", already, collection?.id)}${
  others.length === 0
    ? null
    : html`<p><strong>Not a paper of arXiv:</strong></p><ul>${others.slice(0, TOLD).map((other) => html`<li>${shortened(other, 160)}</li>`)}${others.length > TOLD ? html`<li>and ${others.length - TOLD} more</li>` : null}</ul>`
}${left.length === 0 ? null : html`<p>At one time ${limits.pastedPapers} papers are taken. ${counted(left.length, "other")} ${left.length === 1 ? "is" : "are"} still in the box: save again.</p>`}</div>`
}
