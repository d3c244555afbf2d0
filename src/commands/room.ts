/** Rooms, for an operator without a browser: `research-room room` manages them, `export` and `import` move one. */
import { Command } from "commander"
import { existsSync, renameSync, rmSync, statSync } from "node:fs"
import { open } from "node:fs/promises"
import { Refusal, FailedError, messageOf } from "../contract/refusals.ts"
import { option, UsageError, baseUrlOption } from "../settings.ts"
import { jsonOption, type ListOptions, printList, withProgress } from "./terminal.ts"
import {
  admitAs,
  dataCommand,
  operatorNamed,
  personNamed,
  roomWithId,
  refusalsAsUsage,
  withInstance,
} from "./with-instance.ts"
import type { Instance } from "../app/compose/instance.ts"
import { softwareVersion } from "../packaged.ts"
import { onlySaid, unprovedWords } from "../contract/unproved.ts"

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

// `research-room export`: writes a Room as an RO-Crate or an SQLite file, even while a service runs.

interface ExportOptions {
  readonly output?: string
  readonly baseUrl: string
  readonly sqlite?: true
}

/** The default address of `serve`. */
const STANDARD_URL = "http://127.0.0.1:8787"

/** Writes a new file. It gets its name only after all bytes are written. */
async function writeNew(bytes: AsyncIterable<Uint8Array>, file: string): Promise<void> {
  const partial = `${file}.partial-${process.pid}`
  try {
    // Opened before the first byte is produced: producing the export may take long.
    const handle = await open(partial, "wx")
    await handle.writeFile(bytes).finally(() => handle.close())
    renameSync(partial, file)
  } catch (error) {
    throw new FailedError(`The export could not be written to ${file} (${messageOf(error)}).`)
  } finally {
    rmSync(partial, { force: true })
  }
}

const ROOM_LIST = "research-room room list prints the ids of the Rooms."

async function exportRoom(
  { exports }: Instance,
  room: string,
  { output, baseUrl, sqlite }: ExportOptions,
): Promise<void> {
  const { isUuid } = await import("../contract/schema/fields.ts")
  if (!isUuid(room)) throw new UsageError(`${room} is not the id of a Room. ${ROOM_LIST}`)
  await refusalsAsUsage(async () => {
    const source = { baseUrl, softwareVersion }
    const { name, bytes } = sqlite
      ? await exports.sqlite(room.toLowerCase(), source)
      : exports.bytes(room.toLowerCase(), source)
    const file = output ?? name
    if (existsSync(file))
      throw new UsageError(`${file} exists already; nothing was written. Name a new file with --output.`)
    await writeNew(bytes, file)
    console.log(
      sqlite
        ? `${file} holds the Room as an SQLite file, ${statSync(file).size} bytes. ` +
            `Its view "columns" describes the other views.`
        : `${file} holds the Room as an RO-Crate, ${statSync(file).size} bytes. ` +
            "Unpacked, python3 verify.py recomputes its digests.",
    )
  }, ROOM_LIST)
}

export const exportCommand = (): Command =>
  dataCommand(
    "export",
    "write a Room as an RO-Crate, with its record, its feed and a program that verifies them; or as an SQLite file",
  )
    .argument("<room>", "the Room's id")
    .addOption(option("--output <file>", "the file to write (default: named after the Room, in this folder)"))
    .addOption(option("--sqlite", "write an SQLite file instead, for Datasette, DuckDB or pandas"))
    .addOption(baseUrlOption().default(STANDARD_URL))
    .work(exportRoom)

// `research-room import`: imports a Room of another instance from its export.

interface ImportOptions {
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

async function importRoom(file: string, { data, adopt, owner }: ImportOptions): Promise<void> {
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
    .action(importRoom)
