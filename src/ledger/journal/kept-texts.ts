/**
 * A cache of the JSON texts of entries, each under a name that contains the digest of its write. What that digest
 * covers changes only when words are withheld or Rooms dropped. Both drop the journal's triggers for a moment, which
 * increments SQLite's schema version; the cache is cleared whenever that version changes. So a text is never older than
 * the snapshot in which it is read.
 */
import type { Db } from "../storage/database.ts"

/** Bytes that a connection caches for each list. */
const MOST = 1_000_000

interface Named {
  readonly name: string
}
export interface Text extends Named {
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
