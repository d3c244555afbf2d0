/** The crate of a Room, made in a process of its own: whoever answers small questions is not held up by it. */
import { limits } from "../../contract/limits.ts"
import type { StreamJob } from "../../jobs/job.ts"
import { exporting } from "../../jobs/pools.ts"
import type { Crates } from "./exports.ts"
import type { Source } from "./metadata.ts"

/** What the process is told. */
export interface CrateOrder {
  /** The database, which it opens to read only, as of that moment. */
  readonly file: string
  readonly roomId: string
  readonly source: Source
}

const job: StreamJob<CrateOrder> = {
  name: "crate",
  bounds: { seconds: limits.exportPieceSeconds, megabytes: limits.exportMegabytes },
}

/** Gives what makes the crates of Rooms in a database. */
export const cratesOf =
  (file: string): Crates =>
  (roomId, source) =>
    exporting.stream(job, { file, roomId, source })
