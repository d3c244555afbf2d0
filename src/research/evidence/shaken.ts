/** Keeps the records that rest on a fallen one, directly or further down, so that every list can show it. */
import { FALLEN } from "../../contract/answers/evidence.ts"
import { limits } from "../../contract/limits.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { RESTS } from "./grounds.ts"

/** Whether a record rests on a fallen one. @param id SQL for its id */
export const IN_DOUBT = (id: string): string => `EXISTS (SELECT 1 FROM shaken_records z WHERE z.version_id = ${id})`

export function shaken(db: Db) {
  const from = db.prepare(
    `INSERT OR IGNORE INTO shaken_records (version_id, cause_id)
     SELECT +?, x.to_version_id
      FROM record_references x
      JOIN standings s ON s.version_id = x.to_version_id
      WHERE x.version_id = +? AND ${RESTS} AND ${FALLEN("s.status")}
     UNION SELECT +?, b.cause_id
      FROM record_references x
      JOIN shaken_records b ON b.version_id = x.to_version_id
      WHERE x.version_id = +? AND ${RESTS}
     LIMIT ${limits.groundsFollowed}`,
  )
  const forget = db.prepare("DELETE FROM shaken_records WHERE cause_id = +?")
  const isFallen = db.prepare(`SELECT 1 FROM standings WHERE version_id = +? AND ${FALLEN("status")}`)
  // Walks up, nearest first, at most `limits.shakenRecords` records.
  const shake = db.prepare(
    `INSERT OR IGNORE INTO shaken_records (version_id, cause_id)
     WITH RECURSIVE up (version_id) AS (
       SELECT +?
       UNION SELECT x.version_id
       FROM up
       JOIN record_references x ON x.to_version_id = up.version_id
       WHERE ${RESTS}
       LIMIT ${limits.shakenRecords})
     SELECT version_id, +? FROM up LIMIT -1 OFFSET 1`,
  )
  const causes = db.prepare<{ causeId: string }>("SELECT cause_id AS causeId FROM shaken_records WHERE version_id = +?")

  function restart(causeId: string): void {
    forget.run(causeId)
    if (isFallen.get(causeId) !== undefined) shake.run(causeId, causeId)
  }

  return {
    /** Puts a new record in doubt if it rests on a fallen record. */
    published: (versionId: string): void => void from.run(versionId, versionId, versionId, versionId),
    /**
     * Updates the records that rest on a record, directly or further down, after it fell, stood again or was replaced.
     */
    moved(versionId: string): void {
      restart(versionId)
      for (const { causeId } of causes.all(versionId)) restart(causeId)
    },
  }
}
