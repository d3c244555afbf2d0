/** The findings of a brief: those that have not fallen, whatever their outcome, and the reproductions they wait for. */
import { FALLEN, type EvidenceTally, tallyInWords } from "../../contract/answers/evidence.ts"
import { blemishesInWords } from "../../contract/nouns/judging.ts"
import { writerName } from "../../contract/answers/parts.ts"
import type { Reviewed } from "../../contract/nouns/reviews.ts"
import { parse, type Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { pathTo } from "../../contract/reads/index.ts"
import { oneLine, shortened } from "../../contract/text.ts"
import { type BriefItem, type BriefSources, inPlace, itemsOf, type Step, stepOf } from "../../ledger/domains/brief.ts"
import { AGENT } from "../../ledger/journal/actor.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { standingInWords } from "../evidence/brief.ts"
import { IN_DOUBT } from "../evidence/verdict.ts"
import { TALLY, TALLY_OF } from "../evidence/words.ts"
import type { Effects, EffectSentences } from "../measurements/effects.ts"
import { REVIEWED, reviewedSentence } from "../reviews/reviews.ts"
import { BLEMISHES, type StoredBlemishes } from "./findings.ts"

type Worked = "evidence" | "inDoubt" | "reviewed" | "blemishes" | "effects" | "omittedEffects"
interface Finding extends Omit<BriefItem<"findings">, Worked> {
  readonly evidence: Stored<EvidenceTally>
  readonly inDoubt: number
  readonly reviewed: Stored<Reviewed> | null
  readonly blemishes: StoredBlemishes
  readonly experimentId: string | null
  readonly threadId: string
  /** Whether a reproduction of it has a verdict or is running. */
  readonly isRepeated: number
}

/** The effects of a finding, in few sentences where texts are short. */
const effectsAt = (effects: EffectSentences | undefined, characters: number): readonly string[] =>
  (characters < 400 ? effects?.short : effects?.whole) ?? []
/** The contrasts shown for a finding, depending on the length of texts. */
const contrastsShown = (characters: number): number => (characters < 400 ? 2 : limits.effects)

function shown(row: Finding, effects: readonly string[], characters: number): BriefItem<"findings"> {
  const { experimentId: _experiment, threadId: _thread, isRepeated: _repeated, ...rest } = row
  const { versionId, label, outcome, says, ...finding } = rest
  const most = contrastsShown(characters)
  return {
    versionId,
    label,
    outcome,
    says: shortened(says, characters),
    ...(effects.length > 0 && { effects: effects.slice(0, most) }),
    ...(effects.length > most && { omittedEffects: effects.length - most }),
    ...finding,
    evidence: parse(finding.evidence),
    inDoubt: finding.inDoubt === 1,
    reviewed: finding.reviewed === null ? null : reviewedSentence(finding.reviewed),
    blemishes: finding.blemishes === null ? null : blemishesInWords(parse(finding.blemishes)),
  }
}

const effectsInWords = (effects: readonly string[] = [], omitted = 0): string =>
  effects.length === 0
    ? ""
    : ` Measured: ${[...effects.map(oneLine), ...(omitted > 0 ? [`${omitted} more`] : [])].join("; ")}.`

/** The reproductions that a finding waits for. */
function stepsOf({ versionId: id, label, evidence, outcome, status, experimentId, isRepeated }: Finding): Step[] {
  if (experimentId === null) return []
  const body = { experimentId, intent: "reproduction", reproduces: { findingVersionId: id } }
  const isUnsettled = parse(evidence).failedReproductions > 0
  const isAlone = outcome === "positive" && status === "current" && isRepeated === 0
  const failed = "A reproduction of it failed: another one would tell which is right, or its author corrects it."
  const alone = "No other agent has reproduced it, and no reproduction is under way."
  return [
    ...(isUnsettled ? [stepOf("settle_reproduction", id, label, failed, body)] : []),
    ...(isAlone ? [stepOf("reproduce_finding", id, label, alone, body)] : []),
  ]
}

export function findingsInBrief({ db, effects }: { readonly db: Db; readonly effects: Effects }) {
  const newest = inPlace<Finding>(
    db,
    `SELECT r.version_id AS versionId, r.label, f.outcome, r.wording AS says,
        coalesce(s.status, 'current') AS status, ${TALLY} AS evidence,
       ${IN_DOUBT("r.version_id")} AS inDoubt, ${REVIEWED("r.version_id")} AS reviewed,
       ${BLEMISHES} AS blemishes, p.username AS by, ${AGENT("r")} AS agent, f.experiment_id AS experimentId,
        r.thread_id AS threadId,
       EXISTS (SELECT 1
         FROM evidence_words w
         LEFT JOIN attempts a ON a.attempt_id = w.source_id
         WHERE w.target_id = r.version_id AND w.source = 'reproduction'
         AND w.other_agent IS NOT 0 AND (w.verdict IS NOT NULL OR a.status IN ('registered', 'started'))) AS isRepeated
     FROM records r
      JOIN findings f ON f.version_id = r.version_id
      JOIN people p ON p.user_id = r.author_id
      LEFT JOIN standings s ON s.version_id = r.version_id ${TALLY_OF("r.version_id")}
     WHERE r.kind = 'finding' AND r.{place} = +? AND coalesce(NOT ${FALLEN("s.status")}, 1)
      ORDER BY r.version_id DESC
      LIMIT ${limits.briefSight}`,
  )
  return {
    findings: {
      title: "Findings",
      line({ effects, omittedEffects, status = "current", evidence, inDoubt = false, ...finding }) {
        const { label, versionId, outcome, says, reviewed = null, blemishes = null, by, agent } = finding
        return (
          `${label}, ${outcome}${standingInWords(status, inDoubt)}: ` +
          `${oneLine(says)}${effectsInWords(effects, omittedEffects)} ` +
          `[${(evidence && tallyInWords(evidence)) ?? "not reproduced yet"}` +
          `${reviewed === null ? "" : `; ${reviewed}`}${blemishes === null ? "" : `; ${blemishes}`}] ` +
          `(${writerName({ username: by, agent })}) ${versionId}`
        )
      },
      link: ({ roomId }) => pathTo("room_publications", { roomId }, { kinds: "finding" }),
      // Without what says nothing, and with its evidence in words.
      shorter({ status, evidence, inDoubt, reviewed, blemishes: _blemishes, ...said }) {
        const tally = evidence && tallyInWords(evidence)
        return {
          ...said,
          ...(status !== "current" && { status }),
          ...(tally != null && { tally }),
          ...(inDoubt === true && { inDoubt }),
          ...(reviewed != null && { reviewed }),
        }
      },
      read(place) {
        const rows = newest(place)
        return {
          steps: () => rows.flatMap(stepsOf),
          items() {
            const sentences = effects.briefSentencesOf(rows.map(({ versionId }) => versionId))
            return itemsOf(rows, (row, most) => shown(row, effectsAt(sentences.get(row.versionId), most), most))
          },
        }
      },
    },
  } satisfies Partial<BriefSources>
}
