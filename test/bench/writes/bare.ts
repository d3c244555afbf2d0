/**
 * The bare loop, in a process of its own: the statements of one kind of write and nothing else. What they are is not
 * written here. The service's own code makes the writes on a copy of the data while every statement is noted with its
 * values, one write at a time and then sixteen admitted in one turn, as the commit queue takes them; the loop runs the
 * same statements with the same values on another copy, opened by the same function and so with the same pragmas.
 */
import { join } from "node:path"
import type { Actor } from "../../../src/ledger/actor.ts"
import { remake } from "../../../src/app/forward.ts"
import { createInstance } from "../../../src/app/instance.ts"
import { openData } from "../../../src/ledger/data.ts"
import { type Db, openBeside, openDatabase } from "../../../src/ledger/database.ts"
import { journal } from "../../../src/ledger/journal.ts"
import { isoTime } from "../../../src/ledger/world.ts"
import { copyData, dataFile, type Demo, remove } from "../data/demo.ts"
import { delivery, House } from "../data/house.ts"
import { post, type Shot, writeShots } from "../load/shots.ts"
import { answering } from "../process.ts"
import { prepared, Recorder, type Step } from "../recording.ts"
import { type Answer, type Ask, GROUP, shotsFile } from "./constants.ts"
import { recipeOf, type Write } from "./recipes.ts"

interface Recorded {
  readonly sql: readonly string[]
  /** The steps of each transaction, with those that come before it. */
  readonly lists: readonly (readonly Step[])[]
  /** How many writes each list makes. */
  readonly size: number
  /** What the data came to. */
  readonly end: string
}

let folder = ""
let recorded: { single: Recorded; grouped: Recorded } | undefined

/** What tells two copies apart that were not written alike: how much was accepted, and where each Room's chain of digests stands. */
const stateOf = (db: Db): string =>
  JSON.stringify(
    db
      .prepare(
        "SELECT (SELECT count(*) FROM journal WHERE delivery_id IS NOT NULL) AS receipts, (SELECT group_concat(activity_digest) FROM (SELECT activity_digest FROM room_heads ORDER BY room_id)) AS heads",
      )
      .get(),
  )

const tokenOf = ({ credentials, keys }: Demo, family: string) => (family === "library" ? keys.all.token : credentials.member_all.token)

/** Lets the service's own code make the writes, and notes what it runs. */
async function record(demo: Demo, operation: string, writes: readonly Write[], size: number): Promise<Recorded> {
  const { db, world, instanceId } = openData(dataFile(copyData(folder, join(folder, "recorded"))))
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
    const actor: Actor = family === "library" ? tables.library.keys.authenticate(given, at) : tables.credentials.authenticate(given, at)
    return ledger.admit({ ...made, actor })
  }
  const lists: Step[][] = []
  for (let next = 0; next + size <= writes.length; next += size) {
    const steps = await recorder.during(() => Promise.all(writes.slice(next, next + size).map(admit)))
    const begun = steps.filter(({ statement }) => recorder.sql[statement] === "BEGIN IMMEDIATE").length
    if (begun !== 1)
      throw new Error(`${size} writes of ${operation} took ${begun} transactions: the bare loop must learn how they are made now`)
    lists.push(steps)
  }
  const end = stateOf(db)
  db.close()
  remove(join(folder, "recorded"))
  return { sql: recorder.sql, lists, size, end }
}

/** Makes the data that the writes act upon, and the requests. */
async function makeTargets(demoFolder: string, operation: string, count: number): Promise<{ demo: Demo; writes: readonly Write[] }> {
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

/** Writes a second, a first tenth left out. */
function loop({ sql, lists, size, end }: Recorded): number {
  const db = openBeside(dataFile(copyData(folder, join(folder, "loop"))))
  const ready = prepared(db, sql, lists)
  const warm = Math.ceil(ready.length / 10)
  for (const run of ready.slice(0, warm)) run()
  const startedAt = performance.now()
  for (const run of ready.slice(warm)) run()
  const perSecond = ((ready.length - warm) * size * 1000) / (performance.now() - startedAt)
  if (stateOf(db) !== end) throw new Error("the bare loop did not do what the service does")
  db.close()
  remove(join(folder, "loop"))
  return perSecond
}

/** Entries a second of a replay of the whole history that the loop in groups came to, into a fresh file. */
function replayed({ sql, lists, end }: Recorded): number {
  const data = copyData(folder, join(folder, "replayed"))
  const db = openDatabase(dataFile(data))
  for (const run of prepared(db, sql, lists)) run()
  const kept = journal(db)
  const startedAt = performance.now()
  const made = remake(kept.entries(), join(data, "made.db"))
  const perSecond = (kept.count() * 1000) / (performance.now() - startedAt)
  if (stateOf(made) !== end) throw new Error("the replay did not come to what the service came to")
  made.close()
  db.close()
  remove(data)
  return perSecond
}

answering(async (ask: Ask): Promise<Answer> => {
  if ("prepare" in ask) {
    const { operation, demo: demoFolder, writes: count, single, grouped } = ask.prepare
    folder = ask.prepare.folder
    recorded = undefined
    const { demo, writes } = await makeTargets(demoFolder, operation, count)
    recorded = {
      single: await record(demo, operation, writes.slice(0, single), 1),
      grouped: await record(demo, operation, writes.slice(0, grouped), GROUP),
    }
    loop(recorded.single)
  }
  if (recorded === undefined) throw new Error("nothing was prepared")
  const { single, grouped } = recorded
  // The first write also notes that the credential was used, once a minute; the others are all alike.
  const texts = (single.lists[1] ?? []).map(({ statement }) => single.sql[statement] ?? "")
  const perSecond = "loop" in ask ? loop(ask.loop.grouped ? grouped : single) : "replay" in ask ? replayed(grouped) : 0
  return { perSecond, single: texts, grouped: grouped.lists[1]?.length ?? 0 }
})
