/** What a write's receipt and entries name: a record, a Thread, its own message. */

export interface Target {
  readonly entryId: string | null
  /** null: the entry itself, which is a message. */
  readonly targetKind: string | null
  readonly targetId: string | null
  readonly label: string | null
  /** The Room that gave the label, where that is another one. */
  readonly labelledBy: string | null
}

/** SQL for what a write `j` was given, parsed only where the member can be in it: few have one. */
const given = (member: string, value: string, otherwise: string): string => `iif(instr(j.given, '"${member}"') > 0, ${value}, ${otherwise})`

/** SQL for the columns of a write `j` and its entry `e`. */
export const TARGET = `e.entry_id AS entryId, j.target_kind AS targetKind, j.target_id AS targetId, j.label, ${given("labelledBy", "j.given ->> '$.labelledBy'", "NULL")} AS labelledBy`

/** The same as people are known here: those of another instance may have another id there. */
export const TARGET_HERE = TARGET.replace(
  "j.target_id AS",
  `${given("people", `coalesce(j.given ->> ('$.people."' || j.target_id || '"'), j.target_id)`, "j.target_id")} AS`,
)

/** Its JSON text, members in the order of their names. */
export function targetText({ entryId, targetKind, targetId, label, labelledBy }: Target): string {
  const other = labelledBy === null ? "" : `,"labelFromOtherRoom":true,"originRoomId":"${labelledBy}"`
  return `{"id":${JSON.stringify(targetId ?? entryId)},"kind":"${targetKind ?? "message"}","label":${label === null ? "null" : JSON.stringify(label)}${other}}`
}
