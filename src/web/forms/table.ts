/** A table of measured values in a form: what it is read as is shown before anything is reported. */
import { readTable } from "../../research/measurements/read-table.ts"
import { type Html, html } from "../html.ts"
import { asRead, listOfFaults, markOf } from "../parts/paste.ts"
import type { Draft } from "./draft.ts"
import type { Field } from "./fields.ts"
import { faultsAt, type FormState, idOf } from "./inputs.ts"
import { fields } from "./render.ts"

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
