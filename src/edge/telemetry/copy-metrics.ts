/** Metrics of the copy that acknowledgements wait for. */
/// <reference path="./prometheus.d.ts" />
import Counter from "@prometheus-io/client/lib/counter.js"
import Gauge from "@prometheus-io/client/lib/gauge.js"
import Histogram from "@prometheus-io/client/lib/histogram.js"
import type Registry from "@prometheus-io/client/lib/registry.js"

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The state of the copy, read on each scrape. */
export interface CopyGauges {
  /** Milliseconds since the oldest write that may be missing from the copy was committed. */
  readonly lag: number
  /** Acknowledgements waiting for the next sync. */
  readonly waiting: number
}

export class CopyMetrics {
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
      buckets: seconds,
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
