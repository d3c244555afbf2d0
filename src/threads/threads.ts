/** Threads: their rows and summaries, the behaviours that start them and post messages, and their reads. */
import { limits } from "../contract/limits.ts"
import { placeOf, idOf } from "../ledger/journal/columns.ts"
import type { ThreadSummary } from "../contract/nouns/threads.ts"
import type { Db } from "../ledger/storage/database.ts"
import { AGENT_OF_THREAD } from "../ledger/journal/actor.ts"
import { inserting } from "../ledger/storage/inserting.ts"
import { noSuch } from "../ledger/write/references.ts"
import { Refusal } from "../contract/refusals.ts"
import { behaviour } from "../ledger/journal/behaviour.ts"
import { derivedId } from "../ledger/journal/journal.ts"
import { mustNotRepeat } from "../ledger/journal/withheld-words.ts"
import type { Timeline } from "../ledger/journal/timeline.ts"
import type { Withheld } from "../ledger/journal/withheld.ts"
import { type EntryFilter, entryFiltersOf } from "../contract/reads/activity.ts"
import { feedOf, feedPage, mustNotBeAhead, pageSize } from "../ledger/lists/paging.ts"
import type { Readers } from "../ledger/reads/reading.ts"
import { isoTime, type World } from "../ledger/world.ts"
import type { Rooms } from "../rooms/rooms.ts"
import { type BriefItem, type BriefSources, itemsOf } from "../ledger/domains/brief.ts"
import type { Domain, Ground } from "../ledger/domains/domain.ts"
import { writerName } from "../contract/answers/parts.ts"
import { pathTo } from "../contract/reads/index.ts"
import { oneLine, shortened } from "../contract/text.ts"

// SQL that tells whether a checkpoint is stale, and why (protocol, section 8).

/** The publications `x` that a checkpoint `c` does not cover. */
const NOT_COVERED = `x.thread = ${placeOf("c.thread_id")} AND x.kind = 'publication' AND x.sequence > c.covers_through`
/** The citations `i` of the checkpoint whose records have fallen or come into doubt since the checkpoint. */
const FALLEN_CITATIONS = `checkpoint_citations i JOIN standings f ON f.version_id = i.version_id
  WHERE i.checkpoint_id = c.checkpoint_id AND f.worried_at > c.history_position`
/** The other citations `i` whose records rest on a record that has fallen since the checkpoint. */
const SHAKEN_CITATIONS = `checkpoint_citations i LEFT JOIN standings f ON f.version_id = i.version_id
  WHERE i.checkpoint_id = c.checkpoint_id AND NOT coalesce(f.worried_at > c.history_position, 0)
    AND EXISTS (SELECT 1 FROM shaken_records z JOIN standings q ON q.version_id = z.cause_id
      WHERE z.version_id = i.version_id AND q.fallen_at > c.history_position)`

/** Whether the checkpoint `c` is stale. An open checkpoint never is, though it has reasons. */
export const STALE = `(coalesce(c.state = 'concluded', 0) AND (
    EXISTS (SELECT 1 FROM timeline_entries x WHERE ${NOT_COVERED})
    OR EXISTS (SELECT 1 FROM ${FALLEN_CITATIONS}) OR EXISTS (SELECT 1 FROM ${SHAKEN_CITATIONS})))`

const reason = (code: string, status: string) =>
  `json_object('code', ${code}, 'versionId', r.version_id, 'label', r.label, 'status', ${status}) AS reason,
      r.room_id AS room`

/**
 * The reasons as a JSON list: fallen citations, citations in doubt, then the publications it does not cover, newest
 * first.
 */
export const STALE_REASONS = `(SELECT json_group_array(CASE WHEN room = c.room_id THEN json(reason)
    ELSE json_patch(reason, json_object('labelFromOtherRoom', json('true'), 'originRoomId', room)) END) FROM (
  SELECT * FROM (SELECT ${reason("'citation_fallen'", "f.status")}
    FROM ${FALLEN_CITATIONS.replace("\n  WHERE", " JOIN records r ON r.version_id = i.version_id WHERE")}
    ORDER BY i.position)
  UNION ALL SELECT * FROM (SELECT ${reason("'citation_in_doubt'", "coalesce(f.status, 'current')")}
    FROM ${SHAKEN_CITATIONS.replace("\n  WHERE", " JOIN records r ON r.version_id = i.version_id WHERE")}
    ORDER BY i.position)
  UNION ALL SELECT * FROM (
    SELECT ${reason("iif(x.sequence > c.sequence, 'published_since', 'not_covered')", "coalesce(s.status, 'current')")}
    FROM timeline_entries x
    JOIN records r ON r.version_id = x.version_id
    LEFT JOIN standings s ON s.version_id = r.version_id
    WHERE ${NOT_COVERED} ORDER BY x.sequence DESC LIMIT ${limits.staleReasons})
  LIMIT ${limits.staleReasons}))`

type Row = Omit<ThreadSummary, "author" | "opening" | "stale"> & {
  readonly authorId: string
  readonly username: string
  readonly agent: string | null
  readonly opening: number
  readonly stale: number
}

// Member by member: a rest pattern would be several times slower to build and to serialise.
const summary = (row: Row): ThreadSummary => ({
  threadId: row.threadId,
  roomId: row.roomId,
  sequence: row.sequence,
  title: row.title,
  author: { userId: row.authorId, username: row.username, agent: row.agent },
  createdAt: row.createdAt,
  opening: row.opening === 1,
  followsEntryId: row.followsEntryId,
  timelineWatermark: row.timelineWatermark,
  lastActivityAt: row.lastActivityAt,
  selectedCheckpointId: row.selectedCheckpointId,
  stale: row.stale === 1,
})

const SUMMARY = `
  SELECT t.thread_id AS threadId, t.room_id AS roomId, t.sequence, t.title, t.author_id AS authorId, p.username,
    ${AGENT_OF_THREAD("t.thread_id")} AS agent, t.created_at AS createdAt,
    t.thread_id = r.opening_thread_id AS opening, t.follows_entry_id AS followsEntryId,
    t.selected_checkpoint_id AS selectedCheckpointId,
    ${STALE} AS stale, coalesce(h.timeline_sequence, 0) AS timelineWatermark,
    coalesce(h.last_activity_at, t.created_at) AS lastActivityAt
  FROM threads t
  JOIN people p ON p.user_id = t.author_id
  JOIN rooms r ON r.room_id = t.room_id
  LEFT JOIN thread_heads h ON h.thread_id = t.thread_id
  LEFT JOIN checkpoints c ON c.checkpoint_id = t.selected_checkpoint_id`

export type Threads = ReturnType<typeof threads>

export function threads(db: Db) {
  const room = db.prepare<{ roomId: string }>("SELECT room_id AS roomId FROM threads WHERE thread_id = +?")
  const anyRoom = db.prepare("SELECT 1 FROM rooms WHERE room_id = +?")
  const one = db.prepare<Row>(`${SUMMARY} WHERE t.thread_id = +?`)
  const list = db.prepare<Row>(`${SUMMARY} WHERE t.room_id = +? AND t.sequence > +? ORDER BY t.sequence LIMIT +?`)
  const all = db.prepare<Row>(`${SUMMARY} WHERE t.room_id = +? ORDER BY t.sequence`)
  // Only the newest 1,000 writes of the service are searched, so an older reply no longer counts as unanswered.
  const repliesTo = db.prepare<{ threadId: string; entryId: string; title: string; username: string; at: string }>(
    `WITH newest AS MATERIALIZED (
       SELECT e.entry_id, e.thread, e.sequence, e.reply_to_entry_id, j.position, j.at, w.person_id AS author_id
       FROM journal j
      JOIN timeline_entries e ON e.thread = j.thread AND e.sequence = j.entry_sequence
      JOIN writers w ON w.writer = j.writer
       WHERE j.position > (SELECT max(position) - 1000 FROM journal)),
     own AS MATERIALIZED (SELECT thread, max(sequence) AS last FROM newest WHERE author_id = +? GROUP BY thread),
     answered AS MATERIALIZED (SELECT DISTINCT reply_to_entry_id AS entry_id
       FROM newest
       WHERE author_id = +? AND reply_to_entry_id IS NOT NULL)
     SELECT t.thread_id AS threadId, f.entry_id AS entryId, t.title, p.username, f.at
     FROM (SELECT e.* FROM newest e CROSS JOIN timeline_entries o ON o.entry_id = e.reply_to_entry_id
         JOIN journal h ON h.position = o.history_position JOIN writers a ON a.writer = h.writer
       WHERE a.person_id = +? AND e.author_id <> a.person_id
         AND e.sequence > coalesce((SELECT last FROM own WHERE own.thread = e.thread), 0)
         AND e.entry_id NOT IN (SELECT entry_id FROM answered)
       ORDER BY e.position DESC LIMIT 50) f
     JOIN threads t ON t.thread_id = ${idOf("f.thread")} JOIN people p ON p.user_id = f.author_id
     ORDER BY f.position DESC`,
  )
  const following = db.prepare<Row>(`${SUMMARY} WHERE t.follows_entry_id = +? ORDER BY t.sequence LIMIT 1`)

  return {
    /**
     * Returns up to 50 unanswered replies to a person's entries, newest first. Any later entry of the person in the
     * Thread counts as an answer.
     */
    repliesTo: (userId: string) => repliesTo.all(userId, userId, userId),

    open: inserting(db, "threads"),
    /** Returns the Room of a Thread; undefined if there is no such Thread. */
    roomOf: (threadId: string): string | undefined => room.get(threadId)?.roomId,
    isRoom: (roomId: string): boolean => anyRoom.get(roomId) !== undefined,
    summary(threadId: string): ThreadSummary | undefined {
      const row = one.get(threadId)
      return row && summary(row)
    },
    /** Returns up to `count` Threads of a Room, after a sequence. */
    page: (roomId: string, after: number, count: number): ThreadSummary[] =>
      list.all(roomId, after, count).map(summary),
    all: (roomId: string): ThreadSummary[] => all.all(roomId).map(summary),
    following(entryId: string): ThreadSummary | undefined {
      const row = following.get(entryId)
      return row && summary(row)
    },
    /** Returns the indexes of the ids that name no Thread of the Room. */
    notInRoom: (roomId: string, threadIds: readonly string[]): number[] =>
      threadIds.flatMap((threadId, index) => (room.get(threadId)?.roomId === roomId ? [] : [index])),
  }
}

// The behaviours that start Threads and post messages. What follows a write in its transaction are the `steps` of the
// domains, in the order of their list: a reply settles what it answers (`research/links`), the receipt warns
// (`research/advice`), the claims of its author are renewed (`research/claims`). The texts are indexed before the
// commit, or after it.

/** Finds the Thread of a write. @throws Refusal 404 if it does not exist, or not in the Room that the body names */
export function threadSubject(
  threads: Threads,
  threadId: string,
  roomId?: string,
): { roomId: string; threadId: string } {
  const found = threads.roomOf(threadId)
  if (found !== undefined && (roomId === undefined || found === roomId)) return { roomId: found, threadId }
  if (roomId === undefined) throw new Refusal("room_unavailable", "There is no such Thread.")
  throw threads.isRoom(roomId)
    ? new Refusal("room_unavailable", "There is no such Thread in this Room.")
    : noSuch("room")
}

export interface WritingTables {
  readonly threads: Threads
  readonly timeline: Timeline
  readonly withheld: Withheld
}

function threadOperations({ threads, timeline, withheld }: WritingTables) {
  /**
   * @param isHere whether the Thread of the entry is one in which it may be answered @param otherwise what to say if it
   * is not
   */
  function issuesOfReply(entryId: string | undefined, isHere: (threadId: string) => boolean, otherwise: string) {
    const answered = entryId === undefined ? undefined : timeline.find(entryId)
    if (answered === undefined) return []
    const messages: string[] = []
    if (!answered.takesReplies)
      messages.push("is a receipt that shows no object; reply to a message, a card or the receipt that made an object")
    if (!isHere(answered.threadId)) messages.push(otherwise)
    return messages.map((message) => ({ path: "/replyToEntryId", message }))
  }

  const create_thread = behaviour("create_thread", {
    // The write belongs to no Thread yet, so a credential limited to some Threads cannot start another.
    subject: ({ body }) => ({ roomId: body.roomId, threadId: null }),
    references: ({ body }, { roomId }) =>
      issuesOfReply(body.replyToEntryId, (threadId) => threads.roomOf(threadId) === roomId, "belongs to another Room"),
    admit({ body }) {
      const { replyToEntryId, allowDuplicate } = body
      if (replyToEntryId === undefined || allowDuplicate === true) return
      const existing = threads.following(replyToEntryId)
      if (existing === undefined) return
      throw new Refusal(
        "thread_exists",
        "A Thread already follows this entry. Post there, or send allowDuplicate to start a second one.",
        {
          current: { thread: existing },
        },
      )
    },
    write({ actor, body }, { roomId }, change) {
      const { title, message, replyToEntryId = null } = body
      const threadId = change.newId()
      const sequence = change.ordinal(roomId, "thread")
      threads.open({
        threadId,
        roomId,
        sequence,
        title,
        authorId: actor.userId,
        createdAt: change.at,
        followsEntryId: replyToEntryId,
      })
      const messageEntryId = message === undefined ? null : derivedId(threadId, "opening message")
      return {
        threadId,
        target: { id: threadId, label: null },
        result: { threadId, title, label: null, messageEntryId },
        messageEntryId,
      }
    },
  })

  const post_message = behaviour("post_message", {
    subject: ({ params }) => threadSubject(threads, params.threadId),
    references: ({ body }, { threadId }) =>
      issuesOfReply(body.replyToEntryId, (answered) => answered === threadId, "belongs to another Thread"),
    admit({ actor, body }, _subject, at) {
      mustNotRepeat("/text", withheld.lately.repeatedIn(actor.userId, body.text, Date.parse(at)))
    },
    write({ body }, _subject, { entryId }) {
      return {
        target: { id: entryId, label: null },
        result: { messageId: entryId, label: null },
        replyToEntryId: body.replyToEntryId ?? null,
      }
    },
  })

  return { create_thread, post_message }
}

// Reads of Threads and their timelines.

const RECENT = 10

interface EntryQuery {
  after?: number
  limit?: number
}

export interface ReadingTables {
  readonly threads: Threads
  readonly rooms: Rooms
  readonly timeline: Timeline
  readonly world: Pick<World, "now">
}

function threadReads({ threads, rooms, timeline, world }: ReadingTables) {
  /** @throws Refusal 404 */
  function mustFind(threadId: string): ThreadSummary {
    const thread = threads.summary(threadId)
    if (thread === undefined) throw noSuch("thread")
    return thread
  }

  /** Returns a page of a Thread's entries. @param kinds undefined for entries of every kind */
  function entries(threadId: string, query: EntryQuery, kinds: readonly EntryFilter[] | undefined) {
    const thread = mustFind(threadId)
    mustNotBeAhead(query.after, thread.timelineWatermark)
    return feedOf(
      timeline.after(thread.threadId, query.after ?? 0, kinds, pageSize(query) + 1),
      query,
      ({ entry }) => entry,
      thread.timelineWatermark,
    )
  }

  return {
    room_threads({ params, query }) {
      const roomId = params.roomId
      rooms.mustExist(roomId)
      return feedPage(threads.page(roomId, query.after ?? 0, pageSize(query) + 1), query)
    },

    thread_context({ params }) {
      const thread = mustFind(params.threadId)
      const room = rooms.summary(thread.roomId)
      if (room === undefined) throw new Error("a Thread without its Room")
      const { roomId, title, state, archive, origin, adopted } = room
      const follows = thread.followsEntryId === null ? undefined : timeline.find(thread.followsEntryId)
      return {
        thread,
        room: { roomId, title, state, archive, origin, adopted },
        follows: follows?.entry ?? null,
        recent: timeline.newest(thread.threadId, RECENT),
        generatedAt: isoTime(world.now()),
      }
    },

    thread_messages: ({ params, query }) => entries(params.threadId, query, [{ kind: "message" }]),
    thread_timeline: ({ params, query }) => entries(params.threadId, query, query.kinds && entryFiltersOf(query.kinds)),
    thread_records: ({ params, query }) => entries(params.threadId, query, [{ kind: "publication" }]),

    thread_replies({ params, query }) {
      const { threadId, timelineWatermark } = mustFind(params.threadId)
      mustNotBeAhead(query.after, timelineWatermark)
      if (timeline.find(query.targetEntryId)?.threadId !== threadId)
        throw new Refusal("room_unavailable", "There is no such entry in this Thread.")
      return feedOf(
        timeline.replies(threadId, query.targetEntryId, query.after ?? 0, pageSize(query) + 1),
        query,
        ({ entry }) => entry,
      )
    },
  } satisfies Partial<Readers>
}

// The newest messages in a brief. Older ones are not counted.

function messagesInBrief({ db }: Ground) {
  const MESSAGE = `SELECT e.entry_id AS entryId, ${idOf("e.thread")} AS threadId,
      coalesce(j.content ->> '$.text', j.content ->> '$.message') AS says,
      p.username AS by, nullif(w.agent, '') AS agent, j.at`
  const WRITER = "JOIN writers w ON w.writer = j.writer JOIN people p ON p.user_id = w.person_id"
  const ofRoom = db.prepare<BriefItem<"messages">>(
    `${MESSAGE} FROM journal j
      JOIN timeline_entries e ON e.thread = j.thread AND e.sequence = j.entry_sequence ${WRITER}
     WHERE j.room = ${placeOf("+?")} AND j.operation = 'post_message'
     ORDER BY j.room_sequence DESC LIMIT ${limits.briefMessages}`,
  )
  const ofThread = db.prepare<BriefItem<"messages">>(
    `${MESSAGE} FROM timeline_entries e
      JOIN journal j ON j.position = e.history_position ${WRITER}
     WHERE e.thread = ${placeOf("+?")} AND e.kind = 'message'
     ORDER BY e.sequence DESC LIMIT ${limits.briefMessages}`,
  )
  return {
    messages: {
      title: "Recent messages",
      line: ({ says, by, agent, at, entryId }) =>
        `${writerName({ username: by, agent })}, ${at.slice(0, 10)}: ${oneLine(says)} ${entryId}`,
      link: ({ roomId, threadId }) =>
        threadId === undefined ? pathTo("room_threads", { roomId }) : pathTo("thread_timeline", { threadId }),
      read({ roomId, threadId }) {
        const rows = threadId === undefined ? ofRoom.all(roomId) : ofThread.all(threadId)
        return { items: () => itemsOf(rows, (row, most) => ({ ...row, says: shortened(row.says, most) })) }
      },
    },
  } satisfies Partial<BriefSources>
}

export const domain = {
  tables: [({ db }: Ground) => ({ threads: threads(db) })],
  operations: [threadOperations],
  reads: [threadReads],
  brief: [messagesInBrief],
} satisfies Domain
