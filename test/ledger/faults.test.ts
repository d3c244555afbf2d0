import Database from "better-sqlite3"
import tap, { test } from "tap"
import { operationNamed } from "../../src/contract/operations/index.ts"
import { Refusal } from "../../src/contract/refusals.ts"
import { createInstance } from "../../src/app/compose/instance.ts"
import { checkData } from "../../src/check/check.ts"
import type { Db } from "../../src/ledger/storage/database.ts"
import { openDatabase } from "../../src/ledger/storage/opening.ts"
import { realWorld } from "../../src/ledger/world.ts"
import { action, hypothesis, message, thread } from "../support/bodies.ts"
import { openLedger, type Sent } from "../support/lab.ts"

const lab = await openLedger(tap)
/** Reads what is committed, as another process would. */
function seen<T>(look: (db: Db) => T): T {
  const db = openDatabase(lab.file)
  try {
    return look(db)
  } finally {
    db.close()
  }
}
const { grace, roomId, threadId } = lab

/** A disk that works until the n-th statement. */
const disk = { failsAt: Number.POSITIVE_INFINITY, once: true, asked: 0, failed: [] as string[] }
function ask(sql: string): void {
  disk.asked += 1
  if (disk.once ? disk.asked !== disk.failsAt : disk.asked < disk.failsAt) return
  disk.failed.push(sql)
  throw new Database.SqliteError("disk I/O error", "SQLITE_IOERR_WRITE")
}
const faulty: Db = {
  prepare<Row>(sql: string) {
    const statement = lab.db.prepare<Row>(sql)
    return {
      get: (...values) => (ask(sql), statement.get(...values)),
      one: (...values) => (ask(sql), statement.one(...values)),
      all: (...values) => (ask(sql), statement.all(...values)),
      run: (...values) => (ask(sql), statement.run(...values)),
    }
  },
  exec: (sql) => lab.db.exec(sql),
  get inTransaction() {
    return lab.db.inTransaction
  },
  snapshot: (work) => work(),
  close: () => {},
}
const { ledger } = createInstance({ db: faulty, world: realWorld(), instanceId: "the same" })

/** How a write ended: its receipt, or what its sender may conclude. */
async function outcomeOf({
  actor,
  name,
  params = {},
  body,
  rehearse = false,
}: Sent): Promise<"stored" | "replayed" | "rehearsed" | "not stored" | "uncertain"> {
  const operation = operationNamed(name)
  if (operation === undefined) throw new Error(name)
  try {
    const receipt = JSON.parse(await ledger.admit({ operation, actor, params, body, rehearse })) as {
      replayed?: true
      rehearsed?: true
    }
    return receipt.rehearsed ? "rehearsed" : receipt.replayed ? "replayed" : "stored"
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "temporarily_unavailable") throw error
    return error.details.committed === null ? "uncertain" : "not stored"
  }
}
const tables = [
  "journal",
  "places",
  "writers",
  "timeline_entries",
  "records",
  "threads",
  "counters",
  "room_heads",
  "thread_heads",
]
const everything = (db: Db) => tables.map((table) => db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all())

/** Writes of different kinds, sent in one turn: they share a transaction. */
const group = (): Sent[] => [
  { actor: grace, name: "post_message", params: { threadId }, body: message() },
  { actor: grace, name: "publish_hypothesis", body: action(hypothesis({ roomId, threadId })) },
  { actor: grace, name: "post_message", params: { threadId }, body: message("Only tried."), rehearse: true },
  { actor: grace, name: "create_thread", body: thread(roomId, { message: "To begin with." }) },
]

const runs = [
  { how: "once, writes in one transaction", once: true, together: true },
  { how: "from then on, writes in one transaction", once: false, together: true },
  { how: "once, writes one by one", once: true, together: false },
]

for (const { how, once, together } of runs) {
  // shows: Every write is admitted or refused as a whole, with its Thread receipt and activity entry.
  // shows: skill: whole
  test(`a disk that fails ${how}`, async (t) => {
    for (let failsAt = 1; ; failsAt++) {
      const sent = group()
      const before = everything(lab.db)
      Object.assign(disk, { failsAt, once, asked: 0, failed: [] })
      const outcomes = together ? await Promise.all(sent.map(outcomeOf)) : []
      if (!together) for (const each of sent) outcomes.push(await outcomeOf(each))
      const { failed } = disk
      Object.assign(disk, { failsAt: Number.POSITIVE_INFINITY })
      const what = `statement ${failsAt} (${failed[0]?.slice(0, 40)}): ${outcomes.join(", ")}`

      // Comparing every table with the journal costs as much as all writes so far, so it is done now and then and after
      // the last fault.
      const quick = failed.length > 0 && failsAt % 25 !== 0
      const { problems, rows } = seen((db) => ({
        problems: checkData(db, undefined, { quick }).problems,
        rows: everything(db),
      }))
      if (problems.length > 0) t.strictSame(problems, [], what)
      if (outcomes.every((outcome) => outcome === "not stored"))
        t.strictSame(rows, before, `${what}: nothing is stored`)
      const again = []
      for (const each of sent) again.push(await outcomeOf(each))
      for (const [index, outcome] of outcomes.entries()) {
        const wanted: readonly string[] = sent[index]?.rehearse
          ? ["rehearsed"]
          : outcome === "stored"
            ? ["replayed"]
            : outcome === "uncertain"
              ? ["stored", "replayed"]
              : ["stored"]
        if (!wanted.includes(again[index] ?? "")) t.fail(`${what}: sent again, ${again[index]}`)
      }
      if (failed.length === 0) {
        t.ok(failsAt > 40, `${failsAt - 1} places to fail at`)
        return
      }
    }
  })
}
