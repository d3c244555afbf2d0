/**
 * Tables of measured values that people paste: into a form, or into the box on an attempt's page. What one is read as
 * is shown before anything is reported.
 */
import { createHash, randomUUID } from "node:crypto"
import { readTable, type TableFault, readAsLine } from "../../research/measurements/read-table.ts"
import { type Html, html, to } from "../html.ts"
import type { Draft } from "./draft.ts"
import type { Field } from "./fields.ts"
import { faultsAt, type FormState, idOf } from "./inputs.ts"
import { fields } from "./render.ts"
import type { ReadAs } from "../../contract/answers/parts.ts"
import { takesProgress } from "../../contract/states.ts"
import type { Visit } from "../visit.ts"
import { limits } from "../../contract/limits.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"

/** A mark of what was shown to a person before it is reported. */
const markOf = (...shown: readonly unknown[]): string =>
  createHash("sha256").update(JSON.stringify(shown)).digest("hex").slice(0, 32)

const asRead = (readAs: ReadAs): Html =>
  html`<ul>${readAsLine(readAs)
    .split("; ")
    .map((part) => html`<li>${part}</li>`)}</ul>`
const listOfFaults = (faults: readonly TableFault[]): Html | null =>
  faults.length === 0
    ? null
    : html`<ul>${faults.map(({ line, message }) => html`<li>Line ${line} ${message}.</li>`)}</ul>`

// The place for a table in a form.

const TABLE = "/table"
const CSV = `${TABLE}/csv`
/** The input with the mark of the table as it was shown. */
const SEEN = "_seen"

/** Whether a place takes a pasted table of values; that of a checkpoint is worked out from values already reported. */
export const isOfValues = (place: string, { fields: own }: Field & { form: "object" }): boolean =>
  place === TABLE && own.some(({ name }) => name === "csv")

/** The table in a draft with what says how to read it; null without one. */
function tableIn(draft: Draft) {
  const csv = (draft.get(CSV) ?? "").replaceAll("\r\n", "\n")
  const listed = (name: string) =>
    draft.getAll(`${TABLE}/${name}`).flatMap((text) => text.split(/\r?\n/).flatMap((line) => line.trim() || []))
  const hints = {
    by: listed("by"),
    missing: listed("missing"),
    metric: draft.get(`${TABLE}/metric`)?.trim() || undefined,
  }
  return csv.trim() === "" ? null : { csv, hints, mark: markOf(csv, hints) }
}

/** Takes the mark of what was seen out of a draft. @returns whether its table was not seen as it is read now */
export function takesUnseen(draft: Draft): boolean {
  const seen = draft.get(SEEN)
  draft.delete(SEEN)
  const table = tableIn(draft)
  return table !== null && table.mark !== seen
}

function tableReading(draft: Draft): Html | null {
  const table = tableIn(draft)
  if (table === null) return null
  const { readAs, faults } = readTable(table.csv, table.hints)
  return faults.length > 0
    ? html`<div class="banner warn"><strong>It cannot be reported like this.</strong>${listOfFaults(faults)}</div>`
    : html`<div class="banner"><strong>This is how the table is read:</strong>${asRead(readAs)}
<input type="hidden" name="${SEEN}" value="${table.mark}"></div>`
}

/** Renders the place for a table, what it is read as, and, folded, what says how to read it. */
export function tableBox(field: Field & { form: "object" }, state: FormState): Html {
  const own = field.fields.map((each) => ({ ...each, required: false }))
  const [csv, rest] = [own.filter(({ name }) => name === "csv"), own.filter(({ name }) => name !== "csv")]
  const isOpen = rest.some(({ name }) => (state.draft.get(`${TABLE}/${name}`) ?? "") !== "")
  return html`<div class="paste values">${faultsAt(TABLE, state)}${fields(csv, TABLE, state)}
<div class="send"><button class="quiet" name="_read" value="1" formnovalidate>Read the table</button>
<label class="from-file" data-file-into="${idOf(CSV)}">From a file\
<input type="file" accept=".csv,.tsv,text/csv"></label></div>
<div id="table-read" role="status">${tableReading(state.draft)}</div>
<details class="fold"${isOpen ? html` open` : null}><summary>How to read the table</summary>\
${fields(rest, TABLE, state)}</details></div>`
}

// The box on an attempt's page.

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
