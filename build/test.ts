/**
 * Runs the tests with tap and counts, from the totals tap itself ends with, what passed and failed:
 * the last line is `N passed, N failed`. Without an argument it runs what a change is likely to break (`npm test`); with `--rest`
 * what is left (`npm run test:rest`). Other arguments go to tap: `npm run tap -- test/ledger/receipts.test.ts`.
 */
import { spawn, spawnSync } from "node:child_process"
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { unpackBrowser } from "../test/web/browser.ts"

/** What `npm test` leaves to `npm run test:rest`: folders and files. tap runs files in the order of their names. */
const REST = [
  "test/web/base-path.test.ts",
  "test/web/all-pages-wide.test.ts",
  "test/web/all-pages-phone.test.ts",
  "test/reliability/",
  "test/security/linear-packages.test.ts",
  "test/security/linear.test.ts",
  "test/security/linear-made.test.ts",
  "test/contract/validators.test.ts",
  "test/contract/made-clients.test.ts",
  "test/contract/linted.test.ts",
  "test/executable/",
  "test/commands/backup.test.ts",
  "test/commands/check-mark.test.ts",
  "test/commands/served-data.test.ts",
  "test/commands/operators.test.ts",
  "test/commands/check.test.ts",
  "test/commands/people.test.ts",
  "test/commands/lists.test.ts",
  "test/commands/adopt.test.ts",
  "test/commands/audit.test.ts",
  "test/library/privacy.test.ts",
  "test/people/sign-in.test.ts",
  "test/people/hostile-provider.test.ts",
  "test/people/audit.test.ts",
  "test/people/invitations.test.ts",
  "test/research/added/adopt.test.ts",
  "test/research/added/mirror.test.ts",
  "test/research/added/replayed-elsewhere.test.ts",
  "test/research/added/second-hand.test.ts",
  "test/research/added/export-command.test.ts",
  "test/research/added/export-stream.test.ts",
  "test/research/added/similar-learnt.test.ts",
  "test/withholding/bytes.test.ts",
  "test/withholding/elsewhere.test.ts",
  "test/withholding/page.test.ts",
  "test/web/admin.test.ts",
  "test/web/webhooks.test.ts",
  "test/web/looking-back.test.ts",
  "test/web/ten-tasks.test.ts",
  "test/web/work-by-keyboard.test.ts",
  "test/web/week",
  "test/web/weight.test.ts",
  "test/web/long-thread.test.ts",
  "test/web/library.test.ts",
  "test/security/headers.test.ts",
  "test/security/cookies.test.ts",
  "test/security/answers.test.ts",
  "test/runs/run.test.ts",
  "test/walk.test.ts",
  "test/people/described.test.ts",
  "test/research/added/import.test.ts",
  "test/http/thread-times.test.ts",
  "test/http/threads.test.ts",
  "test/ledger/every-column.test.ts",
  "test/ledger/faults.test.ts",
  "test/ledger/full-disk.test.ts",
  "test/ledger/concurrent-writers.test.ts",
  "test/library/hostile-bibtex.test.ts",
  "test/library/hostile-papers.test.ts",
  "test/library/papers.test.ts",
  "test/library/keys.test.ts",
  "test/security/hostile-origin.test.ts",
  "test/security/sign-in-limit.test.ts",
  "test/client/pyodide.test.ts",
  "test/client/network.test.ts",
  "test/client/python.test.ts",
  "test/client/instance.test.ts",
  "test/research/added/forgery.test.ts",
  "test/research/added/hostile-crate.test.ts",
  "test/research/past/every-moment.test.ts",
  "test/operation/",
  "test/upgrade/",
  "test/eval/",
]

process.chdir(dirname(import.meta.dirname))
const [first, ...others] = process.argv.slice(2)
const isRest = first === "--rest"
if (isRest && others.length > 0) throw new Error("--rest takes no other argument")
const args = first === undefined || isRest ? chosenFiles(isRest) : [first, ...others]

/** The files of `npm test`, or of the rest: what the list names, and the property tests once more with all their runs. */
function chosenFiles(rest: boolean): string[] {
  const files = globSync("test/**/*.test.ts", { exclude: ["**/node_modules/**"] }).sort()
  const unused = REST.filter((place) => !files.some((file) => file.startsWith(place)))
  if (unused.length > 0) throw new Error(`build/test.ts names ${unused.join(", ")}, where there is no test`)
  const isListed = (file: string) => REST.some((place) => file.startsWith(place))
  const hasMoreRuns = (file: string) => /\bruns\(\d/.test(readFileSync(file, "utf8"))
  return files.filter((file) => (rest ? isListed(file) || hasMoreRuns(file) : !isListed(file)))
}

const tap = "node_modules/tap/dist/esm/run.mjs"

// tap comes with plugins built in that .taprc takes out: built anew once an install.
const builtIn = readFileSync("node_modules/@tapjs/test/test-built/dist/esm/index.js", "utf8")
const takenOut = [...readFileSync(".taprc", "utf8").matchAll(/^ +- "!(.+)"$/gm)].map(([, plugin]) => plugin)
if (takenOut.some((plugin) => builtIn.includes(`"${plugin}`))) {
  spawnSync(process.execPath, [tap, "build"], { stdio: "inherit" })
}

await unpackBrowser()

// Each test file is a process. They load much the same code, compiled once, and start from one demo, told once.
const NODE_COMPILE_CACHE = resolve("node_modules/.cache/research-room/compiled")
const TOLD_DEMO = mkdtempSync(join(tmpdir(), "research-room-told-"))
const run = spawn(process.execPath, [tap, "--reporter=tap", ...args], {
  stdio: ["ignore", "pipe", "inherit"],
  env: { NODE_COMPILE_CACHE, TOLD_DEMO, ...(isRest && { TEST_RUNS: "all" }), ...process.env },
})
const ended = new Promise<number | null>((resolve) => run.on("close", resolve))
let record = ""
for await (const text of run.stdout.setEncoding("utf8")) {
  record += text
  process.stdout.write(text)
}
rmSync(TOLD_DEMO, { recursive: true, force: true })

// The totals read `# { total: 9, pass: 7, fail: 1, skip: 1 }`.
const totals = record.match(/^# \{ total: .*\}$/gm)?.at(-1) ?? ""
const count = (what: string) => Number(totals.match(`${what}: (\\d+)`)?.[1] ?? 0)
const [passed, failed, left] = [count("pass"), count("fail"), count("skip") + count("todo")]
if (failed > 0) console.log(record.match(/^ *not ok .*$/gm)?.join("\n"))
if (left > 0) console.log(`${left} skipped or to do`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = (await ended) === 0 && failed === 0 && passed > 0 ? 0 : 1
