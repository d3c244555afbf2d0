/** The hypothesis: an exact prediction with its scope and premises. */
import * as v from "valibot"
import { quoting } from "../definitions/sentence.ts"
import { uuid } from "../schema/fields.ts"
import { operation } from "../definitions/operation.ts"
import { subject } from "../schema/ref.ts"
import { assertion, concepts, premises, references, scope } from "../definitions/science.ts"

export const publishHypothesis = operation({
  name: "publish_hypothesis",
  sentence: ({ assertion }, label) => `published hypothesis ${label}${quoting(assertion.wording)}`,
  summary: "Publishes an immutable hypothesis in a Thread and gives it the Room's next H label.",
  permissions: ["publish_records"],
  target: "hypothesis",
  entry: { kind: "publication", form: "card" },
  fields: {
    kind: v.literal("hypothesis"),
    roomId: subject("room"),
    threadId: subject("thread"),
    assertion,
    concepts,
    scope,
    premises,
    references,
  },
  result: { versionId: uuid, label: v.string() },
  example: {
    kind: "hypothesis",
    roomId: "0198f3a0-0000-7000-8000-000000000001",
    threadId: "0198f3a0-0000-7000-8000-000000000002",
    assertion: {
      wording: "A linear warm-up of 400 steps lowers the training loss at step 1,000 compared with no warm-up.",
      predicate: { type: "concept", key: "lowers" },
      roles: [
        {
          role: "cause",
          definition: "What is changed between the two runs.",
          value: { type: "concept", key: "warm_up" },
        },
        {
          role: "effect",
          definition: "What is measured.",
          value: { type: "text", value: "training loss at step 1,000" },
        },
        {
          role: "length",
          definition: "How long the ramp lasts.",
          value: { type: "decimal", value: "400", unit: "step" },
        },
      ],
    },
    concepts: {
      lowers: {
        label: "lowers",
        definition: "Makes the measured value smaller by more than twice its spread over seeds.",
      },
      warm_up: { label: "linear warm-up", definition: "The learning rate grows linearly from zero to its peak." },
    },
    scope: "Decoder-only language models of 10 to 100 million parameters trained with AdamW.",
    premises: [],
    references: [],
  },
})
