/** How a record of any kind is shown: the row behind every list, card and reference. */
import type { RecordKind, RecordStatus } from "../../contract/enumerations.ts"
import { JsonText } from "../../contract/json.ts"
import { TALLY, TALLY_OF } from "../evidence/words.ts"

export interface SummaryRow {
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
  status: RecordStatus | null
  notices: string | null
  outcome: string | null
  retrospective: number | null
  experiment_label: string | null
  plan_label: string | null
  producing: number | null
  papers: number | null
  tally: string
}

export const SUMMARY_COLUMNS = `r.version_id, r.kind, r.label, r.room_id, r.thread_id, r.entry_id, r.author_id, p.username, r.created_at, r.wording,
  r.content_digest, s.status, s.notices, f.outcome, f.retrospective, f.papers, e.label AS experiment_label, n.label AS plan_label,
  CASE WHEN f.experiment_id IS NULL THEN NULL ELSE
    (SELECT count(*) FROM finding_attempts t WHERE t.version_id = r.version_id AND t.role = 'producing') END AS producing, ${TALLY} AS tally`

export const SUMMARY_TABLES = `records r
  JOIN people p ON p.user_id = r.author_id
  LEFT JOIN standings s ON s.version_id = r.version_id
  LEFT JOIN findings f ON f.version_id = r.version_id
  LEFT JOIN experiments e ON e.experiment_id = f.experiment_id
  LEFT JOIN plans n ON n.plan_id = f.plan_id
  ${TALLY_OF("r.version_id")}`

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`

/** What a finding calls itself; without an execution behind it, it says what else it is. */
function results({ retrospective, papers, experiment_label }: SummaryRow): string {
  const paperless = experiment_label === null && papers === 0
  if (retrospective === 1) return paperless ? "Retrospective, paperless results" : "Retrospective results"
  return paperless ? "Paperless results" : "Results"
}

/** What a reader should know of where a record comes from, in a sentence. */
function provenanceSummary(row: SummaryRow): string {
  if (row.kind === "hypothesis") return "A prediction by its author; it reports no result."
  if (row.kind === "cited_claim") return "A claim of a paper, quoted by its author."
  const papers = row.papers ? ` from ${counted(row.papers, "paper")}` : ""
  if (row.experiment_label === null) return `${results(row)}${papers}, curated by their author; no recorded execution stands behind them.`
  const plan = row.plan_label === null ? "" : ` under ${row.plan_label}`
  return `${results(row)} of ${counted(row.producing ?? 0, "attempt")} of ${row.experiment_label}${plan}, curated by their author.`
}

/** How a record stands now. */
export const standing = (row: { status: RecordStatus | null; notices: string | null }) => ({
  status: row.status ?? ("current" as const),
  notices: row.notices === null ? [] : new JsonText(row.notices),
})

/** What every answer about a record holds. */
export const shared = (row: SummaryRow) => ({
  versionId: row.version_id,
  kind: row.kind,
  label: row.label,
  roomId: row.room_id,
  threadId: row.thread_id,
  entryId: row.entry_id,
  author: { userId: row.author_id, username: row.username },
  createdAt: row.created_at,
  contentDigest: row.content_digest,
  ...standing(row),
  outcome: row.outcome,
  provenanceSummary: provenanceSummary(row),
  evidenceTally: new JsonText(row.tally),
})

/** A record as lists show it. */
export const recordSummary = (row: SummaryRow) => ({ ...shared(row), wording: row.wording })

/** A record as another object refers to it, with how it stands now. */
export const related = (row: Pick<SummaryRow, "version_id" | "label" | "kind" | "wording" | "status" | "notices">) => ({
  versionId: row.version_id,
  label: row.label,
  kind: row.kind,
  wording: row.wording,
  ...standing(row),
})
