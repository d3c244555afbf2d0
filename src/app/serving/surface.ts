/** The whole HTTP surface of a service or a read-only copy. Routes are matched in their order here. */
import { H3, type H3Event, type HTTPError } from "h3"
import type { Logger } from "pino"
import { basePathOf, familyOf } from "../../contract/service.ts"
import { Refusal } from "../../contract/refusals.ts"
import { type Answer, refused, anyOrigin } from "../../edge/answers/answer.ts"
import { discovery } from "../../http/discovery.ts"
import { type App, type Edge, fault, answerRefusal } from "../../edge/edge.ts"
import { attachmentRoutes } from "../../http/attachments.ts"
import { contextOf } from "../../edge/limits/request-context.ts"
import { readRoutes } from "../../http/reads.ts"
import { Routes } from "../../edge/requests/routes.ts"
import { actionRoutes } from "../../edge/requests/actions.ts"
import { writeRoutes } from "../../edge/requests/writes.ts"
import { mcpRoute } from "../../mcp/route.ts"
import { pageRoutes } from "../../web/pages/index.ts"
import type { Instance } from "../compose/instance.ts"
import { pastsOnThisThread } from "../past/pasts.ts"
import { withoutTrailing } from "../../contract/text.ts"
import { type BudgetNumbers, Budgets, standardBudgets } from "../../edge/limits/budgets.ts"
import { RequestLog } from "../../edge/telemetry/request-log.ts"
import type { Metrics } from "../../edge/telemetry/metrics.ts"
import { RateLimits, type RateNumbers, standardRates } from "../../edge/limits/rate-limits.ts"
import { belowLimit, openFilesLimit } from "../../edge/limits/budgets.ts"
import { softwareVersion } from "../../packaged.ts"

const nothingHere = (event: H3Event) =>
  new Refusal(
    "unknown_operation",
    `Nothing is served at ${event.url.pathname}. The manifest at /api/manifest lists what is.`,
  )

/** The parts of the edge. Without `pasts`, this thread builds past states itself. */
export interface AppParts extends Omit<Edge, "instance"> {
  readonly instance: Instance
}

/** Builds the application around an instance. */
export function createApp(parts: AppParts): App {
  const edge: Edge = { ...parts, pasts: parts.pasts ?? pastsOnThisThread(parts.instance, basePathOf(parts)) }
  const app = new H3({
    // Failures are logged below; the framework would print refusals too.
    silent: true,
    async onError(error, event) {
      return (await unanswered(error, event)).leaving
    },
  })
  const unanswered = (error: HTTPError, event: H3Event): Answer | Promise<Answer> => {
    const family = familyOf(event.url.pathname)
    if (error.cause instanceof Refusal) {
      const answer = answerRefusal(edge, event, error.cause, family)
      if (routes.isForEveryOrigin(event.req.method, event.url.pathname)) Object.assign(answer.headers, anyOrigin)
      return answer
    }
    if (error.status === 404) return pages.missing(event) ?? answerRefusal(edge, event, nothingHere(event), family)
    if (error.status < 500)
      return answerRefusal(
        edge,
        event,
        new Refusal("unknown_operation", "The address of this request cannot be read."),
        family,
      )
    edge.requestLog?.failed(contextOf(event), error)
    return refused(fault(event.req.method), family)
  }

  const routes = new Routes(app, edge)
  discovery(edge, routes)
  readRoutes(edge, routes)
  writeRoutes(edge, routes)
  attachmentRoutes(edge, routes)
  actionRoutes(edge, routes)
  mcpRoute(edge, routes, (url, init, context) => app.request(url, init, context))
  const pages = pageRoutes(edge, routes)
  routes.refuseOtherMethods()
  return Object.assign(app, {
    edge,
    serves: (method: string, path: string) => routes.has(method, path),
    isForEveryOrigin: (method: string, path: string) => routes.isForEveryOrigin(method, path),
  })
}

// The parts of the edge that both a service and a read-only copy have.

export interface EdgeOptions {
  readonly log: Logger
  /** Rate limits: those of the contract or others; off by default. */
  readonly rateLimits?: "on" | "off" | RateNumbers | undefined
  /** The budgets for bodies, connections and held feeds, if not those of the contract. */
  readonly budgets?: BudgetNumbers | undefined
  /** Whether a proxy in front of the service appends the client's address to `X-Forwarded-For`. */
  readonly trustProxy?: "on" | "off" | undefined
  readonly logRequests?: "on" | "off" | undefined
  /** The bearer token for the metrics; without it only callers on this machine may read them. */
  readonly metricsToken?: string | undefined
  /** Where to report a vulnerability. */
  readonly securityContact?: string | undefined
}

const urlHost = (host: string) =>
  host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host

/** The parts of the edge that do not depend on the instance. */
export function edgeParts(
  { log, rateLimits = "off", trustProxy, logRequests, metricsToken, securityContact }: EdgeOptions,
  metrics: Metrics,
) {
  const rates = rateLimits === "off" ? undefined : new RateLimits(rateLimits === "on" ? standardRates : rateLimits)
  if (rates !== undefined) rates.onRefused = (what) => metrics.limited(what)
  return {
    softwareVersion,
    log,
    requestLog: new RequestLog(log, logRequests === "on"),
    metrics,
    trustProxy: trustProxy === "on",
    ...(rates && { rates }),
    ...(metricsToken !== undefined && { metricsToken }),
    ...(securityContact !== undefined && { securityContact }),
  }
}

/** Creates the budgets of this process, with no more connections than the system allows. */
export function budgetsHere({ budgets: wanted = standardBudgets, log }: Pick<EdgeOptions, "budgets" | "log">): Budgets {
  const files = openFilesLimit()
  const numbers = belowLimit(wanted, files)
  const { total } = numbers.connections
  if (total < wanted.connections.total)
    log.warn(
      { files, connections: total },
      "the system limits the open files of this process, so it accepts fewer connections; raise the limit",
    )
  return new Budgets(numbers)
}

/** Returns the address of a service without a trailing slash: its base URL, or the address it listens on. */
export const addressAt = (
  { baseUrl, host }: { readonly baseUrl?: string | undefined; readonly host: string },
  port: number,
): string => (baseUrl === undefined ? `http://${urlHost(host)}:${port}` : withoutTrailing(baseUrl, "/"))
