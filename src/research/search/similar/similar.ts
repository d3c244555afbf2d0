/** Finds objects similar to a text, and earlier attempts that ran the same. */
import { each, isKeyOf } from "../../../contract/each.ts"
import { canonicalJson } from "../../../contract/json.ts"
import { enumerations, type SimilarKind } from "../../../contract/schema/enumerations.ts"
import { limits } from "../../../contract/limits.ts"
import type { SimilarItem } from "../../../contract/answers/similar.ts"
import type { Actor } from "../../../ledger/journal/actor.ts"
import type { ReceiptTarget } from "../../../ledger/journal/behaviour.ts"
import type { Db } from "../../../ledger/storage/database.ts"
import { itemOf, items, type Row, type Tried } from "./items.ts"
import { INDEXED } from "../indexing.ts"
import { keptOf } from "../../../contract/words.ts"
import { Likeness, nearestFirst, type Text } from "./likeness.ts"
import { termsOf } from "./terms.ts"

/** SQL for the execution of a registered attempt, in the form of `executionText`. */
const EXECUTED =
  "concat_ws(char(10), c.content ->> '$.argv', c.content ->> '$.configuration', c.content ->> '$.repository.commit')"
/** SQL for the text of an item that is compared; use with `ABOUT_OF`. */
const ABOUT = `iif(i.kind = 'attempt', concat_ws(char(10), ${EXECUTED}, c.content ->> '$.intendedDeviation'),
    concat_ws(char(10), h.line, coalesce((SELECT x.scope FROM experiments x WHERE x.experiment_id = i.id), c.content ->> '$.scope'), c.content ->> '$.limitations',
      (SELECT group_concat(d.label || ': ' || d.definition, char(10)) FROM concepts d WHERE d.version_id = i.id)))`
const ABOUT_OF = "JOIN search_places h USING (item) JOIN journal c ON c.position = h.position"

/** The newest texts of a kind in a Room after a position. */
const textsOf = (table: string, id: string, place: string, kind = "1") =>
  `SELECT o.id, o.place, ${ABOUT} AS text
   FROM (SELECT ${id} AS id, ${place} AS place FROM ${table} WHERE room_id = +? AND ${kind} AND ${place} > +? ORDER BY ${place} DESC LIMIT ${limits.similarSight}) o
   JOIN search_items i ON i.id = o.id AND i.part IS NULL ${ABOUT_OF} ORDER BY o.place`
/** Attempts are ordered by label, because clients choose their ids. */
const TEXTS: Readonly<Record<SimilarKind, readonly [sql: string, start: string | number]>> = {
  hypothesis: [textsOf("records", "version_id", "version_id", "kind = 'hypothesis'"), ""],
  experiment: [textsOf("experiments", "experiment_id", "experiment_id"), ""],
  finding: [textsOf("records", "version_id", "version_id", "kind = 'finding'"), ""],
  attempt: [textsOf("attempts", "attempt_id", "CAST(substr(label, 2) AS INTEGER)"), 0],
}

/** The number of Rooms whose texts are cached. */
const ROOMS = 8
const occurrencesOf = (room: Record<SimilarKind, Likeness>): number =>
  enumerations.similarKind.reduce((sum, kind) => sum + room[kind].occurrences, 0)

/** What an attempt ran. Two attempts with equal values ran the same. */
export interface Execution {
  readonly commit: string
  readonly argv: unknown
  readonly configuration: unknown
}

/** Writes an execution as one text. */
export const executionText = ({ commit, argv, configuration }: Execution): string =>
  [argv, configuration]
    .flatMap((part) => (part === undefined ? [] : [canonicalJson(part)]))
    .concat(commit)
    .join("\n")
const EXECUTION = /^(?:[[{].*\n)+[0-9a-f]{40,64}(?=\n|$)/u

export type Similar = ReturnType<typeof similar>

/** @param now milliseconds since 1970 */
export function similar(db: Db, now: () => number) {
  const texts = each(enumerations.similarKind, (kind) => db.prepare<Text>(TEXTS[kind][0]))
  const labelled = db.prepare<Record<SimilarKind, number>>(
    `SELECT ${enumerations.similarKind.map((kind) => `coalesce((SELECT last FROM counters WHERE room_id = o.room_id AND kind = '${kind}'), 0) AS ${kind}`).join(", ")}
     FROM (SELECT +? AS room_id) o`,
  )
  const { rowsOf, restoreExtras } = items(db)
  const text = db.prepare<{ text: string; kind: string }>(
    `SELECT ${ABOUT} AS text, i.kind FROM search_items i ${ABOUT_OF}
     WHERE i.id = +? AND i.part IS NULL AND h.room_id = +?`,
  )
  // Includes attempts that are not indexed yet.
  const executed = db.prepare<{ id: string }>(
    `SELECT i.id FROM (SELECT item FROM (SELECT item FROM search_items WHERE item > ${INDEXED} AND kind = 'attempt' ORDER BY item DESC)
       UNION ALL SELECT item FROM (SELECT rowid AS item FROM search_index WHERE search_index MATCH +? ORDER BY rowid DESC LIMIT ${limits.similarExecutions})) f
     CROSS JOIN search_items i ON i.item = f.item JOIN attempts a ON a.attempt_id = i.id JOIN journal c ON c.position = a.history_position
     WHERE i.part IS NULL AND ${EXECUTED} = +? LIMIT +?`,
  )
  const rooms = new Map<string, Record<SimilarKind, Likeness>>()

  /** Returns the cached texts of a Room, updated to the newest. If the Room is no longer cached, reads all of them. */
  function known(roomId: string): Record<SimilarKind, Likeness> {
    const found = rooms.get(roomId) ?? each(enumerations.similarKind, () => new Likeness())
    rooms.delete(roomId)
    rooms.set(roomId, found)
    const labels = labelled.one(roomId)
    for (const kind of enumerations.similarKind) {
      // Most kinds have nothing new at most writes.
      if (found[kind].label === labels[kind]) continue
      for (const text of texts[kind].all(roomId, found[kind].newest ?? TEXTS[kind][1])) found[kind].add(text)
      found[kind].label = labels[kind]
    }
    // A missing or empty Room takes no place in the cache.
    if (occurrencesOf(found) === 0) rooms.delete(roomId)
    let held = 0
    for (const room of rooms.values()) held += occurrencesOf(room)
    for (const [oldest, room] of rooms) {
      if (oldest === roomId || (rooms.size <= ROOMS && held <= limits.similarHeld)) break
      held -= occurrencesOf(room)
      rooms.delete(oldest)
    }
    return found
  }

  /** Finds attempts in any Room that ran the same, newest first. @param ran from `executionText` */
  function sameAs(ran: string): Row[] {
    const query = `body : "${keptOf(ran.slice(ran.lastIndexOf("\n") + 1))}" AND tags : "kattempt"`
    const found = executed.all(query, ran, limits.similarItems + 1)
    return rowsOf(found.map(({ id }) => ({ kind: "attempt", id })))
  }

  /** Finds the objects of a Room similar to a text, best first, except one id. */
  function nearTo(roomId: string, query: string, but?: string) {
    const terms = termsOf(query)
    if (terms.size === 0) return []
    const room = known(roomId)
    const found = enumerations.similarKind.flatMap((kind) =>
      room[kind].nearest(terms.keys()).map((scored) => ({ ...scored, kind })),
    )
    return found.filter(({ id }) => id !== but?.toLowerCase()).sort(nearestFirst)
  }

  /** The similar objects to report to a sender, without those that it made in the last hour. */
  function reported(roomId: string, query: string, { userId, agent = "" }: Actor): Row[] {
    const since = new Date(now() - limits.similarOwnMs).toISOString()
    const isOwn = (row: Row) => row.userId === userId && (row.agent ?? "") === agent && row.at >= since
    const near = nearTo(roomId, query)
    const rows: Row[] = []
    for (let at = 0; at < near.length && rows.length < limits.similarTold; at += limits.similarItems)
      rows.push(...rowsOf(near.slice(at, at + limits.similarItems)).filter((row) => !isOwn(row)))
    return rows.slice(0, limits.similarTold)
  }

  return {
    restoreExtras,
    forget: () => rooms.clear(),

    /** Returns the text of an object of a comparable kind; undefined if the Room has none with this id. */
    textOf(roomId: string, id: string): string | undefined {
      const row = text.get(id.toLowerCase(), roomId)
      return row !== undefined && isKeyOf(TEXTS, row.kind) ? row.text : undefined
    },

    near: (roomId: string, query: string, but?: string): SimilarItem[] =>
      rowsOf(nearTo(roomId, query, but).slice(0, limits.similarItems)).map((row) => itemOf(row, roomId)),

    /**
     * Finds what to report to a sender: objects similar to its text, and attempts that ran the same. @param roomId null
     * if there is no such Room
     */
    tried(sender: Actor, roomId: string | null, text: string, execution?: Execution): Tried {
      return {
        seenFrom: roomId,
        similar: roomId === null ? [] : reported(roomId, text, sender),
        sameExecution: execution === undefined ? [] : sameAs(executionText(execution)),
      }
    },

    /**
     * Adds the text of a new object to the cache if it is the next of its kind. Texts that are missed here are read
     * from the data by the next query.
     * @param text the same text as in the data
     */
    add(roomId: string, kind: SimilarKind, { id, label }: ReceiptTarget, text: () => string): void {
      const likeness = rooms.get(roomId)?.[kind]
      const ordinal = Number(label?.slice(1))
      if (likeness === undefined || ordinal !== likeness.label + 1) return
      likeness.add({ id, place: typeof TEXTS[kind][1] === "number" ? ordinal : id, text: text() })
      likeness.label = ordinal
    },

    sameAs: (text: string, but: string, seenFrom: string): SimilarItem[] => {
      const [ran] = EXECUTION.exec(text) ?? []
      const rows = ran === undefined ? [] : sameAs(ran).filter(({ id }) => id !== but.toLowerCase())
      return rows.map((row) => itemOf(row, seenFrom))
    },
  }
}
