/**
 * Withheld content: the places of each write that were withheld, and by which later write. The words themselves are
 * gone: marks replace them in the journal and in every table derived from it
 * (src/contract/nouns/withholding.ts).
 */
import type { Withholding } from "../../contract/answers/fields.ts"
import {
  canonicalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  textsIn,
  trusted,
  valueAt,
} from "../../contract/json.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import { recordedOperation } from "../../contract/operations/index.ts"
import {
  isWithholdable,
  markBegins,
  markedAs,
  marked,
  markKey,
  markOf,
  marksIn,
  placesOf,
  withholdable,
} from "../../contract/nouns/withholding.ts"
import { UUID } from "../../contract/schema/fields.ts"
import { type Db, fileOf } from "../storage/database.ts"
import { inserting } from "../storage/inserting.ts"
import { cleaningWaitsFor } from "../storage/litestream-files.ts"
import { isUnclean } from "../storage/clearing.ts"
import { bodyOf, requestDigestOf } from "./delivery.ts"
import { type Entry, journal } from "./journal.ts"
import type { Given } from "../world.ts"
import { idOf, placeOf, type Target, TARGET, targetText, unpackedDigest } from "./columns.ts"
import { hide, latelyWithheld } from "./withheld-words.ts"
import { withWordsChanged } from "./withheld-words.ts"

/** A write of a Room, named by its entry, its record or its sequence. */
export type NamedWrite = { readonly entryId: string } | { readonly versionId: string } | { readonly sequence: number }

/** A write that is part of a Room's activity. */
export interface StandingWrite {
  readonly position: number
  readonly sequence: number
  readonly threadId: string | null
  readonly contentDigest: string
  readonly target: { readonly kind: string; readonly id: string; readonly label: string | null }
}

/** The same as its row has it. */
interface Standing extends Target, Pick<StandingWrite, "position" | "sequence" | "threadId"> {
  readonly contentDigest: Buffer
}

/** A shorter text is not secret enough to be removed from warnings. */
const QUOTED = 6
/** A quotation may be cut short, so only the beginning of a text is searched for. */
const LONGEST = 60
/** How many texts one scan of the journal searches for, in how many entries, and the milliseconds of some scans. */
const AT_ONCE = 100
const AT_A_TIME = 100
const SCANS_MS = 20

/** Runs work in which accepted writes may change. */
export type Freely = (work: () => void) => void

export type Withheld = ReturnType<typeof withheld>

export function withheld(db: Db) {
  const kept = journal(db)
  const STANDING = `SELECT j.position, j.room_sequence AS sequence, ${idOf("j.thread")} AS threadId,
      j.content_digest AS contentDigest, ${TARGET}
    FROM journal j
    LEFT JOIN timeline_entries e ON e.thread = j.thread AND e.sequence = j.entry_sequence
    WHERE j.room = ${placeOf("+?")} AND`
  const bySequence = db.prepare<Standing>(`${STANDING} j.room_sequence = +?`)
  const ofEntry = db.prepare<Standing>(
    `${STANDING} j.room_sequence IS NOT NULL AND j.position = (SELECT n.history_position
      FROM timeline_entries n
      WHERE n.entry_id = +?)`,
  )
  const ofRecord = db.prepare<Standing>(
    `${STANDING} j.room_sequence IS NOT NULL AND j.position = (SELECT n.history_position
      FROM records n
      WHERE n.version_id = +?)`,
  )
  const ofPosition = db.prepare<Standing>(`${STANDING} j.room_sequence IS NOT NULL AND j.position = +?`)
  const isNoted = db.prepare("SELECT 1 FROM withheld_writes WHERE history_position = +?")
  // A write has its own entry, and at most a few right after it.
  const entriesOf = db.prepare<{ entryId: string }>(
    `SELECT e.entry_id AS entryId FROM journal j JOIN timeline_entries e ON e.thread = j.thread
       AND e.sequence BETWEEN j.entry_sequence AND j.entry_sequence + 9 AND e.history_position = j.position
     WHERE j.position = +?`,
  )
  const shrink = db.prepare(
    `UPDATE room_heads SET accepted_bytes = accepted_bytes + +?
     WHERE room_id = (SELECT ${idOf("j.room")} FROM journal j WHERE j.position = +?)`,
  )
  const note = inserting(db, "withheld_fields")
  const quote = inserting(db, "withheld_quotes")
  const nextQuote = db.prepare<{ position: number | null }>(
    "SELECT min(next_position) AS position FROM withheld_quotes",
  )
  const quotesLeft = db.prepare<{ quote: number; text: string; mark: string }>(
    `SELECT quote, text, mark FROM withheld_quotes WHERE next_position = +? ORDER BY quote LIMIT ${AT_ONCE}`,
  )
  const quoting = db.prepare<{ position: number }>(
    `SELECT position FROM journal WHERE position BETWEEN +? AND +? AND given IS NOT NULL
       AND EXISTS (SELECT 1 FROM json_each(+?) WHERE instr(given, value) > 0)`,
  )
  const moveQuote = db.prepare("UPDATE withheld_quotes SET next_position = +? WHERE quote = +?")
  const dropQuote = db.prepare("DELETE FROM withheld_quotes WHERE quote = +?")
  const find = db.prepare<{
    at: string
    userId: string
    username: string
    reason: Withholding["reason"]
    userIdHere: string
  }>(
    `SELECT h.at, w.user_id AS userId, w.username, h.content ->> '$.reason' AS reason, w.person_id AS userIdHere
     FROM withheld_fields f
      JOIN journal h ON h.position = f.by_position
      JOIN writers w ON w.writer = h.writer
      WHERE f.mark = +?`,
  )
  const noted = db.prepare<{ position: number }>(
    "SELECT history_position AS position FROM withheld_writes ORDER BY history_position",
  )
  const withholdings = db.prepare<{ position: number }>(
    `SELECT position
      FROM journal
      WHERE room = ${placeOf("+?")} AND operation = 'withhold_content' AND room_sequence > 0`,
  )
  const withheldBy = db.prepare<{ position: number }>(
    `SELECT DISTINCT f.history_position AS position
      FROM withheld_fields f
      JOIN journal h ON h.position = f.history_position
     WHERE f.by_position IN (SELECT value FROM json_each(+?)) AND instr(h.content, +?) > 0 ORDER BY 1`,
  )
  const any = db.prepare<{ count: number }>("SELECT count(*) AS count FROM withheld_fields")

  /**
   * Notes texts whose quotations are to be removed from what this write and later ones took from the world: warnings
   * and similar records. Removes those of the next entries at once.
   */
  function unquote(texts: readonly string[], from: number, mark: string): void {
    const quotable = new Set(texts.filter(({ length }) => length >= QUOTED))
    for (const text of quotable) quote({ text, mark, nextPosition: from })
    if (quotable.size > 0) unquoteNext(from, (work) => work())
  }

  /** The beginning of a text as JSON has it, without a part of an escape. */
  const beginningOf = (text: string): string =>
    JSON.stringify(text)
      .slice(1, -1)
      .slice(0, LONGEST)
      .replace(/\\(?:u[0-9a-f]{0,3})?$/, "")

  /**
   * Removes quotations from the next entries, for some milliseconds.
   * @param freely runs work in which accepted writes may change
   */
  function unquoteNext(from: number, freely: Freely): void {
    const until = performance.now() + SCANS_MS
    const quotes = quotesLeft.all(from)
    const beginnings = JSON.stringify(quotes.map(({ text }) => beginningOf(text)))
    const last = kept.count()
    const found: number[] = []
    let next = from
    do {
      found.push(...quoting.all(next, next + AT_A_TIME - 1, beginnings).map(({ position }) => position))
      next += AT_A_TIME
    } while (next <= last && found.length === 0 && performance.now() < until)
    if (found.length > 0) freely(() => removeQuotes(found, quotes))
    for (const { quote: id } of quotes)
      if (next > last) dropQuote.run(id)
      else moveQuote.run(next, id)
  }

  function removeQuotes(positions: readonly number[], quotes: readonly { text: string; mark: string }[]): void {
    const patterns = quotes.map(({ text, mark }) => {
      const start = text.slice(0, LONGEST)
      const more = text.length > start.length ? "[^]*" : ""
      return { mark, pattern: new RegExp(`${start.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}${more}`, "g") }
    })
    for (const position of positions) {
      const entry = kept.at(position)
      if (entry === undefined) continue
      const given = withWordsChanged(trusted<Json>(JSON.stringify(entry.given)), (text) =>
        patterns.reduce((left, { pattern, mark }) => left.replaceAll(pattern, mark), text),
      )
      const changed = JSON.stringify(given)
      if (changed === JSON.stringify(entry.given)) continue
      if (entry.keptDigests === undefined) kept.keepDigest(position, requestDigestAt(entry))
      kept.rewrite(position, { ...entry, given: trusted<Given>(changed) })
    }
  }

  function requestDigestAt(entry: Entry): string {
    const operation = recordedOperation(entry.operation)
    return operation === undefined ? "" : requestDigestOf(operation, entry.params, entry.content)
  }

  /** The operation and body of a write; undefined if nothing of it can be withheld. */
  function withholdableAt(position: number): { operation: Operation; body: JsonObject } | undefined {
    const entry = kept.at(position)
    const operation = entry && recordedOperation(entry.operation)
    return entry && operation && isWithholdable(operation)
      ? { operation, body: bodyOf(entry.content, entry.client) }
      : undefined
  }

  const lately = latelyWithheld((mark) => find.get(mark) !== undefined)

  return {
    /** The words that people withheld within the last hour. */
    lately: { repeatedIn: lately.repeatedIn },

    /** Remembers for an hour what a person withholds. */
    remember(
      userId: string,
      { contentDigest }: StandingWrite,
      [first]: readonly string[],
      texts: readonly string[],
      at: number,
    ): void {
      if (first !== undefined) lately.note(userId, markKey(contentDigest, first), texts, at)
    },

    /** Finds a write of a Room; undefined if there is none. */
    write(roomId: string, named: NamedWrite): StandingWrite | undefined {
      const row =
        "sequence" in named
          ? bySequence.get(roomId, named.sequence)
          : "entryId" in named
            ? ofEntry.get(roomId, named.entryId)
            : ofRecord.get(roomId, named.versionId)
      if (row === undefined) return undefined
      const { position, sequence, threadId, contentDigest } = row
      return {
        position,
        sequence,
        threadId,
        contentDigest: unpackedDigest(contentDigest),
        target: trusted(targetText(row)),
      }
    },

    /** Returns the index of the first path that names nothing withholdable in a write; undefined if every path does. */
    nowhere(position: number, paths: readonly string[]): number | undefined {
      const write = withholdableAt(position)
      if (write === undefined) return 0
      const index = placesOf(write.operation, write.body, paths).indexOf(null)
      return index < 0 ? undefined : index
    },

    /** Returns every place of a write that can be withheld, with its text. */
    passages({ position, contentDigest }: StandingWrite): { place: string; text: string; isWithheld: boolean }[] {
      const write = withholdableAt(position)
      if (write === undefined) return []
      return withholdable(write.operation, write.body).map((place) => {
        const value = valueAt(write.body, place)
        const isWithheld = find.get(markKey(contentDigest, place)) !== undefined
        return { place, text: typeof value === "string" ? value : JSON.stringify(value), isWithheld }
      })
    },

    /** Resolves paths to the places of a write that are not withheld yet. */
    places({ position, contentDigest }: StandingWrite, paths: readonly string[]): string[] {
      const write = withholdableAt(position)
      if (write === undefined) return []
      const all = new Set(placesOf(write.operation, write.body, paths, true).flatMap((found) => found ?? []))
      return [...all].filter((place) => find.get(markKey(contentDigest, place)) === undefined)
    },

    /** Returns the places that still hold text. A write that arrived withheld, or that is replayed, has none. */
    standing({ position }: StandingWrite, places: readonly string[]): string[] {
      const entry = kept.at(position)
      const body = entry === undefined ? {} : bodyOf(entry.content, entry.client)
      return places.filter((place) => {
        const value = valueAt(body, place)
        return value !== undefined && markedAs(value) === undefined
      })
    },

    texts({ position }: StandingWrite, places: readonly string[]): string[] {
      const entry = kept.at(position)
      const body = entry === undefined ? {} : bodyOf(entry.content, entry.client)
      return places.flatMap((place) => textsIn(valueAt(body, place)))
    },

    /**
     * Replaces places of a write, all of which hold text, with marks, and keeps the digest that a retry must match.
     * Within a transaction in which accepted writes may change.
     * @returns the texts that were there
     */
    replace({ position, contentDigest, target }: StandingWrite, places: readonly string[]): string[] {
      const entry = kept.at(position)
      const [first] = places
      if (entry === undefined || first === undefined) return []
      const body = bodyOf(entry.content, entry.client)
      if (isNoted.get(position) === undefined) kept.keepDigest(position, requestDigestAt(entry))
      const due = marked(body, contentDigest, places)
      const { client, ...rest } = due
      const content = canonicalJson(rest)
      shrink.run(Buffer.byteLength(content) - Buffer.byteLength(entry.content), position)
      kept.rewrite(position, {
        content,
        client: isJsonObject(client) ? client : undefined,
        given: entry.given,
      })
      const ids = [...(entry.given.ids ?? []), target.id]
      const values = places.flatMap((place) => {
        const [value, now] = [valueAt(body, place), valueAt(due, place)]
        return value === undefined || now === undefined ? [] : [{ value, due: now }]
      })
      hide(db, position, ids, values)
      const texts = places.flatMap((place) => textsIn(valueAt(body, place)))
      unquote(texts, position, markOf(markKey(contentDigest, first)))
      return texts
    },

    /** The ids of what a write made, is about, or names in its path or at the top of its body. */
    idsOf({ position, target }: StandingWrite): string[] {
      const entry = kept.at(position)
      const entries = entriesOf.all(position).map(({ entryId }) => entryId)
      // What it says may be found with an object that only its body names: the work that it claims.
      const body = entry === undefined ? {} : bodyOf(entry.content, undefined)
      const named = Object.values(body).flatMap((each) => (typeof each === "string" && UUID.test(each) ? [each] : []))
      return [...(entry?.given.ids ?? []), ...entries, target.id, ...Object.values(entry?.params ?? {}), ...named]
    },

    /** Records which write withholds places of another write. */
    note({ position, contentDigest }: StandingWrite, places: readonly string[], byPosition: number): void {
      for (const place of places)
        note({ mark: markKey(contentDigest, place), historyPosition: position, path: place, byPosition })
    },

    /** Returns when, by whom and why a place was withheld; undefined if this instance does not know. */
    of(key: string): Withholding | undefined {
      const row = find.get(key)
      return row && { at: row.at, by: { userId: row.userId, username: row.username }, reason: row.reason }
    },
    /** Returns the id here of the person who withheld it, which may differ for people of another instance. */
    personHere: (key: string): string | undefined => find.get(key)?.userIdHere,
    /**
     * Finds the first write of a Room that arrived with withheld places that no write withholds.
     * @returns its sequence; undefined if every such place is explained
     */
    unexplained(roomId: string): number | undefined {
      for (const { position } of noted.all()) {
        const entry = kept.at(position)
        const keys = entry === undefined ? [] : marksIn(`${entry.content}${JSON.stringify(entry.client ?? null)}`)
        const isOpen = keys.some((key) => find.get(key) === undefined)
        const at = isOpen ? ofPosition.get(roomId, position) : undefined
        if (at !== undefined) return at.sequence
      }
      return undefined
    },
    /**
     * Returns the entries of a Room whose bodies cannot be verified: the digest covers the whole body, and parts of it
     * were withheld.
     */
    unproved(roomId: string): number[] {
      const by = withholdings.all(roomId).map(({ position }) => position)
      if (by.length === 0) return []
      return withheldBy
        .all(JSON.stringify(by), markBegins)
        .flatMap(({ position }) => ofPosition.get(roomId, position)?.sequence ?? [])
    },
    /**
     * Removes quotations of withheld texts from more entries, within a transaction. @returns whether there are more
     * @param freely runs work in which accepted writes may change
     */
    unquote(freely: Freely): boolean {
      const { position } = nextQuote.one()
      if (position !== null) unquoteNext(position, freely)
      return position !== null
    },
    /** Whether the files of the data no longer hold anything that was withheld. */
    isCleaned: (): boolean => !isUnclean(db),
    /** A sentence on what the rest of the cleaning waits for; empty if it is under way. */
    waitsFor: (): string => cleaningWaitsFor(fileOf(db)),
    /** Counts the withheld places. */
    count: (): number => any.get()?.count ?? 0,
  }
}
