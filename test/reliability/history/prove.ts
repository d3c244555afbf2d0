/**
 * The long history check: rounds of clients against the built executable, each judged as soon as it is over. Every
 * other round goes in step, so that writes share groups. `--seed` repeats their schedules; the machine never runs a
 * schedule the same way twice, so a history with faults is kept in a file.
 *
 * At the end `check` replays everything that was accepted, and compares it row by row. Then data of every earlier
 * version is upgraded by a service that is killed in the middle of it.
 */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Browser } from "research-room/testing"
import { makeRepositories } from "../../../src/demo/repositories.ts"
import { newPlace, run, serve } from "../../support/program.ts"
import { passwordOf } from "../../support/service.ts"
import { chanceOf } from "../support/chance.ts"
import { unlimited } from "../support/ground.ts"
import { asked, atEnd, ownExecutable, progress, prove, tell } from "../support/proving.ts"
import { checkHistory } from "./check.ts"
import { Findings } from "./faults.ts"
import { type Company, companyOf } from "./company.ts"
import { names } from "./inside.ts"
import { bringThroughKills, type Moved } from "./migration.ts"
import { playRound } from "./round.ts"

const { seed, numbers } = asked({ rounds: 60, kills: 140 }, {})
const counted = (findings: Findings) =>
  `${findings.operations} operations (${findings.accepted} accepted, ${findings.replays} replayed, ` +
  `${findings.refusalCount} refused, ${findings.rehearsals} rehearsed, ` +
  `${findings.reads} reads), unknown ${findings.unknownThere} there and ${findings.unknownAbsent} absent`

/** Plays a round and judges it. A history with faults is kept. */
async function provedRound(company: Company, round: number): Promise<Findings> {
  const options = {
    seed: `${seed} ${round}`,
    clients: [8, 12, 16][round % 3] as number,
    steps: 120,
    rooms: 1 + (round % 3),
    inStep: round % 2 === 1,
  }
  const all = new Findings()
  for (const history of await playRound(company, options)) {
    const findings = checkHistory(history)
    all.add(findings)
    if (findings.faults.length === 0) continue
    const file = join(mkdtempSync(join(tmpdir(), "research-room-history-")), "history.json")
    writeFileSync(file, JSON.stringify(history))
    tell(`${findings.faults.length} faults in round ${round}; the history is kept in ${file}`)
  }
  return all
}

await prove("history", seed, async () => {
  const { program, remove } = ownExecutable()
  const place = newPlace()
  atEnd(() => (place.remove(), remove()))
  const data = join(place.folder, "data")
  const repositories = join(place.folder, "repositories")
  const made = makeRepositories(repositories)
  for (const name of names) {
    const words = ["user", "add", name, "--data", data, "--password", passwordOf(name)]
    const { code, err } = await run(program, words, place)
    if (code !== 0) throw new Error(`${name} could not be added: ${err}`)
  }
  const served = { ...place, env: unlimited }
  const service = await serve(program, ["--data", data, "--repositories", repositories], served)
  const browsers: Record<string, Browser> = {}
  for (const name of names)
    browsers[name] = await Browser.signIn(service, { username: name, password: passwordOf(name) })
  const company = await companyOf(service.baseUrl, browsers, made)
  const total = new Findings()
  for (let round = 0; round < numbers.rounds; round++) {
    total.add(await provedRound(company, round))
    progress(`round ${round + 1} of ${numbers.rounds}: ${counted(total)}, ${total.faults.length} violations`)
  }
  service.signal("SIGTERM")
  const { code } = await service.ended()
  const checked = await run(program, ["check", "--data", data], place)
  const refusals = [...total.refusals].sort(([, one], [, other]) => other - one)
  tell(`refusals: ${refusals.map(([refusal, count]) => `${refusal} ${count}`).join(", ")}`)
  const moved: Moved = { kills: 0, old: 0, made: 0, halves: 0 }
  const problems = [
    ...total.faults.map(({ kind, what }) => `${kind}: ${what}`),
    ...(code === 0 ? [] : [`the service ended with ${code}`]),
    ...(checked.code === 0 ? [] : [`check says: ${checked.out.trim().split("\n").at(-1)}`]),
    ...(await bringThroughKills(program, place, Math.max(7, numbers.kills), chanceOf(seed), moved)),
  ]
  return {
    problems,
    seen:
      `${counted(total)}; ${total.refusals.size} kinds of refusal; ${numbers.rounds} rounds; ` +
      `${moved.kills} kills while data came forward (${moved.old} found old, ${moved.made} new, ${moved.halves} with ` +
      "a half-made file)",
  }
})
