/** The form on an attempt's page for pasting a table of measured values. */
import { randomUUID } from "node:crypto"
import type { ReadAs } from "../../contract/answers/parts.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { limits } from "../../contract/limits.ts"
import { takesProgress } from "../../contract/states.ts"
import type { TableFault } from "../../research/measurements/read-table.ts"
import { asRead, listOfFaults, markOf } from "./read-as.ts"
import { type Html, html, to } from "../html.ts"
import type { Visit } from "../visit.ts"

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
  const told = pasted === undefined ? null : pasted.readAs === undefined ? wrong(pasted) : read(pasted, pasted.readAs)
  const isRead = pasted?.readAs !== undefined
  const field = (name: "by" | "missing" | "metric", label: string, hint: string, most: number): Html =>
    html`<div class="field"><label for="table-${name}">${label} <span class="optional">optional</span></label>
<input id="table-${name}" name="${name}" type="text" value="${pasted?.[name]}" autocomplete="off" maxlength="${most}"
aria-describedby="table-${name}-hint"><p class="hint" id="table-${name}-hint">${hint}</p></div>`
  return html`<details class="metrics-box" id="add-metrics"${pasted === undefined ? null : html` open`}>
<summary>Add values from a table</summary>
<form method="post" action="${to("/web/metrics")}">${told}<input type="hidden" name="requestId" value="${randomUUID()}">
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
