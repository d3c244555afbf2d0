/** Opens the data folder of a command, whether or not a service is running on it. */
import { accessSync, constants } from "node:fs"
import { createInstance, type Instance } from "../app/compose/instance.ts"
import { openForward } from "../app/compose/upgrade.ts"
import { codeOf } from "../contract/refusals.ts"
import { databaseFile, DataError, storedSchema } from "../ledger/storage/opening.ts"
import { lockFolder } from "../ledger/storage/ownership.ts"
import { latestSchema } from "../ledger/storage/schema.ts"
import { withProgress, runningCommand } from "./terminal.ts"

/**
 * Locks a folder whose data must be upgraded: a running service has an older version and relies on its own schema.
 * @throws DataError if there is such a service
 */
function lockIfOlder(folder: string): () => void {
  const stored = storedSchema(databaseFile(folder))
  if (stored === null || stored >= latestSchema) return () => {}
  try {
    return lockFolder(folder)
  } catch (error) {
    if (!(error instanceof DataError)) throw error
    throw new DataError(
      `The data has schema ${stored}, and this program would upgrade it to ${latestSchema} while a service uses it. ` +
        `Nothing was changed. Use the program of that service, or end it first. ${error.message}`,
    )
  }
}

/** @throws DataError if the folder holds no data, or this user may not read it */
export function mustHoldData(folder: string): void {
  try {
    accessSync(databaseFile(folder), constants.R_OK)
  } catch (error) {
    if (codeOf(error) !== "EACCES")
      throw new DataError(`There is no research-room data in ${folder}. Name its folder with --data.`)
    throw new DataError(`This user may not read ${databaseFile(folder)}.`)
  }
}

export interface OpenOptions {
  readonly make?: boolean
  /** Whether to lock the folder while the command runs, because a running service caches what the command changes. */
  readonly alone?: boolean
}

/** Runs work on the instance in a folder. @throws DataError if the folder holds no data, or a service uses it */
export async function withInstance<T>(
  folder: string,
  work: (instance: Instance) => T | Promise<T>,
  { make = false, alone = false }: OpenOptions = {},
): Promise<T> {
  using opened = new DisposableStack()
  if (!make) mustHoldData(folder)
  if (alone) opened.defer(lockFolder(folder))
  const release = alone ? () => {} : lockIfOlder(folder)
  const { db, world, instanceId, openReader } = await withProgress((onProgress) =>
    openForward(databaseFile(folder), undefined, onProgress),
  ).finally(release)
  opened.defer(() => db.close())
  return await work(createInstance({ db, world, instanceId, openReader, command: runningCommand() }))
}
