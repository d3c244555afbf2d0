/**
 * The parts of answers that are copied from accepted content, with their exact types: the schemas of answers describe
 * them more loosely.
 */
import type { MaterialSummary } from "../answers/materials.ts"
import type { Protocol } from "../definitions/work.ts"
import type { BodyOf } from "../operations/index.ts"

/** What the contents of all kinds of records have in common, and what some kinds add. */
export type RecordContent = Pick<BodyOf<"publish_hypothesis">, "assertion" | "concepts" | "scope"> &
  Partial<
    Pick<BodyOf<"publish_finding">, "outcome" | "evidence" | "provenance" | "retrospective" | "limitations" | "figures">
  > &
  Partial<Pick<BodyOf<"publish_cited_claim">, "paper" | "quote" | "locator">>

interface Verdict {
  readonly versionId?: string
  readonly verdict: string
  readonly explanation: string
}

interface Contents {
  record: RecordContent
  plan: Omit<BodyOf<"accept_plan">, "protocol" | "sealed">
  link: { readonly correction?: string; readonly part?: string; readonly evidence?: readonly string[] }
  materials: readonly {
    readonly material: Pick<
      MaterialSummary,
      "materialId" | "label" | "labelFromOtherRoom" | "name" | "obtainability"
    > | null
    readonly purpose: string
  }[]
  verdict: Verdict
  verdicts: readonly Verdict[]
  protocol: Protocol
  checkpoint: Pick<BodyOf<"post_research_checkpoint">, "figures">
}

/** Narrows a part of an answer to the type in which this service wrote it. */
export const accepted = <P extends keyof Contents>(_part: P, value: unknown): Contents[P] => value as Contents[P]
