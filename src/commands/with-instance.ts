/** Opens existing data for one command beside, or without, a serving process. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { createInstance, type Instance } from "../instance.ts"
import { DataError } from "../ledger/database.ts"
import { openData } from "../ledger/data.ts"

/** @throws DataError when there is no data in the folder, unless the command may make it */
export async function withInstance<T>(folder: string, work: (instance: Instance) => T | Promise<T>, { make = false } = {}): Promise<T> {
  const file = join(folder, "research-room.db")
  if (!make && !existsSync(file)) throw new DataError(`There is no research-room data in ${folder}. Name its folder with --data.`)
  const { db, world, instanceId, aside } = openData(file)
  try {
    return await work(createInstance({ db, world, instanceId, aside }))
  } finally {
    db.close()
  }
}
