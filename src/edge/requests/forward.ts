/** Forwards what a copy does not answer itself: redirects to the original, or relays the original's response. */
import { once } from "node:events"
import { Agent as PlainAgent, type IncomingMessage, request as requestHttp } from "node:http"
import { Agent as TlsAgent, request as requestHttps } from "node:https"
import { Readable } from "node:stream"
import type { H3Event } from "h3"
import { mcpPath } from "../../contract/base-path.ts"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { Answer, commonHeaders } from "../answers/answer.ts"
import { fault } from "../edge.ts"
import { tooLarge } from "../limits/receiving.ts"
import { contextOf, isReading, nodeSide } from "../limits/request-context.ts"

const AT_ONCE = 64
/** Milliseconds without data after which a request to the original fails: longer than a feed stays open. */
const SILENCE = 40_000

/** Request headers of this hop only, or that the copy sets itself. */
const hopHeaders =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|expect|accept-encoding|content-length|forwarded|x-forwarded-.*|x-request-id|date)$/

/** The request headers to forward. The `Connection` header names more that belong to this hop only. */
function forwardedHeaders(headers: IncomingMessage["headers"]): Record<string, string> {
  const named = new Set(
    (headers.connection ?? "")
      .toLowerCase()
      .split(",", 20)
      .map((name) => name.trim()),
  )
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || hopHeaders.test(name) || named.has(name)
        ? []
        : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  )
}

/** The prefix of a service's cookie names. */
const COOKIES = "research_room_"

/** Response headers that only the original knows. The copy sets all others (security, CORS, scripts to load) itself. */
const relayed = [
  ...[
    "allow",
    "cache-control",
    "content-disposition",
    "content-type",
    "etag",
    "link",
    "location",
    "retry-after",
    "vary",
  ],
  ...["www-authenticate"],
]

/**
 * The media types of a service's responses. A browser runs none of them as a script: only the copy's own scripts run
 * from its address.
 */
const KNOWN_TYPE =
  /^(?:image\/x-icon|text\/(?:html|plain|markdown|x-python|csv)|application\/(?:json|yaml|zip|x-ndjson|x-bibtex|x-research-info-systems|[a-z.]{1,60}\+(?:json|xml)))(?:;|$)/

/** Whether a response is one that a research-room gives, so that the copy may send it as its own. */
function isKnown({ statusCode = 0, headers }: IncomingMessage, path: string): boolean {
  if (statusCode < 200 || statusCode > 599 || headers["content-encoding"] !== undefined) return false
  const hasBody = statusCode !== 204 && statusCode !== 304 && headers["content-length"] !== "0"
  if (hasBody && headers["content-type"] !== undefined && !KNOWN_TYPE.test(headers["content-type"])) return false
  // Pages redirect with 303 only. Any other redirect would send a body or a credential to its target.
  return statusCode < 300 || statusCode > 399 || statusCode === 304 || (statusCode === 303 && !path.startsWith("/api/"))
}

function relayedHeaders({ headers }: IncomingMessage): Record<string, string> {
  const cookies = (headers["set-cookie"] ?? []).filter(
    (cookie) => cookie.startsWith(COOKIES) && !/;\s{0,9}domain\b/i.test(cookie),
  )
  return {
    ...commonHeaders,
    ...Object.fromEntries(
      relayed.flatMap((name) => (typeof headers[name] === "string" ? [[name, headers[name]]] : [])),
    ),
    // A service sets at most one.
    ...(cookies[0] !== undefined && { "set-cookie": cookies[0] }),
  }
}

export interface Original {
  /** Its address, without a slash at the end. */
  readonly address: string
  /** Answers a request that the copy cannot. @throws Refusal */
  answer(event: H3Event): Answer | Promise<Answer>
}

const addressOf = (address: string, { url }: H3Event): string => `${address}${url.pathname}${url.search}`

/** Redirects the caller to the original with the same method and body. */
export const sendingOn = (address: string): Original => ({
  address,
  answer: (event) =>
    new Answer(null, { status: 307, headers: { ...commonHeaders, location: addressOf(address, event) } }),
})

/**
 * Relays the original's responses.
 * @param own the copy's address: pages of the copy may write through it
 * @param headersWithin milliseconds within which the response headers must arrive
 */
export function passingThrough(address: string, own: string, headersWithin = 1.5 * SILENCE): Original {
  const { protocol } = new URL(address)
  const send = protocol === "https:" ? requestHttps : requestHttp
  const agent = new (protocol === "https:" ? TlsAgent : PlainAgent)({ keepAlive: true, maxSockets: AT_ONCE })
  let inProgress = 0

  async function relay(event: H3Event): Promise<Answer> {
    const node = nodeSide(event)
    const { method } = event.req
    const unable = (why: string) => fault(method, `The service that this copy is of ${why}`, 2)
    const silent = () => unable("does not answer")
    if (node === undefined || inProgress >= AT_ONCE) throw silent()
    inProgress += 1
    node.res.once("close", () => (inProgress -= 1))
    const { origin } = node.req.headers
    const request = send(addressOf(address, event), {
      agent,
      method,
      timeout: SILENCE,
      headers: {
        ...forwardedHeaders(node.req.headers),
        ...(origin !== undefined && origin === new URL(own).origin && { origin: new URL(address).origin }),
        "x-forwarded-for": contextOf(event).address,
      },
    })
    // The promise below reports errors; this listener is for those after the response.
    request.on("error", () => {})
    request.on("timeout", () => request.destroy(new Error("silent")))
    node.res.once("close", () => request.destroy())
    try {
      const response = new Promise<IncomingMessage>((resolve, reject) =>
        request.once("response", resolve).once("error", reject).once("close", reject),
      )
      // The promise may reject while the body is still being sent. A failed upgrade only closes the connection.
      response.catch(() => undefined)
      if (!isReading(method))
        await sendBody(node.req, request, mostAt(event.url.pathname), () => node.res.sendContinue())
      request.end()
      // Headers that arrive byte by byte would never reach the silence timeout.
      const tooSlow = setTimeout(() => request.destroy(new Error("slow")), headersWithin)
      const answer = await response.finally(() => clearTimeout(tooSlow))
      if (!isKnown(answer, event.url.pathname))
        throw unable("gave an answer that no research-room gives, so it was not passed through")
      return new Answer(method === "HEAD" ? null : Readable.toWeb(answer), {
        status: answer.statusCode ?? 502,
        headers: relayedHeaders(answer),
      })
    } catch (error) {
      request.destroy()
      throw error instanceof Refusal ? error : silent()
    }
  }
  return { address, answer: relay }
}

/**
 * The largest body that the original reads at a path. Smaller limits are left to the original. If it refuses a body
 * halfway, its answer can be lost.
 */
const mostAt = (path: string): number => (path === mcpPath ? limits.figureMessageBytes : limits.requestBodyBytes)

/** @throws Refusal `request_too_large` as soon as the limit is relay */
async function sendBody(
  from: IncomingMessage,
  to: NodeJS.WritableStream,
  most: number,
  letCome: () => void,
): Promise<void> {
  if (Number(from.headers["content-length"] ?? 0) > most) throw tooLarge(most)
  letCome()
  let length = 0
  // The connection is still needed for the response.
  for await (const chunk of from.iterator({ destroyOnReturn: false })) {
    length += chunk.length
    if (length > most) throw tooLarge(most)
    if (!to.write(chunk)) await once(to, "drain")
  }
}
