/** Threads: starting one, writing in it, bringing a record into it, and reading its timeline. */
import * as v from "valibot"
import { operation, type CardKind } from "../definitions/operation.ts"
import { text, uuid, shape } from "../schema/fields.ts"
import { quoting } from "../definitions/sentence.ts"
import { limits } from "../limits.ts"
import { ref, subject } from "../schema/parts.ts"
import { pictured } from "../definitions/attachments.ts"
import {
  freeText,
  id,
  count,
  at,
  withPictures,
  client,
  recordKind,
  optionalFreeText,
  recordStatus,
  withdrawn,
} from "../answers/fields.ts"
import { fromOtherRoom, evidenceTally } from "../answers/evidence.ts"
import { author, target, schemaVersion, page } from "../answers/parts.ts"
import { notice } from "./record-answers.ts"
import { reviewed } from "./reviews.ts"
import { enumerations } from "../schema/enumerations.ts"
import { roomOfThread } from "./rooms.ts"
import { read } from "../definitions/read.ts"

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

const threadFields = {
  threadId: id,
  roomId: id,
  /** Its place among the Threads of its Room; the cursor of the list. */
  sequence: count,
  title: freeText,
  author,
  createdAt: at,
  opening: v.boolean(),
  followsEntryId: v.nullable(id),
  timelineWatermark: count,
  lastActivityAt: at,
  selectedCheckpointId: v.nullable(id),
  stale: v.boolean(),
}

export const thread = shape(threadFields)

export type ThreadSummary = v.InferOutput<typeof thread>

const message = shape({ text: freeText, clientMessageId: id, ...withPictures, client })

const recordCard = shape({
  versionId: id,
  kind: recordKind,
  label: v.string(),
  roomId: id,
  wording: freeText,
  contentDigest: v.string(),
  ...fromOtherRoom,
  reused: v.boolean(),
  note: optionalFreeText,
  client,
  status: recordStatus,
  notices: v.array(notice),
  evidenceTally,
  /** For a finding. */
  reviewed: v.exactOptional(reviewed),
  /** For a finding: its present effects, in a sentence each. */
  effects: v.exactOptional(v.array(freeText)),
})

const findingLinkCard = shape({
  linkId: id,
  experimentId: id,
  experimentLabel: v.string(),
  versionId: id,
  kind: v.literal("finding"),
  label: v.string(),
  ...fromOtherRoom,
  wording: freeText,
  attemptId: v.nullable(id),
  towardHypothesis: v.array(v.unknown()),
  towardQuestion: v.unknown(),
  client,
  status: recordStatus,
  notices: v.array(notice),
  /** The finding's present effects, in a sentence each. */
  effects: v.exactOptional(v.array(freeText)),
  /** If its author withdrew the link: it no longer counts. */
  withdrawn: v.exactOptional(withdrawn),
})

const checkpointCard = shape({
  checkpointId: id,
  state: v.picklist(enumerations.checkpointState),
  coversThrough: count,
  synthesis: freeText,
  openQuestions: v.array(freeText),
  conclusion: optionalFreeText,
  /** What its author would say in two sentences. */
  answer: v.exactOptional(optionalFreeText),
  client,
  reviewed,
})

/** The contents of each kind of card in a timeline. */
export const cards = {
  publication: recordCard,
  link_experiment_finding: findingLinkCard,
  post_research_checkpoint: checkpointCard,
} satisfies Readonly<Record<CardKind, v.GenericSchema>>

export type CardOf<K extends CardKind> = v.InferOutput<(typeof cards)[K]>

const card = v.union(Object.values(cards))

const entryReceipt = shape({ operation: v.string(), target, result: v.record(v.string(), v.unknown()), client })

export const entry = shape({
  entryId: id,
  threadId: id,
  sequence: count,
  kind: v.string(),
  at,
  author,
  replyToEntryId: v.nullable(id),
  replyCount: count,
  message: v.exactOptional(message),
  card: v.exactOptional(card),
  receipt: v.exactOptional(entryReceipt),
})

export type Entry = v.InferOutput<typeof entry>

export const threadContext = shape({
  schemaVersion,
  thread,
  room: shape(roomOfThread),
  /** The card or message that it follows up, if any. */
  follows: v.nullable(entry),
  /** The newest entries, oldest first. */
  recent: v.array(entry),
  generatedAt: at,
})

export const threadReads = [
  read({
    name: "room_threads",
    path: "/api/research/rooms/{roomId}/threads",
    summary: "The Threads of a Room in the order in which they were started.",
    cursor: "sequence",
    answer: page(thread),
  }),
  read({
    name: "thread_context",
    path: "/api/research/threads/{threadId}/context",
    summary: "A Thread, its Room, what it follows and its newest entries.",
    answer: threadContext,
  }),
  read({
    name: "thread_messages",
    path: "/api/research/threads/{threadId}/messages",
    summary: "The messages of a Thread.",
    cursor: "sequence",
    answer: page(entry),
  }),
  read({
    name: "thread_replies",
    path: "/api/research/threads/{threadId}/replies",
    summary: "The replies to one entry.",
    parameters: { targetEntryId: uuid },
    cursor: "sequence",
    answer: page(entry),
  }),
  read({
    name: "thread_records",
    path: "/api/research/threads/{threadId}/records",
    summary: "The cards of a Thread: records published or reused in it.",
    cursor: "sequence",
    answer: page(entry),
  }),
] as const
