/** What members write in Threads. */
import * as v from "valibot"
import { quoting } from "../definitions/sentence.ts"
import { freeText } from "../answers/fields.ts"
import { fromOtherRoom } from "../answers/evidence.ts"
import { text, uuid } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { pictured } from "../definitions/attachments.ts"
import { operation } from "../definitions/operation.ts"
import { ref, subject } from "../schema/parts.ts"

export const postMessage = operation({
  name: "post_message",
  sentence: ({ text, replyToEntryId }) => `${replyToEntryId === undefined ? "wrote" : "answered"}${quoting(text)}`,
  path: "/api/agent/threads/{threadId}/messages",
  summary:
    "Posts a message in Markdown with TeX math. With replyToEntryId it replies to an earlier entry of the same " +
    "Thread: a message, a card, or the receipt of a proposal, a registration, an outcome, a research link or a " +
    "review.",
  permissions: ["post_thread"],
  archived: "room_archived",
  receiptOf: "credential",
  delivery: "clientMessageId",
  target: "message",
  entry: { kind: "message", form: "message" },
  fields: { text: text(limits.message), replyToEntryId: v.exactOptional(ref("message")), ...pictured },
  result: { messageId: uuid, label: v.null() },
  example: { text: "The second run used a shorter ramp: $n_w = 100$ instead of $400$." },
})

export const threadOperations = [
  operation({
    name: "create_thread",
    sentence: ({ title }) => `started a Thread${quoting(title)}`,
    path: "/api/agent/threads",
    summary:
      "Starts a Thread in a Room, with an opening message if one is given; with replyToEntryId the Thread follows " +
      "up a card.",
    permissions: ["post_thread"],
    archived: "room_archived",
    receiptOf: "credential",
    refusals: ["thread_exists"],
    target: "thread",
    fields: {
      roomId: subject("room"),
      title: text(limits.title),
      message: v.exactOptional(text(limits.message)),
      replyToEntryId: v.exactOptional(ref("message")),
      allowDuplicate: v.exactOptional(v.boolean("must be true or false")),
    },
    result: { threadId: uuid, title: freeText, label: v.null(), messageEntryId: v.nullable(uuid) },
    example: {
      roomId: "0198f3a0-0000-7000-8000-000000000001",
      title: "Does warm-up length change the loss at step 1,000?",
      message: "Two runs disagree. Let us first agree on what *warm-up* means here: $n_w$ steps of linear ramp.",
    },
  }),
  postMessage,
  operation({
    name: "reuse_record",
    sentence: ({ note }, label) => `brought ${label} into the Thread${quoting(note)}`,
    path: "/api/agent/threads/{threadId}/records",
    summary: "Adds an exact record, of this Room or another, to a Thread as a card. The record itself does not change.",
    permissions: ["post_thread"],
    document: "publication",
    archived: "room_archived",
    target: "record",
    entry: { kind: "publication", form: "card" },
    fields: { versionId: ref("record"), note: v.exactOptional(text(limits.explanation)) },
    result: { versionId: uuid, label: v.string(), ...fromOtherRoom },
    example: {
      versionId: "0198f3a0-0000-7000-8000-000000000004",
      note: "The same prediction, tested there on a larger model.",
    },
  }),
] as const
