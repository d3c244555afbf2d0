/** Past states of Rooms: how one is built, and a cache that all requests share. The least recently used is dropped. */
import { mkdirSync, rmSync, statSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { badParameter, Refusal } from "../../contract/refusals.ts"
import { limits } from "../../contract/limits.ts"
import type { StoredPast, Past, Pasts } from "../../edge/edge.ts"
import { type Db, isStorageFault } from "../../ledger/storage/database.ts"
import { openMade, openScratch, openReadConnection, databaseFile } from "../../ledger/storage/opening.ts"
import { realWorld } from "../../ledger/world.ts"
import { createInstance, type Instance } from "../compose/instance.ts"
import type { Job } from "../../jobs/job.ts"
import { Pool, turns } from "../../jobs/pool.ts"
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
  /** Closes it at once, and deletes it. */
  readonly discard: () => void | Promise<void>
}
export interface Maker {
  /** Builds a past state; null if that would exceed the limits. */
  make(order: PastOrder, caller: string | null): Promise<PastDatabase | null>
  /** Deletes all that is left. Nothing is built afterwards. */
  close(): void | Promise<void>
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

/** A past state that several requests read. It is discarded once it is dropped and nobody reads it. */
class SharedPast {
  readonly bytes: number
  readonly #past: Omit<Past, typeof Symbol.dispose>
  readonly #discard: () => void
  #readers = 0
  #isGone = false

  constructor(past: Omit<Past, typeof Symbol.dispose>, bytes: number, discard: () => void) {
    this.#past = past
    this.bytes = bytes
    this.#discard = discard
  }

  get isRead(): boolean {
    return this.#readers > 0
  }

  get isGone(): boolean {
    return this.#isGone
  }

  read(): Past {
    this.#readers += 1
    return {
      ...this.#past,
      [Symbol.dispose]: () => {
        this.#readers -= 1
        if (this.#isGone && !this.isRead) this.#discard()
      },
    }
  }

  drop(): void {
    if (this.#isGone) return
    this.#isGone = true
    if (!this.isRead) this.#discard()
  }
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

/** The most past states that a reader thread has open, of those that it answered from last. */
const OPEN = 2

/**
 * The past states that a reader thread has open. A person follows links at one moment, and to compile the statements
 * of a page takes longer than to run them.
 */
export class OpenPasts {
  readonly #service: Service
  /** By file; the most recently used comes last. */
  readonly #open = new Map<string, SharedPast>()

  constructor(service: Service) {
    this.#service = service
  }

  /** Opens a file that another thread keeps until the past is disposed of. */
  of(stored: StoredPast): Past {
    const { file } = stored
    const open = this.#open.get(file) ?? this.#opened(stored)
    this.#open.delete(file)
    this.#open.set(file, open)
    const past = open.read()
    for (const oldest of this.#open.keys().take(Math.max(0, this.#open.size - OPEN))) this.leave(oldest)
    return past
  }

  #opened({ roomId, asOf, file }: StoredPast): SharedPast {
    const db = openMade(file)
    return new SharedPast({ roomId, asOf, file, instance: pastInstance(db, asOf, this.#service) }, 0, () => db.close())
  }

  /** Closes a file that is about to be deleted. */
  leave(file: string): void {
    this.#open.get(file)?.drop()
    this.#open.delete(file)
  }

  /** Closes all files after words were withheld. */
  forget(): void {
    for (const file of [...this.#open.keys()]) this.leave(file)
  }
}

export class PastCache implements Pasts {
  readonly #live: Instance
  readonly #maker: Maker
  readonly #basePath: string
  readonly #numbers: PastNumbers
  /** By Room and entry; the most recently used comes last. */
  readonly #cache = new Map<string, SharedPast>()
  readonly #making = new Map<string, Promise<SharedPast>>()
  /** The first entry of a Room that is known to exceed the limits. All later ones do too. */
  readonly #tooLarge = new Map<string, number>()
  readonly #discarding = new Set<Promise<void>>()
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
    const past = kept.read()
    this.#makeRoom()
    return past
  }

  /** Builds a past state once for all callers that arrive in the meantime. */
  #shared(key: string, roomId: string, sequence: number, caller: string | null): Promise<SharedPast> {
    const making = this.#making.get(key) ?? this.#make(roomId, sequence, caller)
    if (!this.#making.has(key)) {
      this.#making.set(key, making)
      const done = () => this.#making.delete(key)
      making.then((kept) => {
        if (this.#closed) kept.drop()
        else this.#cache.set(key, kept)
      }, done)
      making.then(done, done)
    }
    return making
  }

  async #make(roomId: string, sequence: number, caller: string | null): Promise<SharedPast> {
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
    return new SharedPast({ roomId, asOf, file: made.file, instance }, made.bytes, () => this.#discard(made))
  }

  /** Drops the least recently used states until the rest is within the limits. */
  #makeRoom(): void {
    let bytes = 0
    for (const kept of this.#cache.values()) bytes += kept.bytes
    for (const [key, kept] of this.#cache) {
      if (this.#cache.size <= this.#numbers.kept && bytes <= this.#numbers.keptBytes) return
      if (kept.isRead) continue
      this.#cache.delete(key)
      kept.drop()
      bytes -= kept.bytes
    }
  }

  #discard(made: PastDatabase): void {
    const discarding: Promise<void> = Promise.resolve(made.discard()).then(
      () => void this.#discarding.delete(discarding),
    )
    this.#discarding.add(discarding)
  }

  /** Drops everything after words were withheld, including states that are still being built. */
  forget(): void {
    for (const kept of this.#cache.values()) kept.drop()
    this.#cache.clear()
    for (const making of this.#making.values()) making.then((kept) => this.#remove(kept)).catch(() => undefined)
    this.#making.clear()
  }

  #remove(kept: SharedPast): void {
    for (const [key, each] of this.#cache) if (each === kept) this.#cache.delete(key)
    kept.drop()
  }

  /** Drops everything. States that are still being built are dropped when they are complete. */
  async close(): Promise<void> {
    this.#closed = true
    for (const kept of this.#cache.values()) kept.drop()
    this.#cache.clear()
    await Promise.all(this.#discarding)
    await this.#maker.close()
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

/**
 * @param data the data folder, which only this process serves
 * @param leave has the threads that read a file close it, before it is deleted
 */
export function pastsInProcess(
  live: Instance,
  data: string,
  basePath: string,
  leave: (file: string) => Promise<void>,
  numbers?: PastNumbers,
): PastCache {
  const folder = folderOf(data)
  // Remove the files of a killed service.
  rmSync(folder, { recursive: true, force: true })
  let count = 0
  const make: Maker["make"] = async (order, caller) => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const into = join(folder, `${++count}.db`)
    // The system takes a tenth of a second to remove the largest ones, for which this thread does not wait.
    const remove = () => rm(into, { force: true })
    try {
      const { entries } = await lookingBack.run(job, { ...order, file: databaseFile(data), into }, caller)
      if (entries === null) {
        await remove()
        return null
      }
      const db = openMade(into)
      return {
        db,
        file: into,
        bytes: statSync(into).size,
        async discard() {
          db.close()
          const left = leave(into)
          // Some systems do not remove an open file. What is left goes with the folder.
          await remove().catch(() => left.then(remove).catch(() => undefined))
        },
      }
    } catch (error) {
      await remove()
      if (error instanceof Refusal && error.code === "past_too_large") return null
      throw error
    }
  }
  return new PastCache(live, { make, close: () => rm(folder, { recursive: true, force: true }) }, basePath, numbers)
}
