/** The concepts that records define. */
import type { ConceptSummary } from "../../contract/answers.ts"
import type { Db } from "../../ledger/database.ts"
import { containing } from "../../ledger/paging.ts"

const SELECT = `SELECT c.version_id AS versionId, c.key, c.label, c.definition, r.label AS recordLabel, r.kind AS recordKind, r.room_id AS roomId
  FROM concepts c JOIN records r USING (version_id)`
/** Sorts after every id. */
const END = "g"

export type ConceptIndex = ReturnType<typeof conceptIndex>

export function conceptIndex(db: Db) {
  const one = db.prepare<ConceptSummary>(`${SELECT} WHERE c.version_id = ? AND c.key = ?`)
  const record = db.prepare("SELECT 1 FROM records WHERE version_id = ?")
  const list = db.prepare<ConceptSummary>(`${SELECT} WHERE (c.version_id, c.key) < (?, ?) ORDER BY c.version_id DESC, c.key DESC LIMIT ?`)
  const search = db.prepare<ConceptSummary>(
    `${SELECT} WHERE (c.version_id, c.key) < (?, ?) AND (c.key LIKE ? ESCAPE '\\' OR c.label LIKE ? ESCAPE '\\' OR c.definition LIKE ? ESCAPE '\\')
     ORDER BY c.version_id DESC, c.key DESC LIMIT ?`,
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
      return search.all(versionId, key, pattern, pattern, pattern, count)
    },
  }
}
