/**
 * Withheld words beside the write that had them: in the rows that it made, and in what is written later. In rows they
 * are hidden at once and without a replay: a value that is one of the texts, and a text within JSON, become its mark. A
 * later correction by a replay settles what was cut, joined or counted from them.
 */
import { createHmac, randomBytes } from "node:crypto"
import type { Db, Value } from "../storage/database.ts"
import { canonicalJson, isObject, type Json } from "../../contract/json.ts"
import { isUuid } from "../../contract/schema/fields.ts"
import type { OperationName } from "../../contract/operations/index.ts"
import { replayedTables } from "../storage/tables.ts"
import { Refusal } from "../../contract/refusals.ts"

// Counts what was withheld from some writes after a later write had used them.

/**
 * SQL that counts the withheld places of the writes about some objects, as far as they were withheld after the write at
 * a position.
 * @param position SQL @param places SQL for a GLOB pattern of paths @param targetIds SQL for a JSON list of ids
 */
export const WITHHELD_SINCE = (position: string, places: string, targetIds: string): string =>
  `(SELECT count(*) FROM withheld_fields wf JOIN journal wj ON wj.position = wf.history_position
     WHERE wf.by_position > ${position} AND wf.path GLOB ${places}
      AND wj.target_id IN (SELECT value FROM json_each(${targetIds})))`

/** The same as a query of its own. */
export function withheldSince(db: Db) {
  const count = db.prepare<{ count: number }>(`SELECT ${WITHHELD_SINCE("+?", "+?", "+?")} AS count`)
  return (position: number, places: string, targetIds: readonly string[]): number =>
    count.one(position, places, JSON.stringify(targetIds)).count
}

/** Finds the objects of Rooms of whose writes parts were withheld. @param places SQL on `wf.path` */
export function hiddenOf(db: Db, places: string): (roomIds: readonly string[]) => ReadonlySet<string> {
  const operation: OperationName = "withhold_content"
  const targets = db.prepare<{ id: string }>(
    `SELECT DISTINCT wj.target_id AS id
     FROM json_each(+?) r
      CROSS JOIN places p ON p.id = r.value
      CROSS JOIN journal h ON h.room = p.place AND h.operation = '${operation}' AND h.room_sequence > 0
      CROSS JOIN withheld_fields wf ON wf.by_position = h.position
      CROSS JOIN journal wj ON wj.position = wf.history_position
     WHERE ${places} AND wj.target_id IS NOT NULL`,
  )
  return (roomIds) => new Set(targets.all(JSON.stringify(roomIds)).map(({ id }) => id))
}

/** A value of the withheld body, and what stands in its place. */
interface Hidden {
  readonly value: Json
  readonly due: Json
}

/** Columns that lead the keys of many rows, of which a write made few. */
const wide: readonly string[] = ["room_id", "thread_id", "user_id"]

/**
 * The columns of the journal that are made from a write. Its body is marked at the named places alone: the same text
 * may stand elsewhere in it, and no replay would bring that back. What the world gave it has its quotations removed.
 */
const madeInJournal: readonly string[] = ["result", "card"]

interface Place {
  readonly table: string
  readonly column: string
  readonly texts: readonly string[]
}

/** The tables whose rows a write is found in: by the id that leads the key, or by its position. */
function placesIn(db: Db): Place[] {
  const columns = db.prepare<{ name: string; type: string }>("SELECT name, type FROM pragma_table_info(+?)")
  const led = db.prepare<{ name: string }>(
    `SELECT (SELECT name FROM pragma_index_info(i.name) WHERE seqno = 0) AS name FROM pragma_index_list(+?) i`,
  )
  return replayedTables(db).flatMap(({ name, key }) => {
    const all = columns.all(name).flatMap((each) => (each.type === "TEXT" ? [each.name] : []))
    const texts = name === "journal" ? madeInJournal : all
    const [first = ""] = key
    const isNarrow = key.length === 1 || !wide.includes(first)
    const positions = name === "journal" ? ["position"] : led.all(name).map((each) => each.name)
    const at = [...(isNarrow && name !== "journal" ? [first] : []), ...positions]
    const by = [...new Set(at)].filter((column) => all.includes(column) || /position$/.test(column))
    return texts.length === 0 ? [] : by.map((column) => ({ table: name, column, texts }))
  })
}

/** Within a transaction without triggers. @param ids what the write made or named */
export function hide(db: Db, position: number, ids: readonly string[], hidden: readonly Hidden[]): void {
  for (const { table, column, texts } of placesIn(db)) {
    const keys: readonly Value[] = /position$/.test(column) ? [position] : ids
    const here = `${column} IN (SELECT value FROM json_each(+?))`
    if (db.prepare(`SELECT 1 FROM ${table} WHERE ${here}`).get(JSON.stringify(keys)) === undefined) continue
    for (const { value, due } of hidden) {
      const [inJson, dueInJson] = [canonicalJson(value), canonicalJson(due)]
      const [whole, dueWhole] = typeof value === "string" ? [value, String(due)] : [inJson, dueInJson]
      const sets = texts.map((each) => `${each} = iif(${each} = +?, +?, replace(${each}, +?, +?))`).join(", ")
      const holds = texts.map((each) => `${each} = +? OR instr(${each}, +?) > 0`).join(" OR ")
      db.prepare(`UPDATE OR IGNORE ${table} SET ${sets} WHERE ${here} AND (${holds})`).run(
        ...texts.flatMap(() => [whole, dueWhole, inJson, dueInJson]),
        JSON.stringify(keys),
        ...texts.flatMap(() => [whole, inJson]),
      )
    }
  }
}

// Finds words of a withheld text in what its owner writes about it, so that a secret is not published again by the
// reason for its removal, or by a message soon after.

/** A word of so many signs with a digit in it, or so many signs in a row, may be a secret. */
const WORD = 8
const RUN = 24
/** How long messages are compared, and with how many words of how many withholdings. */
const HOUR_MS = 3_600_000
const MOST_WORDS = 20_000
const MOST_KEPT = 200

/** The words of a text that may be secrets: long ones with a digit, and runs of many signs. */
const wordsOf = (text: string): string[] =>
  (text.match(/[\p{L}\p{N}_+/.-]{8,}/gu) ?? [])
    .map((word) => word.replace(/^[.-]{1,99}/, "").replace(/(?<![.-])[.-]{1,99}$/, ""))
    .filter((word) => (word.length >= WORD && /\d/.test(word)) || word.length >= RUN)
    .slice(0, MOST_WORDS)

/** The words and runs of withheld texts that a text repeats. */
export function repeatedIn(text: string, withheld: readonly string[]): string[] {
  const lower = text.toLowerCase()
  const runs = new Map<string, number>()
  for (let at = 0; at + RUN <= lower.length; at += 1) runs.set(lower.slice(at, at + RUN), at)
  const found = new Set<string>()
  for (const secret of withheld) {
    const own = secret.toLowerCase()
    for (const word of new Set(wordsOf(own))) if (lower.includes(word)) found.add(word)
    for (let at = 0; found.size === 0 && at + RUN <= own.length; at += 1) {
      const run = own.slice(at, at + RUN)
      if (runs.has(run)) found.add(run.trim())
    }
  }
  return [...found]
}

/** @throws Refusal `invalid_schema` that names the words, unless there are none */
export function mustNotRepeat(path: string, words: readonly string[]): void {
  if (words.length === 0) return
  const named = words.slice(0, 5).map((word) => `“${word.slice(0, 60)}”`)
  const message = `repeats ${named.join(", ")} of what is withheld`
  throw new Refusal("invalid_schema", `The text ${message}. Nothing was stored. Say it in other words.`, {
    issues: [{ path, message }],
  })
}

interface Kept {
  readonly userId: string
  readonly until: number
  /** The key of a withheld place: it is found once the withholding is stored. */
  readonly mark: string
  readonly digests: ReadonlySet<string>
}

export type LatelyWithheld = ReturnType<typeof latelyWithheld>

/**
 * Remembers for an hour, in memory and only by keyed digests, which words a person withheld.
 * @param isWithheld whether the place with this key is withheld
 */
export function latelyWithheld(isWithheld: (mark: string) => boolean) {
  const key = randomBytes(32)
  const digestOf = (word: string) => createHmac("sha256", key).update(word.toLowerCase()).digest("base64url")
  let kept: Kept[] = []
  return {
    note(userId: string, mark: string, texts: readonly string[], at: number): void {
      const digests = new Set(texts.flatMap(wordsOf).map(digestOf))
      kept = [
        ...kept.filter(({ until }) => until > at).slice(1 - MOST_KEPT),
        { userId, mark, digests, until: at + HOUR_MS },
      ]
    },
    /** The words of a text that this person withheld within the last hour. */
    repeatedIn(userId: string, text: string, at: number): string[] {
      const own = kept.filter((each) => each.userId === userId && each.until > at && isWithheld(each.mark))
      return own.length === 0
        ? []
        : [...new Set(wordsOf(text))].filter((word) => own.some(({ digests }) => digests.has(digestOf(word))))
    },
  }
}

// Replaces quotations of withheld texts in the stored parts of a write.

/** Members whose values come from a fixed list and are never people's words. */
const fixed = new Set(["code", "kind", "status", "outcome"])
const isDigest = (text: string): boolean => text.startsWith("sha256:")

/**
 * Applies `change` to people's words in what a write took from the world, but not to ids, digests or words of fixed
 * lists.
 */
export function withWordsChanged(value: Json, change: (text: string) => string): Json {
  const words = (text: string) => (isUuid(text) || isDigest(text) ? text : change(text))
  // A similar record is stored as a row: its kind, id and state first, then its texts.
  if (Array.isArray(value)) {
    const isRow = typeof value[1] === "string" && isUuid(value[1])
    return value.map((each, index) =>
      typeof each !== "string" ? withWordsChanged(each, change) : isRow && index < 3 ? each : words(each),
    )
  }
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => {
      if (typeof held !== "string") return [name, withWordsChanged(held, change)]
      return [name, fixed.has(name) ? held : words(held)]
    }),
  )
}
