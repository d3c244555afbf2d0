/**
 * Makes dist/research-room: Node itself with the program, the database's addon and the assets
 * inside, in one file. Everything comes from node_modules and dist, so it works without a network.
 */
import { execFileSync } from "node:child_process"
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
// pkg's own function behind `pkg --sea FILE`. Its command line cannot be told which Node to use
// (it would download one) nor what to carry, so it is called directly; its version is pinned.
import pkg from "@yao-pkg/pkg/lib-es5/sea.js"
import { build } from "tsup"

process.chdir(dirname(import.meta.dirname))
const { platform, arch } = process
mkdirSync("dist", { recursive: true })
const work = resolve(mkdtempSync("dist/executable-"))
process.on("exit", () => rmSync(work, { recursive: true, force: true }))

// One CommonJS file: only that can carry V8's code cache, which makes the start faster.
await build({
  config: false,
  silent: true,
  entry: { "research-room": "src/main.ts" },
  outDir: work,
  format: "cjs",
  platform: "node",
  target: "node26",
  noExternal: [/.*/],
  removeNodeProtocol: false,
  shims: true,
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

const addon = join(dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json")), "prebuilds", `${platform}-${arch}.node`)
const assets: Record<string, string> = { "better-sqlite3.node": addon, "schema.sql": resolve("schema.sql") }
// Named by their path in the project, as src reads them.
if (existsSync("dist/assets")) {
  for (const entry of readdirSync("dist/assets", { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) assets[path.replaceAll("\\", "/")] = resolve(path)
  }
}

const made = join(work, "made")
await pkg.default(join(work, "research-room.cjs"), {
  nodePath: nodeWithoutSymbols(),
  signature: true,
  targets: [
    {
      nodeRange: `node${process.versions.node}`,
      platform: platform === "darwin" ? "macos" : platform === "win32" ? "win" : "linux",
      arch: arch === "arm64" ? "arm64" : "x64",
      output: made,
    },
  ],
  seaConfig: {
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    useCodeCache: true,
    assets,
    // NODE_OPTIONS meant for other programs must not change this one.
    ...{ execArgvExtension: "none" },
  },
})
// Moved into place at the end: an older one may be running.
const output = `dist/research-room${platform === "win32" ? ".exe" : ""}`
renameSync(made, output)
console.log(`${output}: ${(statSync(output).size / 1e6).toFixed(0)} MB`)

/** Debug symbols are a fifth of Node on Linux, and nothing here reads them; `strip` is used where there is one. */
function nodeWithoutSymbols(): string {
  if (platform !== "linux") return process.execPath
  const node = join(work, "node")
  copyFileSync(process.execPath, node)
  chmodSync(node, 0o755)
  try {
    execFileSync("strip", ["--strip-all", node], { stdio: "ignore" })
    execFileSync(node, ["--version"], { stdio: "ignore" })
    return node
  } catch {
    return process.execPath
  }
}
