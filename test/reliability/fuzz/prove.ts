/**
 * The long form of the fuzz, run by `npm run prove -- --only fuzz`: tens of thousands of cases, new ones each time.
 * `--seed S` repeats a run, `--attack NAME --seed N --path P` the case that a failure names; `--keep yes` also prints
 * what seeds.json keeps of it.
 */
import { asked, megabytes, progress, prove, tell } from "../support/proving.ts"
import { campaign } from "./campaign.ts"

/**
 * Bytes that the service may have in use at the end. Requests of a megabyte need some forty, freed when the engine
 * decides.
 */
const MOST_MEMORY = 800 * 1024 * 1024

const { seed, numbers, words } = asked({ cases: 60_000 }, {}, ["attack", "path", "keep"])
const { cases } = numbers
const count = (number: number) => number.toLocaleString("en")
const counts = (all: ReadonlyMap<string, number>) =>
  [...all]
    .sort()
    .map(([name, times]) => `${name}: ${count(times)}`)
    .join(", ")

await prove("fuzz", seed, async () => {
  let told = 0
  const report = await campaign({
    cases,
    seed: /^[0-9]+$/.test(seed) ? Number(seed) : Number.parseInt(seed, 16) % 2 ** 31,
    attack: words.attack,
    path: words.path,
    endlessBodies: true,
    progress(done, violations, memory) {
      if (done - told < cases / 40) return
      told = done
      progress(`${count(done)} of ${count(cases)} cases, ${violations} violations, ${megabytes(memory)}`)
    },
  })
  const { memory } = report
  tell(`${report.reached} of ${report.routes} routes reached; ${counts(report.statuses)}`)
  tell(`refusals met: ${counts(report.codes)}`)
  const problems = report.violations.map(
    ({ what, attack, replay, request, kept }) =>
      `${attack}: ${what}\n  ${request}\n  again: ${replay}` +
      `${words.keep === undefined || kept === null ? "" : `\n  ${JSON.stringify(kept)}`}`,
  )
  if (memory !== null && memory.end >= MOST_MEMORY) problems.push(`it uses ${megabytes(memory.end)} at the end`)
  return {
    problems,
    seen:
      `${count(report.cases)} cases over ${report.routes} routes, ${count(report.stored)} writes accepted, memory ` +
      `after the first tenth ${megabytes(memory?.warm ?? null)}, at the end ${megabytes(memory?.end ?? null)}`,
  }
})
