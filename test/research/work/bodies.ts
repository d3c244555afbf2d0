/** The shortest valid bodies of work, for whatever a test does not care about. */
import type { WriteInput } from "research-room/client"
import type { TestRoom } from "./house.ts"

export const pin = { url: "https://git.example.org/lab/work", commit: "0123456789abcdef0123456789abcdef01234567" }

export const proposal = ({ roomId, threadId }: Pick<TestRoom, "roomId" | "threadId">) =>
  ({
    roomId,
    threadId,
    question: "Does it hold?",
    scope: "Here.",
    hypotheses: [],
  }) satisfies WriteInput<"propose_experiment">

const protocol = { summary: "Run it and look.", steps: [], arms: [{ name: "only", argv: ["node", "run.js"] }] }

/** A plan without its experiment and expected values. */
export const plan = {
  repository: pin,
  hypotheses: [],
  premises: [],
  protocol,
  intent: "exploratory",
  requiredMaterials: [],
} as const satisfies Partial<WriteInput<"accept_plan">>

/** An execution without its ids, its intent and the fields that the intent needs. */
export const launch = {
  repository: pin,
  argv: ["node", "run.js"],
  configuration: {},
  inputs: [],
} as const satisfies Partial<WriteInput<"register_attempt">>

export const reportedAt = "2026-11-20T09:30:00.000Z"
export const failure = { stage: "running", explanation: "It did not go well." }

/** The fields an event needs besides its attempt and expected values. */
export const told = (event: WriteInput<"report_attempt_event">["event"]) =>
  ({ event, reportedAt, ...(event === "failed" || event === "preflight_failed" ? { failure } : {}) }) satisfies Partial<
    WriteInput<"report_attempt_event">
  >

/** A well-formed id that belongs to nothing. */
export const nobody = "0198f3a0-dead-4ead-8ead-00000000dead"

export const sha256 = (digit: string) => `sha256:${digit.repeat(64)}`
