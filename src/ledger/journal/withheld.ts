/**
 * What was withheld: of which writes, in which places, by which later write. The words themselves are nowhere any more: marks
 * stand for them in the journal, and in every table made from it (src/contract/definitions/withheld-text.ts).
 */
import type { Withholding } from "../../contract/answers/fields.ts"
import { canonicalJson, isJsonObject, type Json, type JsonObject, trusted } from "../../contract/json.ts"
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
  valueAt,
  withholdable,
} from "../../contract/definitions/withheld-text.ts"
import type { Db } from "../storage/database.ts"
import { inserting } from "../storage/inserting.ts"
import { requestDigestOf } from "./delivery.ts"
import { type Entry, type Given, journal } from "./journal.ts"
import { idOf, placeOf } from "./keys.ts"
import { unpackedDigest } from "./packed.ts"
import { type Target, TARGET, targetText } from "./target.ts"
import { textsIn, withWordsChanged } from "./words-in.ts"

/** A write of a Room, by what somebody names it by. */
export type NamedWrite = { readonly entryId: string } | { readonly versionId: string } | { readonly sequence: number }

/** A write that stands in a Room's activity. */
export interface StandingWrite {
  readonly position: number
  readonly sequence: number
  readonly threadId: string | null
  readonly contentDigest: string
  readonly target: { readonly kind: string; readonly id: string; readonly label: string | null }
}

/** The same as the columns of its row have it. */
interface Standing extends Target, Pick<StandingWrite, "position" | "sequence" | "threadId"> {
  readonly contentDigest: Buffer
}

/** Shorter texts are no secret that a warning could give away. */
const QUOTED = 6
/** What is quoted may be cut: so much of its beginning is looked for. */
const LONGEST = 60
/** Texts that are looked for by reading the journal once. */
const AT_ONCE = 100

/** The body as it was sent, with what its sender said of itself. */
const wholeOf = ({ content, client }: Entry): JsonObject => ({
  ...trusted<JsonObject>(content),
  ...(client === undefined ? {} : { client }),
})

export type Withheld = ReturnType<typeof withheld>

export function withheld(db: Db) {
  const kept = journal(db)
  const STANDING = `SELECT j.position, j.room_sequence AS sequence, ${idOf("j.thread")} AS threadId, j.content_digest AS contentDigest, ${TARGET}
    FROM journal j LEFT JOIN timeline_entries e ON e.thread = j.thread AND e.sequence = j.entry_sequence WHERE j.room = ${placeOf("+?")} AND`
  const bySequence = db.prepare<Standing>(`${STANDING} j.room_sequence = +?`)
  const ofEntry = db.prepare<Standing>(
    `${STANDING} j.room_sequence IS NOT NULL AND j.position = (SELECT n.history_position FROM timeline_entries n WHERE n.entry_id = +?)`,
  )
  const ofRecord = db.prepare<Standing>(
    `${STANDING} j.room_sequence IS NOT NULL AND j.position = (SELECT n.history_position FROM records n WHERE n.version_id = +?)`,
  )
  const ofPosition = db.prepare<Standing>(`${STANDING} j.room_sequence IS NOT NULL AND j.position = +?`)
  const isSealed = db.prepare("SELECT 1 FROM withheld_writes WHERE history_position = +?")
  const note = inserting(db, "withheld_fields")
  const find = db.prepare<{ at: string; userId: string; username: string; reason: Withholding["reason"] }>(
    `SELECT h.at, w.user_id AS userId, w.username, h.content ->> '$.reason' AS reason
     FROM withheld_fields f JOIN journal h ON h.position = f.by_position JOIN writers w ON w.writer = h.writer WHERE f.mark = +?`,
  )
  const by = db.prepare<{ userId: string }>(
    `SELECT w.person_id AS userId
     FROM withheld_fields f JOIN journal h ON h.position = f.by_position JOIN writers w ON w.writer = h.writer WHERE f.mark = +?`,
  )
  const sealed = db.prepare<{ position: number }>("SELECT history_position AS position FROM withheld_writes ORDER BY history_position")
  const withholdings = db.prepare<{ position: number }>(
    `SELECT position FROM journal WHERE room = ${placeOf("+?")} AND operation = 'withhold_content' AND room_sequence > 0`,
  )
  const sealedBy = db.prepare<{ position: number }>(
    `SELECT DISTINCT f.history_position AS position FROM withheld_fields f JOIN journal h ON h.position = f.history_position
     WHERE f.by_position IN (SELECT value FROM json_each(+?)) AND instr(h.content, +?) > 0 ORDER BY 1`,
  )
  const any = db.prepare<{ count: number }>("SELECT count(*) AS count FROM withheld_fields")

  /** What the world gave to it and to later writes may quote what was said: in warnings, and in what was near to them. */
  function unquote(texts: readonly string[], from: number, mark: string): void {
    const quotable = [...new Set(texts.filter(({ length }) => length >= QUOTED))]
    for (let at = 0; at < quotable.length; at += AT_ONCE) unquoteSome(quotable.slice(at, at + AT_ONCE), from, mark)
  }

  /** The same of so many texts that the journal is read once for. */
  function unquoteSome(texts: readonly string[], from: number, mark: string): void {
    const beginnings = texts.map((text) =>
      JSON.stringify(text)
        .slice(1, -1)
        .slice(0, LONGEST)
        .replace(/\\(?:u[0-9a-f]{0,3})?$/, ""),
    )
    const found = db
      .prepare<{ position: number }>(
        `SELECT position FROM journal WHERE position >= +? AND given IS NOT NULL AND (${texts.map(() => "instr(given, +?) > 0").join(" OR ")})`,
      )
      .all(from, ...beginnings)
    const patterns = texts.map((text) => {
      const start = text.slice(0, LONGEST)
      return new RegExp(`${start.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}${text.length > start.length ? "[^]*" : ""}`, "g")
    })
    for (const { position } of found) {
      const entry = kept.at(position)
      if (entry === undefined) continue
      const given = withWordsChanged(trusted<Json>(JSON.stringify(entry.given)), (said) =>
        patterns.reduce((left, pattern) => left.replaceAll(pattern, mark), said),
      )
      const changed = JSON.stringify(given)
      if (changed === JSON.stringify(entry.given)) continue
      if (entry.sealed === undefined) kept.seal(position, requestDigestAt(entry))
      kept.rewrite(position, { ...entry, given: trusted<Given>(changed) })
    }
  }

  function requestDigestAt(entry: Entry): string {
    const operation = recordedOperation(entry.operation)
    return operation === undefined ? "" : requestDigestOf(operation, entry.params, entry.content)
  }

  const operationOf = (entry: Entry): Operation | undefined => {
    const operation = recordedOperation(entry.operation)
    return operation !== undefined && isWithholdable(operation) ? operation : undefined
  }

  return {
    /** The write that somebody names in a Room; undefined where there is none. */
    write(roomId: string, named: NamedWrite): StandingWrite | undefined {
      const row =
        "sequence" in named
          ? bySequence.get(roomId, named.sequence)
          : "entryId" in named
            ? ofEntry.get(roomId, named.entryId)
            : ofRecord.get(roomId, named.versionId)
      if (row === undefined) return undefined
      const { position, sequence, threadId, contentDigest } = row
      return { position, sequence, threadId, contentDigest: unpackedDigest(contentDigest), target: trusted(targetText(row)) }
    },

    /** The first of some paths that names nothing of a write that may be withheld; undefined where each does. */
    nowhere(position: number, paths: readonly string[]): number | undefined {
      const entry = kept.at(position)
      const operation = entry && operationOf(entry)
      if (entry === undefined || operation === undefined) return 0
      const index = placesOf(operation, wholeOf(entry), paths).indexOf(null)
      return index < 0 ? undefined : index
    },

    /** Every place of a write that can be withheld, with what is there. */
    passages({ position, contentDigest }: StandingWrite): { place: string; text: string; isWithheld: boolean }[] {
      const entry = kept.at(position)
      const operation = entry && operationOf(entry)
      if (entry === undefined || operation === undefined) return []
      const body = wholeOf(entry)
      return withholdable(operation, body).map((place) => {
        const value = valueAt(body, place)
        const isWithheld = find.get(markKey(contentDigest, place)) !== undefined
        return { place, text: typeof value === "string" ? value : JSON.stringify(value), isWithheld }
      })
    },

    /** The places that some paths name of a write, but for those that were withheld before. */
    places({ position, contentDigest }: StandingWrite, paths: readonly string[]): string[] {
      const entry = kept.at(position)
      const operation = entry && operationOf(entry)
      if (entry === undefined || operation === undefined) return []
      const all = new Set(placesOf(operation, wholeOf(entry), paths, true).flatMap((found) => found ?? []))
      return [...all].filter((place) => find.get(markKey(contentDigest, place)) === undefined)
    },

    /** Those of some places at which something stands still; of a write that came without its words, or is done again, none. */
    standing({ position }: StandingWrite, places: readonly string[]): string[] {
      const entry = kept.at(position)
      const body = entry === undefined ? {} : wholeOf(entry)
      return places.filter((place) => {
        const value = valueAt(body, place)
        return value !== undefined && markedAs(value) === undefined
      })
    },

    /**
     * Takes places of a write, at each of which something stands, out of the history, and keeps what a retry is told by. Within a
     * transaction in which what was accepted may change.
     * @returns the texts that were there
     */
    seal({ position, contentDigest }: StandingWrite, places: readonly string[]): string[] {
      const entry = kept.at(position)
      const [first] = places
      if (entry === undefined || first === undefined) return []
      const body = wholeOf(entry)
      if (isSealed.get(position) === undefined) kept.seal(position, requestDigestAt(entry))
      const { client, ...content } = marked(body, contentDigest, places)
      kept.rewrite(position, { content: canonicalJson(content), client: isJsonObject(client) ? client : undefined, given: entry.given })
      const gone = places.flatMap((place) => textsIn(valueAt(body, place)))
      unquote(gone, position, markOf(markKey(contentDigest, first)))
      return gone
    },

    /** Notes by which write places of another are withheld. */
    note({ position, contentDigest }: StandingWrite, places: readonly string[], byPosition: number): void {
      for (const place of places) note({ mark: markKey(contentDigest, place), historyPosition: position, path: place, byPosition })
    },

    /** When, by whom and why; undefined while that is not known here. */
    told(key: string): Withholding | undefined {
      const row = find.get(key)
      return row && { at: row.at, by: { userId: row.userId, username: row.username }, reason: row.reason }
    },
    /** Who withheld it, by their id here: people of another instance may have another one there. */
    toldHere: (key: string): string | undefined => by.get(key)?.userId,
    /**
     * The first write of a Room of which something came withheld without any write that withholds it.
     * @returns its sequence; undefined where each is explained
     */
    unexplained(roomId: string): number | undefined {
      for (const { position } of sealed.all()) {
        const entry = kept.at(position)
        const keys = entry === undefined ? [] : marksIn(`${entry.content}${JSON.stringify(entry.client ?? null)}`)
        const isOpen = keys.some((key) => find.get(key) === undefined)
        const at = isOpen ? ofPosition.get(roomId, position) : undefined
        if (at !== undefined) return at.sequence
      }
      return undefined
    },
    /** The entries of a Room whose bodies nothing proves any more: parts of them were withheld, and the digest is over the whole. */
    unproved(roomId: string): number[] {
      const by = withholdings.all(roomId).map(({ position }) => position)
      if (by.length === 0) return []
      return sealedBy.all(JSON.stringify(by), markBegins).flatMap(({ position }) => ofPosition.get(roomId, position)?.sequence ?? [])
    },
    /** How many places were withheld. */
    count: (): number => any.get()?.count ?? 0,
  }
}
