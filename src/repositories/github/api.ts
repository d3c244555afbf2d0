/** Reads from GitHub's REST API: within the budget, conditionally where it was read before, and along redirects. */
import * as v from "valibot"
import { readText } from "./body.ts"
import { type Answered, Budget, pauseAskedFor } from "./budget.ts"
import { Unanswered } from "./unanswered.ts"

export interface GitHubSettings {
  /** Where the API is, such as `https://api.github.com`. */
  readonly api: string
  /** Sent to the API's own origin only; null to ask without. */
  readonly token: string | null
  readonly fetch?: typeof fetch
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** What one check asks. */
export interface Inquiry {
  readonly signal: AbortSignal
  /** Requests it takes in all: it is not begun when they no longer fit into the budget. */
  readonly needs: number
  /** Requests sent so far, redirected ones included. */
  sent: number
}

export interface Resource<T> {
  /** Where it was found, after redirects. */
  readonly url: string
  readonly facts: T
}

const API_VERSION = "2026-03-10"
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 307, 308])
const MAX_REDIRECTS = 3
/** Not there, gone, an empty repository, no such id, and taken down for legal reasons: a definite no. */
const NOT_THERE: ReadonlySet<number> = new Set([404, 410, 409, 422, 451])
const MAX_KNOWN = 10_000

const USED_UP = "The requests that GitHub takes from this server are used up for now."

const refusal = v.fallback(v.object({ block: v.optional(v.unknown()) }), {})

export class GitHubApi {
  readonly #root: URL
  readonly #headers: Readonly<Record<string, string>>
  readonly #fetch: typeof fetch
  readonly #budget: Budget
  /** What was read from each address, with the tag to revalidate it by; the one used longest ago comes first. */
  readonly #known = new Map<string, { readonly tag: string; readonly facts: unknown }>()

  constructor({ api, token, fetch = globalThis.fetch, now = Date.now }: GitHubSettings) {
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
   * What `schema` keeps of a resource, or null when GitHub says for certain that there is none.
   * @param path relative to the API's address, or an address below it
   * @throws Unanswered when it could not be found out
   */
  async get<S extends v.GenericSchema>(path: string, schema: S, inquiry: Inquiry): Promise<Resource<v.InferOutput<S>> | null> {
    let url = new URL(path, this.#root)
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const answered = await this.#exchange(url, inquiry)
      if (!REDIRECTS.has(answered.status)) return this.#understand(url, answered, schema)
      url = this.#redirection(url, answered)
    }
    throw new Unanswered("GitHub redirects the question in circles.")
  }

  /** One request and its answer. */
  async #exchange(url: URL, inquiry: Inquiry): Promise<Answered> {
    const { signal, needs, sent } = inquiry
    const budget = this.#budget
    const wait = budget.wait(Math.max(1, needs - sent))
    if (wait > 0) throw new Unanswered(USED_UP, wait)
    budget.take()
    inquiry.sent += 1
    let answered: Answered | null = null
    try {
      const known = this.#known.get(url.href)
      const headers = known === undefined ? this.#headers : { ...this.#headers, "if-none-match": known.tag }
      const response = await this.#fetch(url, { headers, redirect: "manual", signal })
      answered = { status: response.status, headers: response.headers, text: await readText(response) }
    } catch (error) {
      if (error instanceof Unanswered) throw error
      throw new Unanswered(signal.aborted ? "GitHub did not answer in time." : "GitHub could not be reached.")
    } finally {
      budget.settle(answered)
    }
    if (pauseAskedFor(answered) === null) return answered
    throw new Unanswered(USED_UP, Math.max(1, budget.wait(needs)))
  }

  /** Where a redirect leads. Never to another origin: the token is for this one, and so is our trust. */
  #redirection(from: URL, { headers }: Answered): URL {
    const location = headers.get("location")
    const to = location !== null && URL.canParse(location, from.href) ? new URL(location, from) : null
    if (to?.origin !== this.#root.origin) throw new Unanswered("GitHub redirects the question to another server, which is not asked.")
    return to
  }

  #understand<S extends v.GenericSchema>(url: URL, answered: Answered, schema: S): Resource<v.InferOutput<S>> | null {
    const { status, headers, text } = answered
    const known = this.#known.get(url.href)
    // An address is always read by the same schema.
    if (status === 304 && known !== undefined) return this.#remember(url, known.tag, known.facts as v.InferOutput<S>)
    if (status === 200) {
      const read = v.safeParse(schema, parse(text))
      if (!read.success) throw new Unanswered("GitHub's answer could not be understood.")
      return this.#remember(url, headers.get("etag"), read.output)
    }
    if (NOT_THERE.has(status) || (status === 403 && v.parse(refusal, parse(text)).block !== undefined)) return null
    throw new Unanswered(
      status === 401 ? "GitHub does not accept the token of this server." : `GitHub could not answer (status ${status}).`,
    )
  }

  #remember<T>(url: URL, tag: string | null, facts: T): Resource<T> {
    this.#known.delete(url.href)
    if (tag !== null) this.#known.set(url.href, { tag, facts })
    const [oldest] = this.#known.keys()
    if (oldest !== undefined && this.#known.size > MAX_KNOWN) this.#known.delete(oldest)
    return { url: url.href, facts }
  }
}

/** JSON's value, or undefined when `text` is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
