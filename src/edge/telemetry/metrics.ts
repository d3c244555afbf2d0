/** What the service measures of itself, as Prometheus reads it. */
/// <reference path="./prometheus.d.ts" />
import Counter from "@prometheus-io/client/lib/counter.js"
import Gauge from "@prometheus-io/client/lib/gauge.js"
import Histogram from "@prometheus-io/client/lib/histogram.js"
import Registry from "@prometheus-io/client/lib/registry.js"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"
import type { Budgets } from "../limits/budgets.ts"

const inSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The state of the copy, read on each scrape. */
interface CopyGauges {
  /** Milliseconds since the oldest write that may be missing from the copy was committed. */
  readonly lag: number
  /** Acknowledgements waiting for the next sync. */
  readonly waiting: number
}

/** Metrics of the copy that acknowledgements wait for. */
class CopyMetrics {
  readonly #syncs
  readonly #took

  constructor(registry: Registry, state: CopyGauges) {
    const registers = [registry]
    this.#syncs = new Counter({
      name: "research_room_replica_syncs_total",
      help: "Syncs of the copy that acknowledgements wait for, by outcome.",
      labelNames: ["outcome"],
      registers,
    })
    this.#took = new Histogram({
      name: "research_room_replica_sync_seconds",
      help: "Duration of a sync.",
      buckets: inSeconds,
      registers,
    })
    const gauge = (name: string, help: string, value: () => number) =>
      new Gauge({
        name: `research_room_replica_${name}`,
        help,
        registers,
        collect() {
          this.set(value())
        },
      })
    gauge(
      "lag_seconds",
      "Time since the oldest write that may be missing from the copy was committed.",
      () => state.lag / 1_000,
    )
    gauge("answers_waiting", "Answers waiting for the next sync.", () => state.waiting)
  }

  synced(outcome: string, milliseconds: number): void {
    this.#syncs.inc({ outcome })
    this.#took.observe(milliseconds / 1_000)
  }
}

/** Receives the size and duration of each committed group of writes. */
interface CommitObserver {
  onCommit(groupSize: number, milliseconds: number): void
}

/** Values measured outside of the edge, read on each scrape; null if unknown. */
interface Gauges {
  readonly openFeedWaits: () => number
  /** Supplies the amount in use of each budget. */
  readonly budgets: Budgets
  readonly storage: () => {
    readonly databaseBytes: number | null
    readonly walBytes: number | null
    readonly freeDiskBytes: number | null
  }
}

export type WriteOutcome = "accepted" | "replayed" | "rehearsed" | "refused"

/** The media type of what `text` returns. */
export const metricsType = "text/plain; version=0.0.4"

const methods = new Set(["GET", "HEAD", "POST", "PATCH", "DELETE"])
const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30]

/** The requests of one route and method. */
interface Meter {
  /** By the first digit of the status. */
  readonly answers: { inc(): void }[]
  readonly durations: { observe(seconds: number): void }
}

export class Metrics implements CommitObserver {
  readonly #registry = new Registry()
  readonly #meters = new Map<string, Meter>()
  readonly #writes = new Map<string, { inc(): void }>()
  readonly #requests
  readonly #durations
  readonly #outcomes
  readonly #limited
  readonly #groups
  readonly #commits
  #gauges: Gauges | null = null
  /** Started by the first scrape and reset by each. */
  #delay: ReturnType<typeof monitorEventLoopDelay> | null = null
  inProgress = 0

  constructor() {
    const registers = [this.#registry]
    const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
      new Counter({ name: `research_room_${name}`, help, labelNames: [...labelNames], registers })
    const histogram = <L extends string>(
      name: string,
      help: string,
      buckets: readonly number[],
      labelNames: readonly L[] = [],
    ) =>
      new Histogram({
        name: `research_room_${name}`,
        help,
        labelNames: [...labelNames],
        buckets: [...buckets],
        registers,
      })
    this.#requests = counter("http_requests_total", "Requests answered, by route, method and class of status.", [
      "route",
      "method",
      "status",
    ])
    this.#durations = histogram(
      "http_request_duration_seconds",
      "From the headers of a request to the end of its response.",
      seconds,
      ["route", "method"],
    )
    this.#outcomes = counter("writes_total", "Writes by operation and outcome.", ["operation", "fate", "refusal"])
    this.#limited = counter("rate_limited_total", "Requests refused 429, by the limit reached.", ["limit"])
    this.#groups = histogram(
      "commit_group_writes",
      "Writes that shared one transaction.",
      [1, 2, 4, 8, 16, 32, 64, 128],
    )
    this.#commits = histogram("commit_duration_seconds", "From BEGIN to the end of COMMIT.", seconds)
    this.#addGauges()
  }

  /** Counts a finished request. @param status 0 if the client disconnected before the response */
  answered(path: string | null, sent: string, status: number, milliseconds: number): void {
    const route = path ?? "none"
    // Clients choose the method, so unknown ones share one meter.
    const method = methods.has(sent) ? sent : "other"
    const { answers, durations } = this.#meters.getOrInsertComputed(`${method} ${route}`, () => ({
      answers: [],
      durations: this.#durations.labels({ route, method }),
    }))
    const digit = Math.floor(status / 100)
    const counter = (answers[digit] ??= this.#requests.labels({
      route,
      method,
      status: digit === 0 ? "aborted" : `${digit}xx`,
    }))
    counter.inc()
    durations.observe(milliseconds / 1000)
  }

  /** Counts a finished write. @param refusal the code, if it was refused */
  wrote(operation: string, outcome: WriteOutcome, refusal = ""): void {
    const key = `${operation} ${outcome} ${refusal}`
    this.#writes.getOrInsertComputed(key, () => this.#outcomes.labels({ operation, fate: outcome, refusal })).inc()
  }

  limited(limit: string): void {
    this.#limited.inc({ limit })
  }

  onCommit(groupSize: number, milliseconds: number): void {
    this.#groups.observe(groupSize)
    this.#commits.observe(milliseconds / 1000)
  }

  watch(gauges: Gauges): void {
    this.#gauges = gauges
  }

  watchCopy(state: CopyGauges): CopyMetrics {
    return new CopyMetrics(this.#registry, state)
  }

  async text(): Promise<string> {
    if (this.#delay === null) {
      this.#delay = monitorEventLoopDelay({ resolution: 20 })
      this.#delay.enable()
    }
    const text = await this.#registry.metrics()
    this.#delay.reset()
    return text
  }

  close(): void {
    this.#delay?.disable()
  }

  #addGauges(): void {
    const gauge = (name: string, help: string, value: () => number | null | undefined) =>
      new Gauge({
        name,
        help,
        registers: [this.#registry],
        collect() {
          const found = readOf(value)
          if (found === null || found === undefined || Number.isNaN(found)) this.reset()
          else this.set(found)
        },
      })
    const started = Date.now() / 1000 - process.uptime()
    gauge("research_room_http_requests_under_way", "Requests not answered yet.", () => this.inProgress)
    gauge("research_room_feed_waits_open", "Readers waiting for a new entry in a Room.", () =>
      this.#gauges?.openFeedWaits(),
    )
    gauge(
      "research_room_bodies_bytes",
      "Bytes of request bodies held for authenticated callers.",
      () => this.#gauges?.budgets.bodies.bytes,
    )
    gauge(
      "research_room_strangers_bodies_bytes",
      "Bytes of request bodies held for other callers.",
      () => this.#gauges?.budgets.strangersBodies.bytes,
    )
    gauge("research_room_connections_open", "Connections of clients.", () => this.#gauges?.budgets.connections.sum)
    gauge("research_room_feeds_held", "Requests waiting on a feed.", () => this.#gauges?.budgets.feeds.sum)
    gauge(
      "research_room_reads_held",
      "Pages and long answers being made by other threads.",
      () => this.#gauges?.budgets.reads.sum,
    )
    gauge("research_room_database_bytes", "Size of the database file.", () => this.#gauges?.storage().databaseBytes)
    gauge("research_room_wal_bytes", "Size of the write-ahead log.", () => this.#gauges?.storage().walBytes)
    gauge(
      "research_room_free_disk_bytes",
      "Free space on the data's disk.",
      () => this.#gauges?.storage().freeDiskBytes,
    )
    gauge("process_start_time_seconds", "When the process started.", () => started)
    new Counter({
      name: "process_cpu_seconds_total",
      help: "Processor time used.",
      registers: [this.#registry],
      collect() {
        const { user, system } = process.cpuUsage()
        this.reset()
        this.inc((user + system) / 1e6)
      },
    })
    gauge("process_resident_memory_bytes", "Memory of the process.", () => process.memoryUsage.rss())
    gauge("nodejs_heap_size_used_bytes", "Memory in use by JavaScript.", () => getHeapStatistics().used_heap_size)
    gauge(
      "nodejs_eventloop_utilization_ratio",
      "Share of time that the event loop was busy.",
      () => performance.eventLoopUtilization().utilization,
    )
    for (const percentile of [50, 99])
      gauge(`nodejs_eventloop_lag_p${percentile}_seconds`, "How late timers were since the last scrape.", () =>
        this.#delay === null ? null : this.#delay.percentile(percentile) / 1e9,
      )
  }
}

/** Reads a gauge. One that fails, for example because no file can be opened, is left out; the others are shown. */
function readOf(value: () => number | null | undefined): number | null | undefined {
  try {
    return value()
  } catch {
    return null
  }
}
