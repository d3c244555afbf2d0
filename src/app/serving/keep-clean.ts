/** Removes withheld words from the files of a service, in pieces and with retries. */
import type { Logger } from "pino"
import type { Instance } from "../compose/instance.ts"
import { fileOf } from "../../ledger/storage/database.ts"
import { cleaningWaitsFor } from "../../ledger/storage/litestream-files.ts"
import { isUnclean } from "../../ledger/storage/residue.ts"
import { differencesInProcess } from "./differences-job.ts"
import type { LogCopying } from "./log-copying.ts"

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
  copying: Pick<LogCopying, "isCleared" | "isEmptied">,
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
