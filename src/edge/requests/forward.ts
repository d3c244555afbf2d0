/** Forwards what a copy does not answer itself: redirects to the original, or relays the original's response. */
import { Agent as PlainAgent, type IncomingMessage, request as requestHttp } from "node:http"
import { Agent as TlsAgent, request as requestHttps } from "node:https"
import { Readable } from "node:stream"
import type { H3Event } from "h3"
import { mcpPath } from "../../contract/service.ts"
import { figureTypes } from "../../contract/definitions/attachments.ts"
import { limits } from "../../contract/limits.ts"
import { reads } from "../../contract/reads/index.ts"
import { Refusal } from "../../contract/refusals.ts"
import { discoveryRoutes } from "../../discovery/routes.ts"
import { uncompressed } from "../../outgoing.ts"
import { Answer, commonHeaders } from "../answers/answer.ts"
import { fault } from "../edge.ts"
import { sharedBy, contextOf, isReading, type NodeSide, nodeSide } from "../limits/request-context.ts"
import { Counts } from "../limits/budgets.ts"
import { bytesOf } from "../limits/body.ts"

/** Requests that wait for the original's answer, in all and of one caller. Held reads are counted as open feeds. */
const PLACES = { total: 64, each: 16 }
/** Milliseconds without data after which a request to the original fails: longer than a feed stays open. */
const SILENCE = (limits.activityWaitSeconds + 15) * 1_000

/** Request headers of this hop only, or that the copy sets itself. */
const hopHeaders = new RegExp(
  "^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|expect|accept-encoding" +
    "|content-length|forwarded|x-forwarded-.*|x-request-id|date)$",
)

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

/** What pages and feeds are sent as; the types of reads and pictures are in their definitions. */
const pageTypes = ["text/html", "text/plain", "application/atom+xml", "application/feed+json", "application/xml"]

/**
 * The media types of a service's responses. A browser runs none of them as a script: only the copy's own scripts run
 * from its address.
 */
const knownTypes: ReadonlySet<string> = new Set([
  ...pageTypes,
  ...Object.keys(figureTypes),
  ...[...reads, ...discoveryRoutes].flatMap(({ mediaType, formats }) => [
    mediaType,
    ...Object.values(formats).map((format) => format.mediaType),
  ]),
])

const typeOf = (header: string): string => (header.split(";", 1)[0] ?? "").trim().toLowerCase()

/** Whether a `Location` leads to the original: a path of it, or its own address. */
function leadsToOriginal(location: string | undefined, original: string): boolean {
  if (location === undefined) return false
  const [base, to] = [new URL(`${original}/`), URL.parse(location, `${original}/`)]
  return to?.origin === base.origin && `${to.pathname}/`.startsWith(base.pathname)
}

/** Whether a response is one that a research-room gives, so that the copy may send it as its own. */
function isKnown({ statusCode = 0, headers }: IncomingMessage, path: string, original: string): boolean {
  if (statusCode < 200 || statusCode > 599 || headers["content-encoding"] !== undefined) return false
  const hasBody = statusCode !== 204 && statusCode !== 304 && headers["content-length"] !== "0"
  const type = headers["content-type"]
  if (hasBody && type !== undefined && !knownTypes.has(typeOf(type))) return false
  if (statusCode < 300 || statusCode > 399 || statusCode === 304) return true
  // Pages redirect with 303 only. Any other redirect would send a body or a credential to its target.
  return statusCode === 303 && !path.startsWith("/api/") && leadsToOriginal(headers.location, original)
}

/** Whether a `Set-Cookie` header names a domain, with whatever spaces. */
const namesDomain = (cookie: string): boolean =>
  cookie.split(";").some((attribute) => /^\s*domain\s*(?:=|$)/i.test(attribute))

function relayedHeaders({ headers }: IncomingMessage): Record<string, string> {
  const cookies = (headers["set-cookie"] ?? []).filter((cookie) => cookie.startsWith(COOKIES) && !namesDomain(cookie))
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
  // The places bound how many connections there are.
  const agent = new (protocol === "https:" ? TlsAgent : PlainAgent)({ keepAlive: true })
  const places = new Counts(PLACES)

  /** Takes a place for a request whose body has arrived. @returns a function that gives it back @throws Refusal */
  function place(event: H3Event, node: NodeSide, body: Uint8Array | null): () => void {
    const { address } = contextOf(event)
    const { authorization, cookie = "" } = node.req.headers
    const who = authorization ?? (cookie.includes(COOKIES) ? cookie : null)
    const isHeld = event.url.searchParams.has("wait") || Buffer.from(body ?? []).includes('"wait"')
    const budgets = isHeld ? node.res.budgets : null
    if (budgets !== null) return budgets.holdFeed(sharedBy(address))
    return places.hold(who ?? address, "This copy is passing on too many requests")
  }

  async function relay(event: H3Event): Promise<Answer> {
    const node = nodeSide(event)
    const { method } = event.req
    const unable = (why: string) => fault(method, `The service that this copy is of ${why}`, 2)
    const silent = () => unable("does not answer")
    if (node === undefined) throw silent()
    const body = isReading(method) ? null : await bytesOf(event, mostAt(event.url.pathname), true)
    let release: (() => void) | null = place(event, node, body)
    const giveBack = () => {
      release?.()
      release = null
    }
    node.res.once("close", giveBack)
    const { origin } = node.req.headers
    const request = send(addressOf(address, event), {
      agent,
      method,
      timeout: SILENCE,
      headers: {
        ...forwardedHeaders(node.req.headers),
        ...uncompressed,
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
      request.end(body ?? undefined)
      // Headers that arrive byte by byte would never reach the silence timeout.
      const tooSlow = setTimeout(() => request.destroy(new Error("slow")), headersWithin)
      // A place is held until the answer begins; a reader that takes its time costs the original a connection.
      const answer = await response.finally(() => {
        clearTimeout(tooSlow)
        giveBack()
      })
      if (!isKnown(answer, event.url.pathname, address))
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

/** The largest body that the original reads at a path. Smaller limits are left to the original. */
const mostAt = (path: string): number => (path === mcpPath ? limits.figureMessageBytes : limits.requestBodyBytes)
