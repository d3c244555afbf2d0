/** Reads from GitHub's REST API within the rate limit, with conditional requests, and follows redirects. */
import * as v from "valibot"
import { limits } from "../../contract/limits.ts"
import { fetchUncompressed } from "../../outgoing.ts"

// Tracks how many requests GitHub's API still accepts from this server, by its rate-limit headers. Before the first of
// them arrives, a server without a token counts its own requests; one with a token does not know its limit yet.

const HOUR = 3_600_000
/** Milliseconds by which the host's hour may exceed an hour of this clock. */
const SLACK = 60_000
/** Seconds to wait after a rate-limit refusal without `Retry-After`, as GitHub's documentation asks. */
const PAUSE = 60

/** The parts of a response that are used. */
export interface ApiResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export class Budget {
  readonly #now: () => number
  /** The assumed limit for an hour without rate-limit headers. */
  readonly #assumed: number
  #remaining = 0
  /** Milliseconds since 1970, by this server's clock. */
  #resetsAt = 0
  /** Identifies the current hour of the host: the second of its end by the host's clock. */
  #hour = 0
  #pausedUntil = 0
  #open = 0

  /** @param now milliseconds since 1970 */
  constructor(now: () => number, authorized: boolean) {
    this.#now = now
    this.#assumed = authorized ? Number.POSITIVE_INFINITY : limits.repositoryRequestsPerHour
  }

  /** Returns the seconds before `count` requests may be sent; 0 if they may be sent now. */
  wait(count: number): number {
    const now = this.#now()
    const spent = now < this.#resetsAt && this.#remaining - this.#open < count
    const until = Math.max(this.#pausedUntil, spent ? this.#resetsAt : 0)
    return Math.max(0, Math.ceil((until - now) / 1000))
  }

  /** Takes one request from the budget; `settle` must follow. */
  take(): void {
    const now = this.#now()
    if (now >= this.#resetsAt) {
      this.#remaining = this.#assumed
      this.#resetsAt = now + HOUR
    }
    this.#open += 1
  }

  /** Settles a request that was taken. @param response null if none arrived; the request may still have counted */
  settle(response: ApiResponse | null): void {
    this.#open -= 1
    const isKnown = response !== null && this.#read(response.headers)
    if (!isKnown) this.#remaining -= 1
    const pause = response === null ? null : requestedPause(response)
    if (pause !== null) this.#pausedUntil = Math.max(this.#pausedUntil, this.#now() + Math.min(pause * 1000, HOUR))
  }

  /**
   * Reads the rate-limit headers. @returns whether they were plausible.
   * Responses may arrive out of order: headers of an earlier hour are ignored, and within an hour the smallest
   * remainder counts.
   */
  #read(headers: Headers): boolean {
    const remaining = wholeNumber(headers.get("x-ratelimit-remaining"))
    const reset = wholeNumber(headers.get("x-ratelimit-reset"))
    if (remaining === null || reset === null) return false
    // Uses the host's clock, in case the clock of this server is wrong.
    const hostNow = Date.parse(headers.get("date") ?? "")
    const left = reset * 1000 - (Number.isNaN(hostNow) ? this.#now() : hostNow)
    if (left > HOUR + SLACK) return false
    if (reset < this.#hour) return true
    this.#remaining = reset === this.#hour ? Math.min(this.#remaining, remaining) : remaining
    this.#hour = reset
    this.#resetsAt = this.#now() + Math.max(left, 0)
    return true
  }
}

/** Returns the seconds to pause if GitHub refused because of its rate limit; null for any other response. */
function requestedPause({ status, headers, text }: ApiResponse): number | null {
  if (status !== 403 && status !== 429) return null
  const retryAfter = wholeNumber(headers.get("retry-after"))
  if (retryAfter !== null) return retryAfter
  // A used-up limit ends with its hour.
  if (headers.get("x-ratelimit-remaining") === "0" && headers.has("x-ratelimit-reset")) return 0
  return status === 429 || /rate limit/i.test(text) ? PAUSE : null
}

const wholeNumber = (text: string | null): number | null =>
  text !== null && /^[0-9]{1,12}$/.test(text) ? Number(text) : null

/** GitHub gave no usable answer. The message is a sentence for the user. */
export class Unanswered extends Error {
  /** Seconds; null if unknown. */
  readonly retryAfter: number | null

  constructor(message: string, retryAfter: number | null = null) {
    super(message)
    this.retryAfter = retryAfter
  }
}

export interface GitHubSettings {
  /** The address of the API, such as `https://api.github.com`. */
  readonly api: string
  /** Sent only to the API's own origin; null for none. */
  readonly token: string | null
  readonly fetch?: typeof fetchUncompressed
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** The requests of one check. */
export interface Check {
  readonly signal: AbortSignal
  /** How many requests the check needs. It does not start if the budget has fewer. */
  readonly needs: number
  /** Requests sent so far, redirected ones included. */
  sent: number
}

interface Resource<T> {
  /** Its address after redirects. */
  readonly url: string
  readonly facts: T
}

const API_VERSION = "2026-03-10"
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 307, 308])
const MAX_REDIRECTS = 3
/** Definite negative answers: not found, gone, an empty repository, no such id, and unavailable for legal reasons. */
const UNAVAILABLE: ReadonlySet<number> = new Set([404, 410, 409, 422, 451])
const MAX_CACHED = 10_000

const LIMIT_REACHED = "The rate limit of GitHub for this server is used up for now."

const refusal = v.fallback(v.object({ block: v.optional(v.unknown()) }), {})

export class GitHubApi {
  readonly #root: URL
  readonly #headers: Readonly<Record<string, string>>
  readonly #fetch: typeof fetchUncompressed
  readonly #budget: Budget
  /** Responses by address, each with its ETag; the least recently used comes first. */
  readonly #cache = new Map<string, { readonly tag: string; readonly facts: unknown }>()

  constructor({ api, token, fetch = fetchUncompressed, now = Date.now }: GitHubSettings) {
    this.#root = new URL(api.endsWith("/") ? api : `${api}/`)
    this.#fetch = fetch
    this.#budget = new Budget(now, token !== null)
    this.#headers = {
      accept: "application/vnd.github+json",
      "x-github-api-version": API_VERSION,
      "user-agent": "research-room",
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    }
  }

  /**
   * Reads the members of a resource that `schema` keeps; null if GitHub answers that there is none.
   * @param path relative to the API's address, or an address below it
   * @throws Unanswered if there is no usable answer
   */
  async get<S extends v.GenericSchema>(
    path: string,
    schema: S,
    check: Check,
  ): Promise<Resource<v.InferOutput<S>> | null> {
    let url = new URL(path, this.#root)
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const response = await this.#request(url, check)
      if (!REDIRECTS.has(response.status)) return this.#parse(url, response, schema)
      url = this.#redirectTarget(url, response)
    }
    throw new Unanswered("GitHub redirects the request in circles.")
  }

  async #request(url: URL, check: Check): Promise<ApiResponse> {
    const { signal, needs, sent } = check
    const budget = this.#budget
    const wait = budget.wait(Math.max(1, needs - sent))
    if (wait > 0) throw new Unanswered(LIMIT_REACHED, wait)
    budget.take()
    check.sent += 1
    let received: ApiResponse | null = null
    try {
      const cached = this.#cache.get(url.href)
      const headers = cached === undefined ? this.#headers : { ...this.#headers, "if-none-match": cached.tag }
      const response = await this.#fetch(url, { headers, redirect: "manual", signal })
      received = { status: response.status, headers: response.headers, text: await readText(response) }
    } catch (error) {
      if (error instanceof Unanswered) throw error
      throw new Unanswered(signal.aborted ? "GitHub did not answer in time." : "GitHub could not be reached.")
    } finally {
      budget.settle(received)
    }
    if (requestedPause(received) === null) return received
    throw new Unanswered(LIMIT_REACHED, Math.max(1, budget.wait(needs)))
  }

  /**
   * Returns the target of a redirect, which must have the same origin: only that one is trusted and may get the token.
   */
  #redirectTarget(from: URL, { headers }: ApiResponse): URL {
    const location = headers.get("location")
    const to = location !== null && URL.canParse(location, from.href) ? new URL(location, from) : null
    if (to?.origin !== this.#root.origin)
      throw new Unanswered("GitHub redirects the request to another server, which is not followed.")
    return to
  }

  #parse<S extends v.GenericSchema>(
    url: URL,
    { status, headers, text }: ApiResponse,
    schema: S,
  ): Resource<v.InferOutput<S>> | null {
    const cached = this.#cache.get(url.href)
    // An address is always read with the same schema.
    if (status === 304 && cached !== undefined) return this.#remember(url, cached.tag, cached.facts as v.InferOutput<S>)
    if (status === 200) {
      const parsed = v.safeParse(schema, parseJson(text))
      if (!parsed.success) throw new Unanswered("GitHub's answer could not be understood.")
      return this.#remember(url, headers.get("etag"), parsed.output)
    }
    if (UNAVAILABLE.has(status) || (status === 403 && v.parse(refusal, parseJson(text)).block !== undefined))
      return null
    throw new Unanswered(
      status === 401
        ? "GitHub does not accept the token of this server."
        : `GitHub could not answer (status ${status}).`,
    )
  }

  #remember<T>(url: URL, tag: string | null, facts: T): Resource<T> {
    this.#cache.delete(url.href)
    if (tag !== null) this.#cache.set(url.href, { tag, facts })
    for (const oldest of this.#cache.keys().take(Math.max(0, this.#cache.size - MAX_CACHED))) this.#cache.delete(oldest)
    return { url: url.href, facts }
  }
}

/** Parses JSON; undefined if the text is not valid. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The description of a repository has about ten thousand bytes; a commit message may be longer. */
const MAX_BYTES = 1024 * 1024

/** Reads the text of a response. @throws Unanswered if it exceeds a megabyte; the rest is not read */
async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  let bytes = 0
  // A throw in this loop closes the stream.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_BYTES) throw new Unanswered("GitHub's answer is too long.")
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
