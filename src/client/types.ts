/** The client's types, all of them made from the registry: what each operation and read takes and answers. */
import type { Receipt } from "../contract/answers/index.ts"
import type { OnWire } from "../contract/answers/fields.ts"
import type { DeliveryKey } from "../contract/definitions/operation.ts"
import type { StreamedType, IdsOf } from "../contract/definitions/read.ts"
import type { InputOf, OperationName, DefinitionOf as OperationOf, ResultOf } from "../contract/operations/index.ts"
import type { AnswerOf as ContractAnswerOf, ParametersOf, ReadName, DefinitionOf as ReadOf } from "../contract/reads/index.ts"

/** Shows an intersection as the one object that it is. */
type Flat<T> = { [K in keyof T]: T[K] } & {}

/** What a caller may give: lists and objects that are never changed, constants too. */
type Given<T> = T extends readonly (infer Item)[] ? readonly Given<Item>[] : T extends object ? { readonly [K in keyof T]: Given<T[K]> } : T

/** What the client fills in where the caller does not. */
type FilledIn = "schemaVersion" | DeliveryKey

/** Operations of the Rooms, whose receipts can be asked for. */
export type RoomOperation = { [N in AgentOperation]: OperationOf<N>["family"] extends "library" ? never : N }[AgentOperation]

/** Operations that a Room credential or a personal key is for. */
export type AgentOperation = { [N in OperationName]: OperationOf<N>["surface"] extends "agent" ? N : never }[OperationName]

/** The body of an operation and the ids of its path, in one object. */
export type WriteInput<N extends OperationName> = Flat<
  IdsOf<OperationOf<N>["path"]> & Given<Omit<InputOf<N>, FilledIn> & Partial<Pick<InputOf<N>, FilledIn & keyof InputOf<N>>>>
>

/** The receipt of an operation, its `result` typed. */
export type ReceiptOf<N extends OperationName> = Flat<Omit<Receipt, "operation" | "result"> & { operation: N; result: OnWire<ResultOf<N>> }>

/** Reads of people signed in to the browser. */
type BrowserOnly = "session" | "operator" | "visitor"
/** Reads whose answer comes while it is made: files, and events. */
export type FileRead = { [N in ReadName]: ReadOf<N>["mediaType"] extends StreamedType ? N : never }[ReadName]
/** Reads that need no session. */
export type AgentRead = Exclude<{ [N in ReadName]: ReadOf<N>["surface"] extends BrowserOnly ? never : N }[ReadName], FileRead>
/** Reads that can also be had in another form than their own. */
export type FormedRead = { [N in AgentRead]: keyof ReadOf<N>["formats"] extends never ? never : N }[AgentRead]
/** The other forms of a read. */
export type FormOf<N extends FormedRead> = Extract<keyof ReadOf<N>["formats"], string>
/** Reads that need no Room credential and no key; of one's own Library, whatever a key of one's own could read. */
export type BrowserRead = {
  [N in ReadName]: ReadOf<N>["surface"] extends BrowserOnly | "public" | "discovery" | "key"
    ? Exclude<N, "library_identity" | FileRead>
    : never
}[ReadName]
/** Reads that answer pages. */
export type ListName = { [N in AgentRead]: ReadOf<N>["cursor"] extends null ? never : N }[AgentRead]

/** The ids of a read's path and its query parameters, in one object; its own form is what it answers in. */
export type ReadInput<N extends ReadName> = Flat<IdsOf<ReadOf<N>["path"]> & Given<Omit<ParametersOf<N>, "format">>>

/** What a read answers: in the place of a text that was withheld, `{ withheld }`. */
export type AnswerOf<N extends ReadName> = OnWire<ContractAnswerOf<N>>

/** An item of a list. */
export type ItemOf<N extends ListName> = AnswerOf<N> extends { items: (infer Item)[] } ? Item : never

/** The arguments of a read: its input may be left out when nothing in it is required. */
export type ReadArguments<N extends ReadName, Options> =
  Record<never, never> extends ReadInput<N> ? [input?: ReadInput<N>, options?: Options] : [input: ReadInput<N>, options?: Options]
