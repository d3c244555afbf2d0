/**
 * `research-room export`: writes a Room as an RO-Crate or an SQLite file, without a browser, even while a service runs.
 */
import { FailedError, messageOf } from "../contract/faults.ts"
import { existsSync, renameSync, rmSync, statSync } from "node:fs"
import { open } from "node:fs/promises"
import type { Command } from "commander"
import type { Instance } from "../app/compose/instance.ts"
import { baseUrlOption, option, UsageError } from "../settings.ts"
import { softwareVersion } from "../packaged.ts"
import { dataCommand, refusalsAsUsage } from "./with-instance.ts"

interface Options {
  readonly output?: string
  readonly baseUrl: string
  readonly sqlite?: true
}

/** The default address of `serve`. */
export const STANDARD_URL = "http://127.0.0.1:8787"

/** Writes a new file. It gets its name only after all bytes are written. */
export async function writeNew(bytes: AsyncIterable<Uint8Array>, file: string): Promise<void> {
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

async function run({ exports }: Instance, room: string, { output, baseUrl, sqlite }: Options): Promise<void> {
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
    .work(run)
