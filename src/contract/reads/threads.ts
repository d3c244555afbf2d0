import * as v from "valibot"
import * as answers from "../answers/index.ts"
import { uuid } from "../schema/fields.ts"
import { kinds } from "./kinds.ts"
import { read } from "../definitions/read.ts"
import { words } from "../definitions/parameters.ts"

export const threadReads = [
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
