/** The list of operations. Everything that needs to know which operations exist reads it here. */
import type * as v from "valibot"
import { libraryOperations } from "../library/operations.ts"
import type { Operation } from "../definitions/operation.ts"
import { present } from "../present.ts"
import type { IdsOf } from "../definitions/read.ts"
import { attemptOperations } from "./attempts.ts"
import { declareBoard } from "./boards.ts"
import { postResearchCheckpoint } from "./checkpoints.ts"
import { claimOperations } from "./claims.ts"
import { credentialOperations } from "./credentials.ts"
import { experimentOperations } from "./experiments.ts"
import { publishHypothesis } from "./hypotheses.ts"
import { linkOperations } from "./links.ts"
import { materialOperations } from "./materials.ts"
import { publicationOperations } from "./publications.ts"
import { submitReview } from "./reviews.ts"
import { roomOperations } from "./rooms.ts"
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

/** Every operation that a history may hold. */
export const everyOperation: readonly Operation[] = all
/** Those that somebody calls; what is done by command alone has no route. */
export const operations: readonly Operation[] = everyOperation.filter(({ surface }) => surface !== "command")

type Definition = (typeof all)[number]
export type OperationName = Definition["name"]
/** Those that somebody calls. */
export type CalledName = Exclude<Definition, { surface: "command" }>["name"]
export type DefinitionOf<N extends OperationName> = Extract<Definition, { name: N }>
/** The ids in the path of an operation. */
export type ParamsOf<N extends OperationName> = IdsOf<DefinitionOf<N>["path"]>
/** The body of an operation as the service sees it: checked, ids in lower case. */
export type BodyOf<N extends OperationName> = v.InferOutput<DefinitionOf<N>["body"]>
/** The body of an operation as a caller may send it. */
export type InputOf<N extends OperationName> = v.InferInput<DefinitionOf<N>["body"]>
/** What a receipt of the operation holds in `result`. */
export type ResultOf<N extends OperationName> = v.InferOutput<DefinitionOf<N>["result"]>

const byName = new Map(everyOperation.map((definition) => [definition.name, definition]))

/** The definition of an operation that is there. */
export const operationOf = (name: OperationName): Operation => present(byName.get(name))
/** The definition of what a history may hold. */
export const recordedOperation = (name: string): Operation | undefined => byName.get(name)
/** The definition of an operation that somebody may call. */
export function operationNamed(name: string): Operation | undefined {
  const found = byName.get(name)
  return found?.surface === "command" ? undefined : found
}

/** Operations whose receipts a member asks for with a credential: a person's Library is none of its business. */
export const receiptedOperations: readonly string[] = operations.flatMap(({ family, name }) => (family === "research" ? [name] : []))

/** The kinds of timeline entry that are receipts: of these only those that show an object take replies. */
export const receiptKinds: ReadonlySet<string> = new Set(operations.flatMap(({ entry }) => (entry?.form === "receipt" ? [entry.kind] : [])))
