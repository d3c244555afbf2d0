/** What the export of a Room has of its records: a file of each, their standing, and the evidence about them. */
import { tallyInWords } from "../../contract/answers/evidence.ts"
import { type JsonObject, JsonText, parse, type Stored, writeJson } from "../../contract/json.ts"
import { pageOf } from "../../contract/objects/objects.ts"
import type { RecordStatus } from "../../contract/schema/enumerations.ts"
import { escapeHtml } from "../../contract/text.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import type { Evidence } from "../evidence/evidence.ts"
import { RESTS } from "../evidence/verdict.ts"
import { tallyIn, type TallyRow } from "../evidence/words.ts"
import { authorship, compact, type Entity, ids, to } from "../export/entities.ts"
import type { ForExport, Parts } from "../export/parts.ts"
import { accepted, linesOf, jsonLines, linkTo, PAGE, paged, pathOf, rowsOf, sequenceOf } from "../export/parts.ts"
import { recordSummary, SUMMARY_COLUMNS, SUMMARY_TABLES, type SummaryRow } from "./records.ts"

/** A record that another one names. */
interface Named {
  /** Whether the record rests on it, and does not only mention it. */
  readonly rests: boolean
  readonly versionId: string
  readonly label: string
  readonly kind: string
  readonly roomId: string
  readonly wording: string
}
interface Row extends SummaryRow {
  content: Stored<{
    readonly paper?: { arxivId: string }
    readonly evidence?: readonly { readonly arxivId?: string }[]
  }>
  /** The records and the attempts that it names. */
  named: Stored<Named[]>
  attempts: Stored<string[]>
}

const ROWS = `SELECT ${SUMMARY_COLUMNS}, ${contentOf("r")} AS content,
    (SELECT json_group_array(json_object('rests', json(iif(${RESTS}, 'true', 'false')), 'versionId', q.version_id,
      'label', q.label, 'kind', q.kind, 'roomId', q.room_id, 'wording', q.wording) ORDER BY x.part, x.position)
      FROM record_references x
      JOIN records q ON q.version_id = x.to_version_id
      WHERE x.version_id = r.version_id AND x.part <> 'plan') AS named,
    (SELECT json_group_array(a.attempt_id)
      FROM finding_attempts t
      JOIN attempts a ON a.attempt_id = t.attempt_id
      WHERE t.version_id = r.version_id AND +a.room_id = r.room_id) AS attempts
  FROM ${SUMMARY_TABLES} WHERE r.room_id = +? AND r.version_id > +? ORDER BY r.version_id LIMIT ${PAGE}`

/** The path of a record in this crate, or the address of its page if it belongs to another Room. */
const recordId = ({ versionId, label, kind, roomId }: Named, seenFrom: string, baseUrl: string): string =>
  roomId === seenFrom ? pathOf.record(label) : `${baseUrl}${pageOf(kind, versionId)}`

/** A record, and entities for the papers and the records of other Rooms that it names. */
function describe(row: Row, roomId: string, baseUrl: string) {
  const named = parse(row.named)
  const { paper, evidence = [] } = parse(row.content)
  const papers = [...new Set([paper, ...evidence].flatMap((entry) => entry?.arxivId ?? []))]
  const idsOf = (rests: boolean) => [
    ...new Set(named.filter((record) => record.rests === rests).map((record) => recordId(record, roomId, baseUrl))),
  ]
  const members: JsonObject = compact({
    additionalType: row.kind,
    description: row.wording,
    ...authorship(row.kind, row.versionId, row.userId, row.createdAt, baseUrl),
    creativeWorkStatus: row.status ?? "current",
    isBasedOn: idsOf(true).map(to),
    citation: papers.map((arxivId) => to(ids.paper(arxivId))),
    mentions: [...parse(row.attempts).map(ids.attempt), ...idsOf(false)].map(to),
  })
  const others = [
    ...papers.map(
      (arxivId): Entity => ({
        "@id": ids.paper(arxivId),
        "@type": "ScholarlyArticle",
        name: `arXiv:${arxivId}`,
        identifier: `arXiv:${arxivId}`,
        url: ids.paper(arxivId),
      }),
    ),
    ...named.flatMap((record): Entity[] =>
      record.roomId === roomId
        ? []
        : [
            {
              "@id": recordId(record, roomId, baseUrl),
              "@type": "CreativeWork",
              name: `${record.label} of another Room`,
              description: record.wording,
            },
          ],
    ),
  ]
  return { members, others }
}

const fallen = (status: RecordStatus | null): string =>
  status === null || status === "current" ? "" : ` <span class="fallen">${status}</span>`

/** The evidence for and against a record; empty if there is none. */
function tallied(row: TallyRow): string {
  const tally = tallyInWords(tallyIn(row))
  return tally === null ? "" : `; ${tally}`
}

function previewOf(row: Row, baseUrl: string): string {
  const { kind, label, versionId, wording, username, createdAt, status, outcome } = row
  const page = linkTo(`${baseUrl}${pageOf(kind, versionId)}`, "page")
  return (
    `<article id="${label}"><p class="meta">${label} ` +
    `${kind.replace("_", " ")}${outcome === null ? "" : `, ${outcome}`}, by ${escapeHtml(username)} on ` +
    `${createdAt.slice(0, 10)}${fallen(status)}${tallied(row)}</p><blockquote>${escapeHtml(wording)}</blockquote>` +
    `<p class="meta">${page}, ${linkTo(pathOf.record(label), "as accepted")}</p></article>`
  )
}

export function exportedRecords({ db, evidence, record }: ForExport & { evidence: Pick<Evidence, "bearingOn"> }) {
  const { roomId, baseUrl, atHome } = record
  const rows = rowsOf<Row>(db, ROWS, roomId, ({ versionId }) => versionId)
  function* evidenceLines(): Generator<string> {
    for (const { versionId, label } of rows()) {
      const before = (sequence: number | undefined) => evidence.bearingOn(versionId, sequence, PAGE)
      for (const item of paged(undefined, before, sequenceOf)) yield writeJson({ versionId, record: label, ...item })
    }
  }
  const viewOf = (kind: "finding" | "hypothesis") =>
    rows()
      .filter((row) => row.kind === kind)
      .map((row) => atHome(writeJson({ ...recordSummary(row), content: new JsonText(row.content) })))
  return {
    records: {
      *files() {
        for (const row of rows())
          yield accepted(pathOf.record(row.label), row.label, row.content, () => describe(row, roomId, baseUrl))
        yield jsonLines(
          "records.jsonl",
          "The standing of each record",
          "Every record with its standing, its notices and its provenance.",
          linesOf(rows().map(recordSummary)).map(atHome),
        )
      },
      previewed: () => rows().map((row) => previewOf(row, baseUrl)),
      views: {
        findings: () => viewOf("finding"),
        hypotheses: () => viewOf("hypothesis"),
        evidence: () => evidenceLines().map(atHome),
      },
    },
  } satisfies Partial<Parts>
}
