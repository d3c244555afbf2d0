/** The reads of a Room (its members, Threads, feed and records) and of a Thread. */
import * as v from "valibot"
import * as answers from "../answers/index.ts"
import { uuid, oneOf } from "../schema/fields.ts"
import { kinds, lines, query, recordFilters } from "./shared.ts"
import { read } from "../definitions/read.ts"
import { words, sequence, wholeNumber } from "../definitions/parameters.ts"
import { enumerations } from "../schema/enumerations.ts"
import { limits } from "../limits.ts"
import { described } from "../schema/validation.ts"

export const threadReads = [
  read({
    name: "rooms",
    path: "/api/research/rooms",
    summary: "Rooms, newest first; query searches titles and questions.",
    parameters: { query },
    cursor: "opaque",
    answer: answers.page(answers.roomSummary),
  }),
  read({
    name: "room",
    path: "/api/research/rooms/{roomId}",
    summary: "One Room with its members.",
    answer: answers.room,
  }),
  read({
    name: "room_threads",
    path: "/api/research/rooms/{roomId}/threads",
    summary: "The Threads of a Room in the order in which they were started.",
    cursor: "sequence",
    answer: answers.page(answers.thread),
  }),
  read({
    name: "room_activity",
    path: "/api/research/rooms/{roomId}/activity",
    summary:
      "The change feed of a Room: every accepted write after a sequence, each chained to the previous one by " +
      "digest. With wait, an empty answer is delayed until there is an entry. " +
      "include adds to each entry, outside of its digest, a sentence on what happened, the accepted content, " +
      "or everything that another instance needs to repeat the write.",
    parameters: {
      kinds: v.exactOptional(words(kinds)),
      include: v.exactOptional(words(enumerations.activityInclude)),
      wait: v.exactOptional(wholeNumber(limits.activityWaitSeconds)),
      exclude: v.exactOptional(described(oneOf(["me"]), "Leaves out what the calling Room credential wrote.")),
    },
    refusals: ["not_authenticated", "browser_origin"],
    cursor: "sequence",
    answer: answers.page(answers.activityEntry),
    formats: lines,
  }),
  read({
    name: "room_events",
    path: "/api/research/rooms/{roomId}/events",
    summary:
      "New entries of a Room, as server-sent events without texts: each has the entry's sequence as its id, " +
      "and roomId, sequence, kind, label and url. The stream continues after Last-Event-ID, or after `after`, " +
      `or begins with the next entry. Without entries, a comment is sent every ${limits.eventCommentSeconds} seconds.`,
    parameters: { after: v.exactOptional(sequence) },
    refusals: ["temporarily_unavailable"],
    mediaType: "text/event-stream",
    answer: v.string(),
  }),
  read({
    name: "room_publications",
    path: "/api/research/rooms/{roomId}/publications",
    summary: "The records of a Room, newest first. Filters: kinds, status, author (user id or name) and agent.",
    parameters: recordFilters,
    cursor: "opaque",
    answer: answers.page(answers.recordSummary),
  }),
  read({
    name: "thread_context",
    path: "/api/research/threads/{threadId}/context",
    summary: "A Thread, its Room, what it follows and its newest entries.",
    answer: answers.threadContext,
  }),
  read({
    name: "thread_messages",
    path: "/api/research/threads/{threadId}/messages",
    summary: "The messages of a Thread.",
    cursor: "sequence",
    answer: answers.page(answers.entry),
  }),
  read({
    name: "thread_timeline",
    path: "/api/research/threads/{threadId}/timeline",
    summary: "Messages, cards and receipts of a Thread in order; kinds is a filter.",
    parameters: { kinds: v.exactOptional(words(kinds)) },
    cursor: "sequence",
    answer: answers.page(answers.entry),
  }),
  read({
    name: "thread_replies",
    path: "/api/research/threads/{threadId}/replies",
    summary: "The replies to one entry.",
    parameters: { targetEntryId: uuid },
    cursor: "sequence",
    answer: answers.page(answers.entry),
  }),
  read({
    name: "thread_records",
    path: "/api/research/threads/{threadId}/records",
    summary: "The cards of a Thread: records published or reused in it.",
    cursor: "sequence",
    answer: answers.page(answers.entry),
  }),
] as const
