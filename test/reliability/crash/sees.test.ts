/**
 * A harness that finds nothing proves nothing: here data is damaged on purpose, in one way each time, and the check
 * from outside must report it.
 */
import { cpSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import tap, { test } from "tap"
import { endAll } from "../../support/program.ts"
import { chanceOf, freshSeed } from "../support/chance.ts"
import { breakGround } from "../support/ground.ts"
import { type Sent, written } from "../support/journal.ts"
import { startLoad, Writers } from "../support/load.ts"
import { Account } from "../support/outside.ts"
import { kill } from "./crash.ts"

const ground = await breakGround()
tap.teardown(() => {
  endAll()
  ground.remove()
})
const seed = process.env.RESEARCH_ROOM_SEED ?? freshSeed()

const good = ground.copy("good")
const service = await ground.serve(good)
const account = await Account.open(ground, service.baseUrl)
const writers = new Writers(ground)
const load = startLoad(writers, ground.agents, { baseUrl: service.baseUrl, connections: 11, chance: chanceOf(seed) })
await load.acknowledged(200)
load.stop()
await load.ended()

test("undamaged data: no problem is reported", async (t) => {
  await account.look(service.baseUrl, load.sent)
  await account.lookAtAll(service.baseUrl)
  t.strictSame(account.problems, [], `seed ${seed}`)
})

test("a write claimed as acknowledged but never sent, and a stored write claimed as not stored", async (t) => {
  const [known] = account.storedWrites.filter(
    ({ operation, agent }) => operation.name === "post_message" && agent.threadIds === null,
  )
  const { agent, body, receiptText, receipt } = known as Sent
  const never = written(agent, {
    name: "post_message",
    params: { threadId: receipt?.threadId as string },
    body: { ...body, clientMessageId: crypto.randomUUID() },
  })
  Object.assign(never, { outcome: "acknowledged", receiptText, receipt })
  await (await Account.open(ground, service.baseUrl)).look(service.baseUrl, [])
  const doubted = await Account.open(ground, service.baseUrl)
  await doubted.look(service.baseUrl, [never, { ...(known as Sent), outcome: "declined" }])
  t.match(doubted.problems.join("\n"), /Lost: post_message .* was acknowledged and has no receipt/)
  t.match(doubted.problems.join("\n"), /was said not to be stored, and has a receipt/)
})

/** Deletes a row. */
const without = (table: string, row: string) => `DELETE FROM ${table} WHERE ${row}`
const lastMessage = "position = (SELECT max(position) FROM journal WHERE operation = 'post_message')"
const lastOfFeed = "position = (SELECT max(position) FROM journal WHERE room_sequence IS NOT NULL)"
const lastEntry =
  "entry_id = (SELECT entry_id FROM timeline_entries ORDER BY history_position DESC, sequence DESC LIMIT 1)"
const spoilt: Readonly<Record<string, { sql: string; seen: RegExp }>> = {
  "a receipt that is gone": {
    sql: `UPDATE journal SET delivery_id = NULL WHERE ${lastMessage}`,
    seen: /Lost: post_message/,
  },
  "an activity entry that is gone": {
    sql: `UPDATE journal SET room_sequence = NULL WHERE ${lastOfFeed}`,
    seen: /Half there: .* no activity entry/,
  },
  "an activity entry that says something else": {
    sql: `UPDATE journal SET at = '2020-01-01T00:00:00.000Z' WHERE ${lastOfFeed}`,
    seen: /its content does not have the digest it names/,
  },
  "a timeline entry that is gone": {
    sql: without("timeline_entries", lastEntry),
    seen: /Half there: .* no timeline entry/,
  },
  "a timeline entry that nobody sent": {
    sql: `INSERT INTO timeline_entries (entry_id, thread, sequence, kind, version_id, history_position)
      SELECT '0198f3a0-0000-7000-8000-00000000000a', thread,
        1 + (SELECT max(sequence) FROM timeline_entries t WHERE t.thread = e.thread), kind, version_id, history_position
      FROM timeline_entries e
      WHERE ${lastEntry}`,
    seen: /is of no stored write/,
  },
  "a hypothesis with another content": {
    sql: `UPDATE records
      SET content_digest = 'sha256:none'
      WHERE rowid = (SELECT max(rowid) FROM records WHERE kind = 'hypothesis')`,
    seen: /does not hold what was sent/,
  },
  "a label that was skipped": {
    sql: "UPDATE counters SET last = last + 1 WHERE kind = 'hypothesis'",
    seen: /the labels of hypothesis go from/,
  },
  "a paper that is not filed": {
    sql: without(
      "saved_papers",
      "rowid = (SELECT max(rowid) FROM saved_papers WHERE paper_id NOT IN (SELECT paper_id FROM collection_papers))",
    ),
    seen: /Lost: save_papers|Half there: of save_papers/,
  },
}

/** Without the triggers that protect accepted rows, and without foreign keys. */
function spoil(file: string, sql: string): void {
  const database = new Database(file)
  const triggers = database.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'trigger'").pluck().all()
  database
    .exec(`PRAGMA foreign_keys = OFF; ${triggers.map((name) => `DROP TRIGGER ${name};`).join(" ")} ${sql}`)
    .close()
}

test("damage to the data", async (t) => {
  await kill(service)
  for (const [what, { sql, seen }] of Object.entries(spoilt)) {
    const data = what.replaceAll(" ", "-")
    cpSync(join(ground.place.folder, good), join(ground.place.folder, data), { recursive: true })
    spoil(join(ground.place.folder, data, "research-room.db"), sql)
    const again = await ground.serve(data)
    account.problems.length = 0
    await account.lookAtAll(again.baseUrl)
    t.match(account.problems.join("\n"), seen, `${what} (seed ${seed})`)
    await kill(again)
  }
})
