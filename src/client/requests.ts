/** Looks up the contract's operations and reads by name, delivers writes, and walks lists page by page. */
import { discoveryRoutes } from "../discovery/routes.ts"
import type { Operation } from "../contract/definitions/operation.ts"
import { operations } from "../contract/operations/index.ts"
import type { Read } from "../contract/definitions/read.ts"
import { reads } from "../contract/reads/index.ts"
import { delivery, type Input } from "../contract/definitions/requests.ts"
import { UncertainDelivery, UnexpectedAnswer } from "./errors.ts"
import type { Transport } from "./transport.ts"

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
