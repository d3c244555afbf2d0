/**
 * Data of an earlier version, upgraded by a service that is killed in the middle of it, again and again: the file is
 * always either the old one or the new one, and the first start that is not killed completes the upgrade.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import { latestSchema } from "../../../src/ledger/storage/schema.ts"
import { type Place, run, serve, start } from "../../support/program.ts"
import { asEarlier } from "../../upgrade/sample.ts"
import type { Chance } from "../support/chance.ts"

export interface Moved {
  kills: number
  /** The state of the data after a kill. */
  old: number
  made: number
  /** Kills that left a half-made file beside it. */
  halves: number
}

/** The schema version and the digests of all entries, read directly from the file. */
function seen(file: string): { version: number; entries: string } {
  const database = new Database(file)
  try {
    const version = database.pragma("user_version", { simple: true }) as number
    const entries = database.prepare<[], string>(
      "SELECT group_concat(hex(activity_digest)) FROM (SELECT activity_digest FROM journal ORDER BY position)",
    )
    return { version, entries: entries.pluck().get() ?? "" }
  } finally {
    database.close()
  }
}

/** The newest sample as data of an earlier version, with some kills. @returns problems, in sentences */
export async function bringThroughKills(
  program: string,
  place: Place,
  kills: number,
  chance: Chance,
  moved: Moved,
): Promise<string[]> {
  const problems: string[] = []
  const data = `earlier-${chance.seed.replace(/\W/g, "-")}`
  const folder = join(place.folder, data)
  const file = asEarlier(folder)
  const before = seen(file)
  for (let left = kills; left > 0; left -= 1) {
    const service = start(program, ["serve", "--port", "0", "--data", data], place)
    // The time from the start to the new file, on a busy machine.
    await new Promise((resolve) => setTimeout(resolve, chance.between(50, 900)))
    service.signal("SIGKILL")
    await service.ended()
    moved.kills += 1
    if (readdirSync(folder).some((name) => name.includes(".remade-"))) moved.halves += 1
    const now = seen(file)
    if (now.version === latestSchema) moved.made += 1
    else moved.old += 1
    if (now.entries !== before.entries)
      problems.push("The data was killed while it came forward, and its activity is another.")
    if (now.version === latestSchema) asEarlier(folder)
  }
  const service = await serve(program, ["--data", data], place)
  service.signal("SIGTERM")
  const { code, err } = await service.ended()
  if (code !== 0) problems.push(`The data was served after kills, and the service ended with ${code}: ${err}`)
  const left = readdirSync(folder).filter((name) => name.includes(".remade-"))
  if (left.length > 0) problems.push(`The data came forward and left ${left.join(", ")}.`)
  const now = seen(file)
  if (now.version !== latestSchema || now.entries !== before.entries)
    problems.push(`The data came forward to ${now.version} with another activity.`)
  const checked = await run(program, ["check", "--data", data], place)
  if (checked.code !== 0) problems.push(`The data came forward, and check says: ${checked.err}${checked.out}`)
  return problems
}
