/** `research-room mirror`: manages the Rooms of other instances that this one follows, even while a service runs. */
import { Command } from "commander"
import { originAt, type Serving, Unreachable } from "../app/mirrors/origin.ts"
import { isUuid } from "../contract/schema/fields.ts"
import { isoTime } from "../ledger/world.ts"
import { DataError } from "../ledger/storage/opening.ts"
import type { Instance } from "../app/compose/instance.ts"
import { otherInstance, type Parting, partingFrom } from "../app/mirrors/parting.ts"
import { CrateFault } from "../research/import/crate-file.ts"
import { option, UsageError, webAddress } from "../settings.ts"
import { dropFrom } from "./dropping.ts"
import { jsonOption, type ListOptions, printList } from "./table.ts"
import { dataCommand, withInstance } from "./with-instance.ts"

function roomIdOf(room: string): string {
  if (!isUuid(room)) throw new UsageError(`${room} is not the id of a Room.`)
  return room.toLowerCase()
}

/** @throws DataError if the origin does not answer, or its answer is not valid */
async function fromOrigin<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof CrateFault || error instanceof Unreachable)
      throw new DataError(`${error.message} Nothing was changed.`)
    throw error
  }
}

/** Reads the Room at its origin, so that a Room that cannot be followed is refused at once. */
const readRoom = (baseUrl: string, roomId: string): Promise<{ title: string; serving: Serving }> =>
  fromOrigin(async () => {
    const origin = originAt(baseUrl)
    const serving = await origin.instance()
    const room = await origin.room(roomId)
    if (room.origin !== null)
      throw new CrateFault(`The Room ${roomId} is itself from ${room.origin.baseUrl}; follow it there.`)
    return { title: room.title, serving }
  })

const readParting = (instance: Instance, baseUrl: string, roomId: string): Promise<Parting | null> =>
  fromOrigin(() => partingFrom(instance, originAt(baseUrl), roomId))

interface AddOptions {
  readonly data: string
  readonly afresh?: true
}

/** @throws UsageError if the Room here differs from its origin, unless it is here only because other Rooms cite it */
async function mustMatchOrigin(instance: Instance, serving: Serving, roomId: string): Promise<void> {
  const other = otherInstance(instance, serving, roomId)
  if (other !== null) throw new UsageError(`${other} Nothing was changed.`)
  const parting = await readParting(instance, serving.from.baseUrl, roomId)
  if (parting !== null && !instance.tables.leaving.cameAlong(roomId, parting.sequence))
    throw new UsageError(`${parting.why} Nothing was changed.`)
}

const follow = ({ ledger, tables, world }: Instance, baseUrl: string, roomId: string, title: string) =>
  ledger.transact(() => {
    tables.mirrors.put(roomId, baseUrl, isoTime(world.now()))
    tables.audit.write({
      kind: "add_mirror",
      subject: { kind: "room", id: roomId, name: title },
      roomId,
      detail: { from: baseUrl },
    })
  })

async function add(baseUrl: string, room: string, { data, afresh }: AddOptions): Promise<void> {
  const roomId = roomIdOf(room)
  const { title, serving } = await readRoom(baseUrl, roomId)
  await withInstance(
    data,
    async (instance) => {
      const { tables } = instance
      if (tables.rooms.openingThread(roomId) !== undefined && tables.imported.from(roomId) === undefined)
        throw new UsageError(`The Room ${roomId} is this instance's own.`)
      if (afresh === undefined) await mustMatchOrigin(instance, serving, roomId)
      else {
        const parting = await readParting(instance, baseUrl, roomId)
        if (parting === null) console.log("Nothing was dropped: the Room is the same here and at its origin.")
        else await dropFrom(instance, { roomId, from: parting.sequence }, { data, baseUrl })
        if (otherInstance(instance, serving, roomId) !== null)
          await instance.ledger.transact(() =>
            instance.importing.import_room(null, { roomId, ...serving.from, people: [] }),
          )
      }
      await follow(instance, baseUrl, roomId, title)
    },
    { make: true, alone: afresh === true },
  )
  console.log(`${title} (${roomId}) of ${baseUrl} is followed from now on, while this instance is served.`)
}

const addCommand = () =>
  dataCommand("add", "follow a Room of another instance: serve copies it and keeps it up to date")
    .argument("<address>", "the address of the other instance", webAddress)
    .argument("<room>", "the Room's id")
    .addOption(
      option(
        "--afresh",
        "if the origin's history differs: export the Room into the data folder, drop it from the first entry that differs, and follow the origin again; in data that no service uses",
      ),
    )
    .action(add)

const list = () =>
  dataCommand("list", "list the followed Rooms, with the last entry here and at the origin")
    .addOption(jsonOption())
    .work(({ tables, ledger }, format: ListOptions) => {
      const rows = tables.mirrors.all().map((each) => ({
        ...each,
        throughSequence: ledger.activity.watermark(each.roomId),
        unproved: tables.withheld.unproved(each.roomId),
      }))
      printList(rows, format, {
        "ROOM ID": "roomId",
        FROM: "baseUrl",
        HERE: "throughSequence",
        THERE: "originSequence",
        "LAST HEARD OF": ({ heardAt }) => heardAt ?? "never",
        "NOT PROVED": ({ unproved }) => unproved.join(" "),
        STATE: ({ stopped }) => stopped ?? "followed",
      })
    })

const remove = () =>
  dataCommand("remove", "stop following a Room; its copy here stays")
    .argument("<room>", "the Room's id")
    .work(async ({ ledger, tables }, room: string) => {
      const roomId = roomIdOf(room)
      const wasFollowed = await ledger.transact(() => {
        const removed = tables.mirrors.remove(roomId)
        const subject = { kind: "room", id: roomId, name: tables.rooms.summary(roomId)?.title ?? null }
        if (removed) tables.audit.write({ kind: "remove_mirror", subject, roomId })
        return removed
      })
      if (!wasFollowed) throw new UsageError(`The Room ${roomId} is not followed.`)
      console.log(`The Room ${roomId} is no longer followed; its copy here stays.`)
    })

export const mirrorCommand = (): Command =>
  new Command("mirror")
    .description("Rooms of other instances that are followed here")
    .addCommand(addCommand())
    .addCommand(list())
    .addCommand(remove())
