import tap, { test } from "tap"
import type { Db, Statement } from "../../src/ledger/storage/database.ts"
import { isoTime } from "../../src/ledger/world.ts"
import { message } from "../support/bodies.ts"
import { openLedger } from "../support/lab.ts"

const lab = await openLedger(tap)
const { roomId, threadId, ada } = lab
const post = (text: string) =>
  lab.admit({ actor: ada, name: "post_message", params: { threadId }, body: message(text) })

/** A second connection to the lab's data, which reports each statement that it runs. */
function watching(told: (within: boolean) => void): Db {
  const db = lab.connection()
  const tell = <A extends unknown[], B>(call: (...values: A) => B) => {
    return (...values: A) => {
      told(db.inTransaction)
      return call(...values)
    }
  }
  return {
    prepare<Row>(sql: string) {
      const { get, one, all, run } = db.prepare<Row>(sql)
      return { get: tell(get), one: tell(one), all: tell(all), run } satisfies Statement<Row>
    },
    exec: (sql) => db.exec(sql),
    get inTransaction() {
      return db.inTransaction
    },
    snapshot: (work) => db.snapshot(work),
    close: () => db.close(),
  }
}
let told: (within: boolean) => void = () => {}
const { ask, ledger } = lab.beside(watching((within) => told(within)))

for (const [how, wait] of [
  ["at once", 0],
  ["after a wait", 1],
] as const) {
  test(`what is written while a feed is read, ${how}, is not missed`, async (t) => {
    const read = async (from: number, wait: number) =>
      (await ask("room_activity", { params: { roomId }, query: { after: from, wait }, actor: null })) as {
        readonly items: readonly unknown[]
        readonly nextCursor: number
      }
    await post("One.")
    let statements = 0
    // A write comes before each statement of such a read in turn.
    for (let chosen = 1; chosen <= Math.max(1, statements); chosen += 1) {
      const after = ledger.activity.watermark(roomId)
      statements = 0
      told = () => {
        statements += 1
        if (statements === chosen) land(after + 1)
      }
      const first = await read(after, wait)
      told = () => {}
      const next = await read(Number(first.nextCursor), 0)
      t.equal(
        first.items.length + next.items.length,
        statements < chosen ? 0 : 1,
        `what lands before statement ${chosen} comes with this page or the next`,
      )
    }
    t.ok(statements > 3, "a read is several statements")
  })
}

/** An entry as another thread would write it. */
function land(sequence: number): void {
  lab.db.exec("BEGIN IMMEDIATE")
  lab.db
    .prepare(
      `INSERT INTO journal (position, operation, writer, at, room, room_sequence, content, target_kind, target_id,
        content_digest, activity_digest, digest)
       SELECT 1 + max(position), 'post_message', writer, at, (SELECT place FROM places WHERE id = ?), ?, '{}',
          'message', '', zeroblob(32), zeroblob(32), zeroblob(32) FROM journal`,
    )
    .run(roomId, sequence)
  lab.db
    .prepare("UPDATE room_heads SET activity_sequence = ?, last_activity_at = ? WHERE room_id = ?")
    .run(sequence, isoTime(lab.clock.read()), roomId)
  lab.db.exec("COMMIT")
}
