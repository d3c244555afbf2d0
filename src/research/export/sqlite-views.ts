/**
 * The views of a Room's SQLite file, with a description of each view and the type, source and description of each
 * column.
 */
import file from "./sqlite-views.json" with { type: "json" }

export interface View {
  readonly about: string
  /**
   * Rows are made from the served JSON. A `from` that begins with `$` is a path in it; any other is SQL over the JSON
   * `d`.
   */
  readonly columns: Readonly<Record<string, { readonly type: string; readonly from: string; readonly about: string }>>
}

const ofRecords = ({ about, columns }: View): View => ({ about, columns: { ...file.record, ...columns } })
const { findings, hypotheses } = file.views
export const views = { ...file.views, findings: ofRecords(findings), hypotheses: ofRecords(hypotheses) }
export type ViewName = keyof typeof views
