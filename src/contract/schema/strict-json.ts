/**
 * A strict reader for JSON from clients. One pass over the text finds nesting that is too deep, too many values, names that an
 * object has twice, and numbers that cannot be kept as they were sent. Only a text without such issues is parsed.
 */
import { isKept } from "./exact-number.ts"
import { limits } from "../limits.ts"
import { MemberNames, stringEnd, stringIn } from "./member-names.ts"
import type { Issue } from "../refusals/refusal.ts"
import { type Checked, pointer } from "./validation.ts"

const [QUOTE, PLUS, COMMA, MINUS, POINT, ZERO, NINE, COLON] = [34, 43, 44, 45, 46, 48, 57, 58]
const [OPEN_LIST, CLOSE_LIST, SMALL_E, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 101, 123, 125]
const SHORT = 15

/** An open list or object, with the item or name that the pass has reached. */
interface Level {
  readonly names: MemberNames | null
  index: number
  start: number
  end: number
}

/** Ends the pass: the text is not JSON, or it has more issues than anybody would read. */
class Ended extends Error {}

class Pass {
  readonly #text: string
  readonly #levels: Level[] = []
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
          if (this.#at < this.#text.length) throw new Ended()
          return
        }
        this.#at += 1
        if (sign === COMMA) {
          if (level.names === null) level.index += 1
          else this.#name(level, level.names)
          break
        }
        if (sign !== (level.names === null ? CLOSE_LIST : CLOSE_OBJECT)) throw new Ended()
        this.#levels.pop()
        this.#level = this.#levels.at(-1)
      }
    }
  }

  /** The next character that is not white space. The pass stops before it. */
  #sign(): number {
    const text = this.#text
    let at = this.#at
    let sign = text.charCodeAt(at)
    if (sign > 32) return sign
    while (sign === 32 || sign === 10 || sign === 13 || sign === 9) sign = text.charCodeAt(++at)
    this.#at = at
    return sign
  }

  /** Passes over a value; of a list or object, only what comes before its first inner value. */
  #value(): void {
    for (;;) {
      const sign = this.#sign()
      this.#values += 1
      if (this.#values > limits.bodyValues)
        this.#stop(`holds, together with what comes before it, more than ${limits.bodyValues} values`, this.#levels.length > 1 ? 1 : 0)
      if (sign === QUOTE) {
        const end = stringEnd(this.#text, this.#at + 1)
        if (end < 0) throw new Ended()
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

  /** The index at which the table of names is free. */
  #namesTop(): number {
    for (let depth = this.#levels.length - 1; depth >= 0; depth -= 1) {
      const names = this.#levels[depth]?.names
      if (names) return names.top
    }
    return 0
  }

  #name(level: Level, names: MemberNames): void {
    if (this.#sign() !== QUOTE) throw new Ended()
    level.start = this.#at + 1
    level.end = stringEnd(this.#text, level.start)
    if (level.end < 0) throw new Ended()
    this.#at = level.end + 1
    const repeats = names.repeats(level.start, level.end)
    if (repeats === undefined || this.#sign() !== COLON) throw new Ended()
    this.#at += 1
    if (repeats) this.#report("is given more than once")
  }

  #number(first: number): void {
    const start = this.#at
    if (first === MINUS) this.#at += 1
    const leading = this.#text.charCodeAt(this.#at)
    let sum = this.#digits()
    if (leading === ZERO && this.#at - start > (first === MINUS ? 2 : 1)) throw new Ended()
    if (this.#text.charCodeAt(this.#at) === POINT) {
      this.#at += 1
      sum |= this.#digits()
    }
    // A double holds every number with so few digits that is neither very large nor very small.
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
      this.#report("is a number that cannot be kept exactly: send no more digits than a double holds, and no -0")
  }

  /** Passes over one or more digits. @returns 0 if all of them are 0 */
  #digits(): number {
    const text = this.#text
    const start = this.#at
    let at = start
    let sum = 0
    for (let sign = text.charCodeAt(at); sign >= ZERO && sign <= NINE; sign = text.charCodeAt(++at)) sum |= sign - ZERO
    if (at === start) throw new Ended()
    this.#at = at
    return sum
  }

  #word(): void {
    const word = ["true", "false", "null"].find((known) => this.#text.startsWith(known, this.#at))
    if (word === undefined) throw new Ended()
    this.#at += word.length
  }

  #report(message: string, steps?: number): void {
    const path = this.#levels.map(({ names, index, start, end }) => (names === null ? index : (stringIn(this.#text, start, end) ?? "")))
    this.issues.push({ path: pointer(path.slice(0, steps)), message })
    if (this.issues.length < limits.issues) return
    this.issues.push({ path: "", message: "has more faults than are listed here" })
    throw new Ended()
  }

  #stop(message: string, steps?: number): never {
    this.#report(message, steps)
    throw new Ended()
  }
}

/** Reads a JSON text. Anything that would not be kept as it was sent is an issue at its JSON Pointer, and the text is not parsed. */
export function readJson(text: string): Checked<unknown> {
  const pass = new Pass(text)
  try {
    pass.run()
    if (pass.issues.length === 0) return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    if (!(error instanceof Ended || error instanceof SyntaxError)) throw error
    if (pass.issues.length === 0)
      return { ok: false, issues: [{ path: "", message: text.trim() === "" ? "it is empty" : "it cannot be parsed" }] }
  }
  return { ok: false, issues: pass.issues }
}
