/**
 * What the edge writes into the log: who came in, who was turned away, what failed and, where asked for, a line on every
 * request. Never what is in a request: no token, password, cookie, query or body, and of a path only its pattern.
 */
import type { Logger } from "pino"
import type { Refusal } from "../../contract/refusals/refusal.ts"
import { Buckets } from "../limits/buckets.ts"
import type { RequestContext } from "../limits/request-context.ts"

/** Lines that anybody can bring about at will: as many as an operator can read, not as many as a disk can hold. */
const LINES = { perMinute: 120, atOnce: 240 }

/** The members of a line that say which request it is about. */
function members({ id, address, route, operation, refusal, credentialId, keyId, userId }: RequestContext): Record<string, string> {
  const known = { requestId: id, address, route, operation, refusal, credentialId, keyId, userId }
  return Object.fromEntries(Object.entries(known).filter((member): member is [string, string] => member[1] !== null))
}

export class Journal {
  readonly #log: Logger
  readonly #lines = new Buckets(LINES)
  #leftOut = 0
  /** Whether every request gets a line, not only those that an operator wants to know of. */
  readonly everyRequest: boolean

  constructor(log: Logger, everyRequest = false) {
    this.#log = log
    this.everyRequest = everyRequest
  }

  /** Somebody came in with a password, a set-up link or an invitation. */
  cameIn(context: RequestContext, username: string): void {
    this.#log.info({ ...members(context), username }, "signed in")
  }

  /** A password, link, credential, key or session opened nothing. @param why without what was sent */
  turnedAway(context: RequestContext, why?: string): void {
    this.#bounded("warn", { ...members(context), ...(why === undefined ? {} : { why }) }, "not let in")
  }

  /** A request was refused for a reason of the service's own. */
  unable(context: RequestContext, { code, message, details: { cause } }: Refusal): void {
    const line = { ...members(context), refusal: code, why: message, ...(cause && { cause: cause.message }) }
    this.#bounded("warn", line, "a request could not be served")
  }

  /** Something failed that no refusal foresaw. */
  failed(context: RequestContext, error: unknown): void {
    this.#bounded("error", { ...members(context), err: error }, "a request failed")
  }

  /** A request is over. @param bytes of its answer, head and body */
  request(context: RequestContext, method: string, status: number, milliseconds: number, bytes: number): void {
    if (!this.everyRequest) return
    this.#log.info({ ...members(context), method, status, ms: Math.round(milliseconds * 1000) / 1000, bytes }, "request")
  }

  #bounded(level: "warn" | "error", line: object, text: string): void {
    if (this.#lines.take("lines", performance.now()) > 0) {
      this.#leftOut += 1
      return
    }
    const leftOut = this.#leftOut
    this.#leftOut = 0
    this.#log[level](leftOut === 0 ? line : { ...line, linesLeftOut: leftOut }, text)
  }
}
