/** The boxes for pasting papers, with their preview and outcome, and tables of values. */
import { createHash, randomUUID } from "node:crypto"
import { limits } from "../../contract/limits.ts"
import { nameOfPaper } from "../../contract/schema/paper-mention.ts"
import type { ResultOf } from "../../contract/operations/index.ts"
import type { Found } from "../../library/index.ts"
import { type Html, html, joined, to } from "../html.ts"
import { counted, shortened } from "../words.ts"
import { paperPath } from "./papers.ts"
import type { ReadAs } from "../../contract/answers/parts.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { takesProgress } from "../../contract/states.ts"
import { type TableFault, readAsLine } from "../../research/measurements/read-table.ts"
import type { Visit } from "../visit.ts"

// What a table of values was read as, and the faults in it.

/** A mark of what was shown to a person before it is reported. */
export const markOf = (...shown: readonly unknown[]): string =>
  createHash("sha256").update(JSON.stringify(shown)).digest("hex").slice(0, 32)

export const asRead = (readAs: ReadAs): Html =>
  html`<ul>${readAsLine(readAs)
    .split("; ")
    .map((part) => html`<li>${part}</li>`)}</ul>`
export const listOfFaults = (faults: readonly TableFault[]): Html | null =>
  faults.length === 0
    ? null
    : html`<ul>${faults.map(({ line, message }) => html`<li>Line ${line} ${message}.</li>`)}</ul>`

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

// The form on an attempt's page for pasting a table of measured values.

/** What a person wrote into the form. */
interface Given {
  readonly text: string
  readonly by: string
  readonly missing: string
  readonly metric: string
}
/** A table that was not reported: refused, or read and shown before it is reported. */
export interface PastedTable extends Given {
  readonly faults: readonly TableFault[]
  readonly refusal?: string
  readonly readAs?: ReadAs
}

/** A mark of what was shown to a person before it is reported. */
export const tableMark = ({ text, by, missing, metric }: Given): string => markOf(text, by, missing, metric)

type Attempt = Pick<AnswerOf<"attempt">, "attemptId" | "status" | "registrant">

const wrong = ({ faults, refusal }: PastedTable): Html => html`<div class="banner warn" role="alert">
<strong>Nothing was reported.</strong>${refusal === undefined ? null : html`<p>${refusal}</p>`}\
${listOfFaults(faults)}</div>`

/** What the table was read as, to be confirmed. */
const read = (pasted: PastedTable, readAs: ReadAs): Html => html`<div class="banner" role="status">
<strong>Not reported yet. This is how the table was read:</strong>
${asRead(readAs)}
<input type="hidden" name="seen" value="${tableMark(pasted)}"></div>`

/** Renders the form for the attempt's registrant, while the attempt takes progress. */
export function metricsBox(
  visit: Visit,
  { attemptId, status, registrant }: Attempt,
  pasted?: PastedTable,
): Html | null {
  if (visit.person?.userId !== registrant.userId || !takesProgress(status)) return null
  const reading =
    pasted === undefined ? null : pasted.readAs === undefined ? wrong(pasted) : read(pasted, pasted.readAs)
  const isRead = pasted?.readAs !== undefined
  const field = (name: "by" | "missing" | "metric", label: string, hint: string, most: number): Html =>
    html`<div class="field"><label for="table-${name}">${label} <span class="optional">optional</span></label>
<input id="table-${name}" name="${name}" type="text" value="${pasted?.[name]}" autocomplete="off" maxlength="${most}"
aria-describedby="table-${name}-hint"><p class="hint" id="table-${name}-hint">${hint}</p></div>`
  return html`<details class="metrics-box" id="add-metrics"${pasted === undefined ? null : html` open`}>
<summary>Add values from a table</summary>
<form method="post" action="${to("/web/metrics")}">${reading}\
<input type="hidden" name="requestId" value="${randomUUID()}">
<input type="hidden" name="attemptId" value="${attemptId}">
<div class="field"><label for="table">Table</label><textarea id="table" name="text" required rows="5"
maxlength="${limits.pastedTable}" class="code" spellcheck="false" aria-describedby="table-hint">${
    pasted === undefined ? null : html`\n${pasted.text}`
  }</textarea>
<p class="hint" id="table-hint">CSV with the names of its columns first, such as arm,seed,error. Columns of numbers are
metrics; seed and columns of words are dimensions. You see how it was read before anything is reported.</p></div>
${field("by", "Other columns that are dimensions", "Columns of numbers, such as size, with commas between them.", 300)}
${field("missing", "Cells without a value", "What stands for a missing value, such as NA. Empty cells always do.", 300)}
${field(
  "metric",
  "Name of the metric",
  "Only for a table that does not name its metric, as TensorBoard writes.",
  limits.name,
)}
<div class="send"><button>${isRead ? "Report the values" : "Read the table"}</button>
<label class="from-file" data-file-into="table">From a file<input type="file" accept=".csv,.tsv,text/csv"></label></div>
</form></details>`
}
