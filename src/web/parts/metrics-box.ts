/** The form on an attempt's page for pasting a table of measured values. */
import { randomUUID } from "node:crypto"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { limits } from "../../contract/limits.ts"
import { takesProgress } from "../../contract/states.ts"
import type { TableFault } from "../../research/measurements/read-table.ts"
import { type Html, html, to } from "../html.ts"
import type { Visit } from "../visit.ts"

/** A table that was refused, and why. */
export interface PastedTable {
  readonly text: string
  readonly by: string
  readonly faults: readonly TableFault[]
  readonly refusal?: string
}

type Attempt = Pick<AnswerOf<"attempt">, "attemptId" | "status" | "registrant">

const wrong = ({ faults, refusal }: PastedTable): Html =>
  html`<div class="banner warn" role="alert"><strong>Nothing was reported.</strong>${refusal === undefined ? null : html`<p>${refusal}</p>`}${
    faults.length === 0
      ? null
      : html`<ul>${faults.map(({ line, message }) => html`<li>Line ${line}: ${message}.</li>`)}</ul>`
  }</div>`

/** Renders the form for the attempt's registrant, while the attempt takes progress. */
export function metricsBox(
  visit: Visit,
  { attemptId, status, registrant }: Attempt,
  pasted?: PastedTable,
): Html | null {
  if (visit.person?.userId !== registrant.userId || !takesProgress(status)) return null
  return html`<details class="metrics-box" id="add-metrics"${pasted === undefined ? null : html` open`}><summary>Add values from a table</summary>
<form method="post" action="${to("/web/metrics")}">${pasted === undefined ? null : wrong(pasted)}<input type="hidden" name="requestId" value="${randomUUID()}"><input type="hidden" name="attemptId" value="${attemptId}">
<div class="field"><label for="table">Table</label><textarea id="table" name="text" required rows="5" maxlength="${limits.pastedTable}" class="code" spellcheck="false" aria-describedby="table-hint">${pasted === undefined ? null : html`\n${pasted.text}`}</textarea>
<p class="hint" id="table-hint">CSV with the names of its columns first, such as arm,seed,error. Columns of numbers are metrics; seed and columns of words are dimensions.</p></div>
<div class="field"><label for="table-by">Other columns that are dimensions <span class="optional">optional</span></label><input id="table-by" name="by" type="text" value="${pasted?.by}" autocomplete="off" maxlength="300" aria-describedby="table-by-hint"><p class="hint" id="table-by-hint">Columns of numbers, such as size, with commas between them.</p></div>
<div class="send"><button>Report the values</button><label class="from-file" data-file-into="table">From a file<input type="file" accept=".csv,.tsv,text/csv"></label></div></form></details>`
}
