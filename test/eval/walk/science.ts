/** The research itself: what an agent has to say, through any interface. */
import type { Input } from "../../../src/contract/definitions/requests.ts"

export interface Pinned {
  readonly url: string
  readonly commit: string
}

/** Where the agent writes, as the service told it. */
export interface Place {
  readonly roomId: string
  readonly threadId: string
}

/** The expectations of a guarded write: values, or where they come from. */
type Guard = Input

const argv = ["python", "train.py", "--warm-up", "400"]

export const proposal = ({ roomId, threadId }: Place): Input => ({
  roomId,
  threadId,
  question: "Does a warm-up of 400 steps lower the final loss of the small model?",
  scope: "The 10-million-parameter model on the toy corpus, three seeds.",
  hypotheses: [],
})

export const plan = (experimentId: unknown, guard: Guard, { url, commit }: Pinned): Input => ({
  experimentId,
  ...guard,
  repository: { url, commit },
  hypotheses: [],
  premises: [],
  protocol: {
    summary: "Train with and without warm-up and compare the loss at step 1,000.",
    steps: [],
    entrypoint: { argv },
    arms: [],
  },
  intent: "confirmatory",
  requiredMaterials: [],
})

export const registration = (
  attemptId: string,
  experimentId: unknown,
  planId: unknown,
  guard: Guard,
  { url, commit }: Pinned,
): Input => ({
  attemptId,
  experimentId,
  ...guard,
  intent: "planned",
  planId,
  repository: { url, commit },
  argv,
  configuration: { steps: 1000 },
  inputs: [],
})

export const event = (attemptId: string, guard: Guard, what: string, more: Input = {}): Input => ({
  attemptId,
  ...guard,
  event: what,
  reportedAt: new Date().toISOString(),
  ...more,
})

export const outcome: Input = {
  metrics: [{ name: "loss", value: 2.31, step: 1000, dimensions: { seed: 1 } }],
  exitCode: 0,
}

export const finding = (
  { roomId, threadId }: Place,
  experimentId: unknown,
  planId: unknown,
  attemptId: string,
): Input => ({
  kind: "finding",
  roomId,
  threadId,
  assertion: {
    wording: "With a warm-up of 400 steps the small model ends at a loss of 2.31.",
    predicate: { type: "concept", key: "ends_at" },
    roles: [
      {
        role: "cause",
        definition: "What differs between the runs.",
        value: { type: "text", value: "A linear warm-up of 400 steps." },
      },
      {
        role: "effect",
        definition: "What is measured at step 1,000.",
        value: { type: "decimal", value: "2.31", unit: "nat per token" },
      },
    ],
  },
  concepts: { ends_at: { label: "ends at", definition: "Is the value at the last step." } },
  scope: "The 10-million-parameter model on the toy corpus, one seed.",
  outcome: "positive",
  retrospective: false,
  evidence: [{ kind: "attempt_outcome", attemptId, explanation: "The loss that it reported at its last step." }],
  provenance: { execution: { experimentId, planId, attemptIds: [attemptId], baselineAttemptIds: [] }, papers: [] },
  materials: [],
  references: [],
})

export const link = (experimentId: unknown, findingVersionId: unknown, attemptId: string): Input => ({
  experimentId,
  findingVersionId,
  attemptId,
  towardHypothesis: [],
  towardQuestion: { verdict: "partly_answers", explanation: "The baseline has not been run yet." },
})

export const completion = (experimentId: unknown, guard: Guard): Input => ({
  experimentId,
  ...guard,
  status: "completed",
  summary: "One seed with warm-up is run.",
})

export const checkpoint = (threadId: string, watermark: unknown, findingVersionId: unknown): Input => ({
  threadId,
  expectedWatermark: watermark,
  coversThrough: watermark,
  state: "open",
  synthesis: "One seed with warm-up ended at 2.31. The baseline is next.",
  openQuestions: ["What does the small model reach without warm-up?"],
  citations: [findingVersionId],
})
