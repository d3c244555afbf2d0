/**
 * Draws mutations over `src` at random, runs the tests that reach each mutated file, and reports which are caught:
 * `npm run mutate -- 60`, or `npm run mutate -- 60 --seed 7` to draw the same again; `--from 12` goes on where a run
 * was interrupted. Each mutation changes one place of one file in this checkout, and is undone before the next; an
 * interrupted run leaves at most one, which `git diff` shows. The files of tests that share most words with the place
 * run, sixty before a mutation counts as not caught; what fails without the mutation too has caught nothing. `--list`
 * only prints what is drawn.
 */
import { spawnSync } from "node:child_process"
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { present } from "../src/contract/typed.ts"
import { chanceOf, freshSeed } from "../test/reliability/support/chance.ts"

/** What a mutation replaces: comparisons, choices, numbers, conditions, and calls that only check. */
const ways: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/ === /g, () => " !== "],
  [/ !== /g, () => " === "],
  [/ && /g, () => " || "],
  [/ \|\| /g, () => " && "],
  [/ < /g, () => " <= "],
  [/ > /g, () => " >= "],
  [/ >= /g, () => " > "],
  [/ <= /g, () => " < "],
  [/ \+ 1\b/g, () => ""],
  [/ - 1\b/g, () => ""],
  [/\btrue\b/g, () => "false"],
  [/\bfalse\b/g, () => "true"],
  [/\.some\(/g, () => ".every("],
  [/\.every\(/g, () => ".some("],
  [/\bMath\.min\(/g, () => "Math.max("],
  [/\bMath\.max\(/g, () => "Math.min("],
  // "[0-90]" is "[0-9]", and "30.40" is 30.4.
  [/(?<!\d-|\d\.)\b[2-9]\d*\b(?!["'`.:])/g, (found) => `${Number(found) * 10}`],
  [/^ {2,}must\w+\(.*\)$/gm, () => ""],
  [/\bif \((?!error)/g, () => "if (!true && "],
]

/**
 * The test files that run for a mutation, in groups until one fails. The nearest catches most, so it runs first; files
 * that run together share processes. Words alone rank some test of the same thing as late as fiftieth.
 */
const GROUPS = [1, 4, 6, 19, 30]
/** These run most of the code, so they come second. */
const WIDE = ["test/web/pinned.test.ts", "test/http/asked.test.ts", "test/contract/pinned.test.ts"]

interface Mutation {
  readonly path: string
  readonly at: number
  readonly found: string
  readonly put: string
}

/** Where the code of a file can be changed; not in its types, comments, imports, texts and examples. */
function mutationsOf(path: string): Mutation[] {
  const blank = (text: string) => text.replace(/[^\n]/g, " ")
  // Types are the compiler's business. Where they were are spaces, so that places stay the same.
  const code = stripTypeScriptTypes(readFileSync(path, "utf8"))
    .replace(/\/\*[\s\S]*?\*\//g, blank)
    .replace(/\/\/ .*$/gm, blank)
    .replace(/^import [^\n]*$/gm, blank)
    .replace(/^( *)(?:example: \{|otherExamples: \[)(?:.*[\]}],?|\n[\s\S]*?\n\1[\]}],?)$/gm, blank)
    .replace(/"[^"\n]*"/g, blank)
    .replace(/`[^`]*`/g, blank)
  return ways.flatMap(([expression, put]) =>
    [...code.matchAll(expression)].map(({ index, 0: found }) => ({ path, at: index, found, put: put(found) })),
  )
}

/** The words of a text: names are split into theirs, and longer words are cut, so that "cited" is like "cites". */
const wordsOf = (text: string): string[] =>
  (text.match(/[A-Z]?[a-z]{2,}|[A-Z]{3,}/g) ?? []).map((word) => word.toLowerCase().slice(0, 6))

const countsOf = (words: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** Lines before and after a mutation whose words count as its own. */
const AROUND = 12

/**
 * Orders tests by how much they speak of what is at a place: the words of its lines, of its path and of its file, each
 * counting more the fewer tests have it. Most tests speak through HTTP, so no import leads from them to the file.
 */
function nearestOf(paths: readonly string[]): (path: string, line: number) => string[] {
  const tests = paths.map((path) => ({ path, counts: countsOf(wordsOf(`${path} ${readFileSync(path, "utf8")}`)) }))
  const having = countsOf(tests.flatMap(({ counts }) => [...counts.keys()]))
  const rarity = (word: string) => Math.log(tests.length / (having.get(word) ?? tests.length))
  const weigh = (counts: ReadonlyMap<string, number>) =>
    new Map([...counts].map(([word, count]) => [word, (1 + Math.log(count)) * rarity(word)]))
  const weighed = tests.map(({ path, counts }) => {
    const weights = weigh(counts)
    return { path, weights, length: Math.hypot(...weights.values()) }
  })
  return (path, line) => {
    const text = readFileSync(path, "utf8")
    const place = weigh(
      countsOf(
        wordsOf(
          text
            .split("\n")
            .slice(Math.max(0, line - AROUND), line + AROUND)
            .join("\n"),
        ),
      ),
    )
    const file = weigh(countsOf(wordsOf(text)))
    const names = new Set(wordsOf(path))
    const module = path.split("/").slice(-2).join("/")
    const folder = dirname(path).replace(/^src/, "test")
    const score = ({ path: test, weights, length }: (typeof weighed)[number]) => {
      let sum = 0
      for (const [word, weight] of file)
        sum += (weights.get(word) ?? 0) * (weight + 2 * (place.get(word) ?? 0)) * (names.has(word) ? 3 : 1)
      const isOwn = readFileSync(test, "utf8").includes(`/${module}"`)
      return (sum / length) * (isOwn ? 3 : 1) * (test.startsWith(`${folder}/`) ? 2 : 1)
    }
    return weighed
      .map((test) => [test.path, score(test)] as const)
      .sort(([, one], [, other]) => other - one)
      .map(([test]) => test)
  }
}

/** A program that runs this source: tests start it where they would start the executable, which has no mutation. */
function programOfSource(folder: string): string {
  const program = join(folder, "research-room")
  const run = `exec "${process.execPath}" --conditions=research-room-source "${resolve("src/main.ts")}" "$@"`
  writeFileSync(program, `#!/bin/sh\n${run}\n`, { mode: 0o755 })
  return program
}

const folder = mkdtempSync(join(tmpdir(), "mutate-"))
/** With fixed seeds a property test fails for the mutation alone. */
const env = { ...process.env, CI: "1", RESEARCH_ROOM_PROGRAM: programOfSource(folder) }

/** Runs some test files. @returns those that failed; files that share a process fail together */
function failing(tests: readonly string[]): string[] {
  const run = ["build/test.ts", "--jobs=2", ...tests]
  const { stdout, status } = spawnSync(process.execPath, run, {
    env,
    encoding: "utf8",
    maxBuffer: Number.MAX_SAFE_INTEGER,
  })
  if (status === 0) return []
  const groups = stdout.matchAll(/^not ok (test\/.*?)(?: [0-9.]+ s)?$/gm)
  const failed = new Set([...groups].map(([, group]) => present(group)))
  return failed.size > 0 ? [...failed] : [tests.join(" ")]
}

const { values, positionals } = parseArgs({
  options: {
    seed: { type: "string" },
    only: { type: "string" },
    from: { type: "string", default: "1" },
    list: { type: "boolean", default: false },
  },
  allowPositionals: true,
})
const count = Number(positionals[0] ?? 60)
const seed = values.seed ?? freshSeed()
const chance = chanceOf(seed)
console.log(`seed ${seed}`)
const files = globSync(`${values.only ?? "src"}/**/*.ts`, { exclude: ["**/*.d.ts", "src/web/client/**"] }).sort()
const tests = globSync("test/**/*.test.ts", {
  exclude: ["test/{bench,reliability}/**", "**/node_modules/**"],
}).sort()
const drawn: Mutation[] = []
while (drawn.length < count) {
  const all = mutationsOf(present(chance.of(files)))
  if (all.length > 0) drawn.push(present(chance.of(all)))
}
let caught = 0
/** Whether files that failed pass without the mutation. */
const sound = new Map<string, boolean>()
const nearest = nearestOf(tests)
const chosen = drawn.slice(Number(values.from) - 1)
for (const { path, at, found, put } of chosen) {
  const whole = readFileSync(path, "utf8")
  const line = whole.slice(0, at).split("\n").length
  const what = `${path}:${line} ${JSON.stringify(found.trim())} -> ${JSON.stringify(put.trim())}`
  const [first = "", ...others] = nearest(path, line)
  const related = [...new Set([first, ...WIDE, ...others])]
  if (values.list) {
    console.log(what)
    continue
  }
  const caughtBy = (some: readonly string[]): string | undefined => {
    writeFileSync(path, whole.slice(0, at) + put + whole.slice(at + found.length))
    let failed: string[] = []
    try {
      failed = failing(some)
    } finally {
      writeFileSync(path, whole)
    }
    return failed.find((group) => sound.getOrInsertComputed(group, () => failing(group.split(" ")).length === 0))
  }
  let by: string | undefined
  let ran = 0
  for (const size of GROUPS) {
    const some = by === undefined ? related.slice(ran, ran + size) : []
    if (some.length > 0) by = caughtBy(some)
    ran += some.length
  }
  if (by !== undefined) caught += 1
  console.log(by === undefined ? `NOT CAUGHT ${what} (${ran} files of tests)` : `caught ${what} by ${by}`)
}
for (const [tests, passed] of sound) if (!passed) console.log(`${tests} fails without a mutation too`)
if (!values.list) console.log(`${caught} of ${chosen.length} caught, seed ${seed}`)
rmSync(folder, { recursive: true })
