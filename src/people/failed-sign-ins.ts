/**
 * Failed sign-ins on their way into the audit log. Anybody can fail as often as they like, and nothing is ever taken out of
 * the log: of each hour so many are noted one by one, and the others counted in one line at its end.
 */
import { limits } from "../contract/limits.ts"
import type { Audited } from "./audit.ts"

export class FailedSignIns {
  readonly #now: () => number
  /** Writes a line, in a transaction of its own. */
  readonly #write: (line: Audited) => Promise<unknown>
  #since = 0
  #noted = 0
  #counted = 0
  #timer: NodeJS.Timeout | undefined

  constructor(now: () => number, write: (line: Audited) => Promise<unknown>) {
    this.#now = now
    this.#write = write
  }

  /** Notes a failure, or counts it. That the log cannot be written keeps nobody from their answer. */
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

  /** Writes what was only counted: when its hour is over, and when the service ends. */
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
      // The disk is full, or the service ends: the log of the service tells.
    }
  }
}
