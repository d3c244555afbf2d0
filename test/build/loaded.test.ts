/**
 * What each thread of a service loads at its start: no more than it needs. Rarely needed modules are loaded on first
 * use.
 */
import { test } from "tap"
import { inputsOf } from "../../build/inputs.ts"
import { programs, reader, service } from "../../tsup.config.ts"

const bundles = [await inputsOf(service), await inputsOf(reader)]
const inputs = Object.assign({}, ...bundles.map((bundle) => bundle.inputs)) as (typeof bundles)[number]["inputs"]

/** The files that a file loads before it runs. */
function filesOf(entry: string): Set<string> {
  const seen = new Set<string>()
  const load = (file: string): void => {
    const input = inputs[file]
    if (input === undefined || seen.has(file)) return
    seen.add(file)
    for (const { path, kind } of input.imports) if (kind !== "dynamic-import") load(path)
  }
  load(entry)
  return seen
}

const packageOf = (file: string): string | undefined => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]

/** The packages and the folders of `src` that a file loads before it runs. */
const loadedBy = (entry: string): Set<string> =>
  new Set([...filesOf(entry)].map((file) => packageOf(file) ?? file.split("/").slice(0, 2).join("/")))

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
  ["the serving thread", "src/app/service.ts", [...rare, ...rendering, "src/commands", "commander"]],
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
  t.strictSame(loadedBy(programs.main), new Set(["src/main.ts", "src/allocator.ts", "src/packaged.ts", "package.json"]))
  t.end()
})

test("--help, connect and the lists of choices are printed without loading the service", (t) => {
  const files = [...filesOf("src/command-line.ts")]
  const isOwn = (file: string) => packageOf(file) === undefined
  t.strictSame(
    new Set(files.flatMap((file) => packageOf(file) ?? [])),
    new Set(["commander", "ipaddr.js"]),
    "one package for the command line, and one for the addresses among its flags",
  )
  const [own, contract] = [files.filter(isOwn), files.filter((file) => file.startsWith("src/contract/"))]
  t.strictSame(
    own.filter((file) => /^src\/\w+\//.test(file) && !/^src\/(?:commands|contract)\//.test(file)).sort(),
    [
      "src/discovery/connecting.ts",
      "src/edge/limits/request-context.ts",
      "src/edge/sign-in-options.ts",
      "src/rooms/webhook-addresses.ts",
      "src/web/words.ts",
    ],
    "what reads flags and words texts",
  )
  t.notOk(
    contract.some((file) => /^src\/contract\/(?:nouns|operations|reads|answers)\//.test(file)),
    "nothing of a wire body",
  )
  t.end()
})

test("what is loaded when it is needed is no package in CommonJS, which would have no named exports", (t) => {
  const wrong = Object.entries(inputs).flatMap(([file, { imports }]) =>
    imports
      .filter(({ path, kind }) => kind === "dynamic-import" && inputs[path]?.format === "cjs")
      .map(({ path }) => `${file} loads ${path}`),
  )
  t.strictSame(wrong, [])
  t.end()
})
