/**
 * Makes dist/research-room: Node itself with the program, the database's addon and the assets inside, in one file. Everything
 * comes from node_modules and dist, so it works without a network. With `--target linux-arm64`, as often as wanted, or
 * `--target all`, it makes what is given away for other platforms instead, and dist/SHA256SUMS over it: their Nodes come from the registry.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { bundleInto } from "./bundle.ts"
import { make } from "./make.ts"
import { nodeOf } from "./node-of.ts"
import { type Platform, platformHere, platforms, releaseName } from "./platforms.ts"
import { writeSums } from "./sums.ts"

process.chdir(dirname(import.meta.dirname))
const { target: names = [] } = parseArgs({ options: { target: { type: "string", multiple: true } } }).values
const targets = names.includes("all") ? platforms : names.map(named)

mkdirSync("dist", { recursive: true })
const work = resolve(mkdtempSync("dist/executable-"))
process.on("exit", () => rmSync(work, { recursive: true, force: true }))
const bundle = await bundleInto(work)

if (targets.length === 0) {
  const { platform: os, arch: cpu } = process
  const node = platformHere === undefined ? process.execPath : await nodeOf(platformHere)
  place(await make({ os, cpu, node, bundle, work }), `research-room${os === "win32" ? ".exe" : ""}`)
}
for (const target of targets) {
  const { os, cpu } = target.node
  place(await make({ os, cpu, node: await nodeOf(target), bundle, work }), releaseName(target))
}
if (targets.length > 0) console.log(`dist/${basename(await writeSums("dist"))}`)

/** Moved into place at the end: an older one may be running. */
function place(made: string, name: string): void {
  renameSync(made, join("dist", name))
  console.log(`dist/${name}: ${(statSync(join("dist", name)).size / 1e6).toFixed(0)} MB`)
}

function named(name: string): Platform {
  const found = platforms.find((platform) => platform.name === name)
  if (found === undefined)
    throw new Error(`There is no Node for ${name}; there is for ${platforms.map((one) => one.name).join(", ")}, and all.`)
  return found
}
