/** Interprets one try of a request: an answer, or a failure and whether to retry. */
import { type RefusalEnvelope, RefusedError, UnexpectedAnswer } from "./errors.ts"

export interface Failure {
  readonly failure: unknown
  readonly again: boolean
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
    const again = failure.retryable || failure.committed === null || isTransient(status)
    return { failure, again, uncertain: failure.committed === null, retryAfter: failure.retryAfter }
  }
  const elsewhere = headers.get("location")
  const why =
    status < 400 && elsewhere !== null
      ? `The address has moved to ${elsewhere}: use that as baseUrl`
      : "The answer is not a refusal of this service"
  return {
    failure: new UnexpectedAnswer(status, why, text),
    again: isTransient(status),
    // A request over the limits certainly stored nothing.
    uncertain: isTransient(status) && status !== 429,
    retryAfter,
  }
}

/** The failure of a request without a complete answer: it may have arrived. */
export const unanswered = (failure: unknown, again: boolean): Failure => ({
  failure,
  again,
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
