/** Judges one try of a request: an answer, or a failure and whether the same request may be sent again. */
import { ConnectionLost, type RefusalEnvelope, RefusedError, UnexpectedAnswer } from "./errors.ts"

export interface Failure {
  readonly failure: unknown
  /** Whether the very same request may be sent again. */
  readonly again: boolean
  /** Whether a write may have been stored all the same. */
  readonly uncertain: boolean
  /** Seconds to wait first; null when the service did not say. */
  readonly retryAfter: number | null
}
export type Outcome<Answer> = { readonly value: Answer } | Failure

/** What a read answers in. */
export type Form = "json" | "text"

/** Statuses that say nothing about the request itself, whoever sent them: the service, or a proxy before it. */
const passing = (status: number): boolean => status >= 500 || status === 408 || status === 425 || status === 429
/** Of these, the one that certainly stored nothing. */
const turnedAway = (status: number): boolean => status === 429

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

/** An answer that came whole; it is believed to be what its read or operation declares. */
export function judge<Answer>({ status, headers }: Response, text: string, form: Form): Outcome<Answer> {
  if (status >= 200 && status < 300) {
    const value = form === "text" ? text : parsed(text)
    if (value !== undefined) return { value: value as Answer }
    // Perhaps cut short on its way: the same request brings it whole.
    return { failure: new UnexpectedAnswer(status, "The answer is not JSON", text), again: true, uncertain: true, retryAfter: null }
  }
  const retryAfter = retryAfterOf(headers)
  const envelope = parsed(text)
  if (isRefusal(envelope)) {
    const failure = new RefusedError(status, { ...envelope, retryAfter: envelope.retryAfter ?? retryAfter })
    const again = failure.retryable || failure.committed === null || passing(status)
    return { failure, again, uncertain: failure.committed === null, retryAfter: failure.retryAfter }
  }
  const elsewhere = headers.get("location")
  const why =
    status < 400 && elsewhere !== null
      ? `The address has moved to ${elsewhere}: use that as baseUrl`
      : "The answer is not a refusal of this service"
  return {
    failure: new UnexpectedAnswer(status, why, text),
    again: passing(status),
    uncertain: passing(status) && !turnedAway(status),
    retryAfter,
  }
}

/** No whole answer came. */
export const lost = (url: string, cause: unknown): Failure => ({
  failure: new ConnectionLost(url, cause),
  again: true,
  uncertain: true,
  retryAfter: null,
})

/** The caller gave up: what was sent may have arrived. */
export const abandoned = (reason: unknown): Failure => ({ failure: reason, again: false, uncertain: true, retryAfter: null })

/**
 * Whether a last failure leaves open what became of an earlier try that was uncertain. A refusal that comes after the
 * service has looked for an earlier receipt settles it: there was none. One that comes before does not.
 */
export const leavesOpen = (failure: unknown): boolean =>
  !(failure instanceof RefusedError) || failure.committed === null || failure.status === 401 || passing(failure.status)
