/** A request on its way to a thread beside this one. Who asks, and how often they may, is known here. */
import type { H3Event } from "h3"
import { sharedBy } from "./address.ts"
import { Answer } from "./answer.ts"
import type { Cost } from "./aside.ts"
import { signedIn } from "./callers.ts"
import type { Edge } from "./edge.ts"
import { contextOf } from "./request-context.ts"

/** Whether pages are made there: who is signed in changes them. Public reads are the same for all. */
const isPage = (path: string): boolean => !path.startsWith("/api/")

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
    return new Answer(told.body, { ...told, isReady: true })
  } finally {
    letGo?.()
  }
}
