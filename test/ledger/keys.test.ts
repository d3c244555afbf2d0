/** Numbers of Rooms, Threads and writers are cached, but never one that was rolled back. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { test } from "tap"
import { keys } from "../../src/ledger/journal/columns.ts"
import type { Db, Value } from "../../src/ledger/storage/database.ts"
import { openDatabase } from "../../src/ledger/storage/opening.ts"
import { temporaryFolder } from "../support/service.ts"

test("a rolled-back number is given to the next name, and each name keeps its committed number", (t) => {
  const folder = temporaryFolder()
  const file = join(folder, "research-room.db")
  const first = openDatabase(file)
  const beside = openDatabase(file)
  t.teardown(() => {
    for (const db of [first, beside]) db.close()
    rmSync(folder, { recursive: true })
  })
  const [one, other] = [keys(beside), keys(beside)]
  beside.exec("BEGIN")
  const lost = one.place("room a")
  t.equal(other.place("room a"), lost, "within the transaction it is found")
  beside.exec("ROLLBACK; BEGIN")
  t.equal(other.place("room b"), lost)
  const kept = one.place("room a")
  t.not(kept, lost)
  beside.exec("COMMIT")
  const numbers = () =>
    first.prepare<{ id: string; place: number }>("SELECT id, place FROM places ORDER BY place").all()
  t.strictSame(numbers(), [
    { id: "room b", place: lost },
    { id: "room a", place: kept },
  ])
  const there = keys(first)
  t.equal(there.place("room a"), kept, "another connection finds it")
  t.equal(there.place("room a"), kept, "and caches it")
  const person = { userId: "u", username: "ada", sender: null, agent: "" }
  const number = there.writer(person)
  t.equal(there.writer(person), number)
  t.equal(keys(beside).writer(person), number)
  t.not(keys(beside).writer({ ...person, agent: undefined }), number, "another agent is another writer")
  t.end()
})

test("a name from a committed write is looked up once more, and then cached", (t) => {
  const folder = temporaryFolder()
  const db = openDatabase(join(folder, "research-room.db"))
  t.teardown(() => {
    db.close()
    rmSync(folder, { recursive: true })
  })
  let lookUps = 0
  const watched: Db = {
    exec: (sql) => db.exec(sql),
    inTransaction: false,
    snapshot: (work) => db.snapshot(work),
    close: () => db.close(),
    prepare: <Row>(sql: string) => {
      const statement = db.prepare<Row>(sql)
      return {
        ...statement,
        get: (...values: Value[]) => (/FROM places/.test(sql) ? (lookUps += 1) : 0, statement.get(...values)),
      }
    },
  }
  const numbers = keys(watched)
  db.exec("BEGIN")
  const number = numbers.place("room a")
  db.exec("COMMIT")
  numbers.committed()
  lookUps = 0
  for (let write = 0; write < 3; write += 1) t.equal(numbers.place("room a"), number)
  t.equal(lookUps, 1)
  t.end()
})
