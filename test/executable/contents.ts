/** What must be inside an executable, compared with the files it is made of. */
import { hash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import manifest from "../../package.json" with { type: "json" }
import { layoutFaults, machSignature } from "./formats/mach-o.ts"
import { peSigned } from "./formats/pe.ts"
import { readProgram } from "./formats/program.ts"

const root = join(import.meta.dirname, "../..")
const digest = (bytes: Buffer) => hash("sha256", bytes)

/** Name inside, and digest: the schema, what the pages need, and the addon of one platform. */
function expected(os: string, cpu: string): Map<string, string> {
  const files = new Map([
    ["better-sqlite3.node", `node_modules/better-sqlite3/prebuilds/${os}-${cpu}.node`],
    ["schema.sql", "schema.sql"],
    ["src/client/python/research_room.py", "src/client/python/research_room.py"],
    ...readdirSync(join(root, "dist/assets")).map((name) => [`dist/assets/${name}`, `dist/assets/${name}`] as const),
  ])
  return new Map([...files].map(([name, file]) => [name, digest(readFileSync(join(root, file)))]))
}

/** The program's threads, which are made with it and stand in no file to compare with. */
const threadCode = ["writer.cjs", "jobs.cjs", "renderer.cjs"]

export interface Looked {
  /** Sentences; none where all is as it must be. */
  readonly faults: readonly string[]
  readonly size: number
  readonly assets: number
  /** Of the program in JavaScript and its threads, which are one for all platforms. */
  readonly program: string
}

/** Looks into an executable for a platform; `here` where it was made on that platform. */
export function lookInto(file: string, os: string, cpu: string, here: boolean): Looked {
  const { bytes, blob, ...read } = readProgram(file)
  const faults: string[] = []
  const must = (held: boolean, sentence: string) => held || faults.push(sentence)

  must(read.os === os && read.cpu === cpu, `it is for ${read.os} ${read.cpu}`)
  must(read.fuses.join() === "1", `its fuse stands ${read.fuses.length} times: ${read.fuses.join()}`)
  must(bytes.includes(`/download/release/v${process.versions.node}/`), `it is not made of Node ${process.versions.node}`)
  must(blob.quiet && !blob.snapshot && blob.execArgvExtension === 0, "its settings are others")
  must(blob.execArgv.join(" ") === "--disable-sigusr1", `it gives Node the flags: ${blob.execArgv.join(" ")}`)
  // V8 refuses another machine's cache at best.
  must((blob.codeCache !== null) === here, here ? "it has no code cache" : "it has the code cache of another machine")
  must(blob.code.includes(`version: "${manifest.version}"`), `it is not version ${manifest.version}`)

  const threads = threadCode.map((name) => blob.assets.get(name) ?? Buffer.alloc(0))
  threads.forEach((code, index) => must(code.length > 0, `${threadCode[index]} is missing`))
  must(threads[0]?.includes("getBinding") === true, "the writing thread does not open the database")
  const wanted = expected(os, cpu)
  for (const [name, sum] of wanted) {
    const asset = blob.assets.get(name)
    must(asset !== undefined && digest(asset) === sum, asset === undefined ? `${name} is missing` : `${name} is another`)
  }
  for (const name of blob.assets.keys()) must(wanted.has(name) || threadCode.includes(name), `${name} should not be inside`)

  if (read.os === "win32") must(!peSigned(bytes), "it points to a signature that is not there")
  if (read.os === "darwin") {
    faults.push(...layoutFaults(bytes))
    const signature = machSignature(bytes)
    must(signature?.adHoc === true && signature.wrong === 0, "its signature does not hold")
  }
  return { faults, size: bytes.length, assets: blob.assets.size, program: digest(Buffer.concat([blob.code, ...threads])) }
}
