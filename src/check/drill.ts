/** A recovery drill: restores Litestream's copy into a temporary folder, checks it, and deletes it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempDisposableSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { codeOf } from "../contract/refusals.ts"
import { openForward } from "../app/compose/upgrade.ts"
import { databaseFile } from "../ledger/storage/data.ts"
import type { Db } from "../ledger/storage/database.ts"
import { DataError, openReadConnection } from "../ledger/storage/opening.ts"
import { journal } from "../ledger/journal/journal.ts"
import type { OnProgress } from "../ledger/replay/replay.ts"
import { type CheckReport, checkData } from "./check.ts"

export interface Drill {
  /** The copy's address, or the path of the data in Litestream's configuration. */
  readonly source: string
  readonly config?: string | undefined
  readonly litestream: string
  /** The parent of the temporary folder; defaults to the system's. */
  readonly scratch?: string | undefined
  /** The original data, to report what the copy lacks; left out if it is not accessible. */
  readonly data?: string | undefined
  /** Skips the replay. */
  readonly quick: boolean
  readonly onProgress: OnProgress
}

export interface DrillReport extends CheckReport {
  /** How long the restore took, in seconds. */
  readonly seconds: number
  /** When the newest write was accepted, in milliseconds since 1970; null if there is none. */
  readonly newestAt: number | null
  /**
   * The writes that the copy lacks: how many, and when the oldest was accepted. Null if the original was not compared.
   */
  readonly lacks: { readonly writes: number; readonly oldestAt: number | null } | null
}

/** Runs Litestream's restore. @throws DataError with Litestream's last line if it fails */
async function restored({ source, config, litestream }: Drill, file: string): Promise<void> {
  const args = ["restore", "-o", file, ...(config === undefined ? [] : ["-config", config]), source]
  const child = spawn(litestream, args, { stdio: ["ignore", "ignore", "pipe"] })
  let output = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-2_000)))
  const [code] = await once(child, "close").catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") throw new DataError(String(error))
    throw new DataError(`The program ${litestream} does not exist. Give the path of Litestream with --litestream.`)
  })
  if (code === 0) return
  throw new DataError(
    `Litestream could not restore ${source}: ${output.trim().split("\n").at(-1) ?? `it ended with ${code}`}`,
  )
}

/** @throws DataError if the copy's newest write is not in the original */
function lacking(copy: Db, folder: string): DrillReport["lacks"] {
  using original = openReadConnection(databaseFile(folder))
  const [here, there] = [journal(copy), journal(original)]
  const held = here.count()
  if (JSON.stringify(here.at(held)) !== JSON.stringify(there.at(held)))
    throw new DataError(
      `The newest write of the copy is not in ${folder}. The copy is of other data, or of an abandoned history.`,
    )
  const oldest = there.at(held + 1)
  return { writes: there.count() - held, oldestAt: oldest === undefined ? null : Date.parse(oldest.at) }
}

/** Restores the copy and checks it. @throws DataError if it cannot be restored, or is of other data */
export async function drill(options: Drill): Promise<DrillReport> {
  using scratch = mkdtempDisposableSync(join(options.scratch ?? tmpdir(), "research-room-drill-"))
  const file = databaseFile(scratch.path)
  const start = performance.now()
  await restored(options, file)
  const seconds = (performance.now() - start) / 1_000
  using db = openForward(file, undefined, options.onProgress).db
  const found = checkData(db, options.onProgress, { quick: options.quick })
  const kept = journal(db)
  const newest = kept.at(kept.count())
  const lacks = options.data === undefined ? null : lacking(db, options.data)
  return { ...found, seconds, newestAt: newest === undefined ? null : Date.parse(newest.at), lacks }
}
