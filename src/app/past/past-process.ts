/** Builds past states of Rooms in a separate process, in files of a folder that is deleted when the service ends. */
import { mkdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { Job } from "../../jobs/job.ts"
import { Pool } from "../../jobs/pool.ts"
import { databaseFile } from "../../ledger/storage/data.ts"
import { openReadConnection, openMade, openScratch } from "../../ledger/storage/opening.ts"
import type { Instance } from "../compose/instance.ts"
import { makePast, type PastFile, type PastOrder } from "./past-work.ts"
import { type Maker, PastCache, type PastNumbers, tooLarge } from "./pasts.ts"

/** The input of the process, with the source and the target file. */
export interface PastFileOrder extends PastOrder {
  readonly file: string
  readonly into: string
}

/** Builds the file, inside the process. */
export function makeFile({ file, into, ...order }: PastFileOrder): PastFile {
  using live = openReadConnection(file)
  using target = openScratch(into)
  return makePast(live, target, order)
}

const job: Job<PastFileOrder, PastFile> = {
  name: "past",
  bounds: { seconds: limits.pastSeconds, megabytes: limits.pastMegabytes },
  output: 1_000,
  tooCostly: tooLarge,
}

/** Rebuilds Rooms as of an earlier moment. */
const lookingBack = new Pool({ processes: limits.pastProcesses, waiting: limits.pastWaiting })

/** The folder for past states. It is not part of backups. */
const folderOf = (data: string): string => join(data, "past")

/** @param data the data folder, which only this process serves */
export function pastsInProcess(live: Instance, data: string, basePath: string, numbers?: PastNumbers): PastCache {
  const folder = folderOf(data)
  // Remove the files of a killed service.
  rmSync(folder, { recursive: true, force: true })
  let count = 0
  const make: Maker["make"] = async (order, caller) => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const into = join(folder, `${++count}.db`)
    const remove = () => rmSync(into, { force: true })
    try {
      const { entries } = await lookingBack.run(job, { ...order, file: databaseFile(data), into }, caller)
      if (entries === null) {
        remove()
        return null
      }
      const db = openMade(into)
      return {
        db,
        file: into,
        bytes: statSync(into).size,
        discard() {
          db.close()
          remove()
        },
      }
    } catch (error) {
      remove()
      if (error instanceof Refusal && error.code === "past_too_large") return null
      throw error
    }
  }
  return new PastCache(live, { make, close: () => rmSync(folder, { recursive: true, force: true }) }, basePath, numbers)
}
