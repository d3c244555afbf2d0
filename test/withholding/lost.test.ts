/** Cleaning also brings back rows that a file lost, a few at a time: others read and write between the pieces. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import tap, { test } from "tap"
import { setImmediate as turn } from "node:timers/promises"
import { startDemo } from "../../src/demo/demo.ts"
import { startService } from "../../src/app/service.ts"
import { checkData } from "../../src/check/check.ts"
import { openReadConnection } from "../../src/ledger/storage/opening.ts"
import { isUnclean } from "../../src/ledger/storage/clearing.ts"
import { openLog } from "../../src/log.ts"
import { Filler } from "../research/record/filler.ts"
import { launch } from "../research/record/work.ts"
import { untilClean } from "../support/clean.ts"
import { temporaryFolder } from "../support/service.ts"

const LOST = 1_000
const data = temporaryFolder()
const file = join(data, "research-room.db")
tap.teardown(() => rmSync(data, { recursive: true, force: true }))
const settings = {
  repositories: { folders: [], github: null },
  host: "127.0.0.1",
  port: 0,
  data,
  threads: 0,
  log: openLog("silent"),
}

/** Takes rows out of a file that nothing serves, without its triggers, and says that it is to be cleaned. */
function lose(statements: string): void {
  const database = new Database(file)
  const triggers = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all() as {
    readonly name: string
    readonly sql: string
  }[]
  database.pragma("foreign_keys = OFF")
  database.transaction(() => {
    for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`)
    database.exec(`${statements}; UPDATE instance SET unclean = 1`)
    for (const { sql } of triggers) database.exec(sql)
  })()
  database.close()
}

const house = await startDemo({ ...settings, kept: process.env.TOLD_DEMO } as never)
await house.close()

test("lost rows come back a few at a time, before those that refer to them", async (t) => {
  const filler = new Filler(file)
  const owner = filler.person(house.people.owner.username)
  const { roomId } = house.rooms.empty
  await filler.fill(() => {
    for (let count = 0; count < LOST; count += 1)
      filler.does(owner, "create_thread", { roomId, title: `Thread ${count}` })
  })
  filler.close()
  // The heads of Threads refer to the Threads, and are first in the order of the alphabet.
  lose("DELETE FROM thread_heads; DELETE FROM threads")
  const service = await startService(settings as never)
  const counts = new Set<number>()
  for (let isDirty = true; isDirty; await turn()) {
    using view = openReadConnection(file)
    counts.add(view.prepare<{ count: number }>("SELECT count(*) AS count FROM threads").one().count)
    isDirty = isUnclean(view)
  }
  t.ok(counts.size >= LOST / 200, `between the pieces there were ${[...counts].join(", ")} Threads`)
  const view = openReadConnection(file)
  t.strictSame(checkData(view).problems, [])
  view.close()
  await service.close()
})

test("a lost row that refers to a later one of its table comes back together with it", async (t) => {
  // Clients choose the ids of attempts, and rows come back in the order of their ids.
  const [first, rerun] = ["ffffffff-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"]
  const filler = new Filler(file)
  const owner = filler.person(house.people.owner.username)
  const { roomId, openingThreadId: threadId } = house.rooms.empty
  await filler.fill(() => {
    const { experimentId } = filler.does(owner, "propose_experiment", {
      ...{ roomId, threadId, question: "Does it hold?", scope: "Here.", hypotheses: [] },
    }).result
    filler.does(owner, "take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
    const work = { ...launch, experimentId, expectedRevision: 2, expectedStatus: "claimed" } as const
    filler.does(owner, "register_attempt", { ...work, attemptId: first })
    filler.does(owner, "register_attempt", { ...work, attemptId: rerun, intent: "rerun", rerunOf: first })
  })
  filler.close()
  lose(`DELETE FROM attempts WHERE attempt_id IN ('${first}', '${rerun}')`)
  const service = await startService(settings as never)
  t.teardown(() => service.close())
  await untilClean(file)
  using view = openReadConnection(file)
  const back = view.prepare<{ id: string }>("SELECT attempt_id AS id FROM attempts WHERE attempt_id IN (+?, +?)")
  t.same(
    back
      .all(first, rerun)
      .map(({ id }) => id)
      .sort(),
    [rerun, first],
  )
  t.strictSame(checkData(view).problems, [])
})
