/** Makes the program one file of JavaScript, and each of its threads another, the same for every platform: only the addon beside them differs. */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { build } from "esbuild"
import type { ReaderStart } from "../src/app/threads/reader-calls.ts"
import type { WriterSettings } from "../src/app/threads/writer-calls.ts"
import { databaseFile } from "../src/ledger/storage/data.ts"
import { contentsFor } from "./contents.ts"
import { programs } from "./programs.ts"

const { main, ...threads } = programs

const program = "research-room"

/** What is made, by the names under which the executable carries it. */
export interface Bundle {
  /** What the executable runs: it loads the program and its threads. */
  readonly loader: string
  readonly programs: Readonly<Record<string, string>>
  /** V8's code caches of the programs, for the processor and system that they were made on; elsewhere one can end the program. */
  readonly caches: Readonly<Record<string, string>>
}

/** CommonJS: only that can be run by V8's code cache, which makes the start faster. Gives the files' paths. */
export async function bundleInto(folder: string): Promise<Bundle> {
  await build({
    entryPoints: { [program]: main, ...threads, allocator: "src/allocator.ts" },
    outdir: folder,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node26",
    charset: "ascii",
    legalComments: "none",
    minifyWhitespace: true,
    lineLimit: 120,
    logLevel: "warning",
    // CommonJS knows its file by another name.
    define: { "import.meta.url": "__fileUrl" },
    banner: { js: 'const __fileUrl = require("node:url").pathToFileURL(__filename).href;' },
    plugins: [
      {
        name: "addon-from-inside",
        setup({ onResolve }) {
          onResolve({ filter: /^\.\/binding$/ }, ({ importer }) =>
            importer.includes("better-sqlite3") ? { path: resolve("build/addon.ts") } : null,
          )
        },
      },
    ],
  })
  const names = [program, ...Object.keys(threads)]
  for (const name of names) wrap(join(folder, `${name}.cjs`))
  const runs = runsOn(join(folder, "data"))
  // The first time it makes the data, of which a start finds some.
  for (const name of [program, ...names]) compile(join(folder, `${name}.cjs`), runs[name])
  const carried = (kind: string) => Object.fromEntries(names.map((name) => [`${name}.${kind}`, resolve(folder, `${name}.${kind}`)]))
  const loader = resolve(folder, "main.cjs")
  // First of all the program may have to begin again: all that is done before is done twice.
  const allocator = `(function (module) {\n${readFileSync(join(folder, "allocator.cjs"), "utf8")}\n})({})\n`
  writeFileSync(loader, `${allocator}${readFileSync("build/loader.cjs", "utf8")}runCarried(${JSON.stringify(program)})\n`)
  return { loader, programs: carried("cjs"), caches: carried("cache") }
}

/** How a program is run to find out what it compiles before it is ready. */
interface Run {
  readonly args: readonly string[]
  /** What a thread is told as it starts; null for the main program. */
  readonly workerData: object | null
  /** What the executable carries: names inside it, and the files. */
  readonly contents: Readonly<Record<string, string>>
}

/** The programs that somebody waits for as they start. */
function runsOn(data: string): Readonly<Record<string, Run>> {
  const contents = contentsFor(process.platform, process.arch)
  const known = { file: databaseFile(data), instanceId: "" }
  const writer: WriterSettings = { ...known, index: null, repositories: { folders: [], github: null } }
  const told = { lineage: [], baseUrl: "http://127.0.0.1:8787", entrance: null, tooCostly: [] }
  // It comes as JSON: the thread makes the memory of its note itself.
  const reader: Omit<ReaderStart, "note"> = { ...known, ...told, follows: false }
  return {
    [program]: { args: ["serve", "--data", data, "--port", "0"], workerData: null, contents },
    writer: { args: [], workerData: writer, contents },
    reader: { args: [], workerData: reader, contents },
  }
}

/** Young objects have so much space that none is collected: of what was collected V8 writes into the cache how long it lived. */
const COMPILED = ["--random-seed=1", "--min-semi-space-size=128", "--max-semi-space-size=128", "build/compile.cjs"]

function compile(file: string, run: Run | undefined): void {
  const told = run === undefined ? [] : [JSON.stringify(run)]
  // A program that is told of the allocator does not begin again.
  execFileSync(process.execPath, [...COMPILED, file, ...told], { env: { MALLOC_ARENA_MAX: "2" } })
}

/** As Node wraps a module. It is read a byte a sign, so what is not ASCII, in regular expressions alone by now, is written as escapes. */
function wrap(file: string): void {
  const code = readFileSync(file, "utf8")
  const raw = /String\.raw`[^`]*[^\p{ASCII}`]/u.exec(code)
  if (raw !== null) throw new Error(`No escape would be read as its sign in ${raw[0]}.`)
  const text = code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
  writeFileSync(file, `(function (exports, require, module, __filename, __dirname) { ${text}\n})`)
}
