/** Makes the files of Rooms in a separate process, so that this does not delay small reads. */
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { ProcessLost, TooCostly } from "../../jobs/child.ts"
import type { StreamJob } from "../../jobs/job.ts"
import { exporting } from "../../jobs/pool.ts"
import type { RoomFiles } from "./exports.ts"
import type { RoomSource } from "../../rooms/imported.ts"

/** The input of the process. */
export interface FileOrder {
  /** The database, which the process opens read-only, in its state at that time. */
  readonly file: string
  readonly roomId: string
  readonly source: RoomSource
}

const bounds = { seconds: limits.exportPieceSeconds, megabytes: limits.exportMegabytes }

/** `retryAfter` in seconds. */
const RETRY = 10

/** Makes files of the Rooms in a database. @throws Refusal 503 if the process is lost or exceeds its limits */
export const filesOf = (file: string): RoomFiles =>
  async function* (roomId, source, format) {
    const job: StreamJob<FileOrder> = { name: format, bounds }
    try {
      yield* exporting.stream(job, { file, roomId, source })
    } catch (error) {
      if (!(error instanceof TooCostly || error instanceof ProcessLost)) throw error
      throw new Refusal("temporarily_unavailable", "The process that made the export ended.", {
        retryAfter: RETRY,
        cause: error,
      })
    }
  }
