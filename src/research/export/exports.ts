/** Runs exports: a few at a time, each made once for all who ask for the same; none waits for a slow reader. */
import { randomUUID } from "node:crypto"
import { rmSync } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { RoomSummary } from "../../contract/nouns/rooms.ts"
import { limits } from "../../contract/limits.ts"
import { noSuch } from "../../ledger/write/references.ts"
import { Refusal } from "../../contract/refusals.ts"
import type { Download, Readers } from "../../ledger/reads/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import { softwareVersion } from "../../packaged.ts"
import type { RoomSource } from "../../rooms/imported.ts"
import { plainName } from "./parts.ts"
import { ProcessLost, TooCostly } from "../../jobs/child.ts"
import type { StreamJob } from "../../jobs/job.ts"
import { exporting } from "../../jobs/pool.ts"
import type { Domain } from "../../ledger/domains/domain.ts"

// A spool: a file that is made once and sent to all who ask for it, to each at their own pace. Its bytes go to a
// temporary file without a name, so a slow reader keeps disk space, but not the process that makes them.

/** Bytes that a reader takes at a time. */
const PIECE = 64 * 1024

/** The disk space of all spools together. */
interface SpoolSpace {
  used: number
  readonly most: number
}

/** One reader's way through the file. */
interface Reading {
  next(): Promise<IteratorResult<Uint8Array, undefined>>
  /** Gives up the rest, even while a call of `next` waits. */
  leave(): void
}

/** Opens a file that nobody finds by a name, and that is gone when this process ends. */
async function openUnnamed(): Promise<FileHandle> {
  const path = join(tmpdir(), `research-room-export-${randomUUID()}`)
  const file = await open(path, "wx+", 0o600)
  rmSync(path, { force: true })
  return file
}

class Spool {
  readonly #bytes: AsyncGenerator<Uint8Array>
  readonly #space: SpoolSpace
  readonly #onMade: () => void
  readonly #readers = new Set<{ at: number }>()
  #change = Promise.withResolvers<void>()
  #file: FileHandle | undefined
  /** Bytes in the file, and bytes made: what is not in the file is the newest piece, in memory. */
  #stored = 0
  #made = 0
  #newest: Uint8Array | undefined
  #end: { readonly error?: unknown } | undefined
  #hasBegun = false
  #isShared = true

  /** @param onMade called when it is made, or nobody wants it any more */
  constructor(bytes: AsyncGenerator<Uint8Array>, space: SpoolSpace, onMade: () => void) {
    this.#bytes = bytes
    this.#space = space
    this.#onMade = onMade
  }

  /** Whether further readers may join. */
  get isShared(): boolean {
    return this.#isShared
  }

  /** Whether its file can be closed. */
  get isIdle(): boolean {
    return this.#readers.size === 0 && this.#end !== undefined
  }

  /** Lets nobody join any more. The file is closed after its last reader. */
  unshare(): void {
    this.#isShared = false
    this.#closeIfOver()
  }

  /** Joins the readers, from the first byte on. The first one starts the making. */
  join(): Reading {
    const reader = { at: 0 }
    this.#readers.add(reader)
    if (!this.#hasBegun) void this.#make()
    this.#hasBegun = true
    return {
      next: () => this.#next(reader),
      leave: () => {
        this.#readers.delete(reader)
        this.#tell()
        this.#closeIfOver()
      },
    }
  }

  async #next(reader: { at: number }): Promise<IteratorResult<Uint8Array, undefined>> {
    while (this.#readers.has(reader)) {
      if (reader.at < this.#stored && this.#file !== undefined) {
        const length = Math.min(PIECE, this.#stored - reader.at)
        const { buffer, bytesRead } = await this.#file.read(Buffer.allocUnsafe(length), 0, length, reader.at)
        if (bytesRead === 0) throw new Error("the file of an export was cut short")
        reader.at += bytesRead
        this.#tell()
        return { done: false, value: buffer.subarray(0, bytesRead) }
      }
      if (reader.at < this.#made && this.#newest !== undefined) {
        reader.at = this.#made
        this.#tell()
        return { done: false, value: this.#newest }
      }
      if (this.#end !== undefined && "error" in this.#end) throw this.#end.error
      if (this.#end !== undefined) break
      await this.#change.promise
    }
    return { done: true, value: undefined }
  }

  /** Makes the file as fast as it can be stored, and otherwise as fast as its slowest reader takes it. */
  async #make(): Promise<void> {
    try {
      for await (const piece of this.#bytes) {
        if (this.#readers.size === 0) break
        // An empty piece means that work is still in progress.
        if (piece.length === 0) continue
        if (this.#newest !== undefined || !(await this.#isStored(piece))) {
          this.#isShared = false
          this.#newest = piece
        }
        this.#made += piece.length
        this.#tell()
        while (this.#newest !== undefined && [...this.#readers].some(({ at }) => at < this.#made))
          await this.#change.promise
      }
      this.#end = {}
      if (this.#readers.size === 0) this.#isShared = false
    } catch (error) {
      this.#end = { error }
      this.#isShared = false
    }
    this.#onMade()
    this.#tell()
    this.#closeIfOver()
  }

  /** Appends a piece to the file. @returns false if there is no space for it, or the folder cannot be written */
  async #isStored(piece: Uint8Array): Promise<boolean> {
    if (this.#space.used + piece.length > this.#space.most) return false
    this.#space.used += piece.length
    try {
      const file = (this.#file ??= await openUnnamed())
      for (let done = 0; done < piece.length; )
        done += (await file.write(piece, done, piece.length - done, this.#stored + done)).bytesWritten
      this.#stored += piece.length
      return true
    } catch {
      this.#space.used -= piece.length
      return false
    }
  }

  #tell(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }

  #closeIfOver(): void {
    if (this.#isShared || !this.isIdle || this.#file === undefined) return
    void this.#file.close()
    this.#file = undefined
    this.#space.used -= this.#stored
    this.#stored = 0
  }
}

/** Also the name of the work that makes it (src/app/jobs/jobs-thread.ts). */
export type ExportFormat = "crate" | "sqlite"

/** Makes the bytes of a Room's file. The first chunk of an SQLite file is its name. */
export type RoomFiles = (roomId: string, source: RoomSource, format: ExportFormat) => AsyncGenerator<Uint8Array>

/** The Rooms to export, the function that makes their files, and the instance that they come from. */
interface ExportedRooms {
  /** The writes that the instance has accepted: a file tells of people, and of records of other Rooms, too. */
  readonly writes: { count(): number }
  readonly rooms: Rooms
  readonly files: RoomFiles
  readonly instanceId: string
}

type ExportSource = Omit<RoomSource, "instanceId">
/** `retryAfter` in seconds while other exports run. */
const RETRY = 10
const busy = (sentence: string) => new Refusal("too_many_requests", sentence, { retryAfter: RETRY })

/** A file in the making, or made a short while ago. */
interface Shared {
  readonly spool: Spool
  /** What it is a file of. */
  readonly of: string
  readonly begunAt: number
  /** Its file name, if its maker gives it. */
  readonly named: Promise<string>
}

export class Exports {
  readonly #exported: ExportedRooms
  readonly #space: SpoolSpace
  readonly #shared = new Set<Shared>()
  #making = 0
  readonly #callers = new Set<string>()

  /** @param spoolBytes the disk space that files of all exports may take */
  constructor(exported: ExportedRooms, spoolBytes: number = limits.exportSpoolBytes) {
    this.#exported = exported
    this.#space = { used: 0, most: spoolBytes }
  }

  /** A Room's crate. @throws Refusal 404 */
  bytes(roomId: string, source: ExportSource) {
    return { name: crateNameOf(this.#mustFind(roomId)), bytes: this.#made(roomId, source, "crate") }
  }

  /** A Room as an SQLite file. @throws Refusal 404, or 503 if it cannot be made */
  async sqlite(roomId: string, source: ExportSource) {
    this.#mustFind(roomId)
    const bytes = this.#made(roomId, source, "sqlite")
    const { value } = await bytes.next()
    return { name: new TextDecoder().decode(value), bytes }
  }

  /** @throws Refusal 404 */
  #mustFind(roomId: string): RoomSummary {
    const room = this.#exported.rooms.summary(roomId)
    if (room === undefined) throw noSuch("room")
    return room
  }

  #made(roomId: string, { baseUrl, softwareVersion }: ExportSource, format: ExportFormat): AsyncGenerator<Uint8Array> {
    const { files, instanceId } = this.#exported
    return files(roomId, { baseUrl, instanceId, softwareVersion }, format)
  }

  /**
   * Sends a Room's file to a client, which may disconnect or stop reading. All who ask for the same within a short time
   * get the same file. @throws Refusal 404, 429 while too many exports run, or 503 if it cannot be made
   * @param caller who gets one export at a time
   */
  async open(roomId: string, source: ExportSource, format: ExportFormat, caller?: string): Promise<Download> {
    const room = this.#mustFind(roomId)
    if (caller !== undefined && this.#callers.has(caller))
      throw busy("Another export for this caller is running. Wait until it ends.")
    const { spool, named } = this.#sharedFor(room, source, format)
    const reading = spool.join()
    if (caller !== undefined) this.#callers.add(caller)
    const leave = () => {
      if (caller !== undefined) this.#callers.delete(caller)
      reading.leave()
      this.#clear()
    }
    try {
      const name = format === "crate" ? crateNameOf(room) : await named
      return { name, bytes: watched(reading, leave) }
    } catch (error) {
      leave()
      throw error
    }
  }

  /** Withheld words may be in the files: nobody gets them any more who does not read them already. */
  forget(): void {
    for (const { spool } of this.#shared) spool.unshare()
    this.#clear()
  }

  /** Finds the file of a Room as it stands, or begins it. @throws Refusal 429 while too many exports run */
  #sharedFor(room: RoomSummary, source: ExportSource, format: ExportFormat): Shared {
    this.#clear()
    const of = JSON.stringify([room.roomId, format, source.baseUrl, this.#exported.writes.count()])
    const found = [...this.#shared].find((each) => each.of === of && each.spool.isShared)
    if (found !== undefined) return found
    if (this.#making >= limits.exports || !this.#hasRoom()) throw busy("Other exports are running.")
    this.#making += 1
    const { promise: named, resolve, reject } = Promise.withResolvers<string>()
    // A crate is named after its Room.
    named.catch(() => {})
    const made = this.#made(room.roomId, source, format)
    const bytes = format === "crate" ? made : withoutName(made, resolve, reject)
    const spool = new Spool(bytes, this.#space, () => {
      this.#making -= 1
    })
    const shared = { spool, of, begunAt: performance.now(), named }
    this.#shared.add(shared)
    setTimeout(() => this.#clear(), limits.exportSharedSeconds * 1000).unref()
    return shared
  }

  /** Whether another file may be begun: if necessary, one that nobody reads goes for it. */
  #hasRoom(): boolean {
    if (this.#shared.size < limits.exportSpools) return true
    const [unread] = [...this.#shared].filter(({ spool }) => spool.isIdle)
    unread?.spool.unshare()
    this.#clear()
    return unread !== undefined
  }

  /** Closes the files that are too old for another reader, and forgets those that have none. */
  #clear(): void {
    for (const shared of this.#shared) {
      if (performance.now() - shared.begunAt >= limits.exportSharedSeconds * 1000) shared.spool.unshare()
      if (!shared.spool.isShared && shared.spool.isIdle) this.#shared.delete(shared)
    }
  }

  /** The reads of exports. Each is of one snapshot, however long it takes. */
  reads() {
    return {
      room_export: async ({ params, baseUrl = "", caller }) =>
        withFirstBytes(await this.open(params.roomId, { baseUrl, softwareVersion }, "crate", caller)),
      room_sqlite: async ({ params, baseUrl = "", caller }) =>
        withFirstBytes(await this.open(params.roomId, { baseUrl, softwareVersion }, "sqlite", caller)),
    } satisfies Partial<Readers>
  }
}

const crateNameOf = (room: RoomSummary): string => `${plainName(room.title)}.crate.zip`

/** Takes the first piece of an SQLite file, which is its name. */
async function* withoutName(
  bytes: AsyncGenerator<Uint8Array>,
  named: (name: string) => void,
  failed: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    const { value } = await bytes.next()
    named(new TextDecoder().decode(value))
    yield* bytes
  } catch (error) {
    failed(error)
    throw error
  }
}

/**
 * Streams a file to its reader. Stops if the reader disconnects, or reads too slowly: what it takes beyond
 * `exportStallSeconds` must come at the least rate.
 */
function watched(reading: Reading, leave: () => void): ReadableStream<Uint8Array> {
  let ended = false
  /** Milliseconds for which the export has waited for its reader, and when it began to wait. */
  let [waitedMs, waitsSince, sent] = [0, 0, 0]
  let stall: NodeJS.Timeout | undefined
  let deadline: NodeJS.Timeout | undefined
  const end = () => {
    clearTimeout(stall)
    clearTimeout(deadline)
    if (!ended) leave()
    ended = true
  }
  const abortAfter = (controller: ReadableStreamDefaultController<Uint8Array>, seconds: number, why: string) =>
    setTimeout(() => {
      end()
      controller.error(new Error(why))
    }, seconds * 1000).unref()
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        deadline = abortAfter(controller, limits.exportSeconds, "an export took too long")
      },
      async pull(controller) {
        clearTimeout(stall)
        if (waitsSince > 0) waitedMs += performance.now() - waitsSince
        try {
          const { done, value } = await reading.next()
          if (ended) return
          if (done === true) {
            end()
            controller.close()
            return
          }
          sent += value.length
          controller.enqueue(value)
        } catch (error) {
          end()
          throw error
        }
        waitsSince = performance.now()
        const left = limits.exportStallSeconds + sent / limits.exportLeastRate - waitedMs / 1000
        const seconds = Math.max(0, Math.min(left, limits.exportStallSeconds))
        stall = abortAfter(controller, seconds, "the reader of an export stopped reading or reads too slowly")
      },
      cancel: end,
    },
    // Makes nothing before the reader asks for it.
    { highWaterMark: 0 },
  )
}

/**
 * Waits for the first bytes of a download. If they cannot be made, the reader gets a refusal instead of a broken
 * connection.
 */
async function withFirstBytes({ name, bytes }: Download): Promise<Download> {
  const reader = bytes.getReader()
  let first: Awaited<ReturnType<typeof reader.read>> | undefined = await reader.read()
  const rest: AsyncIterator<Uint8Array, unknown> = {
    async next() {
      const waiting = first
      first = undefined
      return waiting ?? reader.read()
    },
    async return() {
      await reader.cancel()
      return { done: true, value: undefined }
    },
  }
  return { name, bytes: ReadableStream.from({ [Symbol.asyncIterator]: () => rest }) }
}

// Makes the files of Rooms in a separate process, so that this does not delay small reads.

/** The input of the process. */
export interface FileOrder {
  /** The database, which the process opens read-only, in its state at that time. */
  readonly file: string
  readonly roomId: string
  readonly source: RoomSource
}

const bounds = { seconds: limits.exportPieceSeconds, megabytes: limits.exportMegabytes }

/** `retryAfter` in seconds. */
const PROCESS_RETRY = 10

/** Makes files of the Rooms in a database. @throws Refusal 503 if the process is lost or exceeds its limits */
export const filesOf = (file: string): RoomFiles =>
  async function* (roomId, source, format) {
    const job: StreamJob<FileOrder> = { name: format, bounds }
    try {
      yield* exporting.stream(job, { file, roomId, source })
    } catch (error) {
      if (!(error instanceof TooCostly || error instanceof ProcessLost)) throw error
      throw new Refusal("temporarily_unavailable", "The process that made the export ended.", {
        retryAfter: PROCESS_RETRY,
        cause: error,
      })
    }
  }

export const domain = {
  reads: [({ exports }: { exports: Exports }) => exports.reads()],
} satisfies Domain
