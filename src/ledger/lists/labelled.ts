/** Finds the objects of a Room by label, whatever their kind. */
import { type LabelledKind, objectList } from "../../contract/objects/objects.ts"
import type { Db } from "../storage/database.ts"

export interface Labelled {
  readonly label: string
  readonly kind: LabelledKind
  readonly id: string
}

/** One kind for each table with labels: a statement on the table finds all of its kinds. */
const tables = [
  ...new Map(objectList.flatMap((spec) => (spec.label === null ? [] : [[spec.table, spec] as const]))).values(),
]

export type Labels = ReturnType<typeof labelled>

/**
 * @returns a function that finds the objects with the given labels in a Room by one statement; unknown labels are left
 * out
 */
export function labelled(db: Db) {
  const find = db.prepare<Labelled>(
    tables
      .map(
        ({ table, key, kind, kindIn, room }) =>
          `SELECT label, ${kindIn ?? `'${kind}'`} AS kind, ${key} AS id
            FROM ${table}
            WHERE ${room} = +? AND label IN (SELECT value FROM json_each(+?))`,
      )
      .join(" UNION ALL "),
  )
  return (roomId: string, labels: readonly string[]): Labelled[] => {
    const list = JSON.stringify(labels)
    return labels.length === 0 ? [] : find.all(...tables.flatMap(() => [roomId, list]))
  }
}

/** @returns a function that finds the label of an object by its id; undefined if it has none */
export function labelOf(db: Db) {
  const find = db.prepare<{ label: string }>(
    tables.map(({ table, key }) => `SELECT label FROM ${table} WHERE ${key} = +?`).join(" UNION ALL "),
  )
  return (id: string): string | undefined => find.get(...tables.map(() => id))?.label
}
