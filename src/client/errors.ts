/** What can go wrong for a client, each kind as a class of its own. */
import type { JsonObject } from "../contract/json.ts"
import type { Issue, RefusalCode } from "../contract/refusals/refusal.ts"

/** The refusal envelope of the interface, as it is read. */
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
  /** The refusal code; a newer service may know more of them. */
  readonly refusal: RefusalCode | (string & {})
  /** The safe current state on a conflict, the archived Room, or what was needed. */
  readonly current: JsonObject | null
  /** One for each violation of the schema: a JSON Pointer and a sentence. */
  readonly issues: readonly Issue[]
  /** Seconds; null when unknown. */
  readonly retryAfter: number | null
  /** false: nothing was stored; null: that is uncertain. */
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

/** An answer that is neither what was asked for nor a refusal: it hardly comes from a research-room service. */
export class UnexpectedAnswer extends Error {
  override readonly name = "UnexpectedAnswer"
  readonly status: number
  /** How the answer begins. */
  readonly excerpt: string

  constructor(status: number, why: string, text: string) {
    super(`${why} (status ${status})`)
    this.status = status
    this.excerpt = text.slice(0, 200)
  }
}

/** No whole answer came: the connection failed, was cut, or took too long. `cause` says how. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost"

  constructor(url: string, cause: unknown) {
    super(`No answer came from ${url}: ${causeText(cause)}`, { cause })
  }
}

/** The most telling sentence of a failed fetch, which wraps what happened in a general one. */
function causeText(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  return inner instanceof Error ? inner.message || inner.name : String(inner)
}

/**
 * A write of which nobody knows whether it was stored, and the retries are used up. To settle it, ask for its receipt
 * (`client.receipt(operation, deliveryId)`), or send it again with the same credential (`client.write(operation, input)`).
 */
export class UncertainDelivery extends Error {
  override readonly name = "UncertainDelivery"
  readonly operation: string
  readonly deliveryId: string
  /** Everything that was sent, the id and the ids of the path included: `write` takes it as it is. */
  readonly input: Readonly<Record<string, unknown>>

  constructor(operation: string, deliveryId: string, input: Readonly<Record<string, unknown>>, cause: unknown) {
    super(`Whether ${operation} ${deliveryId} was stored is uncertain: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
    this.operation = operation
    this.deliveryId = deliveryId
    this.input = input
  }
}

/** A Room's activity is not the chain it was: an entry was changed, left out, added or put in another place. */
export class ChainBroken extends Error {
  override readonly name = "ChainBroken"
  readonly roomId: string
  /** The first entry at which it shows. */
  readonly sequence: number

  constructor(roomId: string, sequence: number, why: string) {
    super(`The activity of Room ${roomId} is broken at entry ${sequence}: ${why}.`)
    this.roomId = roomId
    this.sequence = sequence
  }
}

/** The address is served by another instance than before, or by one restored from a backup: what was read is to be read anew. */
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
