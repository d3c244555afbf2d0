/** `research-room backup` and `restore`. */
import { Command } from "commander"
import { backUp, restore } from "../ledger/backup.ts"
import type { CheckReport } from "../ledger/check.ts"
import { dataOption, namedOption } from "../settings.ts"
import { withInstance } from "./with-instance.ts"

const told = ({ rooms, activityEntries, records }: CheckReport) => `${rooms} Rooms, ${activityEntries} activity entries, ${records} records`

export const backupCommand = (): Command =>
  new Command("backup")
    .description("write a consistent, verified copy of the data to a new file, also while it is served")
    .argument("<file>")
    .addOption(dataOption())
    .action((file: string, { data }: { data: string }) =>
      withInstance(data, ({ db }) => console.log(`${file} holds ${told(backUp(db, file))}, verified.`)),
    )

export const restoreCommand = (): Command =>
  new Command("restore")
    .description("put a backup into a data folder that nobody serves")
    .argument("<file>")
    .addOption(dataOption())
    .addOption(namedOption("--force", "replace the data in the folder; it is kept under another name"))
    .action((file: string, { data, force = false }: { data: string; force?: boolean }) => {
      const { report, kept } = restore(file, data, { force })
      console.log(`${data} holds ${told(report)} again.`)
      if (kept !== null) console.log(`The data before it is kept as ${kept}.`)
      console.log(
        "Passwords, sessions and credentials are those of the backup: what was revoked since works again until it is revoked anew.",
      )
    })
