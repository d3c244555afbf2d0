/** Reads CSL-JSON, the item lists that Zotero, Crossref's converters and this service write. */
import { isObject } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { inDigits } from "../../contract/text.ts"
import type { PaperCollector } from "../papers/found.ts"
import type { Members } from "../papers/record.ts"
import { type Entry, takeEntry } from "./entry.ts"

/** Whether a text looks like CSL-JSON: a list of objects, or one object that begins with a member of an item. */
export const isCsl = (text: string): boolean =>
  /^\uFEFF?\s*(?:\[\s*(?:\{\s*"|\]\s*$)|\{\s*"(?:id|type|DOI|title|citation-key)")/.test(text.slice(0, 1_000))

const textOf = (value: unknown): string | undefined =>
  typeof value === "string"
    ? value
    : typeof value === "number"
      ? String(value)
      : Array.isArray(value)
        ? textOf(value[0])
        : undefined

function dateOf(issued: unknown): string | undefined {
  if (!isObject(issued)) return undefined
  const { "date-parts": parts, raw } = issued
  const first: unknown = Array.isArray(parts) ? parts[0] : undefined
  return Array.isArray(first) ? first.map((part) => String(part).padStart(2, "0")).join("-") : textOf(raw)
}

function entryOf(item: Members): Entry {
  const named = Array.isArray(item.author) ? item.author.filter(isObject) : []
  const author = named.map(({ literal, given, "non-dropping-particle": particle, family, suffix }) => ({
    name: textOf(literal) ?? [given, particle, family, suffix].flatMap((part) => textOf(part) ?? []).join(" "),
  }))
  const type = textOf(item.type) ?? ""
  return {
    type,
    key: textOf(item["citation-key"]) ?? textOf(item.id) ?? "",
    text: [type, textOf(item.title), textOf(item.URL)].filter((part) => part !== undefined).join(" "),
    fields: {
      title: textOf(item.title),
      author,
      date: dateOf(item.issued),
      doi: textOf(item.DOI),
      isbn: textOf(item.ISBN),
      url: textOf(item.URL),
      journal: textOf(item["container-title"]) ?? textOf(item.publisher),
      volume: textOf(item.volume),
      issue: textOf(item.issue),
      pages: textOf(item.page),
      note: [item.number, item.note, item.archive_location].flatMap((value) => textOf(value) ?? []).join(" "),
      paperid: isObject(item.custom) ? textOf(item.custom.paperId) : undefined,
    },
  }
}

export function readCsl(text: string, collector: PaperCollector): void {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""))
  } catch (error) {
    collector.addUnreadable(text, `is not JSON: ${error instanceof Error ? error.message : String(error)}`)
    return
  }
  for (const item of Array.isArray(value) ? value : [value]) {
    if (!isObject(item)) collector.addUnreadable(JSON.stringify(item), "is not a CSL-JSON item")
    else if (JSON.stringify(item).length > limits.bibtexEntry * 2)
      collector.addUnreadable(
        textOf(item.title) ?? textOf(item.id) ?? "",
        `is longer than ${inDigits(limits.bibtexEntry * 2)} characters`,
      )
    else takeEntry(entryOf(item), collector)
  }
}
