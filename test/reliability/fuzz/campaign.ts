/**
 * A run of the fuzz: all attacks at once against one service, with an ordinary client working beside them, and the
 * report.
 */
import { randomUUID } from "node:crypto"
import fc from "fast-check"
import { bodies } from "./bodies.ts"
import { connections, endless } from "./connections.ts"
import { corpus, type Kept, keep } from "./corpus.ts"
import { encodings } from "./encodings.ts"
import { forms } from "./forms.ts"
import { framing } from "./framing.ts"
import { type Ground, openGround } from "./ground.ts"
import { headers } from "./headers.ts"
import { judge, kindOf } from "./judge.ts"
import { paths } from "./paths.ts"
import { queries } from "./queries.ts"
import { bytesOf, printable, type Shot } from "./shot.ts"
import { Tally } from "./tally.ts"
import { targets } from "./targets.ts"
import { type Outcome, Wire } from "./wire.ts"

/** Each attack, and its share of the cases. */
export const attacks: Readonly<
  Record<string, { readonly shots: (ground: Ground) => fc.Arbitrary<Shot>; readonly share: number }>
> = {
  bodies: { shots: bodies, share: 0.28 },
  encodings: { shots: encodings, share: 0.12 },
  headers: { shots: headers, share: 0.16 },
  paths: { shots: paths, share: 0.16 },
  queries: { shots: queries, share: 0.16 },
  forms: { shots: forms, share: 0.05 },
  framing: { shots: framing, share: 0.05 },
  connections: { shots: connections, share: 0.02 },
}

export interface Plan {
  readonly cases: number
  readonly seed: number
  /** Only this attack; with `path`, only the one case at that path. */
  readonly attack?: string | undefined
  readonly path?: string | undefined
  /** Also requests whose bodies never end: the service waits half a minute for them. */
  readonly endlessBodies: boolean
  readonly progress: (done: number, violations: number, memory: number | null) => void
}

export interface Violation {
  readonly what: string
  readonly attack: string
  /** How to reproduce it. */
  readonly replay: string
  readonly request: string
  readonly kept: Kept | null
}

export interface Report {
  readonly cases: number
  readonly routes: number
  readonly reached: number
  readonly violations: readonly Violation[]
  readonly statuses: ReadonlyMap<string, number>
  readonly codes: ReadonlyMap<string, number>
  readonly stored: number
  /** Bytes after the first tenth, and at the end; null if the system gives no figure. */
  readonly memory: { readonly warm: number; readonly end: number } | null
}

/** Different violations examined per attack; a single one may have a thousand cases. */
const MOST_VIOLATIONS = 12
/** Further cases tried to shrink a failing one. */
const MOST_SHRINKS = 150
/** Cases between two rounds of the ordinary client. */
const BESIDE = 25

class Campaign {
  readonly #ground: Ground
  readonly #plan: Plan
  readonly #tally: Tally
  readonly #violations: Violation[] = []
  readonly #reached = new Set<string>()
  readonly #beside: Wire
  #done = 0
  #warm: number | null = null

  constructor(ground: Ground, plan: Plan, tally: Tally) {
    this.#ground = ground
    this.#plan = plan
    this.#tally = tally
    this.#beside = new Wire(ground.baseUrl)
  }

  /** Sends one case and judges the answer. */
  async #fire(wire: Wire, given: Shot): Promise<string[]> {
    const outcome = await wire.exchange(given.pieces, given.methods, given.ending)
    this.#tally.note(given, outcome)
    if (given.target !== null && outcome.answers.length > 0) this.#reached.add(given.target.name)
    return judge(given, outcome)
  }

  #count(): void {
    this.#done += 1
    if (this.#done % 500 === 0) this.#plan.progress(this.#done, this.#violations.length, this.#ground.memory())
    if (this.#warm === null && this.#done >= this.#plan.cases / 10) this.#warm = this.#ground.memory()
  }

  /** One round of an ordinary client, on a connection of its own: a message, its receipt, a page. */
  async #workBeside(): Promise<string[]> {
    const { cast, host } = this.#ground
    const { openingThreadId } = cast.rooms.empty
    const text = JSON.stringify({ schemaVersion: 3, clientMessageId: randomUUID(), text: "Work goes on." })
    const lines = [`Authorization: Bearer ${cast.credentials.owner_all.token}`, "Content-Type: application/json"]
    const round = [
      { method: "POST", target: `/api/agent/threads/${openingThreadId}/messages`, host, headers: lines, body: text },
      { method: "GET", target: `/api/research/threads/${openingThreadId}/timeline?limit=1`, host },
      { method: "GET", target: `/threads/${openingThreadId}`, host },
    ]
    const faults: string[] = []
    for (const sent of round) {
      const outcome = await this.#beside.exchange([bytesOf(sent)], [sent.method], "keep")
      this.#tally.note({ target: null, pieces: [] }, outcome)
      if (outcome.answers[0]?.status !== 200)
        faults.push(`beside the fuzz ${sent.method} ${sent.target} is answered ${said(outcome)}`)
    }
    return faults
  }

  #found(attack: string, what: string, given: Shot | null, replay: string): void {
    const [request, kept] = given === null ? ["", null] : [printable(given.pieces), keep(this.#ground, given, what)]
    this.#violations.push({ what, attack, replay, request, kept })
  }

  /** One attack: its cases one after the other; each kind of violation is shrunk and reported once. */
  async attack(name: string): Promise<void> {
    const { seed, path, cases, attack } = this.#plan
    const { shots, share } = attacks[name] as (typeof attacks)[string]
    const wire = new Wire(this.#ground.baseUrl)
    const [known, arbitrary] = [new Set<string>(), shots(this.#ground)]
    let left = path === undefined ? Math.ceil(attack === undefined ? cases * share : cases) : 1
    for (let round = 0; left > 0 && known.size < MOST_VIOLATIONS; round += 1) {
      let [failing, shrinks]: [{ what: string; given: Shot } | null, number] = [null, 0]
      const property = fc.asyncProperty(arbitrary, async (given) => {
        // After the service has ended no case can be shrunk.
        if (this.#ground.hasEnded() || (failing !== null && (shrinks += 1) > MOST_SHRINKS)) return
        const faults = await this.#fire(wire, given)
        this.#count()
        if (this.#done % BESIDE === 0) faults.push(...(await this.#workBeside()))
        const what = faults.find((each) => !known.has(kindOf(each)))
        if (what === undefined) return
        failing = { what, given }
        throw new Error(what)
      })
      const result = await fc.check(property, {
        seed: seed + round,
        numRuns: left,
        ...(path === undefined ? {} : { path }),
      })
      left -= Math.max(1, result.numRuns)
      const last = failing as { what: string; given: Shot } | null
      if (last === null && result.failed) throw result.errorInstance
      if (last === null || this.#ground.hasEnded()) break
      known.add(kindOf(last.what))
      this.#found(
        name,
        last.what,
        last.given,
        `--attack ${name} --seed ${result.seed} --path ${result.counterexamplePath}`,
      )
    }
    wire.close()
  }

  /** Cases without chance: those that once failed, and requests that never end. */
  async fixed(shots: readonly Shot[]): Promise<void> {
    for (const given of shots) {
      const wire = new Wire(this.#ground.baseUrl)
      for (const what of await this.#fire(wire, given)) this.#found("fixed", what, given, given.attack)
      this.#count()
      wire.close()
    }
  }

  /** Everyone is still signed in: the attacks signed out nobody who had not asked for it. */
  async #lookAfterPeople(): Promise<void> {
    const { baseUrl, proofs } = this.#ground
    for (const cookie of proofs.session.slice(0, -1)) {
      const { person } = (await (await fetch(`${baseUrl}/api/session`, { headers: { cookie } })).json()) as {
        person: unknown
      }
      if (person === null) this.#found("end", "somebody was signed out", null, "")
    }
  }

  async reckon(): Promise<Report> {
    this.#beside.close()
    if (!this.#ground.hasEnded()) await this.#lookAfterPeople()
    const end = this.#ground.memory()
    const { code, check, isSound } = await this.#ground.end()
    if (code !== 0)
      this.#found("end", `the service ended with ${code}: ${this.#ground.running.err.slice(-2_000)}`, null, "")
    if (!isSound) this.#found("end", `check says: ${check}`, null, "")
    for (const what of this.#tally.faults()) this.#found("end", what, null, "")
    return {
      cases: this.#done,
      routes: targets.length,
      reached: this.#reached.size,
      violations: this.#violations,
      statuses: this.#tally.statuses,
      codes: this.#tally.codes,
      stored: this.#tally.acknowledged,
      memory: this.#warm === null || end === null ? null : { warm: this.#warm, end },
    }
  }
}

const said = ({ answers, fault, end }: Outcome): string =>
  `${answers[0]?.status ?? end} ${fault ?? ""} ${answers[0]?.body.toString("utf8").slice(0, 200) ?? ""}`

/** Runs the fuzz. */
export async function campaign(plan: Plan): Promise<Report> {
  const ground = await openGround()
  try {
    const made = new Campaign(ground, plan, await Tally.open(ground))
    if (plan.attack === undefined) await made.fixed(corpus(ground))
    const names = plan.attack === undefined ? Object.keys(attacks) : [plan.attack]
    await Promise.all([
      ...names.map((name) => made.attack(name)),
      ...(plan.attack === undefined ? endless(ground, plan.endlessBodies).map((given) => made.fixed([given])) : []),
    ])
    return await made.reckon()
  } finally {
    ground.running.signal("SIGKILL")
    ground.remove()
  }
}
