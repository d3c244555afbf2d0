/** The data that a service serves: opened, locked, brought to the current version, and watched. */
import { isEarlier, openForward } from "./compose/upgrade.ts"
import { Litestream } from "./replication/litestream.ts"
import { isReplicated, markReplicated, notAlone, wasCutOff } from "../ledger/storage/litestream-files.ts"
import { databaseFile } from "../ledger/storage/data.ts"
import { DataError, openDatabase } from "../ledger/storage/opening.ts"
import { lockFolder } from "../ledger/storage/ownership.ts"
import { OpenedFiles } from "../ledger/storage/opened-files.ts"
import { truncateWal, watchLimits, DiskWatch } from "../ledger/storage/disk-watch.ts"
import { isLogEmptied } from "../ledger/storage/residue.ts"
import type { ServiceOptions } from "./service-options.ts"

/** Moves the write-ahead log of a file into the file. @returns whether that was possible: not while another process has it open */
function emptyLog(file: string): boolean {
  const db = openDatabase(file)
  try {
    return isLogEmptied(db)
  } finally {
    db.close()
  }
}

/** The Litestream that copies the data; null without one. @throws DataError if the data may not be served this way */
async function replicatedBy({ replicated }: ServiceOptions, file: string): Promise<Litestream | null> {
  if (replicated === undefined) {
    if (isReplicated(file)) throw new DataError(notAlone(file))
    return null
  }
  if (isEarlier(file))
    throw new DataError(
      `The data in ${file} is of an earlier version, and Litestream has it open. End Litestream, bring the data forward with research-room backup FILE, and start Litestream again.`,
    )
  const litestream = new Litestream(replicated)
  await litestream.mustHaveStarted(file)
  if (wasCutOff(file)) await litestream.copyAnew(() => emptyLog(file))
  markReplicated(file, replicated, true)
  return litestream
}

/**
 * Opens the data of a service.
 * @param started gets what must be undone, in the opposite order, when the service ends or does not start
 * @param onLost called when the files or their disk are lost
 * @throws DataError when the data cannot be opened or another process serves it
 */
export async function openData(options: ServiceOptions, started: DisposableStack, onLost: (sentence: string) => void) {
  started.defer(lockFolder(options.data))
  const file = databaseFile(options.data)
  const litestream = await replicatedBy(options, file)
  started.defer(() => {
    litestream?.close()
    if (litestream !== null) markReplicated(file, options.replicated ?? "", false)
  })
  const opened = openForward(file, options.world, options.onForward)
  const { db } = opened
  // A killed service leaves a write-ahead log. It is emptied first: later changes of the file that are not ours can then be noticed.
  if (litestream === null) truncateWal(db)
  const files = new OpenedFiles(file)
  started.defer(() => {
    // Closing it would write the log into a file that is no longer its own.
    if (files.isOverwritten()) return
    db.close()
    files.close()
  })
  // Litestream empties the log itself.
  const limits = litestream === null ? watchLimits : { ...watchLimits, idleWalBytes: Number.POSITIVE_INFINITY }
  let emptyIdleLog: () => void = () => truncateWal(db)
  const diskWatch = new DiskWatch({ file, files, emptyLog: () => emptyIdleLog(), log: options.log, limits, onLost })
  started.defer(() => diskWatch.close())
  return {
    ...opened,
    file,
    files,
    litestream,
    diskWatch,
    /** Has another thread empty the log from now on. */
    emptyLogBy(other: () => void) {
      emptyIdleLog = other
    },
  }
}
