/**
 * Which test files run which code of `src`, as V8 counts it while they run: `learnReach` runs tests a few at a time and
 * keeps what each few reached in node_modules/.cache, so that a mutation is judged by the tests that run its place.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const CACHE = resolve("node_modules/.cache/research-room/reached")

/** The test files of one run, and for each file of `src` that was loaded its digest and what was not run of it. */
interface Reached {
  readonly tests: readonly string[]
  readonly files: Readonly<Record<string, { readonly digest: string; readonly missed: readonly [number, number][] }>>
}

interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly {
      readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[]
    }[]
  }[]
}

const digestOf = (path: string) => createHash("sha256").update(readFileSync(path)).digest("base64url").slice(0, 16)

/** Reads the coverage that the processes and threads of a run wrote: what one of them ran was run. */
function readCoverage(folder: string, tests: readonly string[]): Reached {
  const ran = new Map<string, Uint8Array>()
  for (const name of readdirSync(folder)) {
    const { result } = JSON.parse(readFileSync(join(folder, name), "utf8")) as Coverage
    for (const { url, functions } of result) {
      const path = url.startsWith("file:") ? relative(process.cwd(), fileURLToPath(url)) : ""
      if (!path.startsWith("src/")) continue
      // Ranges are nested, and the inner ones come later.
      const here = new Uint8Array(readFileSync(path, "utf8").length)
      for (const { startOffset, endOffset, count } of functions.flatMap(({ ranges }) => ranges))
        here.fill(count > 0 ? 1 : 0, startOffset, endOffset)
      ran.set(path, ran.get(path)?.map((before, at) => before | (here[at] ?? 0)) ?? here)
    }
  }
  const files = [...ran].map(([path, each]) => {
    const missed: [number, number][] = []
    for (let at = 0; at < each.length; at += 1) {
      const last = missed.at(-1)
      if (each[at] === 1) continue
      if (last?.[1] === at) last[1] = at + 1
      else missed.push([at, at + 1])
    }
    return [path, { digest: digestOf(path), missed }] as const
  })
  return { tests, files: Object.fromEntries(files) }
}

/** Runs all tests that have not been run yet, some of one folder at a time. */
export function learnReach(tests: readonly string[], env: NodeJS.ProcessEnv, together: number): void {
  mkdirSync(CACHE, { recursive: true })
  for (const of of Map.groupBy(tests, (test) => test.split("/").slice(0, 2).join("/")).values())
    for (let at = 0; at < of.length; at += together) {
      const some = of.slice(at, at + together)
      const kept = join(CACHE, `${createHash("sha256").update(some.join(" ")).digest("hex").slice(0, 16)}.json`)
      if (existsSync(kept)) continue
      const folder = mkdtempSync(join(CACHE, "run-"))
      const coverage = { ...env, NODE_V8_COVERAGE: folder }
      spawnSync(process.execPath, ["build/test.ts", "--jobs=2", ...some], { env: coverage, stdio: "ignore" })
      writeFileSync(kept, JSON.stringify(readCoverage(folder, some)))
      rmSync(folder, { recursive: true })
      console.log(some.join(" "))
    }
}

/** Tells whether a test file may run a place: that is not known where the file of `src` changed since, or is new. */
export function reachOf(): (path: string, at: number) => (test: string) => boolean {
  const names = existsSync(CACHE) ? readdirSync(CACHE).filter((name) => name.endsWith(".json")) : []
  const all = names.map((name) => JSON.parse(readFileSync(join(CACHE, name), "utf8")) as Reached)
  return (path, at) => {
    const digest = digestOf(path)
    const misses = ({ digest: then, missed }: Reached["files"][string]) =>
      then === digest && missed.some(([from, to]) => from <= at && at < to)
    const without = all.filter(({ files: { [path]: file } }) => file === undefined || misses(file))
    const known = new Set(without.flatMap(({ tests }) => tests))
    return (test) => !known.has(test)
  }
}
