/** Makes the program and each of its threads, as the executable carries them, with their code caches. */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { constants, zstdCompressSync } from "node:zlib"
import { build } from "tsup"
import type { ReaderStart } from "../src/app/threads/reader.ts"
import { databaseFile } from "../src/ledger/storage/opening.ts"
import { carried, carriedMain as program, programs } from "../tsup.config.ts"
import { contentsFor } from "./contents.ts"

/** The results, by their names inside the executable. */
export interface Bundle {
  /** The main script of the executable, which loads the program and its threads. */
  readonly loader: string
  readonly programs: Readonly<Record<string, string>>
  /**
   * V8's code caches of the programs. They work only on the processor and system they were made on; elsewhere they can
   * crash the program.
   */
  readonly caches: Readonly<Record<string, string>>
}

/** @returns the paths of the files */
export async function bundleInto(folder: string): Promise<Bundle> {
  await build({ ...carried, config: false, outDir: folder })
  const names = Object.keys(programs).map((name) => (name === "main" ? program : name))
  for (const name of names) wrap(join(folder, `${name}.cjs`))
  const runs = runsOn(join(folder, "data"))
  // The first run creates the data, since a normal start finds existing data.
  for (const name of [program, ...names]) compile(join(folder, `${name}.cjs`), runs[name])
  // A quarter of their size, and unpacked in a few milliseconds.
  for (const file of names.flatMap((name) => [`${name}.cjs`, `${name}.cache`])) pack(join(folder, file))
  const made = (kind: string) =>
    Object.fromEntries(names.map((name) => [`${name}.${kind}`, resolve(folder, `${name}.${kind}`)]))
  const loader = resolve(folder, "main.cjs")
  // The allocator comes first, because it may restart the program, and everything before that runs twice.
  const allocator = `(function (module) {\n${readFileSync(join(folder, "allocator.cjs"), "utf8")}\n})({})\n`
  writeFileSync(
    loader,
    `${allocator}${readFileSync("build/loader.cjs", "utf8")}runCarried(${JSON.stringify(program)})\n`,
  )
  return { loader, programs: made("cjs"), caches: made("cache") }
}

function pack(file: string): void {
  const params = { [constants.ZSTD_c_compressionLevel]: 19 }
  writeFileSync(file, zstdCompressSync(readFileSync(file), { params }))
}

/** How to run a program to find out which functions it compiles before it is ready. */
interface Run {
  readonly args: readonly string[]
  /** The `workerData` of a thread; null for the main program. */
  readonly workerData: object | null
  /** The contents of the executable: names inside it, and the files. */
  readonly contents: Readonly<Record<string, string>>
}

/** The programs whose start should be fast. */
function runsOn(data: string): Readonly<Record<string, Run>> {
  const contents = contentsFor(process.platform, process.arch)
  const known = { file: databaseFile(data), instanceId: "" }
  const shared = { lineage: [], baseUrl: "http://127.0.0.1:8787", entrance: null, tooCostly: [] }
  // The run is passed as JSON, so the thread creates its note itself.
  const reader: Omit<ReaderStart, "note"> = { ...known, ...shared, follows: false }
  return {
    [program]: { args: ["serve", "--data", data, "--port", "0"], workerData: null, contents },
    reader: { args: [], workerData: reader, contents },
  }
}

/**
 * Large enough space for young objects to avoid garbage collection, since V8 writes the age of collected functions into
 * the cache.
 */
const COMPILED = ["--random-seed=1", "--min-semi-space-size=128", "--max-semi-space-size=128", "build/compile.cjs"]

function compile(file: string, run: Run | undefined): void {
  const runArgument = run === undefined ? [] : [JSON.stringify(run)]
  // With this variable the program does not restart itself for its allocator.
  execFileSync(process.execPath, [...COMPILED, file, ...runArgument], { env: { MALLOC_ARENA_MAX: "2" } })
}

/**
 * Wraps code like a Node module. The file is read as Latin-1, so non-ASCII characters, which occur only in regular
 * expressions, are escaped.
 */
function wrap(file: string): void {
  const code = readFileSync(file, "utf8")
  const raw = /String\.raw`[^`]*[^\p{ASCII}`]/u.exec(code)
  if (raw !== null) throw new Error(`No escape would be read as its sign in ${raw[0]}.`)
  const text = code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
  writeFileSync(file, `(function (exports, require, module, __filename, __dirname) { ${text}\n})`)
}
