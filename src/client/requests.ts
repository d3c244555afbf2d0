/** Looks up the contract's operations and reads by name, delivers writes, and walks lists page by page. */
import { discoveryRoutes } from "../discovery/routes.ts"
import type { Operation, DeliveryKey } from "../contract/definitions/operation.ts"
import {
  operations,
  type InputOf,
  type OperationName,
  type DefinitionOf as OperationOf,
  type ResultOf,
} from "../contract/operations/index.ts"
import type { Read, StreamedType, IdsOf } from "../contract/definitions/read.ts"
import {
  reads,
  type AnswerOf as ContractAnswerOf,
  type ParametersOf,
  type ReadName,
  type DefinitionOf as ReadOf,
} from "../contract/reads/index.ts"
import { delivery, type Input } from "../contract/definitions/requests.ts"
import { UncertainDelivery, UnexpectedAnswer, type Transport } from "./transport.ts"
import type { Receipt } from "../contract/answers/receipts.ts"
import type { OnWire } from "../contract/answers/fields.ts"

/** The caller's input as a plain object. */
export const membersOf = (input: object = {}): Input => Object.fromEntries(Object.entries(input))

const operationsByName = new Map(operations.map((definition) => [definition.name, definition]))
const readsByName = new Map([...reads, ...discoveryRoutes].map((definition) => [definition.name, definition]))

/** @throws TypeError for a name that the contract does not have */
export function operationOf(name: string): Operation {
  const definition = operationsByName.get(name)
  if (definition === undefined) throw new TypeError(`${name} is not an operation`)
  return definition
}

/** @throws TypeError for a name that the contract does not have */
export function readOf(name: string): Read {
  const definition = readsByName.get(name)
  if (definition === undefined) throw new TypeError(`${name} is not a read`)
  return definition
}

export interface WriteOptions {
  /** Whether to run every check and answer the receipt without storing anything; the id may be used again. */
  readonly rehearse?: boolean | undefined
  /** Aborts; a write that was already sent is uncertain. */
  readonly signal?: AbortSignal | undefined
}

/** The address and headers of a write. */
export interface Route {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly client?: Input | undefined
}

/**
 * Sends a write, each try with the same id, body and credential, and returns its receipt: new, replayed or rehearsed.
 * @throws RefusedError, UnexpectedAnswer, ConnectionLost (rehearsals), UncertainDelivery, TypeError for a missing path
 * id
 */
export async function deliver<Receipt>(
  transport: Transport,
  operation: Operation,
  route: Route,
  members: Input,
  { rehearse = false, signal }: WriteOptions,
): Promise<Receipt> {
  const { path, body, deliveryId, input } = delivery(operation, route.path, members, route.client)
  const result = await transport.persist<Receipt>({
    method: operation.method,
    path: rehearse ? `${path}?rehearse=1` : path,
    body,
    headers: { ...route.headers, "content-type": "application/json" },
    signal,
  })
  if ("value" in result) return result.value
  if (result.uncertain && !rehearse) throw new UncertainDelivery(operation.name, deliveryId, input, result.failure)
  throw result.failure
}

/** The members of every page that paging uses: offsets in the Library, cursors elsewhere. */
export interface AnyPage {
  readonly items: readonly unknown[]
  readonly hasMore: boolean
  readonly nextCursor?: string | number | null
  readonly nextOffset?: number | null
}

/**
 * Yields the pages of a list, with any kind of cursor, until there are no more. The input's own cursor is the start.
 */
export async function* walk<Page extends AnyPage>(
  read: Read,
  input: Input,
  ask: (input: Input) => Promise<Page>,
): AsyncGenerator<Page> {
  const name = Object.hasOwn(read.query.entries, "offset") ? "offset" : "after"
  for (let cursor = input[name]; ; ) {
    const page = await ask(cursor === undefined ? input : { ...input, [name]: cursor })
    yield page
    if (!page.hasMore) return
    const next = page.nextOffset ?? page.nextCursor
    // Without a cursor, or with the same one, the loop would never end.
    if (next === undefined || next === null || next === cursor)
      throw new UnexpectedAnswer(200, `A page of ${read.name} has more, but no cursor for it`, "")
    cursor = next
  }
}

// The client's types, derived from the registry: the input and answer of each operation and read.

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
