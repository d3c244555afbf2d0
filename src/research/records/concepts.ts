/** The concepts that records define. */
import type { ConceptSummary } from "../../contract/answers.ts"
import type { Db } from "../../ledger/database.ts"
import { containing } from "../../ledger/paging.ts"
import { substrings } from "../../ledger/substrings.ts"

const SHOWN = "c.version_id AS versionId, c.key, c.label, c.definition, r.label AS recordLabel, r.kind AS recordKind, r.room_id AS roomId"
const SELECT = `SELECT ${SHOWN} FROM concepts c JOIN records r USING (version_id)`
/** Those before a record and key that contain a pattern. */
const CONTAINING = `(c.version_id, c.key) < (?, ?) AND (c.key LIKE ? ESCAPE '\\' OR c.label LIKE ? ESCAPE '\\' OR c.definition LIKE ? ESCAPE '\\')
     ORDER BY c.version_id DESC, c.key DESC LIMIT ?`
/** Sorts after every id. */
const END = "g"

export type ConceptIndex = ReturnType<typeof conceptIndex>

export function conceptIndex(db: Db) {
  const one = db.prepare<ConceptSummary>(`${SELECT} WHERE c.version_id = ? AND c.key = ?`)
  const record = db.prepare("SELECT 1 FROM records WHERE version_id = ?")
  const list = db.prepare<ConceptSummary>(`${SELECT} WHERE (c.version_id, c.key) < (?, ?) ORDER BY c.version_id DESC, c.key DESC LIMIT ?`)
  const spelled = substrings(db, "concept_trigrams")
  const walk = db.prepare<ConceptSummary>(`${SELECT} WHERE ${CONTAINING}`)
  const few = db.prepare<ConceptSummary>(
    `SELECT ${SHOWN} FROM concept_trigrams t CROSS JOIN search_items i ON i.item = t.rowid CROSS JOIN concepts c ON c.version_id = i.id
     CROSS JOIN records r ON r.version_id = c.version_id WHERE concept_trigrams MATCH ? AND ${CONTAINING}`,
  )
  return {
    /** Whether a record is there and does not define a concept of this key. */
    isUndefined: (versionId: string, key: string): boolean => one.get(versionId, key) === undefined && record.get(versionId) !== undefined,
    find: (versionId: string, key: string) => one.get(versionId, key),
    /** Up to `count` concepts before a record and key, newest record first; with a query, those that contain it. */
    page(query: string | undefined, before: readonly string[] | undefined, count: number) {
      const [versionId = END, key = ""] = before ?? []
      if (query === undefined) return list.all(versionId, key, count)
      const pattern = containing(query)
      const asked = [versionId, key, pattern, pattern, pattern, count] as const
      const among = spelled.among(query)
      return among === undefined ? walk.all(...asked) : few.all(among, ...asked)
    },
  }
}
