/** Lists in keyset pages: each query reads one row more than the page holds, to tell whether there is a next page. */
import * as v from "valibot"
import { isUuid } from "../../contract/schema/fields.ts"
import { fitting, type JsonText, type Parsed, digestOf } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals.ts"
import type { Db, Statement } from "../storage/database.ts"

/**
 * A page as a domain makes it; the edge adds the envelope. If the items exceed the size limit of a list, the page ends
 * early.
 */
export interface Page<Item> {
  readonly items: JsonText<Item>[]
  /** The cursor of the next page; null at the end of a list that is not a feed. */
  readonly nextCursor: string | number | null
  readonly hasMore: boolean
}

const badCursor = () =>
  new Refusal("invalid_parameter", "The cursor in after is not one that this list gave out.", {
    issues: [{ path: "/after", message: "is not a cursor of this list with these filters" }],
  })

export const pageSize = (query: { limit?: number }): number => query.limit ?? limits.pageItems

/**
 * Makes a page from a query that read one item more than the page holds.
 * @param cursorOf returns the cursor that continues after an item
 * @param stoppedAt the cursor for a query that stopped before the end of the list
 */
export function keysetPage<Item>(
  found: Item[],
  query: { limit?: number },
  cursorOf: (item: Item) => string | number,
  stoppedAt: string | null = null,
): Page<Parsed<Item>> {
  const items = fitting(found.slice(0, pageSize(query)), limits.listBytes)
  const last = found[items.length - 1]
  const nextCursor = found.length > items.length && last !== undefined ? cursorOf(last) : stoppedAt
  return { items, nextCursor, hasMore: nextCursor !== null }
}

/** Makes a page of a list whose cursor is an id. @param find reads up to `count` items after an id */
export const idPage = <Item>(
  query: { limit?: number; after?: string },
  find: (after: string | undefined, count: number) => Item[],
  idOf: (item: Item) => string,
): Page<Parsed<Item>> => keysetPage(find(uuidCursor(query.after), pageSize(query) + 1), query, idOf)

/** Makes a page of a list whose cursor is an offset. */
export function offsetPage<Item>(found: Item[], offset: number, query: { limit?: number }) {
  const items = found.slice(0, pageSize(query))
  const hasMore = found.length > items.length
  return { items, nextCursor: hasMore ? offset + items.length : null, hasMore }
}

/**
 * Makes a page of a feed. It always has a cursor, so that a client can come back for later entries.
 * @param end the current end of the feed: a client that filters by kind then skips the other entries
 */
export const feedPage = <Item extends { readonly sequence: number }>(
  found: Item[],
  query: { limit?: number; after?: number },
  end?: number,
): Page<Parsed<Item>> => feedOf(found, query, (item) => item, end)

/** Makes a page of a feed whose items are made from rows. */
export function feedOf<Row extends { readonly sequence: number }, Item>(
  found: Row[],
  query: { limit?: number; after?: number },
  item: (row: Row) => Item,
  end = 0,
): Page<Parsed<Item>> {
  const items = fitting(found.slice(0, pageSize(query)).map(item), limits.listBytes)
  const hasMore = found.length > items.length
  const last = found[items.length - 1]?.sequence ?? query.after ?? 0
  return { items, nextCursor: hasMore ? last : Math.max(last, end), hasMore }
}

/**
 * Reads a cursor that is a sequence number, for a list whose order a parameter chooses; 0 at the start. @throws Refusal
 * `invalid_parameter`
 */
export function sequenceCursor(after: string | undefined): number {
  if (after === undefined) return 0
  if (!/^(?:0|[1-9][0-9]{0,14})$/u.test(after)) throw badCursor()
  return Number(after)
}

/**
 * Refuses a cursor beyond the end: the client may be off by one, or have read another history. @throws Refusal
 * `invalid_parameter` with the end of the feed
 */
export function mustNotBeAhead(after: number | undefined, watermark: number): void {
  if (after === undefined || after <= watermark) return
  throw new Refusal("invalid_parameter", `The feed ends at ${watermark}.`, {
    current: { watermark },
    issues: [{ path: "/after", message: `must be at most the watermark, ${watermark}` }],
  })
}

/** Reads a cursor that is a UUID; undefined at the start. @throws Refusal `invalid_parameter` */
export function uuidCursor(after: string | undefined): string | undefined {
  if (after === undefined) return undefined
  if (!isUuid(after)) throw badCursor()
  return after.toLowerCase()
}

/** The list that an opaque cursor belongs to: its name and its filters. */
export type ListOf = readonly [name: string, ...filters: (string | undefined)[]]
/** A mark of the list, long enough that no two lists share it by accident. */
const markOf = (list: ListOf) => digestOf(JSON.stringify(list.map((word) => word ?? null))).slice(-16)

/** Makes an opaque cursor, which is valid only for the list that issued it. */
export const opaqueCursor = (parts: readonly string[], list: ListOf): string =>
  Buffer.from(JSON.stringify([markOf(list), ...parts])).toString("base64url")

/**
 * Reads the parts of an opaque cursor; undefined at the start. @throws Refusal `invalid_parameter`, also for a cursor
 * of another list
 */
export function readOpaqueCursor(after: string | undefined, parts: number, list: ListOf): string[] | undefined {
  if (after === undefined) return undefined
  try {
    const [mark, ...read] = v.parse(v.array(v.string()), JSON.parse(Buffer.from(after, "base64url").toString("utf8")))
    if (mark === markOf(list) && read.length === parts && opaqueCursor(read, list) === after) return read
  } catch {
    // Falls through: this list did not issue it.
  }
  throw badCursor()
}

/** Merges a page of each kind into the first `count` rows by sequence, without reading the rows of other kinds. */
export const ofKinds = <Kind, Row extends { readonly sequence: number }>(
  kinds: readonly Kind[],
  pageOf: (kind: Kind) => readonly Row[],
  count: number,
): Row[] =>
  [...new Set(kinds)]
    .flatMap(pageOf)
    .sort((one, other) => one.sequence - other.sequence)
    .slice(0, count)

// Keyset lists with optional filters. Each combination of filters has a statement of its own, which is prepared once.

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
