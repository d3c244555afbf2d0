/**
 * Builds dist/research-room: Node with the program, SQLite's addon and the assets, in one file. Everything comes from
 * node_modules and dist, without a network. With `--target linux-arm64`, which may be repeated, or `--target all`, it
 * builds the released executables of other platforms instead, with Node from the registry, and dist/SHA256SUMS for
 * them.
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
  const version = platformHere?.node.version ?? process.versions.node
  place(await make({ os, cpu, node, version, bundle, work }), `research-room${os === "win32" ? ".exe" : ""}`)
}
for (const target of targets) {
  const { os, cpu, version } = target.node
  place(await make({ os, cpu, node: await nodeOf(target), version, bundle, work }), releaseName(target))
}
if (targets.length > 0) console.log(`dist/${basename(await writeSums("dist"))}`)

/** The executable is moved into place at the end, because an older one may be running. */
function place(made: string, name: string): void {
  renameSync(made, join("dist", name))
  console.log(`dist/${name}: ${(statSync(join("dist", name)).size / 1e6).toFixed(0)} MB`)
}

function named(name: string): Platform {
  const found = platforms.find((platform) => platform.name === name)
  if (found === undefined)
    throw new Error(
      `There is no Node for ${name}; there is for ${platforms.map((one) => one.name).join(", ")}, and all.`,
    )
  return found
}
