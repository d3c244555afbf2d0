/** The rows of records of every kind, their references, lists of them, and how they are shown. */
import type { RecordAnswer, Notice, RecordSummary } from "../../contract/nouns/record-answers.ts"
import type { Author } from "../../contract/answers/parts.ts"
import type { RecordKind, RecordStatus, Bearing } from "../../contract/schema/enumerations.ts"
import { recordKinds } from "../../contract/objects/objects.ts"
import { JsonText, type Stored } from "../../contract/json.ts"
import type { Concepts } from "../../contract/definitions/work.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting, type NewRow, workedOut } from "../../ledger/storage/inserting.ts"
import { filteredList } from "../../ledger/lists/paging.ts"
import { AGENT, AUTHOR, authorIn } from "../../ledger/journal/actor.ts"
import type { Made } from "../../ledger/journal/behaviour.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import { VERDICT_FROM, type VerdictFrom, IN_DOUBT, BEARING } from "../evidence/verdict.ts"
import type { Part, Reference } from "../evidence/evidence.ts"
import type { Reviewed } from "../../contract/nouns/reviews.ts"
import { fromOtherRoom, marked } from "../../ledger/lists/labelled.ts"
import { TALLY_COLUMNS, TALLY_OF, tallyIn, type TallyRow } from "../evidence/words.ts"
import { REVIEWED } from "../reviews/reviews.ts"

// Turns rows into the summaries of records that lists, cards and references show.

/** The columns of a record's standing; both are null for most records. */
export interface StandingRow {
  readonly status: RecordStatus | null
  readonly notices: Stored<Notice[]> | null
}

interface Origin {
  readonly retrospective: number | null
  readonly experimentLabel: string | null
  readonly planLabel: string | null
  readonly producing: number | null
  readonly papers: number | null
}

export type SummaryRow = Omit<
  RecordSummary,
  "author" | "status" | "notices" | "provenanceSummary" | "evidenceTally" | "inDoubt" | "verdict" | "reviewed"
> &
  Author &
  StandingRow &
  Origin &
  TallyRow & { readonly bearing: Bearing; readonly inDoubt: number; readonly reviewed: Stored<Reviewed> | null }

export const SUMMARY_COLUMNS = `r.version_id AS versionId, r.kind, r.label, r.room_id AS roomId,
    r.thread_id AS threadId, r.entry_id AS entryId,
  ${AUTHOR("r")}, r.created_at AS createdAt, r.wording,
    r.content_digest AS contentDigest, s.status, s.notices,
  f.outcome, f.retrospective, f.papers, e.label AS experimentLabel, n.label AS planLabel,
  CASE WHEN f.experiment_id IS NULL THEN NULL ELSE
    (SELECT count(*) FROM finding_attempts t WHERE t.version_id = r.version_id
        AND t.role = 'producing') END AS producing, ${TALLY_COLUMNS}, ${BEARING} AS bearing,
    ${IN_DOUBT("r.version_id")} AS inDoubt,
  CASE r.kind WHEN 'finding' THEN ${REVIEWED("r.version_id")} END AS reviewed`

export const SUMMARY_TABLES = `records r
  JOIN people p ON p.user_id = r.author_id
  LEFT JOIN standings s ON s.version_id = r.version_id
  LEFT JOIN findings f ON f.version_id = r.version_id
  LEFT JOIN experiments e ON e.experiment_id = f.experiment_id
  LEFT JOIN plans n ON n.plan_id = f.plan_id
  ${TALLY_OF("r.version_id")}`

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`

/** Names the results of a finding, and says if they are retrospective or come from no execution or paper. */
function results({ retrospective, papers, experimentLabel }: Origin): string {
  const paperless = experimentLabel === null && papers === 0
  if (retrospective === 1) return paperless ? "Retrospective, paperless results" : "Retrospective results"
  return paperless ? "Paperless results" : "Results"
}

/** Says in one sentence where a record comes from. */
function provenanceSummary(row: SummaryRow): string {
  if (row.kind === "hypothesis") return "A prediction by its author; it reports no result."
  if (row.kind === "cited_claim") return "A claim of a paper, quoted by its author."
  const papers = row.papers ? ` from ${counted(row.papers, "paper")}` : ""
  if (row.experimentLabel === null)
    return `${results(row)}${papers}, curated by their author; no recorded execution stands behind them.`
  const plan = row.planLabel === null ? "" : ` under ${row.planLabel}`
  return (
    `${results(row)} of ${counted(row.producing ?? 0, "attempt")} of ` +
    `${row.experimentLabel}${plan}, curated by their author.`
  )
}

/** Returns the standing of a record. */
export const standing = ({ status, notices }: StandingRow) => ({
  status: status ?? ("current" as const),
  notices: notices === null ? [] : new JsonText(notices),
})

/**
 * Returns the standing of a record shown in the Room `seenFrom`. The labels of its notices belong to the record's own
 * Room.
 */
export function standingSeenFrom({ status, notices }: StandingRow, originRoomId: string, seenFrom: string) {
  const seen =
    notices === null || originRoomId === seenFrom ? notices : marked(notices, fromOtherRoom(originRoomId, seenFrom))
  return standing({ status, notices: seen })
}

/** Returns a record as lists show it. */
export function recordSummary(row: SummaryRow) {
  const { versionId, kind, label, roomId, threadId, entryId, createdAt, wording, contentDigest, outcome } = row
  const { status, notices } = standing(row)
  return {
    versionId,
    kind,
    label,
    roomId,
    threadId,
    entryId,
    author: authorIn(row),
    createdAt,
    contentDigest,
    status,
    notices,
    outcome,
    provenanceSummary: provenanceSummary(row),
    evidenceTally: tallyIn(row),
    ...(kind === "hypothesis" && { verdict: row.bearing }),
    ...(kind === "finding" && { reviewed: row.reviewed && new JsonText(row.reviewed) }),
    inDoubt: row.inDoubt === 1,
    wording,
  }
}

/** The row of a record that another object refers to. */
export type RelatedRow = Pick<SummaryRow, "versionId" | "label" | "kind" | "wording" | "roomId" | keyof StandingRow>

/** Returns a record as an object of the Room `seenFrom` refers to it, with its standing. */
export const related = (row: RelatedRow, seenFrom: string) => ({
  versionId: row.versionId,
  label: row.label,
  kind: row.kind,
  wording: row.wording,
  ...standingSeenFrom(row, row.roomId, seenFrom),
  ...fromOtherRoom(row.roomId, seenFrom),
})

export interface NewRecord extends Made, Pick<NewRow<"records">, "versionId" | "label" | "wording"> {
  readonly kind: RecordKind
  readonly client: object | undefined
  readonly concepts: Concepts
  readonly references: readonly Reference[]
  /** The arXiv ids of papers that it quotes. */
  readonly papers?: readonly string[]
}

interface Texts {
  readonly content: Stored<RecordAnswer["content"]>
  readonly client: Stored<NonNullable<RecordAnswer["client"]>> | null
  readonly verdictFrom: VerdictFrom
}
type ReferenceRow = RelatedRow & { readonly part: Part; readonly purpose: string | null; readonly explanation: string }

const resolved = (row: ReferenceRow, seenFrom: string) => ({
  ...related(row, seenFrom),
  explanation: row.explanation,
  ...(row.purpose === null ? {} : { purpose: row.purpose }),
})

const SUMMARY = `SELECT ${SUMMARY_COLUMNS} FROM ${SUMMARY_TABLES}`
/** Selects only the records that a table names, in the order of that table. @param alias the alias of the table */
const summariesOf = (table: string, alias: string): string =>
  `SELECT ${SUMMARY_COLUMNS}
    FROM ${table}
    CROSS JOIN ${SUMMARY_TABLES.replace("JOIN people", `ON r.version_id = ${alias}.version_id JOIN people`)}`
/** Selects records whose status is current. `FALLEN` selects the others, by their status. */
const STANDING = `SELECT ${SUMMARY_COLUMNS}
  FROM ${SUMMARY_TABLES}
  JOIN (SELECT 1) ON s.status IS NULL OR s.status = 'current'`
const FALLEN = summariesOf("fallen_records d", "d")

/** Merges rows that were read kind by kind. */
const newestFirst = (found: readonly SummaryRow[], count: number) =>
  found
    .toSorted((one, other) => (one.versionId < other.versionId ? 1 : -1))
    .slice(0, count)
    .map(recordSummary)

export interface RecordFilters {
  readonly roomId?: string | undefined
  readonly kinds?: readonly string[] | undefined
  readonly status?: RecordStatus | undefined
  readonly authorId?: string | undefined
  readonly agent?: string | undefined
}

export type Records = ReturnType<typeof records>

export function records(db: Db) {
  const insert = inserting(db, "records")
  const insertReference = inserting(db, "record_references", {
    workedOut: {
      position: workedOut`(SELECT count(*)
        FROM record_references
        WHERE version_id = ${"versionId"} AND part = ${"part"})`,
    },
  })
  const insertConcept = inserting(db, "concepts")
  const insertPaper = inserting(db, "record_papers", {
    workedOut: {
      sequence: workedOut`1 + (SELECT coalesce(max(sequence), 0) FROM record_papers WHERE arxiv_id = ${"arxivId"})`,
    },
    onConflict: "DO NOTHING",
  })
  const one = db.prepare<SummaryRow>(`${SUMMARY} WHERE r.version_id = +?`)
  const whole = db.prepare<SummaryRow & Texts>(
    `SELECT ${SUMMARY_COLUMNS}, ${VERDICT_FROM} AS verdictFrom, ${contentOf("r")} AS content, r.client
      FROM ${SUMMARY_TABLES}
      WHERE r.version_id = +?`,
  )
  const referencesOf = db.prepare<ReferenceRow>(
    `SELECT x.part, x.purpose, x.explanation, r.version_id AS versionId, r.label, r.kind, r.wording,
        r.room_id AS roomId, s.status, s.notices
     FROM record_references x
      JOIN records r ON r.version_id = x.to_version_id
      LEFT JOIN standings s ON s.version_id = r.version_id
     WHERE x.version_id = +? AND x.part IN ('premise', 'reference') ORDER BY x.part, x.position`,
  )
  const columns = { roomId: "r.room_id", kind: "r.kind", authorId: "r.author_id", agent: AGENT("r") }
  const newest = filteredList<SummaryRow>(db, SUMMARY, columns, "r.version_id", true)
  const standing = filteredList<SummaryRow>(db, STANDING, columns, "r.version_id", true)
  // A plus keeps SQLite from using the index of that column: fewer records have fallen than an author or a kind has.
  const compared = { kind: "+r.kind", authorId: "+r.author_id", agent: AGENT("r") }
  const fallen = filteredList<SummaryRow>(
    db,
    FALLEN,
    { roomId: "d.room_id", status: "d.status", ...compared },
    "d.version_id",
    true,
  )
  const OF_KIND =
    "SELECT * FROM (SELECT version_id FROM records WHERE room_id = +? AND kind = +? ORDER BY version_id DESC LIMIT +?)"
  const newestOfKinds = db.prepare<SummaryRow>(
    `${SUMMARY} WHERE r.version_id IN (${recordKinds.map(() => OF_KIND).join(" UNION ALL ")})`,
  )
  const newestOfThreadAndKind = db.prepare<SummaryRow>(
    `${SUMMARY} WHERE r.thread_id = +? AND r.kind = +? ORDER BY r.version_id DESC LIMIT +?`,
  )
  // Sequences have no gaps, so an offset is a subtraction and no row is skipped one by one.
  const ofPaper = db.prepare<SummaryRow>(
    `${summariesOf("record_papers q", "q")}
     WHERE q.arxiv_id = +? AND q.sequence <= (SELECT max(sequence) FROM record_papers WHERE arxiv_id = +?) - +?
      ORDER BY q.sequence DESC
      LIMIT +?`,
  )
  const oldest = filteredList<SummaryRow>(
    db,
    SUMMARY,
    { roomId: "r.room_id", kind: "r.kind", label: "r.label", agent: AGENT("r") },
    "r.version_id",
  )

  return {
    /** Returns the verdict of all counted evidence on a record. */
    bearingOf: (versionId: string) => one.get(versionId)?.bearing,

    insert(record: NewRecord): void {
      const { versionId } = record
      const client = record.client === undefined ? null : JSON.stringify(record.client)
      insert({ ...record, createdAt: record.at, client })
      for (const { part, versionId: toVersionId, purpose, explanation } of record.references)
        insertReference({ versionId, part, toVersionId, purpose, explanation })
      for (const [key, { label, definition }] of Object.entries(record.concepts))
        insertConcept({ versionId, key, label, definition })
      for (const arxivId of record.papers ?? []) insertPaper({ arxivId, versionId })
    },

    /** Returns a record as lists show it; undefined if there is none. */
    summary(versionId: string) {
      const row = one.get(versionId)
      return row && recordSummary(row)
    },

    /** Returns the records with these ids in the same order, as an object of the Room `seenFrom` shows them. */
    resolve: (versionIds: readonly string[], seenFrom: string) =>
      versionIds.flatMap((versionId) => {
        const row = one.get(versionId)
        return row === undefined ? [] : [related(row, seenFrom)]
      }),

    /** Returns a whole record, with its content as it was accepted. */
    read(versionId: string) {
      const row = whole.get(versionId)
      if (row === undefined) return undefined
      const { content, client, verdictFrom } = row
      const { wording: _inContent, ...shown } = recordSummary(row)
      const related = referencesOf.all(versionId)
      return {
        ...shown,
        ...(row.kind === "hypothesis" && { verdictFrom: verdictFrom === null ? null : new JsonText(verdictFrom) }),
        content: new JsonText(content),
        ...(client === null ? {} : { client: new JsonText(client) }),
        premises: related.filter(({ part }) => part === "premise").map((reference) => resolved(reference, row.roomId)),
        references: related
          .filter(({ part }) => part === "reference")
          .map((reference) => resolved(reference, row.roomId)),
      }
    },

    /** Returns up to `count` records that match the filters and are older than `before`, newest first. */
    newest({ kinds, status, ...filters }: RecordFilters, before: string | undefined, count: number) {
      const list = status === undefined ? newest : status === "current" ? standing : fallen
      const found = [...new Set(kinds ?? [undefined])].flatMap((kind) =>
        list({ ...filters, status, kind }, before, count),
      )
      return newestFirst(found, count)
    },
    /**
     * Reads the newest records of every kind in a Room with one statement. @returns a function that picks those of some
     * kinds, newest first
     */
    newestOfKinds(roomId: string, count: number) {
      const rows = newestOfKinds.all(...recordKinds.flatMap((kind) => [roomId, kind, count]))
      return (kinds: readonly RecordKind[]) =>
        newestFirst(
          rows.filter(({ kind }) => kinds.includes(kind)),
          count,
        )
    },
    /** Returns the newest records of some kinds in a Thread, newest first. */
    newestOfThread(threadId: string, kinds: readonly RecordKind[], count: number) {
      const found = kinds.flatMap((kind) => newestOfThreadAndKind.all(threadId, kind, count))
      return newestFirst(found, count)
    },
    /** Returns up to `count` records that quote a paper, the latest to arrive on this instance first. */
    ofPaper: (arxivId: string, offset: number, count: number) =>
      ofPaper.all(arxivId, arxivId, offset, count).map(recordSummary),

    /** Returns up to `count` records of a kind after an id, in the order they were published. */
    ofKind(
      kind: RecordKind,
      { roomId, label, agent }: { roomId?: string; label?: string; agent?: string },
      after: string | undefined,
      count: number,
    ) {
      return oldest({ roomId, label, agent, kind }, after, count).map(recordSummary)
    },
  }
}
