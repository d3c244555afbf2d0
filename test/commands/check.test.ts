/** `check`: proves the data whole, and names what was changed behind the ledger's back. */
import { copyFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import tap, { test } from "tap"
import { startResearchRoom } from "research-room/testing"
import { checkData } from "../../src/check/check.ts"
import { openDatabase } from "../../src/ledger/storage/opening.ts"
import { tamperingWithCopies } from "./tampering-with-copies.ts"
import { tamperingWithRecords } from "./tampering.ts"
import { tamperingWithParts } from "./tampering-with-parts.ts"
import { endAll, executable, newPlace, run, serve } from "../support/program.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})

/** The demo's whole story, made once and then copied for each change. */
const told = join(place.folder, "told")
const house = await startResearchRoom({ data: told })
const { roomId, openingThreadId: threadId } = house.rooms.main
await house.close()
const whole = /^4 Rooms, \d+ activity entries and \d+ records checked in [\d.]+ s: all whole\.\n$/

/** Changes a copy of the data with plain SQL, after removing the triggers that forbid it. @returns the copy's file */
function after(name: string, ...sql: string[]): string {
  mkdirSync(join(place.folder, name))
  const file = join(place.folder, name, "research-room.db")
  copyFileSync(join(told, "research-room.db"), file)
  const database = new Database(file)
  const forbidding = database.prepare<[], { name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%RAISE(ABORT%'",
  )
  for (const { name } of forbidding.all()) database.exec(`DROP TRIGGER ${name}`)
  database.pragma("foreign_keys = OFF")
  const before = database.prepare("SELECT total_changes()").pluck().get()
  for (const each of sql) database.exec(each)
  if (database.prepare("SELECT total_changes()").pluck().get() === before) throw new Error(`${name} changed nothing`)
  database.close()
  return file
}

/** The problems found in a file, and the reported progress. */
function found(file: string) {
  const db = openDatabase(file)
  const steps: { done: number; total: number; what: string }[] = []
  try {
    return { ...checkData(db, (done, total, what) => steps.push({ done, total, what })), steps }
  } finally {
    db.close()
  }
}

test("data without tampering is whole, also beside a running service", async (t) => {
  t.match(await run(program, ["check", "--data", "told"], place), { code: 0, out: whole, err: "" })
  const service = await serve(program, ["--data", "told"], place)
  t.match(await run(program, ["check", "--data", "told"], place), { code: 0, out: whole, err: "" })
  service.signal("SIGTERM")
  await service.ended()
})

test("problems are reported line by line, without a progress bar if there is no terminal", async (t) => {
  after(
    "told-so",
    `UPDATE journal
      SET content = replace(content, 'raises', 'lowers')
      WHERE position IN (SELECT history_position FROM records WHERE label = 'H1')`,
  )
  const { code, out, err } = await run(program, ["check", "--data", "told-so"], place)
  t.equal(code, 1)
  t.match(err, /^The content of hypothesis H1 \([0-9a-f-]+\) is not what was accepted\.\n/m)
  t.notMatch(err, /\x1b|%|^ +at /m, "no escape sequences of a terminal, no stack trace")
  t.match(out, /checked in [\d.]+ s: \d+ problems\.\n$/)
})

test("progress is reported from nothing to all, and never goes back", (t) => {
  const { steps, problems } = found(join(told, "research-room.db"))
  t.strictSame(problems, [])
  t.equal(steps[0]?.done, 0)
  t.equal(steps.at(-1)?.done, steps.at(-1)?.total)
  t.ok(steps.every(({ done }, index) => done >= (steps[index - 1]?.done ?? 0)))
  const parts = [...new Set(steps.map(({ what }) => what))]
  t.strictSame(parts.slice(0, 3), ["file", "activity", "history"])
  t.ok(parts.includes("records"), "and every table")
  t.equal(parts.at(-1), "done")
  t.end()
})

test("a thousand problems are reported, the rest counted", (t) => {
  const file = after(
    "many",
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) INSERT INTO room_heads
      SELECT 'r' || i, 1, '', '2026-11-02T09:00:00.000Z', 0
      FROM n`,
  )
  const { problems } = found(file)
  t.equal(problems.length, 1_001)
  t.match(problems.at(-1), /^There are \d+ more problems\.$/)
  t.end()
})

const changes = [...tamperingWithRecords(roomId, threadId), ...tamperingWithParts(roomId), ...tamperingWithCopies]
for (const [index, { what, sql, told: sentence }] of changes.entries()) {
  test(`it is noticed when ${what}`, (t) => {
    t.match(found(after(`tampered-${index}`, ...sql)).problems.join("\n"), sentence)
    t.end()
  })
}
