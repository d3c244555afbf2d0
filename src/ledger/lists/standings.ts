/** What has been said of records since they were accepted: the one thing about them that moves. */
import type { LinkKind, RecordStatus } from "../../contract/schema/enumerations.ts"
import { linkKinds, strongerStatus } from "../../contract/operations/link-kinds.ts"
import { fitting, type JsonObject, parse, type Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { Db } from "../storage/database.ts"
import { inserting } from "../storage/inserting.ts"

/** A notice as records show it. */
type Notice = JsonObject & { readonly linkId: string }

/** Which disputes of a record were answered. */
export interface Disputes {
  /** The newest one that stands and was not; null where there is none. */
  readonly open: string | null
  /** What answered the others, by the dispute's link. */
  readonly answers: ReadonlyMap<string, JsonObject>
}

export type Standings = ReturnType<typeof standings>

export function standings(db: Db) {
  const find = db.prepare<{ status: RecordStatus; notices: Stored<Notice[]> }>(
    "SELECT status, notices FROM standings WHERE version_id = +?",
  )
  const set = inserting(db, "standings", {
    onConflict: "DO UPDATE SET status = excluded.status, open_dispute = excluded.open_dispute, notices = excluded.notices",
  })
  /** How a record stands so far. */
  function before(versionId: string): { status: RecordStatus; notices: Notice[] } {
    const row = find.get(versionId)
    return row === undefined ? { status: "current", notices: [] } : { status: row.status, notices: parse(row.notices) }
  }
  /** Stores how a record stands now. */
  function store(versionId: string, status: RecordStatus, notices: readonly Notice[], { open, answers }: Disputes): void {
    const told = notices.map(({ answered: _before, ...notice }) => {
      const answered = answers.get(notice.linkId)
      return answered === undefined ? notice : { ...notice, answered }
    })
    set({ versionId, status, openDispute: open, notices: JSON.stringify(told) })
  }

  return {
    /**
     * Marks a notice as taken back.
     * @param standing the kinds of the links that still stand on the record: they make its status
     */
    withdraw(
      versionId: string,
      linkId: string,
      withdrawn: { readonly at: string; readonly explanation: string },
      standing: LinkKind[],
      disputes: Disputes,
    ): void {
      const notices = before(versionId).notices.map((notice) => (notice.linkId === linkId ? { ...notice, withdrawn } : notice))
      const status = standing.reduce<RecordStatus>((strongest, kind) => strongerStatus(strongest, linkKinds[kind].status), "current")
      store(versionId, status, notices, disputes)
    },
    /** Adds a notice, as it is served; of more than have room the newest are kept. */
    note(versionId: string, status: RecordStatus, notice: Notice, disputes: Disputes): void {
      const known = before(versionId)
      const all = [notice, ...known.notices.reverse()]
      const newest = all.slice(0, fitting(all, limits.noticeBytes).length)
      store(versionId, strongerStatus(status, known.status), newest.reverse(), disputes)
    },
    /** Tells which disputes were answered since. */
    settleDisputes(versionId: string, disputes: Disputes): void {
      const { status, notices } = before(versionId)
      store(versionId, status, notices, disputes)
    },
    status: (versionId: string): RecordStatus => find.get(versionId)?.status ?? "current",
  }
}
