/**
 * The words of an item: every text of the write that made it, or that says something of it, but for its title. Ids, times and words of a
 * fixed list are left out by name (test/research/added/search-fields.test.ts holds them against the schemas). Objects of any shape are kept
 * as JSON, for their names; a text in them whose JSON differs from it stands beside. It is worked out here because SQLite takes ten times as long.
 */
import { isObject, type Json, parse, type Stored } from "../../contract/json.ts"

export interface Wording {
  readonly kind: string
  /** What the item is called. */
  readonly line: string | null
  /** What was accepted; null where no write has more of its words. */
  readonly content: Stored<Json> | null
}

/** Items whose words begin with what they are called. */
const called: ReadonlySet<string> = new Set(["message", "link", "finding_link", "checkpoint", "attempt"])
/** Members that hold a word of a fixed list, or a time. */
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
const ID = /^.{8}-.{4}-.{4}-.{4}-.{12}$/su

/** Around a value: lists of references, or an object of any shape. */
interface Place {
  readonly isConfiguration: boolean
  readonly isAnyShape: boolean
  readonly isReferences: boolean
}
const ROOT: Place = { isConfiguration: false, isAnyShape: false, isReferences: false }
/** @param name of the member whose value it is; null in a list */
const inside = (name: string | null, place: Place): Place =>
  name === "configuration" || name === "environment" || name === "references"
    ? {
        isConfiguration: place.isConfiguration || name === "configuration",
        isAnyShape: place.isAnyShape || name !== "references",
        isReferences: place.isReferences || name === "references",
      }
    : place

function isWorded(text: string, name: string | null, place: Place): boolean {
  if (place.isAnyShape && JSON.stringify(text) === `"${text}"`) return false
  if (name === null) return !ID.test(text)
  if (listed.has(name)) return place.isConfiguration
  if (name === "purpose" && place.isReferences) return false
  return !(name.endsWith("Id") && ID.test(text))
}

/** The words of an item, text by text; null where there are none. */
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
  gather(parse(content), null, ROOT)
  return texts.length === 0 ? null : texts.join("\n")
}
