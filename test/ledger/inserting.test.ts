/** Rows are inserted by column name, with the types of the database. */
import { readFileSync } from "node:fs"
import { test } from "tap"
import { rowTypes } from "../../build/row-types.ts"
import { openDatabase } from "../../src/ledger/storage/opening.ts"
import { inserting, workedOut } from "../../src/ledger/storage/inserting.ts"

test("schema.d.ts matches schema.sql", (t) => {
  const kept = readFileSync(new URL("../../schema.d.ts", import.meta.url), "utf8")
  t.equal(kept, rowTypes(), "run build/row-types.ts to update it")
  t.end()
})

test("each value is stored in the column of its name, and an omitted value is null", (t) => {
  const db = openDatabase(":memory:")
  t.teardown(() => db.close())
  const insert = inserting(db, "people", { onConflict: "DO NOTHING" })
  const person = { createdAt: "2026", passwordHash: "a hash", username: "ada", isOperator: 1, userId: "u1" }
  t.equal(insert(person), 1)
  t.equal(insert(person), 0, "a conflict is handled as specified")
  t.match(db.prepare("SELECT * FROM people").get(), {
    user_id: "u1",
    username: "ada",
    password_hash: "a hash",
    is_operator: 1,
    name: null,
  })

  const next = inserting(db, "earlier_instances")
  next({ instanceId: "i1", until: "2026" })
  t.match(db.prepare("SELECT * FROM earlier_instances").get(), { position: 1, instance_id: "i1", until: "2026" })
  next({ position: 7, instanceId: "i2", until: "2027" })
  next({ instanceId: "i3", until: "2028" })
  const positions = db.prepare<{ position: number }>("SELECT position FROM earlier_instances ORDER BY position").all()
  t.strictSame(
    positions.map(({ position }) => position),
    [1, 7, 8],
    "a position may be given, and is assigned if omitted",
  )
  t.end()
})

test("a column can be computed from other columns of its row", (t) => {
  const db = openDatabase(":memory:")
  t.teardown(() => db.close())
  db.exec("PRAGMA foreign_keys = OFF")
  const insert = inserting(db, "record_papers", {
    workedOut: {
      sequence: workedOut`1 + (SELECT coalesce(max(sequence), 0) FROM record_papers WHERE arxiv_id = ${"arxivId"})`,
    },
  })
  for (const [versionId, arxivId] of [
    ["v1", "a"],
    ["v2", "a"],
    ["v3", "b"],
  ] as const)
    insert({ versionId, arxivId })
  const rows = db
    .prepare<{ version_id: string; sequence: number }>(
      "SELECT version_id, sequence FROM record_papers ORDER BY version_id",
    )
    .all()
  t.strictSame(
    rows.map((row) => [row.version_id, row.sequence]),
    [
      ["v1", 1],
      ["v2", 2],
      ["v3", 1],
    ],
  )
  t.end()
})

/** Lines that must not compile: one that did would be a type error here. */
export const mistakes = (db: ReturnType<typeof openDatabase>) => {
  const insert = inserting(db, "members")
  // @ts-expect-error a column is missing
  insert({ roomId: "r", userId: "u", role: "owner" })
  // @ts-expect-error a column is unknown
  insert({ roomId: "r", userId: "u", role: "owner", joinedAt: "2026", joined: "2026" })
  // @ts-expect-error a value is of another type
  insert({ roomId: "r", userId: 1, role: "owner", joinedAt: "2026" })
  // @ts-expect-error a word is none that the column takes
  insert({ roomId: "r", userId: "u", role: "guest", joinedAt: "2026" })
  // @ts-expect-error there is no such table
  inserting(db, "member")
}
