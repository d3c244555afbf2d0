/**
 * The long history check: rounds of clients against the built executable, each judged as soon as it is over. Every
 * other round goes in step, so that writes share groups. `PROVE_SCALE` scales the number of rounds, `PROVE_SEED`
 * repeats their schedules; the machine never runs a schedule the same way twice, so a history with faults is kept in a
 * file.
 *
 * At the end `check` replays everything that was accepted, and compares it row by row. Then data of every earlier
 * version is upgraded by a service that is killed in the middle of it.
 */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeRepositories } from "../../../src/demo/repositories.ts"
import { endAll, newPlace, run, serve } from "../../support/program.ts"
import { passwordOf } from "../../support/service.ts"
import { chanceOf, freshSeed } from "../support/chance.ts"
import { ownExecutable } from "../support/proving.ts"
import { checkHistory } from "./check.ts"
import { Findings } from "./faults.ts"
import { type House, houseOf } from "./house.ts"
import { names } from "./inside.ts"
import { bringThroughKills, type Moved } from "./migration.ts"
import { playRound } from "./round.ts"

const rounds = Math.max(2, Math.round(60 * Number(process.env.PROVE_SCALE ?? 1)))
const seed = process.env.PROVE_SEED ?? freshSeed()
const kills = Math.max(7, Math.round(140 * Number(process.env.PROVE_SCALE ?? 1)))
const FAULTS_SHOWN = 12

const say = (text: string) => process.stderr.write(`${text}\n`)
const counted = (findings: Findings) =>
  `${findings.operations} operations (${findings.accepted} accepted, ${findings.replays} replayed, ` +
  `${findings.refusalCount} refused, ${findings.rehearsals} rehearsed, ` +
  `${findings.reads} reads), unknown ${findings.unknownThere} there and ${findings.unknownAbsent} absent`

/** Plays a round and judges it. A history with faults is kept. */
async function provedRound(house: House, round: number): Promise<Findings> {
  const options = {
    seed: `${seed} ${round}`,
    clients: [8, 12, 16][round % 3] as number,
    steps: 120,
    rooms: 1 + (round % 3),
    inStep: round % 2 === 1,
  }
  const all = new Findings()
  for (const history of await playRound(house, options)) {
    const findings = checkHistory(history)
    all.add(findings)
    if (findings.faults.length === 0) continue
    const file = join(mkdtempSync(join(tmpdir(), "research-room-history-")), "history.json")
    writeFileSync(file, JSON.stringify(history))
    say(`${findings.faults.length} faults with PROVE_SEED=${seed} in round ${round}; the history is kept in ${file}`)
    for (const { kind, what } of findings.faults.slice(0, FAULTS_SHOWN)) say(`  ${kind}: ${what}`)
  }
  return all
}

async function prove(program: string, place: ReturnType<typeof newPlace>): Promise<boolean> {
  const data = join(place.folder, "data")
  const repositories = join(place.folder, "repositories")
  const made = makeRepositories(repositories)
  for (const name of names) {
    const { code, err } = await run(
      program,
      ["user", "add", name, "--data", data, "--password", passwordOf(name)],
      place,
    )
    if (code !== 0) throw new Error(`${name} could not be added: ${err}`)
  }
  const env = { RESEARCH_ROOM_RATE_LIMITS: "off" }
  const service = await serve(program, ["--data", data, "--repositories", repositories], { ...place, env })
  const house = await houseOf(
    service.baseUrl,
    names.map((username) => ({ username, password: passwordOf(username) })),
    made,
  )
  const total = new Findings()
  const began = performance.now()
  for (let round = 0; round < rounds; round++) {
    total.add(await provedRound(house, round))
    say(
      `round ${round + 1} of ${rounds}, ${((performance.now() - began) / 1000).toFixed(0)} s: ${counted(total)}, ` +
        `${total.faults.length} violations`,
    )
  }
  service.signal("SIGTERM")
  const { code } = await service.ended()
  const checked = await run(program, ["check", "--data", data], place)
  say(
    `refusals: ${[...total.refusals]
      .sort(([, one], [, other]) => other - one)
      .map(([refusal, count]) => `${refusal} ${count}`)
      .join(", ")}`,
  )
  say(`the service ended with ${code}; check said: ${checked.out.trim().split("\n").at(-1)}`)
  const moved: Moved = { kills: 0, old: 0, made: 0, halves: 0 }
  const problems = await bringThroughKills(program, place, kills, chanceOf(seed), moved)
  for (const problem of problems.slice(0, FAULTS_SHOWN)) say(problem)
  console.log(
    `history: ${counted(total)}; ${total.refusals.size} kinds of refusal; ${rounds} rounds, seed ${seed}; ` +
      `replayed ${checked.code === 0 ? "alike" : "OTHERWISE"}; ` +
      `${moved.kills} kills while data came forward (${moved.old} found old, ${moved.made} new, ${moved.halves} with ` +
      `a half-made file); violations ${total.faults.length + problems.length}`,
  )
  return total.faults.length === 0 && problems.length === 0 && code === 0 && checked.code === 0
}

const { program, remove } = ownExecutable()
const place = newPlace()
function leave(): void {
  endAll()
  place.remove()
  remove()
}
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    leave()
    process.exit(130)
  })
try {
  process.exitCode = (await prove(program, place)) ? 0 : 1
} finally {
  leave()
}
