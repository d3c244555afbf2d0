/**
 * A cache of the JSON texts of entries, each under a name that contains the digest of its write. What that digest
 * covers changes only when words are withheld or Rooms dropped. Both drop the journal's triggers for a moment, which
 * increments SQLite's schema version; the cache is cleared whenever that version changes. So a text is never older than
 * the snapshot in which it is read.
 */
import { isUuid } from "../../contract/schema/fields.ts"
import { isObject, type Json } from "../../contract/json.ts"
import type { Db } from "../storage/database.ts"

// People's words in the stored parts of a write: finding them, and replacing quotations of withheld texts.

export const textsIn = (value: Json | undefined): string[] =>
  typeof value === "string"
    ? [value]
    : isObject(value)
      ? Object.entries(value).flatMap(([name, held]) => [name, ...textsIn(held)])
      : []

/** Members whose values come from a fixed list and are never people's words. */
const fixed = new Set(["code", "kind", "status", "outcome"])
const isDigest = (text: string): boolean => text.startsWith("sha256:")

/**
 * Applies `change` to people's words in what a write took from the world, but not to ids, digests or words of fixed
 * lists.
 */
export function withWordsChanged(value: Json, change: (text: string) => string): Json {
  const words = (text: string) => (isUuid(text) || isDigest(text) ? text : change(text))
  // A similar record is stored as a row: its kind, id and state first, then its texts.
  if (Array.isArray(value)) {
    const isRow = typeof value[1] === "string" && isUuid(value[1])
    return value.map((each, index) =>
      typeof each !== "string" ? withWordsChanged(each, change) : isRow && index < 3 ? each : words(each),
    )
  }
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => {
      if (typeof held !== "string") return [name, withWordsChanged(held, change)]
      return [name, fixed.has(name) ? held : words(held)]
    }),
  )
}

/** Bytes that a connection caches for each list. */
const MOST = 1_000_000

interface Named {
  readonly name: string
}
interface Text extends Named {
  readonly text: string
}

export function keptTexts(db: Db) {
  const schema = db.prepare<{ schema_version: number }>("PRAGMA schema_version")
  const texts = new Map<string, string>()
  let [known, bytes] = [0, 0]

  /**
   * Returns a map with the texts of all given rows, and of others. Within a snapshot. @param make makes the texts that
   * are not cached
   */
  return <Row extends Named>(
    rows: readonly Row[],
    make: (missing: readonly Row[]) => readonly Text[],
  ): ReadonlyMap<string, string> => {
    const { schema_version: now } = schema.one()
    if (now !== known || bytes > MOST) texts.clear()
    if (texts.size === 0) [known, bytes] = [now, 0]
    const missing = rows.filter(({ name }) => !texts.has(name))
    for (const { name, text } of missing.length === 0 ? [] : make(missing)) {
      texts.set(name, text)
      // Counting the bytes also flattens the concatenated string.
      bytes += Buffer.byteLength(text)
    }
    return texts
  }
}
