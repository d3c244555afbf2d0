/** Reads RIS, which is lines of a tag and a value: `TY  - JOUR` begins an entry, `ER  - ` ends it. */
import { limits } from "../../contract/limits.ts"

/** The values of each tag of an entry, in order. */
export type RisEntry = ReadonlyMap<string, readonly string[]>

const LINE = /^([A-Z][A-Z0-9]) {1,3}-(?: (.*))?$/

/** Whether a file is one of RIS: the first line that says anything begins an entry. */
export const isRis = (text: string): boolean => /^\uFEFF?\s*TY {1,3}- ?\S/.test(text.slice(0, 1_000))

/** An entry, and its first line; one that is longer than an entry may be is undefined. */
interface Read {
  readonly entry: RisEntry | undefined
  readonly start: string
}

/** The entries of a file. */
export function* risEntries(text: string): Generator<Read> {
  let entry = new Map<string, string[]>()
  let length = 0
  let start = ""
  let last: string[] | undefined
  const taken = (): Read => {
    const whole = { entry: length > limits.bibtexEntry ? undefined : entry, start }
    entry = new Map()
    length = 0
    start = ""
    last = undefined
    return whole
  }
  for (const line of text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/)) {
    const [, tag, value = ""] = LINE.exec(line) ?? []
    if (tag === "TY" && entry.size > 0) yield taken()
    length += line.length
    if (tag !== undefined && tag !== "TY" && start.length < 200) start += `${value} `
    // Of an entry that is too long no more is kept.
    if (length > limits.bibtexEntry && tag !== "ER") continue
    if (tag === undefined) {
      // Programs break long values into lines.
      if (last !== undefined && line.trim() !== "") last.push(`${last.pop() ?? ""} ${line.trim()}`)
      continue
    }
    if (tag === "ER") {
      if (entry.size > 0) yield taken()
      continue
    }
    last = entry.get(tag) ?? []
    last.push(value.trim())
    entry.set(tag, last)
  }
  if (entry.size > 0) yield taken()
}
