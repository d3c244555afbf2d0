/** Finds the rows that hold withheld words in a process of its own: the replay of a large journal takes minutes. */
import { rmSync } from "node:fs"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { Job } from "../../jobs/job.ts"
import { Pool } from "../../jobs/pool.ts"
import { journal } from "../../ledger/journal/journal.ts"
import { type Differences, differences } from "../../ledger/replay/differences.ts"
import { type FoundElsewhere, scratchFor } from "../../ledger/replay/remake.ts"
import { openMade, openReadConnection } from "../../ledger/storage/opening.ts"
import { remake } from "../compose/upgrade.ts"

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
export async function differencesInProcess(file: string, signal: AbortSignal): Promise<FoundElsewhere> {
  const into = scratchFor(file)
  const remove = () => ["", "-journal"].forEach((suffix) => rmSync(`${into}${suffix}`, { force: true }))
  try {
    const found = await pool.run(job, { file, into }, null, signal)
    const made = openMade(into)
    return {
      ...found,
      made,
      discard() {
        made.close()
        remove()
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}
