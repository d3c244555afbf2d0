/** Reads CSL-JSON, as Zotero, doi.org and this service write it, and the answers of Crossref's API. */
import { isObject } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { inDigits } from "../../contract/text.ts"
import type { PaperCollector } from "../papers/found.ts"
import { list, type Members } from "../papers/record.ts"
import { type CslDate, crossrefTypes, cslDate, cslNames, textOf } from "../papers/csl.ts"
import { type Entry, takeEntry } from "./taking.ts"

/** The first of these dates that has a year, or the first that says anything. */
function firstOf(dates: readonly (CslDate | undefined)[]): CslDate | undefined {
  const said = dates.filter((date) => date !== undefined)
  return said.find((date) => date["date-parts"] !== undefined) ?? said[0]
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
      const value: unknown = JSON.parse(part)
      return { value }
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
