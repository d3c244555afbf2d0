/**
 * Serves the metrics to callers on this machine or with the operator's token. For everybody else the path does not
 * exist.
 */
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

/** Headers that show that a proxy forwarded the request. */
const proxyHeaders = ["x-forwarded-for", "forwarded", "via", "x-real-ip"]

/**
 * Whether a request comes from this machine and was not forwarded. A service with a public name is behind a proxy,
 * which may not say for whom it forwards; then no request counts as local.
 */
function isLocal({ baseUrl }: Edge, event: H3Event): boolean {
  const request = nodeSide(event)?.req
  const { hostname } = new URL(baseUrl)
  const published = hostname !== "localhost" && !isLoopback(hostname.replace(/^\[|\]$/g, ""))
  return (
    !published &&
    request !== undefined &&
    isLoopback(addressOf(request, false)) &&
    proxyHeaders.every((name) => !event.req.headers.has(name))
  )
}

/**
 * Whether the request carries the operator's token. Compares digests in constant time. @throws Refusal after too many
 * wrong ones
 */
function hasToken({ metricsToken, rates }: Edge, event: H3Event): boolean {
  const token = /^Bearer +(\S+)$/i.exec(event.req.headers.get("authorization") ?? "")?.[1]
  if (metricsToken === undefined || token === undefined) return false
  if (timingSafeEqual(digest(token), digest(metricsToken))) return true
  rates?.refusedCredential(contextOf(event))
  return false
}

/** Adds the metrics' route. */
export function metricsRoute(edge: Edge, routes: Routes): void {
  routes.add(metricsRead.method, metricsRead.path, async (event) => {
    if (edge.metrics === undefined || !(hasToken(edge, event) || isLocal(edge, event)))
      throw new Refusal("unknown_operation", "There is nothing at this address.")
    checkParameters(metricsRead, event.url.searchParams)
    return answer(await edge.metrics.text(), metricsType)
  })
}
