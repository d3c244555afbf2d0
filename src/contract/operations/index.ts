/** The list of operations. Everything that needs to know which operations exist reads it here. */
import type * as v from "valibot"
import { threadOperations } from "../nouns/threads.ts"
import { publishHypothesis, publicationOperations } from "../nouns/records.ts"
import { linkOperations } from "../nouns/links.ts"
import { submitReview } from "../nouns/reviews.ts"
import { postResearchCheckpoint } from "../nouns/checkpoints.ts"
import { experimentOperations } from "../nouns/experiments.ts"
import { attemptOperations } from "../nouns/attempts.ts"
import { declareBoard } from "../nouns/boards.ts"
import { materialOperations, type MaterialSummary } from "../nouns/materials.ts"
import { claimOperations } from "../nouns/claims.ts"
import { roomOperations } from "../nouns/rooms.ts"
import { withholdContent } from "../nouns/withholding.ts"
import { credentialOperations } from "../nouns/credentials.ts"
import { libraryOperations } from "../library/operations.ts"
import type { Operation } from "../definitions/operation.ts"
import type { IdsOf } from "../definitions/read.ts"
import { present } from "../typed.ts"
import type { Protocol } from "../definitions/work.ts"

export const all = [
  ...threadOperations,
  publishHypothesis,
  ...publicationOperations,
  ...linkOperations,
  submitReview,
  postResearchCheckpoint,
  ...experimentOperations,
  ...attemptOperations,
  declareBoard,
  ...materialOperations,
  ...claimOperations,
  ...roomOperations,
  withholdContent,
  ...credentialOperations,
  ...libraryOperations,
] as const

/** Every operation that a history may contain. */
export const everyOperation: readonly Operation[] = all
/** The operations with a route; the others are done only on the command line. */
export const operations: readonly Operation[] = everyOperation.filter(({ surface }) => surface !== "command")

type Definition = (typeof all)[number]
export type OperationName = Definition["name"]
export type CalledName = Exclude<Definition, { surface: "command" }>["name"]
export type DefinitionOf<N extends OperationName> = Extract<Definition, { name: N }>
export type ParamsOf<N extends OperationName> = IdsOf<DefinitionOf<N>["path"]>
/** The body of an operation as the service sees it: validated, with ids in lower case. */
export type BodyOf<N extends OperationName> = v.InferOutput<DefinitionOf<N>["body"]>
/** The body of an operation as a caller may send it. */
export type InputOf<N extends OperationName> = v.InferInput<DefinitionOf<N>["body"]>
/** The `result` in a receipt of the operation. */
export type ResultOf<N extends OperationName> = v.InferOutput<DefinitionOf<N>["result"]>

/** The operations with which agents and people do research in a Room. */
export const researchWrites: readonly OperationName[] = all.flatMap(({ family, surface, name }) =>
  family === "research" && surface === "agent" ? [name] : [],
)

const byName = new Map(everyOperation.map((definition) => [definition.name, definition]))

/** The definition of an operation known by name. */
export const operationOf = (name: OperationName): Operation => present(byName.get(name))
/** The definition of an operation in a history; undefined if there is none with this name. */
export const recordedOperation = (name: string): Operation | undefined => byName.get(name)
/** The definition of an operation with a route; undefined if there is none with this name. */
export function operationNamed(name: string): Operation | undefined {
  const found = byName.get(name)
  return found?.surface === "command" ? undefined : found
}

/** Operations whose receipts can be read with a credential. Receipts of a person's Library cannot. */
export const receiptedOperations: readonly string[] = operations.flatMap(({ family, name }) =>
  family === "research" ? [name] : [],
)

/** The kinds of timeline entries that are receipts. Only some of these take replies. */
export const receiptKinds: ReadonlySet<string> = new Set(
  operations.flatMap(({ entry }) => (entry?.form === "receipt" ? [entry.kind] : [])),
)

// The parts of answers that are copied from accepted content, with their exact types: the schemas of answers describe
// them more loosely.

/** What the contents of all kinds of records have in common, and what some kinds add. */
export type RecordContent = Pick<BodyOf<"publish_hypothesis">, "assertion" | "concepts" | "scope"> &
  Partial<Own<"publish_finding"> & Own<"publish_cited_claim">>
type Own<N extends "publish_finding" | "publish_cited_claim"> = Omit<BodyOf<N>, keyof BodyOf<"publish_hypothesis">>

interface Verdict {
  readonly versionId?: string
  readonly verdict: string
  readonly explanation: string
  readonly part?: string
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
}

/** Narrows a part of an answer to the type in which this service wrote it. */
export const accepted = <P extends keyof Contents>(_part: P, value: unknown): Contents[P] => value as Contents[P]
