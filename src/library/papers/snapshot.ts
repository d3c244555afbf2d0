/** Parses a line of arXiv's metadata snapshot or Crossref's public data file, which holds one paper as JSON. */
import { readJson } from "../../contract/schema/strict-json.ts"
import { paperFromWork } from "./crossref-work.ts"
import type { SourcePaper } from "./papers.ts"
import { list, type Members, paperFromArxiv } from "./record.ts"
import { isObject } from "../../contract/json.ts"

/**
 * Reads the authors from `authors_parsed`, lists of last name, first names and suffix, or else from the text that they
 * entered.
 */
function authorsOf({ authors, authors_parsed: parsed }: Members): string[] {
  if (Array.isArray(parsed)) {
    return parsed
      .filter(Array.isArray)
      .map((parts: unknown[]) =>
        [parts[1], parts[0], parts[2]].filter((part) => typeof part === "string" && part !== "").join(" "),
      )
  }
  return typeof authors === "string" ? authors.split(/,|\sand\s/).map((author) => author.trim()) : []
}

/** Makes a paper from a line; null if the line holds none. */
export function snapshotPaper(text: string): SourcePaper | null {
  const read = readJson(text)
  if (!read.ok || !isObject(read.value)) return null
  if ("DOI" in read.value) return paperFromWork(read.value)
  const line: Members = read.value
  const [firstVersion] = list(line.versions)
  return paperFromArxiv({
    id: line.id,
    title: line.title,
    abstract: line.abstract,
    doi: line.doi,
    journal: line["journal-ref"],
    authors: authorsOf(line),
    categories: typeof line.categories === "string" ? line.categories.split(" ") : [],
    published: isObject(firstVersion) ? firstVersion.created : undefined,
  })
}
