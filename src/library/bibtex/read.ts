/**
 * Reads the papers of arXiv out of a BibTeX file, entry by entry. A file can be made so that this takes any time and memory:
 * what comes from elsewhere is read in a process of its own (see `import.ts`).
 */
import { asArxivId, mentionedArxivId } from "../../contract/schema/arxiv-mention.ts"
import { limits } from "../../contract/limits.ts"
import type { FiledPaper, Given } from "../papers/papers.ts"
import { isRis, type RisEntry, risEntries } from "./ris.ts"

/** What was found in a file. */
export interface Bibliography {
  readonly papers: readonly FiledPaper[]
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

const fieldText = (value: unknown): string =>
  typeof value === "string" ? value : Array.isArray(value) ? value.filter((part) => typeof part === "string").join(" ") : ""

/** A bare number in a field is no mention: pages and volumes look like ids. */
const mentionIn = (text: string): string | undefined => (/[a-z]/i.test(text) ? mentionedArxivId(text) : undefined)

/** The arXiv id of an entry: its eprint, or where else people write it. */
function idOf({ fields }: Entry): string | undefined {
  const eprint = fieldText(fields.eprint ?? fields.arxivid).trim()
  const archive = fieldText(fields.archiveprefix ?? fields.eprinttype ?? "arxiv").toLowerCase()
  if (archive === "arxiv") {
    // The old style was often split: the archive in primaryClass, the number in eprint.
    const found = mentionedArxivId(eprint) ?? asArxivId(`${fieldText(fields.primaryclass ?? fields.eprintclass)}/${eprint}`)
    if (found !== undefined) return found
  }
  // As DBLP has it: the journal is CoRR, and the id stands where its volume would.
  const journal = fieldText(fields.journal ?? fields.journaltitle)
  const inCorr = /\bcorr\b/i.test(journal) ? mentionedArxivId(fieldText(fields.volume).replace(/^\s*abs\//i, "")) : undefined
  if (inCorr !== undefined) return inCorr
  const texts = ["doi", "url", "journal", "journaltitle", "howpublished", "note", "number", "volume", "eid", "pages", "annote"]
  return texts.map((name) => mentionIn(fieldText(fields[name]))).find((found) => found !== undefined)
}

const plainText = (value: string): string =>
  value
    .replace(/<[^<>]*>/g, "")
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

/** An entry of RIS as one of BibTeX: what both say has one meaning. */
function ofRis(entry: RisEntry): Entry {
  const one = (...tags: readonly string[]) => tags.flatMap((tag) => entry.get(tag) ?? []).find((value) => value !== "")
  const all = (...tags: readonly string[]) => tags.flatMap((tag) => entry.get(tag) ?? []).join(" ")
  const [, year, month, day] = /^(\d{4})\/(\d{1,2})\/(\d{1,2})/.exec(one("DA", "PY", "Y1") ?? "") ?? []
  const author = ["AU", "A1"]
    .flatMap((tag) => entry.get(tag) ?? [])
    .map((name) => ({ name: name.split(/,\s*/).slice(0, 2).reverse().join(" ") }))
  return {
    type: one("TY") ?? "",
    key: one("ID") ?? "",
    fields: {
      title: one("TI", "T1"),
      author,
      ...(year !== undefined && { date: [year, month?.padStart(2, "0"), day?.padStart(2, "0")].join("-") }),
      doi: one("DO"),
      url: all("UR", "L1", "L2", "LK"),
      journal: one("JO", "JF", "T2", "JA"),
      volume: one("VL"),
      number: one("M1", "IS"),
      note: all("N1", "AN", "C1", "M3", "PB"),
    },
  }
}

/** Reads a file of BibTeX or RIS: its arXiv papers in order, and what was left out with the reason. */
export async function readBibtex(text: string): Promise<Bibliography> {
  const papers = new Map<string, FiledPaper>()
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

  const tooLong = () => void skipped.push({ key: null, reason: `is longer than ${limits.bibtexEntry.toLocaleString("en")} characters` })
  if (isRis(text)) {
    for (const entry of risEntries(text)) {
      if (entry === undefined) tooLong()
      else take(ofRis(entry))
    }
    return { papers: [...papers.values()], skipped }
  }

  // Loaded when it is first needed: it is large, and most instances never import a bibliography.
  const { parse } = await import("@retorquere/bibtex-parser")
  for (const piece of text.split(/^(?=[ \t]*@[A-Za-z]+[ \t]*[{(])/m)) {
    if (!piece.trimStart().startsWith("@")) continue
    if (piece.length > limits.bibtexEntry) {
      tooLong()
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
