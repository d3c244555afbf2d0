/** Makes a Room as it was: replays its journal up to an entry, and that of the Rooms bound to it, in a database of its own. */
import { activity } from "../../ledger/journal/activity.ts"
import { type Db, isStorageFault } from "../../ledger/storage/database.ts"
import type { Entry } from "../../ledger/journal/journal.ts"
import { replay } from "../../ledger/replay/replay.ts"
import { type Row, rowsOf, tablesOf } from "../../ledger/storage/tables.ts"
import { realWorld } from "../../ledger/world.ts"
import { boundPast, type MostOfPast } from "../../research/past/bound.ts"
import { priorJoinRequests } from "./join-requests.ts"
import { createInstance } from "../compose/instance.ts"

/** Bytes of a page, as SQLite makes new files. */
const PAGE = 4096
/** A database as large as this part of what it may be is refused for its size. */
const ALMOST = 0.9

/** Which moment of which Room. */
export interface PastOrder {
  readonly roomId: string
  /** That of an entry of its activity, which is there. */
  readonly sequence: number
  readonly most: MostOfPast & {
    /** Bytes of what is made. */
    readonly bytes: number
  }
}

/** How many writes were replayed; null if that is over the limit. */
export interface PastFile {
  readonly entries: number | null
}

/** What no write of a Room makes, and its writes need: as it is. */
const beside: Readonly<Record<string, (row: Row, rooms: ReadonlySet<string>) => Row | null>> = {
  people: (row) => ({ ...row, password_hash: "" }),
  credentials: ofRooms,
  // That it was adopted since, its history says.
  imported_rooms: (row, rooms) => ofRooms({ ...row, adopted_at: null }, rooms),
  mirrors: ofRooms,
}
function ofRooms(row: Row, rooms: ReadonlySet<string>): Row | null {
  return typeof row.room_id === "string" && rooms.has(row.room_id) ? row : null
}

function copyBeside(from: Db, to: Db, rooms: ReadonlySet<string>): void {
  to.exec("BEGIN")
  for (const table of tablesOf(from)) {
    const copied = beside[table.name]
    if (copied === undefined) continue
    const put = to.prepare(`INSERT INTO ${table.name} (${table.columns.join(", ")}) VALUES (${table.columns.map(() => "+?").join(", ")})`)
    for (const each of rowsOf(from, table, table.columns)) {
      const row = copied(each, rooms)
      if (row !== null) put.run(...table.columns.map((column) => row[column] ?? null))
    }
  }
  to.exec("COMMIT")
}

/**
 * Replays it.
 * @param live the data, in a snapshot
 * @param made an empty database
 * @throws Divergence if a replay gives another result
 */
export function makePast(live: Db, made: Db, { roomId, sequence, most }: PastOrder): PastFile {
  const place = activity(live).placeOf(roomId, sequence)
  if (place === undefined) throw new Error(`the Room ${roomId} has no entry ${sequence}`)
  const past = boundPast(live, roomId, place.position, most)
  if (past === null) return { entries: null }
  // What was accepted held; and credentials are there before their Rooms.
  made.exec("PRAGMA foreign_keys = OFF")
  copyBeside(live, made, new Set(past.rooms))
  const { ledger, tables } = createInstance({ db: made, world: realWorld(), instanceId: "" })
  const nameOf = (userId: string) => tables.people.withId(userId)?.username
  function* entries(): Generator<Entry> {
    for (const entry of past?.entries() ?? []) {
      const asked = priorJoinRequests(entry, entry.params.roomId ?? "", nameOf)
      if (asked !== null) yield { ...asked, position: entry.position, sender: null }
      yield entry
    }
  }
  made.exec(`PRAGMA max_page_count = ${Math.floor(most.bytes / PAGE)}`)
  try {
    replay(entries(), { db: made, ledger })
  } catch (error) {
    // A disk that is full says the same.
    if (isStorageFault(error) && sizeOf(made) > most.bytes * ALMOST) return { entries: null }
    throw error
  }
  if (ledger.activity.placeOf(roomId, sequence)?.digest !== place.digest)
    throw new Error(`entry ${sequence} of the Room ${roomId} does not come out as it was`)
  return { entries: past.count }
}

/** Bytes that a database takes. */
const sizeOf = (db: Db): number => PAGE * (db.prepare<{ page_count: number }>("PRAGMA page_count").get()?.page_count ?? 0)
