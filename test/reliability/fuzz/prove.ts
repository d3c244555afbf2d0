/**
 * The long form of the fuzz, run by `npm run prove`: tens of thousands of cases, new ones each time. The last line on
 * standard output is its summary. `--seed N` repeats a run, `--attack NAME --seed N --path P` the case that a failure
 * names.
 */
import { randomInt } from "node:crypto"
import { parseArgs } from "node:util"
import { endAll } from "../../support/program.ts"
import { campaign } from "./campaign.ts"

/**
 * Bytes that the service may have in use at the end. Requests of a megabyte need some forty, freed when the engine
 * decides.
 */
const MOST_MEMORY = 800 * 1024 * 1024
const CASES = 60_000

// However this process ends, the service it started ends with it.
process.on("exit", endAll)

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    attack: { type: "string" },
    path: { type: "string" },
    cases: { type: "string" },
    keep: { type: "boolean" },
  },
})
const seed = Number(values.seed ?? randomInt(2 ** 31))
const cases = Number(values.cases ?? Math.ceil(CASES * Number(process.env.PROVE_SCALE ?? 1)))
const say = (text: string) => process.stderr.write(`${text}\n`)
const count = (number: number) => number.toLocaleString("en")
const megabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`

say(`fuzz: ${count(cases)} cases, --seed ${seed}`)
let told = 0
const report = await campaign({
  cases,
  seed,
  attack: values.attack,
  path: values.path,
  endlessBodies: true,
  progress(done, violations, memory) {
    if (done - told < cases / 40) return
    told = done
    say(
      `fuzz: ${count(done)} of ${count(cases)} cases, ${violations} ` +
        `violations${memory === null ? "" : `, ${megabytes(memory)}`}`,
    )
  },
})

for (const { what, attack, replay, request, kept } of report.violations) {
  say(`\n${attack}: ${what}\n  ${request}\n  again: ${replay}`)
  if (values.keep && kept !== null) say(`  ${JSON.stringify(kept)}`)
}
const counts = (all: ReadonlyMap<string, number>) =>
  [...all]
    .sort()
    .map(([name, times]) => `${name}: ${count(times)}`)
    .join(", ")
say(
  `fuzz: ${report.reached} of ${report.routes} routes reached, ${count(report.stored)} writes ` +
    `accepted; ${counts(report.statuses)}`,
)
say(`fuzz: refusals met: ${counts(report.codes)}`)
if (report.memory !== null)
  say(`fuzz: memory after the first tenth ${megabytes(report.memory.warm)}, at the end ${megabytes(report.memory.end)}`)

const isBounded = report.memory === null || report.memory.end < MOST_MEMORY
const memory = report.memory === null ? "" : `, RSS ${megabytes(report.memory.end)}`
console.log(
  `${count(report.cases)} cases over ${report.routes} routes, ${report.violations.length} violations${memory}`,
)
process.exitCode = report.violations.length === 0 && isBounded ? 0 : 1
