/**
 * What is said of a run: written down first, each with its id, then sent in that order. Whoever says it, the program that
 * watches the run or a later `deliver`, goes by the files alone.
 */
import { randomUUID } from "node:crypto"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { RefusedError } from "../client/errors.ts"
import type { Transport } from "../client/transport.ts"
import { limits } from "../contract/limits.ts"
import { operationOf } from "../contract/operations/index.ts"
import { delivery, type Input } from "../contract/definitions/requests.ts"
import { softwareVersion } from "../version.ts"
import { digestOf, isAlive, makeFolder, markOf, readBack, removeFolder, writeWhole } from "./files.ts"
import { isFinal, movedTo, reasonOf, withoutRefused } from "./judging.ts"
import { type Ending, exitCodeOf, files, type Kept } from "./keeper.ts"
import { Letters, type ReportRequest } from "./letters.ts"
import { inEvents, nextPoints } from "./metrics.ts"
import type { RunState } from "./run-state.ts"

/** `delivered`: nothing waits. `waiting`: nobody takes it now. `refused`: the attempt itself was not taken. */
export interface Delivery {
  readonly status: "delivered" | "waiting" | "refused"
  readonly why: string
  /** Where it waits: whether the service said no, such as to a credential that has ended. */
  readonly isAnswered: boolean
}

const CLIENT = { name: "research-room run", version: softwareVersion }
const now = (): string => new Date().toISOString()

export class Report {
  readonly folder: string
  readonly state: RunState
  /** Sentences for the person, such as what was refused. */
  readonly trouble: string[] = []
  readonly #at: ReturnType<typeof files>
  readonly #letters: Letters
  #unread = 0
  #firstUnread: string | null = null

  constructor(folder: string, state: RunState) {
    this.folder = folder
    this.state = state
    this.#at = files(folder)
    this.#letters = new Letters(folder)
  }

  /** A run that is on disk; null where its folder holds none. */
  static opened(folder: string): Report | null {
    const state = readBack<RunState>(files(folder).state)
    return state === null ? null : new Report(folder, state)
  }

  /** A new run, its registration the first that is said. */
  static begun(folder: string, state: RunState, registration: Input): Report {
    makeFolder(folder)
    const report = new Report(folder, state)
    report.#say("register_attempt", registration)
    return report
  }

  get name(): string {
    return this.state.label ?? `attempt ${this.state.attemptId}`
  }

  /** Says everything that is known and was not said. @param abandoned whether the one that watched the run is gone */
  say({ abandoned = false } = {}): void {
    const { state } = this
    if (state.said === "ended") return
    const kept = readBack<Kept>(this.#at.kept)
    const isGone = kept === null ? abandoned : !isAlive(kept.keeper)
    // Read after it is known whether anybody may still write it.
    const ending = readBack<Ending>(this.#at.ending)
    if (kept !== null && kept.failure !== null) {
      this.#end("preflight_failed", now(), { failure: { stage: "start", explanation: kept.failure.slice(0, limits.explanation) } })
    } else if (kept === null || kept.startedAt === null) {
      if (isGone)
        this.#end("cancelled", now(), { message: "The program that was to watch the run was killed before the command was started." })
    } else {
      if (state.said === "registered") this.#event("started", kept.startedAt, {}, { said: "started" })
      const points = this.#progress(ending !== null || isGone)
      const metrics = points.length > 0 ? { metrics: points } : {}
      if (ending !== null) this.#outcome(ending, kept.startedAt, metrics)
      // It reads as unknown, which it is: nobody says that it failed.
      else if (isGone)
        this.#end("progress", now(), { message: "What watched the run was killed, and how the command ended was not seen.", ...metrics })
      else if (points.length > 0) this.#event("progress", now(), metrics)
    }
  }

  /** Says what was measured, as much as several events take. @returns what is left for one more */
  #progress(isLast: boolean): readonly object[] {
    for (;;) {
      const { points, through, unread, firstUnread, more } = nextPoints(this.#at.metrics, this.state.metricsThrough, isLast)
      this.#unread += unread
      this.#firstUnread ??= firstUnread
      if (!more) {
        this.state.metricsThrough = through
        return points
      }
      const events = inEvents(points)
      // After a crash between two of them the line is told again: better twice than not.
      for (const event of events.slice(0, -1)) this.#event("progress", now(), { metrics: event })
      const [last] = events.slice(-1)
      if (last === undefined) this.state.metricsThrough = through
      else this.#event("progress", now(), { metrics: last }, { metricsThrough: through })
    }
  }

  #outcome(ending: Ending, startedAt: string, metrics: Input): void {
    if (this.#unread > 0)
      this.trouble.push(
        `Of the metrics ${this.#unread === 1 ? "1 line" : `${this.#unread} lines`} could not be told, or not all of it. The first is ${this.#firstUnread}.`,
      )
    else if (this.state.metricsThrough === 0)
      this.trouble.push(
        "The run told no metric. A command appends its metrics to the file that RESEARCH_ROOM_METRICS names: see run --help.",
      )
    const exitCode = exitCodeOf(ending)
    const how = ending.signal === null ? `The command ended with exit code ${exitCode}.` : `The command was ended by ${ending.signal}.`
    const asked = ending.asked === null ? "" : ` It was asked to end by ${ending.asked}.`
    const isCancelled = ending.asked !== null && exitCode > 128
    const event = exitCode === 0 ? "succeeded" : isCancelled ? "cancelled" : "failed"
    const found = this.state.outputs.flatMap(({ label, file }): object[] => {
      try {
        return [{ outputLabel: label, ...digestOf(file) }]
      } catch {
        this.trouble.push(`There is no output ${file}.`)
        return []
      }
    })
    // The clock may have been set back while the command ran.
    const wallSeconds = Math.max(0, Date.parse(ending.endedAt) - Date.parse(startedAt)) / 1_000
    this.#end(event, ending.endedAt, {
      exitCode,
      cost: { wallSeconds },
      ...(event === "failed"
        ? { failure: { stage: "run", explanation: `${how}${asked}` } }
        : asked === ""
          ? {}
          : { message: `${how}${asked}` }),
      ...metrics,
      ...(found.length > 0 && { outputs: found }),
    })
  }

  #end(event: string, reportedAt: string, more: Input): void {
    this.#event(event, reportedAt, more, { said: "ended" })
  }

  #event(event: string, reportedAt: string, more: Input, moved: Partial<RunState> = {}): void {
    Object.assign(this.state, moved)
    this.#say("report_attempt_event", { attemptId: this.state.attemptId, event, reportedAt, ...more })
  }

  #say(operation: ReportRequest["operation"], input: Input): void {
    const letter: ReportRequest = { operation, input: { requestId: randomUUID(), ...input }, sent: null }
    const { state } = this
    this.#letters.write(state.next, letter)
    state.next += 1
    this.#keep()
  }

  #keep(): void {
    writeWhole(this.#at.state, this.state)
  }

  /** Sends what waits, in order. */
  async send(transport: Transport, token: string, retries = 1): Promise<Delivery> {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    for (const name of this.#letters.waiting()) {
      const file = join(this.folder, name)
      for (let again = false; ; again = true) {
        const letter = readBack<ReportRequest>(file)
        if (letter === null) break
        try {
          const { path, body } = letter.sent ?? (await this.#prepared(transport, file, letter))
          const result = await transport.persist<{ result: { revision: number; status: string; label: string } }>({
            method: "POST",
            path,
            body,
            headers,
            retries,
          })
          if (!("value" in result)) throw result.failure
          const { revision, status, label } = result.value.result
          Object.assign(this.state, { revision, status, label })
          rmSync(file)
          this.#keep()
          break
        } catch (error) {
          const expected = again ? undefined : movedTo(error)
          if (expected !== undefined && letter.operation === "report_attempt_event") {
            Object.assign(this.state, { revision: expected.expectedRevision, status: expected.expectedStatus })
            writeWhole(file, { ...letter, input: { ...letter.input, requestId: randomUUID() }, sent: null })
            continue
          }
          const why = reasonOf(error)
          // Another person's credential says nothing of whether their own would be let in.
          const isForeign = error instanceof RefusedError && error.status === 403 && this.state.credential !== markOf(token)
          if (!isFinal(error) || isForeign)
            return { status: "waiting", why, isAnswered: error instanceof RefusedError && !error.retryable && error.committed === false }
          if (letter.operation === "register_attempt") {
            this.#refused(why)
            return { status: "refused", why, isAnswered: true }
          }
          this.trouble.push(this.#letters.setAside(name, why))
          const rest = withoutRefused(letter.input, error)
          if (rest === null) break
          writeWhole(file, { ...letter, input: { ...rest, requestId: randomUUID() }, sent: null })
        }
      }
    }
    return { status: "delivered", why: "", isAnswered: true }
  }

  /** A letter as it is sent, written down before it is: a second try is the same to the byte. */
  async #prepared(transport: Transport, file: string, letter: ReportRequest): Promise<{ path: string; body: string }> {
    const { state } = this
    let expected: object = { expectedRevision: state.revision, expectedStatus: state.status }
    if (letter.operation === "register_attempt") {
      const path = `/api/research/experiments/${encodeURIComponent(state.experimentId)}`
      const asked = { method: "GET", path, retries: 1 }
      const { affordances } = await transport.ask<{ affordances: { expected: object } }>(asked)
      expected = state.isReproduction ? {} : affordances.expected
    }
    const operation = operationOf(letter.operation)
    const { path, body } = delivery(operation, operation.path, { ...letter.input, ...expected }, CLIENT)
    writeWhole(file, { ...letter, sent: { path, body } })
    return { path, body }
  }

  /** The attempt itself was not taken: nothing of it can be told. */
  #refused(why: string): void {
    for (const name of this.#letters.waiting()) this.trouble.push(this.#letters.setAside(name, why))
    this.state.said = "ended"
    this.#keep()
  }

  /** Forgets a run of which everything is delivered; what was refused stays. */
  forget(): void {
    if (!this.#letters.hasRefused()) removeFolder(this.folder)
    else for (const file of Object.values(this.#at)) rmSync(file, { force: true })
  }
}
