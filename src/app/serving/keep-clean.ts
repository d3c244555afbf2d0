/** Removes withheld words from the files of a service, also where the disk does not let it at first. */
import type { Logger } from "pino"
import { isLogEmptied } from "../../ledger/storage/residue.ts"
import type { Instance } from "../compose/instance.ts"

/** Milliseconds between two looks. */
const EVERY = 60_000

/** Looks at once, and then each minute; it keeps no process alive. @returns what ends it */
export async function keepClean({ db, ledger, tables }: Instance, log: Logger, every = EVERY): Promise<() => void> {
  let isFailing = false
  async function clean(work: () => unknown): Promise<void> {
    try {
      await work()
      if (isFailing) log.info("the files hold nothing of what was withheld any more")
      isFailing = false
    } catch (err) {
      if (!isFailing)
        log.warn(
          { err },
          "the files may still hold what was withheld, because the disk does not let them be rewritten; the service tries again each minute",
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
