/** Turns rows into the summaries of records that lists, cards and references show. */
import type { Author, Notice, RecordSummary } from "../../contract/answers/index.ts"
import type { Reviewed } from "../../contract/answers/reviews.ts"
import type { Bearing, RecordStatus } from "../../contract/schema/enumerations.ts"
import { JsonText, type Stored } from "../../contract/json.ts"
import { fromOtherRoom, marked } from "../../ledger/lists/other-room.ts"
import { IN_DOUBT, BEARING } from "../evidence/verdict.ts"
import { TALLY_COLUMNS, TALLY_OF, tallyIn, type TallyRow } from "../evidence/words.ts"
import { REVIEWED } from "../reviews/reviews.ts"
import { AUTHOR, authorIn } from "../../ledger/journal/author.ts"

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
