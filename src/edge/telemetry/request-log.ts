/**
 * The edge's log: sign-ins, failed authentication, failures and, if enabled, one line per request. It never contains a
 * token, password, cookie, query or body, and only the pattern of a path.
 */
import type { Logger } from "pino"
import type { Refusal } from "../../contract/refusals.ts"
import { Buckets } from "../limits/budgets.ts"
import type { RequestContext } from "../limits/request-context.ts"

/** Limits the lines that anybody can cause, to what an operator can read and a disk can hold. */
const LINES = { perMinute: 120, atOnce: 240 }

function members({
  id,
  address,
  route,
  operation,
  refusal,
  credentialId,
  keyId,
  userId,
}: RequestContext): Record<string, string> {
  const known = { requestId: id, address, route, operation, refusal, credentialId, keyId, userId }
  return Object.fromEntries(Object.entries(known).filter((member): member is [string, string] => member[1] !== null))
}

export class RequestLog {
  readonly #log: Logger
  readonly #lines = new Buckets(LINES)
  #leftOut = 0
  readonly everyRequest: boolean

  constructor(log: Logger, everyRequest = false) {
    this.#log = log
    this.everyRequest = everyRequest
  }

  /** Logs a successful sign-in by password, set-up link, invitation or provider. */
  signedIn(context: RequestContext, username: string): void {
    this.#log.info({ ...members(context), username }, "signed in")
  }

  /**
   * Logs a password, link, credential, key or session that was not accepted. @param why without anything the client
   * sent
   */
  authenticationFailed(context: RequestContext, why?: string): void {
    this.#bounded("warn", { ...members(context), ...(why === undefined ? {} : { why }) }, "not let in")
  }

  /** Logs a request refused because the service could not serve it. */
  couldNotServe(context: RequestContext, { code, message, details: { cause } }: Refusal): void {
    const line = { ...members(context), refusal: code, why: message, ...(cause && { cause: cause.message }) }
    this.#bounded("warn", line, "a request could not be served")
  }

  failed(context: RequestContext, error: unknown): void {
    this.#bounded("error", { ...members(context), err: error }, "a request failed")
  }

  /** Logs a finished request. @param bytes of the response, headers and body */
  request(context: RequestContext, method: string, status: number, milliseconds: number, bytes: number): void {
    this.#log.info(
      { ...members(context), method, status, ms: Math.round(milliseconds * 1000) / 1000, bytes },
      "request",
    )
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
