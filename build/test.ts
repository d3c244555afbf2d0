/**
 * Runs the tests with tap and counts, from the totals tap itself ends with, what passed and failed:
 * the last line is `N passed, N failed`. Arguments go to tap: `npm run tap -- test/ledger.test.ts`.
 */
import { spawn, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"

process.chdir(dirname(import.meta.dirname))
const tap = "node_modules/tap/dist/esm/run.mjs"

// tap comes with plugins built in that .taprc takes out: built anew once an install.
const builtIn = readFileSync("node_modules/@tapjs/test/test-built/dist/esm/index.js", "utf8")
const takenOut = [...readFileSync(".taprc", "utf8").matchAll(/^ +- "!(.+)"$/gm)].map(([, plugin]) => plugin)
if (takenOut.some((plugin) => builtIn.includes(`"${plugin}`))) {
  spawnSync(process.execPath, [tap, "build"], { stdio: "inherit" })
}

// Some four hundred processes load much the same code: what one has compiled, the next ones take.
const NODE_COMPILE_CACHE = resolve("node_modules/.cache/research-room/compiled")
const run = spawn(process.execPath, [tap, "--reporter=tap", ...process.argv.slice(2)], {
  stdio: ["ignore", "pipe", "inherit"],
  env: { NODE_COMPILE_CACHE, ...process.env },
})
const ended = new Promise<number | null>((resolve) => run.on("close", resolve))
let record = ""
for await (const text of run.stdout.setEncoding("utf8")) {
  record += text
  process.stdout.write(text)
}

// The totals read `# { total: 9, pass: 7, fail: 1, skip: 1 }`.
const totals = record.match(/^# \{ total: .*\}$/gm)?.at(-1) ?? ""
const count = (what: string) => Number(totals.match(`${what}: (\\d+)`)?.[1] ?? 0)
const [passed, failed, left] = [count("pass"), count("fail"), count("skip") + count("todo")]
if (failed > 0) console.log(record.match(/^ *not ok .*$/gm)?.join("\n"))
if (left > 0) console.log(`${left} skipped or to do`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = (await ended) === 0 && failed === 0 && passed > 0 ? 0 : 1
