/** The hypotheses of a brief: contested ones first, then those with evidence, and the tests that others wait for. */
import { type EvidenceTally, tallyInWords } from "../../contract/answers/evidence.ts"
import { type Verdict, verdictFromInWords } from "../../contract/answers/parts.ts"
import { parse, type Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { pathTo } from "../../contract/reads/index.ts"
import { oneLine, shortened } from "../../contract/text.ts"
import { type BriefItem, type BriefSources, inPlace, itemsOf, quoted, stepOf } from "../../ledger/domains/brief.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { BEARING, IN_DOUBT, VERDICT_FROM, type VerdictFrom } from "./verdict.ts"
import { TALLY, TALLY_OF } from "./words.ts"

interface Hypothesis extends Omit<BriefItem<"hypotheses">, "verdictBy" | "evidence" | "inDoubt"> {
  readonly verdictBy: VerdictFrom
  readonly evidence: Stored<EvidenceTally>
  readonly rank: number
  readonly threadId: string
  readonly inDoubt: number
  /** Whether an experiment that is not cancelled addresses it. */
  readonly isAddressed: number
}

const HYPOTHESIS = `SELECT r.version_id AS versionId, r.label, r.wording AS says, ${BEARING} AS verdict,
    ${VERDICT_FROM} AS verdictBy, coalesce(s.status, 'current') AS status, ${TALLY} AS evidence,
     ${IN_DOUBT("r.version_id")} AS inDoubt, coalesce(k.rank, 0) AS rank, r.thread_id AS threadId,
     EXISTS (SELECT 1 FROM record_uses u JOIN experiments e ON e.experiment_id = u.by_id
       WHERE u.target_id = r.version_id AND u.how = 'addressed' AND e.status <> 'cancelled') AS isAddressed
   FROM records r
  LEFT JOIN hypothesis_ranks k ON k.version_id = r.version_id
  LEFT JOIN standings s ON s.version_id = r.version_id ${TALLY_OF("r.version_id")}`

/** The standing of a record, after its label. */
export const standingInWords = (status: string, inDoubt: boolean): string =>
  `${status === "current" ? "" : ` (${status})`}${inDoubt ? " (rests on what has fallen)" : ""}`

const verdictWithEffect = (from: NonNullable<Verdict["verdictFrom"]>, telling: ReadonlyMap<string, string>): string =>
  verdictFromInWords(from, { measured: telling.get(from.newest.by.id) })

export interface Tables {
  readonly db: Db
  /** Tells the effect of each finding that tells most, in a clause. */
  readonly effects: { tellingOf(versionIds: readonly string[]): ReadonlyMap<string, string> }
}

export function hypothesesInBrief({ db, effects }: Tables) {
  const ranked = inPlace<Hypothesis>(
    db,
    `${HYPOTHESIS} WHERE r.version_id IN (SELECT w.version_id
      FROM hypothesis_ranks w
      WHERE w.{place} = +? AND w.rank > 0
      ORDER BY w.rank DESC, w.version_id DESC
      LIMIT ${limits.briefSight})
       ORDER BY rank DESC, r.version_id DESC`,
  )
  const newest = inPlace<Hypothesis>(
    db,
    `${HYPOTHESIS} WHERE r.{place} = +? AND r.kind = 'hypothesis'
     ORDER BY r.version_id DESC LIMIT ${limits.briefSight}`,
  )
  return {
    hypotheses: {
      title: "Hypotheses",
      line: ({ label, versionId, says, verdict, verdictBy, status, evidence, inDoubt }) =>
        `${label}, ${verdict}${verdictBy === null ? "" : ` ${verdictBy}`}${standingInWords(status, inDoubt)}: ` +
        `${oneLine(says)} [${tallyInWords(evidence) ?? "not yet checked by anyone"}] ${versionId}`,
      link: ({ roomId }) => pathTo("hypotheses", {}, { roomId }),
      read(place) {
        const rows = [...ranked(place), ...newest(place).filter(({ rank }) => rank === 0)]
        const untested = rows.filter((row) => row.rank === 0 && row.status === "current" && row.isAddressed === 0)
        const { roomId } = place
        return {
          steps: () =>
            untested.map(({ versionId: id, label, says, threadId }) => {
              const why = `There is no evidence on it yet: ${quoted(says)}`
              return stepOf("test_hypothesis", id, label, why, { roomId, threadId, hypotheses: [id] })
            }),
          items() {
            const telling = effects.tellingOf(
              rows.flatMap(({ verdictBy }) => (verdictBy === null ? [] : parse(verdictBy).newest.by.id)),
            )
            return itemsOf(rows, (row, most) => {
              const { rank: _rank, threadId: _thread, isAddressed: _addressed, ...hypothesis } = row
              return {
                ...hypothesis,
                says: shortened(hypothesis.says, most),
                verdictBy:
                  hypothesis.verdictBy === null ? null : verdictWithEffect(parse(hypothesis.verdictBy), telling),
                evidence: parse(hypothesis.evidence),
                inDoubt: hypothesis.inDoubt === 1,
              }
            })
          },
        }
      },
    },
  } satisfies Partial<BriefSources>
}
