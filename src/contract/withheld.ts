/**
 * What was withheld of an accepted write. In the data a mark stands in its place: text that nobody can send, that no search
 * finds, and that tells of which write and place it is. On the wire it is `{withheld: {at, by, reason}}`, or, within a longer
 * text, a word.
 */
import type { Withholding } from "./answer-fields.ts"
import { key } from "./fields.ts"
import { digestOf, isObject, type Json, type JsonObject } from "./json.ts"
import type { Operation } from "./operation.ts"
import { pointer } from "./validation.ts"
import { locationUri } from "./work.ts"

/** Sixteen characters of Unicode that stand for nothing, one a hex digit; and two more around a mark. */
const ZERO = 0xfdd0
const OPEN = "\ufde0"
const CLOSE = "\ufde1"
const MARK = `${OPEN}([\ufdd0-\ufddf]{32})${CLOSE}`
const marks = new RegExp(MARK, "g")
const whole = new RegExp(`^${MARK}$`)

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

/** Whether a whole mark stands anywhere in a value. */
export const hasMark = (value: unknown): boolean => new RegExp(MARK).test(JSON.stringify(value) ?? "")

/** A text with the word in place of marks. */
export const withWords = (text: string): string => (holdsMark(text) ? text.replaceAll(marks, WITHHELD) : text)

const inPages = new RegExp(`(>\\s*)${MARK}(\\s*<)|${MARK}`, "g")
/** A page with the word in place of marks, set apart where it stands alone. */
export const inPage = (text: string): string =>
  holdsMark(text)
    ? text.replaceAll(inPages, (_found, before?: string, _mark?: string, after?: string) =>
        before === undefined ? WITHHELD : `${before}<span class="withheld">withheld</span>${after}`,
      )
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

interface Part {
  readonly type: string
  readonly entries?: Readonly<Record<string, Part>>
  readonly wrapped?: Part
  readonly item?: Part
  readonly value?: unknown
  readonly options?: readonly Part[]
  readonly key?: unknown
  readonly literal?: unknown
  readonly pipe?: readonly { readonly type: string; readonly title?: string }[]
}
type Path = readonly (string | number)[]

/** Texts and names that people chose. Ids, digests, keys and the like have titles of their own, or a fixed form and none. */
const isFree = (part: Part): boolean =>
  (part as unknown) === locationUri ||
  (part.pipe ?? []).some(({ type, title }) => type === "title" && (title === "text" || title === "string"))
/** Objects whose names their writer chose too. */
const isAnyShape = ({ type, key: name }: Part): boolean => type === "record" && name !== key

/** The places of a body at which something stands that may be withheld; of an object of any shape its own. */
function* placesIn(part: Part, value: unknown, path: Path): Generator<Path> {
  if (part.wrapped !== undefined) yield* placesIn(part.wrapped, value, path)
  else if (isFree(part) ? typeof value === "string" : isAnyShape(part) && isObject(value) && Object.keys(value).length > 0) yield path
  else if (!isObject(value)) return
  else if (part.options !== undefined) {
    const tag = String(part.key)
    for (const option of part.options)
      if (option.entries?.[tag] !== undefined && option.entries[tag].literal === value[tag]) yield* placesIn(option, value, path)
  } else
    for (const [name, held] of Object.entries(value)) {
      const inner =
        part.entries === undefined ? (part.item ?? part.value) : Object.hasOwn(part.entries, name) ? part.entries[name] : undefined
      if (inner !== undefined) yield* placesIn(inner as Part, held, [...path, Array.isArray(value) ? Number(name) : name])
    }
}

/** Whether of the writes of an operation something can be withheld: of those that stand in a Room's activity for everybody to read. */
export const isWithholdable = ({ family, activity, surface }: Pick<Operation, "family" | "activity" | "surface">): boolean =>
  family === "research" && activity !== null && surface !== "command"

/**
 * What may be withheld of a body, as JSON Pointers: every text and name that people chose, whole objects of any shape, and where a
 * material is said to lie. Not what other records and the service itself go by: ids, keys, digests, commits, addresses of
 * repositories, references of materials, names of people, numbers, times, and words of a fixed list.
 */
export const withholdable = ({ body }: Pick<Operation, "body">, said: JsonObject): string[] =>
  [...placesIn(body as unknown as Part, said, [])].map(pointer)

const isWithin = (path: string, whole: string): boolean => path === whole || path.startsWith(`${whole}/`)

/** What stands at a JSON Pointer; undefined where nothing does. */
export function standsAt(value: Json | undefined, path: string): Json | undefined {
  let found: Json | undefined = value
  for (const name of namesOf(path)) {
    if (!isObject(found) || !Object.hasOwn(found, name)) return undefined
    found = (found as Readonly<Record<string, Json>>)[name]
  }
  return found
}
const namesOf = (path: string): string[] =>
  path === ""
    ? []
    : path
        .slice(1)
        .split("/")
        .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"))

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

/** A copy of a body with marks at some places. */
export function marked(said: JsonObject, contentDigest: string, places: readonly string[]): JsonObject {
  const copy = structuredClone(said)
  for (const place of places) {
    const names = namesOf(place)
    const last = names.pop() ?? ""
    const holder = names.reduce<Json>((within, name) => (within as JsonObject)[name] as Json, copy) as JsonObject
    const mark = markOf(markKey(contentDigest, place))
    const before = holder[last]
    // What was an object stays one: of any shape it may be, but not a text.
    holder[last] = isObject(before) && !Array.isArray(before) ? { [mark]: "" } : mark
  }
  return copy
}
