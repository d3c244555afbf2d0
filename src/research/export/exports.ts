/** The exports under way: a few at a time, and none that waits for ever on a reader who has stopped. */
import type { RoomSummary } from "../../contract/answers/index.ts"
import { limits } from "../../contract/limits.ts"
import { noSuch } from "../../contract/objects/no-such.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { Download, Readers } from "../../ledger/reads/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import { softwareVersion } from "../../version.ts"
import type { Source } from "./metadata.ts"
import { plainName } from "./paths.ts"

/** The forms that a Room is written in. */
export type FileForm = "crate" | "sqlite"

/** What makes the bytes of a Room's file; of an SQLite file its name comes first, as a piece of its own. */
export type RoomFiles = (roomId: string, source: Source, form: FileForm) => AsyncGenerator<Uint8Array>

/** Files made by this thread. @param openReader opens a connection for each */
export const filesOn = (openReader: () => Db): RoomFiles =>
  async function* (roomId, source, form) {
    if (form === "crate") yield* (await import("./crate.ts")).crate(openReader, roomId, source)
    else yield* (await import("./sqlite-file.ts")).roomFile(openReader, roomId, source)
  }

/** The Rooms that are exported, what makes their files, and the instance that they say they come from. */
interface ExportedRooms {
  readonly rooms: Rooms
  readonly files: RoomFiles
  readonly instanceId: string
}

/** Where an export says that it comes from. */
type ExportSource = Omit<Source, "instanceId">
interface Named {
  readonly name: string
  readonly bytes: AsyncGenerator<Uint8Array>
}

/** The `retryAfter` in seconds while other exports run. */
const RETRY = 10

export class Exports {
  readonly #exported: ExportedRooms
  #open = 0

  constructor(exported: ExportedRooms) {
    this.#exported = exported
  }

  /** A Room's crate. @throws Refusal 404 */
  bytes(roomId: string, source: ExportSource): Named {
    return { name: `${plainName(this.#mustFind(roomId).title)}.crate.zip`, bytes: this.#made(roomId, source, "crate") }
  }

  /** A Room as an SQLite file, which tells its name itself. @throws Refusal 404, 503 where it can't be made */
  async sqlite(roomId: string, source: ExportSource): Promise<Named> {
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

  #made(roomId: string, { baseUrl, softwareVersion }: ExportSource, form: FileForm): AsyncGenerator<Uint8Array> {
    const { files, instanceId } = this.#exported
    return files(roomId, { baseUrl, instanceId, softwareVersion }, form)
  }

  /** The same for a reader elsewhere, who may go away or stop reading. @throws Refusal 404, 429 while too many are under way */
  open(roomId: string, source: ExportSource): Download {
    const { name, bytes } = this.bytes(roomId, source)
    this.#begin()
    return { name, bytes: this.#watched(bytes) }
  }

  /** The same of the SQLite file. @throws Refusal 503 too, where it can't be made */
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

  /** @throws Refusal 429 while too many are under way */
  #begin(): void {
    if (this.#open >= limits.exports) throw new Refusal("too_many_requests", "Other exports are under way.", { retryAfter: RETRY })
    this.#open += 1
  }

  /** The read of it: of one moment too, by a snapshot on a connection of its own that lasts until the last byte. */
  reads() {
    return {
      room_export: ({ params, baseUrl = "" }) => begun(this.open(params.roomId, { baseUrl, softwareVersion })),
      room_sqlite: async ({ params, baseUrl = "" }) => begun(await this.openSqlite(params.roomId, { baseUrl, softwareVersion })),
    } satisfies Partial<Readers>
  }

  /** A stream that makes what is read, and ends the making when its reader goes, or takes nothing for too long. */
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
    const givenUp = (controller: ReadableStreamDefaultController<Uint8Array>, seconds: number, why: string) =>
      setTimeout(() => {
        end()
        controller.error(new Error(why))
        void bytes.return(undefined)
      }, seconds * 1000).unref()
    return new ReadableStream<Uint8Array>(
      {
        start(controller) {
          deadline = givenUp(controller, limits.exportSeconds, "an export took too long")
        },
        async pull(controller) {
          clearTimeout(stall)
          try {
            let { done, value } = await bytes.next()
            // A piece without bytes says that the work goes on.
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
          if (!ended) stall = givenUp(controller, limits.exportStallSeconds, "the reader of an export stopped reading")
        },
        async cancel() {
          end()
          await bytes.return(undefined)
        },
      },
      // Nothing is made before it is asked for.
      { highWaterMark: 0 },
    )
  }
}

/** A download whose first bytes are there. Where they can't be made, its reader gets a refusal and not a connection that breaks off. */
async function begun({ name, bytes }: Download): Promise<Download> {
  const reader = bytes.getReader()
  const first = await reader.read()
  return {
    name,
    bytes: new ReadableStream<Uint8Array>(
      {
        start(controller) {
          if (first.value !== undefined) controller.enqueue(first.value)
          if (first.done) controller.close()
        },
        async pull(controller) {
          const { done, value } = await reader.read()
          if (done) controller.close()
          else controller.enqueue(value)
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    ),
  }
}
