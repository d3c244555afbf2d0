/** A refusal, thrown anywhere below the edge and rendered there. */
import type { JsonObject } from "../json.ts"
import { codeIn, type RefusalCode, refusals } from "./codes.ts"
import { type Family, schemaVersions } from "../versions.ts"

export { codeIn, type RefusalCode, refusals }

/** One violation: where (a JSON Pointer) and what, as a sentence. */
export interface Issue {
  path: string
  message: string
}

export interface RefusalDetails {
  /** Needed only for the codes that stand for two statuses. */
  status?: number
  current?: JsonObject
  issues?: Issue[]
  /** Seconds; null when unknown. */
  retryAfter?: number
  /** null: whether something was stored is unknown. */
  committed?: false | null
  /** Header fields that go with the answer, such as Allow. */
  headers?: Record<string, string>
  /** What went wrong within, for the log alone. */
  cause?: Error
}

/** A request that is answered with a refusal. Thrown anywhere below the edge, rendered once at the edge. */
export class Refusal extends Error {
  override readonly name = "Refusal"
  readonly code: RefusalCode
  readonly details: RefusalDetails

  /** @param sentence what happened and what to do, for a person */
  constructor(code: RefusalCode, sentence: string, details: RefusalDetails = {}) {
    super(sentence, { cause: details.cause })
    this.code = code
    this.details = details
  }

  get status(): number {
    return this.details.status ?? refusals[this.code].status[0]
  }

  get retryable(): boolean {
    return refusals[this.code].retryable && this.status !== 422
  }

  /** The refusal envelope of the interface, in the words of the family that answers. */
  envelope(family: Family): JsonObject {
    const { current, issues, retryAfter, committed } = this.details
    return {
      schemaVersion: schemaVersions[family],
      error: this.message,
      refusal: codeIn(this.code, family),
      committed: committed === undefined ? false : committed,
      retryable: this.retryable,
      retryAfter: retryAfter ?? null,
      current: current ?? null,
      issues: (issues ?? []).map((issue) => ({ ...issue })),
    }
  }
}

/** A query parameter that is not as its read takes it. @param message what it must be, after its name */
export const badParameter = (name: string, message: string): Refusal =>
  new Refusal("invalid_parameter", `A query parameter is not as it must be: ${name} ${message}.`, {
    issues: [{ path: `/${name}`, message }],
  })
