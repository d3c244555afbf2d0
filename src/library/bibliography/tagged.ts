/**
 * Reads the formats of lines with a tag and a value: RIS (`TY  - JOUR`), PubMed's export (`PMID- 123`) and EndNote's
 * (`%0 Journal Article`).
 */
import { limits } from "../../contract/limits.ts"
import { inDigits } from "../../contract/text.ts"
import type { Format, PaperCollector } from "../papers/found.ts"
import { type CslName, firstDate, nameOf } from "../papers/csl.ts"
import { type Entry, takeEntry } from "./taking.ts"
import { plain } from "../papers/record.ts"

/** The values of each tag of an entry, in order. */
type Tagged = ReadonlyMap<string, readonly string[]>

interface TaggedFormat {
  readonly format: Format
  /**
   * The tag that begins an entry. Whatever stands before the first one is the head of the file. Without one, an empty
   * line ends an entry.
   */
  readonly first?: string
  /** The tag that ends an entry, if the format has one. */
  readonly last?: string
  readonly line: RegExp
  entryOf(read: ReaderOf): Omit<Entry, "source">
}

/** Reads the tags of one entry. */
interface ReaderOf {
  /** The first of these tags that has a text. */
  one(...tags: readonly string[]): string | undefined
  all(...tags: readonly string[]): readonly string[]
}

const readerOf = (entry: Tagged): ReaderOf => ({
  one: (...tags) => tags.flatMap((tag) => entry.get(tag) ?? []).find((value) => value !== ""),
  all: (...tags) => tags.flatMap((tag) => entry.get(tag) ?? []).filter((value) => value !== ""),
})

/** Reads names. Some programs write several in one line: `Lee, Ann; Diaz, Bo`. */
const named = (names: readonly string[]): CslName[] =>
  names.flatMap((line) =>
    plain(line)
      .split(";")
      .flatMap((name) => (name.trim() === "" ? [] : [nameOf(name.trim())])),
  )

/** Families of types: what matters is what holds the work, and whether an ISBN names the whole of it. */
const risTypes: Readonly<Record<string, string>> = {
  JOUR: "article-journal",
  MGZN: "article-magazine",
  NEWS: "article-newspaper",
  EJOUR: "article-journal",
  BOOK: "book",
  EBOOK: "book",
  EDBOOK: "book",
  CONF: "book",
  CHAP: "chapter",
  ECHAP: "chapter",
  CPAPER: "paper-conference",
  THES: "thesis",
  RPRT: "report",
  UNPB: "article",
  ELEC: "webpage",
  DATA: "dataset",
}

const ris: TaggedFormat = {
  format: "ris",
  first: "TY",
  last: "ER",
  line: /^[\s"]{0,20}([A-Z][A-Z0-9]) {1,3}-(?:[ \t](.*))?$/s,
  entryOf({ one, all }) {
    const type = risTypes[one("TY")?.toUpperCase() ?? ""] ?? ""
    const [first, last] = [one("SP"), one("EP")]
    return {
      type,
      key: one("ID") ?? "",
      title: one("TI", "T1", ...(type === "book" ? ["BT", "T2"] : []), "CT"),
      authors: named(all("AU", "A1")),
      issued: firstDate(all("DA", "PY", "Y1").map(risDate)),
      container: one("JO", "JF", "T2", "BT", "JA", "J2"),
      publisher: one("PB"),
      volume: one("VL"),
      issue: one("IS", "M1"),
      pages: last === undefined || last === first ? first : `${first ?? ""}–${last}`,
      url: all("UR", "LK", "L1", "L2")
        .flatMap((value) => value.split(/[;\s]+/))
        .find((each) => /^https?:/i.test(each)),
      dois: all("DO"),
      // SN also holds the ISSN of a journal, which is shorter.
      isbns: all("SN", "BN").filter((number) => number.replace(/[^0-9X]/gi, "").length >= 10),
      arxivIds: [],
      places: all("UR", "L1", "L2", "L3", "LK", "M3", "N1", "AN", "C1", "C7", "M1", "PB", "JO", "VL"),
      reference: one("C8"),
    }
  },
}

/** RIS writes `2015/04/01/text`. What follows the day are words such as a season. */
function risDate(text: string): string {
  const [year = "", month = "", day = "", words = ""] = text.split("/").map((part) => part.trim())
  if (!/^\d{4}$/.test(year)) return text
  if (/^\d{1,2}$/.test(month)) return [year, month, ...(/^\d{1,2}$/.test(day) ? [day] : [])].join("-")
  return words === "" ? [year, month].filter((part) => part !== "").join(" ") : `${words} ${year}`
}

const pubmed: TaggedFormat = {
  format: "pubmed",
  first: "PMID",
  line: /^([A-Z]{2,4}) {0,2}- (.*)$/s,
  entryOf({ one, all }) {
    const ids = all("LID", "AID")
    const marked = (mark: string) =>
      ids.filter((id) => id.endsWith(`[${mark}]`)).map((id) => id.slice(0, -mark.length - 2).trim())
    const authors = all("FAU").length > 0 ? all("FAU") : all("AU")
    return {
      type: all("PT").some((type) => /^book/i.test(type)) ? "book" : "article-journal",
      key: "",
      title: one("TI", "BTI")?.replace(/(?<=[^.])\.$/, ""),
      // PubMed names groups apart, and writes initials without a comma: `Berg L`.
      authors: [
        ...named(authors.map((name) => (name.includes(",") ? name : name.replace(/ (?=[A-Z]{1,3}$)/, ", ")))),
        ...all("CN").map((literal) => ({ literal: plain(literal) })),
      ],
      issued: firstDate(all("DP", "DEP")),
      container: one("JT", "TA", "BTI"),
      publisher: one("PB"),
      volume: one("VI"),
      issue: one("IP"),
      pages: one("PG"),
      dois: marked("doi"),
      isbns: all("ISBN").map((isbn) => isbn.split("(", 1)[0]?.trim() ?? ""),
      arxivIds: [],
      places: all("SO"),
    }
  },
}

export const endnoteTypes: Readonly<Record<string, string>> = {
  "journal article": "article-journal",
  book: "book",
  "edited book": "book",
  "book section": "chapter",
  "conference paper": "paper-conference",
  "conference proceedings": "paper-conference",
  thesis: "thesis",
  report: "report",
  "web page": "webpage",
}

const endnote: TaggedFormat = {
  format: "endnote",
  first: "%0",
  line: /^(%[A-Z0-9@!#$&~^<>()[\]+?|*])(?:[ \t](.*))?$/s,
  entryOf({ one, all }) {
    const type = endnoteTypes[one("%0")?.toLowerCase() ?? ""] ?? ""
    return {
      type,
      key: one("%F") ?? "",
      title: one("%T"),
      authors: named(all("%A")),
      issued: firstDate([one("%8") === undefined ? undefined : `${one("%8")} ${one("%D") ?? ""}`, one("%D")]),
      container: one("%J", "%B"),
      publisher: one("%I"),
      volume: one("%V"),
      issue: one("%N"),
      pages: one("%P"),
      url: one("%U"),
      dois: all("%R"),
      isbns: type === "book" || type === "chapter" ? all("%@") : [],
      arxivIds: [],
      places: all("%U", "%M", "%Z", "%1"),
    }
  },
}

/** ERIC exports PubMed's format without PubMed's ids. */
const eric: TaggedFormat = { ...pubmed, first: "OWN" }

/** Refer, the older form of EndNote's, does not say the type. */
const { first: _, ...refer } = endnote
const isRefer = (text: string): boolean =>
  /^\s{0,20}%[A-Z]/.test(text) && /^%T[ \t]+\S/m.test(text) && /^%[ABDIJ][ \t]+\S/m.test(text)

/** The format that a text is in, by the lines that begin its entries; undefined if it is in none of these. */
export const taggedFormat = (text: string): TaggedFormat | undefined =>
  /^[\s"\uFEFF]{0,20}TY {1,3}- ?\S/m.test(text)
    ? ris
    : /^\uFEFF?PMID ?- {0,2}\d/m.test(text)
      ? pubmed
      : /^\uFEFF?OWN ?- {0,2}[A-Z]/m.test(text)
        ? eric
        : /^\uFEFF?%0[ \t]+\S/m.test(text)
          ? endnote
          : isRefer(text)
            ? refer
            : undefined

/**
 * Yields the entries of a file, with the start of the text of each for messages. An entry that is too long is
 * undefined.
 */
export function* taggedEntries(text: string, { first, last, line }: TaggedFormat) {
  let entry = new Map<string, string[]>()
  let length = 0
  let source = ""
  let newest: string[] | undefined
  const finish = () => {
    const finished: { entry: Tagged | undefined; source: string } = {
      entry: length > limits.bibtexEntry ? undefined : entry,
      source,
    }
    entry = new Map()
    length = 0
    source = ""
    newest = undefined
    return finished
  }
  for (const each of text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/)) {
    const [, tag, written = ""] = each.length > limits.bibtexEntry ? [] : (line.exec(each) ?? [])
    // A whole line may stand in quotes.
    const value = (/^\s*"/.test(each) ? written.replace(/"\s*$/, "") : written).trim()
    const begins = first === undefined ? tag !== undefined && entry.size === 0 : tag === first
    if (entry.size > 0 && (begins || (first === undefined && each.trim() === ""))) yield finish()
    // The head of a file is no entry.
    if (entry.size === 0 && !begins) continue
    length += each.length
    if (tag !== undefined && (first === undefined || !begins) && source.length < 200) source += `${value} `
    // The rest of an entry that is too long is skipped.
    if (length > limits.bibtexEntry && tag !== last) continue
    if (tag === undefined) {
      // Programs wrap long values.
      if (newest !== undefined && each.trim() !== "") newest.push(`${newest.pop() ?? ""} ${each.trim()}`)
      continue
    }
    if (tag === last) {
      yield finish()
      continue
    }
    newest = entry.getOrInsertComputed(tag, () => [])
    newest.push(value)
  }
  if (entry.size > 0) yield finish()
}

/** Reads a whole file. */
export function readTagged(text: string, format: TaggedFormat, collector: PaperCollector): void {
  for (const { entry, source } of taggedEntries(text, format)) {
    if (entry === undefined)
      collector.addUnreadable(source, `is longer than ${inDigits(limits.bibtexEntry)} characters`)
    else takeEntry({ ...format.entryOf(readerOf(entry)), source }, format.format, collector)
  }
}
