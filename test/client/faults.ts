/** A network that fails as instructed, and a sleep that only records how long it would have taken. */
import { randomUUID } from "node:crypto"
import type { Fetch, Sleep } from "research-room/client"

/** The fate of one request. */
export type Fault =
  /** It gets through. */
  | "fine"
  /** The connection fails before the service receives anything. */
  | "never_arrives"
  /** The service receives and processes it; the answer is lost on its way back. */
  | "answer_lost"
  /** Another server answers in place of the service. */
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  /** The service receives it, and its answer is changed on the way back. */
  | ((answer: string) => string)

export interface Sent {
  readonly method: string
  readonly url: URL
  readonly body: string | undefined
  readonly authorization: string | null
}

const failed = () => new TypeError("fetch failed", { cause: new Error("read ECONNRESET") })

/** A fetch with the given faults, one per request; requests after them are fine. */
export function faulty(...faults: readonly Fault[]): { fetch: Fetch; sent: Sent[] } {
  const coming = [...faults]
  const sent: Sent[] = []
  const fetch: Fetch = async (url, init) => {
    const headers = new Headers(init.headers)
    sent.push({
      method: init.method ?? "GET",
      url: new URL(url),
      body: init.body as string | undefined,
      authorization: headers.get("authorization"),
    })
    const fault = coming.shift() ?? "fine"
    if (fault === "never_arrives") throw failed()
    if (typeof fault === "object")
      return new Response(typeof fault.body === "string" ? fault.body : JSON.stringify(fault.body ?? ""), fault)
    const answer = await globalThis.fetch(url, init)
    if (fault === "answer_lost") {
      await answer.text()
      throw failed()
    }
    return typeof fault === "function" ? new Response(fault(await answer.text()), answer) : answer
  }
  return { fetch, sent }
}

/** A sleep that takes no time. */
export function noted(): { sleep: Sleep; slept: number[] } {
  const slept: number[] = []
  return { slept, sleep: async (seconds) => void slept.push(seconds) }
}

/** A refusal in the interface's envelope. */
export const refusal = (
  status: number,
  code: string,
  more: Record<string, unknown> = {},
): Exclude<Fault, string | ((answer: string) => string)> => ({
  status,
  body: {
    schemaVersion: 3,
    error: "As the test wants it.",
    refusal: code,
    committed: false,
    retryable: false,
    retryAfter: null,
    current: null,
    issues: [],
    ...more,
  },
})

export const busy = (more: Record<string, unknown> = {}) =>
  refusal(503, "temporarily_unavailable", { retryable: true, ...more })

export const freshId = (): string => randomUUID()
