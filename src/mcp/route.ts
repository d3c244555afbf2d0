/** `/mcp`: the route for agents that speak MCP, with the authentication and limits of every route. */
import type { H3Event } from "h3"
import { mcpPath, familyOf } from "../contract/service.ts"
import { uploadFigure } from "../contract/definitions/attachments.ts"
import { limits } from "../contract/limits.ts"
import { Refusal } from "../contract/refusals.ts"
import { Answer, answer, refusalText } from "../edge/answers/answer.ts"
import { readJsonBody } from "../edge/limits/body.ts"
import { bearer, mustNotComeFromBrowser } from "../edge/identity/callers.ts"
import type { Edge } from "../edge/edge.ts"
import { contextOf, madeFor } from "../edge/limits/request-context.ts"
import type { Routes } from "../edge/requests/routes.ts"
import { tokenPrefixes } from "../people/tokens.ts"
import type { Bearer, ServiceCaller } from "./tool-answer.ts"
import { isUpload } from "./uploading.ts"

/** Sends a request to the application inside this process. */
export type Within = (url: string, init: RequestInit, context: Record<string, unknown>) => Response | Promise<Response>

/** The kind of token in the request. An invalid one is refused whatever the message. @throws Refusal */
function bearerOf(edge: Edge, event: H3Event): Bearer {
  const authorization = event.req.headers.get("authorization")
  if (authorization === null) return "none"
  const isKey = authorization.trim().split(/\s+/)[1]?.startsWith(tokenPrefixes.personalKey) === true
  bearer(edge, isKey ? "library" : "research", event, "GET")
  return isKey ? "key" : "credential"
}

/** The most characters in an address: what HTTP allows with headers. */
const LONGEST_PATH = 16_384

const tooLong = new Refusal("invalid_parameter", `The ids and parameters are over ${LONGEST_PATH} characters together.`)

interface LocalCaller extends ServiceCaller {
  /** Whether it asked anything in the name of the bearer. Otherwise its answer holds what everybody may read. */
  hasAskedAsBearer: boolean
}

/** Calls the service's routes inside this process. Each request counts against the agent's limits. */
function localCaller(edge: Edge, within: Within, event: H3Event): LocalCaller {
  const { baseUrl, rates } = edge
  const context = contextOf(event)
  const authorization = event.req.headers.get("authorization")
  return {
    baseUrl,
    bearer: bearerOf(edge, event),
    hasAskedAsBearer: false,
    async ask({ method, path, body, mediaType = "application/json", asBearer }, signal) {
      this.hasAskedAsBearer ||= asBearer
      const refusal = path.length > LONGEST_PATH ? tooLong : (rates?.request(context.address) ?? null)
      if (refusal !== null) return { status: refusal.status, text: refusalText(refusal, familyOf(path)) }
      const { origin, host } = new URL(baseUrl)
      const headers = {
        host,
        ...(asBearer && authorization !== null && { authorization }),
        ...(body !== undefined && { "content-type": mediaType }),
      }
      const init = { method, headers, body: body ?? null, signal: signal ?? null }
      const response = await within(`${origin}${path}`, init, madeFor(context))
      return { status: response.status, text: await response.text() }
    },
  }
}

/** Adds the route. @param within the application */
export function mcpRoute(edge: Edge, routes: Routes, within: Within): void {
  routes.add("POST", mcpPath, async (event): Promise<Answer> => {
    mustNotComeFromBrowser(event)
    const door = localCaller(edge, within, event)
    const message = await readJsonBody(event, {
      most: limits.figureMessageBytes,
      name: uploadFigure.name,
      isOne: isUpload,
    })
    if (Array.isArray(message))
      throw new Refusal("invalid_schema", "Send one message per request: batches are not supported.", {
        issues: [{ path: "", message: "must be an object" }],
      })
    // Loaded for the first agent: most instances start without one.
    const { answerHttpMessage } = await import("./server.ts")
    const { softwareVersion: version, requestLog } = edge
    const request = new Request(event.url, { method: "POST", headers: event.req.headers, signal: event.req.signal })
    const response = await answerHttpMessage(
      door,
      version,
      (error) => requestLog?.failed(contextOf(event), error),
      request,
      message,
    )
    const type = response.headers.get("content-type")?.split(";")[0] ?? "application/json"
    const { body, status, headers } = answer(await response.text(), type, response.status)
    // The tools, the skill, schemas and public reads are most of what an agent reads before it writes.
    return new Answer(body, { status, headers, isForAll: !door.hasAskedAsBearer })
  })
}
