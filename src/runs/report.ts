/**
 * The report of a run: requests are written to files first, each with its id, then sent in order. The program that
 * watches the run and a later `deliver` both work from these files alone.
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
import { credentialMark, digestOf, isAlive, makeFolder, readBack, removeFolder, writeWhole } from "./files.ts"
import { currentState, isFinal, reasonOf, withoutRefused } from "./judging.ts"
import { type Ending, exitCodeOf, files, type Kept, type RunState } from "./keeper.ts"
import { inEvents, nextPoints } from "./metrics.ts"
import { ReportQueue, type ReportRequest } from "./report-queue.ts"

/**
 * `delivered`: nothing waits. `waiting`: the service does not accept it now. `refused`: the attempt itself was refused.
 */
export interface Delivery {
  readonly status: "delivered" | "waiting" | "refused"
  readonly reason: string
  /** While waiting: whether the service answered, such as with a refusal of an expired credential. */
  readonly isAnswered: boolean
}

const CLIENT = { name: "research-room run", version: softwareVersion }
const now = (): string => new Date().toISOString()

export class Report {
  readonly folder: string
  readonly state: RunState
  /** Sentences for the user, such as on what was refused. */
  readonly problems: string[] = []
  readonly #files: ReturnType<typeof files>
  readonly #queue: ReportQueue
  #unread = 0
  #firstUnread: string | null = null

  constructor(folder: string, state: RunState) {
    this.folder = folder
    this.state = state
    this.#files = files(folder)
    this.#queue = new ReportQueue(folder)
  }

  /** Opens the report of a run on disk; null if the folder holds none. */
  static open(folder: string): Report | null {
    const state = readBack<RunState>(files(folder).state)
    return state === null ? null : new Report(folder, state)
  }

  /** Creates the report of a new run, with its registration as the first request. */
  static create(folder: string, state: RunState, registration: Input): Report {
    makeFolder(folder)
    const report = new Report(folder, state)
    report.#enqueue("register_attempt", registration)
    return report
  }

  get name(): string {
    return this.state.label ?? `attempt ${this.state.attemptId}`
  }

  /**
   * Writes requests for everything that is not reported yet. @param abandoned whether the program that watched the run
   * has ended
   */
  update({ abandoned = false } = {}): void {
    const { state } = this
    if (state.said === "ended") return
    const kept = readBack<Kept>(this.#files.kept)
    const isGone = kept === null ? abandoned : !isAlive(kept.keeper)
    // Read after the keeper was seen to have ended: it writes this file last.
    const ending = readBack<Ending>(this.#files.ending)
    if (kept !== null && kept.failure !== null) {
      this.#end("preflight_failed", now(), {
        failure: { stage: "start", explanation: kept.failure.slice(0, limits.explanation) },
      })
    } else if (kept === null || kept.startedAt === null) {
      if (isGone)
        this.#end("cancelled", now(), {
          message: "The program that should watch the run was killed before it started the command.",
        })
    } else {
      if (state.said === "registered") this.#event("started", kept.startedAt, {}, { said: "started" })
      const points = this.#progress(ending !== null || isGone)
      const metrics = points.length > 0 ? { metrics: points } : {}
      if (ending !== null) this.#outcome(ending, kept.startedAt, metrics)
      // The attempt stays started, because its outcome is not known.
      else if (isGone)
        this.#end("progress", now(), {
          message: "The process that watched the command was killed, so its outcome is not known.",
          ...metrics,
        })
      else if (points.length > 0) this.#event("progress", now(), metrics)
    }
  }

  /** Reports new metrics, in several events if necessary. @returns the points that fit into the next event */
  #progress(isLast: boolean): readonly object[] {
    for (;;) {
      const { points, through, unread, firstUnread, more } = nextPoints(
        this.#files.metrics,
        this.state.metricsThrough,
        isLast,
      )
      this.#unread += unread
      this.#firstUnread ??= firstUnread
      if (!more) {
        this.state.metricsThrough = through
        return points
      }
      const events = inEvents(points)
      // After a crash between two events the line is reported again, since only the last event moves the offset.
      for (const event of events.slice(0, -1)) this.#event("progress", now(), { metrics: event })
      const [last] = events.slice(-1)
      if (last === undefined) this.state.metricsThrough = through
      else this.#event("progress", now(), { metrics: last }, { metricsThrough: through })
    }
  }

  #outcome(ending: Ending, startedAt: string, metrics: Input): void {
    if (this.#unread > 0)
      this.problems.push(
        `${this.#unread === 1 ? "1 line of metrics is" : `${this.#unread} lines of metrics are`} invalid, at least in part. The first is ${this.#firstUnread}.`,
      )
    else if (this.state.metricsThrough === 0)
      this.problems.push(
        "The run reported no metric. A command appends its metrics to the file named by RESEARCH_ROOM_METRICS: see run --help.",
      )
    const exitCode = exitCodeOf(ending)
    const outcome =
      ending.signal === null
        ? `The command ended with exit code ${exitCode}.`
        : `The command was ended by ${ending.signal}.`
    const forwarded = ending.asked === null ? "" : ` ${ending.asked} was sent to it before.`
    const isCancelled = ending.asked !== null && exitCode > 128
    const event = exitCode === 0 ? "succeeded" : isCancelled ? "cancelled" : "failed"
    const outputs = this.state.outputs.flatMap(({ label, file }): object[] => {
      try {
        return [{ outputLabel: label, ...digestOf(file) }]
      } catch {
        this.problems.push(`There is no output ${file}.`)
        return []
      }
    })
    // The clock may have been set back while the command ran.
    const wallSeconds = Math.max(0, Date.parse(ending.endedAt) - Date.parse(startedAt)) / 1_000
    this.#end(event, ending.endedAt, {
      exitCode,
      cost: { wallSeconds },
      ...(event === "failed"
        ? { failure: { stage: "run", explanation: `${outcome}${forwarded}` } }
        : forwarded === ""
          ? {}
          : { message: `${outcome}${forwarded}` }),
      ...metrics,
      ...(outputs.length > 0 && { outputs }),
    })
  }

  #end(event: string, reportedAt: string, more: Input): void {
    this.#event(event, reportedAt, more, { said: "ended" })
  }

  #event(event: string, reportedAt: string, more: Input, changes: Partial<RunState> = {}): void {
    Object.assign(this.state, changes)
    this.#enqueue("report_attempt_event", { attemptId: this.state.attemptId, event, reportedAt, ...more })
  }

  #enqueue(operation: ReportRequest["operation"], input: Input): void {
    this.#queue.write(this.state.next, { operation, input: { requestId: randomUUID(), ...input }, sent: null })
    this.state.next += 1
    this.#saveState()
  }

  #saveState(): void {
    writeWhole(this.#files.state, this.state)
  }

  async send(transport: Transport, token: string, retries = 1): Promise<Delivery> {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    for (const name of this.#queue.waiting()) {
      const file = join(this.folder, name)
      for (let again = false; ; again = true) {
        const request = readBack<ReportRequest>(file)
        if (request === null) break
        try {
          const { path, body } = request.sent ?? (await this.#prepare(transport, file, request))
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
          this.#saveState()
          break
        } catch (error) {
          const expected = again ? undefined : currentState(error)
          if (expected !== undefined && request.operation === "report_attempt_event") {
            Object.assign(this.state, { revision: expected.expectedRevision, status: expected.expectedStatus })
            writeWhole(file, { ...request, input: { ...request.input, requestId: randomUUID() }, sent: null })
            continue
          }
          const reason = reasonOf(error)
          // The refusal of another credential does not show whether the original one would be refused.
          const isForeign =
            error instanceof RefusedError && error.status === 403 && this.state.credential !== credentialMark(token)
          if (!isFinal(error) || isForeign)
            return {
              status: "waiting",
              reason,
              isAnswered: error instanceof RefusedError && !error.retryable && error.committed === false,
            }
          if (request.operation === "register_attempt") {
            this.#giveUp(reason)
            return { status: "refused", reason, isAnswered: true }
          }
          this.problems.push(this.#queue.setAside(name, reason))
          const rest = withoutRefused(request.input, error)
          if (rest === null) break
          writeWhole(file, { ...request, input: { ...rest, requestId: randomUUID() }, sent: null })
        }
      }
    }
    return { status: "delivered", reason: "", isAnswered: true }
  }

  /** Makes the request to send and stores it first, so that a retry sends the same bytes. */
  async #prepare(transport: Transport, file: string, request: ReportRequest): Promise<{ path: string; body: string }> {
    const { state } = this
    let expected: object = { expectedRevision: state.revision, expectedStatus: state.status }
    if (request.operation === "register_attempt") {
      const path = `/api/research/experiments/${encodeURIComponent(state.experimentId)}`
      const { affordances } = await transport.ask<{ affordances: { expected: object } }>({
        method: "GET",
        path,
        retries: 1,
      })
      expected = state.isReproduction ? {} : affordances.expected
    }
    const operation = operationOf(request.operation)
    const { path, body } = delivery(operation, operation.path, { ...request.input, ...expected }, CLIENT)
    writeWhole(file, { ...request, sent: { path, body } })
    return { path, body }
  }

  /** Sets all requests aside, because the attempt itself was refused. */
  #giveUp(reason: string): void {
    for (const name of this.#queue.waiting()) this.problems.push(this.#queue.setAside(name, reason))
    this.state.said = "ended"
    this.#saveState()
  }

  /** Deletes the files of a delivered run, except refused requests. */
  forget(): void {
    if (!this.#queue.hasRefused()) removeFolder(this.folder)
    else for (const file of Object.values(this.#files)) rmSync(file, { force: true })
  }
}
