/**
 * What each thread of a service loads at its start: no more than it needs. Rarely needed modules are loaded on first
 * use.
 */
import { test } from "tap"
import { inputsOf } from "../../build/inputs.ts"
import { programs, service } from "../../tsup.config.ts"

const { inputs } = await inputsOf(service)

/** The packages and the folders of `src` that a file loads before it runs. */
function loadedBy(entry: string): Set<string> {
  const seen = new Set<string>()
  const load = (file: string): void => {
    const input = inputs[file]
    if (input === undefined || seen.has(file)) return
    seen.add(file)
    for (const { path, kind } of input.imports) if (kind !== "dynamic-import") load(path)
  }
  load(entry)
  return new Set(
    [...seen].map(
      (file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? file.split("/").slice(0, 2).join("/"),
    ),
  )
}

/** Packages that are rarely needed. */
const rare = [
  "@modelcontextprotocol/server",
  "openid-client",
  "oauth4webapi",
  "@retorquere/bibtex-parser",
  "yazl",
  "zod",
]
const rendering = ["temml", "markdown-it", "highlight.js"]

for (const [name, entry, without] of [
  ["the serving thread", "src/command-line.ts", [...rare, ...rendering]],
  ["a reading thread", programs.reader, [...rare, "src/commands", "commander"]],
  ["a thread for costly work", programs.jobs, [...rare, ...rendering, "src/web", "src/research", "src/ledger"]],
] as const)
  test(`${name} loads no more than it needs`, async (t) => {
    const loaded = loadedBy(entry)
    t.ok(loaded.has("src/contract"), `${loaded.size} packages and folders`)
    t.strictSame(
      without.filter((each) => loaded.has(each)),
      [],
    )
  })

test("the version and the licences are printed without loading the service", (t) => {
  t.strictSame(
    loadedBy(programs.main),
    new Set(["src/main.ts", "src/allocator.ts", "src/packaged.ts", "src/version.ts", "package.json"]),
  )
  t.end()
})
