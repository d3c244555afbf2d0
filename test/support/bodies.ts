/** Bodies of the operations that the stories use, each with a fresh id and its own content. */
import { randomUUID } from "node:crypto"

export const freshId = (): string => randomUUID()

/** A body whose property a test spoils or omits on purpose may be anything. */
export type Body = Record<string, unknown>

export const message = (text = "The second run used a shorter ramp.", more: Body = {}): Body => ({
  schemaVersion: 3,
  clientMessageId: freshId(),
  text,
  ...more,
})

export const thread = (roomId: string, more: Body = {}): Body => ({
  schemaVersion: 3,
  requestId: freshId(),
  roomId,
  title: "What is left of warm-up?",
  ...more,
})

export const hypothesis = (roomId: string, threadId: string, more: Body = {}) => ({
  schemaVersion: 3 as const,
  requestId: freshId(),
  kind: "hypothesis" as const,
  roomId,
  threadId,
  assertion: {
    wording: "A warm-up of 400 steps lowers the loss at step 1,000.",
    predicate: { type: "concept" as const, key: "lowers" },
    roles: [
      { role: "cause", definition: "What differs.", value: { type: "text" as const, value: "400 steps of warm-up" } },
      {
        role: "effect",
        definition: "What is measured.",
        value: { type: "text" as const, value: "loss at step 1,000" },
      },
    ],
  },
  concepts: { lowers: { label: "lowers", definition: "Makes the mean over seeds smaller." } },
  scope: "Models of 10 to 100 million parameters.",
  premises: [],
  references: [],
  ...more,
})

export const experiment = (roomId: string, threadId: string, more: Body = {}): Body => ({
  schemaVersion: 3,
  requestId: freshId(),
  roomId,
  threadId,
  question: "Is the loss lower with warm-up?",
  scope: "The small model.",
  hypotheses: [],
  ...more,
})

/** A browser write needs no more than this. */
export const action = (more: Body = {}): Body => ({ schemaVersion: 3, requestId: freshId(), ...more })
