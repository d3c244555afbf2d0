/**
 * A mark: the newest entry of every Room and of the audit log, stored outside of the data, so that a later rewrite is
 * detected.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import * as v from "valibot"
import { activity } from "../ledger/journal/activity.ts"
import { whoseData } from "../ledger/storage/data.ts"
import type { Db } from "../ledger/storage/database.ts"
import { DataError } from "../ledger/storage/opening.ts"
import { auditDigest, auditHead } from "../people/audit.ts"
import { headsOf } from "./check.ts"
import { codeOf } from "../contract/refusals.ts"

const markSchema = v.object({
  instanceId: v.string(),
  /** Left out of marks from before the audit log had a chain. */
  audit: v.optional(v.object({ sequence: v.number(), digest: v.string() })),
  rooms: v.array(v.object({ roomId: v.string(), sequence: v.number(), digest: v.string() })),
})

/**
 * Returns a sentence for each thing in the mark that the data lacks; none if the file does not exist yet.
 * @throws DataError if the file is not a mark
 */
export function compareMark(db: Db, file: string): string[] {
  if (!existsSync(file)) return []
  const read = (() => {
    try {
      return v.safeParse(markSchema, JSON.parse(readFileSync(file, "utf8")))
    } catch {
      return { success: false as const }
    }
  })()
  if (!read.success) throw new DataError(`${file} is not a mark of this program; nothing was written to it.`)
  const mark = read.output
  // An instance that was restored from a marked one should contain what was marked there.
  const isEarlier =
    db.prepare("SELECT 1 FROM earlier_instances WHERE instance_id = +?").get(mark.instanceId) !== undefined
  if (mark.instanceId !== whoseData(db).instanceId && !isEarlier)
    return [`${file} marks another instance (${mark.instanceId}).`]
  const { placeOf } = activity(db)
  const { audit = { sequence: 0, digest: "" } } = mark
  const isLogKept = audit.sequence === 0 || auditDigest(db, audit.sequence) === audit.digest
  const rewritten = isLogKept ? [] : [`The audit log up to line ${audit.sequence} is not the one that ${file} marks.`]
  const rooms = mark.rooms.flatMap(({ roomId, sequence, digest }) => {
    if (wasDropped(db, roomId, sequence, audit.sequence)) return []
    const found = placeOf(roomId, sequence)
    if (found === undefined)
      return [`Room ${roomId} stood at entry ${sequence} when ${file} was written, and has no such entry.`]
    return found.digest === digest
      ? []
      : [`The activity of Room ${roomId} up to entry ${sequence} is not the one that ${file} marks.`]
  })
  return [...rewritten, ...rooms]
}

/** Whether the audit log records, after a line, that an entry of a mirrored Room was dropped. */
const wasDropped = (db: Db, roomId: string, sequence: number, after: number): boolean =>
  db
    .prepare(
      `SELECT 1 FROM audit_entries WHERE kind = 'forget_room' AND sequence > +? AND body ->> '$.roomId' = +?
          AND body ->> '$.detail.fromEntry' <= +?`,
    )
    .get(after, roomId, sequence) !== undefined

/** Marks the newest entry of every Room. @throws DataError if the file cannot be written */
export function setMark(db: Db, file: string): void {
  const rooms = headsOf(db).map((head) => ({
    roomId: head.room_id,
    sequence: head.activity_sequence,
    digest: head.activity_digest,
  }))
  const { sequence, digest } = auditHead(db)
  const audit = { sequence, digest: digest.toString("hex") }
  const partial = `${file}.partial-${process.pid}`
  try {
    writeFileSync(partial, `${JSON.stringify({ instanceId: whoseData(db).instanceId, audit, rooms }, null, 2)}\n`, {
      flush: true,
    })
    renameSync(partial, file)
  } catch (error) {
    rmSync(partial, { force: true })
    throw new DataError(`${file} could not be written (${codeOf(error)}).`)
  }
}
