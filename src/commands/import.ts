/** `research-room import`: a Room of another instance out of its export. */
import { existsSync } from "node:fs"
import { Command } from "commander"
import { importCrate } from "../app/mirrors/import.ts"
import { messageOf } from "../contract/faults.ts"
import { onlySaid, unprovedWords } from "../contract/unproved.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { CrateFault } from "../research/import/crate-file.ts"
import { isStorageFault } from "../ledger/storage/database.ts"
import { DataError } from "../ledger/storage/opening.ts"
import { lockFolder } from "../ledger/storage/ownership.ts"
import { dataOption, option, UsageError } from "../settings.ts"
import { personNamed } from "./admit-as.ts"
import { checkingBar } from "./progress.ts"
import { withInstance } from "./with-instance.ts"

interface Options {
  readonly data: string
  readonly adopt?: true
  readonly owner?: string
}

/** @throws DataError that says why, where the crate or the disk is at fault */
function notImported(error: unknown): never {
  if (isStorageFault(error)) throw new DataError(`The data cannot be written (${messageOf(error)}). Nothing was imported.`)
  if (error instanceof Refusal && error.details.committed === null) throw error
  throw error instanceof Refusal || error instanceof CrateFault ? new DataError(`${error.message} Nothing was imported.`) : error
}

async function run(file: string, { data, adopt, owner }: Options): Promise<void> {
  if (!existsSync(file)) throw new UsageError(`There is no file ${file}.`)
  if ((adopt === undefined) !== (owner === undefined)) throw new UsageError("--adopt and --owner must be given together.")
  const release = lockFolder(data)
  const bar = checkingBar()
  try {
    await withInstance(
      data,
      async (instance) => {
        const adoptedBy = owner === undefined ? undefined : personNamed(instance, owner)
        const imported = importCrate(instance, file, { adoptedBy, onProgress: bar.update }).catch(notImported)
        const { roomId, title, origin, added, cited, unproved } = await imported
        bar.stop()
        const { baseUrl, throughSequence, mirror } = origin
        if (added === 0)
          console.log(`Nothing in ${file} is new: ${title} (${roomId}) of ${baseUrl} is here through entry ${throughSequence}.`)
        else
          console.log(
            `${title} (${roomId}) of ${baseUrl} is here through entry ${throughSequence}: ${added} writes were replayed and proved.`,
          )
        if (unproved.length > 0) console.log(unprovedWords({ entries: unproved.length, sequences: unproved }))
        if (added > 0) console.log(onlySaid)
        if (added > 0 && cited > 0)
          console.log(
            `${cited} other ${cited === 1 ? "Room" : "Rooms"} came along, for it names something of ${cited === 1 ? "it" : "them"}.`,
          )
        if (adoptedBy !== undefined)
          console.log(
            `It is this instance's own from now on, and ${adoptedBy.username}'s: what is written at ${baseUrl} after entry ${throughSequence} no longer arrives.${mirror === null ? "" : " It was followed, and is no longer."}`,
          )
      },
      { make: adopt === undefined },
    )
  } finally {
    bar.stop()
    release()
  }
}

export const importCommand = (): Command =>
  new Command("import")
    .description(
      "import a Room of another instance from its export, into a data folder that no service uses: to read, search and cite it here, or to continue it",
    )
    .argument("<file>", "the export, a zip")
    .addOption(dataOption())
    .addOption(option("--adopt", "make the Room this instance's own: it accepts writes here and stops following its origin"))
    .addOption(option("--owner <name>", "with --adopt: the user of this instance who will own it"))
    .action(run)
