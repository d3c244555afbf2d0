/**
 * Reads JSON that somebody sent, strictly: one pass over the text finds how deep it is nested, how many values it holds, names
 * that come twice in one object and numbers that could not be kept as they were sent. Only what passes is made into a value.
 */
import { isKept } from "./exact-number.ts"
import { limits } from "../limits.ts"
import { MemberNames, stringEnd, stringIn } from "./member-names.ts"
import type { Issue } from "../refusals/refusal.ts"
import { type Checked, pointer } from "./validation.ts"

const [QUOTE, PLUS, COMMA, MINUS, POINT, ZERO, NINE, COLON] = [34, 43, 44, 45, 46, 48, 57, 58]
const [OPEN_LIST, CLOSE_LIST, SMALL_E, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 101, 123, 125]
const SHORT = 15

/** An open list or object: at which item or name the pass is. */
interface Level {
  readonly names: MemberNames | null
  index: number
  start: number
  end: number
}

/** The text is no JSON, or there is so much wrong with it that nobody would read on. */
class Over extends Error {}

class Pass {
  readonly #text: string
  readonly #levels: Level[] = []
  /** The innermost of them. */
  #level: Level | undefined
  readonly issues: Issue[] = []
  #at = 0
  #values = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Passes over the whole text. @throws Over */
  run(): void {
    for (;;) {
      this.#value()
      for (;;) {
        const level = this.#level
        const sign = this.#sign()
        if (level === undefined) {
          if (this.#at < this.#text.length) throw new Over()
          return
        }
        this.#at += 1
        if (sign === COMMA) {
          if (level.names === null) level.index += 1
          else this.#name(level, level.names)
          break
        }
        if (sign !== (level.names === null ? CLOSE_LIST : CLOSE_OBJECT)) throw new Over()
        this.#levels.pop()
        this.#level = this.#levels.at(-1)
      }
    }
  }

  /** The next sign that is no white space, which is not yet passed. */
  #sign(): number {
    const text = this.#text
    let at = this.#at
    let sign = text.charCodeAt(at)
    if (sign > 32) return sign
    while (sign === 32 || sign === 10 || sign === 13 || sign === 9) sign = text.charCodeAt(++at)
    this.#at = at
    return sign
  }

  /** Passes a value, or the beginning of one that holds others as far as the first of these. */
  #value(): void {
    for (;;) {
      const sign = this.#sign()
      this.#values += 1
      if (this.#values > limits.bodyValues)
        this.#stop(`holds, with what stands before it, more than ${limits.bodyValues} values`, this.#levels.length > 1 ? 1 : 0)
      if (sign === QUOTE) {
        const end = stringEnd(this.#text, this.#at + 1)
        if (end < 0) throw new Over()
        this.#at = end + 1
        return
      }
      if (sign === MINUS || (sign >= ZERO && sign <= NINE)) {
        this.#number(sign)
        return
      }
      if (sign !== OPEN_LIST && sign !== OPEN_OBJECT) {
        this.#word()
        return
      }
      if (this.#levels.length === limits.nesting) this.#stop(`is nested deeper than ${limits.nesting} levels`)
      this.#at += 1
      if (this.#sign() === (sign === OPEN_LIST ? CLOSE_LIST : CLOSE_OBJECT)) {
        this.#at += 1
        return
      }
      const names = sign === OPEN_OBJECT ? new MemberNames(this.#text, this.#namesTop()) : null
      const level = { names, index: 0, start: 0, end: 0 }
      this.#levels.push(level)
      this.#level = level
      if (names !== null) this.#name(level, names)
    }
  }

  /** Where in the table of names there is room. */
  #namesTop(): number {
    for (let depth = this.#levels.length - 1; depth >= 0; depth -= 1) {
      const names = this.#levels[depth]?.names
      if (names) return names.top
    }
    return 0
  }

  #name(level: Level, names: MemberNames): void {
    if (this.#sign() !== QUOTE) throw new Over()
    level.start = this.#at + 1
    level.end = stringEnd(this.#text, level.start)
    if (level.end < 0) throw new Over()
    this.#at = level.end + 1
    const repeats = names.repeats(level.start, level.end)
    if (repeats === undefined || this.#sign() !== COLON) throw new Over()
    this.#at += 1
    if (repeats) this.#tell("is given more than once")
  }

  #number(first: number): void {
    const start = this.#at
    if (first === MINUS) this.#at += 1
    const leading = this.#text.charCodeAt(this.#at)
    let sum = this.#digits()
    if (leading === ZERO && this.#at - start > (first === MINUS ? 2 : 1)) throw new Over()
    if (this.#text.charCodeAt(this.#at) === POINT) {
      this.#at += 1
      sum |= this.#digits()
    }
    // A double holds every number of so few digits that is neither very large nor very small.
    let isPlain = this.#at - start <= SHORT && !(first === MINUS && sum === 0)
    if ((this.#text.charCodeAt(this.#at) | 32) === SMALL_E) {
      this.#at += 1
      const sign = this.#text.charCodeAt(this.#at)
      if (sign === MINUS || sign === PLUS) this.#at += 1
      const power = this.#at
      this.#digits()
      isPlain &&= this.#at - power <= 2
    }
    if (!isPlain && !isKept(this.#text.slice(start, this.#at)))
      this.#tell("is a number that could not be kept as it was sent: give no more digits than a double holds, and no -0")
  }

  /** Passes one digit or more. @returns 0 where all of them are. */
  #digits(): number {
    const text = this.#text
    const start = this.#at
    let at = start
    let sum = 0
    for (let sign = text.charCodeAt(at); sign >= ZERO && sign <= NINE; sign = text.charCodeAt(++at)) sum |= sign - ZERO
    if (at === start) throw new Over()
    this.#at = at
    return sum
  }

  #word(): void {
    const word = ["true", "false", "null"].find((known) => this.#text.startsWith(known, this.#at))
    if (word === undefined) throw new Over()
    this.#at += word.length
  }

  #tell(message: string, steps?: number): void {
    const path = this.#levels.map(({ names, index, start, end }) => (names === null ? index : (stringIn(this.#text, start, end) ?? "")))
    this.issues.push({ path: pointer(path.slice(0, steps)), message })
    if (this.issues.length < limits.issues) return
    this.issues.push({ path: "", message: "has more faults than are listed here" })
    throw new Over()
  }

  #stop(message: string, steps?: number): never {
    this.#tell(message, steps)
    throw new Over()
  }
}

/** Reads a JSON text. What would be kept otherwise than it was sent is an issue at its JSON Pointer, and nothing is made of it. */
export function readJson(text: string): Checked<unknown> {
  const pass = new Pass(text)
  try {
    pass.run()
    if (pass.issues.length === 0) return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    if (!(error instanceof Over || error instanceof SyntaxError)) throw error
    if (pass.issues.length === 0)
      return { ok: false, issues: [{ path: "", message: text.trim() === "" ? "it is empty" : "it cannot be parsed" }] }
  }
  return { ok: false, issues: pass.issues }
}
