/** Makes the files of Rooms in a separate process, so that this does not delay small reads. */
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { ProcessLost, TooCostly } from "../../jobs/child.ts"
import type { StreamJob } from "../../jobs/job.ts"
import { exporting } from "../../jobs/pools.ts"
import type { RoomFiles } from "./exports.ts"
import type { Source } from "./metadata.ts"

/** The input of the process. */
export interface FileOrder {
  /** The database, which it opens to read only, as of that moment. */
  readonly file: string
  readonly roomId: string
  readonly source: Source
}

const bounds = { seconds: limits.exportPieceSeconds, megabytes: limits.exportMegabytes }

/** The `retryAfter` in seconds. */
const RETRY = 10

/** Gives what makes files of the Rooms in a database. It throws a Refusal, 503, where the process is lost or takes more than it may. */
export const filesOf = (file: string): RoomFiles =>
  async function* (roomId, source, form) {
    const job: StreamJob<FileOrder> = { name: form, bounds }
    try {
      yield* exporting.stream(job, { file, roomId, source })
    } catch (error) {
      if (!(error instanceof TooCostly || error instanceof ProcessLost)) throw error
      throw new Refusal("temporarily_unavailable", "The process that made the export ended.", { retryAfter: RETRY, cause: error })
    }
  }
