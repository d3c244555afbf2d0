/**
 * Checks a whole database: the file itself, its tables and triggers, every chain of digests, and every row of every
 * table against a replay of the journal. Rows are read a page at a time, so memory does not grow with the data. A mark
 * outside of the data shows whether they were rewritten as a whole.
 */
import { mkdtempDisposableSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as v from "valibot"
import { type Db, isStorageFault, type Value } from "../ledger/storage/database.ts"
import { journal } from "../ledger/journal/journal.ts"
import { type OnProgress, Divergence } from "../ledger/replay/replay.ts"
import { countedTables, passingTables, sealedTables } from "../ledger/storage/not-replayed.ts"
import { isUnclean } from "../ledger/storage/clearing.ts"
import { tablesOf, structure, differing, replayedTables, type Row, type Table } from "../ledger/storage/tables.ts"
import { brokenAuditLine, auditDigest, auditHead } from "../people/audit.ts"
import { remake } from "../app/compose/upgrade.ts"
import { DataError, whoseData } from "../ledger/storage/opening.ts"
import { indexing } from "../research/search/indexing.ts"
import { messageOf, codeOf } from "../contract/refusals.ts"
import { type ActivityEntry, entryDigest, firstPreviousDigest } from "../contract/reads/activity.ts"
import { digestOf } from "../contract/json.ts"
import { holdsMark } from "../contract/nouns/withholding.ts"
import { activity } from "../ledger/journal/activity.ts"

// Verifies the chains of digests: of each Room's activity, with the contents of its writes, and of the journal.

/** How many rows are in memory at once. */
const STEP = 500

const parsed = <T>(text: string): T | undefined => {
  try {
    return JSON.parse(text) as T
  } catch {
    return undefined
  }
}

/** Names the object of a write in a problem. */
const nameOf = ({ target }: Pick<ActivityEntry, "target">): string =>
  `${target.kind} ${target.label === null ? target.id : `${target.label} (${target.id})`}`

interface Head {
  readonly room_id: string
  readonly activity_sequence: number
  readonly activity_digest: string
}

const headsOf = (db: Db): Head[] =>
  db.prepare<Head>("SELECT room_id, activity_sequence, activity_digest FROM room_heads ORDER BY room_id").all()

/** Reads every Room's activity from its first entry to its head, and the journal. */
export function chains(db: Db, add: (problem: string) => void, onEntries: (entries: number) => void) {
  const heads = headsOf(db)
  const feed = activity(db)
  const kept = journal(db)
  /** Entries whose bodies no digest proves because parts of them were withheld. */
  const unproved: { roomId: string; sequence: number }[] = []
  let all = 0

  /** Verifies one Room's chain to its end, or to the first fault. */
  function chain({ room_id: roomId, activity_sequence: last, activity_digest: lastDigest }: Head): void {
    let previous = firstPreviousDigest
    let entries = 0
    for (
      let rows = feed.fullAfter(roomId, 0, undefined, STEP);
      rows.length > 0;
      rows = feed.fullAfter(roomId, entries, undefined, STEP)
    ) {
      for (const { sequence, body, content, isWithheld } of rows) {
        const entry = parsed<ActivityEntry>(body)
        const due = entries + 1
        if (
          entry === undefined ||
          sequence !== due ||
          entry.sequence !== due ||
          entry.previousDigest !== previous ||
          entryDigest(entry) !== entry.digest
        ) {
          add(`The chain of digests of the activity of Room ${roomId} is broken at entry ${due}.`)
          return
        }
        entries = due
        all += 1
        previous = entry.digest
        if (digestOf(content) !== entry.contentDigest) {
          if (isWithheld && holdsMark(content)) unproved.push({ roomId, sequence })
          else add(`The content of ${nameOf(entry)} is not what was accepted.`)
        }
      }
      onEntries(all)
    }
    if (entries !== last || previous !== lastDigest)
      add(`The activity of Room ${roomId} ends at entry ${entries}; its head says ${last}.`)
  }

  heads.forEach(chain)
  const broken = kept.broken()
  if (broken !== null) add(`The chain of digests of the journal is broken at entry ${broken}.`)
  const records = db.prepare<{ records: number }>("SELECT count(*) AS records FROM records").get()?.records ?? 0
  return { rooms: heads.length, activityEntries: all, records, unproved }
}

// Replays the journal into a temporary database, and compares the tables row by row, a page at a time.

/** Reports every difference between the data and a replay in the system's temporary folder. */
export function replayed(
  data: Db,
  add: (problem: string) => void,
  onProgress: (done: number, what: string) => void,
): void {
  using folder = mkdtempDisposableSync(join(tmpdir(), "research-room-replay-"))
  try {
    let done = 0
    const watching = {
      onProgress(entries: number) {
        done = entries
        onProgress(entries, "history")
      },
    }
    // Texts are indexed soon after they are accepted: a text that is not indexed yet is not a fault.
    using made = remake(journal(data).entries(), join(folder.path, "replay.db"), watching, indexing(data).done())
    compare(data, made, add, (table) => onProgress(done, table))
  } catch (error) {
    // A full disk says nothing about the data.
    if (isStorageFault(error))
      throw new DataError(
        `The journal could not be replayed in ${folder.path} (${messageOf(error)}). ` +
          "Free some space there, or check with --quick.",
      )
    if (!(error instanceof Divergence)) throw error
    add(`${error.message}. Later entries were not compared.`)
  }
}

/** The word indexes, each with the name of a temporary table of its words: they are compared word by word. */
const indexes = {
  search_index: "search_words",
  concept_trigrams: "concept_letters",
  room_trigrams: "room_letters",
} as const
const words: readonly Table[] = [
  ...Object.values(indexes).map((name) => ({ name, columns: ["term", "doc", "cnt"], key: ["term"] })),
  { name: "search_index_docsize", columns: ["id", "sz"], key: ["id"] },
]
function openWords(db: Db): void {
  for (const [index, name] of Object.entries(indexes))
    db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.${name} USING fts5vocab ('main', '${index}', 'row')`)
}

/**
 * Reports every row of the data that differs from a replay of the journal.
 * @param onTable called before each table is compared
 * @param tables defaults to all tables and word indexes
 */
export function compare(
  data: Db,
  made: Db,
  add: (problem: string) => void,
  onTable: (name: string) => void,
  tables: readonly Table[] = [...replayedTables(made), ...words],
): void {
  for (const db of [data, made]) openWords(db)
  for (const table of tables) {
    onTable(table.name)
    const named = (row: Row) =>
      `${table.name} (${table.key.map((column) => `${column} ${shown(row[column])}`).join(", ")})`
    for (const found of differing(data, made, table)) {
      if (found.which === "only_here")
        add(`${named(found.here)} is in the data, but a replay of the journal does not make it.`)
      else if (found.which === "only_due") add(`${named(found.due)} is missing, but a replay of the journal makes it.`)
      else {
        const { here, columns } = found
        add(
          `${named(here)}: ${columns.join(", ")} ${columns.length === 1 ? "differs" : "differ"} ` +
            "from a replay of the journal.",
        )
      }
    }
  }
}

const shown = (value: Value = null): string =>
  typeof value === "string" && value.length > 60 ? `${value.slice(0, 60)}…` : String(value)

export interface CheckReport extends ReturnType<typeof chains> {
  /** Whether the journal was replayed and every row compared. */
  readonly isReplayed: boolean
  /** A sentence for each problem; empty if there is none. */
  readonly problems: readonly string[]
}

/** The most problems to list; further ones are counted. */
const MOST_PROBLEMS = 1_000

/** Reads the whole database and reports what is wrong with it. @param quick skips the replay */
export function checkData(db: Db, onProgress: OnProgress = () => {}, { quick = false } = {}): CheckReport {
  return db.snapshot(() => {
    const problems: string[] = []
    let more = 0
    const add = (problem: string) => {
      if (problems.length < MOST_PROBLEMS) problems.push(problem)
      else more += 1
    }
    const entries =
      db.prepare<{ rows: number }>("SELECT coalesce(sum(activity_sequence), 0) AS rows FROM room_heads").get()?.rows ??
      0
    const written = journal(db).count()
    // Steps that report no progress count as a share of the rows.
    const part = Math.max(1, Math.ceil((entries + written) / 4))
    const total = part + entries + (quick ? 0 : written + part)
    onProgress(0, total, "file")
    fileItself(db, add)
    structure(db, add)
    seals(db, add)
    references(db, add)
    onProgress(part, total, "activity")
    if (!isReadable(db, add)) {
      const found = { rooms: 0, activityEntries: 0, records: 0, unproved: [] }
      return { ...found, isReplayed: false, problems }
    }
    const found = chains(db, add, (done) => onProgress(Math.min(part + done, total), total, "activity"))
    if (!quick) replayed(db, add, (done, what) => onProgress(Math.min(part + entries + done, total), total, what))
    onProgress(total, total, "done")
    if (more > 0) problems.push(`There are ${more} more problems.`)
    return { ...found, isReplayed: !quick, problems }
  })
}

/** SQLite's integrity check, and references to missing rows. */
function fileItself(db: Db, add: (problem: string) => void): void {
  // SQLite stops after a hundred faults.
  for (const { integrity_check: line } of db.prepare<{ integrity_check: string }>("PRAGMA integrity_check").all())
    if (line !== "ok") add(`SQLite reports: ${line}.`)
  const foreign = db.prepare<{ table: string; rows: number }>(
    'SELECT "table", count(*) AS rows FROM pragma_foreign_key_check GROUP BY "table"',
  )
  for (const { table, rows } of foreign.all())
    add(rows === 1 ? `A row of ${table} refers to a missing row.` : `${rows} rows of ${table} refer to missing rows.`)
}

/** Whether each row of the journal has its writer, Room and Thread, without which it cannot be read. */
function isReadable(db: Db, add: (problem: string) => void): boolean {
  const lacking = db.prepare<{ position: number }>(
    `SELECT position FROM journal WHERE writer NOT IN (SELECT writer FROM writers)
       OR (room IS NOT NULL AND room NOT IN (SELECT place FROM places))
       OR (thread IS NOT NULL AND thread NOT IN (SELECT place FROM places))
     ORDER BY position LIMIT 1`,
  )
  const found = lacking.get()
  if (found === undefined) return true
  add(
    `Entry ${found.position} of the journal names a row of writers or places that is missing. ` +
      "The chains and the replay were not checked.",
  )
  return false
}

/** Rows that are not derived from the journal and to which others refer without a foreign key. */
const referred: readonly { readonly sql: string; readonly what: string }[] = [
  {
    // An imported Room may have arrived without its pictures and logs.
    sql: `SELECT DISTINCT u.digest AS row FROM attachment_uses u
      JOIN journal j ON j.position = u.history_position JOIN places p ON p.place = j.room
      WHERE p.id NOT IN (SELECT room_id FROM imported_rooms) AND u.digest NOT IN (SELECT digest FROM attachments)`,
    what: "attachments lacks a picture or a log that a write uses: digest",
  },
  ...["saved_papers", "collection_papers"].map((table) => ({
    sql: `SELECT DISTINCT paper_id AS row FROM ${table}
      WHERE known = 1 AND paper_id NOT IN (SELECT paper_id FROM papers)`,
    what: `papers lacks a paper that ${table} says is known: paper_id`,
  })),
]

/** Reports what something refers to and is missing. */
function references(db: Db, add: (problem: string) => void): void {
  for (const { sql, what } of referred)
    for (const { row } of db.prepare<{ row: string }>(`${sql} ORDER BY 1 LIMIT 1000`).all()) add(`${what} ${row}.`)
}

/**
 * Checks what is not derived from the journal: the seals of its rows, the chain of the audit log, and the instance's
 * own row.
 */
export function seals(db: Db, add: (problem: string) => void): void {
  const columns = new Map(tablesOf(db).map((table) => [table.name, table.columns]))
  for (const { table, key, columns: covered, due } of sealedTables((name) => columns.get(name) ?? [])) {
    const changed = db.prepare<{ row: string | number }>(
      `SELECT ${key} AS row FROM ${table} WHERE seal IS NOT ${due} ORDER BY 1 LIMIT 1000`,
    )
    for (const { row } of changed.all())
      add(`${table} (${key} ${row}): one of ${covered.join(", ")} was changed since it was stored.`)
  }
  const line = brokenAuditLine(db)
  if (line !== null) add(`The chain of the audit log is broken at line ${line} (audit_entries, sequence ${line}).`)
  const count = (sql: string) => db.prepare<{ rows: number }>(`SELECT count(*) AS rows FROM ${sql}`).one().rows
  const counted = db.prepare<{ rows: number }>("SELECT coalesce(sum(rows), 0) AS rows FROM row_counts WHERE name = +?")
  for (const table of countedTables) {
    const [here, due] = [count(table), counted.one(table).rows]
    if (here !== due) add(`${table} has ${here} rows, and row_counts says ${due}: rows were removed or added.`)
  }
  for (const table of passingTables)
    if (count(table) > 0 && !isUnclean(db)) add(`${table} has rows, and nothing is being removed from the files.`)
  if (count(`row_counts WHERE name NOT IN (${countedTables.map((name) => `'${name}'`).join(", ")})`) > 0)
    add("row_counts has the number of a table that is not counted.")
  if (count("instance") === 0)
    add("The row of instance is missing: the data does not say which instance it belongs to.")
  if (isUnclean(db))
    add("instance: unclean says that a withholding was interrupted. The next start of the service completes it.")
  if (count("earlier_instances") !== count("audit_entries WHERE kind = 'restore_backup'"))
    add("earlier_instances does not have one row for each restore in the audit log.")
}

// A mark: the newest entry of every Room and of the audit log, stored outside of the data, so that a later rewrite is
// detected.

const markSchema = v.object({
  instanceId: v.string(),
  /** Left out of marks from before the audit log had a chain. */
  audit: v.optional(v.object({ sequence: v.number(), digest: v.string() })),
  rooms: v.array(v.object({ roomId: v.string(), sequence: v.number(), digest: v.string() })),
})

/**
 * Returns a sentence for each thing in the mark that the data lacks; none if the file does not exist yet.
 * @throws DataError if the file is not a mark
 */
export function compareMark(db: Db, file: string): string[] {
  if (!existsSync(file)) return []
  const read = (() => {
    try {
      return v.safeParse(markSchema, JSON.parse(readFileSync(file, "utf8")))
    } catch {
      return { success: false as const }
    }
  })()
  if (!read.success) throw new DataError(`${file} is not a mark of this program; nothing was written to it.`)
  const mark = read.output
  // An instance that was restored from a marked one should contain what was marked there.
  const isEarlier =
    db.prepare("SELECT 1 FROM earlier_instances WHERE instance_id = +?").get(mark.instanceId) !== undefined
  if (mark.instanceId !== whoseData(db).instanceId && !isEarlier)
    return [`${file} marks another instance (${mark.instanceId}).`]
  const { placeOf } = activity(db)
  const { audit = { sequence: 0, digest: "" } } = mark
  const isLogKept = audit.sequence === 0 || auditDigest(db, audit.sequence) === audit.digest
  const rewritten = isLogKept ? [] : [`The audit log up to line ${audit.sequence} is not the one that ${file} marks.`]
  const rooms = mark.rooms.flatMap(({ roomId, sequence, digest }) => {
    if (wasDropped(db, roomId, sequence, audit.sequence)) return []
    const found = placeOf(roomId, sequence)
    if (found === undefined)
      return [`Room ${roomId} stood at entry ${sequence} when ${file} was written, and has no such entry.`]
    return found.digest === digest
      ? []
      : [`The activity of Room ${roomId} up to entry ${sequence} is not the one that ${file} marks.`]
  })
  return [...rewritten, ...rooms]
}

/** Whether the audit log records, after a line, that an entry of a mirrored Room was dropped. */
const wasDropped = (db: Db, roomId: string, sequence: number, after: number): boolean =>
  db
    .prepare(
      `SELECT 1 FROM audit_entries WHERE kind = 'forget_room' AND sequence > +? AND body ->> '$.roomId' = +?
          AND body ->> '$.detail.fromEntry' <= +?`,
    )
    .get(after, roomId, sequence) !== undefined

/** Marks the newest entry of every Room. @throws DataError if the file cannot be written */
export function setMark(db: Db, file: string): void {
  const rooms = headsOf(db).map((head) => ({
    roomId: head.room_id,
    sequence: head.activity_sequence,
    digest: head.activity_digest,
  }))
  const { sequence, digest } = auditHead(db)
  const audit = { sequence, digest: digest.toString("hex") }
  const partial = `${file}.partial-${process.pid}`
  try {
    writeFileSync(partial, `${JSON.stringify({ instanceId: whoseData(db).instanceId, audit, rooms }, null, 2)}\n`, {
      flush: true,
    })
    renameSync(partial, file)
  } catch (error) {
    rmSync(partial, { force: true })
    throw new DataError(`${file} could not be written (${codeOf(error)}).`)
  }
}
