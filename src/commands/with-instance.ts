/** Opens existing data for one command beside, or without, a serving process. */
import { accessSync, constants } from "node:fs"
import { codeOf } from "../contract/faults.ts"
import { createInstance, type Instance } from "../app/compose/instance.ts"
import { openForward } from "../app/compose/upgrade.ts"
import { databaseFile } from "../ledger/storage/data.ts"
import { DataError, storedSchema } from "../ledger/storage/opening.ts"
import { lockFolder } from "../ledger/storage/ownership.ts"
import { latestSchema } from "../ledger/storage/schema.ts"
import { checkingBar } from "./progress.ts"
import { runningCommand } from "./running.ts"

/**
 * Claims a folder whose data has to be brought forward first: a service that has it is an older one and counts on its own schema.
 * @throws DataError when there is such a service
 */
function claimIfOlder(folder: string): () => void {
  const stored = storedSchema(databaseFile(folder))
  if (stored === null || stored >= latestSchema) return () => {}
  try {
    return lockFolder(folder)
  } catch (error) {
    if (!(error instanceof DataError)) throw error
    throw new DataError(
      `The data has schema ${stored}, and this program would bring it to ${latestSchema} under the service that has it. Nothing was changed. Use the program of that service, or end it first. ${error.message}`,
    )
  }
}

/** @throws DataError for a folder without data, and for data that this user may not read */
export function mustHoldData(folder: string): void {
  try {
    accessSync(databaseFile(folder), constants.R_OK)
  } catch (error) {
    if (codeOf(error) !== "EACCES") throw new DataError(`There is no research-room data in ${folder}. Name its folder with --data.`)
    throw new DataError(`${databaseFile(folder)} may not be read by this user.`)
  }
}

/** @throws DataError when there is no data in the folder, unless the command may make it */
export async function withInstance<T>(folder: string, work: (instance: Instance) => T | Promise<T>, { make = false } = {}): Promise<T> {
  const file = databaseFile(folder)
  if (!make) mustHoldData(folder)
  const release = claimIfOlder(folder)
  const {
    db,
    world,
    instanceId,
    openReader: aside,
  } = (() => {
    const bar = checkingBar()
    try {
      return openForward(file, undefined, bar.update)
    } finally {
      bar.stop()
      release()
    }
  })()
  try {
    return await work(createInstance({ db, world, instanceId, openReader: aside, command: runningCommand() }))
  } finally {
    db.close()
  }
}
