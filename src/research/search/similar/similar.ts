/** What is near to a text in a Room, and where the same was run before. */
import { each } from "../../../contract/each.ts"
import { canonicalJson } from "../../../contract/json.ts"
import { enumerations, type SimilarKind } from "../../../contract/enumerations.ts"
import { limits } from "../../../contract/limits.ts"
import type { SimilarItem } from "../../../contract/similar.ts"
import { shortened } from "../../../contract/text.ts"
import type { Db } from "../../../ledger/database.ts"
import { fromOtherRoom } from "../../../ledger/other-room.ts"
import { Likeness, nearestFirst, type Text } from "./likeness.ts"
import { termsOf } from "./terms.ts"

interface Row {
  readonly kind: SimilarKind
  readonly id: string
  readonly label: string
  readonly roomId: string
  readonly threadId: string
  readonly line: string
  readonly userId: string
  readonly username: string
  readonly at: string
  readonly status: string
  readonly cameOfIt: string | null
}

/** The newest texts of a kind in a Room after one place, read from where search reads them. */
const textsOf = (table: string, id: string, place: string, kind = "1") =>
  `SELECT o.id, o.place, concat_ws(char(10), w.title, w.body) AS text
   FROM (SELECT ${id} AS id, ${place} AS place FROM ${table} WHERE room_id = ? AND ${kind} AND ${place} > ? ORDER BY ${place} DESC LIMIT ${limits.similarSight}) o
   JOIN search_items i ON i.id = o.id AND i.part IS NULL JOIN search_texts w USING (item) ORDER BY o.place`
/** Attempts have ids that clients made, in no order. */
const TEXTS: Readonly<Record<SimilarKind, readonly [sql: string, start: string | number]>> = {
  hypothesis: [textsOf("records", "version_id", "version_id", "kind = 'hypothesis'"), ""],
  experiment: [textsOf("experiments", "experiment_id", "experiment_id"), ""],
  finding: [textsOf("records", "version_id", "version_id", "kind = 'finding'"), ""],
  attempt: [textsOf("attempts", "attempt_id", "CAST(substr(label, 2) AS INTEGER)"), 0],
}

/** What came of it, in a sentence. */
const CAME_OF_IT = `CASE i.kind
  WHEN 'attempt' THEN (SELECT coalesce(v.body ->> '$.failure.stage' || ': ' || (v.body ->> '$.failure.explanation'), v.body ->> '$.message')
    FROM attempt_events v WHERE v.attempt_id = i.id ORDER BY v.revision DESC LIMIT 1)
  WHEN 'experiment' THEN coalesce((SELECT x.conclusion ->> '$.text' FROM experiments x WHERE x.experiment_id = i.id),
    (SELECT group_concat(c.attempts || ' ' || replace(c.status, '_', ' '), ', ') || ' of its attempts' FROM attempt_counts c WHERE c.experiment_id = i.id))
  WHEN 'finding' THEN (SELECT f.outcome || ' outcome' FROM findings f WHERE f.version_id = i.id)
  ELSE (SELECT y.supports || ' for, ' || y.contradicts || ' against it' FROM evidence_tallies y WHERE y.target_id = i.id) END`
const ITEMS = `SELECT i.kind, i.id, h.label, h.room_id AS roomId, h.thread_id AS threadId, h.line, h.user_id AS userId, p.username, h.at,
    coalesce(h.standing, s.status, 'current') AS status, ${CAME_OF_IT} AS cameOfIt
  FROM json_each(?) j JOIN search_items i ON i.id = j.value AND i.part IS NULL JOIN search_places h USING (item) JOIN people p ON p.user_id = h.user_id
  LEFT JOIN standings s ON s.version_id = i.id ORDER BY j.key`

/** @param seenFrom the Room it is shown in; null outside of any */
const itemOf = ({ line, userId, username, cameOfIt, ...row }: Row, seenFrom: string | null): SimilarItem => ({
  ...row,
  ...fromOtherRoom(row.roomId, seenFrom),
  says: shortened(line, limits.similarLine),
  author: { userId, username },
  cameOfIt: cameOfIt === null ? null : shortened(cameOfIt, limits.similarLine),
})

/** Rooms whose texts are kept in memory. */
const ROOMS = 8
const occurrencesOf = (room: Record<SimilarKind, Likeness>): number =>
  enumerations.similarKind.reduce((sum, kind) => sum + room[kind].occurrences, 0)

/** What was run: where two are the same in this, the same was executed. */
export interface Execution {
  readonly commit: string
  readonly argv: unknown
  readonly configuration: unknown
}

/** As the text of an attempt begins, where search reads it. */
export const executionText = ({ commit, argv, configuration }: Execution): string =>
  [argv, configuration]
    .flatMap((part) => (part === undefined ? [] : [canonicalJson(part)]))
    .concat(commit)
    .join("\n")
const EXECUTION = /^(?:[[{].*\n)+[0-9a-f]{40,64}(?=\n|$)/u

export type Similar = ReturnType<typeof similar>

export function similar(db: Db) {
  const texts = each(enumerations.similarKind, (kind) => db.prepare<Text>(TEXTS[kind][0]))
  const items = db.prepare<Row>(ITEMS)
  const text = db.prepare<{ text: string; kind: string }>(
    `SELECT concat_ws(char(10), w.title, w.body) AS text, i.kind FROM search_items i JOIN search_places h USING (item) JOIN search_texts w USING (item)
     WHERE i.id = ? AND i.part IS NULL AND h.room_id = ?`,
  )
  const executed = db.prepare<{ id: string }>(
    `SELECT i.id FROM (SELECT rowid AS item FROM search_index WHERE search_index MATCH ? ORDER BY rowid DESC LIMIT ${limits.similarExecutions}) f
     JOIN search_items i USING (item) JOIN search_texts w USING (item) WHERE i.part IS NULL AND substr(w.body || char(10), 1, length(?)) = ? LIMIT ?`,
  )
  const rooms = new Map<string, Record<SimilarKind, Likeness>>()

  /** The texts of a Room, read on to where the data is; of a Room that was not asked of for long, anew. */
  function known(roomId: string): Record<SimilarKind, Likeness> {
    const found = rooms.get(roomId) ?? each(enumerations.similarKind, () => new Likeness())
    rooms.delete(roomId)
    rooms.set(roomId, found)
    for (const kind of enumerations.similarKind) {
      if (found[kind].isOverfull) found[kind] = new Likeness()
      for (const text of texts[kind].all(roomId, found[kind].newest ?? TEXTS[kind][1])) found[kind].add(text)
    }
    // Who names a Room that is not there, or an empty one, crowds out no other.
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

  function sameAs(ran: string, seenFrom: string | null): SimilarItem[] {
    const query = `body : "${ran.slice(ran.lastIndexOf("\n") + 1)}" AND tags : "kattempt"`
    const begins = `${ran}\n`
    const found = executed.all(query, begins, begins, limits.similarItems + 1)
    return items.all(JSON.stringify(found.map(({ id }) => id))).map((row) => itemOf(row, seenFrom))
  }

  return {
    /** The text of an object that has likes; undefined where a Room has none of this id. */
    textOf(roomId: string, id: string): string | undefined {
      const row = text.get(id.toLowerCase(), roomId)
      return row !== undefined && (enumerations.similarKind as readonly string[]).includes(row.kind) ? row.text : undefined
    },

    /** What is nearest to a text among those of a Room, the nearest first; not what has an id. */
    near(roomId: string, given: string, but?: string): SimilarItem[] {
      const terms = termsOf(given)
      if (terms.size === 0) return []
      const room = known(roomId)
      const found = enumerations.similarKind.flatMap((kind) => room[kind].near(terms.keys())).filter(({ id }) => id !== but?.toLowerCase())
      const best = found.sort(nearestFirst).slice(0, limits.similarItems)
      return items.all(JSON.stringify(best.map(({ id }) => id))).map((row) => itemOf(row, roomId))
    },

    /** Attempts that ran the same, in whatever Room, the newest first, as they are shown in one; null outside of any. */
    sameExecution: (execution: Execution, seenFrom: string | null): SimilarItem[] => sameAs(executionText(execution), seenFrom),

    /** The same for an attempt, of what it ran as its text tells. */
    sameAs: (text: string, but: string, seenFrom: string): SimilarItem[] => {
      const [ran] = EXECUTION.exec(text) ?? []
      return ran === undefined ? [] : sameAs(ran, seenFrom).filter(({ id }) => id !== but.toLowerCase())
    },
  }
}
