/**
 * Writes failed sign-ins to the audit log. Failures are unlimited and the log only grows, so each hour the first ones get a
 * line of their own, and one line at the end of the hour counts the rest.
 */
import { limits } from "../contract/limits.ts"
import type { Audited } from "./audit.ts"

export class FailedSignIns {
  readonly #now: () => number
  /** Writes a line in its own transaction. */
  readonly #write: (line: Audited) => Promise<unknown>
  #since = 0
  #noted = 0
  #counted = 0
  #timer: NodeJS.Timeout | undefined

  constructor(now: () => number, write: (line: Audited) => Promise<unknown>) {
    this.#now = now
    this.#write = write
  }

  /** Logs or counts a failure. Does not throw if the log cannot be written, so that the request is still answered. */
  async add(line: Audited): Promise<void> {
    if (this.#now() - this.#since >= limits.auditedFailuresSeconds * 1000) await this.settle()
    if (this.#noted === 0) this.#since = this.#now()
    if (this.#noted < limits.auditedFailures) {
      this.#noted += 1
      await this.#try(line)
      return
    }
    this.#counted += 1
    this.#timer ??= setTimeout(() => void this.settle(), limits.auditedFailuresSeconds * 1000).unref()
  }

  /** Writes the line that counts the rest. Runs when the hour is over and when the service stops. */
  async settle(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const failures = this.#counted
    this.#counted = 0
    this.#noted = 0
    if (failures > 0) await this.#try({ kind: "sign_ins_failed", detail: { failures, since: new Date(this.#since).toISOString() } })
  }

  async #try(line: Audited): Promise<void> {
    try {
      await this.#write(line)
    } catch {
      // The disk is full or the service is stopping. The service's own log reports it.
    }
  }
}
