/**
 * What a record rests on (protocol, section 8): if that falls, this is in doubt. Never what it contradicts, replaces, or is
 * replaced by.
 */
import { groundingPurposes, isSpokenOf } from "../../contract/answers/evidence.ts"
import type { RecordKind, RecordStatus } from "../../contract/schema/enumerations.ts"
import { limits } from "../../contract/limits.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { Warning } from "../../contract/answers/warnings.ts"
import { fromOtherRoom } from "../../ledger/lists/other-room.ts"

export interface Ground {
  readonly versionId: string
  readonly label: string
  readonly kind: RecordKind
  readonly wording: string
  readonly roomId: string
  readonly status: RecordStatus
  /** Whether it is disputed and its author has answered each dispute. */
  readonly isAnswered: 0 | 1
  /** Whether it rests on something itself. */
  readonly rests: 0 | 1
}

/** A record that rests on another one, through the one that stands nearest to that on the way. */
export type Resting = Omit<Ground, "rests" | "isAnswered"> & { readonly through: Pick<Ground, "versionId" | "label"> | null }

/** A record further down: on the way to it, the first one that the reader's own record rests on. */
interface Reached extends Ground {
  readonly through: Ground | null
}

/** One record replaces another, as a link that stands says. */
const REPLACES = (one: string, other: string): string =>
  `EXISTS (SELECT 1 FROM research_links q WHERE q.target_version_id = ${other} AND q.replacement_version_id = ${one}
     AND NOT EXISTS (SELECT 1 FROM link_withdrawals d WHERE d.link_id = q.link_id))`
/**
 * Which rows of `record_references` (as `x`) say that one record rests on another. What replaces a record, or is replaced by it, does
 * not rest on it, whatever it says.
 */
export const RESTS = `(x.part IN ('premise', 'evidence', 'plan', 'role') OR x.part = 'reference' AND x.purpose IN (${groundingPurposes.map((purpose) => `'${purpose}'`).join(", ")}))
  AND NOT ${REPLACES("x.version_id", "x.to_version_id")} AND NOT ${REPLACES("x.to_version_id", "x.version_id")}`

const GROUND = `r.version_id AS versionId, r.label, r.kind, r.wording, r.room_id AS roomId, coalesce(s.status, 'current') AS status,
  coalesce(s.status = 'disputed' AND s.open_dispute IS NULL, 0) AS isAnswered, EXISTS (SELECT 1 FROM record_references x WHERE x.version_id = r.version_id AND ${RESTS}) AS rests`

/** A cause of doubt as it is shown in a Room. */
const doubt = ({ through, isAnswered, ...fallen }: Reached, status: Exclude<RecordStatus, "current">, roomId: string): Warning => ({
  code: `rests_on_${status}`,
  message: `It rests on ${fallen.label}, which is ${status}${isAnswered === 1 ? " (its author has answered)" : ""}${through === null ? "" : `, through ${through.label}`}.`,
  versionId: fallen.versionId,
  label: fallen.label,
  kind: fallen.kind,
  wording: fallen.wording,
  status,
  ...(isAnswered === 1 ? { answered: true as const } : {}),
  direct: through === null,
  ...(through === null
    ? {}
    : { through: { versionId: through.versionId, label: through.label, ...fromOtherRoom(through.roomId, roomId) } }),
  ...fromOtherRoom(fallen.roomId, roomId),
})

export function grounds(db: Db) {
  const below = db.prepare<Ground>(
    `SELECT DISTINCT ${GROUND} FROM record_references x JOIN records r ON r.version_id = x.to_version_id
     LEFT JOIN standings s ON s.version_id = r.version_id WHERE x.version_id = +? AND ${RESTS} ORDER BY r.version_id`,
  )
  // What stands between it and what its plans build on are the plans.
  const belowItself = db.prepare<Ground>(
    `SELECT DISTINCT ${GROUND} FROM record_references x JOIN records r ON r.version_id = x.to_version_id
     LEFT JOIN standings s ON s.version_id = r.version_id WHERE x.version_id = +? AND x.part <> 'plan' AND ${RESTS} ORDER BY r.version_id`,
  )
  // Found by the objects that it names; if very many name one, only the first.
  const above = db.prepare<Omit<Ground, "rests" | "isAnswered">>(
    `SELECT DISTINCT r.version_id AS versionId, r.label, r.kind, r.wording, r.room_id AS roomId, coalesce(s.status, 'current') AS status
     FROM (SELECT x.version_id AS resting FROM record_references x WHERE x.to_version_id = +? AND ${RESTS} LIMIT ${limits.groundsFollowed})
     JOIN records r ON r.version_id = resting LEFT JOIN standings s ON s.version_id = r.version_id ORDER BY r.version_id`,
  )
  const one = db.prepare<Ground>(
    `SELECT ${GROUND} FROM records r LEFT JOIN standings s ON s.version_id = r.version_id WHERE r.version_id = +?`,
  )

  /** Goes down from records, nearest first, each met once. */
  function fallenBelow(start: readonly Ground[], roomId: string) {
    const met = new Set(start.map(({ versionId }) => versionId))
    const causes: Warning[] = []
    let level: readonly Reached[] = start.map((ground) => ({ ...ground, through: null }))
    for (let looked = 0; level.length > 0; ) {
      const next: Reached[] = []
      for (const reached of level) {
        if (isSpokenOf(reached.status)) causes.push(doubt(reached, reached.status, roomId))
        looked += 1
        if (looked > limits.groundsFollowed || causes.length > limits.doubts) return [...causes, unfollowed()]
        for (const ground of reached.rests ? below.all(reached.versionId) : []) {
          if (met.has(ground.versionId)) continue
          met.add(ground.versionId)
          const { through: _through, ...first } = reached
          next.push({ ...ground, through: reached.through ?? first })
        }
      }
      level = next
    }
    return causes
  }

  const unfollowed = (): Warning => ({
    code: "rests_on_more",
    message: "It rests on more records than are listed here; those further away were not looked at.",
  })

  return {
    /** The records that a record rests on, itself. */
    groundsOf: (versionId: string): string[] => below.all(versionId).map((ground) => ground.versionId),
    /** Up to `count` records that rest on a record, directly or through others: what would be in doubt if it fell, nearest first. */
    restingOn(versionId: string, count: number): Resting[] {
      const found: Resting[] = []
      const met = new Set([versionId])
      let level: readonly { readonly versionId: string; readonly through: Resting["through"] }[] = [{ versionId, through: null }]
      while (level.length > 0 && found.length < count) {
        const next = level.flatMap((from) =>
          above.all(from.versionId).flatMap((record) => {
            if (met.has(record.versionId)) return []
            met.add(record.versionId)
            return [{ ...record, through: from.through }]
          }),
        )
        found.push(...next)
        level = next.map(({ versionId, label, through }) => ({ versionId, through: through ?? { versionId, label } }))
      }
      return found.slice(0, count)
    },
    /** What a record itself rests on, directly or further down, of which something was said: each cause once, nearest first. */
    doubtsOf(versionId: string, roomId: string) {
      return fallenBelow(belowItself.all(versionId), roomId)
    },
    /** The same for something that names records without being one, such as a plan. */
    doubtsAmong(versionIds: readonly string[], roomId: string) {
      return fallenBelow(
        [...new Set(versionIds)].map((versionId) => one.get(versionId)).filter((ground) => ground !== undefined),
        roomId,
      )
    },
  }
}
