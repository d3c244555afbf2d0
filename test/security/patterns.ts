/** The regular expressions of a program: those written down, and those it makes as it runs, each with where it stands. */
import { stripTypeScriptTypes } from "node:module"
import { readFileSync } from "node:fs"
import { runInNewContext } from "node:vm"
import { type Node, parse } from "acorn"
import { full } from "acorn-walk"
import { check, type Diagnostics } from "recheck"

export interface Pattern {
  readonly source: string
  readonly flags: string
  readonly file: string
}

/** Milliseconds for the look at one pattern: the slowest here takes four seconds of a machine that does nothing else. */
const PATIENCE = 120_000
/** Characters of an attack. */
const LENGTH = 300_000
/** Milliseconds that nothing linear takes, on a busy machine either. */
const LONG = 1_000

function treeOf(file: string): Node {
  const text = readFileSync(file, "utf8")
  const code = file.endsWith(".ts") ? stripTypeScriptTypes(text) : text
  const how = { ecmaVersion: "latest", allowReturnOutsideFunction: true, locations: true } as const
  try {
    return parse(code, { ...how, sourceType: "module" })
  } catch {
    return parse(code, { ...how, sourceType: "script" })
  }
}

/** What is written in a file: patterns, and the lines on which it makes others from text. */
export function writtenIn(file: string): { patterns: Pattern[]; makes: number[] } {
  const patterns: Pattern[] = []
  const makes: number[] = []
  full(treeOf(file), (node) => {
    if (node.type === "Literal" && "regex" in node) {
      const { pattern: source, flags } = node.regex as { pattern: string; flags: string }
      patterns.push({ source, flags, file })
    }
    const isCall = node.type === "NewExpression" || node.type === "CallExpression"
    const callee = isCall && "callee" in node ? (node.callee as Node & { name?: string }) : undefined
    if (callee?.name === "RegExp") makes.push(node.loc?.start.line ?? 0)
  })
  return { patterns, makes }
}

/** Notes every regular expression that is made from text from now on, with the file and line that make it. */
export function noteMade(): ReadonlyMap<string, Pattern> {
  const made = new Map<string, Pattern>()
  globalThis.RegExp = new Proxy(RegExp, {
    construct(target, given) {
      const one: RegExp = Reflect.construct(target, given)
      const [, place = ""] = /\n.*\n\s+at .*?((?:file:)?\/[^()\n]*:\d+):\d+/.exec(new Error().stack ?? "") ?? []
      made.set(`${place} ${one.source}`, { source: one.source, flags: one.flags, file: place })
      return one
    },
  })
  return made
}

/** Whether anything in a pattern may come as often as it likes. What stands in classes and behind a backslash is itself. */
export const repeats = (source: string): boolean => /[*+]|\{\d+,\}/.test(source.replaceAll(/\\.|\[(?:[^\]\\]|\\.)*\]/gs, "x"))

type Attack = Extract<Diagnostics, { status: "vulnerable" }>["attack"]

/** Whether an attack really takes long once it is some hundred thousand characters: what is linear takes a few milliseconds. */
function takesLong({ source, flags }: Pattern, { pumps, suffix }: Attack): boolean {
  const times = Math.ceil(LENGTH / pumps.reduce((length, { pump }) => length + pump.length, 0))
  const text = `${pumps.map(({ prefix, pump }) => prefix + pump.repeat(times)).join("")}${suffix}`
  try {
    runInNewContext("text.match(new RegExp(source, flags))", { source, flags, text }, { timeout: LONG })
    return false
  } catch {
    return true
  }
}

/** How a pattern's cost grows with its input; null where it grows no faster than the input. */
async function growth(pattern: Pattern): Promise<string | null> {
  if (!repeats(pattern.source)) return null
  const found = await check(pattern.source, pattern.flags.replaceAll(/[gyd]/g, ""), { timeout: PATIENCE })
  if (found.status === "safe") return null
  if (found.status === "unknown") return JSON.stringify(found.error)
  // What cannot be proved is tried, and what was tried here may be faster in V8.
  if (found.checker === "fuzz" && !takesLong(pattern, found.attack)) return null
  return found.complexity.summary
}

/** Those that grow faster, each once, with the files where they stand. */
export async function growing(patterns: readonly Pattern[]): Promise<string[]> {
  const places = Map.groupBy(patterns, ({ source, flags }) => `/${source}/${flags}`)
  const told: string[] = []
  for (const [name, all] of places) {
    const how = all[0] === undefined ? null : await growth(all[0])
    if (how !== null) told.push(`${name} in ${[...new Set(all.map(({ file }) => file))].join(", ")}: ${how}`)
  }
  return told
}
