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

/** The formats of an exported Room. */
export type ExportFormat = "crate" | "sqlite"

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
   */
  open(roomId: string, source: ExportSource): Download {
    const { name, bytes } = this.bytes(roomId, source)
    this.#begin()
    return { name, bytes: this.#watched(bytes) }
  }

  /** Streams the SQLite file in the same way. @throws Refusal 503 too, if it cannot be made */
  async openSqlite(roomId: string, source: ExportSource): Promise<Download> {
    this.#mustFind(roomId)
    this.#begin()
    try {
      const { name, bytes } = await this.sqlite(roomId, source)
      return { name, bytes: this.#watched(bytes) }
    } catch (error) {
      this.#open -= 1
      throw error
    }
  }

  /** @throws Refusal 429 while too many exports run */
  #begin(): void {
    if (this.#open >= limits.exports)
      throw new Refusal("too_many_requests", "Other exports are running.", { retryAfter: RETRY })
    this.#open += 1
  }

  /** The reads of exports. Each reads one snapshot on its own connection until the last byte. */
  reads() {
    return {
      room_export: ({ params, baseUrl = "" }) => withFirstBytes(this.open(params.roomId, { baseUrl, softwareVersion })),
      room_sqlite: async ({ params, baseUrl = "" }) =>
        withFirstBytes(await this.openSqlite(params.roomId, { baseUrl, softwareVersion })),
    } satisfies Partial<Readers>
  }

  /** Streams bytes as they are read. Stops if the reader disconnects or reads nothing for too long. */
  #watched(bytes: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
    let ended = false
    let stall: NodeJS.Timeout | undefined
    let deadline: NodeJS.Timeout | undefined
    const end = () => {
      clearTimeout(stall)
      clearTimeout(deadline)
      if (!ended) this.#open -= 1
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
          try {
            let { done, value } = await bytes.next()
            // An empty chunk means that work is still in progress.
            while (!done && value?.length === 0) ({ done, value } = await bytes.next())
            if (done) {
              end()
              controller.close()
              return
            }
            controller.enqueue(value)
          } catch (error) {
            end()
            throw error
          }
          if (!ended)
            stall = abortAfter(controller, limits.exportStallSeconds, "the reader of an export stopped reading")
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
