/** The pools of processes for costly work, by purpose. Processes start on demand. */
import { limits } from "../contract/limits.ts"
import { Pool } from "./pool.ts"

/** Parses files in formats of other programs. */
export const parsing = new Pool({ processes: limits.parsingProcesses, waiting: limits.parsingWaiting })

/** Parses what other instances send to mirrors, separately, so that a hostile one cannot delay people's imports. */
export const following = new Pool({ processes: limits.parsingProcesses, waiting: limits.followedWaiting })

/** Rebuilds Rooms as of an earlier moment. */
export const lookingBack = new Pool({ processes: limits.pastProcesses, waiting: limits.pastWaiting })

/** Exports Rooms. No more exports start than there are processes; one in the queue may wait for a process that is ending. */
export const exporting = new Pool({ processes: limits.exports, waiting: limits.exports })
