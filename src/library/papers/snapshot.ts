/** Parses a line of arXiv's metadata snapshot or Crossref's public data file, which holds one paper as JSON. */
import { readJson } from "../../contract/schema/strict-json.ts"
import { paperFromWork } from "./crossref-work.ts"
import type { SourcePaper } from "./papers.ts"
import { paperFromArxiv } from "./record.ts"
import { isObject } from "../../contract/json.ts"

interface Line {
  readonly id?: unknown
  readonly title?: unknown
  readonly abstract?: unknown
  /** Separated by spaces. */
  readonly categories?: unknown
  /** As the authors entered them. */
  readonly authors?: unknown
  /** Lists of last name, first names and suffix. */
  readonly authors_parsed?: unknown
  readonly versions?: unknown
  readonly doi?: unknown
  readonly "journal-ref"?: unknown
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

/** Makes a paper from a line; null if the line holds none. */
export function snapshotPaper(text: string): SourcePaper | null {
  const read = readJson(text)
  if (!read.ok || !isObject(read.value)) return null
  if ("DOI" in read.value) return paperFromWork(read.value)
  const line: Line = read.value
  const [first]: { created?: unknown }[] = Array.isArray(line.versions) ? line.versions : []
  return paperFromArxiv({
    id: line.id,
    title: line.title,
    abstract: line.abstract,
    doi: line.doi,
    journal: line["journal-ref"],
    authors: authorsOf(line),
    categories: words(line.categories),
    published: first?.created,
  })
}
