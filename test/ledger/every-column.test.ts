/**
 * `check` detects a change in any column of any table, except the few that this test lists with a reason. The tables
 * and columns are read from schema.sql, not listed in this test.
 */
import Database from "better-sqlite3"
import tap from "tap"
import { createHash } from "node:crypto"
import { copyFileSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { test } from "tap"
import { operationNamed, operationOf } from "../../src/contract/operations/index.ts"
import { canonicalJson } from "../../src/contract/json.ts"
import { untilClean } from "../support/clean.ts"
import { remake } from "../../src/app/compose/upgrade.ts"
import { fileOf } from "../../src/ledger/storage/database.ts"
import { compare, seals, checkData, chains } from "../../src/check/check.ts"
import { compared, correct, replayedTables, type Table, tablesOf } from "../../src/ledger/storage/tables.ts"
import { Readable } from "node:stream"
import { takeLog } from "../../src/attachments/log.ts"
import { startDemo } from "../../src/demo/demo.ts"
import { renewInstance, openReadConnection, openDatabase } from "../../src/ledger/storage/opening.ts"
import { differences } from "../../src/ledger/replay/replay.ts"
import { journal } from "../../src/ledger/journal/journal.ts"
import { columnsNotReplayed, notReplayed } from "../../src/ledger/storage/not-replayed.ts"
import { isoTime } from "../../src/ledger/world.ts"
import { connections } from "../../src/people/accounts.ts"
import type { Person } from "../../src/people/people.ts"
import { openLog } from "../../src/log.ts"
import { png } from "../support/pictures.ts"
import { temporaryFolder } from "../support/service.ts"

const folder = temporaryFolder()
tap.teardown(() => rmSync(folder, { recursive: true, force: true }))
const file = join(folder, "whole.db")

/** What `check` cannot detect, and why. .github/operation.md says the same. */
const untold: Readonly<Record<string, string>> = {
  sessions: "a signed-in browser comes and goes: its rows hold the digest of a secret and times of sign-in",
}

/** Tables without rows in this data. */
const withoutRows: readonly string[] = ["moved_effects", "search_changes", "wiping", "withheld_quotes"]

const demo = await startDemo({ host: "127.0.0.1", port: 0, kept: process.env.TOLD_DEMO, log: openLog("silent") })
const { db: live, ledger, accounts, world, tables } = demo.instance
const person = (username: string) => ({ ...(tables.people.named(username) as Person), grant: null })
/** Columns that the demo's story does not fill. */
const does = (by: string, name: string, params: Record<string, string>, said: object) => {
  const operation = operationNamed(name)
  if (operation === undefined) throw new Error(`${name} is no operation`)
  const body = { schemaVersion: operation.schemaVersion, [operation.delivery]: world.id(), ...said }
  return ledger.admit({ operation, actor: person(by), params, body })
}
const [link] = live
  .prepare<{ linkId: string; username: string }>(
    `SELECT l.link_id AS linkId, p.username
      FROM research_links l
      JOIN people p ON p.user_id = l.author_id
      JOIN rooms r USING (room_id)
      WHERE r.state = 'active'`,
  )
  .all()
const newcomer = await accounts.add("zoe", "a long password")
await accounts.invite(newcomer, {}, () => true)
await does("zoe", "request_to_join", { roomId: demo.rooms.main.roomId }, { message: "May I?" })
await does(
  "ada",
  "withhold_content",
  { roomId: demo.rooms.empty.roomId },
  { of: { sequence: 1 }, fields: ["/title"], reason: "other", explanation: "A trial." },
)
const [filed] = live
  .prepare<{ arxivId: string; username: string }>(
    "SELECT s.paper_id AS arxivId, p.username FROM saved_papers s JOIN people p USING (user_id)",
  )
  .all()
await does(
  filed?.username ?? "",
  "set_reading_position",
  {},
  { arxivId: filed?.arxivId, page: 2, pages: 9, offset: 500 },
)
await does(filed?.username ?? "", "tag_papers", {}, { arxivIds: [filed?.arxivId], tags: ["to read"] })
await does(
  filed?.username ?? "",
  "import_papers",
  {},
  { text: "@misc{a, title={Both}, doi={10.1000/both}, eprint={2401.09998}}" },
)
const [dispute] = live
  .prepare<{ threadId: string; entryId: string; username: string }>(
    `SELECT l.thread_id AS threadId, l.entry_id AS entryId, p.username
      FROM research_links l
      JOIN people p ON p.user_id = l.target_author_id
     WHERE l.kind = 'disputes' ORDER BY l.link_id DESC`,
  )
  .all()
const { threadId = "", entryId, username = "" } = dispute ?? {}
await does(username, "post_message", { threadId }, { text: "It was the seed.", replyToEntryId: entryId })
const picture = {
  digest: `sha256:${"5".repeat(64)}`,
  mediaType: "image/png",
  width: 12,
  height: 8,
  bytes: png(),
} as const
await ledger.transact(() => tables.attachments.keep(picture, "ada", isoTime(world.now())))
await does(
  username,
  "post_message",
  { threadId },
  { text: "As drawn.", figures: [{ digest: picture.digest, alt: "A field." }] },
)
const [ended] = live
  .prepare<{ attemptId: string; expectedRevision: number; expectedStatus: string; username: string }>(
    `SELECT a.attempt_id AS attemptId, a.revision AS expectedRevision, a.status AS expectedStatus, p.username
     FROM attempts a JOIN people p ON p.user_id = a.registrant_id JOIN rooms r USING (room_id)
     WHERE a.status = 'succeeded' AND r.state = 'active'`,
  )
  .all()
// Long enough to have parts.
const digits = Array.from({ length: 20_000 }, (_, n) => createHash("sha256").update(`${n}`).digest("hex"))
const log = await takeLog(Readable.from([Buffer.from(`${digits.join("\n")}\nIt ended well.\n`)]))
await ledger.transact(() => tables.attachments.keepLog(log, "ada", isoTime(world.now())))
const { username: registrant = "", ...named } = ended ?? {}
const event = { ...named, event: "progress", late: true, reportedAt: isoTime(world.now()), log: { digest: log.digest } }
await does(registrant, "report_attempt_event", {}, event)
await does(
  link?.username ?? "",
  "withdraw_link",
  {},
  { linkId: link?.linkId, explanation: "It was about another run." },
)
const { experimentId } = live
  .prepare<{ experimentId: string }>(
    `SELECT experiment_id AS experimentId
      FROM experiments
      JOIN rooms r USING (room_id)
      WHERE e.status = 'open' AND r.state = 'active'`.replace("experiments", "experiments e"),
  )
  .one()
await does("ada", "claim_work", {}, { object: experimentId, what: "run", minutes: 30 })
const conclusion = live
  .prepare<{ target: string; author: string }>(
    `SELECT c.checkpoint_id AS target, p.username AS author
      FROM checkpoints c
      JOIN people p ON p.user_id = c.author_id
      JOIN rooms r USING (room_id)
      WHERE r.state = 'active'
      LIMIT 1`,
  )
  .one()
const said = { target: conclusion.target, verdict: "objects", checked: ["data"], explanation: "One seed is missing." }
await does(conclusion.author === "ada" ? "grace" : "ada", "submit_review", {}, said)
await ledger.transact(() =>
  demo.instance.importing.import_room(null, {
    roomId: world.id(),
    instanceId: world.id(),
    baseUrl: "http://elsewhere.example",
    softwareVersion: "0.1.0",
    people: [{ userId: world.id(), username: "zoe" }],
  }),
)
// A Room of another instance, known only by its first write, and adopted.
const roomId = world.id()
const from = { instanceId: world.id(), baseUrl: "http://elsewhere.example", softwareVersion: "0.1.0" }
const stranger = { userId: world.id(), username: "yan" }
await ledger.transact(() => {
  demo.instance.importing.import_room(null, { roomId, ...from, people: [stranger] })
  const content = canonicalJson({ schemaVersion: 3, requestId: world.id(), title: "From elsewhere" })
  const given = { ids: [world.id(), roomId, world.id()] }
  const write = {
    operation: "create_room",
    at: new Date(world.now()).toISOString(),
    params: {},
    content,
    client: undefined,
    given,
  }
  ledger.replaying.received({ ...stranger, ...write }, roomId)
  ledger.replaying.settle()
})
const adopted = operationOf("adopt_room")
const { instanceId, baseUrl } = from
await ledger.admit({
  operation: adopted,
  actor: person("zoe"),
  params: { roomId },
  body: {
    schemaVersion: adopted.schemaVersion,
    requestId: world.id(),
    origin: { instanceId, baseUrl, throughSequence: 1 },
  },
})
await ledger.transact(() => {
  const webhookId = world.id()
  tables.webhooks.add(
    { webhookId, roomId, url: "https://example.com/", secret: "whsec_", delivered: 1 },
    newcomer.userId,
    isoTime(world.now()),
  )
  tables.webhooks.resend(webhookId, 1)
  const failure = { sequence: 2, at: isoTime(world.now()), isDelivered: false, outcome: "500", milliseconds: 1 }
  tables.webhooks.note(
    webhookId,
    { delivered: 1, failingSince: failure.at, offBecause: "Off.", deliveries: [failure] },
    2,
  )
  tables.library.metadata.recordMisses(["2999.99999"], isoTime(world.now()))
  connections(live).connect(
    newcomer.userId,
    { issuer: "https://provider.example", subject: "zoe" },
    isoTime(world.now()),
  )
  renewInstance(live)
  tables.audit.write({ kind: "restore_backup" })
})
await untilClean(fileOf(live))
await demo.instance.indexed()
live.prepare("VACUUM INTO ?").run(file)
await demo.close()

const data = openDatabase(file)
const made = remake(journal(data).entries(), join(folder, "made.db"))
tap.teardown(() => {
  data.close()
  made.close()
})

/** Turns off everything that protects rows: a forger has the file, not the program. */
function lawless(): Database.Database {
  const copy = join(folder, "forged.db")
  rmSync(copy, { force: true })
  copyFileSync(file, copy)
  const forger = new Database(copy)
  forger.pragma("foreign_keys = OFF")
  forger.pragma("ignore_check_constraints = ON")
  const triggers = forger.prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all()
  for (const { name } of triggers) forger.exec(`DROP TRIGGER ${name}`)
  return forger
}

/** Another value of the same type. */
const otherwise = (column: string, type: string): string =>
  type === "INTEGER"
    ? `coalesce(${column}, 0) + 1000003`
    : type === "BLOB"
      ? "zeroblob(32)"
      : `coalesce(${column}, '') || 'x'`

const told = (work: (add: (problem: string) => void) => void): string[] => {
  const problems: string[] = []
  work((problem) => problems.push(problem))
  return problems
}

test("rows that differ from a replay are found a few at a time, and it is said whether there are more", (t) => {
  const forger = lawless()
  forger.exec("UPDATE threads SET title = title || 'x' WHERE thread_id IN (SELECT thread_id FROM threads LIMIT 3)")
  forger.close()
  using forged = openReadConnection(forger.name)
  const found = [2, 3].map((most) => differences(forged, made, most))
  t.match(found, [
    { rows: { length: 2 }, isAll: false },
    { rows: { length: 3 }, isAll: true },
  ])
  t.ok(found.every(({ rows }) => rows.every(({ table, which }) => table === "threads" && which === "unlike")))
  t.end()
})

test("the data of this test is whole, and has rows in every table except those listed", (t) => {
  t.strictSame(checkData(data).problems, [])
  t.ok(
    data.prepare("SELECT 1 FROM audit_entries WHERE name_digest IS NOT NULL").get(),
    "a name was removed from the audit log",
  )
  t.strictSame(
    told((add) => compare(data, made, add, () => {})),
    [],
  )
  t.end()
})

test(
  "a changed column of any table is reported: for rows made by writes by table and column, for other rows by the " +
    "row",
  (t) => {
    const forger = lawless()
    t.teardown(() => forger.close())
    const empty: string[] = []
    let changed = 0
    const isMade = new Set(replayedTables(made).map(({ name }) => name))
    for (const table of tablesOf(data).filter(({ name }) => name !== "history" && untold[name] === undefined)) {
      const types = new Map(
        (forger.pragma(`table_info(${table.name})`) as { name: string; type: string }[]).map(({ name, type }) => [
          name,
          type,
        ]),
      )
      const [row] = forger.prepare<[], object>(`SELECT * FROM ${table.name} LIMIT 1`).all()
      if (row === undefined) {
        empty.push(table.name)
        continue
      }
      const where = `(${table.key.join(", ")}) = (SELECT ${table.key.join(", ")} FROM ${table.name} LIMIT 1)`
      for (const column of table.columns) {
        const isCompared = isMade.has(table.name) && compared(table).includes(column)
        forger.exec("SAVEPOINT crime")
        forger.exec(`UPDATE ${table.name} SET ${column} = ${otherwise(column, types.get(column) ?? "")} WHERE ${where}`)
        forger.exec("RELEASE crime")
        const problems = told((add) => (isCompared ? compareOne(table, add) : sealsOf(add)))
        t.ok(
          problems.some(
            (problem) => problem.includes(table.name) && (!isCompared || new RegExp(`\\b${column}\\b`).test(problem)),
          ),
          `${table.name}.${column}`,
          { problems },
        )
        changed += 1
        restore(table)
      }
    }
    t.ok(changed > 500, `${changed} columns were changed`)
    t.strictSame(empty, [...withoutRows], "every other table had a row to change")
    t.end()

    function compareOne(table: Table, add: (problem: string) => void): void {
      const view = openReadConnection(join(folder, "forged.db"))
      compare(view, made, add, () => {}, [table])
      view.close()
    }
    function sealsOf(add: (problem: string) => void): void {
      const view = openReadConnection(join(folder, "forged.db"))
      seals(view, add)
      view.close()
    }
    function restore({ name, columns }: Table): void {
      forger.exec(`DELETE FROM ${name}`)
      forger.exec(`ATTACH '${file}' AS whole`)
      forger.exec(`INSERT INTO ${name} (${columns.join(", ")}) SELECT ${columns.join(", ")} FROM whole.${name}`)
      forger.exec("DETACH whole")
    }
  },
)

/** What a replay reads before it can make anything: another one reads what is left of these. */
const read: readonly string[] = ["journal", "writers", "places"]

test("deleted rows of any table are reported: the first, one in the middle, the last, and all", (t) => {
  const isMade = new Set(replayedTables(made).map(({ name }) => name))
  let deleted = 0
  for (const table of tablesOf(data)) {
    const keys = table.key.join(", ")
    const { rows } = data.prepare<{ rows: number }>(`SELECT count(*) AS rows FROM ${table.name}`).one()
    const nth = (offset: number) =>
      `WHERE (${keys}) = (SELECT ${keys} FROM ${table.name} ORDER BY ${keys} LIMIT 1 OFFSET ${offset})`
    const places = new Map([
      [0, "first"],
      [Math.floor(rows / 2), "middle"],
      [rows - 1, "last"],
    ])
    if (rows === 0) continue
    for (const [which, where] of [...[...places].map(([offset, which]) => [which, nth(offset)]), ["all", ""]]) {
      const forger = lawless()
      forger.exec(`DELETE FROM ${table.name} ${where}`)
      forger.close()
      const view = openReadConnection(join(folder, "forged.db"))
      const problems = read.includes(table.name)
        ? checkData(view).problems
        : told((add) => (isMade.has(table.name) ? compare(view, made, add, () => {}, [table]) : seals(view, add)))
      t.ok(
        problems.some((problem) => problem.includes(table.name) || read.includes(table.name)),
        `${which} of ${table.name}`,
        { problems },
      )
      view.close()
      deleted += 1
    }
  }
  t.ok(deleted > 200, `${deleted} deletions`)
  t.end()
})

test("a row to which others refer is missed from both sides", (t) => {
  for (const [sql, sentence] of [
    [
      "DELETE FROM attachments; DELETE FROM row_counts WHERE name = 'attachments'",
      /^attachments lacks a picture or a log that a write uses/,
    ],
    [
      "DELETE FROM papers; DELETE FROM row_counts WHERE name = 'papers'",
      /^papers lacks a paper that saved_papers says/,
    ],
  ] as const) {
    const forger = lawless()
    forger.exec(sql)
    forger.close()
    const view = openReadConnection(join(folder, "forged.db"))
    t.ok(
      checkData(view, undefined, { quick: true }).problems.some((problem) => sentence.test(problem)),
      sql,
    )
    view.close()
  }
  t.end()
})

/** What the chain of digests does not cover. A replay detects it, as the test above shows. */
const left = new Set(
  (
    "room room_sequence thread entry_sequence delivery_id target_kind target_id label about_id result card " +
    "activity_digest"
  ).split(" "),
)

test("a change in an accepted write is reported with its position", (t) => {
  const [table] = tablesOf(data).filter(({ name }) => name === "journal") as [Table]
  for (const column of table.columns.filter((name) => !left.has(name))) {
    const forger = lawless()
    const row = column === "position" ? "(SELECT max(position) FROM journal)" : "9"
    const type =
      (forger.pragma("table_info(journal)") as { name: string; type: string }[]).find(({ name }) => name === column)
        ?.type ?? ""
    const forged = ["params", "client", "given"].includes(column) ? `'{"ids":["x"]}'` : otherwise(column, type)
    forger.exec(`UPDATE journal SET ${column} = ${forged} WHERE position = ${row}`)
    forger.close()
    const view = openDatabase(join(folder, "forged.db"))
    const problems = told((add) => chains(view, add, () => {}))
    view.close()
    t.ok(
      problems.some((problem) => /^The chain of digests of the journal is broken at entry \d+/.test(problem)),
      column,
      { problems },
    )
  }
  t.end()
})

test("a line of the audit log that was deleted or inserted is reported", (t) => {
  const crimes: readonly [string, RegExp][] = [
    [
      `UPDATE row_counts
        SET rows = rows - 1
        WHERE name = 'audit_entries'; DELETE FROM audit_entries
        WHERE sequence = 2`,
      /^The chain of the audit log is broken at line 2 /,
    ],
    [
      `UPDATE row_counts
        SET rows = rows + 1
        WHERE name = 'audit_entries'; INSERT INTO audit_entries
        SELECT sequence + 1, at, kind, by_id, subject_id, body, NULL, digest
        FROM audit_entries
        ORDER BY sequence DESC
        LIMIT 1`,
      /^The chain of the audit log is broken at line \d+ /,
    ],
    ["UPDATE audit_entries SET body = 'gone' WHERE sequence = 3", /^The chain of the audit log is broken at line 3 /],
  ]
  for (const [sql, sentence] of crimes) {
    const forger = lawless()
    forger.exec(sql)
    forger.close()
    const view = openReadConnection(join(folder, "forged.db"))
    t.match(
      told((add) => seals(view, add)),
      [sentence],
      sql,
    )
    view.close()
  }
  t.end()
})

test("rows that a replay corrects keep what it does not make, under a new seal", (t) => {
  const forger = lawless()
  forger.exec("UPDATE credentials SET label = label || 'x', seal = NULL; UPDATE personal_keys SET label = 'mine'")
  forger.close()
  const forged = openDatabase(forger.name)
  t.teardown(() => forged.close())
  const used = () => forged.prepare("SELECT credential_id, last_used_at, token_start FROM credentials").all()
  const before = used()
  t.not(told((add) => seals(forged, add)).length, 0)
  forged.exec("BEGIN IMMEDIATE; PRAGMA defer_foreign_keys = ON")
  const triggers = forged.prepare<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all()
  for (const { name } of triggers) forged.exec(`DROP TRIGGER ${name}`)
  correct(forged, made)
  forged.exec("COMMIT")
  t.strictSame(
    told((add) => compare(forged, made, add, () => {}, replayedTables(made))),
    [],
  )
  t.strictSame(
    told((add) => seals(forged, add)),
    [],
  )
  t.strictSame(used(), before)
  t.end()
})

test("an emptied table is reported, and so is a row that no write made", (t) => {
  const forger = lawless()
  forger.exec("DELETE FROM standings; DELETE FROM finding_attempts")
  forger.exec(
    `INSERT INTO members
      SELECT room_id, (SELECT max(user_id) FROM people), 'member', joined_at
      FROM members
      WHERE role = 'owner'
      ON CONFLICT DO NOTHING`,
  )
  forger.close()
  const view = openDatabase(join(folder, "forged.db"))
  t.teardown(() => view.close())
  const { problems } = checkData(view)
  for (const table of ["standings", "finding_attempts"])
    t.ok(
      problems.some(
        (problem) =>
          problem.startsWith(`${table} (`) && problem.endsWith("is missing, but a replay of the journal makes it."),
      ),
      table,
    )
  t.ok(
    problems.some(
      (problem) =>
        problem.startsWith("members (") &&
        problem.endsWith("is in the data, but a replay of the journal does not make it."),
    ),
  )
  t.end()
})

test("a dropped trigger, a changed index and an added table are reported, even without a replay", (t) => {
  const forger = lawless()
  forger.exec(
    "DROP INDEX members_of; CREATE INDEX members_of ON members (role); CREATE TABLE notes_of_mine (text TEXT)",
  )
  forger.close()
  const view = openDatabase(join(folder, "forged.db"))
  t.teardown(() => view.close())
  const { problems, isReplayed } = checkData(view, undefined, { quick: true })
  t.notOk(isReplayed)
  t.match(problems.join("\n"), /^The index members_of differs from the one that this version makes\.$/m)
  t.match(problems.join("\n"), /^The table notes_of_mine does not belong to this version\.$/m)
  t.match(problems.join("\n"), /^The trigger messages_indexed is missing\.$/m)
  t.match(problems.join("\n"), /^The trigger journal_keep was missing or different when the data was opened\.$/m)
  t.end()
})

test("each thing that no write makes exists, and has its reason", (t) => {
  const tables = new Map(tablesOf(data).map((table) => [table.name, table]))
  for (const { table, columns, why } of notReplayed) {
    t.ok(tables.has(table), table)
    for (const column of columns ?? []) t.ok(tables.get(table)?.columns.includes(column), `${table}.${column}`)
    t.ok(why.length > 20, why)
    t.strictSame([...columnsNotReplayed(table)], columns === null ? [] : [...columns, "seal"])
  }
  t.end()
})

test("the page for operators names what is not detected, and nothing else", (t) => {
  const page = readFileSync(join(import.meta.dirname, "../../.github/operation.md"), "utf8")
  const [, list = ""] = /of any table, except these:\n\n((?:[- ] .*\n)+)/.exec(page) ?? []
  const named = [...list.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name)
  t.match(list, "the columns that come from papers")
  const ofPeople = notReplayed.filter(({ table }) => !table.endsWith("_papers"))
  const columns = [...new Set(ofPeople.flatMap((each) => each.columns ?? []))]
  const tables = named.filter((name) => !columns.includes(name))
  t.strictSame(named.filter((name) => !tables.includes(name)).toSorted(), columns.toSorted())
  t.strictSame(
    tables.filter((name) => notReplayed.every(({ table, columns: some }) => table !== name || some !== null)),
    [],
    "every other name is a table that no write makes",
  )
  t.end()
})
