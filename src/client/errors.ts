/** The errors of the client. */
import { WITHHELD } from "../contract/definitions/withheld-text.ts"
import type { Withholding } from "../contract/answers/fields.ts"
import type { JsonObject } from "../contract/json.ts"
import { withoutTrailing } from "../contract/text.ts"
import type { Issue, RefusalCode } from "../contract/refusals.ts"

type ShownText = string | { readonly withheld: Withholding }

/** A text of an answer, for display or search: `[withheld]` if it was withheld; null and undefined unchanged. */
export function textOf(text: ShownText): string
export function textOf(text: ShownText | null): string | null
export function textOf(text: ShownText | undefined): string | undefined
export function textOf(text: ShownText | null | undefined): string | null | undefined
export function textOf(text: ShownText | null | undefined): string | null | undefined {
  return typeof text === "object" && text !== null ? WITHHELD : text
}

export interface RefusalEnvelope {
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
