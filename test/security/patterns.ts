/** The regular expressions of a program, both written and built at run time, with the place of each. */
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

/** Milliseconds to analyse one pattern: the slowest here takes four seconds on an idle machine. */
const PATIENCE = 120_000
/** Characters of an attack. */
const LENGTH = 300_000
/** Milliseconds that no linear pattern needs, even on a busy machine. */
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

/** Returns the patterns written in a file, and the lines that build others from text. */
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

/** Records every regular expression built from text from now on, with the file and line that build it. */
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

/** Whether anything in a pattern can repeat without limit. Classes and escaped characters stand for themselves. */
export const repeats = (source: string): boolean =>
  /[*+]|\{\d+,\}/.test(source.replaceAll(/\\.|\[(?:[^\]\\]|\\.)*\]/gs, "x"))

type Attack = Extract<Diagnostics, { status: "vulnerable" }>["attack"]

/**
 * Whether an attack really takes long with some hundred thousand characters: a linear pattern takes a few milliseconds.
 */
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

/** How a pattern's cost grows with its input; null if it grows linearly or less. */
async function growth(pattern: Pattern): Promise<string | null> {
  if (!repeats(pattern.source)) return null
  const found = await check(pattern.source, pattern.flags.replaceAll(/[gyd]/g, ""), { timeout: PATIENCE })
  if (found.status === "safe") return null
  if (found.status === "unknown") return JSON.stringify(found.error)
  // An attack found by fuzzing is tried, because V8 may be faster than the analysis assumes.
  if (found.checker === "fuzz" && !takesLong(pattern, found.attack)) return null
  return found.complexity.summary
}

/** Returns the patterns that grow faster, each once, with the files that contain them. */
export async function growing(patterns: readonly Pattern[]): Promise<string[]> {
  const places = Map.groupBy(patterns, ({ source, flags }) => `/${source}/${flags}`)
  const told: string[] = []
  for (const [name, all] of places) {
    const how = all[0] === undefined ? null : await growth(all[0])
    if (how !== null) told.push(`${name} in ${[...new Set(all.map(({ file }) => file))].join(", ")}: ${how}`)
  }
  return told
}
