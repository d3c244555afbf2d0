/** What has been said of records since they were accepted: the one thing about them that moves. */
import type { RecordStatus } from "../contract/enumerations.ts"
import { strongerStatus } from "../contract/operations/link-kinds.ts"
import type { Db } from "./database.ts"

export type Standings = ReturnType<typeof standings>

export function standings(db: Db) {
  const find = db.prepare<{ status: RecordStatus; notices: string }>("SELECT status, notices FROM standings WHERE version_id = ?")
  const set = db.prepare(
    "INSERT INTO standings (version_id, status, notices) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET status = excluded.status, notices = excluded.notices",
  )
  return {
    /** Adds a notice. @param notice as served, JSON text */
    note(versionId: string, status: RecordStatus, notice: string): void {
      const before = find.get(versionId)
      const notices = before === undefined ? `[${notice}]` : `${before.notices.slice(0, -1)},${notice}]`
      set.run(versionId, strongerStatus(status, before?.status ?? "current"), notices)
    },
    status: (versionId: string): RecordStatus => find.get(versionId)?.status ?? "current",
  }
}
