/** The views of a Room's SQLite file: what a row of each is, and each column with its type, where it comes from, and what it says. */
import file from "./sqlite-views.json" with { type: "json" }

export interface View {
  readonly about: string
  /** Rows are made from JSON as it is served: a `from` that begins with `$` is a path in it, any other is SQL over `d`, that JSON. */
  readonly columns: Readonly<Record<string, { readonly type: string; readonly from: string; readonly about: string }>>
}

const ofRecords = ({ about, columns }: View): View => ({ about, columns: { ...file.record, ...columns } })
const { findings, hypotheses } = file.views
export const views = { ...file.views, findings: ofRecords(findings), hypotheses: ofRecords(hypotheses) }
export type ViewName = keyof typeof views
