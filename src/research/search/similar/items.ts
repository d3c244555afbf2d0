/** How similar objects are shown, and how much of the list the journal keeps with a write. */
import { each } from "../../../contract/each.ts"
import { enumerations, type SimilarKind } from "../../../contract/schema/enumerations.ts"
import { type Json, type JsonObject, writeJson, isObject } from "../../../contract/json.ts"
import { limits } from "../../../contract/limits.ts"
import { present } from "../../../contract/present.ts"
import type { AlreadyTried, SimilarItem } from "../../../contract/answers/similar.ts"
import { shortened } from "../../../contract/text.ts"
import type { ReceiptExtras } from "../../../ledger/journal/behaviour.ts"
import type { Db } from "../../../ledger/storage/database.ts"
import { fromOtherRoom } from "../../../ledger/lists/other-room.ts"
import { AGENT, AGENT_OF_ENTRY, authorIn } from "../../../ledger/journal/author.ts"

export interface Row {
  readonly kind: SimilarKind
  readonly id: string
  readonly label: string
  readonly roomId: string
  readonly threadId: string
  readonly line: string
  readonly userId: string
  readonly username: string
  readonly agent: string | null
  readonly at: string
  readonly status: string
  readonly cameOfIt: string | null
  /** Of an experiment, and of an attempt's: what it asks may be amended. */
  readonly revision: number | null
}

/** The similar objects of a write, before they are written as JSON. */
export type Tried = { readonly [K in keyof AlreadyTried]: readonly Row[] } & { readonly seenFrom: string | null }

/** What names an object that is shown. */
interface Called {
  readonly kind: SimilarKind
  readonly id: string
}
/** So many are read at once: one of those that are found may be what is asked about. */
const MOST = limits.similarItems + 1
const NONE: readonly null[] = Array.from({ length: MOST }, () => null)
const AMONG = `IN (${NONE.map(() => "+?").join(", ")})`

/** Objects as they are shown, with what came of each in a sentence: read from their own tables, for every proposal waits for it. */
const ROWS: Readonly<Record<SimilarKind, string>> = (() => {
  const record = (cameOfIt: string) =>
    `SELECT r.kind, r.version_id AS id, r.label, r.room_id AS roomId, r.thread_id AS threadId, r.wording AS line, r.author_id AS userId, p.username, ${AGENT("r")} AS agent,
      r.created_at AS at, coalesce(s.status, 'current') AS status, (${cameOfIt}) AS cameOfIt, NULL AS revision
    FROM records r JOIN people p ON p.user_id = r.author_id LEFT JOIN standings s ON s.version_id = r.version_id WHERE r.version_id ${AMONG}`
  return {
    hypothesis: record(
      "SELECT y.supports || ' for, ' || y.contradicts || ' against it' FROM evidence_tallies y WHERE y.target_id = r.version_id",
    ),
    finding: record("SELECT f.outcome || ' outcome' FROM findings f WHERE f.version_id = r.version_id"),
    experiment: `SELECT 'experiment' AS kind, x.experiment_id AS id, x.label, x.room_id AS roomId, x.thread_id AS threadId, x.question AS line, x.proposer_id AS userId,
        p.username, ${AGENT_OF_ENTRY("x.entry_id")} AS agent, x.created_at AS at, x.status, x.revision, coalesce(x.conclusion ->> '$.text', (SELECT group_concat(c.attempts || ' ' || replace(c.status, '_', ' '), ', ')
          || ' of its attempts' FROM attempt_counts c WHERE c.experiment_id = x.experiment_id)) AS cameOfIt
      FROM experiments x JOIN people p ON p.user_id = x.proposer_id WHERE x.experiment_id ${AMONG}`,
    attempt: `SELECT 'attempt' AS kind, a.attempt_id AS id, a.label, a.room_id AS roomId, a.thread_id AS threadId, x.question AS line, a.registrant_id AS userId, p.username, ${AGENT("a")} AS agent,
        a.registered_at AS at, a.status, x.revision,
        (SELECT coalesce(v.body ->> '$.failure.stage' || ': ' || (v.body ->> '$.failure.explanation'), v.body ->> '$.message')
          FROM attempt_events v WHERE v.attempt_id = a.attempt_id ORDER BY v.revision DESC LIMIT 1) AS cameOfIt
      FROM attempts a JOIN experiments x USING (experiment_id) JOIN people p ON p.user_id = a.registrant_id WHERE a.attempt_id ${AMONG}`,
  }
})()
/** What an experiment asked at one of its revisions. */
const ASKED = `SELECT h.content ->> '$.question' AS question FROM experiment_revisions v JOIN journal h ON h.position = v.history_position
  WHERE v.experiment_id = coalesce((SELECT a.experiment_id FROM attempts a WHERE a.attempt_id = +?), +?) AND v.revision <= +?
    AND h.content ->> '$.question' IS NOT NULL ORDER BY v.revision DESC LIMIT 1`

/** @param seenFrom the Room it is shown in; null outside of any */
export function itemOf(row: Row, seenFrom: string | null): SimilarItem {
  const { kind, id, label, roomId, threadId, line, at, status, cameOfIt } = row
  return {
    kind,
    id,
    label,
    roomId,
    threadId,
    at,
    status,
    ...fromOtherRoom(roomId, seenFrom),
    says: shortened(line, limits.similarLine),
    author: authorIn(row),
    cameOfIt: cameOfIt === null ? null : shortened(cameOfIt, limits.similarLine),
  }
}

/**
 * An item as the journal keeps it: what may change later, and the revision of its experiment; the Room has the rest. An item of another
 * Room is kept whole, because this Room may be exported without the other.
 */
type Short = [kind: SimilarKind, id: string, status: string, cameOfIt: string | null]
type ShortItem = Short | [...Short, revision: number]
type Kept = ShortItem | SimilarItem

export function items(db: Db) {
  const rows = each(enumerations.similarKind, (kind) => db.prepare<Row>(ROWS[kind]))
  const asked = db.prepare<{ question: string }>(ASKED)

  /** Those that are there, by kind and id. */
  function read(called: readonly Called[]): Map<string, Row> {
    const found = new Map<string, Row>()
    for (const kind of enumerations.similarKind) {
      const ids: (string | null)[] = []
      for (const one of called) if (one.kind === kind) ids.push(one.id)
      if (ids.length === 0) continue
      for (const row of rows[kind].all(...ids, ...NONE.slice(ids.length))) found.set(keyOf(row), row)
    }
    return found
  }

  /** Nothing where it names what is not there: the history of another instance may say so. */
  function restored(kept: Kept): SimilarItem[] {
    if (!isShort(kept)) return [kept]
    const [kind, id, status, cameOfIt, revision] = kept
    const [row] = read([{ kind, id }]).values()
    if (row === undefined) return []
    const line = revision === undefined ? row.line : (asked.get(kind === "attempt" ? id : null, id, revision)?.question ?? row.line)
    return [itemOf({ ...row, line, status, cameOfIt }, row.roomId)]
  }

  return {
    /** Objects that are there, in the order they are named; so many at the most as are found. */
    rowsOf(called: readonly Called[]): Row[] {
      const found = read(called)
      return called.map((one) => present(found.get(keyOf(one))))
    },
    /** What stands beside a receipt, of what the history keeps of it. @param kept as `extrasOf` made it, or whole, as it once was */
    restoreExtras({ similar = [], sameExecution = [] }: JsonObject): AlreadyTried {
      return {
        similar: keptIn(similar).flatMap(restored),
        sameExecution: keptIn(sameExecution).flatMap(restored),
      }
    },
  }
}
const keyOf = ({ kind, id }: Called): string => `${kind} ${id}`
const isKept = (value: unknown): value is Kept => isObject(value)
const keptIn = (value: Json): Kept[] => (Array.isArray(value) ? value.filter(isKept) : [])
const isShort = (kept: Kept): kept is ShortItem => Array.isArray(kept)

/** The similar objects of a write, as they are shown beside its receipt and as they are kept. */
export function extrasOf({ similar, sameExecution, seenFrom }: Tried): ReceiptExtras {
  const shown = (rows: readonly Row[]) => rows.map((row) => itemOf(row, seenFrom))
  const keep = (rows: readonly Row[], items: readonly SimilarItem[]) =>
    items.map((item, at): Kept => {
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
