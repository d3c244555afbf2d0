/** Checkpoints: attributed syntheses of a Thread. */
import * as v from "valibot"
import { firstParagraph } from "../text.ts"
import { quoting } from "../definitions/sentence.ts"
import { isObject } from "../json.ts"
import { enumerations } from "../schema/enumerations.ts"
import { distinct, list, oneOf, text, uuid, whole } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { pictured } from "../definitions/attachments.ts"
import { operation } from "../definitions/operation.ts"
import { ref, subject } from "../schema/parts.ts"
import { described } from "../schema/validation.ts"
import { tableQuestion } from "../definitions/work.ts"

/** A sequence as it was read. `{"$after": 57}` becomes a number only in one request with several writes. */
const readSequence = whole(0, ({ input }) =>
  isObject(input) && "$after" in input
    ? 'must be a number: {"$after": 57} works only in one request with several writes, and takes a whole number'
    : "must be a number",
)

export const postResearchCheckpoint = operation({
  name: "post_research_checkpoint",
  sentence: ({ state, answer, synthesis, conclusion = synthesis }) =>
    (state === "concluded" ? "concluded" : "summed up") +
    quoting(answer ?? firstParagraph(state === "concluded" ? conclusion : synthesis), limits.answer),
  summary:
    "Posts a synthesis that covers a Thread up to a timeline sequence, open or concluded; " +
    "refused if the Thread has changed since you read it.",
  permissions: ["post_thread"],
  target: "checkpoint",
  entry: { kind: "post_research_checkpoint", form: "card" },
  expected: ["expectedWatermark"],
  requiredWhen: [{ field: "conclusion", when: { field: "state", in: ["concluded"] } }],
  onlyWhen: [{ field: "conclusion", when: { field: "state", in: ["concluded"] } }],
  fields: {
    threadId: subject("thread"),
    expectedWatermark: described(readSequence, "The Thread's timelineWatermark: the sequence of its newest entry."),
    coversThrough: readSequence,
    state: oneOf(enumerations.checkpointState),
    synthesis: text(limits.message),
    answer: v.exactOptional(
      described(text(limits.answer), "The answer in two sentences, for whoever reads only that."),
    ),
    table: v.exactOptional(described(tableQuestion, "The measurement table that it rests on, kept as it is now.")),
    openQuestions: list(text(limits.statement), limits.openQuestions),
    conclusion: v.exactOptional(text(limits.statement)),
    citations: distinct(ref("record"), limits.citations),
    ...pictured,
  },
  result: {
    checkpointId: uuid,
    state: oneOf(enumerations.checkpointState),
    /** The previous checkpoint, if this one covers less or reopens its conclusion. */
    supersedesCheckpointId: v.nullable(uuid),
    label: v.null(),
  },
  example: {
    threadId: "0198f3a0-0000-7000-8000-000000000002",
    expectedWatermark: 12,
    coversThrough: 12,
    state: "open",
    synthesis: "Both arms ran; the difference is larger than predicted. The cause is not settled.",
    openQuestions: ["Does the difference remain with gradient clipping?"],
    citations: ["0198f3a0-0000-7000-8000-000000000009"],
  },
  otherExamples: [
    {
      threadId: "0198f3a0-0000-7000-8000-000000000002",
      expectedWatermark: 20,
      coversThrough: 20,
      state: "concluded",
      synthesis: "Three seeds an arm agree, also with gradient clipping.",
      answer: "Warm-up lowers the loss by 0.07 nats at this size. Larger sizes are open.",
      table: { metric: "loss", by: ["arm"], over: "seed", against: "arm:baseline" },
      conclusion: "At this size warm-up lowers the loss by 0.07 nats.",
      openQuestions: [],
      citations: ["0198f3a0-0000-7000-8000-000000000009"],
    },
  ],
})
