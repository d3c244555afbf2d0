/** `research-room room`: Rooms, for an operator without a browser. */
import { Command } from "commander"
import { dataOption } from "../settings.ts"
import { jsonOption, printList } from "./table.ts"
import { withInstance } from "./with-instance.ts"

const list = () =>
  new Command("list")
    .description("list the Rooms of this instance")
    .addOption(dataOption())
    .addOption(jsonOption())
    .action(({ data, ...how }: { data: string; json?: boolean }) =>
      withInstance(data, ({ tables }) =>
        printList(tables.rooms.all(), how, ["ROOM ID", "STATE", "OWNER", "ACTIVITY", "TITLE"], (room) => [
          room.roomId,
          room.state,
          room.owner.username,
          String(room.activityWatermark),
          room.title,
        ]),
      ),
    )

export const roomCommand = (): Command => new Command("room").description("Rooms of this instance").addCommand(list())
