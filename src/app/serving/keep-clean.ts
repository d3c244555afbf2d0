/** Removes withheld words from the files of a service, in pieces and with retries. */
import type { Logger } from "pino"
import { rm } from "node:fs/promises"
import type { Instance } from "../compose/instance.ts"
import { fileOf } from "../../ledger/storage/database.ts"
import { cleaningWaitsFor } from "../../ledger/storage/litestream-files.ts"
import { isUnclean } from "../../ledger/storage/clearing.ts"
import type { LogCopying } from "./log-copying.ts"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals.ts"
import type { Job } from "../../jobs/job.ts"
import { Pool } from "../../jobs/pool.ts"
import { journal } from "../../ledger/journal/journal.ts"
import { type Differences, differences } from "../../ledger/replay/replay.ts"
import { type FoundElsewhere, scratchFor } from "../../ledger/replay/remake.ts"
import { openMade, openReadConnection } from "../../ledger/storage/opening.ts"
import { remake } from "../compose/upgrade.ts"

// Finds the rows that hold withheld words in a process of its own: the replay of a large journal takes minutes.

export interface DifferencesOrder {
  readonly file: string
  readonly into: string
}

/** The most rows of each kind that are corrected in one cleaning; the next one corrects more. */
const MOST = 7_000

/** Replays the journal into a new file and compares it with the data, inside the process. */
export function findDifferences({ file, into }: DifferencesOrder): Differences {
  using live = openReadConnection(file)
  using made = remake(journal(live).entries(), into, {}, 0)
  return differences(live, made, MOST)
}

const job: Job<DifferencesOrder, Differences> = {
  name: "differences",
  bounds: { seconds: 3_600, megabytes: limits.pastMegabytes },
  output: 20_000_000,
  endsProcess: true,
  tooCostly: () =>
    new Refusal("temporarily_unavailable", "The withheld words could not be looked for.", { retryAfter: 60 }),
}

const pool = new Pool({ processes: 1, waiting: 1 })

/**
 * @param file the data, which only this process serves
 * @param signal ends the search; it is over when the promise is rejected
 */
async function differencesInProcess(file: string, signal: AbortSignal): Promise<FoundElsewhere> {
  const into = scratchFor(file)
  // A file of gigabytes takes the system a second to remove, for which this thread does not wait.
  const remove = async () => {
    for (const suffix of ["", "-journal"]) await rm(`${into}${suffix}`, { force: true })
  }
  try {
    const found = await pool.run(job, { file, into }, null, signal)
    const made = openMade(into)
    return {
      ...found,
      made,
      async discard() {
        made.close()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

export interface CleaningTimes {
  /** Milliseconds between something was withheld and the cleaning begins, so that several withholdings share one. */
  readonly gatherMs: number
  /** Milliseconds between two attempts. */
  readonly retryMs: number
}
export const cleaningTimes: CleaningTimes = { gatherMs: 1_000, retryMs: 60_000 }

/**
 * How many times as long as a cleaning took, the next one waits, so that endless withholding takes half of a core at
 * most.
 */
const REST = 1

/**
 * Cleans the files now, after each withholding and, until that succeeds, every minute, without keeping the process
 * alive. @returns a function that stops it; once its promise is settled, no other process has a file beside the data
 */
export function keepClean(
  { db, cleaning, ledger, tables }: Instance,
  log: Logger,
  copying: Pick<LogCopying, "isBehind" | "isCleared" | "isEmptied">,
  times = cleaningTimes,
): () => Promise<void> {
  const { gatherMs, retryMs } = times
  const file = fileOf(db)
  // Litestream alone empties the log that it copies, and reads it as long as it runs.
  const waitsFor = cleaningWaitsFor(file)
  const isCopied = waitsFor !== ""
  let timer: NodeJS.Timeout | undefined
  let [isAtWork, isFailing, isStopped] = [false, false, false]
  let restUntil = 0
  const stopping = new AbortController()
  /** Whether the last attempt ended because another process reads the log, and whether the log of events says so. */
  let [isRead, isToldRead] = [false, false]
  let looking: Promise<unknown> | undefined

  function soon(milliseconds: number): void {
    if (timer !== undefined || isAtWork || isStopped) return
    const wait = Math.max(milliseconds, restUntil - performance.now())
    timer = setTimeout(() => {
      timer = undefined
      void clean()
    }, wait).unref()
  }

  async function clean(): Promise<void> {
    const startedAt = performance.now()
    isAtWork = true
    isRead = false
    try {
      const isDone = await cleaning.clean()
      if (isRead && !isToldRead && !isStopped)
        log.warn(
          "the files may still hold withheld words. " +
            (waitsFor || "Another process reads the log of the data; the service tries again until it has ended."),
        )
      isToldRead ||= isRead
      if ((isFailing || isToldRead) && isDone) log.info("the files no longer hold withheld words")
      isFailing &&= !isDone
      isToldRead &&= !isDone
    } catch (err) {
      if (!isFailing && !isStopped)
        log.warn(
          { err },
          "the files may still hold withheld words, because they could not be cleaned; a cleaning needs as much free " +
            "space beside the data as the data takes; the service tries again every minute",
        )
      isFailing = true
    }
    isAtWork = false
    if (isStopped) return
    ledger.forget()
    restUntil = performance.now() + REST * (performance.now() - startedAt)
    if (isUnclean(db) && !(isRead && isCopied)) soon(isFailing ? retryMs : gatherMs)
  }

  cleaning.cleanInPieces({
    differences() {
      const found = differencesInProcess(file, stopping.signal)
      looking = found
      return found
    },
    async isCleared() {
      const isCleared = !isCopied && (await copying.isCleared((work) => ledger.queue.between(work)))
      isRead = !isCleared
      return isCleared
    },
    isBehind: () => copying.isBehind,
    onUnclean: () => soon(gatherMs),
  })
  if (!isCopied && tables.withheld.count() > 0) copying.isEmptied()
  if (isUnclean(db)) soon(0)
  return async () => {
    isStopped = true
    clearTimeout(timer)
    stopping.abort()
    await looking?.catch(() => undefined)
  }
}
