/** The contents of the executable built here; and the parts for other platforms are available and pinned by digest. */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { test } from "tap"
import { platforms } from "../../build/platforms.ts"
import { executable } from "../support/program.ts"
import { lookInto } from "./contents.ts"
import { readMachine } from "./formats/program.ts"

test(
  "the executable built here holds the program, the schema, the pages' files " + "and this platform's addon, unchanged",
  (t) => {
    const { faults, assets, size } = lookInto(executable(), process.platform, process.arch, true)
    t.strictSame(faults, [])
    t.ok(assets > 3)
    // Without `strip`, Node keeps its debug symbols.
    if (process.platform === "linux" && spawnSync("strip", ["--version"]).status === 0)
      t.ok(size < 130e6, `${(size / 1e6).toFixed(0)} MB`)
    t.end()
  },
)

test("the check of the contents detects faults", (t) => {
  const { faults } = lookInto(executable(), "win32", "arm64", false)
  for (const sentence of [/^it is for/, /code cache of another machine/, /^better-sqlite3\.node is another/])
    t.ok(
      faults.some((fault) => sentence.test(fault)),
      String(sentence),
    )
  t.end()
})

test("every platform's Node is pinned to a version and its digest, and its addon is here", (t) => {
  const names = platforms.map(({ name }) => name)
  t.strictSame(names.toSorted(), ["linux-arm64", "linux-x64", "macos-arm64", "win-x64"])
  const sqlite = dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json"))
  for (const { name, node } of platforms) {
    t.match(
      readFileSync("SECURITY.md", "utf8"),
      `| ${name} | ${node.version} |`,
      `SECURITY.md names the Node of ${name}`,
    )
    t.match(node.resolved, /^https:\/\/registry\.npmjs\.org\//, name)
    t.match(node.integrity, /^sha512-[A-Za-z0-9+/]{86}==$/, name)
    t.strictSame(
      readMachine(readFileSync(join(sqlite, "prebuilds", `${node.os}-${node.cpu}.node`))),
      { os: node.os, cpu: node.cpu },
      name,
    )
  }
  t.end()
})
