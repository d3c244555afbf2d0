/**
 * The shortest valid bodies, for whatever a test does not care about. A client or a Room's browser adds the id and the
 * version of a write; a body that is sent as it is gets them from `action`. Messages and Threads always have them.
 */
import { randomUUID } from "node:crypto"
import type { WriteInput } from "research-room/client"

type Purpose = WriteInput<"publish_hypothesis">["references"][number]["purpose"]

export interface Place {
  readonly roomId: string
  readonly threadId: string
}

/** A body whose property a test spoils or omits on purpose may be anything. */
export type Body = Record<string, unknown>

export const freshId = (): string => randomUUID()

/** A well-formed id that belongs to nothing. */
export const nobody = "0198f3a0-dead-4ead-8ead-00000000dead"

export const sha256 = (digit: string): string => `sha256:${digit.repeat(64)}`

/** What is sent for these fields, with a fresh id. Many operations need no more than that. */
export const action = <Fields extends object = Body>(fields?: Fields) =>
  ({ schemaVersion: 3 as const, requestId: freshId(), ...fields }) as { schemaVersion: 3; requestId: string } & Fields

export const message = (text = "The second run used a shorter ramp.", more: Body = {}): Body => ({
  schemaVersion: 3,
  clientMessageId: freshId(),
  text,
  ...more,
})

export const thread = (roomId: string, more: Body = {}): Body =>
  action({ roomId, title: "What is left of warm-up?", ...more })

const said = (wording: string) =>
  ({
    assertion: {
      wording,
      predicate: { type: "concept", key: "lowers" },
      roles: [
        { role: "cause", definition: "What differs.", value: { type: "text", value: "a ramp of 400 steps" } },
        { role: "effect", definition: "What is measured.", value: { type: "decimal", value: "0.07", unit: "nat" } },
      ],
    },
    concepts: { lowers: { label: "lowers", definition: "Makes the mean over seeds smaller." } },
    scope: "The small model.",
  }) as const

const where = ({ roomId, threadId }: Place) => ({ roomId, threadId })

export const hypothesis = (
  place: Place,
  more: Partial<WriteInput<"publish_hypothesis">> = {},
  wording = "A ramp lowers the loss.",
): WriteInput<"publish_hypothesis"> => ({
  kind: "hypothesis",
  ...where(place),
  ...said(wording),
  premises: [],
  references: [],
  ...more,
})

export const finding = (
  place: Place,
  more: Partial<WriteInput<"publish_finding">> = {},
  wording = "The ramp lowered the loss.",
): WriteInput<"publish_finding"> => ({
  kind: "finding",
  ...where(place),
  ...said(wording),
  outcome: "positive",
  retrospective: false,
  evidence: [],
  provenance: { papers: [] },
  materials: [],
  references: [],
  ...more,
})

export const claim = (
  place: Place,
  more: Partial<WriteInput<"publish_cited_claim">> = {},
  wording = "A ramp was used.",
): WriteInput<"publish_cited_claim"> => ({
  kind: "cited_claim",
  ...where(place),
  ...said(wording),
  paper: { arxivId: "1706.03762" },
  quote: "We increased the rate linearly.",
  locator: { section: "5.3" },
  references: [],
  ...more,
})

export const premise = (versionId: string) => ({ versionId, explanation: "It rests on this." })
export const reference = (versionId: string, purpose: Purpose = "supports") => ({
  versionId,
  purpose,
  explanation: "It speaks of this.",
})
export const because = "For a reason."

export const proposal = (place: Place) =>
  ({
    ...where(place),
    question: "Does it hold?",
    scope: "Here.",
    hypotheses: [],
  }) satisfies WriteInput<"propose_experiment">

export const pin = { url: "https://git.example.org/lab/work", commit: "0123456789abcdef0123456789abcdef01234567" }

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
