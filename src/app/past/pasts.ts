/** Past states of Rooms: how one is built, and a cache that all requests share. The least recently used is dropped. */
import { mkdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { badParameter, Refusal } from "../../contract/refusals/refusal.ts"
import { limits } from "../../contract/limits.ts"
import type { StoredPast, Past, Pasts } from "../../edge/edge.ts"
import { type Db, isStorageFault } from "../../ledger/storage/database.ts"
import { openMade, openScratch, openReadConnection } from "../../ledger/storage/opening.ts"
import { realWorld } from "../../ledger/world.ts"
import { createInstance, type Instance } from "../compose/instance.ts"
import type { Job } from "../../jobs/job.ts"
import { Pool, turns } from "../../jobs/pool.ts"
import { databaseFile } from "../../ledger/storage/data.ts"
import { schemaVersions } from "../../contract/service.ts"
import { activity } from "../../ledger/journal/activity.ts"
import type { Entry } from "../../ledger/journal/journal.ts"
import { replay } from "../../ledger/replay/replay.ts"
import { type Row, rowsOf, tablesOf } from "../../ledger/storage/tables.ts"
import { boundPast, type MostOfPast } from "../../research/past/bound.ts"

// Builds a past state of a Room: replays its journal, and those of the Rooms it depends on, up to an entry, into a
// new database.

/** Bytes of a page in new SQLite files. */
const PAGE = 4096
/** A storage failure counts as exceeding the size limit if the database has reached this part of it. */
const ALMOST = 0.9

/** Which past state to build. */
interface PastOrder {
  readonly roomId: string
  /** An existing entry of the Room's activity. */
  readonly sequence: number
  readonly most: MostOfPast & {
    /** The maximum size of the new database in bytes. */
    readonly bytes: number
  }
}

/** How many writes were replayed; null if that is over the limit. */
interface PastFile {
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

export interface PastDatabase {
  readonly db: Db
  /** Its path; null if it is in memory. */
  readonly file: string | null
  readonly bytes: number
  /** Closes and deletes it. */
  readonly discard: () => void
}
export interface Maker {
  /** Builds a past state; null if that would exceed the limits. */
  make(order: PastOrder, caller: string | null): Promise<PastDatabase | null>
  /** Deletes all that is left. Nothing is built afterwards. */
  close(): void
}

/** The limits for building one past state, and for the number and bytes of cached ones. */
export interface PastNumbers {
  readonly most: PastOrder["most"]
  readonly kept: number
  readonly keptBytes: number
}
const standardNumbers: PastNumbers = {
  most: { entries: limits.pastEntries, contentBytes: limits.pastContentBytes, bytes: limits.pastBytes },
  kept: limits.pastKept,
  keptBytes: limits.pastKeptBytes,
}

interface CachedPast {
  readonly made: PastDatabase
  readonly instance: Instance
  readonly asOf: Past["asOf"]
  readers: number
  isGone: boolean
}

/** The most Rooms that are remembered as too large. */
const MOST_TOO_LARGE = 10_000

/** The refusal of a past state that takes too much work. @param entries the most writes that may be replayed */
const tooLarge = (entries: number = limits.pastEntries): Refusal =>
  new Refusal(
    "past_too_large",
    `To answer as of that entry would mean replaying more than ${entries.toLocaleString("en")} writes of the Room ` +
      "and the Rooms it cites. Ask without at, or as of an earlier entry.",
  )

/** The service that holds the Room. */
type Service = Pick<Parameters<typeof createInstance>[0], "instanceId" | "lineage" | "basePath">

/** Creates an instance whose clock shows the time of the entry. */
const pastInstance = (db: Db, { acceptedAt }: Past["asOf"], service: Service): Instance =>
  createInstance({ db, world: realWorld(() => Date.parse(acceptedAt)), ...service })

/** Opens a file that another thread keeps until it is closed. */
export function openPast({ roomId, asOf, file }: StoredPast, service: Service): Past {
  const db = openMade(file)
  return { roomId, asOf, file, instance: pastInstance(db, asOf, service), [Symbol.dispose]: () => db.close() }
}

export class PastCache implements Pasts {
  readonly #live: Instance
  readonly #maker: Maker
  readonly #basePath: string
  readonly #numbers: PastNumbers
  /** By Room and entry; the most recently used comes last. */
  readonly #cache = new Map<string, CachedPast>()
  readonly #making = new Map<string, Promise<CachedPast>>()
  /** The first entry of a Room that is known to exceed the limits. All later ones do too. */
  readonly #tooLarge = new Map<string, number>()
  #closed = false

  constructor(live: Instance, maker: Maker, basePath: string, numbers: PastNumbers = standardNumbers) {
    this.#live = live
    this.#maker = maker
    this.#basePath = basePath
    this.#numbers = numbers
  }

  async of(roomId: string, sequence: number, caller: string | null = null): Promise<Past> {
    if (this.#closed) throw new Refusal("temporarily_unavailable", "The service is ending.", { retryAfter: 5 })
    const key = `${roomId} ${sequence}`
    const kept = this.#cache.get(key) ?? (await this.#shared(key, roomId, sequence, caller))
    // It may have been dropped since the promise resolved.
    if (kept.isGone) return this.of(roomId, sequence, caller)
    this.#cache.delete(key)
    this.#cache.set(key, kept)
    kept.readers += 1
    this.#makeRoom()
    return {
      roomId,
      asOf: kept.asOf,
      file: kept.made.file,
      instance: kept.instance,
      [Symbol.dispose]: () => {
        kept.readers -= 1
        if (kept.isGone && kept.readers === 0) kept.made.discard()
      },
    }
  }

  /** Builds a past state once for all callers that arrive in the meantime. */
  #shared(key: string, roomId: string, sequence: number, caller: string | null): Promise<CachedPast> {
    const making = this.#making.get(key) ?? this.#make(roomId, sequence, caller)
    if (!this.#making.has(key)) {
      this.#making.set(key, making)
      const done = () => this.#making.delete(key)
      making.then((kept) => {
        if (this.#closed) this.#drop(kept)
        else this.#cache.set(key, kept)
      }, done)
      making.then(done, done)
    }
    return making
  }

  async #make(roomId: string, sequence: number, caller: string | null): Promise<CachedPast> {
    const { ledger, instanceId, lineage } = this.#live
    const place = ledger.activity.placeOf(roomId, sequence)
    if (place === undefined) {
      const watermark = ledger.activity.watermark(roomId)
      const { message, details } = badParameter(
        "at",
        `must be an entry of the Room's activity, at most the watermark, ${watermark}`,
      )
      throw new Refusal("invalid_parameter", message, { ...details, current: { watermark } })
    }
    const { most } = this.#numbers
    if (sequence >= (this.#tooLarge.get(roomId) ?? Number.POSITIVE_INFINITY)) throw tooLarge(most.entries)
    const made = await this.#maker.make({ roomId, sequence, most }, caller)
    if (made === null) {
      if (this.#tooLarge.size >= MOST_TOO_LARGE) this.#tooLarge.clear()
      this.#tooLarge.set(roomId, sequence)
      throw tooLarge(most.entries)
    }
    const asOf = { sequence, acceptedAt: place.acceptedAt }
    const instance = pastInstance(made.db, asOf, { instanceId, lineage, basePath: this.#basePath })
    return { made, instance, asOf, readers: 0, isGone: false }
  }

  /** Drops the least recently used states until the rest is within the limits. */
  #makeRoom(): void {
    let bytes = 0
    for (const { made } of this.#cache.values()) bytes += made.bytes
    for (const [key, kept] of this.#cache) {
      if (this.#cache.size <= this.#numbers.kept && bytes <= this.#numbers.keptBytes) return
      if (kept.readers > 0) continue
      this.#cache.delete(key)
      this.#drop(kept)
      bytes -= kept.made.bytes
    }
  }

  /** Drops everything after words were withheld, including states that are still being built. */
  forget(): void {
    for (const kept of this.#cache.values()) this.#drop(kept)
    this.#cache.clear()
    for (const making of this.#making.values()) making.then((kept) => this.#remove(kept)).catch(() => undefined)
    this.#making.clear()
  }

  #remove(kept: CachedPast): void {
    for (const [key, each] of this.#cache) if (each === kept) this.#cache.delete(key)
    if (!kept.isGone) this.#drop(kept)
  }

  #drop(kept: CachedPast): void {
    kept.isGone = true
    if (kept.readers === 0) kept.made.discard()
  }

  /** Drops everything. States that are still being built are dropped when they are complete. */
  close(): void {
    this.#closed = true
    for (const kept of this.#cache.values()) this.#drop(kept)
    this.#cache.clear()
    this.#maker.close()
  }
}

/** Builds past states in memory on this thread, for callers without a service. */
export function pastsOnThisThread(live: Instance, basePath: string, numbers?: PastNumbers): PastCache {
  const maker: Maker = {
    async make(order) {
      const db = openScratch(":memory:")
      const { entries } = live.db.snapshot(() => makePast(live.db, db, order))
      if (entries === null) db.close()
      return entries === null ? null : { db, file: null, bytes: 0, discard: () => db.close() }
    },
    close() {},
  }
  return new PastCache(live, maker, basePath, numbers)
}

// Builds past states of Rooms in a separate process, in files of a folder that is deleted when the service ends.

/** The input of the process, with the source and the target file. */
export interface PastFileOrder extends PastOrder {
  readonly file: string
  readonly into: string
}

/** Builds the file, inside the process. */
export function makeFile({ file, into, ...order }: PastFileOrder): PastFile {
  using live = openReadConnection(file)
  using target = openScratch(into)
  return makePast(live, target, order)
}

const job: Job<PastFileOrder, PastFile> = {
  name: "past",
  bounds: { seconds: limits.pastSeconds, megabytes: limits.pastMegabytes },
  output: 1_000,
  tooCostly: tooLarge,
}

/** Rebuilds Rooms as of an earlier moment. */
const lookingBack = new Pool({ processes: limits.pastProcesses, waiting: limits.pastWaiting, turns })

/** The folder for past states. It is not part of backups. */
const folderOf = (data: string): string => join(data, "past")

/** @param data the data folder, which only this process serves */
export function pastsInProcess(live: Instance, data: string, basePath: string, numbers?: PastNumbers): PastCache {
  const folder = folderOf(data)
  // Remove the files of a killed service.
  rmSync(folder, { recursive: true, force: true })
  let count = 0
  const make: Maker["make"] = async (order, caller) => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const into = join(folder, `${++count}.db`)
    const remove = () => rmSync(into, { force: true })
    try {
      const { entries } = await lookingBack.run(job, { ...order, file: databaseFile(data), into }, caller)
      if (entries === null) {
        remove()
        return null
      }
      const db = openMade(into)
      return {
        db,
        file: into,
        bytes: statSync(into).size,
        discard() {
          db.close()
          remove()
        },
      }
    } catch (error) {
      remove()
      if (error instanceof Refusal && error.code === "past_too_large") return null
      throw error
    }
  }
  return new PastCache(live, { make, close: () => rmSync(folder, { recursive: true, force: true }) }, basePath, numbers)
}
