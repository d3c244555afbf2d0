/**
 * The behaviours that start Threads and post messages. What follows a write in its transaction are the `steps` of the
 * domains, in the order of their list: a reply settles what it answers (`research/links`), the receipt warns
 * (`research/advice`), the claims of its author are renewed (`research/claims`). The texts are indexed before the
 * commit, or after it.
 */
import { noSuch } from "../contract/objects/no-such.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { behaviour } from "../ledger/journal/behaviour.ts"
import { derivedId } from "../ledger/journal/journal.ts"
import { mustNotRepeat } from "../ledger/journal/repeating.ts"
import type { Timeline } from "../ledger/journal/timeline.ts"
import type { Withheld } from "../ledger/journal/withheld.ts"
import type { Threads } from "./threads.ts"

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

interface Tables {
  readonly threads: Threads
  readonly timeline: Timeline
  readonly withheld: Withheld
}

export function threadOperations({ threads, timeline, withheld }: Tables) {
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
