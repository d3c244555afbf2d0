/** What a record rests on, whether that puts it in doubt, what uses it, and the verdict of all evidence on it. */
import { FALLEN, groundingPurposes, isSpokenOf } from "../../contract/answers/evidence.ts"
import { limits } from "../../contract/limits.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { enumerations, RecordKind, RecordStatus } from "../../contract/schema/enumerations.ts"
import type { NodeKind } from "../../contract/objects/objects.ts"
import { inserting, workedOut } from "../../ledger/storage/inserting.ts"
import type { Verdict } from "../../contract/answers/parts.ts"
import type { Stored } from "../../contract/json.ts"
import { labelledObject, fromOtherRoom } from "../../ledger/lists/labelled.ts"
import type { Warning } from "../../contract/answers/receipts.ts"

// The grounds of a record: those that it rests on (protocol, section 8). If one of them falls, the record is in doubt.
// A record never rests on one that it contradicts or replaces, or that replaces it.

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

// Keeps the records that rest on a fallen one, directly or further down, so that every list can show it.

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

// Stores the uses of records, with a count by kind of use.

export type Use = (typeof enumerations.recordUse)[number]

/**
 * The kinds of objects that use records: nodes of the graph that name others, checkpoints, and entries that reuse a
 * record in another Thread.
 */
export type UserKind = Exclude<NodeKind, "material"> | "checkpoint" | "entry"

interface NewUse {
  readonly targetId: string
  readonly how: Use
  readonly byKind: UserKind
  readonly byId: string
  readonly at: string
}

export function uses(db: Db) {
  const insert = inserting(db, "record_uses", {
    workedOut: {
      sequence: workedOut`1 + (SELECT coalesce(max(sequence), 0) FROM record_uses WHERE target_id = ${"targetId"})`,
    },
  })
  const remove = db.prepare("DELETE FROM record_uses WHERE target_id = +? AND how = +? AND by_id = +?")
  const count = inserting(db, "use_counts", { onConflict: "DO UPDATE SET uses = uses + excluded.uses" })
  const counts = db.prepare<{ how: Use; uses: number }>("SELECT how, uses FROM use_counts WHERE target_id = +?")

  return {
    note(use: NewUse): void {
      insert(use)
      count({ targetId: use.targetId, how: use.how, uses: 1 })
    },
    /** Removes a use that ended, such as that of an amended experiment. */
    end(targetId: string, how: Use, byId: string): void {
      const ended = remove.run(targetId, how, byId)
      if (ended > 0) count({ targetId, how, uses: -ended })
    },
    /** Stops counting a use that was withdrawn. It stays readable. */
    discount: (targetId: string, how: Use): void => void count({ targetId, how, uses: -1 }),
    /** Counts the uses of a record by kind. */
    of(targetId: string) {
      const found = new Map(counts.all(targetId).map(({ how, uses }) => [how, uses]))
      const of = (how: Use) => found.get(how) ?? 0
      return {
        premises: of("premise"),
        references: of("reference"),
        evidence: of("evidence"),
        reuses: of("reuse"),
        verdicts: of("verdict"),
        reproductions: of("reproduction"),
      }
    },
  }
}

// SQL for the verdict of all counted evidence on a record, from its tally `y` and standing `s`. The table of tallies
// weighs the evidence; an unanswered dispute makes the record contested.

export const BEARING = `iif(s.open_dispute IS NOT NULL
  AND NOT ${FALLEN("s.status")}, 'contested', coalesce(y.bearing, 'untested'))`

/** The number of newest words that are read, and the number of their authors that are named. */
const [WORDS_READ, AUTHORS_NAMED] = [50, 5]
const NEWEST = `(SELECT * FROM evidence_words c WHERE c.target_id = r.version_id AND c.counted = 1
  AND c.sequence > (SELECT max(m.sequence) - ${WORDS_READ} FROM evidence_words m WHERE m.target_id = r.version_id)
  ORDER BY c.sequence DESC
  LIMIT ${AUTHORS_NAMED}) w`

/** The verdicts of counted links on a part of a record, as JSON. */
const IN_PART = `json((SELECT json_group_array(json_object('part', q.part, 'verdict', q.verdict, 'label', q.label))
  FROM (SELECT f.part, f.verdict, k.label FROM evidence_words w
    JOIN finding_verdicts f ON f.link_id = w.source_id AND f.version_id = w.target_id
    JOIN records k ON k.version_id = w.speaker_id
    WHERE w.target_id = r.version_id AND w.source = 'finding_link' AND w.counted = 1 AND f.part IS NOT NULL
    ORDER BY w.sequence DESC LIMIT ${WORDS_READ}) q))`

/**
 * Stores, with the tally of a hypothesis, whose words its verdict comes from: these change rarely, and briefs show them
 * often. Takes the id of the record, and does nothing for other kinds.
 */
export const WHOSE = `UPDATE evidence_tallies AS y SET verdict_from = (SELECT json_object(
    'basis', iif(y.measured_supports + y.measured_contradicts > 0, 'effects', 'words'), 'independent', y.independent,
    'people', json((SELECT json_group_array(DISTINCT n.username)
      FROM ${NEWEST}
      JOIN people n ON n.user_id = w.author_id)),
    'inPart', ${IN_PART},
    'newest', json_object('verdict', w.verdict, 'by',
      json(${labelledObject("'kind', b.kind, 'id', b.version_id, 'label', b.label", "b.room_id", "r.room_id")}),
      'author', json_object('userId', q.user_id, 'username', q.username, 'agent', w.agent),
      'independent', json(iif(w.independent = 1, 'true', 'false')), 'at', w.at))
  FROM ${NEWEST}
  JOIN people q ON q.user_id = w.author_id
  JOIN records b ON b.version_id = w.speaker_id
  ORDER BY w.sequence DESC
  LIMIT 1)
  FROM records r WHERE r.version_id = y.target_id AND r.kind = 'hypothesis' AND y.target_id = +?`

/** How many counted reproductions `c` of the finding `k` satisfy a condition, or how many values they have of one. */
const AGAIN = (counted: string, condition: string): string =>
  `(SELECT ${counted} FROM evidence_words c WHERE c.target_id = k.version_id AND c.source = 'reproduction'
    AND c.counted = 1 AND c.verdict IN ('reproduces', 'partly_reproduces') AND ${condition})`

const WHO = "count(DISTINCT c.author_id || ' ' || coalesce(c.speaker_agent, ''))"

const AGAIN_OF = `'versionId', k.version_id, 'label', k.label, 'reproductions', z.reproductions,
        'failedReproductions', z.failed_reproductions,
        'otherAgents', ${AGAIN(WHO, "c.other_agent = 1")},
        'otherCode', ${AGAIN("count(*)", "c.other_code = 1")}`

/**
 * SQL for the stored value with the reproductions of the findings that count, as they are now; null if no word counts.
 * For the hypothesis `r` with the tally `y`.
 */
export const VERDICT_FROM = `CASE WHEN y.verdict_from IS NOT NULL THEN json_set(y.verdict_from, '$.reproduced', json(
  (SELECT json_group_array(json(q.said)) FROM (
    SELECT ${labelledObject(AGAIN_OF, "k.room_id", "r.room_id")} AS said
    FROM (SELECT DISTINCT w.speaker_id FROM evidence_words w
      WHERE w.target_id = r.version_id AND w.source = 'finding_link' AND w.counted = 1 LIMIT ${WORDS_READ})
    JOIN records k ON k.version_id = speaker_id
    JOIN evidence_tallies z ON z.target_id = k.version_id
    WHERE z.reproductions + z.failed_reproductions > 0) q))) END`

/** The value that is read; null if no word counts. */
export type VerdictFrom = Stored<NonNullable<Verdict["verdictFrom"]>> | null
