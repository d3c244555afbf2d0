/** The exports under way: a few at a time, and none that waits for ever on a reader who has stopped. */
import { limits } from "../../contract/limits.ts"
import { noSuch } from "../../contract/objects/no-such.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { Download, Readers } from "../../ledger/reads/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import { softwareVersion } from "../../version.ts"
import type { Source } from "./metadata.ts"

/** What makes the bytes of a Room's crate. */
export type Crates = (roomId: string, source: Source) => AsyncGenerator<Uint8Array>

/** Crates made by this thread. @param openReader opens a connection for each */
export const cratesOn = (openReader: () => Db): Crates =>
  async function* (roomId, source) {
    const { crate } = await import("./crate.ts")
    yield* crate(openReader, roomId, source)
  }

/** A name for the file, of letters that every system takes. */
export function crateName(title: string): string {
  const words =
    title
      .normalize("NFD")
      .replace(/\p{M}/gu, "")
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  return `${words.join("-").slice(0, 60) || "room"}.crate.zip`
}

/** The Rooms that are exported, what makes their crates, and the instance that they say they come from. */
interface ExportedRooms {
  readonly rooms: Rooms
  readonly crates: Crates
  readonly instanceId: string
}

/** The `retryAfter` in seconds while other exports run. */
const RETRY = 10

export class Exports {
  readonly #exported: ExportedRooms
  #open = 0

  constructor(exported: ExportedRooms) {
    this.#exported = exported
  }

  /** A Room's name for its crate, and the crate's bytes. @throws Refusal 404 */
  bytes(
    roomId: string,
    { baseUrl, softwareVersion }: Omit<Source, "instanceId">,
  ): { readonly name: string; readonly bytes: AsyncGenerator<Uint8Array> } {
    const { rooms, crates, instanceId } = this.#exported
    const room = rooms.summary(roomId)
    if (room === undefined) throw noSuch("room")
    return { name: crateName(room.title), bytes: crates(roomId, { baseUrl, instanceId, softwareVersion }) }
  }

  /** The same for a reader elsewhere, who may go away or stop reading. @throws Refusal 404, 429 while too many are under way */
  open(roomId: string, source: Omit<Source, "instanceId">): Download {
    const { name, bytes } = this.bytes(roomId, source)
    if (this.#open >= limits.exports) throw new Refusal("too_many_requests", "Other exports are under way.", { retryAfter: RETRY })
    this.#open += 1
    return { name, bytes: this.#watched(bytes) }
  }

  /** The read of it: of one moment too, by a snapshot on a connection of its own that lasts until the last byte. */
  reads() {
    return {
      room_export: ({ params, baseUrl = "" }) => begun(this.open(params.roomId, { baseUrl, softwareVersion })),
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
            const { done, value } = await bytes.next()
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
