/**
 * Fetches the metadata of filed papers from a source, arXiv or Crossref, in the background. To be polite it batches
 * papers, sends one request at a time, pauses in between, and pauses longer after a failure or if the source asks for
 * it. No write waits for it.
 */
import type { Logger } from "pino"
import type { Job } from "../../jobs/job.ts"
import { parsing } from "../../jobs/pool.ts"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals.ts"
import type { Ledger } from "../../ledger/write/ledger.ts"
import { isoTime, type World } from "../../ledger/world.ts"
import { fetchUncompressed } from "../../outgoing.ts"
import { softwareVersion } from "../../packaged.ts"
import type { MetadataIntake } from "./found.ts"
import type { Metadata } from "./record.ts"
import type { PaperRecord, SourcePaper } from "./papers.ts"
import { withoutTrailing } from "../../contract/text.ts"

/** The longest pause after failures, in milliseconds. */
const LONGEST_PAUSE = 3_600_000
/** The most papers selected for one request. */
const BATCH = 50
const TIMEOUT_MS = 30_000
/** The most characters of a response. */
const LONGEST_ANSWER = 10_000_000

/** The job that parses a response in a separate process, since a stranger wrote it. */
const answerJob = (name: string, source: string): Source["job"] => ({
  name,
  bounds: { seconds: limits.parsingSeconds, megabytes: limits.parsingMegabytes },
  output: LONGEST_ANSWER,
  tooCostly: () => new Refusal("temporarily_unavailable", `${source}'s answer takes too much time or memory to parse.`),
})

interface SourceRequest {
  readonly url: URL
  readonly paperIds: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  /** What to do with a redirect; `follow` by default. */
  readonly redirect?: "follow" | "error"
  /** Whether a 404 response means that the source does not have the paper. */
  readonly mayBeAbsent?: true
}

interface Source {
  readonly name: PaperRecord["source"]
  readonly label: string
  /** The milliseconds between two requests that the source requires. */
  readonly pause: number
  readonly job: Job<string, { papers: SourcePaper[]; others: number }>
  /** Makes a request for the first paper and as many others as fit. */
  request(paperIds: readonly [string, ...string[]]): SourceRequest
}

interface FetcherParts {
  readonly source: Source
  readonly ledger: Ledger
  readonly world: World
  readonly metadata: Metadata
  readonly metadataIntake: MetadataIntake
  readonly log: Logger
  /** Overrides the pause between two requests, for tests. */
  readonly pause?: number | undefined
}

class ErrorResponse extends Error {
  override readonly name = "ErrorResponse"
  readonly retryAfterMs: number
  constructor(message: string, retryAfterMs: number) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/** Returns the milliseconds that a response asks to wait, from `Retry-After` (seconds or a date) or its rate limit. */
function requestedWaitMs({ headers }: Response, now: number): number {
  const after = headers.get("retry-after") ?? ""
  const until = /^\d{1,9}$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - now
  const [, seconds = ""] = /^(\d{1,6})s$/.exec(headers.get("x-rate-limit-interval") ?? "") ?? []
  const rate = (Number(seconds) * 1_000) / Number(headers.get("x-rate-limit-limit") ?? "")
  return Math.max(0, Number.isFinite(until) ? until : 0, Number.isFinite(rate) ? rate : 0)
}

async function textOf(response: Response, label: string): Promise<string> {
  let text = ""
  const decoder = new TextDecoder()
  // A small compressed response may unpack to a large text. Leaving the loop early closes the stream.
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true })
    if (text.length > LONGEST_ANSWER) throw new Error(`${label}'s answer is longer than ${LONGEST_ANSWER} characters`)
  }
  return text + decoder.decode()
}

export class MetadataFetcher {
  readonly #parts: FetcherParts
  readonly #pause: number
  readonly #ending = new AbortController()
  #failures = 0
  /** The milliseconds that the last response asked to wait. */
  #waitMs = 0
  #timer: NodeJS.Timeout | undefined
  #work: Promise<void> = Promise.resolve()

  constructor(parts: FetcherParts) {
    this.#parts = parts
    this.#pause = parts.pause ?? parts.source.pause
  }

  start(): void {
    const delayMs = Math.min(
      Math.max(this.#pause * 2 ** this.#failures, this.#waitMs),
      Math.max(LONGEST_PAUSE, this.#pause),
    )
    this.#timer = setTimeout(() => {
      this.#work = this.#fetchBatch()
        .catch((error: unknown) => this.#failed(error))
        .then(() => {
          if (!this.#ending.signal.aborted) this.start()
        })
    }, delayMs)
    this.#timer.unref()
  }

  /** Aborts a running request, and resolves after the last write. */
  async close(): Promise<void> {
    this.#ending.abort()
    clearTimeout(this.#timer)
    await this.#work
  }

  #failed(error: unknown): void {
    if (this.#ending.signal.aborted) return
    this.#failures = Math.min(this.#failures + 1, 20)
    if (error instanceof ErrorResponse) this.#waitMs = error.retryAfterMs
    this.#parts.log.warn({ err: error, failures: this.#failures }, `The request to ${this.#parts.source.label} failed`)
  }

  /** Reveals metadata that this instance already has, and requests the rest from the source. */
  async #fetchBatch(): Promise<void> {
    const { ledger, world, metadata, metadataIntake, source } = this.#parts
    const { here, absent } = metadata.missing(source.name, world.now(), BATCH)
    if (here.length > 0) await ledger.transact(() => metadataIntake.reveal(here))
    const [first, ...others] = absent
    if (first === undefined) return
    const request = source.request([first, ...others])
    const requested = new Set(request.paperIds)
    const found = (await this.#send(request)).filter(({ paperId }) => requested.has(paperId))
    const ids = found.map(({ paperId }) => paperId)
    const misses = request.paperIds.filter((paperId) => !ids.includes(paperId))
    await ledger.transact(() => {
      const at = isoTime(world.now())
      metadataIntake.store(found, source.name, at)
      metadataIntake.reveal(ids)
      metadata.recordMisses(misses, at)
    })
    this.#failures = 0
  }

  async #send({ url, headers, redirect = "follow", mayBeAbsent }: SourceRequest): Promise<readonly SourcePaper[]> {
    const { source, world } = this.#parts
    const response = await fetchUncompressed(url, {
      headers: { "user-agent": `research-room/${softwareVersion}`, ...headers },
      redirect,
      signal: AbortSignal.any([this.#ending.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    const waitMs = requestedWaitMs(response, world.now())
    const isAbsent = response.status === 404 && mayBeAbsent
    if (!response.ok) await response.body?.cancel()
    if (!response.ok && !isAbsent) throw new ErrorResponse(`${source.label} answered ${response.status}`, waitMs)
    this.#waitMs = waitMs
    return isAbsent ? [] : (await parsing.run(source.job, await textOf(response, source.label))).papers
  }
}

// The sources of metadata: Crossref's REST API and arXiv's API.

/** The most DOIs in one request, and the most characters of its filter. */
const ARXIV_BATCH = 20
const LONGEST_FILTER = 3_000
/** The members to request of each work in a list. Whole records can have thousands of references. */
const SELECTED = "DOI,title,author,abstract,issued,container-title,publisher,volume,issue,page,ISBN,subject,relation"
/** A DOI that needs no escaping in a filter, where a comma separates values. */
const PLAIN = /^[a-z0-9./_;()<>:[\]+#-]+$/

export interface CrossrefSettings {
  readonly api: string
  /** The email address of a contact. Crossref serves clients that name one from a faster pool. */
  readonly contact?: string | undefined
}

export function crossref({ api, contact }: CrossrefSettings): Source {
  const headers = {
    accept: "application/json",
    "user-agent": `research-room/${softwareVersion}${contact === undefined ? "" : ` (mailto:${contact})`}`,
  }
  const base = withoutTrailing(api, "/")

  function requestTo(url: URL, paperIds: readonly string[]): SourceRequest {
    if (contact !== undefined) url.searchParams.set("mailto", contact)
    return { url, paperIds, headers, redirect: "error" }
  }

  return {
    name: "crossref",
    label: "Crossref",
    // Crossref allows one list request per second without a contact, three with one.
    pause: 1_000,
    job: answerJob("crossref", "Crossref"),
    request([first, ...others]) {
      if (!PLAIN.test(first))
        return { ...requestTo(new URL(`${base}/works/${encodeURIComponent(first)}`), [first]), mayBeAbsent: true }
      const batch = [first]
      let length = first.length
      for (const doi of others) {
        if (batch.length >= ARXIV_BATCH) break
        if (!PLAIN.test(doi) || length + doi.length > LONGEST_FILTER) continue
        batch.push(doi)
        length += doi.length
      }
      const url = new URL(`${base}/works`)
      url.searchParams.set("filter", batch.map((doi) => `doi:${doi}`).join(","))
      url.searchParams.set("rows", String(batch.length))
      url.searchParams.set("select", SELECTED)
      return requestTo(url, batch)
    },
  }
}

/** @param api the address of the API */
export const arxiv = (api: string): Source => ({
  name: "arxiv",
  label: "arXiv",
  // arXiv asks programs to send at most one request every three seconds.
  pause: 3_000,
  job: answerJob("atom", "arXiv"),
  request(paperIds) {
    const url = new URL(api)
    url.searchParams.set("id_list", paperIds.join(","))
    url.searchParams.set("max_results", String(paperIds.length))
    return { url, paperIds, headers: { accept: "application/atom+xml" } }
  },
})
