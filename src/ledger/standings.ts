/** What has been said of records since they were accepted: the one thing about them that moves. */
import type { LinkKind, RecordStatus } from "../contract/enumerations.ts"
import { linkKinds, strongerStatus } from "../contract/operations/link-kinds.ts"
import type { Db } from "./database.ts"

/** As far as a notice decides on the status. */
interface Notice {
  readonly linkId: string
  readonly kind: LinkKind
  readonly withdrawn?: { readonly at: string; readonly explanation: string }
}

export type Standings = ReturnType<typeof standings>

export function standings(db: Db) {
  const find = db.prepare<{ status: RecordStatus; notices: string }>("SELECT status, notices FROM standings WHERE version_id = ?")
  const set = db.prepare(
    "INSERT INTO standings (version_id, status, notices) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET status = excluded.status, notices = excluded.notices",
  )
  /** The status that the notices which still stand make of a record. */
  const statusOf = (notices: readonly Notice[]): RecordStatus =>
    notices
      .filter(({ withdrawn }) => withdrawn === undefined)
      .reduce<RecordStatus>((status, { kind }) => strongerStatus(status, linkKinds[kind].status), "current")

  return {
    /** Marks a notice as taken back; the status is what the others make of the record. */
    withdraw(versionId: string, linkId: string, withdrawn: { readonly at: string; readonly explanation: string }): void {
      const before = find.get(versionId)
      if (before === undefined) return
      const notices = (JSON.parse(before.notices) as Notice[]).map((notice) =>
        notice.linkId === linkId ? { ...notice, withdrawn } : notice,
      )
      set.run(versionId, statusOf(notices), JSON.stringify(notices))
    },
    /** Adds a notice. @param notice as served, JSON text */
    note(versionId: string, status: RecordStatus, notice: string): void {
      const before = find.get(versionId)
      const notices = before === undefined ? `[${notice}]` : `${before.notices.slice(0, -1)},${notice}]`
      set.run(versionId, strongerStatus(status, before?.status ?? "current"), notices)
    },
    status: (versionId: string): RecordStatus => find.get(versionId)?.status ?? "current",
  }
}
