/** Sends requests and retries them (rule 5 of the interface's "Delivery ids and retries"), and the errors of this. */
import { withoutTrailing } from "../contract/text.ts"
import { WITHHELD } from "../contract/nouns/withholding.ts"
import type { Withholding } from "../contract/answers/fields.ts"
import type { JsonObject } from "../contract/json.ts"
import type { Issue, RefusalCode } from "../contract/refusals.ts"

// The errors.

type ShownText = string | { readonly withheld: Withholding }

/** A text of an answer, for display or search: `[withheld]` if it was withheld; null and undefined unchanged. */
export function textOf(text: ShownText): string
export function textOf(text: ShownText | null): string | null
export function textOf(text: ShownText | undefined): string | undefined
export function textOf(text: ShownText | null | undefined): string | null | undefined
export function textOf(text: ShownText | null | undefined): string | null | undefined {
  return typeof text === "object" && text !== null ? WITHHELD : text
}

interface RefusalEnvelope {
  readonly error: string
  readonly refusal: string
  readonly committed?: false | null
  readonly retryable?: boolean
  readonly retryAfter?: number | null
  readonly current?: JsonObject | null
  readonly issues?: readonly Issue[]
}

/** The service refused a request. On 409, read `current`, choose again, and keep the draft. */
export class RefusedError extends Error {
  override readonly name = "RefusedError"
  readonly status: number
  /** The refusal code; a newer service may have more of them. */
  readonly refusal: RefusalCode | (string & {})
  /** The current state on a conflict, the archived Room, or the permissions needed. */
  readonly current: JsonObject | null
  /** One for each violation of the schema. */
  readonly issues: readonly Issue[]
  /** Seconds; null when unknown. */
  readonly retryAfter: number | null
  /** false: nothing was stored; null: unknown. */
  readonly committed: false | null
  readonly retryable: boolean

  constructor(status: number, envelope: RefusalEnvelope) {
    super(envelope.error)
    this.status = status
    this.refusal = envelope.refusal
    this.current = envelope.current ?? null
    this.issues = envelope.issues ?? []
    this.retryAfter = envelope.retryAfter ?? null
    this.committed = envelope.committed === undefined ? false : envelope.committed
    this.retryable = envelope.retryable ?? false
  }
}

/** An answer that is neither the expected one nor a refusal; it probably does not come from a research-room service. */
export class UnexpectedAnswer extends Error {
  override readonly name = "UnexpectedAnswer"
  readonly status: number
  readonly excerpt: string

  constructor(status: number, why: string, text: string) {
    super(`${why} (status ${status})`)
    this.status = status
    this.excerpt = text.slice(0, 200)
  }
}

/** No complete answer arrived: the connection failed, broke, or timed out. `cause` says which. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost"

  constructor(url: string, cause: unknown) {
    super(`No answer came from ${url}: ${withoutTrailing(causeText(cause), ".")}.`, { cause })
  }
}

/** The message of the innermost error: fetch wraps it in a general one. */
function causeText(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  return inner instanceof Error ? inner.message || inner.name : String(inner)
}

/**
 * It is unknown whether a write was stored, and no retries are left. To find out, read its receipt
 * (`client.receipt(operation, deliveryId)`), or send it again with the same credential (`client.write(operation,
 * input)`).
 */
export class UncertainDelivery extends Error {
  override readonly name = "UncertainDelivery"
  readonly operation: string
  readonly deliveryId: string
  /** Everything that was sent, with the delivery id and the ids of the path, in the form that `write` takes. */
  readonly input: Readonly<Record<string, unknown>>

  constructor(operation: string, deliveryId: string, input: Readonly<Record<string, unknown>>, cause: unknown) {
    super(
      `Whether ${operation} ${deliveryId} was stored is uncertain: ` +
        `${cause instanceof Error ? cause.message : String(cause)}`,
      {
        cause,
      },
    )
    this.operation = operation
    this.deliveryId = deliveryId
    this.input = input
  }
}

/** The activity of a Room was rewritten: an entry was changed, removed, added or moved. */
export class ChainBroken extends Error {
  override readonly name = "ChainBroken"
  readonly roomId: string
  /** The first entry that is wrong. */
  readonly sequence: number

  constructor(roomId: string, sequence: number, why: string) {
    super(`The activity of Room ${roomId} is broken at entry ${sequence}: ${why}.`)
    this.roomId = roomId
    this.sequence = sequence
  }
}

/** Another instance answers at this address than before, or one restored from a backup: read everything again. */
export class InstanceChanged extends Error {
  override readonly name = "InstanceChanged"
  readonly before: string
  readonly now: string

  constructor(before: string, now: string) {
    super(`This is instance ${now}; it was ${before} before.`)
    this.before = before
    this.now = now
  }
}

// One try of a request: an answer, or a failure and whether to retry.

export interface Failure {
  readonly failure: unknown
  readonly mayRetry: boolean
  readonly uncertain: boolean
  /** Seconds to wait first; null if unknown. */
  readonly retryAfter: number | null
}
export type Outcome<Answer> = { readonly value: Answer } | Failure

/** The format of a read's answer. */
export type Form = "json" | "text"

/** Whether a status says nothing about the request itself. A proxy may have sent it. */
const isTransient = (status: number): boolean => status >= 500 || status === 408 || status === 425 || status === 429

/** Seconds from a `Retry-After` header, which holds seconds or a date. */
function retryAfterOf(headers: Headers): number | null {
  const value = headers.get("retry-after")
  if (value === null) return null
  const seconds = /^\d+$/.test(value.trim()) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRefusal(value: unknown): value is RefusalEnvelope {
  const { error, refusal }: { error?: unknown; refusal?: unknown } = value ?? {}
  return typeof error === "string" && typeof refusal === "string"
}

/** Interprets a complete answer, which is trusted to have its declared type. */
export function judge<Answer>({ status, headers }: Response, text: string, form: Form): Outcome<Answer> {
  if (status >= 200 && status < 300) {
    const value = form === "text" ? text : parsed(text)
    if (value !== undefined) return { value: value as Answer }
    // It may have been cut in transit; a retry may get all of it.
    return unanswered(new UnexpectedAnswer(status, "The answer is not JSON", text), true)
  }
  const retryAfter = retryAfterOf(headers)
  const envelope = parsed(text)
  if (isRefusal(envelope)) {
    const failure = new RefusedError(status, { ...envelope, retryAfter: envelope.retryAfter ?? retryAfter })
    const mayRetry = failure.retryable || failure.committed === null || isTransient(status)
    return { failure, mayRetry, uncertain: failure.committed === null, retryAfter: failure.retryAfter }
  }
  const elsewhere = headers.get("location")
  const why =
    status < 400 && elsewhere !== null
      ? `The address has moved to ${elsewhere}: use that as baseUrl`
      : "The answer is not a refusal of this service"
  return {
    failure: new UnexpectedAnswer(status, why, text),
    mayRetry: isTransient(status),
    // A request over the limits certainly stored nothing.
    uncertain: isTransient(status) && status !== 429,
    retryAfter,
  }
}

/** The failure of a request without a complete answer: it may have arrived. */
export const unanswered = (failure: unknown, mayRetry: boolean): Failure => ({
  failure,
  mayRetry,
  uncertain: true,
  retryAfter: null,
})

/**
 * Whether it is still unknown, after the last failure, if an earlier try was stored. A refusal settles it if the
 * service looks for an earlier receipt before refusing, for then there was none.
 */
export const leavesOpen = (failure: unknown): boolean =>
  !(failure instanceof RefusedError) ||
  failure.committed === null ||
  failure.status === 401 ||
  isTransient(failure.status)

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>
/** Resolves after `seconds`, or as soon as `signal` is aborted. */
export type Sleep = (seconds: number, signal?: AbortSignal) => Promise<void>

export interface TransportOptions {
  /** The service's address: scheme, host and path. */
  readonly baseUrl: string
  readonly fetch?: Fetch | undefined
  /** The number of retries; 4 if left out. */
  readonly retries?: number | undefined
  /** Seconds after which a request counts as lost; 60 if left out. */
  readonly timeout?: number | undefined
  /** The most seconds to wait before a retry; 60 if left out. If the service asks for more, its refusal is thrown. */
  readonly longestWait?: number | undefined
  /** For tests. */
  readonly sleep?: Sleep | undefined
}

export interface Request {
  readonly method: string
  /** The path and query, without the base URL. */
  readonly path: string
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly form?: Form
  readonly signal?: AbortSignal | undefined
  /** Seconds that the service may wait before it answers. */
  readonly wait?: number
  /** Overrides the transport's own. */
  readonly retries?: number
  readonly longestWait?: number
}

/** The outcome of a request, and the number of tries. */
export type Result<Answer> = { readonly tries: number } & (
  | { readonly value: Answer }
  /** `uncertain`: a write may have been stored. */
  | { readonly failure: unknown; readonly uncertain: boolean }
)

const sleep: Sleep = (seconds, signal) =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", done)
      resolve()
    }
    const timer = setTimeout(done, seconds * 1000)
    if (signal?.aborted) done()
    else signal?.addEventListener("abort", done)
  })

/** Seconds before the next try if the service named none: half a second, doubled each time, at most fifteen. */
const growingPause = (tries: number): number => Math.min(15, 0.5 * 2 ** Math.min(tries - 1, 10))

export class Transport {
  readonly baseUrl: string
  readonly sleep: Sleep
  readonly #fetch: Fetch
  readonly #retries: number
  readonly #timeout: number
  readonly #longestWait: number

  constructor({
    baseUrl,
    fetch = globalThis.fetch,
    retries = 4,
    timeout = 60,
    longestWait = 60,
    sleep: pause = sleep,
  }: TransportOptions) {
    if (!/^https?:$/.test(new URL(baseUrl).protocol))
      throw new TypeError(`baseUrl must begin with http:// or https://, not ${baseUrl}`)
    this.baseUrl = withoutTrailing(baseUrl, "/")
    this.sleep = pause
    this.#fetch = fetch
    this.#retries = retries
    this.#timeout = timeout
    this.#longestWait = longestWait
  }

  /**
   * Sends a request until it gets a final answer or no retries are left. Failures are returned, not thrown.
   * @throws the signal's reason if it was aborted before anything was sent
   */
  async persist<Answer>(request: Request): Promise<Result<Answer>> {
    const { signal, retries = this.#retries, longestWait = this.#longestWait } = request
    signal?.throwIfAborted()
    let uncertain = false
    for (let tries = 1; ; tries++) {
      const outcome = await this.#try<Answer>(request)
      if ("value" in outcome) return { ...outcome, tries }
      uncertain ||= outcome.uncertain
      const pause = outcome.retryAfter ?? growingPause(tries)
      const isRetried = outcome.mayRetry && tries <= retries && pause <= longestWait
      if (isRetried) await this.sleep(pause, signal)
      if (!isRetried || signal?.aborted)
        return { failure: outcome.failure, uncertain: uncertain && leavesOpen(outcome.failure), tries }
    }
  }

  /** Sends a request that may safely be repeated, and returns its answer. @throws the last failure */
  async ask<Answer>(request: Request): Promise<Answer> {
    const result = await this.persist<Answer>(request)
    if ("value" in result) return result.value
    request.signal?.throwIfAborted()
    throw result.failure
  }

  /**
   * Sends a request once and returns the response.
   * @param signal aborts it, instead of the transport's time limit
   */
  once(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: Request["body"],
    signal = this.#deadline(),
  ): Promise<Response> {
    const fetch = this.#fetch
    // A credential must not follow a redirect to another origin.
    return fetch(`${this.baseUrl}${path}`, {
      method,
      headers: { ...headers },
      redirect: "manual",
      signal,
      ...(body === undefined ? {} : { body }),
    })
  }

  /** One try. Reads the whole answer: one that is cut counts as lost. */
  async #try<Answer>({
    method,
    path,
    body,
    headers,
    form = "json",
    signal,
    wait = 0,
  }: Request): Promise<Outcome<Answer>> {
    const deadline = this.#deadline(wait)
    const accept = form === "json" ? "application/json" : "text/*"
    try {
      const response = await this.once(
        method,
        path,
        { accept, ...(typeof body === "string" && { "content-type": "application/json" }), ...headers },
        body,
        signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
      )
      return judge(response, await response.text(), form)
    } catch (error) {
      return signal?.aborted
        ? unanswered(signal.reason, false)
        : unanswered(new ConnectionLost(this.baseUrl, error), true)
    }
  }

  #deadline(wait = 0): AbortSignal {
    return AbortSignal.timeout((this.#timeout + wait) * 1000)
  }
}
