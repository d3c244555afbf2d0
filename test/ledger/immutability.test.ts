/** The database itself protects accepted rows: it aborts every update or delete of them. */
import { join } from "node:path"
import tap, { test } from "tap"
import { startDemo } from "../../src/demo/demo.ts"
import { checkData } from "../../src/check/check.ts"
import { openDatabase } from "../../src/ledger/storage/opening.ts"
import { openLog } from "../../src/log.ts"

const demo = await startDemo({ host: "127.0.0.1", port: 0, kept: process.env.TOLD_DEMO, log: openLog("silent") })
tap.teardown(() => demo.close())
const { db } = demo.instance

const columnsOf = (table: string) =>
  db
    .prepare<{ name: string }>(`SELECT name FROM pragma_table_info(?)`)
    .all(table)
    .map(({ name }) => name)

/** What is accepted for good, and the columns of it that may still change. */
const kept: Readonly<Record<string, readonly string[]>> = {
  journal: [],
  places: [],
  writers: [],
  timeline_entries: ["reply_count"],
  records: [],
  record_references: [],
  concepts: [],
  experiments: [
    "assignee_id",
    "status",
    "revision",
    "question",
    "scope",
    "hypotheses",
    "suggested_protocol",
    "handoff",
    "conclusion",
    "lease_minutes",
    "lease_until",
    "updated_at",
  ],
  experiment_revisions: [],
  plans: ["opened_position"],
  attempts: ["status", "revision", "late_reports", "updated_at", "cost", "plan_match"],
  boards: [],
  attempt_events: [],
  materials: [],
  material_reports: [],
  room_materials: [],
  attempt_inputs: [],
  attempt_metrics: [],
  attempt_outputs: [],
  plan_materials: [],
  findings: [],
  finding_attempts: [],
  finding_evidence: [],
  finding_materials: [],
  finding_links: [],
  finding_verdicts: [],
  record_papers: [],
  research_links: [],
  checkpoints: [],
  people: [
    "seal",
    "password_hash",
    "is_operator",
    "disabled_at",
    "signed_in_at",
    "count_cleared_at",
    "name",
    "given_name",
    "family_name",
    "orcid",
  ],
  // The user who adopts a Room owns it.
  rooms: ["title", "question", "license", "owner_id", "state", "archived_at", "archived_by", "archive_reason"],
  credentials: ["seal", "token_start", "revoked_at", "last_used_at"],
  threads: ["selected_checkpoint_id"],
}

// shows: It is immutable.
// shows: skill: immutable
test("no column of an accepted row can be changed, and no row removed", (t) => {
  for (const [table, moving] of Object.entries(kept)) {
    const rows = db.prepare<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`).get()?.rows ?? 0
    t.ok(rows > 0, `the story has filled ${table}`)
    for (const column of columnsOf(table)) {
      const change = () => db.exec(`UPDATE ${table} SET ${column} = ${column}`)
      if (moving.includes(column)) t.doesNotThrow(change, `${table}.${column} moves`)
      else t.throws(change, /is immutable/, `${table}.${column}`)
    }
    t.throws(() => db.exec(`DELETE FROM ${table}`), /is never deleted/, `${table}: a row`)
    t.throws(
      () => db.exec(`INSERT OR REPLACE INTO ${table} SELECT * FROM ${table} LIMIT 1`),
      /is never deleted/,
      `${table}: no row is replaced`,
    )
  }
  t.strictSame(checkData(db).problems, [])
  t.end()
})

test("a file whose triggers were dropped or changed gets them back when it is opened", (t) => {
  const file = join(t.testdir(), "lost.db")
  const triggers = (kept: typeof db) =>
    kept.prepare<{ sql: string }>("SELECT sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name").all()
  const made = openDatabase(file)
  const whole = triggers(made)
  made.exec("DROP TRIGGER records_keep; DROP TRIGGER plans_stay")
  made.exec("CREATE TRIGGER plans_stay BEFORE DELETE ON plans BEGIN SELECT RAISE(ABORT, 'no'); END")
  made.exec("CREATE TRIGGER sessions_stay BEFORE DELETE ON sessions BEGIN SELECT RAISE(ABORT, 'no'); END")
  made.close()
  const again = openDatabase(file)
  t.strictSame(triggers(again), whole)
  again.close()
  t.end()
})

test("activity and timelines reject a second entry in the same place", (t) => {
  t.throws(
    () =>
      db.exec(
        `CREATE TEMP TABLE twice AS SELECT *
          FROM journal
          WHERE room_sequence = 2
          LIMIT 1; UPDATE twice
          SET position = 999999; INSERT INTO journal
          SELECT *
          FROM twice`,
      ),
    /UNIQUE/,
  )
  t.throws(
    () =>
      db.exec(
        `CREATE TEMP TABLE twin AS SELECT *
          FROM threads
          LIMIT 1; UPDATE twin
          SET thread_id = 'x'; INSERT INTO threads
          SELECT *
          FROM twin`,
      ),
    /UNIQUE/,
  )
  t.end()
})

test("foreign keys are enforced: nothing refers to a missing row", (t) => {
  t.throws(() => db.exec("INSERT INTO sessions VALUES ('digest', 'nobody', '2026', '2027')"), /FOREIGN KEY/)
  t.throws(
    () => db.exec("INSERT INTO members VALUES ('no room', (SELECT user_id FROM people LIMIT 1), 'member', '2026')"),
    /FOREIGN KEY/,
  )
  t.end()
})
