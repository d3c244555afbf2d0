/**
 * Texts of entries that were put together once, each under a name that holds the digest of its write. What that digest covers changes
 * only when words are withheld or Rooms dropped. Both take the journal's triggers away for a moment, and SQLite counts changes of the
 * schema: when that count moves, all texts are dropped. So a text is never older than the snapshot that it is read in.
 */
import type { Db } from "../storage/database.ts"

/** Bytes that a connection keeps of each list. */
const MOST = 1_000_000

interface Named {
  readonly name: string
}
export interface Text extends Named {
  readonly text: string
}

export type KeptTexts = ReturnType<typeof keptTexts>

export function keptTexts(db: Db) {
  const schema = db.prepare<{ schema_version: number }>("PRAGMA schema_version")
  const texts = new Map<string, string>()
  let [known, bytes] = [0, 0]

  /** The texts of rows, and others, by their names. Within a snapshot. @param make makes those that are not kept */
  return <Row extends Named>(rows: readonly Row[], make: (missing: readonly Row[]) => readonly Text[]): ReadonlyMap<string, string> => {
    const { schema_version: now } = schema.one()
    if (now !== known || bytes > MOST) texts.clear()
    if (texts.size === 0) [known, bytes] = [now, 0]
    const missing = rows.filter(({ name }) => !texts.has(name))
    for (const { name, text } of missing.length === 0 ? [] : make(missing)) {
      texts.set(name, text)
      // Counting makes one string of the many it was put together from.
      bytes += Buffer.byteLength(text)
    }
    return texts
  }
}
