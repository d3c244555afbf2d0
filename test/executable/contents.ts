/** The contents an executable must have, compared with the files it is built from. */
import { hash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { zstdDecompressSync } from "node:zlib"
import manifest from "../../package.json" with { type: "json" }
import { platforms } from "../../build/platforms.ts"
import { layoutFaults, machSignature } from "./formats/mach-o.ts"
import { peSigned } from "./formats/pe.ts"
import { readProgram } from "./formats/program.ts"

const root = join(import.meta.dirname, "../..")
const digest = (bytes: Buffer) => hash("sha256", bytes)

/** Name inside, and digest: the schema, files of the pages, and the addon of one platform. */
function expected(os: string, cpu: string): Map<string, string> {
  const files = new Map([
    ["better-sqlite3.node", `node_modules/better-sqlite3/prebuilds/${os}-${cpu}.node`],
    ["schema.sql", "schema.sql"],
    ["loader.cjs", "build/loader.cjs"],
    ["dist/licences.txt", "dist/licences.txt"],
    ...[
      ...readdirSync("src/client/python").map((name) => `src/client/python/${name}`),
      "src/research/export/verify.py",
      "src/demo/coverage.webp",
      "src/web/style/favicon.ico",
    ].map((name) => [name, name] as const),
    ...readdirSync(join(root, "dist/assets")).map((name) => [`dist/assets/${name}`, `dist/assets/${name}`] as const),
  ])
  return new Map([...files].map(([name, file]) => [name, digest(readFileSync(join(root, file)))]))
}

/** The program and its threads are generated with it, so there is no file to compare with. */
const programs = ["research-room", "jobs", "reader"]
const codeOf = programs.map((name) => `${name}.cjs`)
const cacheOf = programs.map((name) => `${name}.cache`)

const unpacked = (asset: Buffer | undefined): Buffer =>
  asset === undefined ? Buffer.alloc(0) : zstdDecompressSync(asset)

export interface Looked {
  /** Problems, one sentence each; empty if everything is right. */
  readonly faults: readonly string[]
  readonly size: number
  readonly assets: number
  /** The digest of the JavaScript program and its threads, the same for all platforms. */
  readonly program: string
}

/** Checks the contents of an executable for a platform; `here` if it was built on that platform. */
export function lookInto(file: string, os: string, cpu: string, here: boolean): Looked {
  const { bytes, blob, ...read } = readProgram(file)
  const faults: string[] = []
  const must = (held: boolean, sentence: string) => held || faults.push(sentence)

  must(read.os === os && read.cpu === cpu, `it is for ${read.os} ${read.cpu}`)
  must(read.fuses.join() === "1", `its fuse stands ${read.fuses.length} times: ${read.fuses.join()}`)
  const version = platforms.find(({ node }) => node.os === os && node.cpu === cpu)?.node.version
  must(bytes.includes(`/download/release/v${version}/`), `it is not made of Node ${version}`)
  must(blob.quiet && !blob.snapshot && blob.execArgvExtension === 0, "its settings are others")
  must(blob.execArgv.join(" ") === "--disable-sigusr1", `it gives Node the flags: ${blob.execArgv.join(" ")}`)
  must(blob.codeCache === null, "it has a code cache that is another one at each making")
  // At best, V8 rejects another machine's cache.
  const caches = cacheOf.filter((name) => blob.assets.has(name)).length
  must(
    caches === (here ? programs.length : 0),
    here ? "it has no code cache" : "it has the code cache of another machine",
  )

  const [program, ...others] = codeOf.map((name) => unpacked(blob.assets.get(name)))
  must(program?.includes(`version:"${manifest.version}"`) === true, `it is not version ${manifest.version}`)
  must(program?.includes("getBinding") === true, "it does not open the database")
  for (const [index, code] of others.entries()) must(code.length > 0, `${codeOf[index + 1]} is missing`)
  const wanted = expected(os, cpu)
  for (const [name, sum] of wanted) {
    const asset = blob.assets.get(name)
    must(
      asset !== undefined && digest(asset) === sum,
      asset === undefined ? `${name} is missing` : `${name} is another`,
    )
  }
  for (const name of blob.assets.keys())
    must(wanted.has(name) || codeOf.includes(name) || cacheOf.includes(name), `${name} should not be inside`)

  if (read.os === "win32") must(!peSigned(bytes), "it points to a signature that is not there")
  if (read.os === "darwin") {
    faults.push(...layoutFaults(bytes))
    const signature = machSignature(bytes)
    must(signature?.adHoc === true && signature.wrong === 0, "its signature does not hold")
  }
  return {
    faults,
    size: bytes.length,
    assets: blob.assets.size,
    program: digest(Buffer.concat([blob.code, ...codeOf.map((name) => blob.assets.get(name) ?? Buffer.alloc(0))])),
  }
}
