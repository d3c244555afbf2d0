/**
 * Checks what clients send: the text of a body as strict JSON, and a value against its schema. Violations become the
 * issues of a refusal, each with its JSON Pointer, up to a limit that people would read.
 */
import * as v from "valibot"
import { setImmediate as turn } from "node:timers/promises"
import { limits } from "../limits.ts"
import type { Issue } from "../refusals.ts"

// Adds a description to a part of a schema, for the documents.

export const described = <const S extends v.GenericSchema>(schema: S, words: string) =>
  v.pipe(schema, v.description(words))

/** The most characters of a pointer. The sender chooses the names, and a refusal that lists many must stay small. */
const LONGEST_POINTER = 1_000

/** A JSON Pointer (RFC 6901) to `path`, or to an ancestor of it if it would be very long. */
export function pointer(path: readonly (string | number)[]): string {
  let made = ""
  for (const step of path) {
    const longer = `${made}/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`
    if (longer.length > LONGEST_POINTER) break
    made = longer
  }
  return made
}

function sentence(issue: v.BaseIssue<unknown>): string {
  const last = issue.path?.at(-1)
  if (last !== undefined && "origin" in last && last.origin === "key") {
    if (issue.expected === "never") return "is not a property of this object"
    return "is required"
  }
  if (issue.type === "literal") return `must be exactly ${issue.expected}`
  if (issue.type === "variant")
    return issue.expected === "Object" ? "must be an object" : `must be one of ${issue.expected}`
  if (issue.kind === "schema" && issue.message.startsWith("Invalid")) return "must be an object"
  return issue.message
}

export type Checked<T> = { ok: true; value: T } | { ok: false; issues: Issue[] }

/** Checks all of `input`. Issues never repeat a value: it may be a secret. */
export function check<S extends v.GenericSchema>(schema: S, input: unknown): Checked<v.InferOutput<S>> {
  const result = v.safeParse(schema, input)
  if (result.success) return { ok: true, value: result.output }
  const issues = result.issues.slice(0, limits.issues).map((issue) => ({
    path: pointer((issue.path ?? []).map(({ key }) => (typeof key === "number" ? key : String(key)))),
    message: sentence(issue),
  }))
  if (result.issues.length > issues.length) issues.push({ path: "", message: "has more faults than are listed here" })
  return { ok: false, issues }
}

// Strict JSON. One pass over the text finds nesting that is too deep, too many values, names that an object has twice,
// and numbers that cannot be kept as they were sent. Only a text without such issues is parsed.

/** A number in one form: its sign, its digits without zeros at either end, and the power of ten. */
function decimal(text: string): string {
  const sign = text.startsWith("-") ? "-" : ""
  const [mantissa = "", power = "0"] = text.slice(sign.length).toLowerCase().split("e")
  const [whole = "", fraction = ""] = mantissa.split(".")
  const digits = whole + fraction
  let first = 0
  while (digits.charCodeAt(first) === 48) first += 1
  let last = digits.length
  while (last > first && digits.charCodeAt(last - 1) === 48) last -= 1
  if (first === last) return `${sign}0`
  return `${sign}${digits.slice(first, last)}e${Number(power) - fraction.length + (digits.length - last)}`
}

/**
 * Whether reading and writing `literal`, a number in JSON, gives the same number: `1.0` and `1e2` do, as 1 and 100.
 * A number with more digits than a double holds, one beyond its range, and `-0` do not.
 */
function isKept(literal: string): boolean {
  const value = Number(literal)
  const written = String(value)
  // Most programs write numbers in this form. Neither -0 nor a number beyond the range has it.
  if (written === literal) return true
  return Number.isFinite(value) && !Object.is(value, -0) && decimal(literal) === decimal(written)
}

const [QUOTE, PLUS, COMMA, MINUS, ZERO, NINE, COLON] = [34, 43, 44, 45, 48, 57, 58]
const [OPEN_LIST, BACKSLASH, CLOSE_LIST, SMALL_A, SMALL_E, SMALL_Z, OPEN_OBJECT, CLOSE_OBJECT] = [
  91, 92, 93, 97, 101, 122, 123, 125,
]

/** Whether a character may be in a number, or is a slash. */
const isNumeric = (sign: number): boolean => (sign >= PLUS && sign <= NINE && sign !== COMMA) || (sign | 32) === SMALL_E
const isLetter = (sign: number): boolean => sign >= SMALL_A && sign <= SMALL_Z

/** The index after the last of the characters from `from` that are of a kind. */
function endOf(text: string, from: number, isOne: (sign: number) => boolean): number {
  let at = from
  while (isOne(text.charCodeAt(at))) at += 1
  return at
}

/** The index of the closing quote of the string whose text begins at `from`; -1 if there is none. */
function stringEnd(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let escapes = quote
    while (escapes > from && text.charCodeAt(escapes - 1) === BACKSLASH) escapes -= 1
    if ((quote - escapes) % 2 === 0) return quote
  }
  return -1
}

/** An open list or object. */
interface Level {
  /** The names so far; null in a list. */
  readonly names: Set<string> | null
  /** The index or the name of the value that the pass has reached. */
  step: number | string
  isNameNext: boolean
}

/** Ends the pass: the text has more issues than anybody would read. */
class Ended extends Error {}

class Pass {
  readonly #text: string
  readonly #levels: Level[] = []
  readonly issues: Issue[] = []
  #values = 0
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /**
   * Passes on over the text, up to `to` and to the end of the value there, or up to what cannot be JSON, which the
   * engine finds again. @returns whether the pass has ended @throws Ended, SyntaxError
   */
  run(to: number): boolean {
    const text = this.#text
    for (let at = this.#at; at < text.length; ) {
      if (at >= to) {
        this.#at = at
        return false
      }
      const sign = text.charCodeAt(at)
      const level = this.#levels.at(-1)
      if (sign === QUOTE) {
        const end = stringEnd(text, at + 1)
        if (end < 0) return true
        if (level?.names && level.isNameNext) this.#name(level, level.names, text.slice(at + 1, end))
        else this.#value(level)
        at = end + 1
      } else if (sign === OPEN_LIST || sign === OPEN_OBJECT) {
        this.#value(level)
        if (this.#levels.length === limits.nesting) this.#stop(`is nested deeper than ${limits.nesting} levels`)
        this.#levels.push(
          sign === OPEN_LIST
            ? { names: null, step: -1, isNameNext: false }
            : { names: new Set(), step: "", isNameNext: true },
        )
        at += 1
      } else if (sign === CLOSE_LIST || sign === CLOSE_OBJECT) {
        if (this.#levels.pop() === undefined) return true
        at += 1
      } else if (sign === MINUS || (sign >= ZERO && sign <= NINE)) {
        this.#value(level)
        const end = endOf(text, at, isNumeric)
        const literal = text.slice(at, end)
        if (!isKept(literal)) {
          if (Number.isNaN(Number(literal))) return true
          this.#report("is a number that cannot be kept exactly: send no more digits than a double holds, and no -0")
        }
        at = end
      } else if (isLetter(sign)) {
        this.#value(level)
        at = endOf(text, at, isLetter)
      } else if (sign <= 32 || sign === COMMA || sign === COLON) at += 1
      else return true
    }
    return true
  }

  #value(level: Level | undefined): void {
    this.#values += 1
    if (this.#values > limits.bodyValues)
      this.#stop(
        `holds, together with what comes before it, more than ${limits.bodyValues} values`,
        this.#levels.length > 1 ? 1 : 0,
      )
    if (level === undefined) return
    if (typeof level.step === "number") level.step += 1
    else level.isNameNext = true
  }

  #name(level: Level, names: Set<string>, written: string): void {
    // The same name can be written in several ways.
    const name: string = written.includes("\\") ? JSON.parse(`"${written}"`) : written
    level.step = name
    level.isNameNext = false
    if (names.has(name)) this.#report("is given more than once")
    names.add(name)
  }

  #report(message: string, steps?: number): void {
    this.issues.push({ path: pointer(this.#levels.slice(0, steps).map(({ step }) => step)), message })
    if (this.issues.length < limits.issues) return
    this.issues.push({ path: "", message: "has more faults than are listed here" })
    throw new Ended()
  }

  #stop(message: string, steps?: number): never {
    this.#report(message, steps)
    throw new Ended()
  }
}

/** Characters of a text that are read at a time: a long one holds the thread for a few milliseconds. */
const PIECE = 65_536

/** Reads a JSON text piece by piece. */
function* reading(written: string): Generator<void, Checked<unknown>> {
  const text = written.replace(/^\uFEFF/, "")
  const pass = new Pass(text)
  try {
    for (let to = PIECE; !pass.run(to); to += PIECE) yield
    if (pass.issues.length === 0) return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    if (!(error instanceof Ended || error instanceof SyntaxError)) throw error
    if (pass.issues.length === 0)
      return { ok: false, issues: [{ path: "", message: text.trim() === "" ? "it is empty" : "it cannot be parsed" }] }
  }
  return { ok: false, issues: pass.issues }
}

/**
 * Reads a JSON text, with or without a byte order mark. Anything that would not be kept as it was sent is an issue at
 * its JSON Pointer, and the text is not parsed.
 */
export function readJson(written: string): Checked<unknown> {
  const pieces = reading(written)
  for (;;) {
    const piece = pieces.next()
    if (piece.done) return piece.value
  }
}

/** The same, but others get the thread after each piece, and after the last if there are several. */
export async function readJsonInTurns(written: string): Promise<Checked<unknown>> {
  const pieces = reading(written)
  for (let isShort = true; ; isShort = false) {
    const piece = pieces.next()
    if (!(piece.done && isShort)) await turn()
    if (piece.done) return piece.value
  }
}

/** Takes an object or a list that arrives as JSON text: many programs write the arguments of a tool so. */
export function unquoted(value: unknown): unknown {
  const read = typeof value === "string" ? readJson(value) : undefined
  return read?.ok ? read.value : value
}
