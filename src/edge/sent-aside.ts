/** A request on its way to a thread beside this one. Who asks, and how often they may, is known here. */
import type { H3Event } from "h3"
import { sharedBy } from "./address.ts"
import { Answer } from "./answer.ts"
import type { Cost } from "./aside.ts"
import { signedIn } from "./callers.ts"
import type { Edge } from "./edge.ts"
import { contextOf, nodeSide } from "./request-context.ts"

/** Whether pages are made there: who is signed in changes them. Public reads are the same for all. */
const isPage = (path: string): boolean => !path.startsWith("/api/")

/**
 * Gives the memory of a body back as soon as the system has all of it. V8 counts bytes that stand outside its heap as its own:
 * a few long answers make it collect everything that this thread holds, and everybody waits for that.
 */
function letGoWhenSent(event: H3Event, { buffer }: Uint8Array<ArrayBuffer>): void {
  const response = nodeSide(event)?.res
  // What was broken off may still be in the hands of the system.
  response?.once("close", () => response.writableFinished && buffer.transfer(0))
}

/**
 * Has another thread answer a request that only reads.
 * @param path the route's, as the registry writes it
 * @returns null where this thread is to answer: there is no other, or an earlier moment is asked for, which is kept here
 * @throws Refusal 429 for more than somebody may ask, 503 where as many wait as may
 */
export async function sentAside(edge: Edge, event: H3Event, path: string, cost: Cost): Promise<Answer | null> {
  const { aside, budgets } = edge
  const { req, url } = event
  const { method } = req
  if (aside === undefined || url.searchParams.has("at") || (method !== "GET" && method !== "HEAD")) return null
  const context = contextOf(event)
  const person = (isPage(path) ? signedIn(edge, event) : undefined) ?? null
  const letGo = budgets?.holdRead(sharedBy(context.address))
  try {
    const { address, id } = context
    const headers = [...req.headers].filter(([name]) => name !== "authorization")
    const told = await aside.answer({ method, target: `${url.pathname}${url.search}`, headers, address, id, person }, cost, req.signal)
    if (told === null) return null
    context.refusal = told.refusal
    if (told.body !== null) letGoWhenSent(event, told.body)
    return new Answer(told.body, { ...told, isReady: true })
  } finally {
    letGo?.()
  }
}
