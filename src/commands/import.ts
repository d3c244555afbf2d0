/** `research-room import`: imports a Room of another instance from its export. */
import { existsSync } from "node:fs"
import type { Command } from "commander"
import { FailedError, messageOf } from "../contract/faults.ts"
import { onlySaid, unprovedWords } from "../contract/unproved.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { option, UsageError } from "../settings.ts"
import { withProgress } from "./terminal.ts"
import { dataCommand, personNamed, withInstance } from "./with-instance.ts"

interface Options {
  readonly data: string
  readonly adopt?: true
  readonly owner?: string
}

/** @throws FailedError with the reason if the crate or the disk is at fault, otherwise the error itself */
async function notImported(error: unknown): Promise<never> {
  const [{ CrateFault }, { isStorageFault }] = await Promise.all([
    import("../research/import/crate-file.ts"),
    import("../ledger/storage/database.ts"),
  ])
  if (isStorageFault(error))
    throw new FailedError(`The data cannot be written (${messageOf(error)}). Nothing was imported.`)
  if (error instanceof Refusal && error.details.committed === null) throw error
  throw error instanceof Refusal || error instanceof CrateFault
    ? new FailedError(`${error.message} Nothing was imported.`)
    : error
}

async function run(file: string, { data, adopt, owner }: Options): Promise<void> {
  if (!existsSync(file)) throw new UsageError(`There is no file ${file}.`)
  if ((adopt === undefined) !== (owner === undefined))
    throw new UsageError("--adopt and --owner must be given together.")
  const { importCrate } = await import("../app/imports/import.ts")
  await withInstance(
    data,
    async (instance) => {
      const adoptedBy = owner === undefined ? undefined : personNamed(instance, owner)
      const imported = withProgress((onProgress) => importCrate(instance, file, { adoptedBy, onProgress })).catch(
        notImported,
      )
      const { roomId, title, origin, added, cited, unproved } = await imported
      const { baseUrl, throughSequence } = origin
      if (added === 0)
        console.log(
          `Nothing in ${file} is new: ${title} (${roomId}) of ${baseUrl} is here through entry ${throughSequence}.`,
        )
      else
        console.log(
          `${title} (${roomId}) of ${baseUrl} is here through entry ${throughSequence}: ` +
            `${added} writes were replayed and proved.`,
        )
      if (unproved.length > 0) console.log(unprovedWords({ entries: unproved.length, sequences: unproved }))
      if (added > 0) console.log(onlySaid)
      if (added > 0 && cited > 0)
        console.log(
          `${cited} other ${cited === 1 ? "Room was" : "Rooms were"} imported too, because it cites ` +
            `${cited === 1 ? "it" : "them"}.`,
        )
      if (adoptedBy !== undefined)
        console.log(
          `This instance owns the Room now, and ${adoptedBy.username} is its owner. ` +
            `What is written at ${baseUrl} after entry ${throughSequence} is no longer imported.`,
        )
    },
    { make: adopt === undefined, alone: true },
  )
}

export const importCommand = (): Command =>
  dataCommand(
    "import",
    "import a Room of another instance from its export, or bring it forward from a newer one, into a data folder " +
      "that no service uses: to read, search and cite it here, or to continue it",
  )
    .argument("<file>", "the export, a zip file")
    .addOption(
      option(
        "--adopt",
        "make this instance the owner of the Room: it accepts writes here, and exports of its origin are refused",
      ),
    )
    .addOption(option("--owner <name>", "with --adopt: the user of this instance who will own the Room"))
    .action(run)
