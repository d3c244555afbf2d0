/** Scientific records of every kind: their rows, what they rest on, and how they are shown. */
import type { RecordKind } from "../../contract/enumerations.ts"
import { JsonText, type Writable } from "../../contract/json.ts"
import type { Concepts } from "../../contract/science.ts"
import type { Db } from "../../ledger/database.ts"
import { containing } from "../../ledger/paging.ts"

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
  readonly premises: readonly { versionId: string; explanation: string }[]
  readonly references: readonly { versionId: string; purpose: string; explanation: string }[]
}

interface SummaryRow {
  version_id: string
  kind: RecordKind
  label: string
  room_id: string
  thread_id: string
  entry_id: string
  author_id: string
  username: string
  created_at: string
  wording: string
  content_digest: string
}
interface Row extends SummaryRow {
  content: string
  client: string | null
  premise_uses: number
  reference_uses: number
  reuses: number
}
interface ReferenceRow {
  part: "premise" | "reference"
  purpose: string | null
  explanation: string
  version_id: string
  label: string
  kind: RecordKind
  wording: string
}
interface ConceptRow {
  version_id: string
  key: string
  label: string
  definition: string
  record_label: string
  kind: RecordKind
  room_id: string
}

/** What a reader should know of where a record comes from, in a sentence. */
const provenanceSummaries: Record<RecordKind, string> = {
  hypothesis: "A prediction by its author; it reports no result.",
  finding: "Results curated by their author.",
  cited_claim: "A claim of a paper, quoted by its author.",
}

const shared = (row: SummaryRow) => ({
  versionId: row.version_id,
  kind: row.kind,
  label: row.label,
  roomId: row.room_id,
  threadId: row.thread_id,
  entryId: row.entry_id,
  author: { userId: row.author_id, username: row.username },
  createdAt: row.created_at,
  contentDigest: row.content_digest,
  status: "current",
  notices: [],
  provenanceSummary: provenanceSummaries[row.kind],
})

/** A record as lists show it. */
export const recordSummary = (row: SummaryRow) => ({ ...shared(row), wording: row.wording })

const concept = (row: ConceptRow) => ({
  versionId: row.version_id,
  key: row.key,
  label: row.label,
  definition: row.definition,
  recordLabel: row.record_label,
  recordKind: row.kind,
  roomId: row.room_id,
})

const resolved = (row: ReferenceRow) => ({
  versionId: row.version_id,
  label: row.label,
  kind: row.kind,
  wording: row.wording,
  status: "current",
  explanation: row.explanation,
  ...(row.purpose === null ? {} : { purpose: row.purpose }),
})

const SUMMARY_COLUMNS =
  "r.version_id, r.kind, r.label, r.room_id, r.thread_id, r.entry_id, r.author_id, p.username, r.created_at, r.wording, r.content_digest"
const SUMMARY = `SELECT ${SUMMARY_COLUMNS} FROM records r JOIN people p ON p.user_id = r.author_id`
const CONCEPT = `SELECT c.version_id, c.key, c.label, c.definition, r.label AS record_label, r.kind, r.room_id FROM concepts c JOIN records r USING (version_id)`

export type Records = ReturnType<typeof records>

export function records(db: Db) {
  const insert = db.prepare(
    "INSERT INTO records (version_id, kind, label, room_id, thread_id, entry_id, author_id, created_at, wording, content, content_digest, client) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
  )
  const insertReference = db.prepare(
    "INSERT INTO record_references (version_id, part, position, to_version_id, purpose, explanation) VALUES (?, ?, ?, ?, ?, ?)",
  )
  const insertConcept = db.prepare("INSERT INTO concepts (version_id, key, label, definition) VALUES (?, ?, ?, ?)")
  const exists = db.prepare("SELECT 1 FROM records WHERE version_id = ?")
  const card = db.prepare<SummaryRow>(`${SUMMARY} WHERE r.version_id = ?`)
  const one = db.prepare<Row>(
    `SELECT ${SUMMARY_COLUMNS}, r.content, r.client,
       (SELECT count(*) FROM record_references u WHERE u.to_version_id = r.version_id AND u.part = 'premise') AS premise_uses,
       (SELECT count(*) FROM record_references u WHERE u.to_version_id = r.version_id AND u.part = 'reference') AS reference_uses,
       (SELECT count(*) - 1 FROM timeline_entries e WHERE e.version_id = r.version_id) AS reuses
     FROM records r JOIN people p ON p.user_id = r.author_id WHERE r.version_id = ?`,
  )
  const referencesOf = db.prepare<ReferenceRow>(
    `SELECT f.part, f.purpose, f.explanation, r.version_id, r.label, r.kind, r.wording
     FROM record_references f JOIN records r ON r.version_id = f.to_version_id WHERE f.version_id = ? ORDER BY f.part, f.position`,
  )
  const newest = db.prepare<SummaryRow>(`${SUMMARY} WHERE r.version_id < ? ORDER BY r.version_id DESC LIMIT ?`)
  const newestOfRoom = db.prepare<SummaryRow>(`${SUMMARY} WHERE r.room_id = ? AND r.version_id < ? ORDER BY r.version_id DESC LIMIT ?`)
  const ofKind = db.prepare<SummaryRow>(`${SUMMARY} WHERE r.kind = ? AND r.version_id > ? ORDER BY r.version_id LIMIT ?`)
  const ofKindInRoom = db.prepare<SummaryRow>(`${SUMMARY} WHERE r.room_id = ? AND r.kind = ? AND r.version_id > ? ORDER BY r.version_id LIMIT ?`)
  const labelled = db.prepare<SummaryRow>(`${SUMMARY} WHERE r.room_id = ? AND r.label = ? AND r.version_id > ?`)
  const oneConcept = db.prepare<ConceptRow>(`${CONCEPT} WHERE c.version_id = ? AND c.key = ?`)
  const concepts = db.prepare<ConceptRow>(`${CONCEPT} WHERE (c.version_id, c.key) < (?, ?) ORDER BY c.version_id DESC, c.key DESC LIMIT ?`)
  const conceptSearch = db.prepare<ConceptRow>(
    `${CONCEPT} WHERE (c.version_id, c.key) < (?, ?) AND (c.key LIKE ? ESCAPE '\\' OR c.label LIKE ? ESCAPE '\\' OR c.definition LIKE ? ESCAPE '\\')
     ORDER BY c.version_id DESC, c.key DESC LIMIT ?`,
  )
  /** Sorts after every id. */
  const END = "g"

  return {
    insert(record: NewRecord): void {
      const { versionId, premises, references } = record
      insert.run(
        versionId, record.kind, record.label, record.roomId, record.threadId, record.entryId, record.authorId, record.at,
        record.wording, record.content, record.contentDigest, record.client === undefined ? null : JSON.stringify(record.client),
      )
      premises.forEach((premise, position) => insertReference.run(versionId, "premise", position, premise.versionId, null, premise.explanation))
      references.forEach((reference, position) => insertReference.run(versionId, "reference", position, reference.versionId, reference.purpose, reference.explanation))
      for (const [key, { label, definition }] of Object.entries(record.concepts)) insertConcept.run(versionId, key, label, definition)
    },

    exists: (versionId: string): boolean => exists.get(versionId) !== undefined,
    hasConcept: (versionId: string, key: string): boolean => oneConcept.get(versionId, key) !== undefined,

    /** What a card shows of a record; undefined when there is none. */
    summary(versionId: string) {
      const row = card.get(versionId)
      return row && recordSummary(row)
    },

    /** Records named by exact reference, in the same order. */
    resolve: (versionIds: readonly string[]) =>
      versionIds.flatMap((versionId) => {
        const row = card.get(versionId)
        return row === undefined ? [] : [{ versionId, label: row.label, kind: row.kind, wording: row.wording, status: "current" }]
      }),

    /** A record whole, its content as it was accepted. */
    read(versionId: string): { kind: RecordKind; answer: { readonly [member: string]: Writable } } | undefined {
      const row = one.get(versionId)
      if (row === undefined) return undefined
      const rests = referencesOf.all(versionId)
      const answer = {
        ...shared(row),
        content: new JsonText(row.content),
        ...(row.client === null ? {} : { client: new JsonText(row.client) }),
        warnings: [],
        premises: rests.filter(({ part }) => part === "premise").map(resolved),
        references: rests.filter(({ part }) => part === "reference").map(resolved),
        usedBy: { premises: row.premise_uses, references: row.reference_uses, reuses: row.reuses },
        materials: [],
        execution: null,
      }
      return { kind: row.kind, answer }
    },

    /** Up to `count` records older than `before`, newest first; of one Room or of all. */
    newest: (roomId: string | undefined, before: string | undefined, count: number) =>
      (roomId === undefined ? newest.all(before ?? END, count) : newestOfRoom.all(roomId, before ?? END, count)).map(recordSummary),

    /** Up to `count` records of a kind after an id, in the order they were published. */
    ofKind(kind: RecordKind, { roomId, label }: { roomId?: string; label?: string }, after: string | undefined, count: number) {
      if (roomId === undefined) return ofKind.all(kind, after ?? "", count).map(recordSummary)
      if (label === undefined) return ofKindInRoom.all(roomId, kind, after ?? "", count).map(recordSummary)
      return labelled.all(roomId, label, after ?? "").map(recordSummary)
    },

    concept(versionId: string, key: string) {
      const row = oneConcept.get(versionId, key)
      return row && concept(row)
    },
    /** Up to `count` concepts before a record and key, newest record first. */
    concepts(query: string | undefined, before: readonly string[] | undefined, count: number) {
      const [versionId = END, key = ""] = before ?? []
      if (query === undefined) return concepts.all(versionId, key, count).map(concept)
      const pattern = containing(query)
      return conceptSearch.all(versionId, key, pattern, pattern, pattern, count).map(concept)
    },
  }
}
