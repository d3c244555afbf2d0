/**
 * Makes a service that Litestream started answer each write after Litestream has copied it. One sync runs at a time. It
 * releases the answers that were waiting when it began; later ones wait for the next sync.
 */
import type { Logger } from "pino"
import { realpathSync } from "node:fs"
import { Agent, request } from "node:http"
import { basename, dirname, join } from "node:path"
import * as v from "valibot"
import { messageOf, Refusal } from "../../contract/refusals.ts"
import type { ReadName } from "../../contract/reads/index.ts"
import type { Metrics } from "../../edge/telemetry/metrics.ts"
import { repeat } from "../../ledger/world.ts"
import { uncertain } from "../../ledger/write/commit-queue.ts"
import type { Instance } from "../compose/instance.ts"
import { DataError } from "../../ledger/storage/opening.ts"

// A client for the control socket of Litestream 0.5.18, which speaks HTTP. Litestream must have started this service.

/** Seconds for a sync; proxies wait longer. */
const SYNC_TIMEOUT = 5
/** Seconds to release the file: Litestream tries to copy the rest first. */
const RELEASE_TIMEOUT = 30
/** Additional milliseconds for the response. */
const GRACE = 500

const Info = v.object({ version: v.string(), pid: v.number() })
const List = v.object({ databases: v.array(v.object({ path: v.string() })) })
const Started = v.object({ status: v.picklist(["started", "already_running"]) })
const Synced = v.object({
  status: v.picklist(["synced", "no_change"]),
  replicated_txid: v.pipe(v.number(), v.minValue(1)),
})
const Failed = v.object({ error: v.string() })

interface SocketResponse {
  readonly status: number
  readonly body: unknown
}

/** Resolves the links in the path of a file that may not exist yet. */
function resolvedPath(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path))
  } catch {
    return path
  }
}

export class Litestream {
  readonly #socket: string
  readonly #timeout: number
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  #path = ""
  /** The process that started this one. */
  readonly parent = process.ppid

  /** @param timeout whole seconds for a sync */
  constructor(socket: string, timeout = SYNC_TIMEOUT) {
    this.#socket = socket
    this.#timeout = timeout
  }

  /**
   * Checks that Litestream started this process and copies this file. If a service is killed while Litestream runs on,
   * Litestream may copy an incomplete log, and the copy cannot be restored.
   * @throws DataError with the reason
   */
  async mustHaveStarted(file: string): Promise<void> {
    const get = async <S extends v.GenericSchema>(path: string, schema: S): Promise<v.InferOutput<S>> => {
      try {
        return v.parse(schema, (await this.#request("GET", path)).body)
      } catch (error) {
        throw new DataError(
          `Litestream does not answer at its control socket ${this.#socket} (${messageOf(error)}); ` +
            `see "socket" in its configuration.`,
        )
      }
    }
    const { pid } = await get("/info", Info)
    if (pid !== this.parent)
      throw new DataError(
        `Litestream (process ${pid}) did not start this service. Then a killed service can leave a copy that cannot ` +
          `be restored: let Litestream start it, with "exec" in its configuration.`,
      )
    const { databases } = await get("/list", List)
    const listed = databases.find(({ path }) => resolvedPath(path) === resolvedPath(file))
    if (listed === undefined)
      throw new DataError(
        `Litestream keeps no copy of ${file}; it has ${databases.map(({ path }) => path).join(", ") || "none"}.`,
      )
    this.#path = listed.path
  }

  /**
   * Makes Litestream start a new copy with the whole file. A service that is killed during a commit may leave it in the
   * log without an entry in SQLite's index of the log. Litestream copies that commit, although SQLite may overwrite it
   * a moment later.
   * @param why what is said before a failure @param emptyLog writes the log into the file while no other process has it
   * open; returns whether it could @throws DataError if Litestream does not release the file, or does not open it again
   */
  async copyAnew(why: string, emptyLog: () => Promise<boolean>): Promise<void> {
    // If the store of the copy does not answer, Litestream reports a failure but has released the file.
    await this.#request("POST", "/stop", { path: this.#path, timeout: RELEASE_TIMEOUT }, RELEASE_TIMEOUT)
    const isEmptied = await emptyLog()
    const { status, body } = await this.#request(
      "POST",
      "/start",
      { path: this.#path, timeout: RELEASE_TIMEOUT },
      RELEASE_TIMEOUT,
    )
    if (!isEmptied || status !== 200 || !v.is(Started, body))
      throw new DataError(
        `${why}, and Litestream could not start a new copy of ${this.#path}: ` +
          `${isEmptied ? (v.is(Failed, body) ? body.error : `it answers ${status}`) : "it did not release the file"}.`,
      )
  }

  /** Whether Litestream has ended; this process then has another parent. */
  hasEnded(): boolean {
    return process.ppid !== this.parent
  }

  /** Copies everything committed so far. @throws Error if that fails or takes too long */
  async sync(): Promise<void> {
    const { status, body } = await this.#request("POST", "/sync", {
      path: this.#path,
      wait: true,
      timeout: this.#timeout,
    })
    if (status === 200 && v.is(Synced, body)) return
    throw new Error(v.is(Failed, body) ? body.error : `it answers ${status}`)
  }

  close(): void {
    this.#agent.destroy()
  }

  #request(method: "GET" | "POST", path: string, body?: object, seconds = this.#timeout): Promise<SocketResponse> {
    return new Promise((resolve, reject) => {
      const text = body === undefined ? "" : JSON.stringify(body)
      const headers =
        body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }
      const call = request({ socketPath: this.#socket, agent: this.#agent, method, path, headers }, (response) => {
        let received = ""
        response.setEncoding("utf8").on("data", (part: string) => (received += part))
        response.on("error", reject)
        response.on("end", () => {
          try {
            resolve({ status: response.statusCode ?? 0, body: JSON.parse(received) })
          } catch {
            resolve({ status: response.statusCode ?? 0, body: received })
          }
        })
      })
      const timer = setTimeout(() => call.destroy(new Error("it does not answer in time")), seconds * 1_000 + GRACE)
      call.on("error", reject)
      call.on("close", () => {
        clearTimeout(timer)
        reject(new Error("it ended the connection"))
      })
      call.end(text)
    })
  }
}

/** Milliseconds between two checks whether Litestream still runs. */
const INTERVAL = 500

/** Reads that must not be ahead of the copy: receipts, and the feed that agents rely on. */
const confirmedReads: ReadonlySet<string> = new Set<ReadName>(["receipt", "room_activity"])

export interface ReplicationParts {
  readonly litestream: Litestream
  readonly instance: Instance
  readonly metrics: Metrics
  readonly log: Pick<Logger, "warn" | "info">
  /** Called when writes begin to fail because the copy cannot be made. */
  readonly onFailed: () => void
  /** Called with a sentence when Litestream has ended. */
  readonly onEnded: (sentence: string) => void
}

export class Replication {
  readonly #parts: ReplicationParts
  readonly #counted: ReturnType<Metrics["watchCopy"]>
  readonly #timer: NodeJS.Timeout
  #waiting: PromiseWithResolvers<void>[] = []
  #isRunning = false
  /** The newest entry that is known to be in the copy. */
  #through = 0
  /** When the oldest write that may not be in the copy was committed, by `performance.now`. */
  #since: number | null = null
  #failing: string | null = null

  /** Starts to delay the responses to writes. */
  constructor(parts: ReplicationParts) {
    const { litestream, instance, metrics, onEnded } = parts
    this.#parts = parts
    this.#counted = metrics.watchCopy(this)
    instance.ledger.answerAfter(() => this.#copied())
    this.#timer = repeat(() => {
      if (litestream.hasEnded())
        onEnded(
          "Litestream, which started this service, has ended: the service ends too, because nothing is copied any " +
            "longer.",
        )
    }, INTERVAL)
  }

  /** Milliseconds since the oldest write that may not be in the copy; 0 if all writes are. */
  get lag(): number {
    return this.#since === null ? 0 : performance.now() - this.#since
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** A sentence on why writes fail; null if they do not. */
  get why(): string | null {
    return this.#failing === null ? null : `Litestream does not copy what is written: ${this.#failing}.`
  }

  /**
   * Waits until everything that a read may show is in the copy; undefined for a read that need not wait. @throws
   * Refusal 503
   */
  mayBeSent = (read: string): Promise<void> | undefined => (confirmedReads.has(read) ? this.#settled() : undefined)

  close(): void {
    clearInterval(this.#timer)
    this.#parts.litestream.close()
  }

  /** Waits for a sync that begins after this call. @throws Refusal 503 with `committed: null` if it fails */
  #copied(): Promise<void> {
    this.#since ??= performance.now()
    const waiting = Promise.withResolvers<void>()
    this.#waiting.push(waiting)
    // Writes of one commit call this in the same turn.
    if (this.#waiting.length === 1 && !this.#isRunning) setImmediate(() => void this.#sync())
    return waiting.promise
  }

  async #settled(): Promise<void> {
    if (this.#parts.instance.ledger.journal.count() <= this.#through) return
    await this.#copied().catch(() => {
      throw new Refusal(
        "temporarily_unavailable",
        "The newest entries are not in the copy yet. Read again in a moment.",
        { retryAfter: 2 },
      )
    })
  }

  async #sync(): Promise<void> {
    const { litestream, instance } = this.#parts
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      const group = this.#waiting
      this.#waiting = []
      const before = this.#since
      const startedAt = performance.now()
      this.#since = null
      try {
        const newest = instance.ledger.journal.count()
        await litestream.sync()
        this.#through = newest
        this.#counted.synced("confirmed", performance.now() - startedAt)
        this.#succeeded()
        for (const { resolve } of group) resolve()
      } catch (error) {
        this.#since = before
        this.#counted.synced("failed", performance.now() - startedAt)
        this.#failed(messageOf(error))
        for (const { reject } of group) reject(uncertain())
      }
    }
    this.#isRunning = false
  }

  #succeeded(): void {
    if (this.#failing !== null)
      this.#parts.log.info({ alarm: "not_replicated", over: true }, "Litestream copies again.")
    this.#failing = null
  }

  #failed(why: string): void {
    const { log, onFailed } = this.#parts
    if (this.#failing === null)
      log.warn(
        { alarm: "not_replicated", why },
        "Litestream does not copy: writes are answered 503 until it does; reads still work.",
      )
    this.#failing = why
    onFailed()
  }
}
