/** `check`: proves the data whole, and names what was done to it behind the ledger's back. */
import { copyFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import tap, { test } from "tap"
import { startResearchRoom } from "research-room/testing"
import { endAll, executable, newPlace, run, serve } from "../support/program.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})

/** The demo's whole story, told once and then copied for every crime. */
const told = join(place.folder, "told")
const house = await startResearchRoom({ data: told })
const { roomId, openingThreadId: threadId } = house.rooms.main
await house.close()
const whole = /^3 Rooms, \d+ activity entries and \d+ records checked: all whole\.\n$/

/** Does something to a copy of the data with plain SQL, the triggers that forbid it taken away first. */
async function after(name: string, trigger: string | null, ...sql: string[]) {
  mkdirSync(join(place.folder, name))
  const file = join(place.folder, name, "research-room.db")
  copyFileSync(join(told, "research-room.db"), file)
  const database = new Database(file)
  if (trigger !== null) database.exec(`DROP TRIGGER ${trigger}`)
  database.pragma("foreign_keys = OFF")
  for (const each of sql) database.exec(each)
  database.close()
  return run(program, ["check", "--data", name], place)
}

test("data that nobody tampered with is whole, beside a serving process too", async (t) => {
  t.match(await run(program, ["check", "--data", "told"], place), { code: 0, out: whole, err: "" })
  const service = await serve(program, ["--data", "told"], place)
  t.match(await run(program, ["check", "--data", "told"], place), { code: 0, out: whole, err: "" })
  service.signal("SIGTERM")
  await service.ended()
})

const entry = (sequence: number) => `room_id = '${roomId}' AND sequence = ${sequence}`
const crimes: readonly {
  readonly what: string
  readonly trigger: string | null
  readonly sql: readonly string[]
  readonly told: RegExp
}[] = [
  {
    what: "an activity entry is rewritten",
    trigger: "activity_keep",
    sql: [
      `UPDATE activity_entries SET body = replace(body, 'grace', 'mallory') WHERE ${entry(2)}`,
      `UPDATE activity_entries SET body = replace(body, '"username":"ada"', '"username":"eve"') WHERE ${entry(3)}`,
    ],
    told: /^The activity of Room [0-9a-f-]+ does not hold together at entry [23]\.$/m,
  },
  {
    what: "an activity entry is taken out",
    trigger: "activity_stay",
    sql: [`DELETE FROM activity_entries WHERE ${entry(5)}`],
    told: /does not hold together at entry 5\./,
  },
  {
    what: "the last activity entry is taken out",
    trigger: "activity_stay",
    sql: [
      `DELETE FROM activity_entries WHERE room_id = '${roomId}' AND sequence = (SELECT activity_sequence FROM room_heads WHERE room_id = '${roomId}')`,
    ],
    told: /ends at entry \d+; its head says \d+\./,
  },
  {
    what: "two activity entries change places",
    trigger: "activity_keep",
    sql: [
      `UPDATE activity_entries SET sequence = 9999 WHERE ${entry(3)}`,
      `UPDATE activity_entries SET sequence = 3 WHERE ${entry(4)}`,
      `UPDATE activity_entries SET sequence = 4 WHERE ${entry(9999)}`,
    ],
    told: /does not hold together at entry 3\./,
  },
  {
    what: "an activity entry is no JSON any more",
    trigger: "activity_keep",
    sql: [`UPDATE activity_entries SET body = 'gone' WHERE ${entry(4)}`],
    told: /does not hold together at entry 4\./,
  },
  {
    what: "a record says something else",
    trigger: "records_keep",
    sql: ["UPDATE records SET content = replace(content, 'lowers', 'raises') WHERE label = 'H1'"],
    told: /The content of hypothesis H1 \([0-9a-f-]+\) is not what was accepted\./,
  },
  {
    what: "a record says something else, and its digest too",
    trigger: "records_keep",
    sql: [
      `UPDATE records SET content = '{}', content_digest = 'sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a' WHERE label = 'H1'`,
    ],
    told: /The content of hypothesis H1 .* is not what was accepted\./,
  },
  {
    what: "a record is gone",
    trigger: "records_stay",
    sql: ["DELETE FROM records WHERE label = 'H2'"],
    told: /The hypothesis H2 .* that was accepted is not there\./,
  },
  {
    what: "a record is slipped in",
    trigger: null,
    sql: [
      "CREATE TEMP TABLE twin AS SELECT * FROM records LIMIT 1; UPDATE twin SET version_id = '01a1bd81-0dd0-7345-8bde-000000000000', label = 'H99'; INSERT INTO records SELECT * FROM twin",
    ],
    told: /There are \d+ records; the Rooms' activity tells of \d+\./,
  },
  {
    what: "a plan says something else",
    trigger: "plans_keep",
    sql: ["UPDATE plans SET content = replace(content, 'five', 'two')"],
    told: /The content of plan P1 .* is not what was accepted\./,
  },
  {
    what: "an attempt's registration says something else",
    trigger: "attempts_keep",
    sql: ["UPDATE attempts SET content = replace(content, 'train.py', 'other.py') WHERE label = 'A1'"],
    told: /The content of attempt A1 .* is not what was accepted\./,
  },
  {
    what: "a message says something else",
    trigger: "timeline_keep",
    sql: [
      `UPDATE timeline_entries SET body = replace(body, 'warm-up', 'cool-down') WHERE thread_id = '${threadId}' AND kind = 'message' AND sequence = 1`,
    ],
    told: /The content of message [0-9a-f-]+ is not what was accepted\./,
  },
  {
    what: "a timeline entry is taken out",
    trigger: "timeline_stay",
    sql: [`DELETE FROM timeline_entries WHERE thread_id = '${threadId}' AND sequence = 2`],
    told: /The timeline of Thread [0-9a-f-]+ should hold \d+ entries and holds \d+\./,
  },
  {
    what: "a Thread is taken out",
    trigger: null,
    sql: [`DELETE FROM threads WHERE sequence = 2 AND room_id = '${roomId}'`],
    told: /The Threads of Room [0-9a-f-]+ should hold \d+ entries and holds \d+\.[^]*A row of \w+ refers to something that is not there\.|A row of \w+ refers to something that is not there\.[^]*The Threads of Room/,
  },
]

for (const [index, { what, trigger, sql, told: sentence }] of crimes.entries()) {
  test(`it is noticed when ${what}`, async (t) => {
    const { code, out, err } = await after(`crime-${index}`, trigger, ...sql)
    t.equal(code, 1)
    t.match(err, sentence)
    t.match(out, /checked: \d+ problems\.\n$/)
    t.notMatch(err, /^ +at /m, "no trace of the program")
  })
}
