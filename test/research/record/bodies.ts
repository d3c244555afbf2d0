/** The shortest valid bodies of records, for whatever a test does not care about. */
import type { WriteInput } from "research-room/client"

type Purpose = WriteInput<"publish_hypothesis">["references"][number]["purpose"]

export interface Place {
  readonly roomId: string
  readonly threadId: string
}

/** A well-formed id that belongs to nothing. */
export const nobody = "0198f3a0-dead-4ead-8ead-00000000dead"

export const sha256 = (digit: string): string => `sha256:${digit.repeat(64)}`

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
