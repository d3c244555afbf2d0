/** The list of operations. Everything that needs to know which operations exist reads it here. */
import type * as v from "valibot"
import { libraryOperations } from "../library/operations.ts"
import type { Operation } from "../definitions/operation.ts"
import { present } from "../typed.ts"
import type { IdsOf } from "../definitions/read.ts"
import { attemptOperations } from "./attempts.ts"
import { declareBoard } from "./boards.ts"
import { postResearchCheckpoint } from "./checkpoints.ts"
import { claimOperations } from "./claims.ts"
import { credentialOperations, roomOperations } from "./rooms.ts"
import { experimentOperations } from "./experiments.ts"
import { publishHypothesis, publicationOperations } from "./publications.ts"
import { linkOperations } from "./links.ts"
import { materialOperations } from "./materials.ts"
import { submitReview } from "./reviews.ts"
import { threadOperations } from "./threads.ts"
import { withholdContent } from "./withholding.ts"

const all = [
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
