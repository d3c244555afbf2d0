/** A Room as one SQLite file for other programs: made in a scratch file from one moment of the data, and named by the head of the chain. */
import { closeSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inAnswers, withWords } from "../../contract/definitions/withheld-text.ts"
import { keysOf } from "../../contract/each.ts"
import { limits } from "../../contract/limits.ts"
import { activity } from "../../ledger/journal/activity.ts"
import { withheld } from "../../ledger/journal/withheld.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { type Db, isStorageFault } from "../../ledger/storage/database.ts"
import { openPlain } from "../../ledger/storage/opening.ts"
import { plainName } from "./paths.ts"
import type { Source } from "./metadata.ts"
import { exportedRoom } from "./room.ts"
import { linesOf } from "./sqlite-lines.ts"
import { type View, views } from "./sqlite-views.ts"

/** Rows after which the next piece of work begins, and bytes of the file in a piece. */
const ROWS = 2_000
const PIECE = 65_536

/** Hands over what there is, and says that the work goes on. */
const nothing = () => new Uint8Array(0)

const TOO_LARGE = `The Room's SQLite file would be larger than ${limits.exportFileBytes / 2 ** 30} GiB, or the folder for temporary files is missing or full. The Room's crate holds the same record.`

/** A value of SQL: this text. */
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
const list = (texts: readonly string[]): string => texts.join(", ")

/** The tables, each under a view of its name, and views that describe them. */
function schema(): string {
  const each = Object.entries<View>(views)
  const described = each.flatMap(([name, view]) => [
    [name, "", "", view.about],
    ...Object.entries(view.columns).map(([column, { type, about }]) => [name, column, type, about]),
  ])
  const tables = each.map(([name, { columns }]) => {
    // DuckDB reads the text of a view, and `at` is a word of its own there.
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

/** What fills a table with a row of JSON. */
const fillOf = (name: string, { columns }: View): string =>
  `INSERT INTO _${name} SELECT ${list(Object.values(columns).map(({ from }) => (from.startsWith("$") ? `d ->> ${quoted(from)}` : from)))} FROM (SELECT +? AS d)`

const noPlace = (cause: unknown) => new Refusal("temporarily_unavailable", TOO_LARGE, cause instanceof Error ? { cause } : {})

/** Writes to the scratch file. @throws Refusal 503 where that takes no more */
function placed(write: () => void): void {
  try {
    write()
  } catch (error) {
    throw isStorageFault(error) ? noPlace(error) : error
  }
}

/** A scratch file in a folder of its own. @throws Refusal 503 where there is no place for one */
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
    throw noPlace(error)
  }
}

/** Every byte of a file, piece by piece. */
function* bytesOf(handle: number): Generator<Uint8Array> {
  for (let at = 0; ; ) {
    const piece = new Uint8Array(PIECE)
    const count = readSync(handle, piece, 0, PIECE, at)
    if (count === 0) return
    at += count
    yield piece.subarray(0, count)
  }
}

/**
 * The name of a Room's file as the first piece, then pieces without bytes while the file is made, then its bytes. The same state of
 * a Room gives the same bytes.
 * @param openReader opens a connection of its own, which is closed at the end or when the reader goes
 * @throws Refusal 503 where the file would be larger than `limits.exportFileBytes`, or the disk is full
 */
export function* roomFile(openReader: () => Db, roomId: string, source: Source): Generator<Uint8Array> {
  const data = openReader()
  let made: ReturnType<typeof scratch> | undefined
  try {
    const room = exportedRoom(data, roomId)
    if (room === undefined) throw new Error(`there is no Room ${roomId} to export`)
    const withholdings = withheld(data)
    const { title, activityWatermark } = room.summary
    const { digest } = activity(data).placeOf(roomId, activityWatermark) ?? { digest: "" }
    yield Buffer.from(`${plainName(title)}-${activityWatermark}-${digest.slice(7, 19)}.sqlite`)
    yield nothing()
    made = scratch()
    const { db, handle } = made
    const { instanceId, baseUrl } = room.from(source)
    placed(() => db.exec(`BEGIN; ${schema()}`))
    const about = db.prepare("INSERT INTO _about VALUES (+?, +?)")
    const told = { roomId, title: withWords(title), entries: String(activityWatermark), digest, instanceId, baseUrl }
    for (const [name, value] of Object.entries(told)) placed(() => about.run(name, value))
    // A file without a name leaves nothing behind when this process is killed. SQLite begins to write only to one that has its name.
    if (process.platform !== "win32") made.remove()
    const lines = linesOf(data, room)
    for (const name of keysOf(views)) {
      const insert = db.prepare(fillOf(name, views[name]))
      let rows = 0
      for (const line of lines[name]) {
        placed(() => insert.run(inAnswers(line, withholdings.told)))
        rows += 1
        if (rows % ROWS === 0) yield nothing()
      }
    }
    placed(() => db.exec("COMMIT"))
    yield* bytesOf(handle)
  } finally {
    data.close()
    made?.db.close()
    if (made !== undefined) closeSync(made.handle)
    made?.remove()
  }
}
