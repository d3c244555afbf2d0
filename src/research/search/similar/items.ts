/** How similar objects are shown, and how the journal stores the list of them with a write. */
import { each } from "../../../contract/each.ts"
import { enumerations, type SimilarKind } from "../../../contract/schema/enumerations.ts"
import { type Json, type JsonObject, writeJson, isObject } from "../../../contract/json.ts"
import { limits } from "../../../contract/limits.ts"
import { present } from "../../../contract/present.ts"
import type { Author } from "../../../contract/answers/index.ts"
import type { AlreadyTried, SimilarItem } from "../../../contract/answers/similar.ts"
import { shortened } from "../../../contract/text.ts"
import type { ReceiptExtras } from "../../../ledger/journal/behaviour.ts"
import type { Db } from "../../../ledger/storage/database.ts"
import { fromOtherRoom } from "../../../ledger/lists/other-room.ts"
import { AGENT, AGENT_OF_ENTRY, authorIn } from "../../../ledger/journal/author.ts"

export interface Row
  extends Author,
    Pick<SimilarItem, "kind" | "id" | "label" | "roomId" | "threadId" | "at" | "status" | "cameOfIt"> {
  readonly line: string
  /** The revision of the experiment, whose question may be amended. Null for a record. */
  readonly revision: number | null
}

/** The similar objects of a write, before they are written as JSON. */
export type Tried = { readonly [K in keyof AlreadyTried]: readonly Row[] } & { readonly seenFrom: string | null }

interface ObjectKey {
  readonly kind: SimilarKind
  readonly id: string
}
/** Objects read at a time: one more than are shown, because the query object itself may be among them. */
const MOST = limits.similarItems + 1
const NONE: readonly null[] = Array.from({ length: MOST }, () => null)
const AMONG = `IN (${NONE.map(() => "+?").join(", ")})`

/**
 * Reads objects as they are shown, with the outcome of each in a sentence. They come from their own tables, because
 * every proposal waits for them.
 */
const ROWS: Readonly<Record<SimilarKind, string>> = (() => {
  const record = (cameOfIt: string) =>
    `SELECT r.kind, r.version_id AS id, r.label, r.room_id AS roomId, r.thread_id AS threadId, r.wording AS line,
        r.author_id AS userId, p.username, ${AGENT("r")} AS agent,
      r.created_at AS at, coalesce(s.status, 'current') AS status, (${cameOfIt}) AS cameOfIt, NULL AS revision
    FROM records r
      JOIN people p ON p.user_id = r.author_id
      LEFT JOIN standings s ON s.version_id = r.version_id
      WHERE r.version_id ${AMONG}`
  return {
    hypothesis: record(
      `SELECT y.supports || ' for, ' || y.contradicts || ' against it'
        FROM evidence_tallies y
        WHERE y.target_id = r.version_id`,
    ),
    finding: record("SELECT f.outcome || ' outcome' FROM findings f WHERE f.version_id = r.version_id"),
    experiment: `SELECT 'experiment' AS kind, x.experiment_id AS id, x.label, x.room_id AS roomId,
        x.thread_id AS threadId, x.question AS line, x.proposer_id AS userId,
        p.username, ${AGENT_OF_ENTRY("x.entry_id")} AS agent, x.created_at AS at, x.status, x.revision,
        coalesce(x.conclusion ->> '$.text', (SELECT group_concat(c.attempts || ' ' || replace(c.status, '_', ' '), ', ')
          || ' of its attempts' FROM attempt_counts c WHERE c.experiment_id = x.experiment_id)) AS cameOfIt
      FROM experiments x JOIN people p ON p.user_id = x.proposer_id WHERE x.experiment_id ${AMONG}`,
    attempt: `SELECT 'attempt' AS kind, a.attempt_id AS id, a.label, a.room_id AS roomId, a.thread_id AS threadId,
        x.question AS line, a.registrant_id AS userId, p.username, ${AGENT("a")} AS agent,
        a.registered_at AS at, a.status, x.revision,
        (SELECT coalesce(v.body ->> '$.failure.stage' || ': ' || (v.body ->> '$.failure.explanation'),
          v.body ->> '$.message')
          FROM attempt_events v WHERE v.attempt_id = a.attempt_id ORDER BY v.revision DESC LIMIT 1) AS cameOfIt
      FROM attempts a
      JOIN experiments x USING (experiment_id)
      JOIN people p ON p.user_id = a.registrant_id
      WHERE a.attempt_id ${AMONG}`,
  }
})()
/** The question of an experiment at one of its revisions. */
const QUESTION = `SELECT h.content ->> '$.question' AS question
  FROM experiment_revisions v
  JOIN journal h ON h.position = v.history_position
  WHERE v.experiment_id = coalesce((SELECT a.experiment_id FROM attempts a WHERE a.attempt_id = +?), +?)
    AND v.revision <= +?
    AND h.content ->> '$.question' IS NOT NULL ORDER BY v.revision DESC LIMIT 1`

/** @param seenFrom the Room it is shown in; null outside of a Room */
export function itemOf(row: Row, seenFrom: string | null): SimilarItem {
  const { kind, id, label, roomId, threadId, line, at, status } = row
  const own = { kind, id, label, roomId, threadId, at, status, ...fromOtherRoom(roomId, seenFrom) }
  const cameOfIt = row.cameOfIt === null ? null : shortened(row.cameOfIt, limits.similarLine)
  return { ...own, says: shortened(line, limits.similarLine), author: authorIn(row), cameOfIt }
}

/**
 * An item as the journal stores it: the members that may change later, and the revision of its experiment. The Room has
 * the rest. An item of another Room is stored whole, because this Room may be exported without the other.
 */
type Short = [kind: SimilarKind, id: string, status: string, cameOfIt: string | null]
type ShortItem = Short | [...Short, revision: number]
type StoredItem = ShortItem | SimilarItem

export function items(db: Db) {
  const rows = each(enumerations.similarKind, (kind) => db.prepare<Row>(ROWS[kind]))
  const questionAt = db.prepare<{ question: string }>(QUESTION)

  function read(keys: readonly ObjectKey[]): Map<string, Row> {
    const found = new Map<string, Row>()
    for (const kind of enumerations.similarKind) {
      const ids: (string | null)[] = []
      for (const key of keys) if (key.kind === kind) ids.push(key.id)
      if (ids.length === 0) continue
      for (const row of rows[kind].all(...ids, ...NONE.slice(ids.length))) found.set(keyOf(row), row)
    }
    return found
  }

  /** Restores an item. The history of another instance may name an object that does not exist here. */
  function restored(stored: StoredItem): SimilarItem[] {
    if (!isShort(stored)) return [stored]
    const [kind, id, status, cameOfIt, revision] = stored
    const [row] = read([{ kind, id }]).values()
    if (row === undefined) return []
    const line =
      revision === undefined
        ? row.line
        : (questionAt.get(kind === "attempt" ? id : null, id, revision)?.question ?? row.line)
    return [itemOf({ ...row, line, status, cameOfIt }, row.roomId)]
  }

  return {
    /** Reads objects that exist, in the order of their keys, at most `MOST` of a kind. */
    rowsOf(keys: readonly ObjectKey[]): Row[] {
      const found = read(keys)
      return keys.map((key) => present(found.get(keyOf(key))))
    },
    /**
     * Restores the similar objects of a receipt from the history, as `extrasOf` stored them, or whole as earlier
     * versions did.
     */
    restoreExtras({ similar = [], sameExecution = [] }: JsonObject): AlreadyTried {
      return {
        similar: storedIn(similar).flatMap(restored),
        sameExecution: storedIn(sameExecution).flatMap(restored),
      }
    },
  }
}
const keyOf = ({ kind, id }: ObjectKey): string => `${kind} ${id}`
const isStoredItem = (value: unknown): value is StoredItem => isObject(value)
const storedIn = (value: Json): StoredItem[] => (Array.isArray(value) ? value.filter(isStoredItem) : [])
const isShort = (stored: StoredItem): stored is ShortItem => Array.isArray(stored)

/** The similar objects of a write, as its receipt shows them and as the journal stores them. */
export function extrasOf({ similar, sameExecution, seenFrom }: Tried): ReceiptExtras {
  const shown = (rows: readonly Row[]) => rows.map((row) => itemOf(row, seenFrom))
  const keep = (rows: readonly Row[], items: readonly SimilarItem[]) =>
    items.map((item, at): StoredItem => {
      const { kind, id, roomId, status, cameOfIt } = item
      const revision = rows[at]?.revision ?? null
      if (roomId !== seenFrom) return item
      return revision === null ? [kind, id, status, cameOfIt] : [kind, id, status, cameOfIt, revision]
    })
  const [near, same] = [shown(similar), shown(sameExecution)]
  return {
    json: writeJson({ similar: near, sameExecution: same }),
    kept: {
      similar: keep(similar, near),
      ...(same.length > 0 && { sameExecution: keep(sameExecution, same) }),
    },
  }
}
