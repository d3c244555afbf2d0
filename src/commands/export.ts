/** `research-room export`: a Room as an RO-Crate or an SQLite file, without a browser and also while it is served. */
import { messageOf } from "../contract/faults.ts"
import { existsSync, renameSync, rmSync, statSync } from "node:fs"
import { open } from "node:fs/promises"
import { Command } from "commander"
import { isUuid } from "../contract/schema/fields.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Instance } from "../app/compose/instance.ts"
import { DataError } from "../ledger/storage/opening.ts"
import { baseUrlOption, dataOption, option, UsageError } from "../settings.ts"
import { softwareVersion } from "../version.ts"
import { withInstance } from "./with-instance.ts"

interface Options {
  readonly data: string
  readonly output?: string
  readonly baseUrl: string
  readonly sqlite?: true
}

/** Where `serve` is reached unless told otherwise. */
export const STANDARD_URL = "http://127.0.0.1:8787"

/** Writes bytes to a new file that bears its name only once it is whole. */
export async function writeNew(bytes: AsyncIterable<Uint8Array>, file: string): Promise<void> {
  const partial = `${file}.partial-${process.pid}`
  try {
    // Opened first: what has no place is not made.
    const opened = await open(partial, "wx")
    await opened.writeFile(bytes).finally(() => opened.close())
    renameSync(partial, file)
  } catch (error) {
    throw new DataError(`The export could not be written to ${file} (${messageOf(error)}).`)
  } finally {
    rmSync(partial, { force: true })
  }
}

async function run({ exports }: Instance, room: string, { output, baseUrl, sqlite }: Options): Promise<void> {
  if (!isUuid(room)) throw new UsageError(`${room} is not the id of a Room; research-room room list tells them.`)
  try {
    const source = { baseUrl, softwareVersion }
    const { name, bytes } = sqlite ? await exports.sqlite(room.toLowerCase(), source) : exports.bytes(room.toLowerCase(), source)
    const file = output ?? name
    if (existsSync(file)) throw new UsageError(`${file} exists already; nothing was written. Name a new file with --output.`)
    await writeNew(bytes, file)
    console.log(
      sqlite
        ? `${file} holds the Room as an SQLite file, ${statSync(file).size} bytes. Its view "columns" describes the other views.`
        : `${file} holds the Room as an RO-Crate, ${statSync(file).size} bytes. Unpacked, node verify.mjs or python3 verify.py recomputes its digests.`,
    )
  } catch (error) {
    if (error instanceof Refusal) throw new UsageError(`${error.message} research-room room list tells the Rooms there are.`)
    throw error
  }
}

export const exportCommand = (): Command =>
  new Command("export")
    .description("write a Room as an RO-Crate, with its record, its feed and a program that verifies them; or as an SQLite file")
    .argument("<room>", "the Room's id")
    .addOption(dataOption())
    .addOption(option("--output <file>", "the file to write (default: named after the Room, in this folder)"))
    .addOption(option("--sqlite", "write an SQLite file for Datasette, DuckDB, pandas and the like instead"))
    .addOption(baseUrlOption().default(STANDARD_URL))
    .action((room: string, options: Options) => withInstance(options.data, (instance) => run(instance, room, options)))
