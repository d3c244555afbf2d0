/**
 * What changed in a Room, or among the records that a checkpoint cites: what was corrected, replaced, retracted,
 * disputed or not reproduced, and whose values moved; and the reproductions by their kind.
 */
import {
  changedInWords,
  type ChangedRecord,
  kindsInWords,
  type ReproductionKind,
  type WhatChanged,
} from "../../contract/answers/changed.ts"
import { pathTo } from "../../contract/reads/index.ts"
import { shortened } from "../../contract/text.ts"
import { type BriefSources, itemsOf } from "../../ledger/domains/brief.ts"
import type { Author } from "../../contract/answers/parts.ts"
import { picked } from "../../contract/typed.ts"
import { limits } from "../../contract/limits.ts"
import type { LinkKind, RecordKind } from "../../contract/schema/enumerations.ts"
import { AUTHOR, authorIn } from "../../ledger/journal/actor.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import { fromOtherRoom } from "../../ledger/lists/labelled.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { DEGREES, type StoredDegrees } from "../evidence/pages.ts"
import { ANSWER, STANDS } from "../evidence/words.ts"
import { type ChangedEffect, changedEffects } from "../measurements/moved-effects.ts"
import { Remembered } from "../../ledger/storage/caches.ts"

const SIGHT = limits.changedSight
/** Rooms whose changes are kept until anything is written: the Room is read for each of its pages. */
const KEPT = 64

/** A record, and what speaks about it. */
interface Row extends Author {
  readonly versionId: string
  readonly label: string
  readonly kind: RecordKind
  readonly roomId: string
  readonly wording: string
  readonly sourceId: string
  readonly sourceLabel: string
  readonly sourceRoomId: string
  readonly at: string
}
interface LinkRow extends Row {
  readonly link: LinkKind
  readonly changes: "meaning" | "wording" | null
  readonly explanation: string
  readonly correction: string | null
  readonly part: string | null
  readonly replacement: string | null
  readonly isAnswered: number
}
interface ReproductionRow extends Row, StoredDegrees {
  readonly verdict: string
  readonly implementation: "same" | "changed" | "own" | null
  readonly explanation: string | null
  readonly comparison: string | null
}
const RECORD = "r.version_id AS versionId, r.label, r.kind, r.room_id AS roomId, r.wording"

const kinds: { readonly [K in LinkKind]: ChangedRecord["change"] } = {
  corrects: "corrected",
  supersedes: "superseded",
  retracts: "retracted",
  disputes: "disputed",
}

export type Changed = ReturnType<typeof changed>

export function changed(db: Db) {
  const ofRoom = db.prepare<{ id: string }>(
    `SELECT version_id AS id
     FROM (SELECT version_id FROM records WHERE room_id = +? AND kind = 'finding'
       ORDER BY version_id DESC LIMIT ${SIGHT})
     UNION SELECT target_version_id
     FROM (SELECT target_version_id FROM research_links WHERE room_id = +? ORDER BY link_id DESC LIMIT ${SIGHT})
     UNION SELECT target_id
     FROM evidence_words
     WHERE source = 'reproduction' AND speaker_id IN (SELECT attempt_id FROM attempts
       WHERE room_id = +? AND intent = 'reproduction'
       ORDER BY CAST(substr(label, 2) AS INTEGER) DESC LIMIT ${SIGHT})`,
  )
  const ofThread = db.prepare<{ id: string }>(
    `SELECT version_id AS id FROM (SELECT version_id FROM records WHERE thread_id = +? AND kind = 'finding'
       ORDER BY version_id DESC LIMIT ${SIGHT})
     UNION SELECT version_id FROM (SELECT version_id FROM records WHERE thread_id = +? AND kind = 'hypothesis'
       ORDER BY version_id DESC LIMIT ${SIGHT})`,
  )
  // First the newest about each record, by keys alone; of those the newest are read.
  const linksAbout = db.prepare<{ id: string; order: string }>(
    `SELECT l.link_id AS id, l.link_id AS "order"
     FROM json_each(+?)
      CROSS JOIN research_links l ON l.link_id IN (SELECT a.link_id FROM research_links a
        WHERE a.target_version_id = json_each.value AND ${STANDS("a")} ORDER BY a.link_id DESC LIMIT ${SIGHT})`,
  )
  const wordsAbout = db.prepare<{ id: string; order: string }>(
    `SELECT json_array(w.target_id, w.sequence) AS id, w.at AS "order"
     FROM json_each(+?)
      CROSS JOIN evidence_words w ON w.target_id = json_each.value
        AND w.sequence IN (SELECT a.sequence FROM evidence_words a
          WHERE a.target_id = json_each.value AND a.source = 'reproduction' AND a.counted = 1
          ORDER BY a.sequence DESC LIMIT ${SIGHT})`,
  )
  const links = db.prepare<LinkRow>(
    `SELECT ${RECORD}, l.link_id AS sourceId, l.label AS sourceLabel, l.room_id AS sourceRoomId, l.at,
        ${AUTHOR("l")}, l.kind AS link, l.changes,
        l.explanation, ${contentOf("l")} ->> '$.correction' AS correction, ${contentOf("l")} ->> '$.part' AS part,
        n.label || ': ' || n.wording AS replacement, ${ANSWER} IS NOT NULL AS isAnswered
     FROM json_each(+?)
      CROSS JOIN research_links l ON l.link_id = json_each.value
      JOIN records r ON r.version_id = l.target_version_id
      JOIN people p ON p.user_id = l.author_id
      LEFT JOIN records n ON n.version_id = l.replacement_version_id`,
  )
  const reproductions = db.prepare<ReproductionRow>(
    `SELECT ${RECORD}, a.attempt_id AS sourceId, a.label AS sourceLabel, a.room_id AS sourceRoomId, w.at,
        ${AUTHOR("a")}, ${DEGREES("w")},
        w.verdict, w.comparison, q.implementation, q.explanation
     FROM json_each(+?)
      CROSS JOIN evidence_words w ON w.target_id = json_each.value ->> 0 AND w.sequence = json_each.value ->> 1
      JOIN records r ON r.version_id = w.target_id
      JOIN attempts a ON a.attempt_id = w.speaker_id
      JOIN people p ON p.user_id = a.registrant_id
      LEFT JOIN reproductions q ON q.attempt_id = a.attempt_id`,
  )
  // The newest report of its attempts is what moved an effect.
  const moved = db.prepare<Row & { readonly position: number }>(
    `SELECT ${RECORD}, a.attempt_id AS sourceId, a.label AS sourceLabel, a.room_id AS sourceRoomId,
        a.updated_at AS at, ${AUTHOR("a")}, m.position
     FROM json_each(+?)
      CROSS JOIN moved_effects m ON m.holder_id = json_each.value
      JOIN finding_effects f ON f.version_id = m.holder_id AND f.position = m.position
      JOIN records r ON r.version_id = f.version_id
      JOIN attempts a ON a.attempt_id = (SELECT b.attempt_id FROM attempts b
        WHERE b.attempt_id IN (SELECT value FROM json_each(f.attempts)) ORDER BY b.updated_at DESC LIMIT 1)
      JOIN people p ON p.user_id = a.registrant_id
     LIMIT ${SIGHT}`,
  )
  const { failedOf, movedOf } = changedEffects(db)
  const newest = db.prepare<{ position: number | null }>("SELECT max(position) AS position FROM journal")
  const kept = new Remembered<WhatChanged>(db, KEPT)

  const about = (row: Row, seenFrom: string, kind: "link" | "attempt") => ({
    ...picked(row, "versionId", "label", "kind", "at"),
    ...fromOtherRoom(row.roomId, seenFrom),
    author: authorIn(row),
    source: { kind, id: row.sourceId, label: row.sourceLabel, ...fromOtherRoom(row.sourceRoomId, seenFrom) },
  })
  const byLink = (row: LinkRow, seenFrom: string): ChangedRecord => ({
    ...about(row, seenFrom, "link"),
    change: row.changes === "wording" ? "reworded" : kinds[row.link],
    before: row.wording,
    now: row.correction ?? row.replacement,
    ...(row.part !== null && { part: row.part }),
    ...(row.link === "disputes" && { isAnswered: row.isAnswered === 1 }),
    why: row.explanation,
  })
  const byReproduction = (
    row: ReproductionRow,
    failed: ChangedEffect | undefined,
    seenFrom: string,
  ): ChangedRecord => ({
    ...about(row, seenFrom, "attempt"),
    change: "not_reproduced",
    before: failed?.before ?? row.wording,
    now: failed?.now ?? null,
    why: row.comparison ?? row.explanation ?? "",
  })
  const byValues = (row: Row, change: ChangedEffect | undefined, seenFrom: string): ChangedRecord => ({
    ...about(row, seenFrom, "attempt"),
    change: "moved",
    before: change?.before ?? row.wording,
    now: change?.now ?? null,
    why: `Its attempts, such as ${row.sourceLabel}, reported other values since.`,
  })

  /** What happened to some records, the newest first. @param seenFrom the Room in which it is shown */
  function of(versionIds: readonly string[], seenFrom: string): WhatChanged {
    // Their ids grow with time: of more moved effects than are looked through, those of the newest records are told.
    const ids = JSON.stringify(versionIds.toSorted().reverse())
    const reproduced = reproductions.all(newestOf(wordsAbout.all(ids)))
    const failed = reproduced.filter(({ verdict }) => verdict === "does_not_reproduce")
    const nowOf = movedOf(ids)
    const effectOf = failedOf(failed.map(({ sourceId }) => sourceId))
    const all = [
      ...links.all(newestOf(linksAbout.all(ids))).map((row) => byLink(row, seenFrom)),
      ...failed.map((row) => byReproduction(row, effectOf(row.sourceId, row.versionId), seenFrom)),
      ...moved.all(ids).map((row) => byValues(row, nowOf(row.versionId, row.position), seenFrom)),
    ]
    return {
      changed: all.sort((one, other) => newestFirst(one.at, other.at)).slice(0, limits.changedItems),
      moreChanged: Math.max(0, all.length - limits.changedItems),
      reproductionKinds: byKind(reproduced),
    }
  }

  return {
    of,
    /** What happened to the newest findings of a Room, and to what its newest links and reproductions are about. */
    ofRoom(roomId: string): WhatChanged {
      const key = `${roomId} ${newest.one().position}`
      const found = kept.get(key) ?? of(idsIn(ofRoom.all(roomId, roomId, roomId)), roomId)
      kept.set(key, found)
      return found
    },
    /** The same for the newest findings and hypotheses of a Thread. */
    ofThread(threadId: string, roomId: string): WhatChanged {
      return of(idsIn(ofThread.all(threadId, threadId)), roomId)
    },
  }
}

/** The newest changes in a brief. Disputes that are not answered are a list of their own. */
export function changesInBrief({ changed }: { readonly changed: Changed }) {
  return {
    changed: {
      title: "What changed",
      line: changedInWords,
      link: ({ roomId }) => pathTo("room", { roomId }),
      read: ({ roomId, threadId }) => ({
        items() {
          const since = threadId === undefined ? changed.ofRoom(roomId) : changed.ofThread(threadId, roomId)
          const changes = since.changed.filter(({ isAnswered }) => isAnswered !== false)
          return {
            ...itemsOf(changes, ({ before, now, why, ...change }, most) => ({
              ...change,
              before: shortened(before, most),
              now: now === null ? null : shortened(now, most),
              why: shortened(why, most),
            })),
            total: changes.length + since.moreChanged,
            reproductions: kindsInWords(since.reproductionKinds),
          }
        },
      }),
    },
  } satisfies Partial<BriefSources>
}

const idsIn = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id)
/** The newest rows that are looked through, as a JSON list of their ids. */
const newestOf = (rows: readonly { readonly id: string; readonly order: string }[]): string =>
  JSON.stringify(idsIn(rows.toSorted((one, other) => newestFirst(one.order, other.order)).slice(0, SIGHT)))
const newestFirst = (one: string, other: string): number => (one < other ? 1 : one > other ? -1 : 0)

const codeOf = ({ implementation, otherCode }: ReproductionRow): ReproductionKind["implementation"] =>
  implementation ?? (otherCode === 1 ? "other_repository" : otherCode === 0 ? "same" : "unknown")
const writerOf = ({ independent, otherAgent }: ReproductionRow): ReproductionKind["by"] =>
  independent === 1 ? "another_person" : otherAgent === 1 ? "another_agent" : "author"

/** Counts reproductions by their code and by who ran them, the most independent first. */
function byKind(rows: readonly ReproductionRow[]): ReproductionKind[] {
  const groups = Map.groupBy(rows, (row) => `${writerOf(row)} ${codeOf(row)}`)
  return [...groups.values()]
    .flatMap((some): ReproductionKind[] => {
      const [first] = some
      const are = (...verdicts: string[]) => some.filter(({ verdict }) => verdicts.includes(verdict)).length
      return first === undefined
        ? []
        : [
            {
              implementation: codeOf(first),
              by: writerOf(first),
              reproductions: some.length,
              reproduced: are("reproduces", "partly_reproduces"),
              failed: are("does_not_reproduce"),
              of: [...new Set(some.map(({ label }) => label))].sort(
                (one, other) => Number(one.slice(1)) - Number(other.slice(1)),
              ),
            },
          ]
    })
    .sort((one, other) => rankOf(one) - rankOf(other))
}
const ORDER = ["another_person", "another_agent", "author"] as const
const CODES = ["own", "other_repository", "changed", "same", "unknown"] as const
const rankOf = ({ by, implementation }: ReproductionKind): number =>
  ORDER.indexOf(by) * CODES.length + CODES.indexOf(implementation)
