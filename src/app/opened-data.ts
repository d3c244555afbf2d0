/** Opens the data of a service: locks it, upgrades it and watches its disk. */
import { createInstance } from "./compose/instance.ts"
import { isEarlier, openForward } from "./compose/upgrade.ts"
import { Litestream } from "./replication/litestream.ts"
import { isReplicated, markReplicated, notAlone, wasCutOff } from "../ledger/storage/litestream-files.ts"
import { databaseFile } from "../ledger/storage/data.ts"
import { DataError, openDatabase, openReadConnection, openWatching, storedSchema } from "../ledger/storage/opening.ts"
import { clearAlone } from "../ledger/storage/clearing.ts"
import { lockFolder } from "../ledger/storage/ownership.ts"
import { OpenedFiles } from "../ledger/storage/opened-files.ts"
import { truncateWal, watchLimits, DiskWatch } from "../ledger/storage/disk-watch.ts"
import { isLogEmptied, isUnclean, writeClean } from "../ledger/storage/residue.ts"
import { latestSchema } from "../ledger/storage/schema.ts"
import { LogCopying } from "./serving/log-copying.ts"
import type { ServiceOptions } from "./service-options.ts"

/** Moves the write-ahead log into the database file. @returns false if another process has the file open */
function emptyLog(file: string): boolean {
  using db = openDatabase(file)
  return isLogEmptied(db)
}

/** Whether the files still have to be cleaned. That cannot end while Litestream reads the log. */
function isUncleanAt(file: string): boolean {
  if (storedSchema(file) !== latestSchema) return false
  using db = openReadConnection(file)
  return isUnclean(db)
}

/**
 * Corrects the rows of files that are not clean. @returns whether that is done; if the disk does not allow it, a later
 * start tries again
 */
function areRowsClean(file: string, { world: chosen, log }: ServiceOptions): boolean {
  const { db, world, instanceId } = openForward(file, chosen)
  try {
    createInstance({ db, world, instanceId }).cleaning.correctRows()
    return true
  } catch (err) {
    log.warn({ err }, "the files could not be cleaned; the next start tries again")
    return false
  } finally {
    db.close()
  }
}

/**
 * Connects to the Litestream that copies the data, if one does, and finishes the removal of withheld words that had to
 * wait for a start.
 * @returns whether the files were cleared of them, which the caller notes in the data
 * @throws DataError if the data must not be served this way
 */
async function connectLitestream(options: ServiceOptions, file: string) {
  const { replicated } = options
  if (replicated === undefined) {
    if (isReplicated(file)) throw new DataError(notAlone(file))
    return { litestream: null, isCleared: false }
  }
  if (isEarlier(file))
    throw new DataError(
      `The data in ${file} is of an earlier version, and Litestream has it open. End Litestream, upgrade the data ` +
        "with research-room backup FILE, and start Litestream again.",
    )
  const litestream = new Litestream(replicated)
  await litestream.mustHaveStarted(file)
  if (wasCutOff(file)) await litestream.copyAnew("The previous service was killed", async () => emptyLog(file))
  // As long as Litestream reads the log, what the file holds beside its rows cannot be cleared.
  const isCleared = isUncleanAt(file) && areRowsClean(file, options)
  if (isCleared)
    await litestream.copyAnew("Withheld words are removed from the file", async () => {
      if (!emptyLog(file)) return false
      await clearAlone(file)
      return true
    })
  markReplicated(file, replicated, true)
  return { litestream, isCleared }
}

/**
 * Opens the data of a service.
 * @param started collects what must be undone, in reverse order, when the service ends or fails to start
 * @param onLost called if the files or their disk are lost
 * @throws DataError if the data cannot be opened or another process serves it
 */
export async function openData(options: ServiceOptions, started: DisposableStack, onLost: (sentence: string) => void) {
  started.defer(lockFolder(options.data))
  const file = databaseFile(options.data)
  const { litestream, isCleared } = await connectLitestream(options, file)
  started.defer(() => {
    litestream?.close()
    if (litestream !== null) markReplicated(file, options.replicated ?? "", false)
  })
  const opened = openForward(file, options.world, options.onForward)
  const { db } = opened
  if (isCleared) writeClean(db)
  // Empty the write-ahead log that a killed service left, so that later changes by other programs can be detected.
  if (litestream === null) truncateWal(db)
  const files = new OpenedFiles(file, openWatching(file))
  db.exec("PRAGMA wal_autocheckpoint = 0")
  started.defer(() => {
    // Closing the database would copy the log into the data file.
    if (files.isSpoilt()) return
    db.close()
    files.close()
  })
  // Litestream empties the log itself.
  const limits = litestream === null ? watchLimits : { ...watchLimits, idleWalBytes: Number.POSITIVE_INFINITY }
  const copying = new LogCopying(file, db, files)
  started.defer(() => void copying.end())
  const diskWatch = new DiskWatch({ file, files, emptyLog: () => copying.empty(), log: options.log, limits, onLost })
  started.defer(() => diskWatch.close())
  return { ...opened, file, files, litestream, diskWatch, copying }
}
