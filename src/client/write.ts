/** Delivers a write: each try has the same id, body and credential, and the result is certain or declared uncertain. */
import type { Operation } from "../contract/definitions/operation.ts"
import { delivery, type Input } from "../contract/definitions/requests.ts"
import { UncertainDelivery } from "./errors.ts"
import type { Transport } from "./transport.ts"

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
 * Sends a write and returns its receipt: new, replayed or rehearsed.
 * @throws RefusedError, UnexpectedAnswer, ConnectionLost (rehearsals), UncertainDelivery, TypeError for a missing path id
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
