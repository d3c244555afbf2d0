/** The processes for costly work, by what they do; none is started before it is needed. */
import { limits } from "../contract/limits.ts"
import { Pool } from "./pool.ts"

/** Reads files in formats of others. */
export const parsing = new Pool({ processes: limits.parsingProcesses, waiting: limits.parsingWaiting })
