/**
 * Builds a past state of a Room: replays its journal, and those of the Rooms it depends on, up to an entry, into a new
 * database.
 */
import { schemaVersions } from "../../contract/versions.ts"
import { activity } from "../../ledger/journal/activity.ts"
import { type Db, isStorageFault } from "../../ledger/storage/database.ts"
import type { Entry } from "../../ledger/journal/journal.ts"
import { replay } from "../../ledger/replay/replay.ts"
import { type Row, rowsOf, tablesOf } from "../../ledger/storage/tables.ts"
import { realWorld } from "../../ledger/world.ts"
import { boundPast, type MostOfPast } from "../../research/past/bound.ts"
import { createInstance } from "../compose/instance.ts"

/** Bytes of a page in new SQLite files. */
const PAGE = 4096
/** A storage failure counts as exceeding the size limit if the database has reached this part of it. */
const ALMOST = 0.9

/** Which past state to build. */
export interface PastOrder {
  readonly roomId: string
  /** An existing entry of the Room's activity. */
  readonly sequence: number
  readonly most: MostOfPast & {
    /** The maximum size of the new database in bytes. */
    readonly bytes: number
  }
}

/** How many writes were replayed; null if that is over the limit. */
export interface PastFile {
  readonly entries: number | null
}

/** Copies the rows that the writes of a Room need but do not make, in their current state. */
const copiers: Readonly<Record<string, (row: Row, rooms: ReadonlySet<string>) => Row | null>> = {
  people: (row) => ({ ...row, password_hash: "" }),
  credentials: ofRooms,
  // A later adoption is part of the replayed history.
  imported_rooms: (row, rooms) => ofRooms({ ...row, adopted_at: null }, rooms),
}
function ofRooms(row: Row, rooms: ReadonlySet<string>): Row | null {
  return typeof row.room_id === "string" && rooms.has(row.room_id) ? row : null
}

function copyRows(from: Db, to: Db, rooms: ReadonlySet<string>): void {
  to.exec("BEGIN")
  for (const table of tablesOf(from)) {
    const copy = copiers[table.name]
    if (copy === undefined) continue
    const put = to.prepare(
      `INSERT INTO ${table.name} (${table.columns.join(", ")}) VALUES (${table.columns.map(() => "+?").join(", ")})`,
    )
    for (const each of rowsOf(from, table, table.columns)) {
      const row = copy(each, rooms)
      if (row !== null) put.run(...table.columns.map((column) => row[column] ?? null))
    }
  }
  to.exec("COMMIT")
}

/**
 * Builds the past state.
 * @param live the data, in a snapshot
 * @param target an empty database
 * @throws Divergence if a replay gives another result
 */
export function makePast(live: Db, target: Db, { roomId, sequence, most }: PastOrder): PastFile {
  const place = activity(live).placeOf(roomId, sequence)
  if (place === undefined) throw new Error(`the Room ${roomId} has no entry ${sequence}`)
  const past = boundPast(live, roomId, place.position, most)
  if (past === null) return { entries: null }
  // The rows were valid when they were accepted, and credentials are copied before their Rooms exist.
  target.exec("PRAGMA foreign_keys = OFF")
  copyRows(live, target, new Set(past.rooms))
  const { ledger, tables } = createInstance({ db: target, world: realWorld(), instanceId: "" })
  const nameOf = (userId: string) => tables.people.withId(userId)?.username
  function* entries(): Generator<Entry> {
    for (const entry of past?.entries() ?? []) {
      const request = joinRequestBefore(entry, entry.params.roomId ?? "", nameOf)
      if (request !== null) yield { ...request, position: entry.position, sender: null }
      yield entry
    }
  }
  target.exec(`PRAGMA max_page_count = ${Math.floor(most.bytes / PAGE)}`)
  try {
    replay(entries(), { db: target, ledger })
  } catch (error) {
    // SQLite reports a full disk with the same error, so the size is checked too.
    if (isStorageFault(error) && sizeOf(target) > most.bytes * ALMOST) return { entries: null }
    throw error
  }
  if (ledger.activity.placeOf(roomId, sequence)?.digest !== place.digest)
    throw new Error(`a replay of entry ${sequence} of the Room ${roomId} gives another digest`)
  return { entries: past.count }
}

const sizeOf = (db: Db): number =>
  PAGE * (db.prepare<{ page_count: number }>("PRAGMA page_count").get()?.page_count ?? 0)

/**
 * Reconstructs the request to join that must be replayed before a decision on it. Requests are not part of a Room's
 * history, but the decision on one shows that it existed.
 * @returns null if the write is not such a decision
 */
export function joinRequestBefore(
  { operation, params, given, at }: Pick<Entry, "operation" | "params" | "given" | "at">,
  roomId: string,
  nameOf: (userId: string) => string | undefined,
): Omit<Entry, "position" | "sender"> | null {
  const userId = operation === "decide_join_request" ? params.userId : undefined
  if (userId === undefined) return null
  const [requestId = ""] = given.ids ?? []
  return {
    operation: "request_to_join",
    userId,
    username: nameOf(userId) ?? "",
    at,
    params: { roomId },
    content: JSON.stringify({ requestId, schemaVersion: schemaVersions.research }),
    client: undefined,
    given: { ids: [requestId], ...(given.people && { people: given.people }) },
  }
}
