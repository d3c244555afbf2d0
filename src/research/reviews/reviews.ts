/** The rows of reviews of findings, checkpoints and plans, which of them count, and how they are shown. */
import type { Author } from "../../contract/answers/parts.ts"
import { type Review, type Reviewed, reviewedInWords, reviewedSince } from "../../contract/nouns/reviews.ts"
import { each, keysOf } from "../../contract/typed.ts"
import { parse, type Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { objectOf } from "../../contract/objects/objects.ts"
import type { ReviewVerdict } from "../../contract/schema/enumerations.ts"
import { type Actor, AGENT_OR_NONE_AT, authorIn } from "../../ledger/journal/actor.ts"
import { contentOf, derivedId } from "../../ledger/journal/journal.ts"
import { filteredList } from "../../ledger/lists/paging.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting, type NewRow } from "../../ledger/storage/inserting.ts"
import {
  areOtherAgents,
  type Writer,
  answerTo,
  WITHDRAWAL,
  WITHDRAWAL_OF_LINK,
  withdrawal,
  type WithdrawalRow,
} from "../evidence/words.ts"
import { Refusal } from "../../contract/refusals.ts"
import { behaviour, madeBy } from "../../ledger/journal/behaviour.ts"
import { type ForExport, jsonLines, linesOf, linkIdOf, PAGE, paged, type Parts } from "../export/parts.ts"
import type { Domain, Ground } from "../../ledger/domains/domain.ts"

type Kind = Review["target"]["kind"]

/** An object that can be reviewed, with its author. */
export interface Reviewable extends Writer {
  readonly kind: Kind
  readonly id: string
  /** The object in whose tally a review counts. */
  readonly countsFor: string
  readonly label: string | null
  readonly roomId: string
  readonly threadId: string
}

type NewReview = Omit<
  NewRow<"reviews">,
  "targetKind" | "targetId" | "countsFor" | "targetAuthorId" | "agent" | "independent" | "otherAgent"
>

/** An objection to an object, with the objector's name and agent. */
export interface Objected {
  readonly kind: Kind
  readonly id: string
  readonly label: string | null
  readonly username: string
  readonly agent: string | null
  readonly at: string
}

/** SQL for the label, author and one-line text of each kind. */
const targets: {
  readonly [K in Kind]: {
    readonly label: string
    readonly author: string
    readonly says: string
    readonly where: string
    readonly countsFor?: string
  }
} = {
  finding: { label: "x.label", author: "x.author_id", says: "x.wording", where: "x.kind = 'finding'" },
  checkpoint: {
    label: "NULL",
    author: "x.author_id",
    says: `coalesce(x.conclusion, ${contentOf("x")} ->> '$.synthesis')`,
    where: "1",
    countsFor: "x.first_said_id",
  },
  plan: {
    label: "x.label",
    author: "x.accepted_by",
    says: `(SELECT coalesce(h.content ->> '$.protocol.summary', 'a sealed plan')
      FROM journal h
      WHERE h.position = coalesce(x.opened_position, x.history_position))`,
    where: "1",
  },
}
const kinds = keysOf(targets)

/** SQL for the tally of an object's reviews, as JSON; null if nobody else reviewed it. @param id SQL for its id */
export const REVIEWED = (id: string): string => `(SELECT o.reviewed FROM review_tallies o WHERE o.target_id = ${id})`
/** Returns the tally in a row as a sentence. @param checkpointId the checkpoint that it is the tally of */
export const reviewedSentence = (tally: Stored<Reviewed> | null, checkpointId?: string): string => {
  const reviewed = tally && parse(tally)
  return reviewedInWords(checkpointId === undefined ? reviewed : reviewedSince(reviewed, checkpointId))
}

type Row = Omit<
  Review,
  "kind" | "target" | "author" | "independence" | "checked" | "counts" | "withdrawn" | "answered"
> &
  Author &
  WithdrawalRow & {
    readonly targetKind: Kind
    readonly targetId: string
    readonly label: string | null
    readonly says: string | null
    readonly independent: number
    readonly otherAgent: number | null
    readonly checked: Stored<Review["checked"]>
    readonly counts: number
    readonly answered: Stored<NonNullable<Review["answered"]>> | null
  }

const shown = (row: Row): Review => ({
  linkId: row.linkId,
  kind: "review",
  roomId: row.roomId,
  threadId: row.threadId,
  entryId: row.entryId,
  target: { kind: row.targetKind, id: row.targetId, label: row.label, says: row.says },
  author: authorIn(row),
  independence: { person: row.independent === 1, agent: row.otherAgent === null ? null : row.otherAgent === 1 },
  at: row.at,
  verdict: row.verdict,
  checked: parse(row.checked),
  explanation: row.explanation,
  counts: row.counts === 1,
  withdrawn: withdrawal(row),
  answered: row.answered === null ? null : parse(row.answered),
  contentDigest: row.contentDigest,
})

const ofTarget = (member: "label" | "says"): string =>
  `CASE v.target_kind ${kinds
    .map(
      (kind) =>
        `WHEN '${kind}' THEN (SELECT ${targets[kind][member]}
          FROM ${objectOf(kind).table} x
          WHERE x.${objectOf(kind).key} = v.target_id)`,
    )
    .join(" ")} END`
const SELECT = `SELECT v.link_id AS linkId, v.room_id AS roomId, v.thread_id AS threadId, v.entry_id AS entryId,
    v.target_kind AS targetKind, v.target_id AS targetId,
    ${ofTarget("label")} AS label, ${ofTarget("says")} AS says, v.author_id AS userId, p.username,
    nullif(v.agent, '') AS agent, v.independent, v.other_agent AS otherAgent, v.at, v.verdict,
    ${contentOf("v")} -> '$.checked' AS checked, ${contentOf("v")} ->> '$.explanation' AS explanation,
    v.content_digest AS contentDigest,
    EXISTS (SELECT 1 FROM counting_reviews c WHERE c.link_id = v.link_id) AS counts, ${WITHDRAWAL},
    CASE v.verdict WHEN 'objects' THEN ${answerTo("v", "v.target_id")} END AS answered
  FROM reviews v JOIN people p ON p.user_id = v.author_id ${WITHDRAWAL_OF_LINK.replace("l.link_id", "v.link_id")}`

/** Selects objections `v` with the columns that a brief lists. */
export const OBJECTION = `SELECT 'review' AS source, v.target_kind AS kind, v.target_id AS id,
    ${ofTarget("label")} AS label, ${ofTarget("says")} AS says, v.thread_id AS threadId,
    iif(v.target_kind = 'finding', NULL, v.entry_id) AS replyTo, ${contentOf("v")} ->> '$.explanation' AS why,
    v.link_id AS linkId, p.username AS by, nullif(v.agent, '') AS agent, NULL AS part
  FROM reviews v JOIN people p ON p.user_id = v.author_id`

/** A message that replies to an entry. */
export interface Reply {
  readonly to: string
  readonly entryId: string
  readonly authorId: string
  readonly at: string
}

export type Reviews = ReturnType<typeof reviews>

export function reviews(db: Db) {
  const insert = inserting(db, "reviews")
  const found = each(kinds, (kind) => {
    const { table, key, room } = objectOf(kind)
    const { label, author, where, countsFor = `x.${key}` } = targets[kind]
    return db.prepare<Reviewable>(
      `SELECT '${kind}' AS kind, x.${key} AS id, ${countsFor} AS countsFor, ${label} AS label, x.${room} AS roomId,
          x.thread_id AS threadId, ${author} AS authorId,
         ${AGENT_OR_NONE_AT("x.history_position")} AS agent FROM ${table} x WHERE x.${key} = +? AND ${where}`,
    )
  })
  const one = db.prepare<Row>(`${SELECT} WHERE v.link_id = +?`)
  const newest = db.prepare<Row>(
    `${SELECT} WHERE v.target_id = +? ORDER BY v.link_id DESC LIMIT ${limits.shownReviews}`,
  )
  const own = db.prepare<Pick<Row, "linkId" | "verdict" | "checked" | "explanation" | "at">>(
    `SELECT v.link_id AS linkId, v.verdict, ${contentOf("v")} -> '$.checked' AS checked,
        ${contentOf("v")} ->> '$.explanation' AS explanation, v.at
     FROM counting_reviews v WHERE v.counts_for = +? AND v.author_id = +? AND v.agent = +?`,
  )
  const objection = db.prepare<{ linkId: string }>(
    `SELECT v.link_id AS linkId
      FROM reviews v
      WHERE v.entry_id = +? AND v.target_author_id = +? AND v.verdict = 'objects'`,
  )
  const against = db.prepare<Objected>(
    `SELECT v.target_kind AS kind, v.target_id AS id, ${ofTarget("label")} AS label, p.username,
        nullif(v.agent, '') AS agent, v.at
     FROM reviews v
      JOIN people p ON p.user_id = v.author_id
      WHERE v.target_author_id = +? AND v.is_open = 1
      ORDER BY v.link_id DESC
      LIMIT ${limits.pageItems}`,
  )
  const reply = inserting(db, "dispute_replies", { onConflict: "DO NOTHING" })
  const list = filteredList<Row>(
    db,
    SELECT,
    { target: "v.target_id", roomId: "v.room_id", verdict: "v.verdict", agent: "nullif(v.agent, '')" },
    "v.link_id",
  )

  return {
    /** Returns the object with an id, if it can be reviewed. */
    object: (id: string): Reviewable | undefined =>
      kinds.map((kind) => found[kind].get(id)).find((each) => each !== undefined),
    /** Whether an actor is another agent than the author; null if unknown. */
    isOther: ({ userId, agent }: Actor, target: Reviewable): boolean | null =>
      areOtherAgents([{ authorId: userId, agent: agent ?? null }], target),

    insert(made: NewReview, actor: Actor, target: Reviewable): void {
      const other = this.isOther(actor, target)
      insert({
        ...made,
        targetKind: target.kind,
        targetId: target.id,
        countsFor: target.countsFor,
        targetAuthorId: target.authorId,
        agent: actor.agent ?? "",
        independent: actor.userId === target.authorId ? 0 : 1,
        otherAgent: other === null ? null : Number(other),
      })
    },
    read(linkId: string): Review | undefined {
      const row = one.get(linkId)
      return row && shown(row)
    },
    /** Returns the newest reviews of an object, newest first, whether they count or not. */
    of: (targetId: string): Review[] => newest.all(targetId).map(shown),
    /** Returns the review of an agent that counts; earlier ones of the same agent do not. */
    ofAgent(countsFor: string, { userId, agent = "" }: Actor) {
      const row = own.get(countsFor, userId, agent)
      return row && { ...row, checked: parse(row.checked) }
    },
    /** Returns the newest unanswered objections to a person's objects, newest first. */
    objectionsTo: (authorId: string): Objected[] => against.all(authorId),
    /** Records that the author of an object replied to an objection to it. */
    replied({ to, entryId, authorId, at }: Reply): void {
      const objected = objection.get(to, authorId)
      if (objected !== undefined) reply({ linkId: objected.linkId, entryId, at })
    },
    /** Returns up to `count` reviews of a Room after an id that match the filters. */
    page: (
      filters: { roomId: string; target?: string; verdict?: ReviewVerdict; agent?: string },
      after: string | undefined,
      count: number,
    ): Review[] => list({ ...filters }, after, count).map(shown),
  }
}

// The behaviour that submits a review. It never changes the reviewed object.

export function reviewOperations({ reviews }: { reviews: Reviews }) {
  const submit_review = behaviour("submit_review", {
    subject({ body: { target } }) {
      const found = reviews.object(target)
      if (found === undefined)
        throw new Refusal("unknown_record", "There is no finding, checkpoint or plan with this id.")
      return { roomId: found.roomId, threadId: found.threadId, found }
    },
    admit({ actor, body }, { found }) {
      if (reviews.isOther(actor, found) !== true)
        throw new Refusal(
          "role_required",
          "You wrote this yourself. Another person, or another agent of yours, must review it.",
          {
            current: { needed: ["reviewer"] },
          },
        )
      const before = reviews.ofAgent(found.countsFor, actor)
      const isSame =
        before !== undefined &&
        before.verdict === body.verdict &&
        before.explanation === body.explanation &&
        before.checked.toSorted().join() === body.checked.toSorted().join()
      if (isSame)
        throw new Refusal("link_exists", "You already submitted exactly this review.", {
          current: { linkId: before.linkId, kind: "review", target: found.id, verdict: before.verdict, at: before.at },
        })
    },
    write(call, { found }, change) {
      const { verdict } = call.body
      const linkId = derivedId(change.entryId, "review")
      reviews.insert({ ...madeBy(call, found, change), linkId, verdict }, call.actor, found)
      const { kind, id, label } = found
      return { target: { kind, id, label }, targetId: linkId, result: { linkId, verdict, label: null } }
    },
  })

  return { submit_review }
}

/** The export of a Room has a line for each review. */
const exportedReviews = ({ reviews, record: { roomId, atHome } }: ForExport & { reviews: Reviews }) =>
  ({
    reviews: {
      *files() {
        const rows = paged(undefined, (after: string | undefined) => reviews.page({ roomId }, after, PAGE), linkIdOf)
        yield jsonLines(
          "reviews.jsonl",
          "Reviews",
          "Reviews of findings, checkpoints and plans by other people.",
          linesOf(rows).map(atHome),
        )
      },
    },
  }) satisfies Partial<Parts>

export const domain = {
  tables: [({ db }: Ground) => ({ reviews: reviews(db) })],
  operations: [reviewOperations],
  exported: [exportedReviews],
} satisfies Domain
