/** Checks every answer to an attack, and keeps statistics of all of them. */
import { isText } from "../../../src/contract/definitions/read.ts"
import { reads } from "../../../src/contract/reads/index.ts"
import { headerOf } from "../fuzz/answers.ts"
import type { Ground } from "../fuzz/ground.ts"
import { judge, kindOf } from "../fuzz/judge.ts"
import { printable, type Shot } from "../fuzz/shot.ts"
import type { Tally } from "../fuzz/tally.ts"
import type { Outcome } from "../fuzz/wire.ts"
import type { Note } from "./volley.ts"

/** Bytes of the largest answer other than an export. */
export const MOST_ANSWERED = 4 * 1024 * 1024
/** Answers that may have any size: files of a whole Room. */
const EXPORTS: readonly string[] = reads.flatMap(({ mediaType }) => (isText(mediaType) ? [] : [mediaType]))
/**
 * Of answers of one kind and status, the first few are judged whole, and then one in 25: judging is more expensive than
 * answering.
 */
const [FIRST, THEN] = [40, 25]

export interface Slow {
  readonly milliseconds: number
  readonly given: Shot
}

export class Watch {
  readonly #tally: Tally
  readonly #judged = new Map<string, number>()
  /** The first of each kind of violation. */
  readonly violations = new Map<string, string>()
  readonly statuses = new Map<number, number>()
  readonly reached = new Set<string>()
  requests = 0
  largest = { bytes: 0, attack: "" }
  /** The slowest since `fresh`. */
  slowest: Slow[] = []

  constructor(tally: Tally) {
    this.#tally = tally
  }

  found(what: string, given: Shot | null = null): void {
    const kind = kindOf(what)
    if (!this.violations.has(kind))
      this.violations.set(kind, given === null ? what : `${what}\n    ${printable(given.pieces).slice(0, 400)}`)
  }

  /** Resets the slowest. */
  fresh(): void {
    this.slowest = []
  }

  readonly note: Note = (given, outcome, milliseconds) => {
    this.requests += 1
    this.#tally.note(given, outcome)
    if (given.target !== null && outcome.answers.length > 0) this.reached.add(given.target.name)
    this.#keepSlow({ milliseconds, given })
    const [answer] = outcome.answers
    for (const each of outcome.answers) {
      const { status, body } = each
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
      if (EXPORTS.includes(headerOf(each, "content-type") ?? "")) continue
      if (body.length > this.largest.bytes) this.largest = { bytes: body.length, attack: given.attack }
      if (body.length > MOST_ANSWERED) this.found(`${given.attack} is answered with ${body.length} bytes`, given)
    }
    const key = `${given.attack} ${answer?.status ?? outcome.end}`
    const judged = (this.#judged.get(key) ?? 0) + 1
    this.#judged.set(key, judged)
    if ((answer?.status ?? 0) < 500 && judged > FIRST && judged % THEN > 0) return
    for (const what of this.#faults(given, outcome)) this.found(`${given.attack}: ${what}`, given)
  }

  /** The rules of the fuzz, except for the one status of an expected failure: too many requests at once. */
  #faults(given: Shot, outcome: Outcome): string[] {
    const isTurnedAway = outcome.answers.some(
      (answer) => answer.status === 503 && headerOf(answer, "retry-after") !== null,
    )
    const isLate = outcome.answers.some(({ status }) => status === 408)
    return judge(given, outcome).filter(
      (what) =>
        !(isTurnedAway && /^status 503 /.test(what)) &&
        !((isTurnedAway || isLate) && /answers to \d+ requests/.test(what)),
    )
  }

  #keepSlow(slow: Slow): void {
    if (this.slowest.length === 3 && (this.slowest[2] as Slow).milliseconds >= slow.milliseconds) return
    this.slowest = [...this.slowest, slow].sort((one, other) => other.milliseconds - one.milliseconds).slice(0, 3)
  }

  /** For an ended service: compares what was stored with what was acknowledged. */
  end(_ground: Ground): void {
    for (const what of this.#tally.faults()) this.found(what)
  }
}
