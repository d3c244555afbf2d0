/** A drill: what Litestream's copy would give, were it needed now. It is restored into a folder of its own, which is gone after. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { codeOf } from "../contract/faults.ts"
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
  /** The program that restores. */
  readonly litestream: string
  /** Where the scratch folder is made; left out, where the system keeps such. */
  readonly scratch?: string | undefined
  /** The data that the copy is of, to see what the copy lacks; left out where it is out of reach. */
  readonly data?: string | undefined
  /** Leaves the replay out. */
  readonly quick: boolean
  readonly onProgress: OnProgress
}

export interface DrillReport extends CheckReport {
  /** Seconds that the restore took. */
  readonly seconds: number
  /** When the newest write was accepted, in milliseconds since 1970; null where there is none. */
  readonly newestAt: number | null
  /** What the copy lacks of the data: how many writes, and when the oldest of them was accepted. Null where nobody looked. */
  readonly lacks: { readonly writes: number; readonly oldestAt: number | null } | null
}

/** Runs Litestream to its end. @throws DataError in its own words where it fails */
function restored({ source, config, litestream }: Drill, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const args = ["restore", "-o", file, ...(config === undefined ? [] : ["-config", config]), source]
    const child = spawn(litestream, args, { stdio: ["ignore", "ignore", "pipe"] })
    let said = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-2_000)))
    child.on("error", (error) =>
      reject(
        new DataError(codeOf(error) === "ENOENT" ? `There is no program ${litestream}: name Litestream with --litestream.` : String(error)),
      ),
    )
    child.on("close", (code) => {
      if (code === 0) resolve()
      else reject(new DataError(`Litestream could not restore ${source}: ${said.trim().split("\n").at(-1) ?? `it ended with ${code}`}`))
    })
  })
}

/** @throws DataError where the two do not have one history */
function lacking(copy: Db, folder: string): DrillReport["lacks"] {
  const original = openReadConnection(databaseFile(folder))
  try {
    const [here, there] = [journal(copy), journal(original)]
    const held = here.count()
    if (JSON.stringify(here.at(held)) !== JSON.stringify(there.at(held)))
      throw new DataError(`The newest write of the copy is not in ${folder}: it is of other data, or of a history that was given up.`)
    const oldest = there.at(held + 1)
    return { writes: there.count() - held, oldestAt: oldest === undefined ? null : Date.parse(oldest.at) }
  } finally {
    original.close()
  }
}

/** Restores and looks. @throws DataError where nothing can be restored, or the copy is of other data */
export async function drill(asked: Drill): Promise<DrillReport> {
  const scratch = mkdtempSync(join(asked.scratch ?? tmpdir(), "research-room-drill-"))
  try {
    const file = databaseFile(scratch)
    const start = performance.now()
    await restored(asked, file)
    const seconds = (performance.now() - start) / 1_000
    const { db } = openForward(file, undefined, asked.onProgress)
    try {
      const found = checkData(db, asked.onProgress, { quick: asked.quick })
      const past = journal(db)
      const newest = past.at(past.count())
      const lacks = asked.data === undefined ? null : lacking(db, asked.data)
      return { ...found, seconds, newestAt: newest === undefined ? null : Date.parse(newest.at), lacks }
    } finally {
      db.close()
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
