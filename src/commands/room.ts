/** `research-room room`: Rooms, for an operator without a browser. */
import { Command } from "commander"
import type { Instance } from "../app/compose/instance.ts"
import { lockFolder } from "../ledger/storage/ownership.ts"
import { dataOption, option, UsageError } from "../settings.ts"
import { admitAs, personNamed } from "./admit-as.ts"
import { dropWhole } from "./dropping.ts"
import { jsonOption, printList } from "./table.ts"
import { withInstance } from "./with-instance.ts"

const list = () =>
  new Command("list")
    .description("list the Rooms of this instance")
    .addOption(dataOption())
    .addOption(jsonOption())
    .action(({ data, ...how }: { data: string; json?: boolean }) =>
      withInstance(data, ({ tables }) => {
        const rooms = tables.rooms.all()
        const bytes = tables.rooms.acceptedBytes(rooms.map(({ roomId }) => roomId))
        const sized = rooms.map((room) => ({ ...room, acceptedBytes: bytes.get(room.roomId) ?? 0 }))
        printList(sized, how, ["ROOM ID", "STATE", "OWNER", "ACTIVITY", "BYTES", "TITLE"], (room) => [
          room.roomId,
          room.state,
          room.owner.username,
          String(room.activityWatermark),
          String(room.acceptedBytes),
          room.title,
        ])
      }),
    )

interface TransferOptions {
  readonly data: string
  readonly to: string
  readonly reason: string
  readonly by?: string
}

/** The operator in whose name the command acts: the record names them. @throws UsageError */
export function operatorOf(instance: Instance, given: string | undefined): string {
  const { people } = instance.tables
  const operators = people.all().filter(({ userId }) => people.isOperator(userId))
  const [first, ...others] = operators
  if (given === undefined && first !== undefined && others.length === 0) return first.username
  const named = operators.find(({ username }) => username === given?.toLowerCase())
  if (named !== undefined) return named.username
  const names = operators.map(({ username }) => username).join(", ")
  throw new UsageError(
    given === undefined ? `Say with --by which operator does it: ${names}.` : `${given} is not an operator here: ${names}.`,
  )
}

const transfer = () =>
  new Command("transfer")
    .description("give a Room another owner, with a reason that everybody can read; who owned it stays a member")
    .argument("<room>", "the Room's id")
    .addOption(dataOption())
    .addOption(option("--to <username>", "the new owner, a member or not").makeOptionMandatory())
    .addOption(option("--reason <text>", "why").makeOptionMandatory())
    .addOption(option("--by <username>", "the operator who does it (the default if there is only one)"))
    .action((room: string, { data, to, reason, by }: TransferOptions) =>
      withInstance(data, async (instance) => {
        const roomId = room.toLowerCase()
        if (instance.tables.rooms.openingThread(roomId) === undefined) throw new UsageError(`There is no Room ${room}.`)
        const { userId } = personNamed(instance, to)
        const done = await admitAs(instance, operatorOf(instance, by), "transfer_room", { roomId, userId }, { reason })
        console.log(`The Room ${roomId} is ${done.username}'s now.`)
      }),
    )

const forget = () =>
  new Command("forget")
    .description("drop a Room of another instance that nothing here cites, in data that no service uses, and stop following it")
    .argument("<room>", "the Room's id")
    .addOption(dataOption())
    .action(async (room: string, { data }: { data: string }) => {
      // A running service keeps in memory what it read of the Room.
      const release = lockFolder(data)
      try {
        await withInstance(data, async (instance) => {
          const { tables } = instance
          const roomId = room.toLowerCase()
          const title = tables.rooms.summary(roomId)?.title
          if (title === undefined) throw new UsageError(`There is no Room ${room}.`)
          if (tables.imported.from(roomId) === undefined)
            throw new UsageError(`The Room ${roomId} is this instance's own and cannot be dropped. Nothing was changed.`)
          await dropWhole(instance, roomId)
          console.log(
            `${title} (${roomId}) is no longer here, and is followed no longer. Backups and exports made before now still hold it.`,
          )
        })
      } finally {
        release()
      }
    })

export const roomCommand = (): Command =>
  new Command("room").description("Rooms of this instance").addCommand(list()).addCommand(transfer()).addCommand(forget())
