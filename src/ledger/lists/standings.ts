/** What has been said of records since they were accepted: the one thing about them that moves. */
import type { LinkKind, RecordStatus } from "../../contract/schema/enumerations.ts"
import { linkKinds, strongerStatus } from "../../contract/operations/link-kinds.ts"
import { fitting, type JsonObject, parse, type Stored, stored, writeJson } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { Db } from "../storage/database.ts"
import { inserting } from "../storage/inserting.ts"

/** A notice as records show it. */
type Notice = JsonObject & { readonly linkId: string }

export type Standings = ReturnType<typeof standings>

export function standings(db: Db) {
  const find = db.prepare<{ status: RecordStatus; notices: Stored<Notice[]> }>(
    "SELECT status, notices FROM standings WHERE version_id = +?",
  )
  const set = inserting(db, "standings", { onConflict: "DO UPDATE SET status = excluded.status, notices = excluded.notices" })
  const tellDisputes = db.prepare("UPDATE standings SET open_dispute = +?, notices = +? WHERE version_id = +?")
  const noticesOf = (versionId: string): Notice[] => parse(find.get(versionId)?.notices ?? stored("[]"))

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
    ): void {
      const notices = noticesOf(versionId).map((notice) => (notice.linkId === linkId ? { ...notice, withdrawn } : notice))
      const status = standing.reduce<RecordStatus>((strongest, kind) => strongerStatus(strongest, linkKinds[kind].status), "current")
      set({ versionId, status, notices: JSON.stringify(notices) })
    },
    /** Adds a notice, as it is served; of more than have room the newest are kept. */
    note(versionId: string, status: RecordStatus, notice: Notice): void {
      const newest = fitting([notice, ...noticesOf(versionId).reverse()], limits.noticeBytes)
      set({ versionId, status: strongerStatus(status, find.get(versionId)?.status ?? "current"), notices: writeJson(newest.reverse()) })
    },
    /**
     * Tells which disputes were answered.
     * @param open the newest one that stands and was not; null where there is none
     * @param answers what answered the others, by the dispute's link
     */
    settleDisputes(versionId: string, open: string | null, answers: ReadonlyMap<string, JsonObject>): void {
      const notices = noticesOf(versionId).map(({ answered: _before, ...notice }) => {
        const answered = answers.get(notice.linkId)
        return answered === undefined ? notice : { ...notice, answered }
      })
      tellDisputes.run(open, JSON.stringify(notices), versionId)
    },
    status: (versionId: string): RecordStatus => find.get(versionId)?.status ?? "current",
  }
}
