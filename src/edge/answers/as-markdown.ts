/**
 * Writes the answer of any read as Markdown, for agents: no names in quotes and nothing that is null or empty. A list
 * has a line for each item, an object one for each member. Text by users is one line or a quote, so that none of it
 * looks like part of the document.
 */
import { writerIn } from "../../contract/answers/parts.ts"
import type { Read } from "../../contract/definitions/read.ts"
import { isJsonObject, type Json, type JsonObject } from "../../contract/json.ts"
import { oneLine } from "../../contract/text.ts"

/** What a path is followed by for Markdown. */
export const SUFFIX = ".md"
export const MARKDOWN = "text/markdown"

/** Whether any answer of a read can be sent as Markdown. */
export const isDocument = ({ method, mediaType }: Read): boolean => method === "GET" && mediaType === "application/json"
/** The path of the Markdown of a read; null if it has none, or one that ends in an id, which holds the suffix. */
export const markdownPath = (definition: Read): string | null =>
  isDocument(definition) && !definition.path.endsWith("}") ? `${definition.path}${SUFFIX}` : null

/** Members of the envelope, which the last lines tell. */
const ENVELOPE = ["schemaVersion", "generatedAt", "links", "nextCursor", "nextOffset", "hasMore", "items"]
/** The most characters of a text that stands on the line of its name. */
const SHORT = 200

const isEmpty = (value: Json): boolean =>
  value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0)
const membersOf = (value: JsonObject): [string, Json][] => Object.entries(value).filter(([, inner]) => !isEmpty(inner))
const isPlain = (value: Json): boolean =>
  Array.isArray(value) ? value.every((each) => typeof each !== "object") : typeof value !== "object"

function inLine(value: Json): string {
  if (Array.isArray(value)) return value.map((each) => (isPlain(each) ? inLine(each) : `(${inLine(each)})`)).join(", ")
  if (!isJsonObject(value)) return oneLine(String(value))
  const writer = writerIn(value)
  if (writer !== undefined) return writer
  const members = membersOf(value).map(
    ([name, inner]) =>
      `${name} ${isJsonObject(inner) && writerIn(inner) === undefined ? `(${inLine(inner)})` : inLine(inner)}`,
  )
  return members.join("; ")
}

/** An item of a list on one line: its label first. */
function itemLine(item: Json): string {
  if (!isJsonObject(item)) return `- ${inLine(item)}\n`
  const { label, ...more } = item
  return `- ${typeof label === "string" ? `**${oneLine(label)}** ` : ""}${inLine(more)}\n`
}

const isLong = (value: Json): value is string =>
  typeof value === "string" && (value.length > SHORT || value.includes("\n"))

/** A member with a heading of its own: a long text, a list or an object. */
function section([name, value]: [string, Json]): string {
  const title = `\n## ${name}\n`
  if (isLong(value)) return `${title}\n${value.replace(/^/gmu, "> ")}\n`
  if (Array.isArray(value)) return `${title}${value.map(itemLine).join("")}`
  if (!isJsonObject(value)) return `${title}${itemLine(value)}`
  return `${title}${membersOf(value)
    .map(([member, inner]) => `- ${member}: ${inLine(inner)}\n`)
    .join("")}`
}

/** Whether a member stands on one line: a short value, or the author of something. */
const isOneLine = ([, value]: [string, Json]): boolean =>
  (isPlain(value) && !isLong(value)) || writerIn(value) !== undefined

/** A path that answers the same as Markdown. */
function asDocument(path: string): string {
  const [pathname = "", query] = path.split("?", 2)
  return `${pathname.endsWith(SUFFIX) ? pathname : `${pathname}${SUFFIX}`}${query === undefined ? "" : `?${query}`}`
}

/** @param whole the answer with its envelope @param path the read's own path, with its query */
export function asMarkdown({ name, cursor }: Pick<Read, "name" | "cursor">, whole: JsonObject, path: string): string {
  const { items, links, label } = whole
  const members = membersOf(whole).filter(([member]) => !ENVELOPE.includes(member))
  const title = name.replaceAll("_", " ")
  const head = `# ${typeof label === "string" ? oneLine(label) : title}\n\n`
  const lines = members.filter(isOneLine).map(([member, value]) => `- ${member}: ${inLine(value)}\n`)
  const sections = members.filter((member) => !isOneLine(member)).map(section)
  const listed = Array.isArray(items) ? (items.length === 0 ? "Nothing.\n" : items.map(itemLine).join("")) : ""
  const isMore = cursor !== null && whole.hasMore === true && isJsonObject(links) && typeof links.next === "string"
  const foot = `${isMore ? `\nMore: ${asDocument(String(links.next))}\n` : ""}\nJSON: ${path}\n`
  return [head, ...lines, ...sections, lines.length + sections.length > 0 ? "\n" : "", listed, foot].join("")
}

/**
 * Returns the quality of a media type in an Accept header, from 0 to 1, and its place there. The most specific range
 * counts.
 */
function wanted(
  accept: string,
  type: string,
): { readonly quality: number; readonly place: number; readonly named: boolean } {
  const ranges = accept.split(",").map((range, place) => {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2)
    const quality = weight === undefined ? 1 : Number(weight)
    return { name, place, quality: Number.isFinite(quality) ? Math.min(Math.max(quality, 0), 1) : 0 }
  })
  for (const name of [type, `${type.split("/")[0]}/*`, "*/*"]) {
    const range = ranges.find((each) => each.name === name)
    if (range !== undefined) return { ...range, named: name === type }
  }
  return { quality: 0, place: ranges.length, named: false }
}

/** Whether an Accept header names Markdown and does not prefer the usual form, HTML or JSON, to it. */
export function prefersMarkdown(accept: string, usual = "text/html"): boolean {
  const [markdown, other] = [wanted(accept, MARKDOWN), wanted(accept, usual)]
  if (!markdown.named || markdown.quality === 0 || markdown.quality < other.quality) return false
  return markdown.quality > other.quality || !other.named || markdown.place < other.place
}
