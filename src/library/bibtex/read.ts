/**
 * Reads the papers of arXiv out of a BibTeX file, entry by entry. A file can be made so that this takes any time and memory:
 * what comes from elsewhere is read in a process of its own (see `import.ts`).
 */
import { arxivId } from "../../contract/fields.ts"
import { limits } from "../../contract/limits.ts"
import { check } from "../../contract/validation.ts"
import type { Filed, Given } from "../papers/papers.ts"

/** What was found in a file. */
export interface Bibliography {
  readonly papers: readonly Filed[]
  readonly skipped: readonly { readonly key: string | null; readonly reason: string }[]
}

/** An entry as the parser gives it; creators are objects, some fields lists. */
interface Entry {
  readonly type: string
  readonly key: string
  readonly fields: Readonly<Record<string, unknown>>
}

interface Creator {
  readonly name?: string
  readonly firstName?: string
  readonly prefix?: string
  readonly lastName?: string
  readonly suffix?: string
}

const ID = "([0-9]{4}\\.[0-9]{4,5}|[a-z-]+(?:\\.[A-Z]{2})?/[0-9]{7})"
/** The forms in which an arXiv id stands in the text of a field. */
const MENTION = new RegExp(`(?:arxiv\\.org/(?:abs|pdf|html)/|10\\.48550/arxiv\\.|arxiv:\\s*)${ID}`, "i")

const asId = (value: unknown): string | undefined => {
  const checked = check(arxivId, value)
  return checked.ok ? checked.value : undefined
}

const fieldText = (value: unknown): string =>
  typeof value === "string" ? value : Array.isArray(value) ? value.filter((part) => typeof part === "string").join(" ") : ""

/** The arXiv id of an entry: its eprint, or where else people write it. */
function idOf({ fields }: Entry): string | undefined {
  const eprint = fieldText(fields.eprint ?? fields.arxivid).trim()
  const archive = fieldText(fields.archiveprefix ?? fields.eprinttype ?? "arxiv").toLowerCase()
  if (archive === "arxiv") {
    // The old style was often split: the archive in primaryClass, the number in eprint.
    const found = asId(eprint.replace(/^arxiv:\s*/i, "")) ?? asId(`${fieldText(fields.primaryclass ?? fields.eprintclass)}/${eprint}`)
    if (found !== undefined) return found
  }
  for (const name of ["doi", "url", "journal", "journaltitle", "howpublished", "note", "number", "volume"]) {
    const found = asId(MENTION.exec(fieldText(fields[name]))?.[1])
    if (found !== undefined) return found
  }
  return undefined
}

const plainText = (value: string): string =>
  value
    .replace(/<[^>]*>/g, "")
    .replaceAll("\0", "")
    .replace(/\s+/g, " ")
    .trim()
    .toWellFormed()
    .normalize()
const nameOf = ({ name, firstName, prefix, lastName, suffix }: Creator): string =>
  plainText(name ?? [firstName, prefix, lastName, suffix].filter((part) => part !== undefined).join(" "))

/** What the entry says of the paper; undefined where it does not even say its title. */
function givenBy({ fields }: Entry): Given | undefined {
  const title = plainText(fieldText(fields.title)).slice(0, limits.statement)
  if (title === "") return undefined
  const authors = Array.isArray(fields.author) ? (fields.author as Creator[]).map(nameOf).filter((name) => name !== "") : []
  const date = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.exec(fieldText(fields.date))?.[0]
  const day = date === undefined ? Number.NaN : Date.parse(date)
  return { title, authors, publishedAt: Number.isNaN(day) ? null : new Date(day).toISOString() }
}

const isKey = (key: string): boolean => key.length <= limits.name && /^[^\s{}(),\\"#%~]+$/u.test(key)

/** Reads a BibTeX file: its arXiv papers in order, and what was left out with the reason. */
export async function readBibtex(text: string): Promise<Bibliography> {
  // Loaded when it is first needed: it is large, and most instances never import a bibliography.
  const { parse } = await import("@retorquere/bibtex-parser")
  const papers = new Map<string, Filed>()
  const keys = new Set<string>()
  const skipped: { key: string | null; reason: string }[] = []
  const strings: Record<string, string> = {}

  function take(entry: Entry): void {
    const key = entry.key === "" ? null : entry.key.slice(0, limits.name)
    const id = idOf(entry)
    if (id === undefined) return void skipped.push({ key, reason: "names no arXiv id" })
    if (papers.has(id)) return void skipped.push({ key, reason: `is another entry for ${id}` })
    const given = givenBy(entry)
    const citationKey = key !== null && isKey(key) && !keys.has(key) ? key : undefined
    if (citationKey !== undefined) keys.add(citationKey)
    papers.set(id, { arxivId: id, ...(given && { given }), ...(citationKey && { citationKey }) })
  }

  for (const piece of text.split(/^(?=[ \t]*@[A-Za-z]+[ \t]*[{(])/m)) {
    if (!piece.trimStart().startsWith("@")) continue
    if (piece.length > limits.bibtexEntry) {
      skipped.push({ key: null, reason: `is longer than ${limits.bibtexEntry.toLocaleString("en")} characters` })
      continue
    }
    try {
      const { entries, errors, strings: more } = parse(piece, { sentenceCase: false, unsupported: "ignore", strings: { ...strings } })
      // Each may name two others: unless it is as short as an entry may be, it is not known to those that follow.
      for (const [name, value] of Object.entries(more)) if (value.length <= limits.bibtexEntry) strings[name] = value
      for (const entry of entries) take(entry as Entry)
      if (entries.length === 0 && errors.length > 0) skipped.push({ key: null, reason: "cannot be read" })
    } catch {
      skipped.push({ key: null, reason: "cannot be read" })
    }
  }
  return { papers: [...papers.values()], skipped }
}
