/** Runs exports: only a few at a time, and none that waits forever for a reader that has stopped. */
import type { RoomSummary } from "../../contract/answers/index.ts"
import { limits } from "../../contract/limits.ts"
import { noSuch } from "../../contract/objects/no-such.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { Download, Readers } from "../../ledger/reads/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import { softwareVersion } from "../../version.ts"
import type { RoomSource } from "../../rooms/imported.ts"
import { plainName } from "./paths.ts"
import { ProcessLost, TooCostly } from "../../jobs/child.ts"
import type { StreamJob } from "../../jobs/job.ts"
import { exporting } from "../../jobs/pool.ts"

/** The formats of an exported Room. */
type ExportFormat = "crate" | "sqlite"

/** Makes the bytes of a Room's file. The first chunk of an SQLite file is its name. */
export type RoomFiles = (roomId: string, source: RoomSource, format: ExportFormat) => AsyncGenerator<Uint8Array>

/** Makes files on this thread. @param openReader opens a connection for each */
export const filesOn = (openReader: () => Db): RoomFiles =>
  async function* (roomId, source, format) {
    if (format === "crate") yield* (await import("./crate.ts")).crate(openReader, roomId, source)
    else yield* (await import("./sqlite-file.ts")).roomFile(openReader, roomId, source)
  }

/** The Rooms to export, the function that makes their files, and the instance that they come from. */
interface ExportedRooms {
  readonly rooms: Rooms
  readonly files: RoomFiles
  readonly instanceId: string
}

type ExportSource = Omit<RoomSource, "instanceId">
/** `retryAfter` in seconds while other exports run. */
const RETRY = 10

export class Exports {
  readonly #exported: ExportedRooms
  #open = 0
  readonly #callers = new Set<string>()

  constructor(exported: ExportedRooms) {
    this.#exported = exported
  }

  /** A Room's crate. @throws Refusal 404 */
  bytes(roomId: string, source: ExportSource) {
    return { name: `${plainName(this.#mustFind(roomId).title)}.crate.zip`, bytes: this.#made(roomId, source, "crate") }
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
   * Streams a Room's crate to a client, which may disconnect or stop reading. @throws Refusal 404, or 429 while too
   * many exports run
   * @param caller who gets one export at a time
   */
  open(roomId: string, source: ExportSource, caller?: string): Download {
    const { name, bytes } = this.bytes(roomId, source)
    return { name, bytes: this.#watched(bytes, this.#begin(caller)) }
  }

  /** Streams the SQLite file in the same way. @throws Refusal 503 too, if it cannot be made */
  async openSqlite(roomId: string, source: ExportSource, caller?: string): Promise<Download> {
    this.#mustFind(roomId)
    const leave = this.#begin(caller)
    try {
      const { name, bytes } = await this.sqlite(roomId, source)
      return { name, bytes: this.#watched(bytes, leave) }
    } catch (error) {
      leave()
      throw error
    }
  }

  /** Takes a place. @returns a function that gives it back @throws Refusal 429 while too many exports run */
  #begin(caller: string | undefined): () => void {
    const refuse = (sentence: string) => new Refusal("too_many_requests", sentence, { retryAfter: RETRY })
    if (caller !== undefined && this.#callers.has(caller))
      throw refuse("Another export for this caller is running. Wait until it ends.")
    if (this.#open >= limits.exports) throw refuse("Other exports are running.")
    this.#open += 1
    if (caller !== undefined) this.#callers.add(caller)
    return () => {
      this.#open -= 1
      if (caller !== undefined) this.#callers.delete(caller)
    }
  }

  /** The reads of exports. Each reads one snapshot on its own connection until the last byte. */
  reads() {
    return {
      room_export: ({ params, baseUrl = "", caller }) =>
        withFirstBytes(this.open(params.roomId, { baseUrl, softwareVersion }, caller)),
      room_sqlite: async ({ params, baseUrl = "", caller }) =>
        withFirstBytes(await this.openSqlite(params.roomId, { baseUrl, softwareVersion }, caller)),
    } satisfies Partial<Readers>
  }

  /**
   * Streams bytes as they are read. Stops if the reader disconnects, or reads too slowly: what it takes beyond
   * `exportStallSeconds` must come at the least rate.
   */
  #watched(bytes: AsyncGenerator<Uint8Array>, leave: () => void): ReadableStream<Uint8Array> {
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
        void bytes.return(undefined)
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
            let { done, value } = await bytes.next()
            // An empty chunk means that work is still in progress.
            while (!done && value?.length === 0) ({ done, value } = await bytes.next())
            if (done) {
              end()
              controller.close()
              return
            }
            sent += value?.length ?? 0
            controller.enqueue(value)
          } catch (error) {
            end()
            throw error
          }
          if (ended) return
          waitsSince = performance.now()
          const left = limits.exportStallSeconds + sent / limits.exportLeastRate - waitedMs / 1000
          const seconds = Math.max(0, Math.min(left, limits.exportStallSeconds))
          stall = abortAfter(controller, seconds, "the reader of an export stopped reading or reads too slowly")
        },
        async cancel() {
          end()
          await bytes.return(undefined)
        },
      },
      // Makes nothing before the reader asks for it.
      { highWaterMark: 0 },
    )
  }
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
