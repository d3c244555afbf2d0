/** Sends a request to a reading thread. The serving thread knows who asks, and how often they may. */
import type { H3Event } from "h3"
import { sharedBy } from "../limits/address.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { Answer } from "../answers/answer.ts"
import { signedIn } from "../identity/callers.ts"
import type { Edge, Refused } from "../edge.ts"
import type { Cost } from "../limits/readers.ts"
import { contextOf, nodeSide } from "../limits/request-context.ts"
import type { Past } from "../past-rooms.ts"
import { type Moment, pastOf } from "./past.ts"

/** Whether a path is a page, which depends on who is signed in. Public reads are the same for everybody. */
const isPage = (path: string): boolean => !path.startsWith("/api/")

/**
 * Frees the memory of a body as soon as the system has all of it. V8 counts bytes outside its heap as its own: a few long answers
 * would make it collect everything that this thread holds, and everybody would wait for that.
 */
function freeWhenSent(event: H3Event, { buffer }: Uint8Array<ArrayBuffer>): void {
  const response = nodeSide(event)?.res
  // The system may still hold a body that was broken off.
  response?.once("close", () => response.writableFinished && buffer.transfer(0))
}

/** How reading threads take the requests of a route. */
export interface Offloading {
  readonly cost: Cost
  /** The earlier moment that a request asks for; left out, the route has none. @throws Refusal */
  readonly moment?: (event: H3Event) => Moment | undefined
  /** Answers what was refused or failed on the way to a reading thread; left out, the answer is that of an API. */
  readonly refused?: Refused
}

/** The Room as it was that a request asks for: undefined for the present, null where it cannot be had. */
async function pastFor(edge: Edge, event: H3Event, { moment }: Offloading): Promise<Past | null | undefined> {
  try {
    const asked = moment?.(event)
    return asked && (await pastOf(edge, asked))
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

/**
 * Has a reading thread answer a request that only reads.
 * @param path the route's, as the registry writes it
 * @returns null where this thread has to answer: there are no reading threads, or none can read the moment that is asked for
 * @throws Refusal 429 for a caller who asks for too much at once, 503 when too many callers wait
 */
export async function offload(edge: Edge, event: H3Event, path: string, offloading: Offloading): Promise<Answer | null> {
  const { readers, budgets } = edge
  const { req, url } = event
  const { method } = req
  if (readers === undefined || (method !== "GET" && method !== "HEAD")) return null
  using past = await pastFor(edge, event, offloading)
  if (past === null || past?.file === null) return null
  const context = contextOf(event)
  const person = (isPage(path) ? signedIn(edge, event) : undefined) ?? null
  const release = budgets?.holdRead(sharedBy(context.address))
  try {
    const { address, id } = context
    const headers = [...req.headers].filter(([name]) => name !== "authorization")
    const response = await readers.answer(
      {
        method,
        target: `${url.pathname}${url.search}`,
        headers,
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
  } finally {
    release?.()
  }
}
