/**
 * The candidates for a brief, most important first. The order of each list:
 * - where it stands: the opening Thread, then conclusions, then open syntheses, newest first;
 * - hypotheses: contested ones (disputed, or with evidence for and against), then those with evidence, then the rest,
 * newest first;
 * - findings that have not fallen, failures, disputes and objections, open questions: newest first;
 * - work: held but silent, then held, then open, oldest first, because it has waited longest;
 * - messages: newest first.
 * At most `limits.briefSight` items of each list are read, each from an index, and all are counted.
 */
import { FALLEN, type EvidenceTally, type KnownThen, type StaleReason } from "../../contract/answers/evidence.ts"
import { parse, type Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { AGENT, AGENT_AT } from "../../ledger/journal/actor.ts"
import { HOLDING, type Terms } from "../experiments/holders.ts"
import { idOf, placeOf } from "../../ledger/journal/columns.ts"
import type { BriefList } from "../../contract/answers/overview.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import { STALE, STALE_REASONS } from "../../threads/threads.ts"
import { WHY_FAILED } from "../attempts/summary.ts"
import { BLEMISHES, type StoredBlemishes } from "../findings/findings.ts"
import { BEARING, IN_DOUBT, VERDICT_FROM, type VerdictFrom } from "../evidence/verdict.ts"
import { KNOWN_THEN } from "../checkpoints/checkpoints.ts"
import { OBJECTION, REVIEWED } from "../reviews/reviews.ts"
import { TALLY, TALLY_OF } from "../evidence/words.ts"
import type { Protocol } from "../../contract/definitions/work.ts"
import type { Reviewed } from "../../contract/answers/reviews.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import type { StoredTable } from "../measurements/kept-tables.ts"

// The rows of the candidates: members of the items of a brief, and columns that the choice depends on.

/** The subject of a brief: a Room, or one of its Threads. */
export interface Place {
  readonly roomId: string
  readonly threadId?: string
}

type Item<L extends BriefList> = Readonly<AnswerOf<"room_brief">[L][number]>

type Worked = "table" | "stale" | "staleReasons" | "knownThen" | "reviewed" | "numbers" | "numbersCheck"
export interface Stand extends Omit<Item<"stands">, Worked> {
  readonly stale: number
  readonly answer: string | null
  readonly keptTable: StoredTable | null
  readonly knownThen: Stored<KnownThen[]>
  readonly staleReasons: Stored<StaleReason[]>
  readonly reviewed: Stored<Reviewed> | null
  readonly timelineWatermark: number
}
type Message = Item<"messages">
export interface Hypothesis extends Omit<Item<"hypotheses">, "verdictBy" | "evidence" | "inDoubt"> {
  readonly verdictBy: VerdictFrom
  readonly evidence: Stored<EvidenceTally>
  readonly rank: number
  readonly threadId: string
  readonly inDoubt: number
  /** Whether an experiment that is not cancelled addresses it. */
  readonly isAddressed: number
}
export interface Finding
  extends Omit<Item<"findings">, "evidence" | "inDoubt" | "reviewed" | "blemishes" | "effects" | "omittedEffects"> {
  readonly evidence: Stored<EvidenceTally>
  readonly inDoubt: number
  readonly reviewed: Stored<Reviewed> | null
  readonly blemishes: StoredBlemishes
  readonly experimentId: string | null
  readonly threadId: string
  /** Whether a reproduction of it has a verdict or is running. */
  readonly isRepeated: number
}
/** A failure, with its sequence in the Room and the Thread of the object that failed. */
export interface Failure extends Item<"failures"> {
  readonly sequence: number
  readonly threadId: string
}
/** A dispute of a record, or an objection in a review. */
export interface Dispute extends Omit<Item<"disputes">, "part"> {
  readonly part: string | null
  /** The entry to reply to, for an objection to an object that cannot be corrected. */
  readonly replyTo: string | null
  readonly threadId: string
}
export interface Work extends Terms, Pick<Item<"work">, "experimentId" | "label" | "question" | "assignee" | "agent"> {
  readonly status: "open" | "claimed" | "in_progress"
  readonly revision: number
  readonly lastSign: string
}
export interface Running {
  readonly attemptId: string
  readonly label: string
  readonly status: "registered" | "started"
  readonly revision: number
  readonly registrant: string
  readonly updatedAt: string
}
/** A sealed plan that has not been opened. */
export interface SealedPlan {
  readonly planId: string
  readonly label: string
  readonly acceptor: string
  readonly opensAt: string
}
/** An experiment whose attempts have ended and that no finding names. */
export interface Unwritten {
  readonly experimentId: string
  readonly label: string
  readonly threadId: string
  readonly question: string
}
/** An experiment whose arms are being run: how often each succeeded, and the protocol of its newest plan. */
export interface Compared {
  readonly experimentId: string
  readonly label: string
  readonly status: string
  readonly revision: number
  readonly ran: Stored<readonly { readonly arm: string; readonly runs: number; readonly attemptId: string }[]>
  readonly planId: string | null
  readonly protocol: Stored<Protocol> | null
  /** Whether its values stand for several seeds. */
  readonly isSeeded: number
}
/** The total number of items of each list that is counted at each write. */
type Counts = Record<Exclude<BriefList, "claims" | "next">, number>

const SIGHT = limits.briefSight
/** Values of an experiment among which a seed is looked for. */
const SEEDS = 100
/** Threads with a checkpoint, the newest checkpoint first. */
const SELECTED = (place: string): string =>
  `SELECT t.thread_id, t.selected_checkpoint_id
    FROM threads t
    WHERE t.selected_checkpoint_id IS NOT NULL AND ${place}
    ORDER BY t.selected_checkpoint_id DESC`
/** The opening Thread of the Room, however old its checkpoint is. */
const OPENING = (place: string): string =>
  `SELECT o.opening_thread_id FROM rooms o WHERE o.room_id = (SELECT t.room_id FROM threads t WHERE ${place} LIMIT 1)
      AND EXISTS (SELECT 1 FROM threads t WHERE t.thread_id = o.opening_thread_id AND ${place})`

export type Candidates = ReturnType<typeof candidates>

/** Everything that a brief chooses from. */
export type Gathered = {
  readonly [L in Exclude<BriefList, "claims" | "next" | "changed">]: ReturnType<Candidates[L]>
}
/** The candidates from which next steps are derived. */
export type Leads = Omit<Gathered, "failures" | "messages">

export function candidates(db: Db) {
  /**
   * Prepares a query for a Room and for a Thread. Each `?` is the id of one of them. @param table the table whose
   * columns hold it
   */
  function both<Row>(table: string, sql: (place: string) => string) {
    const prepared = (place: string) => {
      const text = sql(place)
      const statement = db.prepare<Row>(text)
      const times = text.split(place).length - 1
      return (id: string): Row[] => statement.all(...Array<string>(times).fill(id))
    }
    const [room, thread] = [prepared(`${table}.room_id = +?`), prepared(`${table}.thread_id = +?`)]
    return ({ roomId, threadId }: Place): Row[] => (threadId === undefined ? room(roomId) : thread(threadId))
  }

  const stands = both<Stand>(
    "t",
    (place) => `SELECT t.thread_id AS threadId, t.title, c.checkpoint_id AS checkpointId, c.state,
       p.username AS by, ${AGENT("c")} AS agent, c.at,
        coalesce(c.conclusion, ${contentOf("c")} ->> '$.synthesis') AS says,
       ${contentOf("c")} ->> '$.answer' AS answer, c.kept_table AS keptTable, ${STALE} AS stale,
        ${STALE_REASONS} AS staleReasons,
       ${KNOWN_THEN} AS knownThen, ${REVIEWED("c.first_said_id")} AS reviewed,
       coalesce((SELECT h.timeline_sequence FROM thread_heads h WHERE h.thread_id = t.thread_id),
         0) AS timelineWatermark
     FROM threads t
      JOIN checkpoints c ON c.checkpoint_id = t.selected_checkpoint_id
      JOIN people p ON p.user_id = c.author_id
      JOIN rooms r ON r.room_id = t.room_id
     WHERE t.thread_id IN (SELECT thread_id FROM (${SELECTED(place)} LIMIT ${SIGHT}) UNION ${OPENING(place)})
     ORDER BY t.thread_id = r.opening_thread_id DESC, c.state, c.checkpoint_id DESC`,
  )
  const HYPOTHESIS = `SELECT r.version_id AS versionId, r.label, r.wording AS says, ${BEARING} AS verdict,
      ${VERDICT_FROM} AS verdictBy, coalesce(s.status, 'current') AS status, ${TALLY} AS evidence,
       ${IN_DOUBT("r.version_id")} AS inDoubt, coalesce(k.rank, 0) AS rank, r.thread_id AS threadId,
       EXISTS (SELECT 1 FROM record_uses u JOIN experiments e ON e.experiment_id = u.by_id
         WHERE u.target_id = r.version_id AND u.how = 'addressed' AND e.status <> 'cancelled') AS isAddressed
     FROM records r
    LEFT JOIN hypothesis_ranks k ON k.version_id = r.version_id
    LEFT JOIN standings s ON s.version_id = r.version_id ${TALLY_OF("r.version_id")}`
  const ranked = both<Hypothesis>(
    "w",
    (place) => `${HYPOTHESIS} WHERE r.version_id IN (SELECT w.version_id
      FROM hypothesis_ranks w
      WHERE ${place} AND w.rank > 0
      ORDER BY w.rank DESC, w.version_id DESC
      LIMIT ${SIGHT})
       ORDER BY rank DESC, r.version_id DESC`,
  )
  const newest = both<Hypothesis>(
    "r",
    (place) => `${HYPOTHESIS} WHERE ${place} AND r.kind = 'hypothesis' ORDER BY r.version_id DESC LIMIT ${SIGHT}`,
  )
  const FAILURE = `SELECT f.sequence, f.kind, f.id, f.at, coalesce(a.label, l.label) AS label, f.thread_id AS threadId,
       CASE f.kind WHEN 'attempt_failed' THEN ${WHY_FAILED} WHEN 'attempt_diverged' THEN f.detail
         WHEN 'retraction' THEN t.label || ' was retracted: ' || l.explanation END AS why,
       p.username AS by, ${AGENT_AT("coalesce(a.history_position, l.history_position)")} AS agent
     FROM room_failures f
     LEFT JOIN attempts a ON f.kind IN ('attempt_failed', 'attempt_diverged') AND a.attempt_id = f.id
     LEFT JOIN research_links l ON f.kind = 'retraction' AND l.link_id = f.id
     LEFT JOIN records t ON t.version_id = l.target_version_id
     JOIN people p ON p.user_id = coalesce(a.registrant_id, l.author_id)`
  const failuresBefore = db.prepare<Failure>(
    `${FAILURE} WHERE f.room_id = +? AND f.sequence < +? ORDER BY f.sequence DESC LIMIT +?`,
  )
  const failures = both<Failure>("f", (place) => `${FAILURE} WHERE ${place} ORDER BY f.sequence DESC LIMIT ${SIGHT}`)
  // Ordered by the newest dispute that stands, not by the record, because an old record may be disputed today.
  const disputed = both<Dispute>(
    "d",
    (
      place,
    ) => `SELECT 'dispute' AS source, r.kind, r.version_id AS id, r.label, r.wording AS says, r.thread_id AS threadId,
        NULL AS replyTo, l.explanation AS why, l.link_id AS linkId, p.username AS by, ${AGENT("l")} AS agent,
       ${contentOf("l")} ->> '$.part' AS part
     FROM (SELECT version_id, link_id FROM disputed_records d WHERE ${place} ORDER BY link_id DESC LIMIT ${SIGHT}) d
     JOIN research_links l ON l.link_id = d.link_id
      JOIN records r ON r.version_id = d.version_id
      JOIN people p ON p.user_id = l.author_id
      ORDER BY d.link_id DESC`,
  )
  const objected = both<Dispute>(
    "v",
    (place) => `${OBJECTION} WHERE v.is_open = 1 AND ${place} ORDER BY v.link_id DESC LIMIT ${SIGHT}`,
  )
  const disputes = (place: Place): Dispute[] =>
    [...disputed(place), ...objected(place)].sort((one, other) => (one.linkId < other.linkId ? 1 : -1)).slice(0, SIGHT)
  // One query for each status, from its index. A single sorted query would read all live experiments of a Room.
  const LIVE = (place: string) =>
    ["in_progress", "claimed", "open"]
      .map(
        (status) =>
          `SELECT experiment_id FROM (SELECT e.experiment_id
            FROM experiments e
            WHERE e.status = '${status}' AND e.status IN ('open', 'claimed', 'in_progress') AND ${place}
            ORDER BY e.experiment_id
            LIMIT ${SIGHT})`,
      )
      .join(" UNION ALL ")
  const work = both<Work>(
    "e",
    (
      place,
    ) => `SELECT e.experiment_id AS experimentId, e.label, e.question, e.status, e.revision, p.username AS assignee,
        ${HOLDING},
       max(e.updated_at, coalesce((SELECT max(a.updated_at) FROM attempts a WHERE a.experiment_id = e.experiment_id),
         '')) AS lastSign
     FROM experiments e LEFT JOIN people p ON p.user_id = e.assignee_id
     WHERE e.experiment_id IN (${LIVE(place)}) ORDER BY e.status = 'open', e.experiment_id LIMIT ${SIGHT}`,
  )
  const running = both<Running>(
    "a",
    (place) => `SELECT a.attempt_id AS attemptId, a.label, a.status, a.revision, p.username AS registrant,
        a.updated_at AS updatedAt
     FROM attempts a
      JOIN people p ON p.user_id = a.registrant_id
      WHERE a.status IN ('registered', 'started') AND ${place}
      ORDER BY a.history_position
      LIMIT ${SIGHT}`,
  )
  const sealed = both<SealedPlan>(
    "n",
    (place) => `SELECT n.plan_id AS planId, n.label, p.username AS acceptor, n.opens_at AS opensAt
     FROM plans n
      JOIN people p ON p.user_id = n.accepted_by
      WHERE n.opens_at IS NOT NULL AND n.opened_position IS NULL AND ${place}
      ORDER BY n.opens_at
      LIMIT ${SIGHT}`,
  )
  const compared = both<Compared>(
    "e",
    (place) => `SELECT e.experiment_id AS experimentId, e.label, e.status, e.revision, n.plan_id AS planId,
       ${contentOf("n")} -> '$.protocol' AS protocol,
       (SELECT json_group_array(json_object('arm', g.arm, 'runs', g.runs, 'attemptId', g.attempt_id))
         FROM (SELECT a.plan_match ->> '$.argvComparedWith' AS arm, count(*) AS runs,
             min(a.attempt_id) AS attempt_id
           FROM attempts a
           WHERE a.experiment_id = e.experiment_id AND a.status = 'succeeded'
           GROUP BY arm
           HAVING arm IS NOT NULL
           ORDER BY min(a.attempt_id)
           LIMIT ${limits.protocolArms}) g) AS ran,
       EXISTS (SELECT 1
         FROM (SELECT l.dimensions_id
           FROM attempts a
           JOIN attempt_last_metrics l ON l.attempt_id = a.attempt_id
           WHERE a.experiment_id = e.experiment_id
           LIMIT ${SEEDS}) l
         JOIN dimension_sets s USING (dimensions_id)
         WHERE s.dimensions ->> '$.seed' IS NOT NULL) AS isSeeded
     FROM experiments e
     LEFT JOIN plans n ON n.plan_id = (SELECT p.plan_id
       FROM plans p
       WHERE p.experiment_id = e.experiment_id
       ORDER BY p.plan_id DESC
       LIMIT 1)
     WHERE e.experiment_id IN (${LIVE(place)}) AND e.status <> 'open'
     ORDER BY e.experiment_id`,
  )
  const unwritten = both<Unwritten>(
    "e",
    (place) => `SELECT e.experiment_id AS experimentId, e.label, e.thread_id AS threadId, e.question FROM experiments e
     WHERE ${place} AND e.status IN ('claimed', 'in_progress', 'completed')
       AND EXISTS (SELECT 1 FROM attempts a WHERE a.experiment_id = e.experiment_id
         AND a.status IN ('succeeded', 'failed') AND a.intent <> 'reproduction')
       AND NOT EXISTS (SELECT 1 FROM attempt_counts c WHERE c.experiment_id = e.experiment_id
         AND c.status IN ('registered', 'started') AND c.attempts > 0)
       AND NOT EXISTS (SELECT 1 FROM findings f WHERE f.experiment_id = e.experiment_id)
     ORDER BY e.experiment_id DESC LIMIT ${SIGHT}`,
  )
  const findings = both<Finding>(
    "r",
    (place) => `SELECT r.version_id AS versionId, r.label, f.outcome, r.wording AS says,
        coalesce(s.status, 'current') AS status, ${TALLY} AS evidence,
       ${IN_DOUBT("r.version_id")} AS inDoubt, ${REVIEWED("r.version_id")} AS reviewed,
       ${BLEMISHES} AS blemishes, p.username AS by, ${AGENT("r")} AS agent, f.experiment_id AS experimentId,
        r.thread_id AS threadId,
       EXISTS (SELECT 1
         FROM evidence_words w
         LEFT JOIN attempts a ON a.attempt_id = w.source_id
         WHERE w.target_id = r.version_id AND w.source = 'reproduction'
         AND w.other_agent IS NOT 0 AND (w.verdict IS NOT NULL OR a.status IN ('registered', 'started'))) AS isRepeated
     FROM records r
      JOIN findings f ON f.version_id = r.version_id
      JOIN people p ON p.user_id = r.author_id
      LEFT JOIN standings s ON s.version_id = r.version_id ${TALLY_OF("r.version_id")}
     WHERE r.kind = 'finding' AND ${place} AND coalesce(NOT ${FALLEN("s.status")}, 1)
      ORDER BY r.version_id DESC
      LIMIT ${SIGHT}`,
  )
  // Only the newest experiments are read.
  const beingAsked = db.prepare<{ question: string }>(
    `SELECT question FROM (SELECT question, status
      FROM experiments
      WHERE room_id = +?
      ORDER BY experiment_id DESC
      LIMIT ${SIGHT})
     WHERE status <> 'cancelled' AND question IN (SELECT value FROM json_each(+?))`,
  )
  const selectedQuestions = both<{ readonly questions: Stored<string[]>; readonly threadId: string }>(
    "t",
    (place) => `SELECT c.open_questions AS questions, s.thread_id AS threadId
      FROM (${SELECTED(place)} LIMIT ${limits.briefThreads}) s
      JOIN checkpoints c ON c.checkpoint_id = s.selected_checkpoint_id
     WHERE c.open_questions <> '[]' ORDER BY s.selected_checkpoint_id DESC LIMIT ${SIGHT}`,
  )
  const MESSAGE = `SELECT e.entry_id AS entryId, ${idOf("e.thread")} AS threadId,
      coalesce(j.content ->> '$.text', j.content ->> '$.message') AS says,
      p.username AS by, nullif(w.agent, '') AS agent, j.at`
  const WRITER = "JOIN writers w ON w.writer = j.writer JOIN people p ON p.user_id = w.person_id"
  const messagesOfRoom = db.prepare<Message>(
    `${MESSAGE} FROM journal j
      JOIN timeline_entries e ON e.thread = j.thread AND e.sequence = j.entry_sequence ${WRITER}
     WHERE j.room = ${placeOf("+?")} AND j.operation = 'post_message'
     ORDER BY j.room_sequence DESC LIMIT ${limits.briefMessages}`,
  )
  const messagesOfThread = db.prepare<Message>(
    `${MESSAGE} FROM timeline_entries e
      JOIN journal j ON j.position = e.history_position ${WRITER}
     WHERE e.thread = ${placeOf("+?")} AND e.kind = 'message'
     ORDER BY e.sequence DESC LIMIT ${limits.briefMessages}`,
  )
  const messages = ({ roomId, threadId }: Place): Message[] =>
    threadId === undefined ? messagesOfRoom.all(roomId) : messagesOfThread.all(threadId)
  const counts = db.prepare<Counts>(
    `SELECT stands, hypotheses, findings, failures, disputes, work, open_questions AS openQuestions
      FROM brief_counts
      WHERE place_id = +?`,
  )

  return {
    stands,
    /** The ranked hypotheses, then the newest of the others. */
    hypotheses: (place: Place): Hypothesis[] => [...ranked(place), ...newest(place).filter(({ rank }) => rank === 0)],
    failures,
    /** Up to `count` failures of a Room before a sequence, newest first. */
    failuresBefore: (roomId: string, before = Number.MAX_SAFE_INTEGER, count: number): Failure[] =>
      failuresBefore.all(roomId, before, count),
    disputes,
    work,
    running,
    /** Sealed plans that have not been opened, ordered by their due time. */
    sealed,
    /** The experiments that are held, with how often each arm of theirs ran. */
    compared,
    /**
     * The experiments whose attempts have ended and that no finding names, newest first. Reproductions speak for what
     * they reproduce, and need no finding.
     */
    unwritten,
    findings,
    messages,
    /** The questions that an experiment of the Room already asks. Cancelled experiments do not count. */
    beingAsked: (roomId: string, questions: readonly string[]): ReadonlySet<string> =>
      new Set(beingAsked.all(roomId, JSON.stringify(questions)).map(({ question }) => question)),
    openQuestions: (place: Place) =>
      selectedQuestions(place).flatMap(({ questions, threadId }) =>
        parse(questions).map((question) => ({ question, threadId })),
      ),
    gather(place: Place): Gathered {
      return { ...this.gatherLeads(place), failures: failures(place), messages: messages(place) }
    },
    gatherLeads(place: Place): Leads {
      const { stands, hypotheses, findings, disputes, work, openQuestions } = this
      return {
        stands: stands(place),
        hypotheses: hypotheses(place),
        findings: findings(place),
        disputes: disputes(place),
        work: work(place),
        openQuestions: openQuestions(place),
      }
    },
    counts: ({ roomId, threadId = roomId }: Place): Partial<Counts> => counts.get(threadId) ?? {},
  }
}
