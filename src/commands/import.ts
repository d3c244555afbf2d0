/** `research-room import`: a Room of another instance out of its export. */
import { existsSync } from "node:fs"
import { Command } from "commander"
import { importCrate } from "../app/import.ts"
import { messageOf } from "../contract/faults.ts"
import { CrateFault } from "../research/import/crate-file.ts"
import { DataError, isStorageFault } from "../ledger/database.ts"
import { lockFolder } from "../ledger/ownership.ts"
import { dataOption, UsageError } from "../settings.ts"
import { checkingBar } from "./progress.ts"
import { withInstance } from "./with-instance.ts"

async function run(file: string, { data }: { readonly data: string }): Promise<void> {
  if (!existsSync(file)) throw new UsageError(`There is no file ${file}.`)
  const release = lockFolder(data)
  const bar = checkingBar()
  try {
    await withInstance(
      data,
      async (instance) => {
        const { roomId, title, origin, added, cited } = await importCrate(instance, file, bar.update)
        bar.stop()
        const { baseUrl, throughSequence } = origin
        if (added === 0)
          console.log(`Nothing in ${file} is new: ${title} (${roomId}) of ${baseUrl} is here through entry ${throughSequence}.`)
        else
          console.log(
            `${title} (${roomId}) of ${baseUrl} is here through entry ${throughSequence}: ${added} writes were done again and proved.`,
          )
        if (added > 0 && cited > 0)
          console.log(
            `${cited} other ${cited === 1 ? "Room" : "Rooms"} came along, for it names something of ${cited === 1 ? "it" : "them"}.`,
          )
      },
      { make: true },
    )
  } catch (error) {
    if (isStorageFault(error)) throw new DataError(`The data cannot be written (${messageOf(error)}). Nothing was imported.`)
    throw error instanceof CrateFault ? new DataError(`${error.message} Nothing was imported.`) : error
  } finally {
    bar.stop()
    release()
  }
}

export const importCommand = (): Command =>
  new Command("import")
    .description(
      "read a Room of another instance out of its export, into a data folder that nobody serves: to read, search and cite it here",
    )
    .argument("<file>", "the export, a zip")
    .addOption(dataOption())
    .action(run)
