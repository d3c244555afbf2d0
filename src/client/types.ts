/** The client's types, derived from the registry: the input and answer of each operation and read. */
import type { Receipt } from "../contract/answers/index.ts"
import type { OnWire } from "../contract/answers/fields.ts"
import type { DeliveryKey } from "../contract/definitions/operation.ts"
import type { StreamedType, IdsOf } from "../contract/definitions/read.ts"
import type { InputOf, OperationName, DefinitionOf as OperationOf, ResultOf } from "../contract/operations/index.ts"
import type {
  AnswerOf as ContractAnswerOf,
  ParametersOf,
  ReadName,
  DefinitionOf as ReadOf,
} from "../contract/reads/index.ts"

/** Shows an intersection type as one object. */
type Flat<T> = { [K in keyof T]: T[K] } & {}

/** The read-only form of an input, so that callers may pass constants. */
type ReadonlyInput<T> = T extends readonly (infer Item)[]
  ? readonly ReadonlyInput<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: ReadonlyInput<T[K]> }
    : T

/** Members that the client fills in if they are left out. */
type FilledIn = "schemaVersion" | DeliveryKey

/** Operations of Rooms, whose receipts can be read. */
export type RoomOperation = {
  [N in AgentOperation]: OperationOf<N>["family"] extends "library" ? never : N
}[AgentOperation]

/** Operations for a Room credential or a personal key. */
export type AgentOperation = {
  [N in OperationName]: OperationOf<N>["surface"] extends "agent" ? N : never
}[OperationName]

/** The body of an operation and the ids of its path, as one object. */
export type WriteInput<N extends OperationName> = Flat<
  IdsOf<OperationOf<N>["path"]> &
    ReadonlyInput<Omit<InputOf<N>, FilledIn> & Partial<Pick<InputOf<N>, FilledIn & keyof InputOf<N>>>>
>

/** The receipt of an operation, with a typed `result`. */
export type ReceiptOf<N extends OperationName> = Flat<
  Omit<Receipt, "operation" | "result"> & { operation: N; result: OnWire<ResultOf<N>> }
>

/** Reads of people signed in to the browser. */
type BrowserOnly = "session" | "operator" | "visitor"
/** Reads with a streamed answer: files and events. */
export type FileRead = { [N in ReadName]: ReadOf<N>["mediaType"] extends StreamedType ? N : never }[ReadName]
/** Reads that need no session. */
export type AgentRead = Exclude<
  { [N in ReadName]: ReadOf<N>["surface"] extends BrowserOnly ? never : N }[ReadName],
  FileRead
>
/** Reads that have more formats. */
export type FormedRead = { [N in AgentRead]: keyof ReadOf<N>["formats"] extends never ? never : N }[AgentRead]
/** The other formats of a read. */
export type FormOf<N extends FormedRead> = Extract<keyof ReadOf<N>["formats"], string>
/** Reads for a browser session: those that need no credential or key, and the person's own Library. */
export type BrowserRead = {
  [N in ReadName]: ReadOf<N>["surface"] extends BrowserOnly | "public" | "discovery" | "key"
    ? Exclude<N, "library_identity" | FileRead>
    : never
}[ReadName]
/** Reads that answer with pages. */
export type ListName = { [N in AgentRead]: ReadOf<N>["cursor"] extends null ? never : N }[AgentRead]

/** The ids of a read's path and its query parameters, as one object, without `format`. */
export type ReadInput<N extends ReadName> = Flat<
  IdsOf<ReadOf<N>["path"]> & ReadonlyInput<Omit<ParametersOf<N>, "format">>
>

/** The answer of a read; a withheld text is `{ withheld }`. */
export type AnswerOf<N extends ReadName> = OnWire<ContractAnswerOf<N>>

export type ItemOf<N extends ListName> = AnswerOf<N> extends { items: (infer Item)[] } ? Item : never

/** The arguments of a read. The input is optional if it has no required member. */
export type ReadArguments<N extends ReadName, Options> =
  Record<never, never> extends ReadInput<N>
    ? [input?: ReadInput<N>, options?: Options]
    : [input: ReadInput<N>, options?: Options]
