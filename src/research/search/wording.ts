/**
 * The words of an item: every text of the write that made it or describes it, except its title. Ids, times and
 * enumerated words are left out by name (test/research/added/search-fields.test.ts checks these names against the
 * schemas). Objects of any shape are kept as JSON, for their member names; a text in them is added if its JSON is
 * escaped. SQLite would take ten times as long to compute this.
 */
import { isObject, type Json, parse, type Stored } from "../../contract/json.ts"

export interface Wording {
  readonly kind: string
  /** The title or label of the item. */
  readonly line: string | null
  /** The accepted content; null if it has no more words. */
  readonly content: Stored<Json> | null
}

/** Kinds of items whose words also include their title or label. */
const called: ReadonlySet<string> = new Set(["message", "link", "finding_link", "checkpoint", "attempt"])
/** Members that hold an enumerated word or a time. */
const listed: ReadonlySet<string> = new Set([
  "kind",
  "type",
  "intent",
  "outcome",
  "verdict",
  "state",
  "status",
  "event",
  "expectedStatus",
  "reportedAt",
])
const ofAnyShape: ReadonlySet<string> = new Set(["configuration", "environment"])
const REFERENCES = "references"
const ID = /^.{8}-.{4}-.{4}-.{4}-.{12}$/su

/** The lists of references and objects of any shape that a value is in, by the names of their members. */
type Place = readonly string[]
/** @param name the name of the member that has the value; null in an array */
const inside = (name: string | null, place: Place): Place =>
  name !== null && (name === REFERENCES || ofAnyShape.has(name)) ? [...place, name] : place

function isWorded(text: string, name: string | null, place: Place): boolean {
  if (place.some((each) => each !== REFERENCES) && JSON.stringify(text) === `"${text}"`) return false
  if (name === null) return !ID.test(text)
  if (listed.has(name)) return place.includes("configuration")
  if (name === "purpose" && place.includes(REFERENCES)) return false
  return !(name.endsWith("Id") && ID.test(text))
}

/** Returns the words of an item, a line for each text; null if there are none. */
export function wordsOf({ kind, line, content }: Wording): string | null {
  if (content === null) return null
  const texts: string[] = []
  const isCalled = called.has(kind)
  function gather(value: Json, name: string | null, place: Place): void {
    if (typeof value === "string") {
      const isTitle = isCalled ? kind === "message" && name === "title" : value === line
      if (!isTitle && isWorded(value, name, place)) texts.push(value)
    } else if (Array.isArray(value)) for (const item of value) gather(item, null, inside(name, place))
    else if (isObject(value)) {
      const members = Object.keys(value)
      const within = inside(name, place)
      if (name !== null && ofAnyShape.has(name) && members.length > 0) texts.push(JSON.stringify(value))
      for (const member of members) gather(value[member] ?? null, member, within)
    }
  }
  gather(parse(content), null, [])
  return texts.length === 0 ? null : texts.join("\n")
}
