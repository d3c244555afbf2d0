/**
 * Withholding removes what must not be in a public record. Nothing else changes accepted content. In the data a mark
 * replaces what was withheld: text that no request can contain and no search finds, and that identifies the write and
 * the place in it. Answers show `{withheld: {at, by, reason}}` instead, or, within a longer text, a word.
 */
import * as v from "valibot"
import { wellFormed, shape, uuid, whole, list, oneOf, text } from "../schema/fields.ts"
import { operation, type Operation } from "../definitions/operation.ts"
import { words, quoting } from "../definitions/sentence.ts"
import { described, pointer } from "../schema/validation.ts"
import { limits } from "../limits.ts"
import { enumerations } from "../schema/enumerations.ts"
import { MARK_OPEN as OPEN, MARK_CLOSE as CLOSE, dateOf } from "../text.ts"
import { digestOf, isObject, type JsonObject, valueAt, namesOf, type Json, memberOf } from "../json.ts"
import { type Withholding, withholding } from "../answers/fields.ts"
import { type Part, isPart, type Path, type Visitor, walker, partsOf } from "../schema/parts.ts"
import { locationUri } from "../definitions/work.ts"
import { logDigest } from "../definitions/attachments.ts"

/**
 * A place in a body: a JSON Pointer, empty for the whole body. It has no title, because it is not text that a person
 * chose.
 */
const place = v.pipe(
  v.string("must be a string"),
  v.regex(/^(?:\/[^\x00-\x1f\x7f]*)?$/u, "must be a JSON Pointer such as /assertion/wording"),
  wellFormed,
  v.maxCodePoints(1_000, "must have at most 1000 characters"),
)

export const withholdContent = operation({
  name: "withhold_content",
  surface: "browser",
  sentence: ({ reason, explanation }, label) => `withheld part of ${label} (${words(reason)})${quoting(explanation)}`,
  path: "/api/rooms/{roomId}/withholdings",
  summary:
    "Removes texts of an accepted write for good and everywhere: a secret, personal data, what a court names. " +
    "Ids, labels, digests and everything that refers to it stay. By the Room's owner or an operator.",
  target: "record",
  by: "person",
  archived: "admitted",
  refusals: ["not_a_member", "role_required", "unknown_reference", "state_conflict"],
  entry: { kind: "content_withheld", form: "receipt" },
  activity: "content_withheld",
  fields: {
    of: described(
      v.union(
        [shape({ entryId: uuid }), shape({ versionId: uuid }), shape({ sequence: whole(1) })],
        "must hold one of entryId, versionId and sequence",
      ),
      "The write: named by one of its timeline entries, by the record it made, or by its entry in the Room's activity.",
    ),
    fields: described(
      list(place, limits.withheldFields, 1),
      "Places in the accepted body, as JSON Pointers. One that names an object or a list stands for everything in " +
        "it that can be withheld; an empty one stands for the whole body. /client names what the sender said about " +
        "itself.",
    ),
    reason: oneOf(enumerations.withholdingReason),
    explanation: text(limits.explanation),
  },
  result: {
    /** The write's entry in the Room's activity, and the digest that can no longer be shown. */
    sequence: whole(1),
    contentDigest: v.string(),
    fields: v.array(v.string()),
    reason: oneOf(enumerations.withholdingReason),
    label: v.nullable(v.string()),
    /** In the first answer only: other places that may still hold the text, as far as the service knows. */
    mayStillHold: v.exactOptional(v.string()),
  },
  example: {
    of: { entryId: "0198f3a0-0000-7000-8000-000000000003" },
    fields: ["/text"],
    reason: "secret",
    explanation: "The message held an access token, which has been revoked.",
  },
})

// Marks, and the places of a body that can hold one.

/** Sixteen noncharacters of Unicode, one for each hex digit, between two more. */
const ZERO = 0xfdd0
const MARK = `${OPEN}([\ufdd0-\ufddf]{32})${CLOSE}`
const marks = new RegExp(MARK, "g")
const aloneMark = new RegExp(`^${MARK}$`)
const anyMark = new RegExp(MARK)

/** The first character of every mark. No request can contain it. */
export const markBegins = OPEN

/** Replaces a mark where only a word fits. */
export const WITHHELD = "[withheld]"

/** The key of a mark: 32 hex digits, derived from the write and the place in it. @param path a JSON Pointer */
export const markKey = (contentDigest: string, path: string): string =>
  digestOf(`${contentDigest} ${path}`).slice(7, 39)
export const markOf = (key: string): string =>
  `${OPEN}${[...key].map((digit) => String.fromCharCode(ZERO + Number.parseInt(digit, 16))).join("")}${CLOSE}`
const keyIn = (mark: string): string => [...mark].map((sign) => (sign.charCodeAt(0) - ZERO).toString(16)).join("")

/** Whether a text may hold a mark. Immediate for a text that has only Latin-1 characters. */
export const holdsMark = (text: string): boolean => text.includes(OPEN)
/**
 * The key of a mark; undefined for another value. An object of any shape is withheld as one whose only member name is a
 * mark.
 */
export function markedAs(value: unknown): string | undefined {
  const name = isObject(value) && !Array.isArray(value) ? onlyName(value) : value
  const [, mark] = typeof name === "string" && holdsMark(name) ? (aloneMark.exec(name) ?? []) : []
  return mark === undefined ? undefined : keyIn(mark)
}
function onlyName(value: object): string | undefined {
  const [name, ...more] = Object.keys(value)
  return more.length === 0 ? name : undefined
}

export const marksIn = (text: string): string[] =>
  holdsMark(text) ? [...text.matchAll(marks)].map(([, mark = ""]) => keyIn(mark)) : []

/** Whether a value contains a whole mark. */
export const hasMark = (value: unknown): boolean => anyMark.test(JSON.stringify(value) ?? "")

/** Replaces the marks in a text by the word. */
export const withWords = (text: string): string => (holdsMark(text) ? text.replaceAll(marks, WITHHELD) : text)

/** The reasons for withholding, in words for people. */
export const withholdingReasons: Readonly<Record<Withholding["reason"], string>> = {
  secret: "a secret that gives access",
  personal_data: "personal data",
  rights: "it belongs to another person",
  legal_order: "the order of a court or an authority",
  other: "another reason",
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
/** What a page shows in place of a whole text that was withheld. Allowed inside a link. */
const passage = ({ at, by, reason }: Withholding): string =>
  `<span class="withheld">Withheld by ${escaped(by.username)} on ${dateOf(at)}: ` +
  `${withholdingReasons[reason]}<span class="aside">. The original text was removed from the ` +
  "record for good.</span></span>"

const inPages = new RegExp(`<([a-z]+)([^<>]*>\\s*)${MARK}(?=\\s*<)|${MARK}`, "g")
/** Elements that cannot contain other elements. */
const plainElements = new Set(["title", "option", "textarea", "script", "style"])
/** Replaces the marks in a page: by a notice if a mark stands alone, by the word within a text. */
export const inPage = (text: string, find: (key: string) => Withholding | undefined): string =>
  holdsMark(text)
    ? text.replaceAll(inPages, (_found, element?: string, rest?: string, mark?: string) => {
        if (element === undefined) return WITHHELD
        const notice = plainElements.has(element) ? undefined : find(keyIn(mark ?? ""))
        return `<${element}${withWords(rest ?? "")}${notice === undefined ? WITHHELD : passage(notice)}`
      })
    : text

/** A snippet is HTML, so it has room only for the word. */
const inJson = new RegExp(`"snippet":"${MARK}"|\\{"${MARK}":""\\}|"${MARK}"(\\s*:)?|${MARK}`, "g")
/** Replaces the marks in JSON text: by a notice if a mark stands alone, by the word within a text. */
export function inAnswers(text: string, find: (key: string) => Withholding | undefined): string {
  if (!holdsMark(text)) return text
  return text.replaceAll(inJson, (found, snippet?: string, object?: string, value?: string, colon?: string) => {
    if (snippet !== undefined) return withWords(found)
    const mark = object ?? (colon === undefined ? value : undefined)
    if (mark === undefined) return value === undefined ? WITHHELD : `"${WITHHELD}"${colon ?? ""}`
    const notice = find(keyIn(mark))
    return notice === undefined ? `"${WITHHELD}"` : JSON.stringify({ withheld: notice })
  })
}

const isTitled = ({ pipe = [] }: Part, name: string): boolean =>
  pipe.some(({ type, title }) => type === "title" && title === name)
/**
 * Texts and names that people chose. Ids, digests, keys and the like have titles of their own, or a fixed form and no
 * title.
 */
const isFree = (part: Part): boolean =>
  Object.is(part, locationUri) || Object.is(part, logDigest) || isTitled(part, "text") || isTitled(part, "string")
/** Objects whose member names their writer chose too. */
const isAnyShape = ({ type, key: name }: Part): boolean => type === "record" && !(isPart(name) && isTitled(name, "key"))

const notice = v.strictObject({ withheld: v.strictObject(withholding.entries) })
/** The notice in place of something withheld; undefined for another value. */
function noticeIn(value: unknown): Withholding | undefined {
  const found = isObject(value) && Object.hasOwn(value, "withheld") ? v.safeParse(notice, value) : undefined
  return found?.success ? found.output.withheld : undefined
}

/** A place in a body whose value can be withheld, or was. */
interface Place {
  readonly path: Path
  /** Whether the value is an object of any shape, which is one place as a whole. */
  readonly isAny: boolean
}
const findText: Visitor<Place> = (value, path, found) => {
  if (typeof value === "string" || noticeIn(value) !== undefined) found.push({ path, isAny: false })
}
const findWhole: Visitor<Place> = (value, path, found) => {
  if (isObject(value) && Object.keys(value).length > 0) found.push({ path, isAny: true })
}
const placesIn = walker<Place>((part) => {
  if (part.wrapped !== undefined) return undefined
  if (isFree(part)) return { visit: findText }
  return isAnyShape(part) ? { visit: findWhole } : undefined
})

/** The names of members that may hold an object of any shape. */
export const anyShapes = (operations: readonly Pick<Operation, "body">[]): string[] => [
  ...new Set(
    operations.flatMap(({ body }) => [...partsOf(body)].flatMap(({ part, name }) => (isAnyShape(part) ? [name] : []))),
  ),
]

/** Whether parts of an operation's writes can be withheld: those that everybody can read in a Room's activity. */
export const isWithholdable = ({
  family,
  activity,
  surface,
}: Pick<Operation, "family" | "activity" | "surface">): boolean =>
  family === "research" && activity !== null && surface !== "command"

/**
 * The places of a body that can be withheld, as JSON Pointers: every text and name that people chose, whole objects of
 * any shape, the locations of materials and the logs of attempts. Not what other records and the service rely on: ids,
 * keys, digests, commits, addresses of repositories, references of materials, usernames, numbers, times, and words of a
 * fixed list.
 */
export const withholdable = ({ body }: Pick<Operation, "body">, content: JsonObject): string[] =>
  placesIn(body, content).map(({ path }) => pointer(path))

/** Whether withholding `path` withholds what is at `place`. */
export const isNamedBy = (place: string, path: string): boolean => place === path || place.startsWith(`${path}/`)

/** A place in a body that has a notice of something withheld. */
export interface Claim {
  readonly place: string
  readonly notice: Withholding
  /** What the mark replaces. */
  readonly as: "text" | "object"
  /** Whether the sender may have written the notice as content: possible within an object of any shape. */
  readonly mayBeContent: boolean
}

/** The notices of withheld parts in a body from another instance. */
export function claimsIn({ body }: Pick<Operation, "body">, content: JsonObject): Claim[] {
  function* within(value: unknown, path: Path, isTop: boolean): Generator<Claim> {
    const found = noticeIn(value)
    if (found !== undefined)
      yield { place: pointer(path), notice: found, as: isTop ? "object" : "text", mayBeContent: true }
    else if (isObject(value))
      for (const [name, held] of Object.entries(value))
        yield* within(held, [...path, Array.isArray(value) ? Number(name) : name], false)
  }
  return placesIn(body, content).flatMap(({ path, isAny }): Claim[] => {
    const place = pointer(path)
    const value = valueAt(content, place)
    if (isAny) return [...within(value, path, true)]
    const found = noticeIn(value)
    return found === undefined ? [] : [{ place, notice: found, as: "text", mayBeContent: false }]
  })
}

/**
 * The places that each path names: the path itself, all places below it, or a place within an object of any shape. A
 * mark counts as what it replaces. If `isKnown`, so does a place within such an object that no longer holds it: all of
 * it may be withheld by now.
 * @returns the places of each path; null if it names nothing that can be withheld
 */
export function placesOf(
  operation: Pick<Operation, "body">,
  content: JsonObject,
  paths: readonly string[],
  isKnown = false,
): (readonly string[] | null)[] {
  const all = withholdable(operation, content)
  return paths.map((path) => {
    const isInside =
      all.some((place) => place !== path && isNamedBy(path, place)) && (isKnown || valueAt(content, path) !== undefined)
    const found = isInside ? [path] : all.filter((place) => isNamedBy(place, path))
    return found.length === 0 ? null : found
  })
}

/**
 * A copy of a body with marks at some places. An object is replaced by an object: its schema may allow any shape, but
 * no text.
 */
export const marked = (content: JsonObject, contentDigest: string, places: readonly string[]): JsonObject =>
  withMarks(
    content,
    contentDigest,
    places.map((place) => {
      const value = valueAt(content, place)
      return { place, as: isObject(value) && !Array.isArray(value) ? "object" : "text" }
    }),
  )

/** A copy of a body with marks at some places. */
export function withMarks(
  content: JsonObject,
  contentDigest: string,
  places: readonly Pick<Claim, "place" | "as">[],
): JsonObject {
  const copy = structuredClone(content)
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
