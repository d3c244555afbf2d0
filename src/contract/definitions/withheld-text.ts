/**
 * What was withheld of an accepted write. In the data a mark stands in its place: text that nobody can send, that no search
 * finds, and that tells of which write and place it is. On the wire it is `{withheld: {at, by, reason}}`, or, within a longer
 * text, a word.
 */
import * as v from "valibot"
import { type Withholding, withholding } from "../answers/fields.ts"
import { digestOf, isObject, type Json, type JsonObject } from "../json.ts"
import type { Operation } from "./operation.ts"
import { isPart, type Look, type Part, partsOf, type Path, walking } from "../schema/parts.ts"
import { pointer } from "../schema/validation.ts"
import { MARK_CLOSE as CLOSE, MARK_OPEN as OPEN } from "../text.ts"
import { locationUri } from "./work.ts"

/** Sixteen characters of Unicode that stand for nothing, one a hex digit; and two more around a mark. */
const ZERO = 0xfdd0
const MARK = `${OPEN}([\ufdd0-\ufddf]{32})${CLOSE}`
const marks = new RegExp(MARK, "g")
const whole = new RegExp(`^${MARK}$`)
const anyMark = new RegExp(MARK)

/** What every mark begins with. No text that somebody can send holds it. */
export const markBegins = OPEN

/** What a text shows where only a word has room. */
export const WITHHELD = "[withheld]"

/** What a mark goes by: 32 hex digits, told by the write and the place in it. @param path a JSON Pointer */
export const markKey = (contentDigest: string, path: string): string => digestOf(`${contentDigest} ${path}`).slice(7, 39)
export const markOf = (key: string): string =>
  `${OPEN}${[...key].map((digit) => String.fromCharCode(ZERO + Number.parseInt(digit, 16))).join("")}${CLOSE}`
const keyIn = (mark: string): string => [...mark].map((sign) => (sign.charCodeAt(0) - ZERO).toString(16)).join("")

/** Whether a text may hold a mark; told at once of one that has only letters of Western Europe. */
export const holdsMark = (text: string): boolean => text.includes(OPEN)
/** What a mark goes by; undefined of another value. An object of any shape is withheld as one with a mark for its only name. */
export function markedAs(value: unknown): string | undefined {
  const said = isObject(value) && !Array.isArray(value) ? onlyName(value) : value
  const [, mark] = typeof said === "string" && holdsMark(said) ? (whole.exec(said) ?? []) : []
  return mark === undefined ? undefined : keyIn(mark)
}
function onlyName(value: object): string | undefined {
  const [name, ...more] = Object.keys(value)
  return more.length === 0 ? name : undefined
}

/** What every mark in a text goes by. */
export const marksIn = (text: string): string[] => (holdsMark(text) ? [...text.matchAll(marks)].map(([, mark = ""]) => keyIn(mark)) : [])

/** Whether a whole mark stands anywhere in a value. */
export const hasMark = (value: unknown): boolean => anyMark.test(JSON.stringify(value) ?? "")

/** A text with the word in place of marks. */
export const withWords = (text: string): string => (holdsMark(text) ? text.replaceAll(marks, WITHHELD) : text)

/** Why something is withheld, as people read it. */
export const withholdingReasons: Readonly<Record<Withholding["reason"], string>> = {
  secret: "a secret that gives access",
  personal_data: "personal data",
  rights: "it belongs to another person",
  legal_order: "the order of a court or an authority",
  other: "another reason",
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
/** What a page shows where a whole text was withheld; within a link too. */
const passage = ({ at, by, reason }: Withholding): string =>
  `<span class="withheld">Withheld by ${escaped(by.username)} on ${at.slice(0, 10)}: ${withholdingReasons[reason]}<span class="aside">. What stood here is gone from the record for good.</span></span>`

const inPages = new RegExp(`<([a-z]+)([^<>]*>\\s*)${MARK}(?=\\s*<)|${MARK}`, "g")
/** Elements that hold no others. */
const plainElements = new Set(["title", "option", "textarea", "script", "style"])
/** A page with what was withheld told in place of marks that stand alone, and the word where they stand within a text. */
export const inPage = (text: string, find: (key: string) => Withholding | undefined): string =>
  holdsMark(text)
    ? text.replaceAll(inPages, (_found, element?: string, rest?: string, mark?: string) => {
        if (element === undefined) return WITHHELD
        const told = plainElements.has(element) ? undefined : find(keyIn(mark ?? ""))
        return `<${element}${withWords(rest ?? "")}${told === undefined ? WITHHELD : passage(told)}`
      })
    : text

/** Where a text has a form of its own, as HTML, there is only room for the word. */
const inJson = new RegExp(`"snippet":"${MARK}"|\\{"${MARK}":""\\}|"${MARK}"(\\s*:)?|${MARK}`, "g")
/** JSON text with what was withheld in place of marks that stand alone, and the word where they stand within a text. */
export function inAnswers(text: string, find: (key: string) => Withholding | undefined): string {
  if (!holdsMark(text)) return text
  return text.replaceAll(inJson, (found, snippet?: string, object?: string, value?: string, colon?: string) => {
    if (snippet !== undefined) return withWords(found)
    const mark = object ?? (colon === undefined ? value : undefined)
    if (mark === undefined) return value === undefined ? WITHHELD : `"${WITHHELD}"${colon ?? ""}`
    const told = find(keyIn(mark))
    return told === undefined ? `"${WITHHELD}"` : JSON.stringify({ withheld: told })
  })
}

const isTitled = ({ pipe = [] }: Part, name: string): boolean => pipe.some(({ type, title }) => type === "title" && title === name)
/** Texts and names that people chose. Ids, digests, keys and the like have titles of their own, or a fixed form and none. */
const isFree = (part: Part): boolean => Object.is(part, locationUri) || isTitled(part, "text") || isTitled(part, "string")
/** Objects whose names their writer chose too. */
const isAnyShape = ({ type, key: name }: Part): boolean => type === "record" && !(isPart(name) && isTitled(name, "key"))

const told = v.strictObject({ withheld: v.strictObject(withholding.entries) })
/** The mark in the place of something withheld; undefined for another value. */
export function toldIn(value: unknown): Withholding | undefined {
  const found = isObject(value) && Object.hasOwn(value, "withheld") ? v.safeParse(told, value) : undefined
  return found?.success ? found.output.withheld : undefined
}

/** A place of a body at which something stands that may be withheld, or was. */
interface Place {
  readonly path: Path
  /** Whether anything may stand there: an object of any shape, whose place is its own. */
  readonly isAny: boolean
}
const findText: Look<Place> = (value, path, found) => {
  if (typeof value === "string" || toldIn(value) !== undefined) found.push({ path, isAny: false })
}
const findWhole: Look<Place> = (value, path, found) => {
  if (isObject(value) && Object.keys(value).length > 0) found.push({ path, isAny: true })
}
const placesIn = walking<Place>((part) => {
  if (part.wrapped !== undefined) return undefined
  if (isFree(part)) return { look: findText }
  return isAnyShape(part) ? { look: findWhole } : undefined
})

/** The names of members that may hold an object of any shape. */
export const anyShapes = (operations: readonly Pick<Operation, "body">[]): string[] => [
  ...new Set(operations.flatMap(({ body }) => [...partsOf(body)].flatMap(({ part, name }) => (isAnyShape(part) ? [name] : [])))),
]

/** Whether of the writes of an operation something can be withheld: of those that stand in a Room's activity for everybody to read. */
export const isWithholdable = ({ family, activity, surface }: Pick<Operation, "family" | "activity" | "surface">): boolean =>
  family === "research" && activity !== null && surface !== "command"

/**
 * What may be withheld of a body, as JSON Pointers: every text and name that people chose, whole objects of any shape, and where a
 * material is said to lie. Not what other records and the service itself go by: ids, keys, digests, commits, addresses of
 * repositories, references of materials, names of people, numbers, times, and words of a fixed list.
 */
export const withholdable = ({ body }: Pick<Operation, "body">, said: JsonObject): string[] =>
  placesIn(body, said).map(({ path }) => pointer(path))

const isWithin = (path: string, whole: string): boolean => path === whole || path.startsWith(`${whole}/`)

/** What stands at a JSON Pointer; undefined where nothing does. */
export function standsAt(value: Json | undefined, path: string): Json | undefined {
  return namesOf(path).reduce(memberOf, value)
}
const memberOf = (value: Json | undefined, name: string): Json | undefined =>
  !isObject(value) || !Object.hasOwn(value, name) ? undefined : Array.isArray(value) ? value[Number(name)] : value[name]
const namesOf = (path: string): string[] =>
  path === ""
    ? []
    : path
        .slice(1)
        .split("/")
        .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"))

/** A place of a body that has a mark of something withheld. */
export interface Claim {
  readonly place: string
  readonly told: Withholding
  /** What stands for it: a text, or an object. */
  readonly as: "text" | "object"
  /** Whether its sender may have said just that: within an object of any shape. */
  readonly mayBeSaid: boolean
}

/** The marks of withheld parts in a body from another instance. */
export function claimsIn({ body }: Pick<Operation, "body">, said: JsonObject): Claim[] {
  function* within(value: unknown, path: Path, isTop: boolean): Generator<Claim> {
    const found = toldIn(value)
    if (found !== undefined) yield { place: pointer(path), told: found, as: isTop ? "object" : "text", mayBeSaid: true }
    else if (isObject(value))
      for (const [name, held] of Object.entries(value)) yield* within(held, [...path, Array.isArray(value) ? Number(name) : name], false)
  }
  return placesIn(body, said).flatMap(({ path, isAny }): Claim[] => {
    const place = pointer(path)
    const value = standsAt(said, place)
    if (isAny) return [...within(value, path, true)]
    const found = toldIn(value)
    return found === undefined ? [] : [{ place, told: found, as: "text", mayBeSaid: false }]
  })
}

/**
 * The places that some paths name: each itself, all below it, or one within an object of any shape. Marks count as what they
 * stand for; so does what was within such an object, where `isKnown`: all of it may be gone by now.
 * @returns for each path its places; null where it names nothing that may be withheld
 */
export function placesOf(
  operation: Pick<Operation, "body">,
  said: JsonObject,
  paths: readonly string[],
  isKnown = false,
): (readonly string[] | null)[] {
  const all = withholdable(operation, said)
  return paths.map((path) => {
    const isInside = all.some((place) => place !== path && isWithin(path, place)) && (isKnown || standsAt(said, path) !== undefined)
    const found = isInside ? [path] : all.filter((place) => isWithin(place, path))
    return found.length === 0 ? null : found
  })
}

/** Whether what is at a place is withheld by whoever withholds what a path names. */
export const isNamedBy = (place: string, path: string): boolean => isWithin(place, path)

/** A copy of a body with marks at some places: what was an object stays one, for of any shape it may be, but not a text. */
export const marked = (said: JsonObject, contentDigest: string, places: readonly string[]): JsonObject =>
  withMarks(
    said,
    contentDigest,
    places.map((place) => {
      const value = standsAt(said, place)
      return { place, as: isObject(value) && !Array.isArray(value) ? "object" : "text" }
    }),
  )

/** A copy of a body with marks at some places, each a text or an object. */
export function withMarks(said: JsonObject, contentDigest: string, places: readonly Pick<Claim, "place" | "as">[]): JsonObject {
  const copy = structuredClone(said)
  for (const { place, as } of places) {
    const names = namesOf(place)
    const last = names.pop() ?? ""
    const holder = names.reduce<Json | undefined>(memberOf, copy)
    if (!isObject(holder)) continue
    const mark = markOf(markKey(contentDigest, place))
    holder[last] = as === "object" ? { [mark]: "" } : mark
  }
  return copy
}
