/**
 * SQL for the verdict of all counted evidence on a record, from its tally `y` and standing `s`. The table of tallies
 * weighs the evidence; an unanswered dispute makes the record contested.
 */
import { FALLEN } from "../../contract/answers/evidence.ts"
import { limits } from "../../contract/limits.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { RESTS } from "./grounds.ts"
import type { enumerations } from "../../contract/schema/enumerations.ts"
import type { NodeKind } from "../../contract/objects/objects.ts"
import { inserting, workedOut } from "../../ledger/storage/inserting.ts"
import type { Verdict } from "../../contract/answers/parts.ts"
import type { Stored } from "../../contract/json.ts"
import { labelledObject } from "../../ledger/lists/labelled.ts"

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
