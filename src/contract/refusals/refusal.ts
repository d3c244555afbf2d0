/** A refusal: thrown below the edge, rendered at the edge. */
import type { JsonObject } from "../json.ts"
import { codeIn, type RefusalCode, refusals } from "./codes.ts"
import { type Family, schemaVersions } from "../service.ts"

export { codeIn, type RefusalCode, refusals }

/** One violation: its place (a JSON Pointer), and a sentence about it. */
export interface Issue {
  path: string
  message: string
}

export interface RefusalDetails {
  /** Needed only for codes with more than one status. */
  status?: number
  current?: JsonObject
  issues?: Issue[]
  /** In seconds; null if unknown. */
  retryAfter?: number
  /** null: it is unknown whether something was stored. */
  committed?: false | null
  /** Headers of the answer, such as Allow. */
  headers?: Record<string, string>
  /** The internal error, only for the log. */
  cause?: Error
}

/** A request that is answered with a refusal. */
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

  /** The refusal envelope of the interface, with the code of the family that answers. */
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

/** Refuses a query parameter. @param message what the parameter must be, without its name */
export const badParameter = (name: string, message: string): Refusal =>
  new Refusal("invalid_parameter", `A query parameter is wrong: ${name} ${message}.`, {
    issues: [{ path: `/${name}`, message }],
  })

/** Refuses a query parameter in a sentence that begins with its name. @param path its JSON Pointer */
export const wrongParameter = (path: string, message: string): Refusal =>
  new Refusal("invalid_parameter", `${path.slice(1)} ${message}.`, { issues: [{ path, message }] })
