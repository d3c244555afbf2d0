/** What is shown of what is similar, and how much of it the history keeps beside a write that was told of it. */
import { type Json, type JsonObject, writeJson } from "../../../contract/json.ts"
import type { SimilarKind } from "../../../contract/enumerations.ts"
import { limits } from "../../../contract/limits.ts"
import type { AlreadyTried, SimilarItem } from "../../../contract/similar.ts"
import { shortened } from "../../../contract/text.ts"
import type { Foreseen } from "../../../ledger/behaviour.ts"
import type { Db } from "../../../ledger/database.ts"
import { fromOtherRoom } from "../../../ledger/other-room.ts"

export interface Row {
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
  /** Of an experiment, and of an attempt's: what it asks may be amended. */
  readonly revision: number | null
}

/** What a write is told of, before it is written out. */
export type Tried = { readonly [K in keyof AlreadyTried]: readonly Row[] } & { readonly seenFrom: string | null }

/** What came of it, in a sentence. */
const CAME_OF_IT = `CASE i.kind
  WHEN 'attempt' THEN (SELECT coalesce(v.body ->> '$.failure.stage' || ': ' || (v.body ->> '$.failure.explanation'), v.body ->> '$.message')
    FROM attempt_events v WHERE v.attempt_id = i.id ORDER BY v.revision DESC LIMIT 1)
  WHEN 'experiment' THEN coalesce((SELECT x.conclusion ->> '$.text' FROM experiments x WHERE x.experiment_id = i.id),
    (SELECT group_concat(c.attempts || ' ' || replace(c.status, '_', ' '), ', ') || ' of its attempts' FROM attempt_counts c WHERE c.experiment_id = i.id))
  WHEN 'finding' THEN (SELECT f.outcome || ' outcome' FROM findings f WHERE f.version_id = i.id)
  ELSE (SELECT y.supports || ' for, ' || y.contradicts || ' against it' FROM evidence_tallies y WHERE y.target_id = i.id) END`
/** The experiment whose question is the line of an experiment or attempt: it may be amended. */
const EXPERIMENT =
  "CASE i.kind WHEN 'experiment' THEN i.id WHEN 'attempt' THEN (SELECT a.experiment_id FROM attempts a WHERE a.attempt_id = i.id) END"
const ITEMS = `SELECT i.kind, i.id, h.label, h.room_id AS roomId, h.thread_id AS threadId, h.line, h.user_id AS userId, p.username, h.at,
    coalesce(h.standing, s.status, 'current') AS status, ${CAME_OF_IT} AS cameOfIt,
    (SELECT q.revision FROM experiments q WHERE q.experiment_id = ${EXPERIMENT}) AS revision
  FROM json_each(?) j JOIN search_items i ON i.id = j.value AND i.part IS NULL JOIN search_places h USING (item) JOIN people p ON p.user_id = h.user_id
  LEFT JOIN standings s ON s.version_id = i.id ORDER BY j.key`

/** What an experiment asked at one of its revisions. */
const ASKED = `SELECT h.content ->> '$.question' AS question FROM search_items i CROSS JOIN experiment_revisions v ON v.experiment_id = ${EXPERIMENT}
  JOIN history h ON h.position = v.history_position
  WHERE i.id = ? AND i.kind = ? AND i.part IS NULL AND v.revision <= ? AND h.content ->> '$.question' IS NOT NULL ORDER BY v.revision DESC LIMIT 1`

/** @param seenFrom the Room it is shown in; null outside of any */
export const itemOf = ({ line, userId, username, cameOfIt, revision: _asked, ...row }: Row, seenFrom: string | null): SimilarItem => ({
  ...row,
  ...fromOtherRoom(row.roomId, seenFrom),
  says: shortened(line, limits.similarLine),
  author: { userId, username },
  cameOfIt: cameOfIt === null ? null : shortened(cameOfIt, limits.similarLine),
})

/**
 * An item as the history keeps it: what may move of it, and the revision of its experiment; the rest stands in the Room. An
 * item of another Room is kept whole, for the Room may go where the other one is not.
 */
type Kept = readonly [kind: SimilarKind, id: string, status: string, cameOfIt: string | null, revision?: number] | SimilarItem

export function items(db: Db) {
  const rows = db.prepare<Row>(ITEMS)
  const asked = db.prepare<{ question: string }>(ASKED)
  const rowsOf = (found: readonly { readonly id: string }[]): Row[] =>
    found.length === 0 ? [] : rows.all(JSON.stringify(found.map(({ id }) => id)))

  /** @throws Error when it names what is not there, which no write that was accepted does */
  function recalled(kept: Kept): SimilarItem {
    if (!isShort(kept)) return kept
    const [kind, id, status, cameOfIt, revision] = kept
    const row = rowsOf([{ id }]).find((found) => found.kind === kind)
    if (row === undefined) throw new Error(`${kind} ${id} was told of and is gone`)
    const line = revision === undefined ? row.line : (asked.get(id, kind, revision)?.question ?? row.line)
    return itemOf({ ...row, line, status, cameOfIt }, row.roomId)
  }

  return {
    rowsOf,
    /** What stands beside a receipt, of what the history keeps of it. @param kept as `foreseenOf` made it, or whole, as it once was */
    recall({ similar = [], sameExecution = [] }: JsonObject): AlreadyTried {
      return { similar: (similar as unknown as Kept[]).map(recalled), sameExecution: (sameExecution as unknown as Kept[]).map(recalled) }
    },
  }
}
const isShort = (kept: Kept): kept is Exclude<Kept, SimilarItem> => Array.isArray(kept)

/** What a write is told of, as it stands beside its receipt and as it is kept. */
export function foreseenOf({ similar, sameExecution, seenFrom }: Tried): Foreseen {
  const keep = (row: Row): Kept => {
    const item = itemOf(row, seenFrom)
    if (row.roomId !== seenFrom) return item
    const { kind, id, status, cameOfIt } = item
    return row.revision === null ? [kind, id, status, cameOfIt] : [kind, id, status, cameOfIt, row.revision]
  }
  const [near, same] = [similar.map(keep), sameExecution.map(keep)]
  return {
    told: writeJson({
      similar: similar.map((row) => itemOf(row, seenFrom)),
      sameExecution: sameExecution.map((row) => itemOf(row, seenFrom)),
    }),
    kept: { similar: near as Json, ...(same.length > 0 && { sameExecution: same as Json }) },
  }
}
