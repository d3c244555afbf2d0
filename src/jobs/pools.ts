/** The processes for costly work, by what they do; none is started before it is needed. */
import { limits } from "../contract/limits.ts"
import { Pool } from "./pool.ts"

/** Reads files in formats of others. */
export const parsing = new Pool({ processes: limits.parsingProcesses, waiting: limits.parsingWaiting })

/** Reads what other instances answer mirrors: a hostile one takes no turn of somebody who imports a file. */
export const following = new Pool({ processes: limits.parsingProcesses, waiting: limits.followedWaiting })

/** Makes Rooms again as they were. */
export const lookingBack = new Pool({ processes: limits.pastProcesses, waiting: limits.pastWaiting })

/** Writes Rooms as files. No more are begun than there are processes; one that is being ended may still hold its place. */
export const exporting = new Pool({ processes: limits.exports, waiting: limits.exports })
