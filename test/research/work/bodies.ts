/** Bodies of work, as short as they may be: what a test does not speak about is left to these. */
import type { WriteInput } from "research-room/client"
import type { TestRoom } from "./house.ts"

export const pin = { url: "https://git.example.org/lab/work", commit: "0123456789abcdef0123456789abcdef01234567" }

export const proposal = ({ roomId, threadId }: Pick<TestRoom, "roomId" | "threadId">) =>
  ({ roomId, threadId, question: "Does it hold?", scope: "Here.", hypotheses: [] }) satisfies WriteInput<"propose_experiment">

const protocol = { summary: "Run it and look.", steps: [], arms: [{ name: "only", argv: ["node", "run.js"] }] }

/** A plan, but for its experiment and what is expected of it. */
export const plan = {
  repository: pin,
  hypotheses: [],
  premises: [],
  protocol,
  intent: "exploratory",
  requiredMaterials: [],
} as const satisfies Partial<WriteInput<"accept_plan">>

/** An execution, but for its ids, its intent and what goes with that. */
export const launch = { repository: pin, argv: ["node", "run.js"], configuration: {}, inputs: [] } as const satisfies Partial<
  WriteInput<"register_attempt">
>

export const reportedAt = "2026-11-20T09:30:00.000Z"
export const failure = { stage: "running", explanation: "It did not go well." }

/** What an event needs beyond its attempt and what is expected of it. */
export const told = (event: WriteInput<"report_attempt_event">["event"]) =>
  ({ event, reportedAt, ...(event === "failed" || event === "preflight_failed" ? { failure } : {}) }) satisfies Partial<
    WriteInput<"report_attempt_event">
  >

/** Well formed, and nothing's id. */
export const nobody = "0198f3a0-dead-4ead-8ead-00000000dead"

export const sha256 = (digit: string) => `sha256:${digit.repeat(64)}`
