/**
 * Asks a source, arXiv or Crossref, for the metadata of papers that people filed. It is asked politely: many papers in one request,
 * one request at a time, a pause between them, and a longer one after a failure or where the source asks for it. No write waits for it.
 */
import type { Logger } from "pino"
import type { Job } from "../../jobs/job.ts"
import { parsing } from "../../jobs/pools.ts"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { Ledger } from "../../ledger/write/admit.ts"
import { isoTime, type World } from "../../ledger/world.ts"
import { softwareVersion } from "../../version.ts"
import type { MetadataIntake } from "./intake.ts"
import type { Metadata } from "./metadata.ts"
import type { PaperRecord, SourcePaper } from "./papers.ts"

/** The longest pause after failures, in milliseconds. */
const LONGEST_PAUSE = 3_600_000
/** Papers that are looked for at once. */
const LOOK = 50
/** Milliseconds for an answer, and characters of it. */
const PATIENCE = 30_000
const LONGEST_ANSWER = 10_000_000

/** An answer is read in a process of its own: a stranger wrote it. */
export const answerJob = (name: string, source: string): Source["job"] => ({
  name,
  bounds: { seconds: limits.parsingSeconds, megabytes: limits.parsingMegabytes },
  output: LONGEST_ANSWER,
  tooCostly: () => new Refusal("temporarily_unavailable", `${source}'s answer takes too much time or memory to read.`),
})

/** One request to a source. */
export interface SourceRequest {
  readonly url: URL
  /** The papers that it asks about. */
  readonly paperIds: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  /** Whether the answer may be elsewhere; left out, it may. */
  readonly redirect?: "follow" | "error"
  /** Whether 404 says that the source does not have the paper. */
  readonly mayBeAbsent?: true
}

/** A source of metadata. */
export interface Source {
  readonly name: PaperRecord["source"]
  readonly called: string
  /** Milliseconds between two requests that the source asks for. */
  readonly pause: number
  /** What reads its answers. */
  readonly job: Job<string, { papers: SourcePaper[]; others: number }>
  /** A request for the first of some papers, and as many others as fit into it. */
  request(paperIds: readonly [string, ...string[]]): SourceRequest
}

export interface FetcherParts {
  readonly source: Source
  readonly ledger: Ledger
  readonly world: World
  readonly metadata: Metadata
  readonly metadataIntake: MetadataIntake
  readonly log: Logger
  /** Milliseconds between two requests, for tests. */
  readonly pause?: number | undefined
}

/** A source answered, and not with papers. */
class Declined extends Error {
  override readonly name = "Declined"
  readonly retryAfterMs: number
  constructor(message: string, retryAfterMs: number) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/** How long an answer asks to wait, in milliseconds: by `Retry-After` in seconds or as a date, or by the rate that it allows. */
function waitAsked({ headers }: Response, now: number): number {
  const after = headers.get("retry-after") ?? ""
  const until = /^\d{1,9}$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - now
  const [, seconds = ""] = /^(\d{1,6})s$/.exec(headers.get("x-rate-limit-interval") ?? "") ?? []
  const rate = (Number(seconds) * 1_000) / Number(headers.get("x-rate-limit-limit") ?? "")
  return Math.max(0, Number.isFinite(until) ? until : 0, Number.isFinite(rate) ? rate : 0)
}

async function textOf(response: Response, called: string): Promise<string> {
  let text = ""
  const decoder = new TextDecoder()
  // Leaving the loop early closes the stream: what is unpacked from a small answer may be large.
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true })
    if (text.length > LONGEST_ANSWER) throw new Error(`${called}'s answer is longer than any that was asked for`)
  }
  return text + decoder.decode()
}

export class MetadataFetcher {
  readonly #parts: FetcherParts
  readonly #pause: number
  readonly #ending = new AbortController()
  #failures = 0
  /** Milliseconds that the source asked to wait with its last answer. */
  #wait = 0
  #timer: NodeJS.Timeout | undefined
  #work: Promise<void> = Promise.resolve()

  constructor(parts: FetcherParts) {
    this.#parts = parts
    this.#pause = parts.pause ?? parts.source.pause
  }

  /** Begins to look for papers that want metadata, and goes on until `close`. */
  start(): void {
    const longest = Math.max(LONGEST_PAUSE, this.#pause)
    this.#timer = setTimeout(
      () => {
        this.#work = this.#look()
          .catch((error: unknown) => this.#failed(error))
          .then(() => {
            if (!this.#ending.signal.aborted) this.start()
          })
      },
      Math.min(Math.max(this.#pause * 2 ** this.#failures, this.#wait), longest),
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
    if (error instanceof Declined) this.#wait = error.retryAfterMs
    this.#parts.log.warn({ err: error, failures: this.#failures }, `${this.#parts.source.called} could not be asked`)
  }

  /** One look: what is here already is shown to those who filed it too; for the rest the source is asked. */
  async #look(): Promise<void> {
    const { ledger, world, metadata, metadataIntake, source } = this.#parts
    const { here, absent } = metadata.wanting(source.name, world.now(), LOOK)
    if (here.length > 0) await ledger.transact(() => metadataIntake.reveal(here))
    const [first, ...others] = absent
    if (first === undefined) return
    const request = source.request([first, ...others])
    const asked = new Set(request.paperIds)
    const found = (await this.#ask(request)).filter(({ paperId }) => asked.has(paperId))
    const ids = found.map(({ paperId }) => paperId)
    await ledger.transact(() => {
      const at = isoTime(world.now())
      metadataIntake.store(found, source.name, at)
      metadataIntake.reveal(ids)
      metadata.missed(
        request.paperIds.filter((paperId) => !ids.includes(paperId)),
        at,
      )
    })
    this.#failures = 0
  }

  async #ask({ url, headers, redirect = "follow", mayBeAbsent }: SourceRequest): Promise<readonly SourcePaper[]> {
    const { source, world } = this.#parts
    const response = await fetch(url, {
      headers: { "user-agent": `research-room/${softwareVersion}`, ...headers },
      redirect,
      signal: AbortSignal.any([this.#ending.signal, AbortSignal.timeout(PATIENCE)]),
    })
    const wait = waitAsked(response, world.now())
    if (response.status === 404 && mayBeAbsent) {
      await response.body?.cancel()
      this.#wait = wait
      return []
    }
    if (!response.ok) {
      await response.body?.cancel()
      throw new Declined(`${source.called} answered ${response.status}`, wait)
    }
    this.#wait = wait
    return (await parsing.run(source.job, await textOf(response, source.called))).papers
  }
}
