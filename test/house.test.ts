/**
 * The structure of `src`: imports run downwards from floor to floor, nothing runs in a circle, the domains that tell of
 * all others import none of them, and SQL names the tables of its own folder, or those that `schema.sql` lists as
 * joined (`-- joined: people by src/rooms`). Each rule is shown to catch its fault. Casts are counted, no line is too
 * wide, and SECURITY.md tells each bound as the code has it.
 */
import { globSync, readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { dirname, join } from "node:path"
import { parse, type TemplateLiteral } from "acorn"
import { full } from "acorn-walk"
import { test } from "tap"
import { wideLines } from "../build/wide-lines.ts"
import { limits } from "../src/contract/limits.ts"
import { labelledKinds, searchKinds } from "../src/contract/objects/objects.ts"
import { sectionOf } from "../src/web/parts/seen.ts"

/** From the top. Modules on one floor do not import each other. */
const floors = [
  ["main.ts"],
  ["command-line.ts"],
  ["commands"],
  ["client"],
  ["demo"],
  ["settings.ts"],
  ["check"],
  ["app"],
  ["http", "web", "mcp"],
  ["documents"],
  ["edge"],
  ["renderer"],
  ["research", "library"],
  ["threads"],
  ["rooms"],
  ["log.ts"],
  ["people", "repositories", "attachments"],
  ["jobs"],
  ["ledger"],
  ["channel"],
  ["discovery"],
  ["contract"],
  ["packaged.ts", "outgoing.ts", "allocator.ts"],
]
/** Modules that read every table, upgrade every table, or check whether any table has room for more. */
const everywhere = ["check/", "app/compose/upgrade.ts", "ledger/write/readiness.ts"]

/** Domains that tell of what others hold: it comes to them by name. Each with the only domains that it may import. */
const gathering: Readonly<Record<string, readonly string[]>> = {
  "research/brief": [],
  "research/inbox": [],
  "research/search": ["people"],
}
const belowAll = ["contract", "ledger"]

type Sources = Readonly<Record<string, string>>
const top = (path: string) => path.split("/")[0] ?? ""
const floorOf = (path: string) => floors.findIndex((rooms) => rooms.includes(top(path)))
const folderOf = (file: string) => (dirname(file) === "." ? file : dirname(file))

/** What remains after removing, layer by layer, every node that leads nowhere or that nothing leads to: the circles. */
function circles(arrows: ReadonlyMap<string, readonly string[]>): string[] {
  const left = new Map([...arrows].map(([from, to]) => [from, to.filter((end) => end !== from)]))
  for (let before = -1; before !== left.size; ) {
    before = left.size
    for (const [from, to] of left) if (!to.some((end) => left.has(end))) left.delete(from)
    const reached = new Set([...left.values()].flat())
    for (const from of left.keys()) if (!reached.has(from)) left.delete(from)
  }
  return [...left.keys()].map((each) => `${each} is in a circle`)
}

/** Faults of the structure, one sentence each. @param sources the text of each file below `src`, by its path there */
function faultsOf(sources: Sources, schema: string): string[] {
  const files = Object.entries(sources)
  const arrows = new Map(
    files.map(([file, text]) => {
      const named = [...text.matchAll(/(?:\bfrom |^import |\bimport\()"(\.[^"]+)"/gm)].map(([, path = ""]) =>
        join(dirname(file), path),
      )
      return [file, named.filter((end) => end in sources)]
    }),
  )
  const between = Map.groupBy(files, ([file]) => folderOf(file))
  const folders = new Map(
    [...between].map(([at, held]) => [at, held.flatMap(([file]) => (arrows.get(file) ?? []).map(folderOf))]),
  )

  const owner = new Map<string, string[]>()
  for (const group of schema.split(/^-{20,} src\//m).slice(1)) {
    for (const [, table = ""] of group.matchAll(/^CREATE (?:VIRTUAL )?TABLE (\w+)/gm))
      owner.set(table, [`${group.split("\n")[0]}/`])
    for (const [, table = "", by = ""] of group.matchAll(/^-- joined: (\w+) by (.+)$/gm))
      owner.get(table)?.push(...by.split(", ").map((folder) => `${folder.replace("src/", "")}/`))
  }
  return [
    ...files.filter(([file]) => floorOf(file) < 0).map(([file]) => `${file} stands on no floor`),
    ...[...arrows].flatMap(([file, to]) =>
      to
        .filter((end) => top(end) !== top(file) && floorOf(end) <= floorOf(file))
        .map((end) => `${file} imports ${end}, which does not stand below it`),
    ),
    ...[arrows, folders].flatMap(circles),
    ...[...arrows].flatMap(([file, to]) => {
      const allowed = gathering[folderOf(file)]
      return to
        .filter((end) => allowed !== undefined && folderOf(end) !== folderOf(file))
        .filter((end) => ![...belowAll, ...(allowed ?? [])].includes(top(end)))
        .map((end) => `${file} imports ${end}, which belongs to another domain`)
    }),
    ...files.flatMap(([file, text]) =>
      [
        ...new Set(
          [...text.matchAll(/\b(?:(?:FROM|JOIN|INTO|UPDATE)\s+|inserting\(db, ")(\w+)/g)].map(
            ([, table = ""]) => table,
          ),
        ),
      ]
        .filter(
          (table) =>
            owner.has(table) && ![...everywhere, ...(owner.get(table) ?? [])].some((at) => file.startsWith(at)),
        )
        .map((table) => `${file} names the table ${table}, which is not its own`),
    ),
  ]
}

const root = dirname(import.meta.dirname)
const read = (path: string) => readFileSync(join(root, path), "utf8")

test("the structure of src holds", async (t) => {
  const files = globSync("**/*.ts", { cwd: join(root, "src") })
  t.ok(files.length > 300, `${files.length} files`)
  t.strictSame(
    faultsOf(Object.fromEntries(files.map((file) => [file, read(join("src", file))])), read("schema.sql")),
    [],
  )
})

test("each fault is detected", async (t) => {
  const rule = "-".repeat(30)
  const schema = `${rule} src/people\n-- joined: people by src/rooms\nCREATE TABLE people (\nCREATE TABLE sessions (\n`
  const told = (sources: Sources) => faultsOf(sources, schema)
  t.strictSame(
    told({ "rooms/a.ts": 'import "../ledger/b.ts"\n`SELECT 1 FROM people`', "ledger/b.ts": "" }),
    [],
    "a sound source has none",
  )
  t.match(told({ "ledger/a.ts": 'import { b } from "../rooms/b.ts"', "rooms/b.ts": "" }), [
    /ledger\/a.ts imports rooms\/b.ts/,
  ])
  t.match(told({ "web/a.ts": 'const b = await import("../http/b.ts")', "http/b.ts": "" }), [
    /web\/a.ts imports http\/b.ts/,
  ])
  t.match(told({ "rooms/a.ts": 'import "./b.ts"', "rooms/b.ts": 'export * from "./a.ts"' }), [
    /rooms\/a.ts is in a circle/,
    /rooms\/b.ts/,
  ])
  t.match(
    told({
      "web/x/a.ts": 'import "../y/b.ts"',
      "web/y/b.ts": "",
      "web/y/c.ts": 'import "../x/d.ts"',
      "web/x/d.ts": "",
    }),
    [/web\/x is in a circle/, /web\/y/],
    "of folders, though no file is in one",
  )
  const brief = 'import type { B } from "../findings/b.ts"\nimport "../../ledger/c.ts"'
  t.strictSame(told({ "research/brief/a.ts": brief, "research/findings/b.ts": "", "ledger/c.ts": "" }), [
    "research/brief/a.ts imports research/findings/b.ts, which belongs to another domain",
  ])
  t.match(told({ "research/inbox/a.ts": 'import "../../rooms/b.ts"', "rooms/b.ts": "" }), [/belongs to another domain/])
  t.match(told({ "rooms/a.ts": "`SELECT 1 FROM people JOIN sessions`" }), [/rooms\/a.ts names the table sessions/])
  t.match(told({ "rooms/a.ts": 'inserting(db, "sessions")' }), [/rooms\/a.ts names the table sessions/])
  t.match(told({ "attic/a.ts": "" }), [/attic\/a.ts stands on no floor/])
})

/**
 * Faults of the export of a Room: it has tables and parts of the domains by name, from the one list of domains. So it
 * and its process import no domain of research, only types of Rooms, Threads and people, and read no table of research.
 */
function exportFaultsOf(sources: Sources, schema: string): string[] {
  const research = schema.split(/^-{20,} /m).filter((group) => group.startsWith("src/research"))
  const tables = research.flatMap((group) => [...group.matchAll(/^CREATE (?:VIRTUAL )?TABLE (\w+)/gm)])
  const owned = new Set(tables.map(([, table = ""]) => table))
  return Object.entries(sources)
    .filter(([file]) => /^(?:research\/export|app\/jobs)\//.test(file))
    .flatMap(([file, text]) => {
      const imports = [...text.matchAll(/^import (type )?[^"]*"(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm)]
      const named = imports.map(([, type, of, late]) => ({ type, end: join(dirname(file), of ?? late ?? "") }))
      return [
        ...named.flatMap(({ type, end }) =>
          /^research\/(?!export\/)/.test(end) || (type === undefined && /^(?:rooms|threads|people)\//.test(end))
            ? [`${file} imports ${end}, which its part or table gives it`]
            : [],
        ),
        ...[...text.matchAll(/\b(?:FROM|JOIN)\s+(\w+)/g)].flatMap(([, table = ""]) =>
          owned.has(table) ? [`${file} reads ${table}, which its domain exports`] : [],
        ),
      ]
    })
}

test("the export has what domains give it, and makes no reader of its own", async (t) => {
  const files = globSync("{research/export,app/jobs}/*.ts", { cwd: join(root, "src") })
  t.ok(files.length > 5, `${files.length} files`)
  const sources = Object.fromEntries(files.map((file) => [file, read(join("src", file))]))
  t.strictSame(exportFaultsOf(sources, read("schema.sql")), [])

  const schema = `${"-".repeat(30)} src/research\nCREATE TABLE plans (\n`
  const told = (file: string, text: string) => exportFaultsOf({ [file]: text }, schema)
  t.strictSame(
    told("research/export/a.ts", 'import type { B } from "../../rooms/b.ts"\nimport { c } from "./c.ts"'),
    [],
  )
  for (const [file, text] of [
    ["research/export/a.ts", 'import type { B } from "../links/b.ts"'],
    ["research/export/a.ts", 'import {\n  b,\n} from "../../rooms/b.ts"'],
    ["research/export/a.ts", "`SELECT 1 FROM plans`"],
    ["app/jobs/a.ts", 'const { b } = await import("../../research/links/b.ts")'],
    ["app/jobs/a.ts", 'import { threads } from "../../threads/threads.ts"'],
  ] as const)
    t.equal(told(file, text).length, 1, text)
})

test("search has a place for each kind that is declared searchable", async (t) => {
  const schema = read("schema.sql")
  const view = (name: string) => new RegExp(`^CREATE VIEW ${name} .*?;$`, "ms").exec(schema)?.[0] ?? ""
  const places = view("search_places")
  // People are found by their names alone.
  const kinds = searchKinds.filter((kind) => kind !== "person")
  t.ok(kinds.length > 10, `${kinds.length} kinds`)
  for (const kind of kinds) {
    t.ok(places.includes(`'${kind}'`), `the place of a ${kind}`)
  }
})

test("a Room has a section for each kind with a label", async (t) => {
  for (const kind of labelledKinds) t.ok(sectionOf.has(kind), `a section for a ${kind}`)
})

/** SQL in a text with a value that lacks the plus before it (see `Db.prepare`). */
function bareValuesIn(text: string): string[] {
  const found: string[] = []
  full(parse(stripTypeScriptTypes(text), { ecmaVersion: "latest", sourceType: "module" }), (node) => {
    const parts =
      node.type === "TemplateLiteral" ? (node as TemplateLiteral).quasis : node.type === "Literal" ? [node] : []
    const texts = parts.map(({ start, end }) => text.slice(start, end))
    if (
      !/\b(?:SELECT|WHERE|INSERT INTO|UPDATE|DELETE FROM|VALUES|LIMIT|VACUUM INTO|AND) |= \+?\?/.test(texts.join(" "))
    )
      return
    found.push(
      ...texts.flatMap((part) =>
        [...part.matchAll(/[ (]\?(?=[\s,)`"|]|$)/g)].map(({ index }) => part.slice(Math.max(0, index - 30), index + 2)),
      ),
    )
  })
  return found
}

test("every value in SQL has a plus before it", async (t) => {
  t.strictSame(
    bareValuesIn(
      "const a = db.prepare(`SELECT '${x}' FROM b WHERE c = +? AND d < ? ${e} LIMIT ?`); f(g ? h : 'Is this SQL ?')",
    ),
    ["' FROM b WHERE c = +? AND d < ?", " LIMIT ?"],
  )
  const files = globSync("**/*.ts", { cwd: join(root, "src"), exclude: ["**/*.d.ts"] })
  const bare = files.flatMap((file) => {
    const text = read(join("src", file))
    return /[^?]\?[\s,)`"|]/.test(text) ? bareValuesIn(text).map((part) => `${file}: ${part}`) : []
  })
  t.strictSame(bare, [])
})

/**
 * The casts in a text: words that disappear when its types are stripped, except for comments among types and renamed
 * imports.
 */
function castsIn(source: string): string[] {
  // An import or export may run over several lines, and renames with the same word.
  const text = source.replace(/^(?:import|export)(?: type)? \{\n[^"]*/gm, (list) => list.replace(/\b\w+ as /g, ""))
  const left = stripTypeScriptTypes(text)
  const isCast = (index: number) =>
    !/^\s*(?:\*|\/|import |type )/.test(text.slice(text.lastIndexOf("\n", index) + 1, index))
  const gone = [...text.matchAll(/\bas (?!const\b)/g)].filter(({ index }) => left[index] === " " && isCast(index))
  return gone.map(({ index }) => text.slice(index, index + 20))
}

test("few casts are left, and none of them forces an impossible type", async (t) => {
  t.strictSame(
    castsIn('import { a as b, type C as D } from "e"\nconst f = [b] as const // as g\nh(i as J, "as K") as L'),
    ['as J, "as K") as L', "as L"],
  )
  const casts = globSync("**/*.ts", { cwd: join(root, "src") }).flatMap((file) => castsIn(read(join("src", file))))
  t.ok(casts.length <= 60, `${casts.length} casts`)
  t.strictSame(
    casts.filter((cast) => /^as (?:unknown as|never\b)/.test(cast)),
    [],
  )
})

test("no line is wider than 120 columns", async (t) => {
  const folder = t.testdir({
    src: { "a.ts": `// ${"é".repeat(117)}\n// ${"é".repeat(118)}\n` },
    test: { "b.json": "c".repeat(121) },
  })
  t.strictSame(wideLines(folder), ["src/a.ts:2"], "columns are characters, and data have none")
  t.strictSame(wideLines(root), [])
})

/** How a page may write a number: whole, or by the unit of its bytes or pixels. */
const spellings = (value: number): string[] => [
  value.toLocaleString("en"),
  ...["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"].slice(value - 1, value),
  ...(
    [
      [1024, "KiB"],
      [1024 ** 2, "MiB"],
      [1024 ** 3, "GiB"],
      [1_000, "kB"],
      [1_000_000, "MB"],
      [1_000_000, "million"],
    ] as const
  )
    .filter(([unit]) => value % unit === 0)
    .map(([unit, name]) => `${value / unit} ${name}`),
  ...(value % 60 === 0 ? [`${value / 60} minutes`] : []),
]

/**
 * What a page says wrongly of bounds: a name that is none, a bound that it leaves out, and one whose number is neither
 * after its name nor in its paragraph. The first table leaves the numbers to the manifest.
 */
function wrongBounds(page: string, bounds: Readonly<Record<string, number>>): string[] {
  const table = page.slice(page.indexOf("| what is counted"), page.indexOf("- **Nobody is locked out"))
  const paragraphs = page.replace(table, "\n\n").split(/\n(?=- |\n|#)/)
  const pairs = [...page.matchAll(/`(\w+)`\s([\d,]+)(?=[,.]\s)/g)]
  const listed = new Map(pairs.map(([, name = "", number = ""]) => [name, Number(number.replaceAll(",", ""))]))
  const naming = (name: string) => paragraphs.filter((text) => text.includes(`\`${name}\``))
  const says = (text: string, value: number) =>
    spellings(value).some((each) => new RegExp(`(?<![\\d,.])${each}(?![\\d]|,\\d|\\.\\d)`, "i").test(text))
  const named = [...page.matchAll(/\(`[a-z]\w+`(?:, `[a-z]\w+`)*\)/g)].flatMap(([list]) => list.match(/\w+/g) ?? [])
  return [
    ...[...named, ...listed.keys()].filter((name) => bounds[name] === undefined).map((name) => `${name} is no bound`),
    ...Object.entries(bounds).flatMap(([name, value]) => {
      const own = listed.get(name)
      if (own !== undefined) return own === value ? [] : [`${name} is ${value}, not ${own}`]
      const texts = naming(name)
      if (texts.length === 0) return table.includes(`\`${name}\``) ? [] : [`${name}, ${value}, is left out`]
      return texts.some((text) => says(text, value)) ? [] : [`${name} is ${value}, which its paragraph does not say`]
    }),
  ]
}

/** Numbers of the page that stand beside what they bound: where the code has them. */
const beside: readonly [says: RegExp, file: string, has: RegExp][] = [
  [/16 of 64 that wait for an answer/, "edge/requests/forward.ts", /PLACES = \{ total: 64, each: 16 \}/],
  [
    /passes on 64 requests at once that wait for an answer, 16 of one/,
    "edge/requests/forward.ts",
    /total: 64, each: 16/,
  ],
  [
    /scrypt \(N=2\^14, r=8, p=5\), at most two at a time/,
    "people/passwords.ts",
    /N: 2 \*\* 14, r: 8, p: 5[^]*AT_ONCE = 2\n/,
  ],
  [/at most 64 attempts of each kind wait/, "people/passwords.ts", /WAITING = 64\n/],
  [/address alone, ten times as many/, "people/signing-in.ts", /ADDRESS_FACTOR = 10\n/],
  [/remembers eight addresses\s+for each name/, "people/signing-in.ts", /ADDRESSES_OF_NAME = 8\n/],
  [/answers are read up to 256 KiB, for at most 8 seconds/, "people/provider.ts", /= 8_000\n.*= 256 \* 1024\n/],
  [/At most 8 sign-ins are with the provider/, "people/provider.ts", /AT_ONCE = 8\n/],
  [/rows are corrected 200 at a time/, "ledger/replay/remake.ts", /CORRECTED = 200\n/],
  [/indexes merged by 8 pages/, "research/search/indexing.ts", /\[MERGED, MERGING_MS\] = \[8, /],
  [/beside their rows is overwritten for 20 ms at a time/, "app/serving/log-copying.ts", /CLEARING, .* = \[20, /],
  [/compressed as they arrive, four at once/, "edge/limits/body.ts", /\[LOGS_AT_ONCE, LOGS_OF_ONE\] = \[4, 2\]\n/],
  [/two of the four that are received at once/, "edge/limits/body.ts", /LOGS_OF_ONE\] = \[4, 2\]\n/],
  [/cut off after 10 seconds and stalled requests\s+after 30/, "http/server.ts", /10_000, requestTimeout: 30_000/],
  [/a line of more than 4,000,000 characters/, "library/papers/import.ts", /LONGEST_LINE = 4_000_000\n/],
  [/more than 100 times its size/, "library/papers/import.ts", /MAX_EXPANSION = 100\n/],
  [/at most 10,000,000 characters of an answer/, "library/papers/fetcher.ts", /LONGEST_ANSWER = 10_000_000\n/],
  [/limited to two a second/, "edge/telemetry/request-log.ts", /perMinute: 120/],
]

test("SECURITY.md has each bound of the contract with its number, and no other", async (t) => {
  const page = "\n\n- At most 5 of them (`few`), and 2 MiB (`bytes`).\n- More: `many` 1,000, `lost` 7.\n"
  const faults = ["lost is no bound", "few is 6, which its paragraph does not say", "more, 9, is left out"]
  t.strictSame(wrongBounds(page, { few: 6, bytes: 2 * 1024 ** 2, many: 1_000, more: 9 }), faults)
  t.strictSame(wrongBounds(page, { few: 5, bytes: 2 * 1024 ** 2, many: 100, lost: 7 }), ["many is 100, not 1000"])
  const security = readFileSync(join(root, "SECURITY.md"), "utf8")
  t.strictSame(wrongBounds(security, limits), [])
  for (const [says, file, has] of beside) {
    t.match(security, says)
    t.match(readFileSync(join(root, "src", file), "utf8"), has, `${file} is as ${says} says`)
  }
})
