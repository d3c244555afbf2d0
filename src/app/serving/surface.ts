/** The whole HTTP surface. The order of the routes is that in which they are matched. */
import { H3, type H3Event, type HTTPError } from "h3"
import { basePathOf } from "../../contract/base-path.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { familyOf } from "../../contract/versions.ts"
import { type Answer, refused } from "../../edge/answers/answer.ts"
import { discovery } from "../../http/discovery.ts"
import { type App, type Edge, fault, answerRefusal } from "../../edge/edge.ts"
import { attachmentRoutes } from "../../http/attachments.ts"
import { anyOrigin } from "../../edge/answers/public-answer.ts"
import { contextOf } from "../../edge/limits/request-context.ts"
import { readRoutes } from "../../http/reads.ts"
import { Routes } from "../../edge/requests/routes.ts"
import { actionRoutes, writeRoutes } from "../../http/writes.ts"
import { mcpRoute } from "../../mcp/route.ts"
import { pageRoutes } from "../../web/pages/index.ts"
import type { Instance } from "../compose/instance.ts"
import { pastsOnThisThread } from "../past/pasts.ts"

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
