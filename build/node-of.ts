/**
 * Finds the Node of a platform: the installed one of this machine, or one that npm downloads from the registry into
 * node_modules/.cache, with an extract of the project's lock file, so that npm refuses any other contents.
 */
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { machineOf } from "./machine.ts"
import type { Platform } from "./platforms.ts"

/** @throws Error if it cannot be downloaded, or does not match package-lock.json */
export async function nodeOf(platform: Platform, cache = "node_modules/.cache/research-room"): Promise<string> {
  const installed = resolve("node_modules", platform.package)
  const binary = join(existsSync(installed) ? installed : await bring(platform, cache), platform.node.bin.node)
  prove(binary, platform)
  return binary
}

/** @returns the folder of the unpacked package */
async function bring({ package: name, node }: Platform, cache: string): Promise<string> {
  const { version, resolved, integrity, os, cpu } = node
  const folder = resolve(cache, `${name}-${version}`)
  const unpacked = join(folder, "node_modules", name)
  // Written last, with the digest of the contents: without it the folder is incomplete or from another lock file.
  const finished = join(folder, "integrity")
  if (existsSync(finished) && readFileSync(finished, "utf8") === integrity) return unpacked

  console.log(`Downloading ${name} ${version}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const root = { name: "node-of-another-platform", version: "0.0.0", dependencies: { [name]: version } }
  const packages = { "": root, [`node_modules/${name}`]: { version, resolved, integrity } }
  writeFileSync(join(folder, "package.json"), JSON.stringify(root))
  writeFileSync(
    join(folder, "package-lock.json"),
    JSON.stringify({ ...root, lockfileVersion: 3, requires: true, packages }),
  )
  await npm(
    folder,
    "ci",
    `--os=${os}`,
    `--cpu=${cpu}`,
    "--ignore-scripts",
    "--no-bin-links",
    "--prefer-offline",
    "--no-audit",
    "--no-fund",
  )
  writeFileSync(finished, integrity)
  return unpacked
}

/** The npm that runs this script, otherwise the one in the path. */
async function npm(folder: string, ...args: string[]): Promise<void> {
  const itself = process.env.npm_execpath
  const [command, first, shell] = itself?.endsWith(".js")
    ? [process.execPath, [itself], false]
    : ["npm", [], process.platform === "win32"]
  // The variables that npm sets for scripts of this project must not be read as settings of that folder.
  const kept = /^npm_config_(registry|cache|userconfig|cafile|fetch_.*|.*proxy)$/i
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) || kept.test(name)),
  )
  await promisify(execFile)(command, [...first, ...args, "--loglevel=error", "--prefix", folder], {
    cwd: folder,
    env,
    shell,
  })
}

/** @throws Error if a package does not hold what its name says */
function prove(binary: string, { package: name, node }: Platform): void {
  const bytes = readFileSync(binary)
  const { os, cpu } = machineOf(bytes)
  if (os !== node.os || cpu !== node.cpu) throw new Error(`${name} holds a program for ${os} ${cpu}.`)
  if (!bytes.includes(`/download/release/v${node.version}/node-v${node.version}.tar.gz`))
    throw new Error(`${name} does not hold Node ${node.version}.`)
}
