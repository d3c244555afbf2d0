/** How a copy forwards what it does not answer itself: it redirects to the original, or passes the original's answer through. */
import { once } from "node:events"
import { Agent as PlainAgent, type IncomingMessage, request as askPlainly } from "node:http"
import { Agent as TlsAgent, request as askOverTls } from "node:https"
import { Readable } from "node:stream"
import type { H3Event } from "h3"
import { mcpPath } from "../../contract/base-path.ts"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { Answer, commonHeaders } from "../answers/answer.ts"
import { contextOf, nodeSide } from "../limits/request-context.ts"

/** Answers of the original that are passed through at once, at the most. */
const AT_ONCE = 64
/** Milliseconds for which the original may say nothing: longer than a feed is held. */
const SILENCE = 40_000

/** Request headers that are meant for this hop alone, or that the copy sets itself. */
const ownOfHop =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|expect|accept-encoding|content-length|forwarded|x-forwarded-.*|x-request-id|date)$/

/** The headers of a request that are sent on: those that its `Connection` header names are for this hop alone. */
function sentOn(headers: IncomingMessage["headers"]): Record<string, string> {
  const named = new Set(
    (headers.connection ?? "")
      .toLowerCase()
      .split(",", 20)
      .map((name) => name.trim()),
  )
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || ownOfHop.test(name) || named.has(name) ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  )
}

/** How the names of a service's cookies begin. */
const COOKIES = "research_room_"

/** Response headers that a service sets and a copy cannot know. Everything else (security, CORS, scripts to load) the copy sets itself. */
const told = [
  ...["allow", "cache-control", "content-disposition", "content-type", "etag", "link", "location", "retry-after", "vary"],
  ...["www-authenticate"],
]

/** The media types of a service's answers. A browser runs none of them as a script: whatever runs from a copy's address is the copy's own. */
const KNOWN_TYPE =
  /^(?:image\/x-icon|text\/(?:html|plain|markdown|x-python|csv)|application\/(?:json|yaml|zip|x-ndjson|x-bibtex|x-research-info-systems|[a-z.]{1,60}\+(?:json|xml)))(?:;|$)/

/** Whether an answer is one that a service gives, so that the copy may give it in its own name. */
function isKnown({ statusCode = 0, headers }: IncomingMessage, path: string): boolean {
  if (statusCode < 200 || statusCode > 599 || headers["content-encoding"] !== undefined) return false
  const hasBody = statusCode !== 204 && statusCode !== 304 && headers["content-length"] !== "0"
  if (hasBody && headers["content-type"] !== undefined && !KNOWN_TYPE.test(headers["content-type"])) return false
  // Pages lead on with 303 alone. Any other redirect would carry a body, or a credential, to where it points.
  return statusCode < 300 || statusCode > 399 || statusCode === 304 || (statusCode === 303 && !path.startsWith("/api/"))
}

/** The headers of an answer that are passed through, beside those that the copy sets on each of its own. */
function passedBack({ headers }: IncomingMessage): Record<string, string> {
  const cookies = (headers["set-cookie"] ?? []).filter((cookie) => cookie.startsWith(COOKIES) && !/;\s{0,9}domain\b/i.test(cookie))
  return {
    ...commonHeaders,
    ...Object.fromEntries(told.flatMap((name) => (typeof headers[name] === "string" ? [[name, headers[name]]] : []))),
    // A service sets one at the most.
    ...(cookies[0] !== undefined && { "set-cookie": cookies[0] }),
  }
}

export interface Original {
  /** Its address, without a slash at the end. */
  readonly address: string
  /** Answers a request that is not for the copy. @throws Refusal */
  answer(event: H3Event): Answer | Promise<Answer>
}

const addressOf = (address: string, { url }: H3Event): string => `${address}${url.pathname}${url.search}`

/** Redirects the caller to the original; method and body stay the same. */
export const sendingOn = (address: string): Original => ({
  address,
  answer: (event) => new Answer(null, { status: 307, headers: { ...commonHeaders, location: addressOf(address, event) } }),
})

/**
 * Passes through what the original answers.
 * @param own where the copy is reached: a page of its own may write by way of it
 * @param headersWithin milliseconds in which the headers of an answer must come
 */
export function passingThrough(address: string, own: string, headersWithin = 1.5 * SILENCE): Original {
  const { protocol } = new URL(address)
  const ask = protocol === "https:" ? askOverTls : askPlainly
  const agent = new (protocol === "https:" ? TlsAgent : PlainAgent)({ keepAlive: true, maxSockets: AT_ONCE })
  let underWay = 0

  async function passed(event: H3Event): Promise<Answer> {
    const node = nodeSide(event)
    const isRead = event.req.method === "GET" || event.req.method === "HEAD"
    const advice = isRead ? "Ask again in a moment." : "Keep the id and the body, and send them again."
    const unable = (why: string) =>
      new Refusal("temporarily_unavailable", `The service that this copy is of ${why}. ${advice}`, {
        retryAfter: 2,
        committed: isRead ? false : null,
      })
    const silent = () => unable("does not answer")
    if (node === undefined || underWay >= AT_ONCE) throw silent()
    underWay += 1
    node.res.once("close", () => (underWay -= 1))
    const { origin } = node.req.headers
    const asking = ask(addressOf(address, event), {
      agent,
      method: event.req.method,
      timeout: SILENCE,
      headers: {
        ...sentOn(node.req.headers),
        ...(origin !== undefined && origin === new URL(own).origin && { origin: new URL(address).origin }),
        "x-forwarded-for": contextOf(event).address,
      },
    })
    // Told below; it may also come once the answer is there.
    asking.on("error", () => {})
    asking.on("timeout", () => asking.destroy(new Error("silent")))
    node.res.once("close", () => asking.destroy())
    try {
      const answered = new Promise<IncomingMessage>((resolve, reject) =>
        asking.once("response", resolve).once("error", reject).once("close", reject),
      )
      // It may fail while the body is still coming. Of an upgrade nothing is heard but that the connection closed.
      answered.catch(() => undefined)
      if (!isRead) await sendBody(node.req, asking, mostAt(event.url.pathname), () => node.res.letBodyCome())
      asking.end()
      // Headers that come byte by byte are never silent.
      const tooSlow = setTimeout(() => asking.destroy(new Error("slow")), headersWithin)
      const answer = await answered.finally(() => clearTimeout(tooSlow))
      if (!isKnown(answer, event.url.pathname)) throw unable("gave an answer that no research-room gives, so it was not passed through")
      return new Answer(isRead && event.req.method === "HEAD" ? null : Readable.toWeb(answer), {
        status: answer.statusCode ?? 502,
        headers: passedBack(answer),
      })
    } catch (error) {
      asking.destroy()
      throw error instanceof Refusal ? error : silent()
    }
  }
  return { address, answer: passed }
}

/** The largest body that the original reads at a path; smaller limits are its own. When it refuses a body halfway, its answer can be lost. */
const mostAt = (path: string): number => (path === mcpPath ? limits.figureMessageBytes : limits.requestBodyBytes)

const tooLarge = (most: number) =>
  new Refusal("request_too_large", `The request body is over ${most} bytes; it was not read to its end.`, {
    headers: { connection: "close" },
  })

/** @throws Refusal `request_too_large` as soon as the limit is passed */
async function sendBody(from: IncomingMessage, to: NodeJS.WritableStream, most: number, letCome: () => void): Promise<void> {
  if (Number(from.headers["content-length"] ?? 0) > most) throw tooLarge(most)
  letCome()
  let length = 0
  // Its connection is still answered on.
  for await (const chunk of from.iterator({ destroyOnReturn: false })) {
    length += chunk.length
    if (length > most) throw tooLarge(most)
    if (!to.write(chunk)) await once(to, "drain")
  }
}
