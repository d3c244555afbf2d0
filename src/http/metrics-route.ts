/** The metrics: for callers on this machine, or with the operator's token. To everybody else the path is not there. */
import { createHash, timingSafeEqual } from "node:crypto"
import type { H3Event } from "h3"
import { metricsRead } from "../discovery/routes.ts"
import { checkParameters } from "../contract/definitions/check-parameters.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { addressOf, isLoopback } from "../edge/limits/address.ts"
import { answer } from "../edge/answers/answer.ts"
import type { Edge } from "../edge/edge.ts"
import { metricsType } from "../edge/telemetry/metrics.ts"
import { nodeSide, contextOf } from "../edge/limits/request-context.ts"
import type { Routes } from "../edge/requests/routes.ts"

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Headers by which a proxy says that it passes somebody else's request on. */
const passedOn = ["x-forwarded-for", "forwarded", "via", "x-real-ip"]

/**
 * Whether a request comes from this machine and from nobody else through it. A service that is published under another name
 * stands behind a proxy, which may be silent about whom it speaks for: then nobody is taken for a caller on this machine.
 */
function isLocal({ baseUrl }: Edge, event: H3Event): boolean {
  const request = nodeSide(event)?.req
  const { hostname } = new URL(baseUrl)
  const published = hostname !== "localhost" && !isLoopback(hostname.replace(/^\[|\]$/g, ""))
  return (
    !published && request !== undefined && isLoopback(addressOf(request, false)) && passedOn.every((name) => !event.req.headers.has(name))
  )
}

/** Whether a request brings the operator's token; compared by digests, in a time that says nothing. @throws Refusal after too many wrong ones */
function bringsToken({ metricsToken, rates }: Edge, event: H3Event): boolean {
  const given = /^Bearer +(\S+)$/i.exec(event.req.headers.get("authorization") ?? "")?.[1]
  if (metricsToken === undefined || given === undefined) return false
  if (timingSafeEqual(digest(given), digest(metricsToken))) return true
  rates?.refusedCredential(contextOf(event))
  return false
}

/** Adds the metrics' route. */
export function metricsRoute(edge: Edge, routes: Routes): void {
  routes.add(metricsRead.method, metricsRead.path, async (event) => {
    if (edge.metrics === undefined || !(bringsToken(edge, event) || isLocal(edge, event)))
      throw new Refusal("unknown_operation", "Nothing is served here to you.")
    checkParameters(metricsRead, event.url.searchParams)
    return answer(await edge.metrics.text(), metricsType)
  })
}
