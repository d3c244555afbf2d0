/**
 * Keyset lists with optional filters. Each combination of filters has a statement of its own, which is prepared once.
 */
import type { Db, Statement } from "../storage/database.ts"

/** Sorts after every id. */
const END = "g"

/**
 * @param select the statement up to its WHERE
 * @param columns the column behind each filter
 * @param key the column whose values are the cursor
 * @param descends whether the list starts with the greatest key
 * @returns a function that returns up to `count` rows after a key that match the filters
 */
export function filteredList<Row>(
  db: Db,
  select: string,
  columns: Readonly<Record<string, string>>,
  key: string,
  descends = false,
) {
  const [beyond, order, start] = descends ? (["<", "DESC", END] as const) : ([">", "ASC", ""] as const)
  const prepared = new Map<string, Statement<Row>>()
  return (
    filters: { readonly [name: string]: string | undefined },
    after: string | number | undefined,
    count: number,
  ): Row[] => {
    const names = Object.keys(columns).filter((name) => filters[name] !== undefined)
    const values = names.flatMap((name) => filters[name] ?? [])
    const known = names.join(" ")
    const conditions = [...names.map((name) => `${columns[name]} = +?`), `${key} ${beyond} +?`].join(" AND ")
    const statement =
      prepared.get(known) ?? db.prepare<Row>(`${select} WHERE ${conditions} ORDER BY ${key} ${order} LIMIT +?`)
    prepared.set(known, statement)
    return statement.all(...values, after ?? start, count)
  }
}
