/** The rows of research links: corrections, supersessions, disputes and retractions of exact records. */
import { type Author, writerName } from "../../contract/answers/parts.ts"
import { partInWords, words } from "../../contract/definitions/sentence.ts"
import { pathTo } from "../../contract/reads/index.ts"
import { oneLine, shortened } from "../../contract/text.ts"
import { type BriefItem, type BriefSources, inPlace, itemsOf, type Place } from "../../ledger/domains/brief.ts"
import { quoted, type Step } from "../../ledger/domains/brief.ts"
import type { LinkKind, RecordKind, RecordStatus } from "../../contract/schema/enumerations.ts"
import { JsonText, parse, type Stored } from "../../contract/json.ts"
import type { ResearchLink } from "../../contract/nouns/links.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import { limits } from "../../contract/limits.ts"
import { filteredList, idPage } from "../../ledger/lists/paging.ts"
import { OBJECTION, type Reply, type Reviews } from "../reviews/reviews.ts"
import type { Worries } from "../../ledger/lists/standings.ts"
import {
  ANSWER,
  STANDS,
  WITHDRAWAL,
  WITHDRAWAL_OF_LINK,
  withdrawal,
  type WithdrawalRow,
  WORRIES_AT,
} from "../evidence/words.ts"
import { related, type RelatedRow, standing, type StandingRow } from "../records/records.ts"
import { AGENT, authorIn } from "../../ledger/journal/actor.ts"
import { known } from "../../ledger/write/references.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Doubts } from "../findings/findings.ts"
import type { Experiments } from "../experiments/experiments.ts"
import { authorship, to } from "../export/entities.ts"
import { accepted, type ForExport, linkIdOf, PAGE, paged, type Parts, pathOf } from "../export/parts.ts"
import type { FindingLinks } from "../findings/finding-links.ts"

/** An unanswered dispute of a person's record. */
export interface Disputed {
  readonly linkId: string
  readonly versionId: string
  readonly label: string
  readonly kind: RecordKind
  readonly username: string
  readonly at: string
}

type Answered = NonNullable<ResearchLink["answered"]>

type Target = ResearchLink["target"]
type Row = Pick<
  ResearchLink,
  "linkId" | "kind" | "label" | "roomId" | "threadId" | "entryId" | "at" | "explanation" | "contentDigest"
> &
  StandingRow &
  WithdrawalRow &
  Author & {
    readonly targetId: string
    readonly targetLabel: string
    readonly targetKind: Target["kind"]
    readonly wording: string
    /** The record that replaces the target, without its standing. */
    readonly replacement: Stored<Omit<RelatedRow, keyof StandingRow>> | null
    readonly replacementStatus: RecordStatus | null
    readonly replacementNotices: StandingRow["notices"]
    readonly content: Stored<ResearchLink["content"]>
    readonly answered: Stored<Answered> | null
  }

function shown(row: Row) {
  const { linkId, kind, label, roomId, threadId, entryId, at, explanation, content, contentDigest } = row
  const { targetId, targetLabel, targetKind, wording, replacement, replacementStatus, replacementNotices } = row
  const targetStanding = standing(row)
  return {
    linkId,
    kind,
    label,
    roomId,
    threadId,
    entryId,
    author: authorIn(row),
    at,
    explanation,
    target: { versionId: targetId, label: targetLabel, kind: targetKind, wording, status: targetStanding.status },
    replacement:
      replacement && related({ ...parse(replacement), status: replacementStatus, notices: replacementNotices }, roomId),
    withdrawn: withdrawal(row),
    answered: row.answered === null ? null : parse(row.answered),
    ...targetStanding,
    content: new JsonText(content),
    contentDigest,
  }
}

const SELECT = `
  SELECT l.link_id AS linkId, l.kind, l.label, l.room_id AS roomId, l.thread_id AS threadId, l.entry_id AS entryId,
    l.author_id AS userId, p.username, ${AGENT("l")} AS agent,
    l.at, l.explanation, ${contentOf("l")} AS content, l.content_digest AS contentDigest, r.version_id AS targetId,
    r.label AS targetLabel, r.kind AS targetKind, r.wording,
    s.status, s.notices, CASE WHEN n.version_id IS NOT NULL
        THEN json_object('versionId', n.version_id, 'label', n.label, 'kind', n.kind, 'wording', n.wording, 'roomId',
          n.room_id) END AS replacement,
    m.status AS replacementStatus, m.notices AS replacementNotices, ${WITHDRAWAL}, ${ANSWER} AS answered
  FROM research_links l
  JOIN people p ON p.user_id = l.author_id
  JOIN records r ON r.version_id = l.target_version_id
  LEFT JOIN standings s ON s.version_id = l.target_version_id
  LEFT JOIN records n ON n.version_id = l.replacement_version_id
  LEFT JOIN standings m ON m.version_id = l.replacement_version_id
  ${WITHDRAWAL_OF_LINK}`

export type Links = ReturnType<typeof links>

export function links(db: Db) {
  const one = db.prepare<Row>(`${SELECT} WHERE l.link_id = +?`)
  const standingBy = db.prepare<{
    linkId: string
    label: string
    at: string
    explanation: string
    correction: string | null
    part: string | null
  }>(
    `SELECT l.link_id AS linkId, l.label, l.at, l.explanation, ${contentOf("l")} ->> '$.correction' AS correction,
        ${contentOf("l")} ->> '$.part' AS part FROM research_links l
     WHERE l.target_version_id = +? AND l.kind = +? AND l.author_id = +? AND ${STANDS("l")}
     ORDER BY l.link_id`,
  )
  const disputesOf = db.prepare<Disputed>(
    `SELECT r.version_id AS versionId, r.label, r.kind, l.link_id AS linkId, p.username, l.at
     FROM members m CROSS JOIN research_links l ON l.room_id = m.room_id AND l.target_author_id = m.user_id
        AND l.kind = 'disputes'
     JOIN records r ON r.version_id = l.target_version_id JOIN people p ON p.user_id = l.author_id
     WHERE m.user_id = +? AND ${STANDS("l")} AND ${ANSWER} IS NULL
     ORDER BY l.link_id DESC LIMIT 50`,
  )
  const standingOn = db.prepare<{ kind: LinkKind }>(
    `SELECT DISTINCT l.kind FROM research_links l
     WHERE l.target_version_id = +? AND l.link_id <> +? AND l.changes IS NOT 'wording' AND ${STANDS("l")}`,
  )
  const disputesOn = db.prepare<{ linkId: string; answered: Stored<Answered> }>(
    `SELECT l.link_id AS linkId, ${ANSWER} AS answered FROM research_links l
     WHERE l.target_version_id = +? AND l.kind = 'disputes' AND answered IS NOT NULL
      ORDER BY l.link_id DESC
      LIMIT ${limits.pageItems}`,
  )
  const openDispute = db.prepare<{ linkId: string }>(
    `SELECT l.link_id AS linkId FROM research_links l
     WHERE l.target_version_id = +? AND l.kind = 'disputes' AND ${STANDS("l")} AND ${ANSWER} IS NULL
      ORDER BY l.link_id DESC
      LIMIT 1`,
  )
  const worries = db.prepare<Worries>(
    `SELECT max(${WORRIES_AT}) AS worriedAt,
       max(${WORRIES_AT}) FILTER (WHERE l.kind IN ('supersedes', 'retracts')) AS fallenAt
     FROM research_links l WHERE l.target_version_id = +?`,
  )
  const disputeAt = db.prepare<{ linkId: string; versionId: string }>(
    `SELECT l.link_id AS linkId, l.target_version_id AS versionId FROM timeline_entries e
     JOIN journal j ON j.position = e.history_position JOIN research_links l ON l.link_id = j.target_id
     WHERE e.entry_id = +? AND e.kind = 'assert_dispute' AND l.target_author_id = +?`,
  )
  const reply = inserting(db, "dispute_replies", { onConflict: "DO NOTHING" })
  const supersedes = db.prepare(
    `WITH RECURSIVE later (version_id) AS (
       SELECT +?
      UNION SELECT l.replacement_version_id
      FROM later
      JOIN research_links l ON l.target_version_id = later.version_id AND l.kind = 'supersedes'
         WHERE ${STANDS("l")})
     SELECT 1 FROM later WHERE version_id = +?`,
  )
  const list = filteredList<Row>(
    db,
    SELECT,
    { roomId: "l.room_id", kind: "l.kind", targetAuthorId: "l.target_author_id", agent: AGENT("l") },
    "l.link_id",
  )
  // A record has few links, so this list reads them by record, and not by Room or author.
  const ofTarget = filteredList<Row>(
    db,
    SELECT,
    {
      targetVersionId: "l.target_version_id",
      kind: "l.kind",
      roomId: "+l.room_id",
      targetAuthorId: "+l.target_author_id",
      agent: AGENT("l"),
    },
    "l.link_id",
  )

  return {
    /** Returns up to 50 unanswered disputes of a person's records in the Rooms they belong to, newest first. */
    disputesOf: (authorId: string) => disputesOf.all(authorId),

    insert: inserting(db, "research_links"),
    read(linkId: string) {
      const row = one.get(linkId)
      return row && shown(row)
    },
    /** Returns the links of one kind that a member made to a record and did not withdraw. */
    standingBy: (authorId: string, kind: LinkKind, targetVersionId: string) =>
      standingBy.all(targetVersionId, kind, authorId),
    /** Returns the kinds of the links that a record's status follows from. @param but a link to leave out */
    standingOn: (versionId: string, but = ""): LinkKind[] => standingOn.all(versionId, but).map(({ kind }) => kind),
    /** Returns the newest answered disputes of a record with their answers, by link. */
    answersOn: (versionId: string): ReadonlyMap<string, Answered> =>
      new Map(disputesOn.all(versionId).map(({ linkId, answered }) => [linkId, parse(answered)])),
    /** Returns the newest unanswered dispute of a record. */
    openDispute: (versionId: string): string | null => openDispute.get(versionId)?.linkId ?? null,
    /** Tells when links last put a record in doubt. */
    worries: (versionId: string): Worries => worries.one(versionId),
    /**
     * Records a reply by the author of a disputed record to the dispute's entry. @returns the record; undefined for any
     * other reply
     */
    replied({ to, entryId, authorId, at }: Reply): string | undefined {
      const dispute = disputeAt.get(to, authorId)
      if (dispute !== undefined) reply({ linkId: dispute.linkId, entryId, at })
      return dispute?.versionId
    },
    /** Whether one record replaced another, directly or through others. */
    supersedes: (versionId: string, other: string): boolean => supersedes.get(other, versionId) !== undefined,
    /** Records that a link of any form was withdrawn. */
    withdraw: inserting(db, "link_withdrawals"),
    /** Returns up to `count` links of a Room after an id that match the filters. */
    page: (
      filters: { roomId: string } & {
        readonly [N in "kind" | "targetVersionId" | "targetAuthorId" | "agent"]?: string
      },
      after: string | undefined,
      count: number,
    ) => (filters.targetVersionId === undefined ? list : ofTarget)({ ...filters }, after, count).map(shown),
  }
}

// What the export of a Room has of its links: a file of each.

export function exportedLinks({ links, record: { roomId, baseUrl } }: ForExport & { links: Links }) {
  const describe = ({ linkId, kind, explanation, withdrawn, author, at, target }: ReturnType<typeof shown>) => ({
    members: {
      additionalType: kind,
      description:
        withdrawn === null
          ? explanation
          : `${explanation} (Withdrawn by its author at ${withdrawn.at}, so it no longer counts: ` +
            `${withdrawn.explanation})`,
      creativeWorkStatus: withdrawn === null ? "asserted" : "withdrawn",
      ...authorship("link", linkId, author.userId, at, baseUrl),
      // A link belongs to the Room of its target.
      about: to(pathOf.record(target.label)),
    },
  })
  const rows = () => paged(undefined, (after: string | undefined) => links.page({ roomId }, after, PAGE), linkIdOf)
  return {
    links: {
      files: () =>
        rows().map((row) => {
          const { label, kind, target, content } = row
          return accepted(pathOf.link(label), `${label}: ${kind} ${target.label}`, content.text, () => describe(row))
        }),
    },
  } satisfies Partial<Parts>
}

// The disputes of a brief: those of records, and objections in reviews, that nothing has answered; newest first.

/** A dispute of a record, or an objection in a review. */
interface Dispute extends Omit<BriefItem<"disputes">, "part"> {
  readonly part: string | null
  /** The entry to reply to, for an objection to an object that cannot be corrected. */
  readonly replyTo: string | null
  readonly threadId: string
}

const SIGHT = limits.briefSight

function answerTo({ source, kind, id, label, why, by, threadId, replyTo }: Dispute): Step {
  const reason = `${by} ${source === "dispute" ? "disputes" : "objects to"} it: ${quoted(why)}`
  const step = { what: "answer_dispute", id, label, why: reason, kind } as const
  return replyTo === null
    ? { ...step, operation: "assert_correction", body: { targetVersionId: id } }
    : { ...step, operation: "post_message", body: { threadId, replyToEntryId: replyTo } }
}

export function disputesInBrief({ db }: { readonly db: Db }) {
  // Ordered by the newest dispute that stands, not by the record, because an old record may be disputed today.
  const disputed = inPlace<Dispute>(
    db,
    `SELECT 'dispute' AS source, r.kind, r.version_id AS id, r.label, r.wording AS says, r.thread_id AS threadId,
        NULL AS replyTo, l.explanation AS why, l.link_id AS linkId, p.username AS by, ${AGENT("l")} AS agent,
       ${contentOf("l")} ->> '$.part' AS part
     FROM (SELECT version_id, link_id
       FROM disputed_records d
       WHERE d.{place} = +?
       ORDER BY link_id DESC
       LIMIT ${SIGHT}) d
     JOIN research_links l ON l.link_id = d.link_id
      JOIN records r ON r.version_id = d.version_id
      JOIN people p ON p.user_id = l.author_id
      ORDER BY d.link_id DESC`,
  )
  const objected = inPlace<Dispute>(
    db,
    `${OBJECTION} WHERE v.is_open = 1 AND v.{place} = +? ORDER BY v.link_id DESC LIMIT ${SIGHT}`,
  )
  const unanswered = (place: Place): Dispute[] =>
    [...disputed(place), ...objected(place)].sort((one, other) => (one.linkId < other.linkId ? 1 : -1)).slice(0, SIGHT)

  return {
    disputes: {
      title: "Unanswered disputes and objections",
      line: ({ source, kind, label, says, why, by, agent, part }) =>
        `${label ?? words(kind)}: ` +
        `${says === null ? "" : `${oneLine(says)} `}${source === "dispute" ? "Disputed" : "Objected to"} by ` +
        `${writerName({ username: by, agent })}` +
        `${part === undefined ? "" : ` in ${oneLine(partInWords(part))}`}: ${oneLine(why)}`,
      link: ({ roomId }) => pathTo("room_links", { roomId }, { kind: "disputes" }),
      read(place) {
        const rows = unanswered(place)
        return {
          steps: () => rows.map(answerTo),
          items: () =>
            itemsOf(rows, ({ threadId: _thread, replyTo: _reply, part, says, ...dispute }, most) => ({
              ...dispute,
              ...(part !== null && { part: shortened(part, most) }),
              says: says === null ? null : shortened(says, most),
              why: shortened(dispute.why, most),
            })),
        }
      },
    },
  } satisfies Partial<BriefSources>
}

// Reads of research links, finding links and reviews.

interface Tables {
  readonly rooms: Rooms
  readonly experiments: Experiments
  readonly links: Links
  readonly findingLinks: FindingLinks
  readonly reviews: Reviews
  readonly doubts: Doubts
}

export function linkReads({ rooms, experiments, links, findingLinks, reviews, doubts }: Tables) {
  return {
    room_links({ params, query }) {
      rooms.mustExist(params.roomId)
      return idPage(
        query,
        (after, count) => links.page({ ...query, ...params }, after, count),
        ({ linkId }) => linkId,
      )
    },

    link({ params }) {
      const link = links.read(params.linkId)
      if (link !== undefined) return { ...link, warnings: doubts.ofRecord(link.target.versionId, link.roomId) }
      return known("link", findingLinks.read(params.linkId) ?? reviews.read(params.linkId))
    },

    room_reviews({ params, query }) {
      rooms.mustExist(params.roomId)
      return idPage(
        query,
        (after, count) => reviews.page({ ...query, ...params }, after, count),
        ({ linkId }) => linkId,
      )
    },

    experiment_findings({ params, query }) {
      const { experimentId } = known("experiment", experiments.find(params.experimentId))
      return idPage(
        query,
        (after, count) => findingLinks.ofExperiment(experimentId, after, count),
        ({ linkId }) => linkId,
      )
    },
  } satisfies Partial<Readers>
}
