/**
 * Draws mutations over `src` at random, runs the tests that reach each mutated file, and reports which are caught:
 * `npm run mutate -- 60`, or `npm run mutate -- 60 --seed 7` to draw the same again. Each mutation changes one
 * place of one file in this checkout, and is undone before the next; an interrupted run leaves at most one, which
 * `git diff` shows. The tests nearest to the file run first, at most ten files of them; one that fails without the
 * mutation too has caught nothing.
 */
import { spawnSync } from "node:child_process"
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { dirname } from "node:path"
import { parseArgs } from "node:util"
import { present } from "../src/contract/present.ts"
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
  [/\b[2-9]\d*\b(?!["'`.:])/g, (found) => `${Number(found) * 10}`],
  [/^ {2,}must\w+\(.*\)$/gm, () => ""],
  [/\bif \((?!error)/g, () => "if (!true && "],
]

interface Mutation {
  readonly path: string
  readonly at: number
  readonly found: string
  readonly put: string
}

/** Where the code of a file can be changed; not in its types, comments, imports and texts. */
function mutationsOf(path: string): Mutation[] {
  const blank = (text: string) => text.replace(/[^\n]/g, " ")
  // Types are the compiler's business. Where they were are spaces, so that places stay the same.
  const code = stripTypeScriptTypes(readFileSync(path, "utf8"))
    .replace(/\/\*[\s\S]*?\*\//g, blank)
    .replace(/\/\/ .*$/gm, blank)
    .replace(/^import [^\n]*$/gm, blank)
    .replace(/"[^"\n]*"/g, blank)
    .replace(/`[^`]*`/g, blank)
  return ways.flatMap(([expression, put]) =>
    [...code.matchAll(expression)].map(({ index, 0: found }) => ({ path, at: index, found, put: put(found) })),
  )
}

/** Test files that belong to a file of src: those of the same folder by name, then those that name its module. */
function testsOf(path: string, all: readonly string[]): string[] {
  const [, domain = "", part = ""] = dirname(path).split("/")
  const name = path.split("/").at(-1)?.replace(/\.ts$/, "") ?? ""
  const score = (test: string): number => {
    const text = readFileSync(test, "utf8")
    const words = `${test} ${text}`
    return (
      (text.includes(`/${path.split("/").slice(-2).join("/")}`) ? 8 : 0) +
      (test.includes(`/${name}.test.ts`) ? 8 : 0) +
      (part !== "" && test.startsWith(`test/${domain}/`) && words.includes(part) ? 3 : 0) +
      (test.startsWith(`test/${domain}/`) ? 2 : 0) +
      (words.includes(name.replaceAll("-", "_")) ? 2 : 0) +
      (words.includes(name) ? 1 : 0)
    )
  }
  return all
    .map((test) => [test, score(test)] as const)
    .filter(([, points]) => points > 1)
    .sort(([, one], [, other]) => other - one)
    .slice(0, 10)
    .map(([test]) => test)
}

const passes = (test: string) => spawnSync(process.execPath, ["build/test.ts", test]).status === 0

const { values, positionals } = parseArgs({
  options: { seed: { type: "string" }, only: { type: "string" } },
  allowPositionals: true,
})
const count = Number(positionals[0] ?? 60)
const seed = values.seed ?? freshSeed()
const chance = chanceOf(seed)
console.log(`seed ${seed}`)
const files = globSync(`${values.only ?? "src"}/**/*.ts`, { exclude: ["**/*.d.ts", "src/web/client/**"] }).sort()
const tests = globSync("test/**/*.test.ts", { exclude: ["test/reliability/**", "test/bench/**"] }).sort()
const drawn: Mutation[] = []
while (drawn.length < count) {
  const all = mutationsOf(present(chance.of(files)))
  if (all.length > 0) drawn.push(present(chance.of(all)))
}
let caught = 0
/** Whether a test that failed passes without the mutation. */
const sound = new Map<string, boolean>()
for (const { path, at, found, put } of drawn) {
  const whole = readFileSync(path, "utf8")
  const line = whole.slice(0, at).split("\n").length
  const what = `${path}:${line} ${JSON.stringify(found.trim())} -> ${JSON.stringify(put.trim())}`
  const related = testsOf(path, tests)
  const catches = (test: string): boolean => {
    writeFileSync(path, whole.slice(0, at) + put + whole.slice(at + found.length))
    try {
      if (passes(test)) return false
    } finally {
      writeFileSync(path, whole)
    }
    if (!sound.has(test)) sound.set(test, passes(test))
    return sound.get(test) === true
  }
  const by = related.find((test) => sound.get(test) !== false && catches(test))
  if (by !== undefined) caught += 1
  console.log(by === undefined ? `NOT CAUGHT ${what} (${related.length} files of tests)` : `caught ${what} by ${by}`)
}
for (const [test, passed] of sound) if (!passed) console.log(`${test} fails without a mutation too`)
console.log(`${caught} of ${count} caught, seed ${seed}`)
