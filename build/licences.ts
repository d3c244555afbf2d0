/**
 * Builds dist/licences.txt, which `research-room licences` prints: the notices of everything that is built in. These
 * are the packages that the bundler reports for the bundled code, Node, and SQLite's addon.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, relative } from "node:path"
import { pages, reader, service } from "../tsup.config.ts"
import { addonOf } from "./contents.ts"
import { inputsOf, type Metafile } from "./inputs.ts"
import { type Notice, noticeOf } from "./notices.ts"
import { platforms } from "./platforms.ts"

process.chdir(dirname(import.meta.dirname))
// Without the plugin that reduces the fonts, they are read from their packages.
const made = await Promise.all([service, reader, { ...pages, esbuildPlugins: [] }].map(inputsOf))

/** Returns the folder of the package of a file. */
const packageOf = (path: string): string | undefined =>
  /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path.replaceAll("\\", "/"))?.[0]

/** The files with code in the bundle. Files of types and removed modules have none. */
const builtIn = ({ outputs }: Metafile): string[] =>
  Object.values(outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => (inputs[path]?.bytesInOutput ?? 0) > 0),
  )

// If npm installed no Node for a platform, no executable is released for it.
const node = platforms.map(({ package: name }) => `node_modules/${name}/bin`).filter((path) => existsSync(path))
const files = [...made.flatMap(builtIn), relative("", addonOf("linux", "x64")), ...node]
const folders = new Set(files.map(packageOf).filter((folder) => folder !== undefined))
const notices = [...folders].map(noticeOf).sort((one, other) => (one.name < other.name ? -1 : 1))

const line = ({ name, version, licence }: Notice) => `${name} ${version}, ${licence}`
const rule = "-".repeat(80)
const text = [
  "Research Room has these built in:",
  "",
  ...notices.map(line),
  "SQLite, in better-sqlite3, in the public domain",
  ...notices.flatMap((notice) => ["", rule, line(notice), "", notice.text]),
  "",
].join("\n")
mkdirSync("dist", { recursive: true })
writeFileSync("dist/licences.txt", text)
console.log(`dist/licences.txt: the notices of ${notices.length} packages`)
