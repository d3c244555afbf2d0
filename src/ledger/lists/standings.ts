/** The standing of records: the only part of a record that changes after it is accepted. */
import type { LinkKind, RecordStatus } from "../../contract/schema/enumerations.ts"
import { linkKinds, strongerStatus } from "../../contract/nouns/links.ts"
import { fitting, type JsonObject, parse, type Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { Db } from "../storage/database.ts"
import { inserting } from "../storage/inserting.ts"

/** A notice as it is served. */
type Notice = JsonObject & { readonly linkId: string }

/** The disputes of a record, by whether they were answered. */
export interface Disputes {
  /** The newest valid dispute without an answer; null if there is none. */
  readonly open: string | null
  /** The answers to the others, by the link of the dispute. */
  readonly answers: ReadonlyMap<string, JsonObject>
}

/** When links last put a record in doubt, as positions in the journal. */
export interface Worries {
  /** The newest link by which it is fallen or doubted; null if none is. */
  readonly worriedAt: number | null
  /** The newest link by which it fell; null if it stands. */
  readonly fallenAt: number | null
}

export type Standings = ReturnType<typeof standings>

export function standings(db: Db) {
  const find = db.prepare<{ status: RecordStatus; notices: Stored<Notice[]> }>(
    "SELECT status, notices FROM standings WHERE version_id = +?",
  )
  const set = inserting(db, "standings", {
    onConflict: `DO UPDATE SET status = excluded.status, open_dispute = excluded.open_dispute, \
notices = excluded.notices,
        worried_at = excluded.worried_at, fallen_at = excluded.fallen_at`,
  })
  function before(versionId: string): { status: RecordStatus; notices: Notice[] } {
    const row = find.get(versionId)
    return row === undefined ? { status: "current", notices: [] } : { status: row.status, notices: parse(row.notices) }
  }
  function store(
    versionId: string,
    status: RecordStatus,
    notices: readonly Notice[],
    { open, answers, worriedAt, fallenAt }: Disputes & Worries,
  ): void {
    const list = notices.map(({ answered: _before, ...notice }) => {
      const answered = answers.get(notice.linkId)
      return answered === undefined ? notice : { ...notice, answered }
    })
    set({ versionId, status, openDispute: open, worriedAt, fallenAt, notices: JSON.stringify(list) })
  }

  return {
    /**
     * Marks a notice as withdrawn.
     * @param standing the kinds of the links on the record that remain; they determine its status
     */
    withdraw(
      versionId: string,
      linkId: string,
      withdrawn: { readonly at: string; readonly explanation: string },
      standing: LinkKind[],
      disputes: Disputes & Worries,
    ): void {
      const notices = before(versionId).notices.map((notice) =>
        notice.linkId === linkId ? { ...notice, withdrawn } : notice,
      )
      const status = standing.reduce<RecordStatus>(
        (strongest, kind) => strongerStatus(strongest, linkKinds[kind].status),
        "current",
      )
      store(versionId, status, notices, disputes)
    },
    /** Adds a notice. If they exceed the size limit, the oldest are dropped. */
    note(versionId: string, status: RecordStatus, notice: Notice, disputes: Disputes & Worries): void {
      const known = before(versionId)
      const all = [notice, ...known.notices.reverse()]
      const newest = all.slice(0, fitting(all, limits.noticeBytes).length)
      store(versionId, strongerStatus(status, known.status), newest.reverse(), disputes)
    },
    /** Stores which disputes have been answered since. */
    settleDisputes(versionId: string, disputes: Disputes & Worries): void {
      const { status, notices } = before(versionId)
      store(versionId, status, notices, disputes)
    },
    status: (versionId: string): RecordStatus => find.get(versionId)?.status ?? "current",
  }
}
