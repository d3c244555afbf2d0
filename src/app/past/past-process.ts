/** Rooms as they were, made in a process for costly work: in files of a folder that is gone when the service is. */
import { mkdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { Job } from "../../jobs/job.ts"
import { lookingBack } from "../../jobs/pools.ts"
import { databaseFile } from "../../ledger/storage/data.ts"
import { openReadConnection, openMade, openScratch } from "../../ledger/storage/opening.ts"
import type { Instance } from "../compose/instance.ts"
import { makePast, type PastFile, type PastOrder } from "./past-work.ts"
import { KeptPasts, type Maker, type PastNumbers, tooLarge } from "./pasts.ts"

/** The input of the process, with the source and the target file. */
export interface PastFileOrder extends PastOrder {
  readonly file: string
  readonly into: string
}

/** The work itself. */
export function makeFile({ file, into, ...order }: PastFileOrder): PastFile {
  const live = openReadConnection(file)
  try {
    const made = openScratch(into)
    try {
      return makePast(live, made, order)
    } finally {
      made.close()
    }
  } finally {
    live.close()
  }
}

const job: Job<PastFileOrder, PastFile> = {
  name: "past",
  bounds: { seconds: limits.pastSeconds, megabytes: limits.pastMegabytes },
  output: 1_000,
  tooCostly: tooLarge,
}

/** Where earlier moments of a data folder lie while it is served; no backup has them. */
const folderOf = (data: string): string => join(data, "past")

/** @param data the folder of the data, which this process alone serves */
export function pastsInProcess(live: Instance, data: string, basePath: string, numbers?: PastNumbers): KeptPasts {
  const folder = folderOf(data)
  // What a service that was killed left.
  rmSync(folder, { recursive: true, force: true })
  let made = 0
  const make: Maker["make"] = async (order) => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const into = join(folder, `${++made}.db`)
    const remove = () => rmSync(into, { force: true })
    try {
      const { entries } = await lookingBack.run(job, { ...order, file: databaseFile(data), into })
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
  return new KeptPasts(live, { make, close: () => rmSync(folder, { recursive: true, force: true }) }, basePath, numbers)
}
