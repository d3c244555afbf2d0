/** Makes the program one file of JavaScript, and each of its threads another, the same for every platform: only the addon beside them differs. */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { build } from "tsup"
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
    config: false,
    silent: true,
    entry: { [program]: main, ...threads },
    outDir: folder,
    format: "cjs",
    platform: "node",
    target: "node26",
    noExternal: [/.*/],
    removeNodeProtocol: false,
    shims: true,
    esbuildOptions: (options) =>
      Object.assign(options, { charset: "ascii", legalComments: "none", minifyWhitespace: true, lineLimit: 120 }),
    esbuildPlugins: [
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
  for (const name of names)
    execFileSync(process.execPath, ["--random-seed=1", "build/compile.cjs", join(folder, `${name}.cjs`)], { env: {} })
  const carried = (kind: string) => Object.fromEntries(names.map((name) => [`${name}.${kind}`, resolve(folder, `${name}.${kind}`)]))
  const loader = resolve(folder, "main.cjs")
  writeFileSync(loader, `${readFileSync("build/loader.cjs", "utf8")}runCarried(${JSON.stringify(program)})\n`)
  return { loader, programs: carried("cjs"), caches: carried("cache") }
}

/** As Node wraps a module. It is read a byte a sign, so what is not ASCII, in regular expressions alone by now, is written as escapes. */
function wrap(file: string): void {
  const code = readFileSync(file, "utf8")
  const raw = /String\.raw`[^`]*[^\p{ASCII}`]/u.exec(code)
  if (raw !== null) throw new Error(`No escape would be read as its sign in ${raw[0]}.`)
  const text = code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
  writeFileSync(file, `(function (exports, require, module, __filename, __dirname) { ${text}\n})`)
}
