/** Links from findings to experiments, with their verdicts and their reviewers. */
import type { RecordStatus } from "../../contract/schema/enumerations.ts"
import type { Author } from "../../contract/answers/parts.ts"
import { parse, type Stored } from "../../contract/json.ts"
import type { FindingLink } from "../../contract/nouns/links.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting, type NewRow } from "../../ledger/storage/inserting.ts"
import { filteredList } from "../../ledger/lists/paging.ts"
import { fromOtherRoom, labelledObject } from "../../ledger/lists/labelled.ts"
import { WITHDRAWAL, WITHDRAWAL_OF_LINK, withdrawal, type WithdrawalRow } from "../evidence/words.ts"
import { standingSeenFrom, type StandingRow } from "../records/records.ts"
import { AUTHOR_OF_ENTRY, authorIn } from "../../ledger/journal/actor.ts"

export interface NewFindingLink extends Omit<NewRow<"finding_links">, "versionId" | "towardQuestion"> {
  readonly findingVersionId: string
  readonly towardQuestion: object
  readonly towardHypothesis: readonly {
    readonly versionId: string
    readonly verdict: string
    readonly explanation: string
    readonly part?: string
  }[]
}

type Finding = FindingLink["finding"]
type Row = Omit<
  FindingLink,
  "kind" | "finding" | "author" | "towardQuestion" | "towardHypothesis" | "card" | "reviewedBy" | "withdrawn"
> &
  FindingLink["card"] &
  Author &
  StandingRow &
  WithdrawalRow & {
    readonly versionId: string
    readonly findingLabel: string
    readonly findingKind: Finding["kind"]
    readonly findingRoomId: string
    readonly wording: string
    readonly outcome: Finding["outcome"]
    readonly towardQuestion: Stored<FindingLink["towardQuestion"]>
    readonly towardHypothesis: Stored<FindingLink["towardHypothesis"]>
    readonly reviewedBy: Stored<string[]>
  }

function shown(row: Row) {
  const { linkId, roomId, experimentId, experimentLabel, attemptId, attemptLabel, at, entryId, threadId, replies } = row
  const {
    versionId,
    findingLabel,
    findingKind,
    findingRoomId,
    wording,
    outcome,
    towardQuestion,
    towardHypothesis,
    reviewedBy,
  } = row
  return {
    linkId,
    kind: "finding_link" as const,
    roomId,
    experimentId,
    experimentLabel,
    finding: {
      versionId,
      label: findingLabel,
      kind: findingKind,
      wording,
      outcome,
      ...standingSeenFrom(row, findingRoomId, roomId),
      ...fromOtherRoom(findingRoomId, roomId),
    },
    attemptId,
    attemptLabel,
    author: authorIn(row),
    at,
    // These are short, and parsing them lets the whole link be serialised faster.
    towardQuestion: parse(towardQuestion),
    towardHypothesis: parse(towardHypothesis).map(({ part, ...toward }) => ({
      ...toward,
      ...(part != null && { part }),
    })),
    card: { entryId, threadId },
    replies,
    reviewedBy: parse(reviewedBy),
    withdrawn: withdrawal(row),
  }
}

/** The verdict of a link toward one hypothesis. */
const VERDICT = labelledObject(
  `'versionId', v.version_id, 'label', h.label, 'status', coalesce(g.status, 'current'), 'verdict', v.verdict,
   'explanation', v.explanation, 'part', v.part`,
  "h.room_id",
  "l.room_id",
)

/** A link was reviewed by everybody but its author who replied to its card. */
const SELECT = `
  SELECT l.link_id AS linkId, l.room_id AS roomId, l.thread_id AS threadId, l.entry_id AS entryId,
    l.experiment_id AS experimentId,
    e.label AS experimentLabel, l.version_id AS versionId, r.label AS findingLabel, r.kind AS findingKind, r.wording,
    r.room_id AS findingRoomId, f.outcome, s.status, s.notices,
    l.attempt_id AS attemptId, a.label AS attemptLabel, ${AUTHOR_OF_ENTRY("l.entry_id")},
    l.at, l.toward_question AS towardQuestion,
    ${WITHDRAWAL}, c.reply_count AS replies,
    CASE c.reply_count WHEN 0 THEN '[]' ELSE (SELECT json_group_array(u.username ORDER BY u.username)
      FROM people u
      WHERE u.user_id <> l.author_id AND u.user_id IN
      (SELECT b.person_id
        FROM timeline_entries t
        JOIN journal j ON j.position = t.history_position
        JOIN writers b ON b.writer = j.writer
        WHERE t.reply_to_entry_id = l.entry_id)) END AS reviewedBy,
    (SELECT json_group_array(${VERDICT} ORDER BY v.position)
      FROM finding_verdicts v
      JOIN records h ON h.version_id = v.version_id
      LEFT JOIN standings g ON g.version_id = v.version_id
      WHERE v.link_id = l.link_id) AS towardHypothesis
  FROM finding_links l
  JOIN experiments e ON e.experiment_id = l.experiment_id
  JOIN records r ON r.version_id = l.version_id
  JOIN people p ON p.user_id = l.author_id
  JOIN timeline_entries c ON c.entry_id = l.entry_id
  LEFT JOIN findings f ON f.version_id = l.version_id
  LEFT JOIN standings s ON s.version_id = l.version_id
  LEFT JOIN attempts a ON a.attempt_id = l.attempt_id
  ${WITHDRAWAL_OF_LINK}`

export type FindingLinks = ReturnType<typeof findingLinks>

export function findingLinks(db: Db) {
  const insert = inserting(db, "finding_links")
  const insertVerdict = inserting(db, "finding_verdicts")
  const standingBy = db.prepare<{ linkId: string; verdict: string; toward: string; at: string }>(
    `SELECT l.link_id AS linkId, l.at, l.toward_question ->> '$.verdict' AS verdict,
       (SELECT json_group_array(v.version_id || ' ' || v.verdict || ' ' || coalesce(v.part, '') ORDER BY v.version_id)
         FROM finding_verdicts v
         WHERE v.link_id = l.link_id) AS toward
     FROM finding_links l WHERE l.version_id = +? AND l.experiment_id = +? AND l.author_id = +? AND l.attempt_id IS +?
       AND NOT EXISTS (SELECT 1 FROM link_withdrawals g WHERE g.link_id = l.link_id)
     ORDER BY l.link_id DESC`,
  )
  const one = db.prepare<Row>(`${SELECT} WHERE l.link_id = +?`)
  const list = filteredList<Row>(db, SELECT, { experimentId: "l.experiment_id", roomId: "l.room_id" }, "l.link_id")
  const newestOfRoom = db.prepare<Row>(`${SELECT} WHERE l.room_id = +? ORDER BY l.link_id DESC LIMIT +?`)
  const newestOfThread = db.prepare<Row>(
    `${SELECT} WHERE l.room_id = +? AND l.thread_id = +? ORDER BY l.link_id DESC LIMIT +?`,
  )

  const verdictsOn = db.prepare<{ experimentId: string; verdict: string; status: RecordStatus; withdrawn: number }>(
    `SELECT l.experiment_id AS experimentId, l.toward_question ->> '$.verdict' AS verdict,
        coalesce(s.status, 'current') AS status, g.link_id IS NOT NULL AS withdrawn
     FROM json_each(+?) i
      JOIN finding_links l ON l.experiment_id = i.value
      LEFT JOIN standings s ON s.version_id = l.version_id ${WITHDRAWAL_OF_LINK}
      ORDER BY l.link_id`,
  )

  return {
    insert(link: NewFindingLink): void {
      insert({ ...link, versionId: link.findingVersionId, towardQuestion: JSON.stringify(link.towardQuestion) })
      link.towardHypothesis.forEach(({ versionId, verdict, explanation, part }, position) =>
        insertVerdict({ linkId: link.linkId, versionId, position, verdict, explanation, part }),
      )
    },
    /** Returns an earlier link by the same author with the same verdicts that was not withdrawn. */
    repeated(
      authorId: string,
      {
        findingVersionId,
        experimentId,
        attemptId,
        towardQuestion,
        towardHypothesis,
      }: BodyOf<"link_experiment_finding">,
    ) {
      const toward = JSON.stringify(
        towardHypothesis.map(({ versionId, verdict, part = "" }) => `${versionId} ${verdict} ${part}`).sort(),
      )
      const found = standingBy
        .all(findingVersionId, experimentId, authorId, attemptId ?? null)
        .find((row) => row.verdict === towardQuestion.verdict && row.toward === toward)
      return found && { linkId: found.linkId, at: found.at }
    },
    read(linkId: string) {
      const row = one.get(linkId)
      return row && shown(row)
    },
    /** Returns up to `count` links of an experiment after an id. */
    ofExperiment: (experimentId: string, after: string | undefined, count: number) =>
      list({ experimentId }, after, count).map(shown),
    /** Returns up to `count` links of a Room after an id. */
    ofRoom: (roomId: string, after: string | undefined, count: number) => list({ roomId }, after, count).map(shown),
    /** Returns the verdicts of findings toward the questions of several experiments, oldest first, with one query. */
    verdictsOn: (experimentIds: readonly string[]) =>
      verdictsOn.all(JSON.stringify(experimentIds)).map(({ experimentId, verdict, status, withdrawn }) => ({
        experimentId,
        towardQuestion: { verdict },
        withdrawn: withdrawn === 1 ? {} : null,
        finding: { status },
      })),
    /** Returns the newest links of a Room, newest first. */
    newestOfRoom: (roomId: string, count: number) => newestOfRoom.all(roomId, count).map(shown),
    newestOfThread: (roomId: string, threadId: string, count: number) =>
      newestOfThread.all(roomId, threadId, count).map(shown),
  }
}
