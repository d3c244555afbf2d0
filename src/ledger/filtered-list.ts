/** Keyset lists with optional filters: for each set of filters that is asked for, one statement, prepared once. */
import type { Db, Statement } from "./database.ts"

/**
 * @param select the statement up to its WHERE
 * @param columns the column behind each filter
 * @param key the column whose values are the cursor
 * @returns up to `count` rows after a key that match the filters given
 */
export function filteredList<Row>(db: Db, select: string, columns: Readonly<Record<string, string>>, key: string) {
  const prepared = new Map<string, Statement<Row>>()
  return (filters: { readonly [name: string]: string | undefined }, after: string | undefined, count: number): Row[] => {
    const names = Object.keys(columns).filter((name) => filters[name] !== undefined)
    const values = names.flatMap((name) => filters[name] ?? [])
    const known = names.join(" ")
    const conditions = [...names.map((name) => `${columns[name]} = ?`), `${key} > ?`].join(" AND ")
    const statement = prepared.get(known) ?? db.prepare<Row>(`${select} WHERE ${conditions} ORDER BY ${key} LIMIT ?`)
    prepared.set(known, statement)
    return statement.all(...values, after ?? "", count)
  }
}
