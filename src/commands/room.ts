/** `research-room room`: Rooms, for an operator without a browser. */
import { Command } from "commander"
import { dataOption } from "../settings.ts"
import { printTable } from "./table.ts"
import { withInstance } from "./with-instance.ts"

const list = () =>
  new Command("list")
    .description("list the Rooms of this instance")
    .addOption(dataOption())
    .action(({ data }: { data: string }) =>
      withInstance(data, ({ tables }) => {
        const rows = tables.rooms
          .all()
          .map((room) => [room.roomId, room.state, room.owner.username, String(room.activityWatermark), room.title])
        printTable(["ROOM ID", "STATE", "OWNER", "ACTIVITY", "TITLE"], rows)
      }),
    )

export const roomCommand = (): Command => new Command("room").description("Rooms of this instance").addCommand(list())
