/** Delivers a write: the same id, body and credential at every try, and a certain answer or an honest "uncertain". */
import type { Operation } from "../contract/definitions/operation.ts"
import { delivery, type Input } from "../contract/definitions/requests.ts"
import { UncertainDelivery } from "./errors.ts"
import type { Transport } from "./transport.ts"

export interface WriteOptions {
  /** Walk every check and answer the receipt that would be given; nothing is stored and the id stays fresh. */
  readonly rehearse?: boolean | undefined
  /** Gives up; a write that was sent by then is uncertain. */
  readonly signal?: AbortSignal | undefined
}

/** Where and as whom a write is sent. */
export interface Route {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly client?: Input | undefined
}

/**
 * Sends a write and returns its receipt: new, replayed or rehearsed.
 * @throws RefusedError, UnexpectedAnswer, ConnectionLost (rehearsals), UncertainDelivery, TypeError for a missing path id
 */
export async function deliver<Receipt>(
  transport: Transport,
  operation: Operation,
  route: Route,
  given: Input,
  { rehearse = false, signal }: WriteOptions,
): Promise<Receipt> {
  const { path, body, deliveryId, input } = delivery(operation, route.path, given, route.client)
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
