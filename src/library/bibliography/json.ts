/** Reads CSL-JSON, as Zotero, doi.org and this service write it, and the answers of Crossref's API. */
import { isObject } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { inDigits } from "../../contract/text.ts"
import type { PaperCollector } from "../papers/found.ts"
import { list, type Members } from "../papers/record.ts"
import { type CslDate, type CslName, dateOf, dateOfParts, nameOf } from "./csl.ts"
import type { Entry } from "./entry.ts"
import { plain } from "./markup.ts"
import { takeEntry } from "./taking.ts"

const textOf = (value: unknown): string | undefined =>
  typeof value === "string"
    ? value
    : typeof value === "number"
      ? String(value)
      : Array.isArray(value)
        ? textOf(value[0])
        : undefined

/** A name in its parts, of a group, or as one text. */
function cslName(value: unknown): CslName[] {
  if (typeof value === "string") return value.trim() === "" ? [] : [nameOf(plain(value))]
  if (!isObject(value)) return []
  const part = (name: string) => plain(textOf(value[name]) ?? "")
  const literal = part("literal") || part("name")
  const [family, given, suffix] = [part("family"), part("given"), part("suffix")]
  const particle = [part("dropping-particle"), part("non-dropping-particle")].filter((each) => each !== "").join(" ")
  if (family === "") return literal !== "" ? [{ literal }] : given === "" ? [] : [{ literal: given }]
  return [
    {
      family,
      ...(given !== "" && { given }),
      ...(particle !== "" && { "non-dropping-particle": particle }),
      ...(suffix !== "" && { suffix }),
    },
  ]
}

/** The names of an item: a list, or one text. */
export const cslNames = (value: unknown): CslName[] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value]).slice(0, 5_000).flatMap(cslName)

/** A date of an item: by its parts, or by the words of `raw` or `literal`. */
export function cslDate(value: unknown): CslDate | undefined {
  if (typeof value === "string" || typeof value === "number") return dateOf(String(value))
  if (!isObject(value)) return undefined
  const read = dateOfParts(list(value["date-parts"]).filter((part) => Array.isArray(part)))
  const season = Number(value.season)
  if (read === undefined) return dateOf(textOf(value.raw) ?? textOf(value.literal) ?? "")
  return {
    ...read,
    ...(Number.isInteger(season) && season >= 1 && season <= 4 && { season }),
    ...((value.circa === true || value.circa === 1 || value.circa === "true") && { circa: true }),
  }
}

/** The first of these dates that has a year, or the first that says anything. */
function firstOf(dates: readonly (CslDate | undefined)[]): CslDate | undefined {
  const said = dates.filter((date) => date !== undefined)
  return said.find((date) => date["date-parts"] !== undefined) ?? said[0]
}

/** Crossref's names of types that CSL names otherwise. */
export const crossrefTypes: Readonly<Record<string, string>> = {
  "journal-article": "article-journal",
  "proceedings-article": "paper-conference",
  "book-chapter": "chapter",
  "book-section": "chapter",
  "book-part": "chapter",
  monograph: "book",
  "edited-book": "book",
  "reference-book": "book",
  proceedings: "book",
  dissertation: "thesis",
  "posted-content": "article",
}

function entryOf(item: Members): Entry {
  const type = textOf(item.type) ?? ""
  const texts = (...names: readonly string[]) =>
    names
      .flatMap((name) => list(item[name]).concat(Array.isArray(item[name]) ? [] : [item[name]]))
      .flatMap((value) => textOf(value) ?? [])
  return {
    type: crossrefTypes[type] ?? type,
    key: textOf(item["citation-key"]) ?? textOf(item.id) ?? "",
    source: [type, textOf(item.title), textOf(item.URL)].filter((part) => part !== undefined).join(" "),
    title: textOf(item.title),
    authors: cslNames(item.author),
    issued: firstOf([item.issued, item["published-print"], item["published-online"], item.published].map(cslDate)),
    container: textOf(item["container-title"]),
    publisher: textOf(item.publisher),
    volume: textOf(item.volume),
    issue: textOf(item.issue),
    pages: textOf(item.page),
    url: textOf(item.URL),
    dois: texts("DOI"),
    isbns: texts("ISBN"),
    arxivIds: [],
    places: texts("URL", "number", "note", "archive_location", "archive", "publisher"),
    reference: isObject(item.custom) ? textOf(item.custom.paperId) : undefined,
  }
}

/** Whether an object describes a work at all. */
const isItem = (value: unknown): value is Members =>
  isObject(value) &&
  ["title", "DOI", "author", "URL", "ISBN", "container-title"].some((name) => value[name] !== undefined)

/** The works in an answer of Crossref: one, or a list. */
function worksIn(value: unknown): readonly unknown[] | undefined {
  const message = isObject(value) ? value.message : undefined
  if (!isObject(message)) return undefined
  return Array.isArray(message.items) ? message.items : "DOI" in message ? [message] : undefined
}

/** Parses a text that is whole JSON, or lines of JSON; undefined if it is neither. */
export function jsonIn(text: string): { readonly value: unknown } | undefined {
  const bare = text.replace(/^\uFEFF/, "").trim()
  if (!/^[[{]/.test(bare)) return undefined
  const read = (part: string): { value: unknown } | undefined => {
    try {
      return { value: JSON.parse(part) as unknown }
    } catch {
      return undefined
    }
  }
  const whole = read(bare)
  if (whole !== undefined) return whole
  const lines = bare.split(/\r\n|\n|\r/).filter((line) => line.trim() !== "")
  const values = lines.map((line) => (/^\s*\{/.test(line) ? read(line) : undefined))
  return lines.length > 1 && values.every((each) => each !== undefined)
    ? { value: values.map((each) => each?.value) }
    : undefined
}

/** Reads the items of parsed JSON. JSON that describes no works is refused as a whole. */
export function readJson(value: unknown, text: string, collector: PaperCollector): void {
  const works = worksIn(value)
  const items = works ?? (Array.isArray(value) ? value : [value])
  if (items.length > 0 && !items.some(isItem)) {
    collector.addUnreadable(text, "is JSON in a form that is not known: it is no CSL-JSON, and no answer of Crossref")
    return
  }
  for (const item of items) {
    if (!isItem(item)) collector.addUnreadable(JSON.stringify(item), "is not a CSL-JSON item")
    else if (JSON.stringify(item).length > limits.bibtexEntry * 20)
      collector.addUnreadable(
        textOf(item.title) ?? textOf(item.id) ?? "",
        `is longer than ${inDigits(limits.bibtexEntry * 20)} characters`,
      )
    else takeEntry(entryOf(item), isCrossref(item) ? "crossref_json" : "csl_json", collector)
  }
}

/** Crossref's own works have members that no other program writes. */
const isCrossref = (item: Members): boolean =>
  "indexed" in item || "reference-count" in item || item.source === "Crossref"
