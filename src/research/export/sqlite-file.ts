/**
 * Exports a Room as an SQLite file for other programs: written to a scratch file from one snapshot, and named after the
 * head of the chain.
 */
import file from "./sqlite-views.json" with { type: "json" }
import { extendJson, JsonText, stored } from "../../contract/json.ts"
import { isStorageFault } from "../../ledger/storage/database.ts"
import { plainName, type ViewName } from "./parts.ts"
import type { ExportedRoom } from "./room.ts"
import { closeSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inAnswers, withWords } from "../../contract/nouns/withholding.ts"
import { keysOf } from "../../contract/typed.ts"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals.ts"
import { openPlain } from "../../ledger/storage/opening.ts"

// The views of a Room's SQLite file, with a description of each view and the type, source and description of each
// column.

interface View {
  readonly about: string
  /**
   * Rows are made from the served JSON. A `from` that begins with `$` is a path in it; any other is SQL over the JSON
   * `d`.
   */
  readonly columns: Readonly<Record<string, { readonly type: string; readonly from: string; readonly about: string }>>
}

const ofRecords = ({ about, columns }: View): View => ({ about, columns: { ...file.record, ...columns } })
const { findings, hypotheses } = file.views
export const views = { ...file.views, findings: ofRecords(findings), hypotheses: ofRecords(hypotheses) }

/** The rows of the file as JSON, view by view. */
function linesOf({ whole, parts }: ExportedRoom): Readonly<Record<ViewName, () => Iterable<string>>> {
  const { experiments, plans, attempts, findingLinks, records } = parts
  return {
    entries: () => whole().map(({ body, content }) => extendJson(body, { body: new JsonText(stored(content)) })),
    ...experiments.views,
    ...plans.views,
    ...attempts.views,
    ...findingLinks.views,
    ...records.views,
  }
}

/** Rows between two progress chunks, and bytes in a chunk of the file. */
const ROWS = 2_000
const CHUNK = 65_536

/** An empty chunk, which reports that work is still in progress. */
const progress = () => new Uint8Array(0)

const TOO_LARGE =
  `The Room's SQLite file would be larger than ${limits.exportFileBytes / 2 ** 30} GiB, ` +
  "or the folder for temporary files is missing or full. The Room's crate holds the same record."

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
const list = (texts: readonly string[]): string => texts.join(", ")

/** The SQL of the tables, of a view on each, and of views that describe them. */
function schema(): string {
  const each = Object.entries<View>(views)
  const described = each.flatMap(([name, view]) => [
    [name, "", "", view.about],
    ...Object.entries(view.columns).map(([column, { type, about }]) => [name, column, type, about]),
  ])
  const tables = each.map(([name, { columns }]) => {
    // DuckDB parses the text of a view, and `at` is a keyword there.
    const named = Object.keys(columns).map((column) => `"${column}"`)
    const typed = Object.entries(columns).map(([column, { type }]) => `${column} ${type}`)
    return `CREATE TABLE _${name} (${list(typed)}); CREATE VIEW ${name} AS SELECT ${list(named)} FROM _${name};`
  })
  return `${tables.join("\n")}
    CREATE INDEX _entries_by_target ON _entries (target_id, sequence);
    CREATE INDEX _measurements_by_metric ON _measurements (metric, attempt_id);
    CREATE TABLE _columns (view_name TEXT, column_name TEXT, type TEXT, about TEXT);
    CREATE VIEW columns AS SELECT view_name, column_name, type, about FROM _columns;
    CREATE TABLE _about (name TEXT, value TEXT);
    CREATE VIEW about AS SELECT name, value FROM _about;
    INSERT INTO _columns VALUES ${list(described.map((row) => `(${list(row.map(quoted))})`))};`
}

/** The SQL that inserts a row of JSON into a table. */
const fillOf = (name: string, { columns }: View): string =>
  `INSERT INTO _${name} SELECT
      ${list(Object.values(columns).map(({ from }) => (from.startsWith("$") ? `d ->> ${quoted(from)}` : from)))}
    FROM (SELECT +? AS d)`

const outOfSpace = (cause: unknown) =>
  new Refusal("temporarily_unavailable", TOO_LARGE, cause instanceof Error ? { cause } : {})

/** Writes to the scratch file. @throws Refusal 503 if it is full */
function writeScratch(write: () => void): void {
  try {
    write()
  } catch (error) {
    throw isStorageFault(error) ? outOfSpace(error) : error
  }
}

/** Creates a scratch file in its own folder. @throws Refusal 503 if there is no space for it */
function scratch() {
  let folder: string | undefined
  const remove = () => folder && rmSync(folder, { recursive: true, force: true })
  try {
    folder = mkdtempSync(join(tmpdir(), "research-room-export-"))
    const file = join(folder, "room.sqlite")
    const db = openPlain(file, limits.exportFileBytes)
    const handle = openSync(file, "r")
    return { db, handle, remove }
  } catch (error) {
    remove()
    throw outOfSpace(error)
  }
}

function* bytesOf(handle: number): Generator<Uint8Array> {
  for (let at = 0; ; ) {
    const chunk = new Uint8Array(CHUNK)
    const count = readSync(handle, chunk, 0, CHUNK, at)
    if (count === 0) return
    at += count
    yield chunk.subarray(0, count)
  }
}

/**
 * Yields the name of a Room's file, then empty chunks while the file is made, then its bytes. The same state of a Room
 * gives the same bytes.
 * @throws Refusal 503 if the file would be larger than `limits.exportFileBytes`, or the disk is full
 */
export function* roomFile(room: ExportedRoom): Generator<Uint8Array> {
  const { title, activityWatermark, roomId } = room.summary
  const { digest } = room
  yield Buffer.from(`${plainName(title)}-${activityWatermark}-${digest.slice(7, 19)}.sqlite`)
  yield progress()
  const { db, handle, remove } = scratch()
  try {
    const { instanceId, baseUrl } = room.source
    writeScratch(() => db.exec(`BEGIN; ${schema()}`))
    const about = db.prepare("INSERT INTO _about VALUES (+?, +?)")
    const facts = { roomId, title: withWords(title), entries: String(activityWatermark), digest, instanceId, baseUrl }
    for (const [name, value] of Object.entries(facts)) writeScratch(() => about.run(name, value))
    // An unlinked file leaves nothing behind if this process is killed. It is unlinked only now, because SQLite needs
    // its name to begin to write.
    if (process.platform !== "win32") remove()
    const lines = linesOf(room)
    for (const name of keysOf(views)) {
      const insert = db.prepare(fillOf(name, views[name]))
      let rows = 0
      for (const line of lines[name]()) {
        writeScratch(() => insert.run(inAnswers(line, room.withheld)))
        rows += 1
        if (rows % ROWS === 0) yield progress()
      }
    }
    writeScratch(() => db.exec("COMMIT"))
    yield* bytesOf(handle)
  } finally {
    db.close()
    closeSync(handle)
    remove()
  }
}
