/** Labels: finds the objects of a Room by label, whatever their kind, and marks labels of other Rooms. */
import { type LabelledKind, objectList } from "../../contract/objects/objects.ts"
import type { Db } from "../storage/database.ts"
import { parse, type Stored, stored } from "../../contract/json.ts"

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

// The members that mark a label as given by another Room (protocol, section 1).

/**
 * @param originRoomId the Room that gave the label @param seenFrom the Room in which it is shown; null outside of any
 * Room
 */
export const fromOtherRoom = (originRoomId: string, seenFrom: string | null) =>
  seenFrom === null || originRoomId === seenFrom ? {} : { labelFromOtherRoom: true as const, originRoomId }

type Mark = ReturnType<typeof fromOtherRoom>

/** Adds a mark to each item of a stored list of labelled objects. */
export const marked = <T extends object>(items: Stored<T[]>, mark: Mark): Stored<T[]> =>
  stored(JSON.stringify(parse(items).map((item) => ({ ...item, ...mark }))))

/**
 * Reads the mark from the JSON text of an object; empty if it has none. Within a string value, its quotes would be
 * escaped.
 */
export function markIn(text: string): Mark {
  const [, originRoomId] = /"labelFromOtherRoom":true,"originRoomId":"([^"]+)"/.exec(text) ?? []
  return originRoomId === undefined ? {} : { labelFromOtherRoom: true, originRoomId }
}

/**
 * SQL for a JSON object that shows a labelled object, with a mark if another Room gave the label.
 * @param members SQL arguments for json_object @param origin SQL for the Room that gave the label @param seenFrom SQL
 * for the Room in which it is shown
 */
export const labelledObject = (members: string, origin: string, seenFrom: string): string =>
  `CASE WHEN ${origin} = ${seenFrom} THEN json_object(${members})
    ELSE json_object(${members}, 'labelFromOtherRoom', json('true'), 'originRoomId', ${origin}) END`
