/** Keyset pages: one row more than asked for tells whether there is a next page. */
import * as v from "valibot"
import { isUuid } from "../../contract/schema/fields.ts"
import { fitting, type JsonText, type Parsed } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { digestOf } from "../../contract/json.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"

/** A page as a domain makes it; the edge adds the envelope. Of items that have no room together, it ends after the first ones. */
export interface Page<Item> {
  readonly items: JsonText<Item>[]
  /** Where the next page starts; null at the end of a list that is not a feed. */
  readonly nextCursor: string | number | null
  readonly hasMore: boolean
}

const badCursor = () =>
  new Refusal("invalid_parameter", "The cursor in after is not one that this list gave out.", {
    issues: [{ path: "/after", message: "is not a cursor of this list with these filters" }],
  })

/** How many items a page holds. */
export const pageSize = (query: { limit?: number }): number => query.limit ?? limits.pageItems

/**
 * A page from items of which one more than the page holds was asked for.
 * @param cursorOf the cursor that continues after an item
 * @param goesOn the cursor that continues where no more was looked at, after all that was found
 */
export function keysetPage<Item>(
  found: Item[],
  query: { limit?: number },
  cursorOf: (item: Item) => string | number,
  goesOn: string | null = null,
): Page<Parsed<Item>> {
  const items = fitting(found.slice(0, pageSize(query)), limits.listBytes)
  const last = found[items.length - 1]
  const nextCursor = found.length > items.length && last !== undefined ? cursorOf(last) : goesOn
  return { items, nextCursor, hasMore: nextCursor !== null }
}

/** A page of a list that is counted through. */
export function offsetPage<Item>(found: Item[], offset: number, query: { limit?: number }) {
  const items = found.slice(0, pageSize(query))
  const hasMore = found.length > items.length
  return { items, nextCursor: hasMore ? offset + items.length : null, hasMore }
}

/**
 * A page of a feed: its cursor is always there, so that a reader can come back for what lands later.
 * @param end where the feed ends now: a reader of some kinds only need not pass the others again
 */
export const feedPage = <Item extends { readonly sequence: number }>(
  found: Item[],
  query: { limit?: number; after?: number },
  end?: number,
): Page<Parsed<Item>> => feedOf(found, query, (item) => item, end)

/** Such a page, each item of it made of a row. */
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

/** The number a list continues after, where a parameter chose the order; 0 at the start. @throws Refusal `invalid_parameter` */
export function sequenceCursor(after: string | undefined): number {
  if (after === undefined) return 0
  if (!/^(?:0|[1-9][0-9]{0,14})$/u.test(after)) throw badCursor()
  return Number(after)
}

/** A reader may have counted one too far, or read another history. @throws Refusal `invalid_parameter` with where the feed ends */
export function mustNotBeAhead(after: number | undefined, watermark: number): void {
  if (after === undefined || after <= watermark) return
  throw new Refusal("invalid_parameter", `The feed ends at ${watermark}.`, {
    current: { watermark },
    issues: [{ path: "/after", message: `must be at most the watermark, ${watermark}` }],
  })
}

/** The id a UUID keyset continues after; undefined at the start. @throws Refusal `invalid_parameter` */
export function uuidCursor(after: string | undefined): string | undefined {
  if (after === undefined) return undefined
  if (!isUuid(after)) throw badCursor()
  return after.toLowerCase()
}

/** The list that an opaque cursor belongs to: its name, and what it is filtered by. */
export type ListOf = readonly [name: string, ...filters: (string | undefined)[]]
/** As long as no two lists that anybody asks for should share it. */
const markOf = (list: ListOf) => digestOf(JSON.stringify(list.map((word) => word ?? null))).slice(-16)

/** A cursor that callers send back as it is, to the list that gave it out. */
export const opaqueCursor = (parts: readonly string[], list: ListOf): string =>
  Buffer.from(JSON.stringify([markOf(list), ...parts])).toString("base64url")

/** The parts of an opaque cursor; undefined at the start. @throws Refusal `invalid_parameter`, also for another list's cursor */
export function readOpaqueCursor(after: string | undefined, parts: number, list: ListOf): string[] | undefined {
  if (after === undefined) return undefined
  try {
    const [mark, ...read] = v.parse(v.array(v.string()), JSON.parse(Buffer.from(after, "base64url").toString("utf8")))
    if (mark === markOf(list) && read.length === parts && opaqueCursor(read, list) === after) return read
  } catch {
    // Falls through: whatever it was, this list did not make it.
  }
  throw badCursor()
}

/** A LIKE pattern that finds `query` anywhere, its own wildcards taken literally (with `ESCAPE '\'`). */
export const containing = (query: string): string => `%${query.replace(/[\\%_]/g, "\\$&")}%`

/** The first `count` rows of some kinds, put together from a page of each: what lies between them is never looked at. */
export const ofKinds = <Kind, Row extends { readonly sequence: number }>(
  kinds: readonly Kind[],
  pageOf: (kind: Kind) => readonly Row[],
  count: number,
): Row[] =>
  [...new Set(kinds)]
    .flatMap(pageOf)
    .sort((one, other) => one.sequence - other.sequence)
    .slice(0, count)
