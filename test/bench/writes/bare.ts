/**
 * The process of the bare loops, which measure the disk and SQLite without the service: the baseline (yardstick.ts),
 * with one message per transaction and with sixteen. Beside them it counts the statements of one kind of write today,
 * and times a replay of such writes.
 */
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Actor } from "../../../src/ledger/journal/actor.ts"
import { remake } from "../../../src/app/compose/upgrade.ts"
import { createInstance } from "../../../src/app/compose/instance.ts"
import { openData, openDatabase } from "../../../src/ledger/storage/opening.ts"
import type { Db } from "../../../src/ledger/storage/database.ts"
import { journal } from "../../../src/ledger/journal/journal.ts"
import { isoTime } from "../../../src/ledger/world.ts"
import { copyData, dataFile, type Demo, remove } from "../data/demo.ts"
import { delivery, House } from "../data/house.ts"
import { post, type Shot, writeShots } from "../load/shots.ts"
import { answering } from "../process.ts"
import { Recorder, type Step } from "../recording.ts"
import { type Answer, type Ask, GROUP, shotsFile } from "./constants.ts"
import { recipeOf, type Write } from "./recipes.ts"
import { yardstick } from "./yardstick.ts"

/** The statements of writes of one kind, and the data they left. */
interface Recorded {
  /** The statements of one transaction: not the first, which also records the use of the credential. */
  readonly statements: readonly string[]
  /** The final state of the data. */
  readonly end: string
}

let folder = ""
let recorded: { single: Recorded; grouped: Recorded; counts: { single: number; grouped: number } } | undefined

/**
 * Values by which two differently written copies differ: the number of accepted writes, and the head of each Room's
 * chain of digests.
 */
const stateOf = (db: Db): string =>
  JSON.stringify(
    db
      .prepare(
        `SELECT (SELECT count(*) FROM journal WHERE delivery_id IS NOT NULL) AS receipts,
            (SELECT group_concat(activity_digest)
              FROM (SELECT activity_digest FROM room_heads ORDER BY room_id)) AS heads`,
      )
      .get(),
  )

const recordedIn = (size: number) => join(folder, `recorded-${size}`)

const tokenOf = ({ credentials, keys }: Demo, family: string) =>
  family === "library" ? keys.all.token : credentials.member_all.token

/** Makes the writes in a copy of the data with the service's own code, and records its statements. */
async function record(demo: Demo, operation: string, writes: readonly Write[], size: number): Promise<Recorded> {
  const { db, world, instanceId } = openData(dataFile(copyData(folder, recordedIn(size))))
  // Nothing is measured here, and nothing kept.
  db.exec("PRAGMA synchronous = OFF")
  const recorder = new Recorder(db)
  const repositories = { check: async () => ({ ok: true }) as const }
  const { ledger, tables } = createInstance({ db: recorder, world, instanceId, repositories })
  const admit = ({ said, token }: Write) => {
    const made = delivery(operation as never, said as never)
    const { family } = made.operation
    const given = token ?? tokenOf(demo, family)
    const at = isoTime(world.now())
    const actor: Actor =
      family === "library" ? tables.library.keys.authenticate(given, at) : tables.credentials.authenticate(given, at)
    return ledger.admit({ ...made, actor })
  }
  const lists: Step[][] = []
  for (let next = 0; next + size <= writes.length; next += size) {
    const steps = await recorder.during(() => Promise.all(writes.slice(next, next + size).map(admit)))
    const begun = steps.filter(({ statement }) => recorder.sql[statement] === "BEGIN IMMEDIATE").length
    if (begun !== 1) throw new Error(`${size} writes of ${operation} took ${begun} transactions`)
    lists.push(steps)
  }
  const end = stateOf(db)
  db.close()
  return { statements: (lists[1] ?? []).map(({ statement }) => recorder.sql[statement] ?? ""), end }
}

/** Makes the data that the writes act upon, and the requests. */
async function makeTargets(
  demoFolder: string,
  operation: string,
  count: number,
): Promise<{ demo: Demo; writes: readonly Write[] }> {
  const house = new House(copyData(demoFolder, folder), demoFolder)
  const writes = await house.fill(() => recipeOf(operation)(house, count))
  house.close()
  const shots = writes.map(({ said, token }): Shot => {
    const { operation: definition, params, body } = delivery(operation as never, said as never)
    const path = definition.path.replace(/\{([a-zA-Z]+)\}/g, (_, name: string) => params[name] as string)
    return post(path, token ?? tokenOf(house.demo, definition.family), body)
  })
  writeShots(shotsFile(folder), shots)
  return { demo: house.demo, writes }
}

/** Messages per second of the baseline. */
function loop(count: number, size: number): number {
  const scratch = join(folder, "loop")
  mkdirSync(scratch)
  try {
    return yardstick(join(scratch, "yardstick.db"), Math.floor(count / size), size)
  } finally {
    remove(scratch)
  }
}

/** Entries per second of a replay of the whole history with the recorded groups, into a new file. */
function replayed({ end }: Recorded): number {
  const db = openDatabase(dataFile(recordedIn(GROUP)))
  const kept = journal(db)
  const startedAt = performance.now()
  const made = remake(kept.entries(), join(folder, "made.db"))
  const perSecond = (kept.count() * 1000) / (performance.now() - startedAt)
  if (stateOf(made) !== end) throw new Error("the replay did not come to what the service came to")
  made.close()
  db.close()
  rmSync(join(folder, "made.db"))
  return perSecond
}

answering(async (ask: Ask): Promise<Answer> => {
  if ("prepare" in ask) {
    const { operation, demo: demoFolder, writes: count, single, grouped } = ask.prepare
    folder = ask.prepare.folder
    const { demo, writes } = await makeTargets(demoFolder, operation, count)
    recorded = {
      // The statements of one write are taken from a second one.
      single: await record(demo, operation, writes.slice(0, 2), 1),
      grouped: await record(demo, operation, writes.slice(0, grouped), GROUP),
      counts: { single, grouped },
    }
    remove(recordedIn(1))
  }
  if (recorded === undefined) throw new Error("nothing was prepared")
  const { single, grouped, counts } = recorded
  const bare = ({ grouped: inGroups }: { readonly grouped: boolean }) =>
    inGroups ? loop(counts.grouped, GROUP) : loop(counts.single, 1)
  const perSecond = "loop" in ask ? bare(ask.loop) : "replay" in ask ? replayed(grouped) : 0
  return { perSecond, single: single.statements, grouped: grouped.statements.length }
})
