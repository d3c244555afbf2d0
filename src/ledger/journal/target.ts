/** The object that a write's receipt and entries name: a record, a Thread, or the write's own message. */

export interface Target {
  readonly entryId: string | null
  /** null: the entry itself, which is a message. */
  readonly targetKind: string | null
  readonly targetId: string | null
  readonly label: string | null
  /** The Room that gave the label, if it is another Room. */
  readonly labelledBy: string | null
}

/** SQL for a member of `given` of a write `j`. The JSON is parsed only if it can have the member; few rows do. */
const given = (member: string, value: string, otherwise: string): string => `iif(instr(j.given, '"${member}"') > 0, ${value}, ${otherwise})`

/** SQL for the target's columns of a write `j` and its entry `e`. */
export const TARGET = `e.entry_id AS entryId, j.target_kind AS targetKind, j.target_id AS targetId, j.label, ${given("labelledBy", "j.given ->> '$.labelledBy'", "NULL")} AS labelledBy`

/** The same with the ids of people on this instance, which may differ from their ids on their own. */
export const TARGET_HERE = TARGET.replace(
  "j.target_id AS",
  `${given("people", `coalesce(j.given ->> ('$.people."' || j.target_id || '"'), j.target_id)`, "j.target_id")} AS`,
)

/** The JSON text of a target; the members are sorted by name. */
export function targetText({ entryId, targetKind, targetId, label, labelledBy }: Target): string {
  const other = labelledBy === null ? "" : `,"labelFromOtherRoom":true,"originRoomId":"${labelledBy}"`
  return `{"id":${JSON.stringify(targetId ?? entryId)},"kind":"${targetKind ?? "message"}","label":${label === null ? "null" : JSON.stringify(label)}${other}}`
}
