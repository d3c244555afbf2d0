/** Keyset pages: one row more than asked for tells whether there is a next page. */
import { isUuid } from "../contract/fields.ts"
import { limits } from "../contract/limits.ts"
import type { Writable } from "../contract/json.ts"
import { Refusal } from "../contract/refusals.ts"

/** A page as a domain makes it; the edge adds the envelope. */
export class Page {
  readonly items: readonly Writable[]
  readonly hasMore: boolean
  /** Where the next page starts; null at the end of a list that is not a feed. */
  readonly nextCursor: string | number | null
  /** Where it goes on after one of its items, for when not all of them have room; left out where they always have. */
  readonly cursorAfter: ((index: number) => string | number) | undefined
  constructor(
    items: readonly Writable[],
    hasMore: boolean,
    nextCursor: string | number | null,
    cursorAfter?: (index: number) => string | number,
  ) {
    this.items = items
    this.hasMore = hasMore
    this.nextCursor = nextCursor
    this.cursorAfter = cursorAfter
  }
}

/** A page whose items are columns: lists of the same length. */
export class ColumnPage {
  readonly members: { readonly [member: string]: Writable }
  readonly hasMore: boolean
  readonly nextCursor: number
  constructor(members: { readonly [member: string]: Writable }, hasMore: boolean, nextCursor: number) {
    this.members = members
    this.hasMore = hasMore
    this.nextCursor = nextCursor
  }
}

/** A page of the Library, by offset: its items, beside what else the answer says. */
export class LibraryPage {
  readonly items: readonly Writable[]
  readonly nextOffset: number | null
  readonly members: { readonly [member: string]: Writable }
  constructor(items: readonly Writable[], nextOffset: number | null, members: { readonly [member: string]: Writable } = {}) {
    this.items = items
    this.nextOffset = nextOffset
    this.members = members
  }
}

/** A text that is answered as it is, in the media type of the form asked for. */
export class PlainText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A file that is sent while it is made. */
export class Download {
  readonly name: string
  readonly bytes: ReadableStream<Uint8Array>
  constructor(name: string, bytes: ReadableStream<Uint8Array>) {
    this.name = name
    this.bytes = bytes
  }
}

const badCursor = () =>
  new Refusal("invalid_parameter", "The cursor in after is not one that this list gave out.", {
    issues: [{ path: "/after", message: "is not a cursor of this list" }],
  })

/** How many items a page holds. */
export const pageSize = (query: { limit?: number }): number => query.limit ?? limits.pageItems

/**
 * A page from rows of which one more than the page holds was asked for.
 * @param cursorOf the cursor that continues after a row
 */
export function keysetPage<Row>(
  rows: Row[],
  query: { limit?: number },
  item: (row: Row) => Writable,
  cursorOf: (row: Row) => string,
): Page {
  const size = pageSize(query)
  const hasMore = rows.length > size
  const shown = hasMore ? rows.slice(0, size) : rows
  const last = shown.at(-1)
  return new Page(shown.map(item), hasMore, hasMore && last !== undefined ? cursorOf(last) : null, (index) => cursorOf(shown[index] as Row))
}

/** A page of a list that is counted through. */
export function offsetPage<Row>(rows: Row[], offset: number, query: { limit?: number }, item: (row: Row) => Writable): Page {
  const size = pageSize(query)
  const hasMore = rows.length > size
  return new Page(rows.slice(0, size).map(item), hasMore, hasMore ? offset + size : null)
}

/**
 * A page of a feed: its cursor is always there, so that a reader can come back for what lands later.
 * @param end where the feed ends now: a reader of some kinds only need not pass the others again
 */
export function feedPage<Row extends { sequence: number }>(
  rows: Row[],
  query: { limit?: number; after?: number },
  item: (row: Row) => Writable,
  end = 0,
): Page {
  const size = pageSize(query)
  const hasMore = rows.length > size
  const shown = hasMore ? rows.slice(0, size) : rows
  const last = shown.at(-1)?.sequence ?? query.after ?? 0
  return new Page(shown.map(item), hasMore, hasMore ? last : Math.max(last, end), (index) => shown[index]?.sequence ?? last)
}

/** The id a UUID keyset continues after; undefined at the start. @throws Refusal `invalid_parameter` */
export function uuidCursor(after: string | undefined): string | undefined {
  if (after === undefined) return undefined
  if (!isUuid(after)) throw badCursor()
  return after.toLowerCase()
}

/** A cursor that callers send back as it is. */
export const opaqueCursor = (parts: readonly string[]): string => Buffer.from(JSON.stringify(parts)).toString("base64url")

/** The parts of an opaque cursor; undefined at the start. @throws Refusal `invalid_parameter` */
export function readOpaqueCursor(after: string | undefined, parts: number): string[] | undefined {
  if (after === undefined) return undefined
  try {
    const read: unknown = JSON.parse(Buffer.from(after, "base64url").toString("utf8"))
    if (Array.isArray(read) && read.length === parts && read.every((part) => typeof part === "string") && opaqueCursor(read) === after)
      return read
  } catch {
    // Falls through: whatever it was, this list did not make it.
  }
  throw badCursor()
}

/** A LIKE pattern that finds `query` anywhere, its own wildcards taken literally (with `ESCAPE '\'`). */
export const containing = (query: string): string => `%${query.replace(/[\\%_]/g, "\\$&")}%`

/** The first `count` rows of some kinds, put together from a page of each: what lies between them is never looked at. */
export const ofKinds = <Row extends { readonly sequence: number }>(
  kinds: readonly string[],
  pageOf: (kind: string) => readonly Row[],
  count: number,
): Row[] =>
  [...new Set(kinds)]
    .flatMap(pageOf)
    .sort((one, other) => one.sequence - other.sequence)
    .slice(0, count)
