/** What an answer copies of what was accepted, as pages look into it: of these parts its schema tells readers less than is known here. */
import type { Protocol } from "../definitions/work.ts"
import type { BodyOf } from "../operations/index.ts"

/** What the content of every kind of record has in common, and what some add. */
export type RecordContent = Pick<BodyOf<"publish_hypothesis">, "assertion" | "concepts" | "scope"> &
  Partial<Pick<BodyOf<"publish_finding">, "outcome" | "evidence" | "provenance" | "retrospective" | "limitations" | "figures">> &
  Partial<Pick<BodyOf<"publish_cited_claim">, "paper" | "quote" | "locator">>

interface Verdict {
  readonly versionId?: string
  readonly verdict: string
  readonly explanation: string
}

/** The parts of answers that are looked into, each with what it holds. */
interface Contents {
  record: RecordContent
  plan: Omit<BodyOf<"accept_plan">, "protocol" | "sealed">
  link: { readonly correction?: string; readonly part?: string; readonly evidence?: readonly string[] }
  materials: readonly {
    readonly material: {
      readonly materialId: string
      readonly label: string
      readonly labelFromOtherRoom: boolean
      readonly name: string
      readonly obtainability: string
    } | null
    readonly purpose: string
  }[]
  verdict: Verdict
  verdicts: readonly Verdict[]
  protocol: Protocol
  checkpoint: Pick<BodyOf<"post_research_checkpoint">, "figures">
}

/** A part of an answer with what this service wrote into it. */
export const accepted = <P extends keyof Contents>(_part: P, value: unknown): Contents[P] => value as Contents[P]
