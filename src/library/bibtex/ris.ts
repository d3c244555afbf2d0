/** Reads RIS, a format of lines with a tag and a value: `TY  - JOUR` begins an entry, `ER  - ` ends it. */
import { limits } from "../../contract/limits.ts"
import { inDigits } from "../../contract/text.ts"
import type { PaperCollector } from "../papers/found.ts"
import { type Entry, takeEntry } from "./entry.ts"

/** The values of each tag of an entry, in order. */
type RisEntry = ReadonlyMap<string, readonly string[]>

const LINE = /^([A-Z][A-Z0-9]) {1,3}-(?: (.*))?$/

/** Whether a text is a RIS file: its first line that is not blank begins an entry. */
export const isRis = (text: string): boolean => /^\uFEFF?\s*TY {1,3}- ?\S/.test(text.slice(0, 1_000))

/**
 * Yields the entries of a file, with the start of the text of each for messages. An entry that is too long is
 * undefined.
 */
export function* risEntries(text: string) {
  let entry = new Map<string, string[]>()
  let length = 0
  let start = ""
  let last: string[] | undefined
  const finish = () => {
    const finished: { entry: RisEntry | undefined; start: string } = {
      entry: length > limits.bibtexEntry ? undefined : entry,
      start,
    }
    entry = new Map()
    length = 0
    start = ""
    last = undefined
    return finished
  }
  for (const line of text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/)) {
    const [, tag, value = ""] = LINE.exec(line) ?? []
    if (tag === "TY" && entry.size > 0) yield finish()
    length += line.length
    if (tag !== undefined && tag !== "TY" && start.length < 200) start += `${value} `
    // The rest of an entry that is too long is skipped.
    if (length > limits.bibtexEntry && tag !== "ER") continue
    if (tag === undefined) {
      // Some programs wrap long values.
      if (last !== undefined && line.trim() !== "") last.push(`${last.pop() ?? ""} ${line.trim()}`)
      continue
    }
    if (tag === "ER") {
      if (entry.size > 0) yield finish()
      continue
    }
    last = entry.getOrInsertComputed(tag, () => [])
    last.push(value.trim())
  }
  if (entry.size > 0) yield finish()
}

/** Converts a RIS entry to the fields of a BibTeX entry. */
function entryOf(entry: RisEntry): Entry {
  const one = (...tags: readonly string[]) => tags.flatMap((tag) => entry.get(tag) ?? []).find((value) => value !== "")
  const all = (...tags: readonly string[]) => tags.flatMap((tag) => entry.get(tag) ?? []).join(" ")
  const [, year, , month, , day] = /^(\d{4})(\/(\d{1,2})(\/(\d{1,2}))?)?/.exec(one("DA", "PY", "Y1") ?? "") ?? []
  const date = [year, month?.padStart(2, "0"), day?.padStart(2, "0")].filter((part) => part !== undefined).join("-")
  const author = ["AU", "A1"]
    .flatMap((tag) => entry.get(tag) ?? [])
    .map((name) => ({ name: name.split(/,\s*/).slice(0, 2).reverse().join(" ") }))
  const [first, last] = [one("SP"), one("EP")]
  const number = one("SN") ?? ""
  const type = one("TY") ?? ""
  return {
    type,
    key: one("ID") ?? "",
    text: [type, one("TI", "T1"), one("UR")].filter((part) => part !== undefined).join(" "),
    fields: {
      title: one("TI", "T1"),
      author,
      ...(date !== "" && { date }),
      doi: one("DO"),
      // SN also holds the ISSN of a journal, which is shorter.
      ...(number.replace(/[^0-9X]/gi, "").length >= 10 && { isbn: number }),
      url: all("UR", "L1", "L2", "LK"),
      journal: one("JO", "JF", "T2", "JA") ?? one("PB"),
      volume: one("VL"),
      number: one("IS", "M1"),
      pages: last === undefined || last === first ? first : `${first}–${last}`,
      note: all("N1", "AN", "C1", "M3", "PB"),
      paperid: one("C8"),
    },
  }
}

export function readRis(text: string, collector: PaperCollector): void {
  for (const { entry, start } of risEntries(text)) {
    if (entry === undefined) collector.addUnreadable(start, `is longer than ${inDigits(limits.bibtexEntry)} characters`)
    else takeEntry(entryOf(entry), collector)
  }
}
