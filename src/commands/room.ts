/** `research-room room`: manages Rooms, for an operator without a browser. */
import { Command } from "commander"
import { Refusal } from "../contract/refusals/refusal.ts"
import { option, UsageError } from "../settings.ts"
import { jsonOption, type ListOptions, printList } from "./terminal.ts"
import { admitAs, dataCommand, operatorNamed, personNamed, roomWithId } from "./with-instance.ts"

const list = () =>
  dataCommand("list", "list the Rooms of this instance")
    .addOption(jsonOption())
    .work(({ tables }, format: ListOptions) => {
      const rooms = tables.rooms.all()
      const bytes = tables.rooms.acceptedBytes(rooms.map(({ roomId }) => roomId))
      const rows = rooms.map((room) => ({ ...room, acceptedBytes: bytes.get(room.roomId) ?? 0 }))
      printList(rows, format, {
        "ROOM ID": "roomId",
        STATE: "state",
        OWNER: ({ owner }) => owner.username,
        ACTIVITY: "activityWatermark",
        BYTES: "acceptedBytes",
        TITLE: "title",
      })
    })

interface TransferOptions {
  readonly to: string
  readonly reason: string
  readonly by?: string
}

const transfer = () =>
  dataCommand("transfer", "give a Room another owner, with a public reason; the previous owner stays a member")
    .argument("<room>", "the Room's id")
    .addOption(option("--to <username>", "the new owner, a member or not").makeOptionMandatory())
    .addOption(option("--reason <text>", "why").makeOptionMandatory())
    .addOption(option("--by <username>", "the operator who does it (the default if there is only one)"))
    .work(async (instance, room: string, { to, reason, by }: TransferOptions) => {
      const roomId = roomWithId(instance, room)
      const { userId } = personNamed(instance, to)
      const { username } = await admitAs(
        instance,
        operatorNamed(instance, by),
        "transfer_room",
        { roomId, userId },
        { reason },
      )
      console.log(`The Room ${roomId} is ${username}'s now.`)
    })

const forget = () =>
  dataCommand("forget", "drop a Room of another instance that nothing here cites, in data that no service uses")
    .argument("<room>", "the Room's id")
    .work(
      async (instance, room: string) => {
        const { rooms, imported } = instance.tables
        const roomId = roomWithId(instance, room)
        const title = rooms.summary(roomId)?.title
        if (imported.from(roomId) === undefined)
          throw new UsageError(`The Room ${roomId} is this instance's own and cannot be dropped. Nothing was changed.`)
        await instance.ledger.leave(roomId).catch((error: unknown) => {
          throw error instanceof Refusal && error.code === "state_conflict"
            ? new UsageError(`${error.message} Nothing was changed.`)
            : error
        })
        console.log(`${title} (${roomId}) was dropped. Backups and exports made before now still hold it.`)
      },
      { alone: true },
    )

export const roomCommand = (): Command =>
  new Command("room")
    .description("Rooms of this instance")
    .addCommand(list())
    .addCommand(transfer())
    .addCommand(forget())
