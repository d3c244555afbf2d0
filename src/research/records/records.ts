/** Scientific records of every kind: their rows, what they rest on, and the lists of them. */
import type { RecordAnswer } from "../../contract/answers.ts"
import type { RecordKind } from "../../contract/enumerations.ts"
import { JsonText, type Stored } from "../../contract/json.ts"
import type { Concepts } from "../../contract/science.ts"
import type { Db } from "../../ledger/database.ts"
import type { Part, Reference } from "../evidence/evidence.ts"
import { recordSummary, related, SUMMARY_COLUMNS, SUMMARY_TABLES, type SummaryRow } from "./shown.ts"

export interface NewRecord {
  readonly versionId: string
  readonly kind: RecordKind
  readonly label: string
  readonly roomId: string
  readonly threadId: string
  readonly entryId: string
  readonly authorId: string
  readonly at: string
  readonly wording: string
  /** Canonical JSON as accepted. */
  readonly content: string
  readonly contentDigest: string
  readonly client: object | undefined
  readonly concepts: Concepts
  readonly references: readonly Reference[]
  /** arXiv ids of papers it quotes. */
  readonly papers?: readonly string[]
}

interface Texts {
  readonly content: Stored<RecordAnswer["content"]>
  readonly client: Stored<NonNullable<RecordAnswer["client"]>> | null
}
type ReferenceRow = Parameters<typeof related>[0] & { readonly part: Part; readonly purpose: string | null; readonly explanation: string }

const resolved = (row: ReferenceRow) => ({
  ...related(row),
  explanation: row.explanation,
  ...(row.purpose === null ? {} : { purpose: row.purpose }),
})

const SUMMARY = `SELECT ${SUMMARY_COLUMNS} FROM ${SUMMARY_TABLES}`
/** Sorts after every id. */
const END = "g"

export type Records = ReturnType<typeof records>

export function records(db: Db) {
  const insert = db.prepare(
    "INSERT INTO records (version_id, kind, label, room_id, thread_id, entry_id, author_id, created_at, wording, content, content_digest, client) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
  )
  const insertReference = db.prepare(
    `INSERT INTO record_references (version_id, part, position, to_version_id, purpose, explanation)
     VALUES (?, ?, (SELECT count(*) FROM record_references WHERE version_id = ? AND part = ?), ?, ?, ?)`,
  )
  const insertConcept = db.prepare("INSERT INTO concepts (version_id, key, label, definition) VALUES (?, ?, ?, ?)")
  const insertPaper = db.prepare("INSERT INTO record_papers (arxiv_id, version_id) VALUES (?, ?) ON CONFLICT DO NOTHING")
  const exists = db.prepare("SELECT 1 FROM records WHERE version_id = ?")
  const one = db.prepare<SummaryRow>(`${SUMMARY} WHERE r.version_id = ?`)
  const whole = db.prepare<SummaryRow & Texts>(
    `SELECT ${SUMMARY_COLUMNS}, r.content, r.client FROM ${SUMMARY_TABLES} WHERE r.version_id = ?`,
  )
  const referencesOf = db.prepare<ReferenceRow>(
    `SELECT x.part, x.purpose, x.explanation, r.version_id AS versionId, r.label, r.kind, r.wording, s.status, s.notices
     FROM record_references x JOIN records r ON r.version_id = x.to_version_id LEFT JOIN standings s ON s.version_id = r.version_id
     WHERE x.version_id = ? AND x.part IN ('premise', 'reference') ORDER BY x.part, x.position`,
  )
  const newest = db.prepare<SummaryRow>(`${SUMMARY} WHERE r.version_id < ? ORDER BY r.version_id DESC LIMIT ?`)
  const newestOfRoom = db.prepare<SummaryRow>(`${SUMMARY} WHERE r.room_id = ? AND r.version_id < ? ORDER BY r.version_id DESC LIMIT ?`)
  const newestOfKind = db.prepare<SummaryRow>(`${SUMMARY} WHERE r.room_id = ? AND r.kind = ? ORDER BY r.version_id DESC LIMIT ?`)
  const newestOfThread = db.prepare<SummaryRow>(`${SUMMARY} WHERE r.thread_id = ? ORDER BY r.version_id DESC LIMIT ?`)
  const newestOfThreadAndKind = db.prepare<SummaryRow>(`${SUMMARY} WHERE r.thread_id = ? AND r.kind = ? ORDER BY r.version_id DESC LIMIT ?`)
  // What is skipped is counted in the index alone.
  const ofPaper = db.prepare<SummaryRow>(
    `${SUMMARY} WHERE r.version_id IN (SELECT version_id FROM record_papers WHERE arxiv_id = ? ORDER BY version_id DESC LIMIT ? OFFSET ?)
     ORDER BY r.version_id DESC`,
  )
  const ofKind = db.prepare<SummaryRow>(`${SUMMARY} WHERE r.kind = ? AND r.version_id > ? ORDER BY r.version_id LIMIT ?`)
  const ofKindInRoom = db.prepare<SummaryRow>(
    `${SUMMARY} WHERE r.room_id = ? AND r.kind = ? AND r.version_id > ? ORDER BY r.version_id LIMIT ?`,
  )
  const labelled = db.prepare<SummaryRow>(`${SUMMARY} WHERE r.room_id = ? AND r.label = ? AND r.version_id > ?`)

  return {
    insert(record: NewRecord): void {
      const { versionId } = record
      insert.run(
        versionId,
        record.kind,
        record.label,
        record.roomId,
        record.threadId,
        record.entryId,
        record.authorId,
        record.at,
        record.wording,
        record.content,
        record.contentDigest,
        record.client === undefined ? null : JSON.stringify(record.client),
      )
      for (const { part, versionId: to, purpose = null, explanation } of record.references)
        insertReference.run(versionId, part, versionId, part, to, purpose, explanation)
      for (const [key, { label, definition }] of Object.entries(record.concepts)) insertConcept.run(versionId, key, label, definition)
      for (const arxivId of record.papers ?? []) insertPaper.run(arxivId, versionId)
    },

    exists: (versionId: string): boolean => exists.get(versionId) !== undefined,

    /** A record as lists show it; undefined when there is none. */
    summary(versionId: string) {
      const row = one.get(versionId)
      return row && recordSummary(row)
    },

    /** Records named by exact reference, in the same order. */
    resolve: (versionIds: readonly string[]) =>
      versionIds.flatMap((versionId) => {
        const row = one.get(versionId)
        return row === undefined ? [] : [related(row)]
      }),

    /** A record whole, its content as it was accepted. */
    read(versionId: string) {
      const row = whole.get(versionId)
      if (row === undefined) return undefined
      const { content, client } = row
      const { wording: _inContent, ...shown } = recordSummary(row)
      const named = referencesOf.all(versionId)
      return {
        ...shown,
        content: new JsonText(content),
        ...(client === null ? {} : { client: new JsonText(client) }),
        premises: named.filter(({ part }) => part === "premise").map(resolved),
        references: named.filter(({ part }) => part === "reference").map(resolved),
      }
    },

    /** Up to `count` records older than `before`, newest first; of one Room or of all. */
    newest: (roomId: string | undefined, before: string | undefined, count: number) =>
      (roomId === undefined ? newest.all(before ?? END, count) : newestOfRoom.all(roomId, before ?? END, count)).map(recordSummary),
    /** The newest records of a kind in a Room, newest first. */
    newestOfKind: (roomId: string, kind: RecordKind, count: number) => newestOfKind.all(roomId, kind, count).map(recordSummary),
    /** The newest records published in a Thread, of a kind or of all, newest first. */
    newestOfThread: (threadId: string, kind: RecordKind | undefined, count: number) =>
      (kind === undefined ? newestOfThread.all(threadId, count) : newestOfThreadAndKind.all(threadId, kind, count)).map(recordSummary),
    /** Up to `count` records that quote a paper, newest first, after so many. */
    ofPaper: (arxivId: string, offset: number, count: number) => ofPaper.all(arxivId, count, offset).map(recordSummary),

    /** Up to `count` records of a kind after an id, in the order they were published. */
    ofKind(kind: RecordKind, { roomId, label }: { roomId?: string; label?: string }, after: string | undefined, count: number) {
      if (roomId === undefined) return ofKind.all(kind, after ?? "", count).map(recordSummary)
      if (label === undefined) return ofKindInRoom.all(roomId, kind, after ?? "", count).map(recordSummary)
      return labelled.all(roomId, label, after ?? "").map(recordSummary)
    },
  }
}
