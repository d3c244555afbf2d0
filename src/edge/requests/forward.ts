/** How a copy forwards what it does not answer itself: it redirects to the original, or passes the original's answer through. */
import { once } from "node:events"
import { Agent as PlainAgent, type IncomingMessage, request as askPlainly } from "node:http"
import { Agent as TlsAgent, request as askOverTls } from "node:https"
import { Readable } from "node:stream"
import type { H3Event } from "h3"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { Answer, commonHeaders } from "../answers/answer.ts"
import { contextOf, nodeSide } from "../limits/request-context.ts"

/** Answers of the original that are passed through at once, at the most. */
const AT_ONCE = 64
/** Milliseconds for which the original may say nothing: longer than a feed is held. */
const SILENCE = 40_000

/** What is between two hops, or is said anew. */
const ownOfHop =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|expect|accept-encoding|content-length|x-forwarded-for|x-request-id|date)$/

const without = (headers: IncomingMessage["headers"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || ownOfHop.test(name) ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  )

export interface Original {
  /** Its address, without a slash at the end. */
  readonly address: string
  /** Answers a request that is not for the copy. @throws Refusal */
  answer(event: H3Event): Answer | Promise<Answer>
}

const addressOf = (address: string, { url }: H3Event): string => `${address}${url.pathname}${url.search}`

/** Sends whoever asks to the original: method and body stay as they are. */
export const sendingOn = (address: string): Original => ({
  address,
  answer: (event) => new Answer(null, { status: 307, headers: { ...commonHeaders, location: addressOf(address, event) } }),
})

/**
 * Passes through what the original answers.
 * @param own where the copy is reached: a page of its own may write by way of it
 */
export function passingThrough(address: string, own: string): Original {
  const { protocol } = new URL(address)
  const ask = protocol === "https:" ? askOverTls : askPlainly
  const agent = new (protocol === "https:" ? TlsAgent : PlainAgent)({ keepAlive: true, maxSockets: AT_ONCE })
  let underWay = 0

  async function passed(event: H3Event): Promise<Answer> {
    const node = nodeSide(event)
    const isRead = event.req.method === "GET" || event.req.method === "HEAD"
    const silent = () =>
      new Refusal(
        "temporarily_unavailable",
        `The service that this copy is of does not answer. ${isRead ? "Ask again in a moment." : "Keep the id and the body, and send them again."}`,
        {
          retryAfter: 2,
          committed: isRead ? false : null,
        },
      )
    if (node === undefined || underWay >= AT_ONCE) throw silent()
    underWay += 1
    node.res.once("close", () => (underWay -= 1))
    const { origin } = node.req.headers
    const asking = ask(addressOf(address, event), {
      agent,
      method: event.req.method,
      timeout: SILENCE,
      headers: {
        ...without(node.req.headers),
        ...(origin !== undefined && origin === new URL(own).origin && { origin: new URL(address).origin }),
        "x-forwarded-for": contextOf(event).address,
      },
    })
    // Told below; it may also come once the answer is there.
    asking.on("error", () => {})
    asking.on("timeout", () => asking.destroy(new Error("silent")))
    node.res.once("close", () => asking.destroy())
    try {
      const answered = new Promise<IncomingMessage>((resolve, reject) => asking.once("response", resolve).once("error", reject))
      // It may fail while the body is still coming.
      answered.catch(() => undefined)
      if (!isRead) await sendBody(node.req, asking, () => node.res.letBodyCome())
      asking.end()
      const answer = await answered
      return new Answer(isRead && event.req.method === "HEAD" ? null : Readable.toWeb(answer), {
        status: answer.statusCode ?? 502,
        headers: without(answer.headers),
      })
    } catch (error) {
      asking.destroy()
      throw error instanceof Refusal ? error : silent()
    }
  }
  return { address, answer: passed }
}

const tooLarge = () =>
  new Refusal("request_too_large", `The request body is over ${limits.requestBodyBytes} bytes; it was not read to its end.`, {
    headers: { connection: "close" },
  })

/** @throws Refusal `request_too_large` as soon as the limit is passed */
async function sendBody(from: IncomingMessage, to: NodeJS.WritableStream, letCome: () => void): Promise<void> {
  if (Number(from.headers["content-length"] ?? 0) > limits.requestBodyBytes) throw tooLarge()
  letCome()
  let length = 0
  // Its connection is still answered on.
  for await (const chunk of from.iterator({ destroyOnReturn: false })) {
    length += chunk.length
    if (length > limits.requestBodyBytes) throw tooLarge()
    if (!to.write(chunk)) await once(to, "drain")
  }
}
