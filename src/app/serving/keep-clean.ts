/** Removes withheld words from the files of a service, with retries if the disk cannot be written. */
import type { Logger } from "pino"
import { isLogEmptied } from "../../ledger/storage/residue.ts"
import type { Instance } from "../compose/instance.ts"

/** Milliseconds between two attempts. */
const EVERY = 60_000

/**
 * Removes withheld words now and then every minute, without keeping the process alive. @returns a function that stops
 * it
 */
export async function keepClean({ db, ledger, tables }: Instance, log: Logger, every = EVERY): Promise<() => void> {
  let isFailing = false
  async function clean(work: () => unknown): Promise<void> {
    try {
      await work()
      if (isFailing) log.info("the files no longer hold withheld words")
      isFailing = false
    } catch (err) {
      if (!isFailing)
        log.warn(
          { err },
          "the files may still hold withheld words, because the disk cannot be written; the service tries again every minute",
        )
      isFailing = true
    }
  }
  await clean(async () => {
    await ledger.cleanse()
    if (tables.withheld.count() > 0) isLogEmptied(db)
  })
  const timer = setInterval(() => void clean(() => ledger.cleanse()), every).unref()
  return () => clearInterval(timer)
}
