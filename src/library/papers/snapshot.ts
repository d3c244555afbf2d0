/** A line of arXiv's metadata snapshot: one paper as JSON. */
import { readJson } from "../../contract/schema/strict-json.ts"
import type { PaperRecord } from "./papers.ts"
import { recordOf } from "./record.ts"
import { isObject } from "../../contract/json.ts"

interface Line {
  readonly id?: unknown
  readonly title?: unknown
  readonly abstract?: unknown
  /** With spaces in between. */
  readonly categories?: unknown
  /** As they were typed in. */
  readonly authors?: unknown
  /** Last name, first names, suffix. */
  readonly authors_parsed?: unknown
  readonly versions?: unknown
}

const words = (value: unknown): string[] => (typeof value === "string" ? value.split(" ") : [])

function authorsOf({ authors, authors_parsed: parsed }: Line): string[] {
  if (Array.isArray(parsed)) {
    return parsed
      .filter(Array.isArray)
      .map((parts: unknown[]) => [parts[1], parts[0], parts[2]].filter((part) => typeof part === "string" && part !== "").join(" "))
  }
  return typeof authors === "string" ? authors.split(/,|\sand\s/).map((author) => author.trim()) : []
}

/** The record in a line; null for a line that is no paper. */
export function snapshotRecord(text: string): PaperRecord | null {
  const read = readJson(text)
  if (!read.ok) return null
  const line: Line | null = isObject(read.value) ? read.value : null
  if (line === null) return null
  const [first]: { created?: unknown }[] = Array.isArray(line.versions) ? line.versions : []
  return recordOf({
    ...{ id: line.id, title: line.title, abstract: line.abstract },
    authors: authorsOf(line),
    categories: words(line.categories),
    published: first?.created,
  })
}
