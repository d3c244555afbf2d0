/** Reads RIS, a format of lines with a tag and a value: `TY  - JOUR` begins an entry, `ER  - ` ends it. */
import { limits } from "../../contract/limits.ts"

/** The values of each tag of an entry, in order. */
export type RisEntry = ReadonlyMap<string, readonly string[]>

const LINE = /^([A-Z][A-Z0-9]) {1,3}-(?: (.*))?$/

/** Whether a text is a RIS file: its first line that is not blank begins an entry. */
export const isRis = (text: string): boolean => /^\uFEFF?\s*TY {1,3}- ?\S/.test(text.slice(0, 1_000))

/** An entry, and the start of its text for messages. */
interface ParsedEntry {
  /** Undefined if the entry is too long. */
  readonly entry: RisEntry | undefined
  readonly start: string
}

/** Yields the entries of a file. */
export function* risEntries(text: string): Generator<ParsedEntry> {
  let entry = new Map<string, string[]>()
  let length = 0
  let start = ""
  let last: string[] | undefined
  const finish = (): ParsedEntry => {
    const finished = { entry: length > limits.bibtexEntry ? undefined : entry, start }
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
    last = entry.get(tag) ?? []
    last.push(value.trim())
    entry.set(tag, last)
  }
  if (entry.size > 0) yield finish()
}
