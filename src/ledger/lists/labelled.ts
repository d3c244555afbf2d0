/** What a Room's labels name, whatever it is. */
import { type LabelledKind, objectList } from "../../contract/objects/objects.ts"
import type { Db } from "../storage/database.ts"

export interface Labelled {
  readonly label: string
  readonly kind: LabelledKind
  readonly id: string
}

/** The first object of each table: all its kinds are found by one statement. */
const tables = [...new Map(objectList.flatMap((spec) => (spec.label === null ? [] : [[spec.table, spec] as const]))).values()]

export type Labels = ReturnType<typeof labelled>

/** @returns the objects that bear some labels in a Room, found by one statement; labels that nothing bears are left out */
export function labelled(db: Db) {
  const find = db.prepare<Labelled>(
    tables
      .map(
        ({ table, key, kind, kindIn, room }) =>
          `SELECT label, ${kindIn ?? `'${kind}'`} AS kind, ${key} AS id FROM ${table} WHERE ${room} = +? AND label IN (SELECT value FROM json_each(+?))`,
      )
      .join(" UNION ALL "),
  )
  return (roomId: string, labels: readonly string[]): Labelled[] => {
    const asked = JSON.stringify(labels)
    return labels.length === 0 ? [] : find.all(...tables.flatMap(() => [roomId, asked]))
  }
}

/** @returns the label of an object by its id; undefined for one that has none */
export function labelOf(db: Db) {
  const find = db.prepare<{ label: string }>(
    tables.map(({ table, key }) => `SELECT label FROM ${table} WHERE ${key} = +?`).join(" UNION ALL "),
  )
  return (id: string): string | undefined => find.get(...tables.map(() => id))?.label
}
