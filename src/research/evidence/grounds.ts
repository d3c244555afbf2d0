/**
 * The records that a record rests on (protocol, section 8). If one of them falls, the record is in doubt. A record
 * never rests on one that it contradicts or replaces, or that replaces it.
 */
import { groundingPurposes, isSpokenOf } from "../../contract/answers/evidence.ts"
import type { RecordKind, RecordStatus } from "../../contract/schema/enumerations.ts"
import { limits } from "../../contract/limits.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { Warning } from "../../contract/answers/advice.ts"
import { fromOtherRoom } from "../../ledger/lists/labelled.ts"

export interface Ground {
  readonly versionId: string
  readonly label: string
  readonly kind: RecordKind
  readonly wording: string
  readonly roomId: string
  readonly status: RecordStatus
  /** Whether it is disputed, and its author has answered every dispute. */
  readonly isAnswered: 0 | 1
  /** Whether it rests on other records itself. */
  readonly rests: 0 | 1
  /** The position in the journal of the newest link that put it in doubt; null if none did. */
  readonly worriedAt: number | null
}

/** A record that rests on another one. `through` is the record on the way that rests on it directly. */
export type Resting = Omit<Ground, "rests" | "isAnswered" | "worriedAt"> & {
  readonly through: Pick<Ground, "versionId" | "label"> | null
}

/** A record further down. `through` is the first record on the way to it. */
interface GroundBelow extends Ground {
  readonly through: Ground | null
}

/** Whether one record replaces another by a link that was not withdrawn. */
const REPLACES = (one: string, other: string): string =>
  `EXISTS (SELECT 1 FROM research_links q WHERE q.target_version_id = ${other} AND q.replacement_version_id = ${one}
     AND NOT EXISTS (SELECT 1 FROM link_withdrawals d WHERE d.link_id = q.link_id))`
/**
 * Whether a row `x` of `record_references` means that one record rests on another. A record and its replacement never
 * rest on each other.
 */
export const RESTS = `(x.part IN ('premise', 'evidence', 'plan', 'role') OR x.part = 'reference'
  AND x.purpose IN (${groundingPurposes.map((purpose) => `'${purpose}'`).join(", ")}))
  AND NOT ${REPLACES("x.version_id", "x.to_version_id")} AND NOT ${REPLACES("x.to_version_id", "x.version_id")}`

const RECORD =
  "r.version_id AS versionId, r.label, r.kind, r.wording, r.room_id AS roomId, coalesce(s.status, 'current') AS status"
const IS_ANSWERED = "coalesce(s.status = 'disputed' AND s.open_dispute IS NULL, 0) AS isAnswered"
const GROUND = `${RECORD}, ${IS_ANSWERED}, s.worried_at AS worriedAt,
    EXISTS (SELECT 1 FROM record_references x WHERE x.version_id = r.version_id AND ${RESTS}) AS rests`

/**
 * Returns the warning about a fallen or doubted record. @param roomId the Room that shows it @param writtenAt the
 * position in the journal of what rests on it: what had happened by then is told in other words
 */
const doubt = (
  { through, isAnswered, worriedAt, ...fallen }: GroundBelow,
  status: Exclude<RecordStatus, "current">,
  roomId: string,
  writtenAt: number,
): Warning => {
  const answered = isAnswered === 1
  const knownThen = worriedAt !== null && worriedAt < writtenAt
  const how = `${knownThen ? "was already" : "is"} ${status}${knownThen ? " when it was written" : ""}`
  const by = `${answered ? " (its author has answered)" : ""}${through === null ? "" : `, through ${through.label}`}`
  return {
    code: `rests_on_${status}`,
    message: `It rests on ${fallen.label}, which ${how}${by}.`,
    ...(knownThen && { knownThen }),
    versionId: fallen.versionId,
    label: fallen.label,
    kind: fallen.kind,
    wording: fallen.wording,
    status,
    ...(answered && { answered }),
    direct: through === null,
    ...(through === null
      ? {}
      : { through: { versionId: through.versionId, label: through.label, ...fromOtherRoom(through.roomId, roomId) } }),
    ...fromOtherRoom(fallen.roomId, roomId),
  }
}

export function grounds(db: Db) {
  const belowBy = (which: string) =>
    db.prepare<Ground>(
      `SELECT DISTINCT ${GROUND} FROM record_references x JOIN records r ON r.version_id = x.to_version_id
       LEFT JOIN standings s ON s.version_id = r.version_id WHERE x.version_id = +? AND ${which} ORDER BY r.version_id`,
    )
  const below = belowBy(RESTS)
  // Without the premises of its plans: `doubts` reports those through the plan.
  const belowItself = belowBy(`x.part <> 'plan' AND ${RESTS}`)
  // Reads at most so many references; of a record that more name, only the first.
  const above = db.prepare<Omit<Ground, "rests" | "isAnswered" | "worriedAt">>(
    `SELECT DISTINCT ${RECORD} FROM (SELECT x.version_id AS resting
      FROM record_references x
      WHERE x.to_version_id = +? AND ${RESTS}
      LIMIT ${limits.groundsFollowed})
     JOIN records r ON r.version_id = resting
      LEFT JOIN standings s ON s.version_id = r.version_id
      ORDER BY r.version_id`,
  )
  const written = db.prepare<{ position: number }>(
    "SELECT history_position AS position FROM records WHERE version_id = +?",
  )
  const one = db.prepare<Ground>(
    `SELECT ${GROUND} FROM records r LEFT JOIN standings s ON s.version_id = r.version_id WHERE r.version_id = +?`,
  )

  const fallen = db.prepare<
    Omit<Ground, "rests" | "status" | "worriedAt"> & { readonly status: Exclude<RecordStatus, "current"> }
  >(
    `SELECT ${RECORD}, ${IS_ANSWERED}
      FROM json_each(+?) j
      CROSS JOIN records r ON r.version_id = j.value
      JOIN standings s ON s.version_id = r.version_id
     WHERE s.status <> 'current' ORDER BY j.key`,
  )

  /** Walks down from records, nearest first, and visits each record once. */
  function fallenBelow(start: readonly Ground[], roomId: string, writtenAt: number) {
    const visited = new Set(start.map(({ versionId }) => versionId))
    const causes: Warning[] = []
    let level: readonly GroundBelow[] = start.map((ground) => ({ ...ground, through: null }))
    for (let count = 0; level.length > 0; ) {
      const next: GroundBelow[] = []
      for (const ground of level) {
        if (isSpokenOf(ground.status)) causes.push(doubt(ground, ground.status, roomId, writtenAt))
        count += 1
        if (count > limits.groundsFollowed || causes.length > limits.doubts) return [...causes, unfollowed]
        for (const under of ground.rests ? below.all(ground.versionId) : []) {
          if (visited.has(under.versionId)) continue
          visited.add(under.versionId)
          const { through: _through, ...first } = ground
          next.push({ ...under, through: ground.through ?? first })
        }
      }
      level = next
    }
    return causes
  }

  const unfollowed: Warning = {
    code: "rests_on_more",
    message: "It rests on more records than are listed here; those further away were not checked.",
  }

  return {
    /** Returns those of some records that are no longer current, in the same order. */
    noLongerCurrent: (versionIds: readonly string[]) => fallen.all(JSON.stringify(versionIds)),
    /** Returns the records that a record rests on directly. */
    groundsOf: (versionId: string): string[] => below.all(versionId).map((ground) => ground.versionId),
    /** Returns up to `count` records that rest on a record, directly or through others, nearest first. */
    restingOn(versionId: string, count: number): Resting[] {
      const found: Resting[] = []
      const visited = new Set([versionId])
      let level: readonly { readonly versionId: string; readonly through: Resting["through"] }[] = [
        { versionId, through: null },
      ]
      while (level.length > 0 && found.length < count) {
        const next = level.flatMap((from) =>
          above.all(from.versionId).flatMap((record) => {
            if (visited.has(record.versionId)) return []
            visited.add(record.versionId)
            return [{ ...record, through: from.through }]
          }),
        )
        found.push(...next)
        level = next.map(({ versionId, label, through }) => ({ versionId, through: through ?? { versionId, label } }))
      }
      return found.slice(0, count)
    },
    /**
     * Returns a warning for each fallen or doubted record that a record rests on, directly or further down, nearest
     * first.
     */
    doubtsOf(versionId: string, roomId: string) {
      return fallenBelow(belowItself.all(versionId), roomId, written.get(versionId)?.position ?? 0)
    },
    /**
     * The same for an object that names records and is not one, such as a plan. @param writtenAt its position in the
     * journal
     */
    doubtsAmong(versionIds: readonly string[], roomId: string, writtenAt: number) {
      return fallenBelow(
        [...new Set(versionIds)].map((versionId) => one.get(versionId)).filter((ground) => ground !== undefined),
        roomId,
        writtenAt,
      )
    },
  }
}
