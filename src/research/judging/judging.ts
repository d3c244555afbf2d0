/**
 * Collects what helps a reader to judge a record or a checkpoint: who its evidence comes from, what failed, what is
 * doubted, and what cites it. `src/research/evidence` decides which evidence counts and what rests on what.
 */
import type { Author } from "../../contract/answers/parts.ts"
import { each, picked, present } from "../../contract/typed.ts"
import {
  enumerations,
  type AttemptStatus,
  type ExperimentStatus,
  type RecordKind,
  type RecordStatus,
} from "../../contract/schema/enumerations.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import type { Doubt, FailedItem, Origins } from "../../contract/nouns/judging.ts"
import { limits } from "../../contract/limits.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { Kept } from "../../ledger/storage/caches.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import { fromOtherRoom } from "../../ledger/lists/labelled.ts"
import { outcomeOf, WHY_FAILED } from "../attempts/summary.ts"
import type { Evidence } from "../evidence/evidence.ts"
import { ANSWER, STANDS } from "../evidence/words.ts"
import { AGENT, AGENT_AT, authorIn } from "../../ledger/journal/actor.ts"
import { known } from "../../ledger/write/references.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Checkpoints } from "../checkpoints/checkpoints.ts"
import type { Records } from "../records/records.ts"
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import { changed, changesInBrief } from "./changed.ts"

const [SIGHT, ITEMS] = [limits.caseSight, limits.caseItems]
/** One more than is shown, to learn whether there are more. */
const PROBE = ITEMS + 1

interface Word {
  readonly sequence: number
  readonly verdict: "supports" | "contradicts" | "inconclusive" | "reproductions" | "failedReproductions"
  readonly authorId: string
  readonly independent: number
  /** The author and agent of this evidence, if the agent is not the record's own; else null. */
  readonly otherAgent: string | null
}
interface FailedRow extends Author, Omit<FailedItem, "author" | "experiment"> {
  readonly experimentId: string
  readonly experimentLabel: string
  readonly roomId: string
  /** The position in the journal of its registration or cancellation. */
  readonly written: number
}
interface DoubtRow extends Author, Omit<Doubt, "attemptId" | "answered" | "of" | "target" | "author"> {
  readonly attemptId: string | null
  readonly answered: string | null
  readonly targetId: string
  readonly targetKind: RecordKind
  readonly targetLabel: string
  readonly wording: string
  readonly status: RecordStatus
  readonly roomId: string
  readonly saidIn: string
}
interface CitingRow extends Omit<AnswerOf<"record_case">["citedIn"]["items"][number], "cites"> {
  readonly versionId: string
  readonly label: string
  readonly roomId: string
  readonly recordRoomId: string
}

/** The newest evidence `w` about records, a JSON list of ids. @param which a condition on `w` */
const WORDS = (which: string) =>
  `json_each(+?) JOIN evidence_words w ON w.target_id = json_each.value AND ${which}
     AND w.sequence > (SELECT coalesce(max(m.sequence), 0) - ${SIGHT}
       FROM evidence_words m
       WHERE m.target_id = json_each.value)`

/** Cuts a list to the items that are shown. */
const newest = <Row, Item>(rows: readonly Row[], item: (row: Row) => Item) => ({
  items: rows.slice(0, ITEMS).map(item),
  more: rows.length > ITEMS,
})

type Judging = ReturnType<typeof judging>

export function judging(db: Db, evidence: Evidence) {
  const counted = db.prepare<Word>(
    `SELECT w.sequence, CASE w.verdict WHEN 'reproduces' THEN 'reproductions'
      WHEN 'partly_reproduces' THEN 'reproductions'
       WHEN 'does_not_reproduce' THEN 'failedReproductions' ELSE w.verdict END AS verdict, w.author_id AS authorId,
        w.independent,
       iif(w.other_agent = 1, w.author_id || ' ' || coalesce(w.speaker_agent, ''), NULL) AS otherAgent
     FROM evidence_words w WHERE w.target_id = +? AND w.counted = 1 ORDER BY w.sequence DESC LIMIT ${SIGHT}`,
  )
  // The attempts behind a piece of evidence: those that produced the finding, the one its link names, or the
  // reproduction itself.
  const commits = db.prepare<{ sequence: number; commit: string }>(
    `SELECT word AS sequence, ${contentOf("a")} ->> '$.repository.commit' AS "commit" FROM (
       SELECT w.sequence AS word, t.attempt_id AS ran
      FROM ${WORDS("w.counted = 1")}
      JOIN finding_attempts t ON t.version_id = w.speaker_id AND t.role = 'producing'
       UNION SELECT w.sequence, l.attempt_id
      FROM ${WORDS("w.counted = 1")}
      JOIN finding_links l ON l.link_id = w.source_id AND l.attempt_id IS NOT NULL
       UNION SELECT w.sequence, w.speaker_id FROM ${WORDS("w.counted = 1 AND w.source = 'reproduction'")}
       LIMIT ${SIGHT}) JOIN attempts a ON a.attempt_id = ran`,
  )
  const speakers = db.prepare<{ id: string }>(
    `SELECT DISTINCT r.version_id AS id
      FROM ${WORDS("w.source <> 'research_link'")}
      JOIN records r ON r.version_id = w.speaker_id
      LIMIT ${SIGHT}`,
  )
  const USED = (how: string) => `json_each(+?) JOIN record_uses u ON u.target_id = json_each.value AND u.how = '${how}'`
  const lines = db.prepare<{ id: string; status: ExperimentStatus }>(
    `SELECT e.experiment_id AS id, e.status FROM (
       SELECT u.by_id AS line FROM ${USED("addressed")}
       UNION SELECT p.experiment_id FROM ${USED("plan_hypothesis")} JOIN plans p ON p.plan_id = u.by_id
       UNION SELECT f.experiment_id
      FROM json_each(+?)
      JOIN findings f ON f.version_id = json_each.value AND f.experiment_id IS NOT NULL
       UNION SELECT l.experiment_id
      FROM ${WORDS("w.source = 'finding_link'")}
      JOIN finding_links l ON l.link_id = w.source_id
       UNION SELECT f.experiment_id
      FROM ${WORDS("w.source = 'reference'")}
      JOIN findings f ON f.version_id = w.speaker_id AND f.experiment_id IS NOT NULL
       UNION SELECT a.experiment_id
      FROM ${WORDS("w.source = 'reproduction'")}
      JOIN attempts a ON a.attempt_id = w.speaker_id
     ) JOIN experiments e ON e.experiment_id = line ORDER BY line DESC LIMIT ${SIGHT}`,
  )
  const ended = db.prepare<{ status: AttemptStatus; attempts: number }>(
    `SELECT c.status, sum(c.attempts) AS attempts
      FROM json_each(+?)
      JOIN attempt_counts c ON c.experiment_id = json_each.value
      GROUP BY c.status`,
  )
  const failed = db.prepare<FailedRow>(
    `SELECT f.kind, a.attempt_id AS id, a.label, iif(f.kind = 'attempt_diverged', f.detail, ${WHY_FAILED}) AS why, f.at,
        p.user_id AS userId, p.username, ${AGENT("a")} AS agent,
       e.experiment_id AS experimentId, e.label AS experimentLabel, a.room_id AS roomId, a.history_position AS written
     FROM (SELECT attempt_id AS ran FROM attempts WHERE experiment_id = +? ORDER BY attempt_id DESC LIMIT ${SIGHT})
     JOIN room_failures f ON f.id = ran AND (f.kind = 'attempt_failed' OR f.kind = 'attempt_diverged'
       AND NOT EXISTS (SELECT 1 FROM room_failures o WHERE o.id = f.id AND o.kind = 'attempt_failed'))
     JOIN attempts a ON a.attempt_id = ran
      JOIN experiments e ON e.experiment_id = a.experiment_id
      JOIN people p ON p.user_id = a.registrant_id
     ORDER BY written DESC LIMIT ${PROBE}`,
  )
  const ENDED = `(SELECT v.history_position
    FROM experiment_revisions v
    WHERE v.experiment_id = e.experiment_id AND v.revision = e.revision)`
  const cancelled = db.prepare<FailedRow>(
    `SELECT 'experiment_cancelled' AS kind, e.experiment_id AS id, e.label, e.conclusion ->> '$.text' AS why,
        e.updated_at AS at,
       p.user_id AS userId, p.username, ${AGENT_AT(ENDED)} AS agent, e.experiment_id AS experimentId,
        e.label AS experimentLabel, e.room_id AS roomId,
       ${ENDED} AS written
     FROM json_each(+?) JOIN experiments e ON e.experiment_id = json_each.value AND e.status = 'cancelled'
     JOIN people p ON p.user_id = coalesce(e.conclusion ->> '$.by.userId', e.proposer_id)`,
  )
  const DOUBTED = (
    agent: string,
  ) => `p.user_id AS userId, p.username, ${agent} AS agent, r.version_id AS targetId, r.kind AS targetKind,
       r.label AS targetLabel, r.wording, coalesce(s.status, 'current') AS status, r.room_id AS roomId`
  const DOUBTED_OF = `JOIN records r ON r.version_id = json_each.value
    LEFT JOIN standings s ON s.version_id = json_each.value`
  const doubts = db.prepare<DoubtRow>(
    `SELECT * FROM (SELECT l.link_id AS linkId, NULL AS attemptId, ${ANSWER} AS answered, l.label, l.kind,
        l.explanation, l.at, l.room_id AS saidIn, ${DOUBTED(AGENT("l"))}
     FROM json_each(+?)
      JOIN research_links l ON l.target_version_id = json_each.value ${DOUBTED_OF}
      JOIN people p ON p.user_id = l.author_id
     WHERE ${STANDS("l")} ORDER BY l.link_id DESC LIMIT ${PROBE})
     UNION ALL SELECT * FROM (SELECT NULL, a.attempt_id, NULL, a.label, w.verdict, q.explanation, w.at AS at, a.room_id,
         ${DOUBTED(AGENT("a"))}
     FROM json_each(+?) JOIN evidence_words w ON w.target_id = json_each.value AND w.verdict = 'does_not_reproduce'
         AND w.counted = 1
       ${DOUBTED_OF}
       JOIN attempts a ON a.attempt_id = w.source_id
       JOIN reproductions q ON q.attempt_id = a.attempt_id
       JOIN people p ON p.user_id = w.author_id
     ORDER BY w.sequence DESC LIMIT ${PROBE}) ORDER BY at DESC LIMIT ${PROBE}`,
  )
  const citing = db.prepare<CitingRow>(
    `SELECT c.checkpoint_id AS checkpointId, c.thread_id AS threadId, t.title, c.state,
        coalesce(c.conclusion, ${contentOf("c")} ->> '$.synthesis') AS says,
       min(r.version_id) AS versionId, r.label, c.room_id AS roomId, r.room_id AS recordRoomId
     FROM ${USED("citation")}
      JOIN checkpoints c ON c.checkpoint_id = u.by_id
      JOIN threads t ON t.thread_id = c.thread_id AND t.selected_checkpoint_id = c.checkpoint_id
     JOIN records r ON r.version_id = json_each.value
      GROUP BY c.checkpoint_id
      ORDER BY c.checkpoint_id DESC
      LIMIT ${PROBE}`,
  )

  /** Counts the sources of the newest counted evidence, in total and by verdict. */
  function weightOf(versionId: string) {
    const list = JSON.stringify([versionId])
    const behind = Map.groupBy(commits.all(list, list, list), ({ sequence }) => sequence)
    const words = counted.all(versionId)
    const originsOf = (some: readonly Word[]): Origins => {
      const independent = some.filter((word) => word.independent === 1)
      const people = (several: readonly Word[]) => new Set(several.map(({ authorId }) => authorId)).size
      return {
        words: some.length,
        independent: independent.length,
        people: people(some),
        independentPeople: people(independent),
        otherAgents: new Set(some.flatMap(({ otherAgent }) => otherAgent ?? [])).size,
        commits: new Set(some.flatMap(({ sequence }) => behind.get(sequence)?.map(({ commit }) => commit) ?? [])).size,
      }
    }
    return {
      ...each([...enumerations.hypothesisVerdict, "reproductions", "failedReproductions"] as const, (name) =>
        originsOf(words.filter(({ verdict }) => verdict === name)),
      ),
      all: originsOf(words),
    }
  }

  /**
   * Returns the work on some records, its failures, and the doubts about them. @param seenFrom the Room that shows it
   */
  function around(versionIds: readonly string[], seenFrom: string) {
    const list = JSON.stringify(versionIds)
    const work = lines.all(...Array<string>(6).fill(list))
    const experimentIds = JSON.stringify(work.map(({ id }) => id))
    const attempts = each(["registered", ...enumerations.attemptOutcome] as const, () => 0)
    for (const { status, attempts: count } of ended.all(experimentIds))
      attempts[outcomeOf(status) ?? "registered"] += count
    const failures = [
      ...work.slice(0, limits.pageItems).flatMap(({ id }) => failed.all(id)),
      ...cancelled.all(experimentIds),
    ].toSorted((one, other) => other.written - one.written)
    const bearing = speakers.all(list).map(({ id }) => id)
    const itself = new Set(versionIds)
    const grounds = new Set(versionIds.flatMap((id) => evidence.groundsOf(id)))
    const placeOf = (id: string): Doubt["of"] =>
      itself.has(id) ? "itself" : bearing.includes(id) ? "bears_on_it" : "it_rests_on"
    const targets = [...new Set([...versionIds, ...bearing, ...grounds])]
    return {
      work: {
        experiments: each(
          enumerations.experimentStatus,
          (status) => work.filter((line) => line.status === status).length,
        ),
        attempts,
      },
      failed: newest(
        failures,
        ({ userId, username, agent, experimentId, experimentLabel, roomId, written: _order, ...item }) => ({
          ...item,
          author: { userId, username, agent },
          experiment: { experimentId, label: experimentLabel, ...fromOtherRoom(roomId, seenFrom) },
          ...fromOtherRoom(roomId, seenFrom),
        }),
      ),
      doubts: newest(doubts.all(JSON.stringify(targets), JSON.stringify(targets)), (row) => ({
        ...picked(row, "linkId", "label", "kind", "explanation", "at"),
        ...(row.attemptId === null ? {} : { attemptId: row.attemptId }),
        ...(row.answered === null ? {} : { answered: true as const }),
        ...fromOtherRoom(row.saidIn, seenFrom),
        of: placeOf(row.targetId),
        target: {
          versionId: row.targetId,
          kind: row.targetKind,
          label: row.targetLabel,
          ...picked(row, "wording", "status"),
          ...fromOtherRoom(row.roomId, seenFrom),
        },
        author: authorIn(row),
      })),
    }
  }

  return {
    weightOf,
    around,
    /**
     * Returns what a record's fall would put in doubt: records that rest on it, and selected checkpoints that cite it
     * or one of these.
     */
    downstream(versionId: string, seenFrom: string) {
      const resting = evidence.restingOn(versionId, PROBE)
      const cited = citing.all(
        JSON.stringify([versionId, ...resting.slice(0, ITEMS).map((record) => record.versionId)]),
      )
      return {
        restingOnIt: newest(resting, ({ roomId, ...record }) => ({ ...record, ...fromOtherRoom(roomId, seenFrom) })),
        citedIn: newest(cited, ({ versionId: citedId, label, roomId, recordRoomId, ...checkpoint }) => ({
          ...checkpoint,
          cites: { versionId: citedId, label, ...fromOtherRoom(recordRoomId, seenFrom) },
          ...fromOtherRoom(roomId, seenFrom),
        })),
      }
    },
  }
}

// Reads that help to judge a record or a checkpoint.

interface Tables {
  readonly db: Db
  readonly records: Records
  readonly checkpoints: Checkpoints
  readonly judging: Judging
}

/** Checkpoints of which is kept what helps to judge them. */
const KEPT = 8

export function judgingReads({ db, records, checkpoints, judging }: Tables) {
  const kept = new Kept<ReturnType<typeof caseOf>>(db, KEPT)
  function caseOf(checkpointId: string) {
    const found = known("checkpoint", checkpoints.read(checkpointId))
    const { roomId } = found.checkpoint
    const cited = found.citations
      .map((versionId) => records.summary(versionId))
      .filter((record) => record !== undefined)
    return {
      ...picked(found.checkpoint, "checkpointId", "roomId", "threadId", "state"),
      citations: cited.map((record) => ({
        ...picked(
          record,
          "versionId",
          "kind",
          "label",
          "wording",
          "status",
          "author",
          "outcome",
          "evidenceTally",
          "inDoubt",
        ),
        ...fromOtherRoom(record.roomId, roomId),
      })),
      ...judging.around(
        cited.map(({ versionId }) => versionId),
        roomId,
      ),
    }
  }

  return {
    record_case({ params }) {
      const found = known("record", records.summary(params.versionId))
      const { versionId, roomId } = found
      return {
        ...picked(found, "versionId", "kind", "label", "wording", "status", "roomId", "evidenceTally"),
        bearing: present(records.bearingOf(versionId)),
        weight: judging.weightOf(versionId),
        ...judging.around([versionId], roomId),
        ...judging.downstream(versionId, roomId),
      }
    },
    checkpoint_case: ({ params: { checkpointId } }) => kept.of(checkpointId, () => caseOf(checkpointId)),
  } satisfies Partial<Readers>
}

export const domain = {
  tables: [
    ({ db, evidence }: Ground & { evidence: Evidence }) => ({ judging: judging(db, evidence), changed: changed(db) }),
  ],
  reads: [judgingReads],
  brief: [changesInBrief],
} satisfies Domain
