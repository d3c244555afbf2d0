/**
 * Runs test files, short ones several to a process, and counts the assertions: the last line is `N passed, N failed`.
 * Without an argument it runs the tests that a change is likely to break (`npm test`); with `--rest`, all others
 * (`npm run test:rest`). Arguments name files to run instead: `npm run tap -- test/ledger/receipts.test.ts`, with
 * `--jobs=1` one at a time.
 *
 * It does not use tap's own runner, whose coverage hooks cost each process and each thread a third of a second.
 */
import { spawn } from "node:child_process"
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { availableParallelism, cpus, tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { unpackBrowser } from "../test/web/browser.ts"

/** The folders and files that only `npm run test:rest` runs. */
const REST = [
  "test/client/instance.test.ts",
  "test/client/network.test.ts",
  "test/client/pyodide.test.ts",
  "test/client/python.test.ts",
  "test/client/wandb/issues.test.ts",
  "test/commands/adopt.test.ts",
  "test/commands/audit.test.ts",
  "test/commands/backup.test.ts",
  "test/commands/check-mark.test.ts",
  "test/commands/check.test.ts",
  "test/commands/connect.test.ts",
  "test/commands/dropping.test.ts",
  "test/commands/lists.test.ts",
  "test/commands/metrics.test.ts",
  "test/commands/operators.test.ts",
  "test/commands/people.test.ts",
  "test/commands/rooms-and-credentials.test.ts",
  "test/commands/served-data.test.ts",
  "test/contract/linted.test.ts",
  "test/contract/made-clients.test.ts",
  "test/contract/validators.test.ts",
  "test/eval/",
  "test/executable/",
  "test/figures/bad-logs.test.ts",
  "test/figures/figures.test.ts",
  "test/figures/largest.test.ts",
  "test/http/thread-times.test.ts",
  "test/http/threads.test.ts",
  "test/ledger/concurrent-writers.test.ts",
  "test/ledger/every-column.test.ts",
  "test/ledger/faults.test.ts",
  "test/ledger/full-disk.test.ts",
  "test/library/crossref.test.ts",
  "test/library/hostile-bibtex.test.ts",
  "test/library/hostile-papers.test.ts",
  "test/library/keys-everywhere.test.ts",
  "test/library/keys.test.ts",
  "test/library/papers.test.ts",
  "test/library/privacy.test.ts",
  "test/mcp/pictures.test.ts",
  "test/operation/",
  "test/people/audit.test.ts",
  "test/people/described.test.ts",
  "test/people/hostile-provider.test.ts",
  "test/people/invitations.test.ts",
  "test/people/sign-in.test.ts",
  "test/reliability/",
  "test/research/added/adopt.test.ts",
  "test/research/added/export-command.test.ts",
  "test/research/added/export-stream.test.ts",
  "test/research/added/export.test.ts",
  "test/research/added/forgery.test.ts",
  "test/research/added/hostile-crate.test.ts",
  "test/research/added/import.test.ts",
  "test/research/added/replayed-elsewhere.test.ts",
  "test/research/added/search-later.test.ts",
  "test/research/added/second-hand.test.ts",
  "test/research/added/sqlite.test.ts",
  "test/research/added/verify.test.ts",
  "test/research/curves/largest.test.ts",
  "test/research/measurements/doors/",
  "test/research/measurements/pooled-agreement.test.ts",
  "test/research/numbers/newcomer.test.ts",
  "test/research/measurements/late.test.ts",
  "test/research/past/bounds.test.ts",
  "test/research/past/elsewhere.test.ts",
  "test/research/past/every-moment.test.ts",
  "test/research/record/other-rooms.test.ts",
  "test/research/record/substrings.test.ts",
  "test/rooms/webhooks.test.ts",
  "test/runs/bad-logs.test.ts",
  "test/runs/run.test.ts",
  "test/security/answers.test.ts",
  "test/security/cookies.test.ts",
  "test/security/headers.test.ts",
  "test/security/linear-made.test.ts",
  "test/security/linear-packages.test.ts",
  "test/security/linear.test.ts",
  "test/security/rendering.test.ts",
  "test/security/sign-in-limit.test.ts",
  "test/upgrade/",
  "test/walk.test.ts",
  "test/web/admin.test.ts",
  "test/web/all-forms.test.ts",
  "test/web/all-pages-phone.test.ts",
  "test/web/all-pages-wide.test.ts",
  "test/web/argument.test.ts",
  "test/web/base-path.test.ts",
  "test/web/citing.test.ts",
  "test/web/comparison.test.ts",
  "test/web/figures.test.ts",
  "test/web/hypothesis-by-keyboard.test.ts",
  "test/web/judging.test.ts",
  "test/web/large-room.test.ts",
  "test/web/library.test.ts",
  "test/web/long-thread.test.ts",
  "test/web/looking-back.test.ts",
  "test/web/mistakes.test.ts",
  "test/web/newcomer.test.ts",
  "test/web/provider-pages.test.ts",
  "test/web/record-page.test.ts",
  "test/web/since-you-were-here.test.ts",
  "test/web/tabs.test.ts",
  "test/web/ten-tasks.test.ts",
  "test/web/three-people.test.ts",
  "test/web/ways-of-reading.test.ts",
  "test/web/webhooks.test.ts",
  "test/web/week",
  "test/web/weight.test.ts",
  "test/web/wide-tables.test.ts",
  "test/web/work-by-keyboard.test.ts",
  "test/web/workbench.test.ts",
  "test/withholding/bytes.test.ts",
  "test/withholding/copy.test.ts",
  "test/withholding/elsewhere.test.ts",
  "test/withholding/ending.test.ts",
  "test/withholding/lost.test.ts",
  "test/withholding/moved.test.ts",
  "test/withholding/page.test.ts",
  "test/withholding/story.test.ts",
  "test/withholding/threads.test.ts",
  "test/writer/one-moment.test.ts",
]

/** The longest tests, which start first. */
const LONGEST = [
  "test/eval/eval.test.ts",
  "test/reliability/storage/slow-disk.test.ts",
  "test/web/all-pages-wide.test.ts",
  "test/web/all-pages-phone.test.ts",
  "test/web/week/week.test.ts",
  "test/web/work-by-keyboard.test.ts",
  "test/web/weight.test.ts",
  "test/commands/served-data.test.ts",
  "test/reliability/hostile/hostile.test.ts",
  "test/withholding/bytes.test.ts",
  "test/reliability/storage/full-service.test.ts",
  "test/withholding/elsewhere.test.ts",
  "test/withholding/moved.test.ts",
  "test/reliability/storage/stages.test.ts",
  "test/reliability/storage/copies.test.ts",
  "test/reliability/fuzz/fuzz.test.ts",
  "test/ledger/faults.test.ts",
  "test/commands/check.test.ts",
  "test/http/thread-times.test.ts",
  "test/research/past/every-moment.test.ts",
  "test/upgrade/upgrade.test.ts",
  "test/web/story.test.ts",
  "test/web/loop.test.ts",
  "test/web/evidence.test.ts",
  "test/contract/agreement.test.ts",
  "test/http/pages.test.ts",
  "test/http/parameters.test.ts",
  "test/research/work/model.test.ts",
]

/**
 * The folders and files that need a process for each file: they start a browser, take a minute, or change or watch
 * their own process.
 */
const ALONE = [
  "test/executable/",
  "test/operation/",
  "test/people/sign-in.test.ts",
  "test/reliability/",
  "test/research/added/export-stream.test.ts",
  "test/research/measurements/large-table.test.ts",
  "test/runs/",
  "test/security/linear-made.test.ts",
  "test/web/",
  "test/withholding/threads.test.ts",
]

/** The most files in one process. An instance that a file starts stays open until all of them are done. */
const IN_ONE_PROCESS = 8

process.chdir(dirname(import.meta.dirname))
const { values, positionals } = parseArgs({
  options: {
    rest: { type: "boolean", default: false },
    jobs: { type: "string" },
    timeout: { type: "string", default: "240" },
  },
  allowPositionals: true,
})
if (values.rest && positionals.length > 0) throw new Error("--rest takes no files")

/**
 * Returns the files of `npm test`, or the rest: those in the list, and the property tests again with all their runs.
 */
function chosenFiles(rest: boolean): string[] {
  const files = globSync("test/**/*.test.ts", { exclude: ["**/node_modules/**"] }).sort()
  const unused = [...REST, ...LONGEST].filter((place) => !files.some((file) => file.startsWith(place)))
  if (unused.length > 0) throw new Error(`build/test.ts names ${unused.join(", ")}, but there is no such test`)
  const isListed = (file: string) => REST.some((place) => file.startsWith(place))
  const hasMoreRuns = (file: string) => /\bruns\(\d/.test(readFileSync(file, "utf8"))
  const chosen = files.filter((file) => (rest ? isListed(file) || hasMoreRuns(file) : !isListed(file)))
  return [...LONGEST.filter((file) => chosen.includes(file)), ...chosen.filter((file) => !LONGEST.includes(file))]
}

/**
 * Puts files that share a process together, each group from one folder. Loading the service takes longer than what most
 * files do.
 */
function grouped(files: readonly string[]): string[][] {
  const isAlone = (file: string) => LONGEST.includes(file) || ALONE.some((place) => file.startsWith(place))
  const folders = Map.groupBy(files, (file) => (isAlone(file) ? file : file.split("/").slice(0, 2).join("/")))
  return [...folders.values()].flatMap((of) => {
    const count = Math.ceil(of.length / IN_ONE_PROCESS)
    return Array.from({ length: count }, (_, index) => of.filter((_, at) => at % count === index))
  })
}

await unpackBrowser()

// All files share one compile cache and one copy of the demo.
const TOLD_DEMO = mkdtempSync(join(tmpdir(), "research-room-told-"))
const env = {
  NODE_COMPILE_CACHE: resolve("node_modules/.cache/research-room/compiled"),
  TOLD_DEMO,
  TAP_TIMEOUT: values.timeout,
  ...(values.rest && { TEST_RUNS: "all" }),
  ...process.env,
}

interface Ran {
  readonly files: string
  readonly passed: number
  readonly failed: number
  readonly left: number
}

/** Runs files in one process and prints their result in one line, after the whole output if something failed. */
function ran(group: readonly string[]): Promise<Ran> {
  const started = performance.now()
  const files = group.join(" ")
  const args = ["--conditions=research-room-source", "--import=./test/support/seed.ts"]
  // The first file's name sets the folders that tap makes for this process apart from those of another.
  args.push(...(group.length === 1 ? group : ["test/support/several.ts", ...group.slice(0, 1)]))
  const child = spawn(process.execPath, args, { env: { ...env, TEST_FILES: files }, stdio: ["ignore", "pipe", "pipe"] })
  // After its timeout a test ends itself and prints what it waited for. If it does not, it is killed.
  const ending = setTimeout(() => child.kill("SIGKILL"), (Number(values.timeout) + 30) * 1_000)
  let printed = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => void (printed += text))
  return new Promise((resolve) => {
    child.on("close", (code) => {
      clearTimeout(ending)
      // The totals read `# { total: 9, pass: 7, fail: 1, skip: 1 }`.
      const totals = printed.match(/^# \{ total: .*\}$/gm)?.at(-1) ?? ""
      const count = (what: string) => Number(totals.match(`${what}: (\\d+)`)?.[1] ?? 0)
      const [passed, left] = [count("pass"), count("skip") + count("todo")]
      const failed = count("fail") || (code === 0 && passed + left > 0 ? 0 : 1)
      if (failed > 0) console.log(printed)
      console.log(`${failed > 0 ? "not ok" : "ok"} ${files} ${((performance.now() - started) / 1_000).toFixed(1)} s`)
      resolve({ files, passed, failed, left })
    })
  })
}

/** Returns the idle share of the machine's processors since the last call. */
const idleShare = (() => {
  let before = { idle: 0, all: 0 }
  return () => {
    const times = cpus().map((cpu) => cpu.times)
    const now = {
      idle: times.reduce((sum, { idle }) => sum + idle, 0),
      all: times.reduce((sum, each) => sum + each.user + each.nice + each.sys + each.idle + each.irq, 0),
    }
    const share = (now.idle - before.idle) / Math.max(1, now.all - before.all)
    before = now
    return share
  }
})()

/** Runs as many processes at once as there are processors, and up to twice as many while the processors are idle. */
async function runAll(groups: readonly string[][]): Promise<Ran[]> {
  const waiting = [...groups]
  const done: Ran[] = []
  const cores = availableParallelism()
  const [least, most] = values.jobs === undefined ? [cores, 2 * cores + 1] : [Number(values.jobs), Number(values.jobs)]
  let running = 0
  await new Promise<void>((resolve) => {
    const start = () => {
      const next = waiting.shift()
      if (next === undefined) return
      running += 1
      void ran(next).then((result) => {
        done.push(result)
        running -= 1
        if (running < least) start()
        if (running === 0) resolve()
      })
    }
    while (running < Math.min(least, groups.length)) start()
    idleShare()
    const more = setInterval(() => {
      if (idleShare() > 0.2 && running < most) start()
      if (waiting.length === 0) clearInterval(more)
    }, 500)
    more.unref()
  })
  return done
}

const done = await runAll(grouped(positionals.length > 0 ? positionals : chosenFiles(values.rest)))
rmSync(TOLD_DEMO, { recursive: true, force: true })
const sum = (of: "passed" | "failed" | "left") => done.reduce((total, each) => total + each[of], 0)
for (const { files } of done.filter((each) => each.failed > 0)) console.log(`not ok ${files}`)
if (sum("left") > 0) console.log(`${sum("left")} skipped or to do`)
console.log(`${sum("passed")} passed, ${sum("failed")} failed`)
process.exitCode = sum("failed") === 0 && sum("passed") > 0 ? 0 : 1
