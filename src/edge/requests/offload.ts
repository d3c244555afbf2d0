/** Sends a request to a reader thread. The serving thread keeps authentication and limits. */
import type { H3Event } from "h3"
import { callerKey, sharedBy } from "../limits/address.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { Answer } from "../answers/answer.ts"
import { signedIn } from "../identity/callers.ts"
import type { Edge, Past, Refused } from "../edge.ts"
import type { Cost } from "../limits/readers.ts"
import { contextOf, isReading, nodeSide } from "../limits/request-context.ts"
import { type Moment, pastOf } from "./reads.ts"

/**
 * Frees the memory of a body as soon as the system has sent it. V8 counts memory outside its heap as its own: a few
 * long responses would trigger a full collection of this thread's heap, and every request would wait for that.
 */
function freeWhenSent(event: H3Event, { buffer }: Uint8Array<ArrayBuffer>): void {
  const response = nodeSide(event)?.res
  // If the connection broke, the system may still hold the body.
  response?.once("close", () => response.writableFinished && buffer.transfer(0))
}

/** How reader threads answer the requests of a route. */
export interface Offloading {
  readonly cost: Cost
  /** The earlier moment that a request asks for; left out, the route has none. @throws Refusal */
  readonly moment?: (event: H3Event) => Moment | undefined
  /** Receives the body of a read that has one. @throws Refusal */
  readonly body?: (event: H3Event) => Promise<Uint8Array>
  /** Answers what was refused or failed before it reached a reader thread; left out, with an API's refusal. */
  readonly refused?: Refused
}

/** The Room at the moment that a request asks for: undefined for the present, null if it is refused. */
async function pastFor(edge: Edge, event: H3Event, { moment }: Offloading): Promise<Past | null | undefined> {
  try {
    const requested = moment?.(event)
    return requested && (await pastOf(edge, requested, callerKey(contextOf(event))))
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

/**
 * Has a reader thread answer a read or a page.
 * @param path the path pattern from the registry
 * @returns null if this thread must answer: there are no reader threads, or they cannot read the requested moment
 * @throws Refusal 429 if the caller reached a limit, 503 if too many callers wait
 */
export async function offload(
  edge: Edge,
  event: H3Event,
  path: string,
  offloading: Offloading,
): Promise<Answer | null> {
  const { readers, budgets } = edge
  const { req, url } = event
  const { method } = req
  const receive = method === "POST" ? offloading.body : undefined
  if (readers === undefined || !(isReading(method) || (method === "POST" && receive !== undefined))) return null
  using past = await pastFor(edge, event, offloading)
  if (past === null || past?.file === null) return null
  const context = contextOf(event)
  // The content of a page depends on who is signed in. Public reads are the same for everybody.
  const person = path.startsWith("/api/") ? null : (signedIn(edge, event) ?? null)
  using held = new DisposableStack()
  if (budgets !== undefined) held.defer(budgets.holdRead(sharedBy(context.address)))
  const { address, id } = context
  const body = await receive?.(event)
  const headers = [...req.headers].filter(([name]) => name !== "authorization")
  const response = await readers.answer(
    {
      method,
      target: `${url.pathname}${url.search}`,
      headers,
      ...(body !== undefined && { body }),
      address,
      id,
      person,
      past: past ? { roomId: past.roomId, asOf: past.asOf, file: past.file } : null,
    },
    offloading.cost,
    req.signal,
  )
  if (response === null) return null
  context.refusal = response.refusal
  if (response.body !== null) freeWhenSent(event, response.body)
  return new Answer(response.body, { ...response, isReady: true })
}
