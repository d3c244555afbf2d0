/**
 * Asks arXiv's API for the metadata of papers that people filed. It is asked politely: many papers in one request, one
 * request at a time, three seconds between them, and longer after a failure. No write ever waits for it.
 */
import type { Logger } from "pino"
import type { Ledger } from "../../ledger/write/admit.ts"
import type { Job } from "../../jobs/job.ts"
import { parsing } from "../../jobs/pools.ts"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { isoTime, type World } from "../../ledger/world.ts"
import { softwareVersion } from "../../version.ts"
import type { atomRecords } from "./atom.ts"
import type { Metadata } from "./metadata.ts"
import type { Papers } from "./papers.ts"

/** What arXiv asks of programs: no more than one request in three seconds. */
const PAUSE = 3_000
/** The longest pause after failures, in milliseconds. */
const LONGEST_PAUSE = 3_600_000
/** Papers in one request. */
const BATCH = 50
/** Milliseconds for an answer, and bytes of it. */
const PATIENCE = 30_000
const LONGEST_ANSWER = 10_000_000

/** An answer is read in a process of its own: what stands in it is not in our hand. */
const atom: Job<string, ReturnType<typeof atomRecords>> = {
  name: "atom",
  bounds: { seconds: limits.parsingSeconds, megabytes: limits.parsingMegabytes },
  output: LONGEST_ANSWER,
  tooCostly: () => new Refusal("temporarily_unavailable", "arXiv's answer takes too much time or memory to read."),
}

export interface ArxivParts {
  /** The address of the API. */
  readonly api: string
  readonly ledger: Ledger
  readonly world: World
  readonly papers: Papers
  readonly metadata: Metadata
  readonly log: Logger
  /** Milliseconds between two requests, for tests. */
  readonly pause?: number
}

export class ArxivClient {
  readonly #parts: ArxivParts
  readonly #pause: number
  readonly #ending = new AbortController()
  #failures = 0
  #timer: NodeJS.Timeout | undefined
  #work: Promise<void> = Promise.resolve()

  constructor(parts: ArxivParts) {
    this.#parts = parts
    this.#pause = parts.pause ?? PAUSE
  }

  /** Begins to look for papers that want metadata, and goes on until `close`. */
  start(): void {
    this.#timer = setTimeout(
      () => {
        this.#work = this.#look()
          .catch((error: unknown) => this.#failed(error))
          .then(() => {
            if (!this.#ending.signal.aborted) this.start()
          })
      },
      Math.min(this.#pause * 2 ** this.#failures, Math.max(LONGEST_PAUSE, this.#pause)),
    )
    this.#timer.unref()
  }

  /** Ends a request under way, and resolves once nothing is written any more. */
  async close(): Promise<void> {
    this.#ending.abort()
    clearTimeout(this.#timer)
    await this.#work
  }

  #failed(error: unknown): void {
    if (this.#ending.signal.aborted) return
    this.#failures = Math.min(this.#failures + 1, 20)
    this.#parts.log.warn({ err: error, failures: this.#failures }, "arXiv could not be asked")
  }

  /** One look: what is here already is shown to those who filed it too; for the rest arXiv is asked. */
  async #look(): Promise<void> {
    const { ledger, world, papers, metadata } = this.#parts
    const { here, absent } = metadata.wanting(world.now(), BATCH)
    if (here.length > 0) await ledger.transact(() => metadata.tell(here))
    if (absent.length === 0) return
    const records = await this.#ask(absent)
    const asked = new Set(absent)
    const found = records.filter(({ arxivId }) => asked.has(arxivId))
    const ids = found.map(({ arxivId }) => arxivId)
    await ledger.transact(() => {
      const at = isoTime(world.now())
      for (const record of found) papers.put(record, "arxiv", at)
      metadata.tell(ids)
      metadata.missed(
        absent.filter((arxivId) => !ids.includes(arxivId)),
        at,
      )
    })
    this.#failures = 0
  }

  async #ask(arxivIds: readonly string[]) {
    const url = new URL(this.#parts.api)
    url.searchParams.set("id_list", arxivIds.join(","))
    url.searchParams.set("max_results", String(arxivIds.length))
    const response = await fetch(url, {
      headers: { "user-agent": `research-room/${softwareVersion}`, accept: "application/atom+xml" },
      signal: AbortSignal.any([this.#ending.signal, AbortSignal.timeout(PATIENCE)]),
    })
    if (!response.ok) throw new Error(`arXiv answered ${response.status}`)
    let text = ""
    const decoder = new TextDecoder()
    // Leaving the loop early closes the stream: what is unpacked from a small answer may be large.
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true })
      if (text.length > LONGEST_ANSWER) throw new Error("arXiv's answer is longer than any that was asked for")
    }
    return (await parsing.run(atom, text + decoder.decode())).records
  }
}
