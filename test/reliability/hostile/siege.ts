/** A run of the attack: volley after volley beside a bystander, then thousands of hostile requests, and the report. */
import { setTimeout as pause } from "node:timers/promises"
import { type Ground, openGround } from "../fuzz/ground.ts"
import { printable, type Shot } from "../fuzz/shot.ts"
import { Tally } from "../fuzz/tally.ts"
import { type Chance, chanceOf } from "../support/chance.ts"
import { megabytes, memoryOf } from "../support/proving.ts"
import { Bystander } from "./beside.ts"
import type { Seen } from "./bystander.ts"
import { formShots, junkShots, previewShots } from "./bodies.ts"
import { headShots, queryShots, searchShots, tokenShots } from "./heads.ts"
import { plant, plantings } from "./planting.ts"
import { pipelinedShots, type Patience, signInShots, slowVolleys } from "./slow.ts"
import { plantedShots, soundShots } from "./views.ts"
import { fire, firing, type Volley } from "./volley.ts"
import { Watch } from "./watch.ts"

/** The most milliseconds that a bystander's small read may wait. */
export const MOST_WAITED = 250
/** The limit of memory after the attack, as a multiple of ordinary use. */
export const MOST_GROWN = 1.5
/** A wait counts if it recurs: the machine itself stalls at times. */
const TRIES = 3
/** Requests of a volley with everything. */
const FLOOD = 10_000
/** Milliseconds that no stall of a machine lasts. */
const BEYOND_DOUBT = 2_000

export interface Plan {
  readonly seed: string
  /** The most shots of one volley. */
  readonly most: number
  /** Planted texts for each kind of body. */
  readonly texts: number
  readonly each: number
  readonly patience: Patience
  readonly ordinary: number
  readonly hostile: number
  /** Seconds of rest at the end. */
  readonly rest: number
  /** Seconds after which a volley stops sending. */
  readonly longest: number
  /** The most seconds for the hostile requests at the end. */
  readonly flood: number
  /** Only volleys whose name matches this. */
  readonly matching?: string | undefined
  readonly progress: (said: string) => void
}

export interface Row {
  readonly name: string
  readonly requests: number
  readonly seconds: number
  /** Of its tries, the one with the bystander's longest wait. */
  readonly seen: Seen
  /**
   * The wait that counts, in milliseconds: the second longest of several tries, since one may be caused by the machine.
   */
  readonly waited: number
  /** Bytes in use after it. */
  readonly memory: number | null
}

export interface Memory {
  readonly ordinary: number
  readonly peak: number
  readonly hostile: number
  readonly rested: number
}

export interface Report {
  readonly rows: readonly Row[]
  readonly requests: number
  /** Routes that answered. */
  readonly reached: number
  /** The longest wait that counts. */
  readonly longest: number
  readonly largest: { readonly bytes: number; readonly attack: string }
  readonly memory: Memory | null
  readonly statuses: ReadonlyMap<number, number>
  readonly violations: readonly string[]
}

/** This many items of a list, spread over all of it. */
function some<T>(all: readonly T[], most: number, chance: Chance): T[] {
  if (all.length <= most) return [...all]
  const from = chance.between(0, all.length - 1)
  const step = all.length / most
  return Array.from({ length: most }, (_, at) => all[Math.floor(from + at * step) % all.length] as T)
}

class Siege {
  readonly #ground: Ground
  readonly #plan: Plan
  readonly #watch: Watch
  readonly #bystander: Bystander
  readonly #chance: Chance
  readonly rows: Row[] = []
  /** Everything that may be sent again. */
  readonly #again: Shot[] = []

  constructor(ground: Ground, plan: Plan, watch: Watch) {
    this.#ground = ground
    this.#plan = plan
    this.#watch = watch
    this.#bystander = new Bystander(ground)
    this.#chance = chanceOf(plan.seed)
  }

  close(): void {
    this.#bystander.close()
  }

  /** The requests of an ordinary day. */
  async ordinary(): Promise<number> {
    const shots = soundShots(this.#ground)
    const all = Array.from({ length: this.#plan.ordinary }, (_, at) => shots[at % shots.length] as Shot)
    await this.#bystander.during(async () => void (await fire(this.#ground, all, 4, this.#watch.note)))
    return this.#ground.memory() ?? Number.NaN
  }

  /** Runs a volley; repeats it if a bystander waited too long, until it is known whether the volley is the cause. */
  async volley(volley: Volley): Promise<void> {
    if (!new RegExp(this.#plan.matching ?? "").test(volley.name)) return
    const waits: number[] = []
    let row: Omit<Row, "waited"> | null = null
    for (let at = 0; at < TRIES; at += 1) {
      this.#watch.fresh()
      const [began, before] = [performance.now(), this.#watch.requests]
      const seen = await this.#bystander.during(() =>
        volley.run(this.#ground, this.#watch.note, performance.now() + this.#plan.longest * 1000),
      )
      for (const fault of seen.faults) this.#watch.found(`beside "${volley.name}" ${fault}`)
      waits.push(longestOf(seen))
      const made = {
        name: volley.name,
        requests: Math.max(volley.size, this.#watch.requests - before),
        seconds: (performance.now() - began) / 1000,
        seen,
        memory: this.#ground.memory(),
      }
      if (row === null || longestOf(row.seen) < longestOf(seen)) row = made
      // One of three may be the machine; two are not.
      const over = longestOf(seen) > BEYOND_DOUBT ? 2 : waits.filter((wait) => wait > MOST_WAITED).length
      if (over === 0 || over === 2 || waits.length - over === 2) break
    }
    if (row === null) return
    const waited = [...waits].sort((one, other) => other - one)[waits.length > 1 ? 1 : 0] ?? Number.NaN
    this.rows.push({ ...row, waited })
    this.#again.push(...volley.shots)
    this.#plan.progress(told(row, waits))
    if (waits.filter((wait) => wait > MOST_WAITED).length < 2 && Math.max(...waits) <= BEYOND_DOUBT) return
    this.#watch.found(
      `"${volley.name}" held a bystander's small read up for ` +
        `${waits.map((wait) => `${wait.toFixed(0)} ms`).join(", ")}`,
    )
    for (const { milliseconds, given } of [...this.#watch.slowest]) {
      const alone = await this.#bystander.during(
        async () => void (await fire(this.#ground, [given], 1, this.#watch.note)),
      )
      this.#plan.progress(
        `  slow (${milliseconds.toFixed(0)} ms; alone a bystander waits ${longestOf(alone).toFixed(0)} ms): ` +
          `${given.attack} ${printable(given.pieces).slice(0, 240)}`,
      )
    }
  }

  async all(): Promise<void> {
    const { most, texts, each, patience } = this.#plan
    const [ground, chance] = [this.#ground, this.#chance]
    const take = (shots: readonly Shot[], more = most) => some(shots, more, chance)
    await this.volley(firing("every route as it should be", 16, take(soundShots(ground), 4 * most)))
    let anchors: Awaited<ReturnType<typeof plant>> = new Map()
    await this.volley({
      name: "costly texts are written",
      size: 0,
      shots: [],
      run: async (_, note) => void (anchors = await plant(ground, chance, texts, note)),
    })
    await this.volley(firing("costly texts are read", 8, take(plantedShots(ground, anchors), 6 * most)))
    await this.volley(firing("costly texts in every body", 8, take(plantings(ground, chance, each))))
    await this.volley(firing("costly texts looked at before they are sent", 4, previewShots(ground)))
    await this.volley(firing("costly texts in every form", 8, take(formShots(ground, chance, each), 2 * most)))
    await this.volley(firing("searches", 2, take(searchShots(ground))))
    await this.volley(firing("costly queries", 8, take(queryShots(ground), 2 * most)))
    await this.volley(firing("crowded heads", 8, take(headShots(ground))))
    await this.volley(firing("tokens of odd shapes", 16, take(tokenShots(ground))))
    await this.volley(firing("bodies of a megabyte", 8, junkShots(ground, chance, Math.ceil(most / 4))))
    // Not among the repeated requests: they are answered late on purpose, and would block all others.
    await this.volley({ ...firing("sign-ins that fail", 8, signInShots(ground, Math.ceil(most / 12))), shots: [] })
    await this.volley(firing("requests without waiting", 4, pipelinedShots(ground, Math.ceil(most / 10))))
    for (const slow of slowVolleys(ground, patience)) await this.volley(slow)
  }

  /** All requests again and again, until enough were sent. */
  async flood(): Promise<void> {
    const began = this.#watch.requests
    const until = performance.now() + this.#plan.flood * 1000
    while (this.#again.length > 0 && performance.now() < until) {
      const left = this.#plan.hostile - (this.#watch.requests - began)
      if (left <= 0) return
      const chosen = Array.from({ length: Math.min(left, FLOOD) }, () => this.#chance.of(this.#again) as Shot)
      await this.volley({ ...firing(`all of it, ${this.#watch.requests - began} sent before`, 8, chosen), shots: [] })
    }
  }
}

const longestOf = ({ reads, newcomers }: Seen): number => Math.max(reads.longest, newcomers.longest)
const told = ({ name, requests, seconds, seen, memory }: Omit<Row, "waited">, waits: readonly number[]): string =>
  `${name}: ${requests} requests in ${seconds.toFixed(1)} s, a bystander waited ` +
  `${waits.map((wait) => wait.toFixed(0)).join(", ")} ms (${seen.reads.byTheClock.toFixed(0)} by the clock, ` +
  `a write ${seen.writes.longest.toFixed(0)}), ${megabytes(memory)}`

/** Runs the attack. */
export async function siege(plan: Plan): Promise<Report> {
  // As in `serve`: with a thread for writes and one that renders.
  const ground = await openGround({ same: false })
  const watch = new Watch(await Tally.open(ground))
  const made = new Siege(ground, plan, watch)
  try {
    const ordinary = await made.ordinary()
    await made.all()
    await made.flood()
    const hostile = ground.memory() ?? Number.NaN
    await pause(plan.rest * 1000)
    const memory: Memory = {
      ordinary,
      peak: memoryOf(ground.running.pid, "VmHWM") ?? Number.NaN,
      hostile,
      rested: ground.memory() ?? Number.NaN,
    }
    if (memory.rested > MOST_GROWN * ordinary)
      watch.found(
        `memory is ${megabytes(memory.rested)} after the attack and a rest, ` +
          `and was ${megabytes(ordinary)} after ordinary use`,
      )
    made.close()
    const { code, check, isSound } = await ground.end()
    if (code !== 0) watch.found(`the service ended with ${code}`)
    if (!isSound) watch.found(`check says: ${check}`)
    watch.end(ground)
    return {
      rows: made.rows,
      requests: watch.requests,
      reached: watch.reached.size,
      longest: Math.max(...made.rows.map(({ waited }) => waited)),
      largest: watch.largest,
      memory: Number.isNaN(ordinary) ? null : memory,
      statuses: watch.statuses,
      violations: [...watch.violations.values()],
    }
  } finally {
    made.close()
    ground.running.signal("SIGKILL")
    ground.remove()
  }
}
