/**
 * The effects of the findings that count towards a record, grouped by what they compare: the numbers of a forest plot.
 * Three or more are pooled.
 */
import type { GatheredContrast, GatheredEstimate } from "../../contract/answers/gathered.ts"
import type { Author } from "../../contract/answers/index.ts"
import { picked } from "../../contract/typed.ts"
import { parse, type Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { AUTHOR, authorIn } from "../../ledger/journal/actor.ts"
import { fromOtherRoom } from "../../ledger/lists/labelled.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { contrastInWords } from "./in-words.ts"
import { reversed } from "./repeated-effects.ts"
import { type Pooled, pooled } from "./statistics.ts"
import { contrastOf, type Effect, type Figures } from "./working-out.ts"

interface Row extends Author {
  readonly versionId: string
  readonly position: number
  readonly label: string
  readonly roomId: string
  readonly seenFrom: string
  readonly otherCode: number | null
  readonly effect: Stored<Effect>
  readonly figures: Stored<Figures> | null
  readonly isStale: number
  readonly attempts: Stored<string[]>
}

/** The current effects of the findings whose evidence counts, newest first. */
const COUNTED = `SELECT f.version_id AS versionId, f.position, r.label, r.room_id AS roomId, t.room_id AS seenFrom,
    ${AUTHOR("r")},
    w.other_code AS otherCode, f.effect, iif(m.holder_id IS NULL, f.figures, m.now) AS figures,
    m.holder_id IS NOT NULL AS isStale, f.attempts
  FROM evidence_words w
  JOIN records t ON t.version_id = w.target_id
  JOIN finding_effects f ON f.version_id = w.speaker_id
  JOIN records r ON r.version_id = f.version_id
  JOIN people p ON p.user_id = r.author_id
  LEFT JOIN moved_effects m ON m.holder_id = f.version_id AND m.position = f.position
  WHERE w.target_id = +? AND w.counted = 1
  ORDER BY w.sequence DESC, f.position DESC
  LIMIT ${limits.gatheredEffects + 1}`

/** Says how far the estimates differ beyond what their own spread explains. */
const heterogeneity = ({ i2 }: Pooled): string =>
  i2 < 0.25
    ? "They agree."
    : i2 < 0.5
      ? "They differ a little."
      : i2 < 0.75
        ? "They differ."
        : "They differ widely, which the pooled estimate hides."

interface Contribution {
  readonly estimate: GatheredEstimate
  readonly attempts: readonly string[]
}

/** The estimates to pool: those that have a spread and share no attempt with an earlier one. */
function independentOf(contributions: readonly Contribution[]): Contribution[] {
  const used = new Set<string>()
  return contributions.filter(({ estimate: { se }, attempts }) => {
    if (se === null || attempts.some((attemptId) => used.has(attemptId))) return false
    for (const attemptId of attempts) used.add(attemptId)
    return true
  })
}

export type GatheredEffects = ReturnType<typeof gatheredEffects>

export function gatheredEffects(db: Db) {
  const counted = db.prepare<Row>(COUNTED)

  /**
   * The effects that count towards a record, starting with the contrast that has the most estimates. Beyond the limit,
   * only the newest.
   */
  return function gathered(versionId: string): { readonly contrasts: GatheredContrast[]; readonly truncated: boolean } {
    const found = counted.all(versionId)
    const rows = [
      ...new Map(
        found.slice(0, limits.gatheredEffects).map((row) => [`${row.versionId} ${row.position}`, row]),
      ).values(),
    ].toReversed()
    const groups = Map.groupBy(
      rows.flatMap((row) => {
        const [effect, figures] = [parse(row.effect), row.figures && parse(row.figures)]
        return figures === null ? [] : [{ row, effect, figures, contrast: contrastOf(effect) }]
      }),
      // Differences in different units are different contrasts.
      ({ contrast, figures }) => `${contrast.key} ${figures.unit ?? ""}`,
    )
    const contrasts = [...groups.values()].flatMap((same): GatheredContrast[] => {
      const [first] = same
      if (first === undefined) return []
      const contributions = same.map(({ row, figures, contrast }): Contribution => {
        const isSwapped = contrast.isReversed !== first.contrast.isReversed
        const { versionId, position, label, otherCode } = row
        return {
          attempts: parse(row.attempts),
          estimate: {
            versionId,
            effect: position,
            label,
            ...fromOtherRoom(row.roomId, row.seenFrom),
            author: authorIn(row),
            otherCode: otherCode === null ? null : otherCode === 1,
            ...picked(isSwapped ? reversed(figures) : figures, "estimate", "se", "low", "high"),
            n: figures.pairs ?? Math.min(figures.ofCount, figures.againstCount),
            isStale: row.isStale === 1,
            isPooled: false,
          },
        }
      })
      const taken = independentOf(contributions)
      const together = pooled(taken.map(({ estimate: { estimate, se } }) => ({ estimate, se: se ?? 0 })))
      const isPooled = new Set(together === undefined ? [] : taken)
      const { metric, split, of, against, where } = first.effect
      return [
        {
          what: contrastInWords(first.effect),
          metric,
          split: split ?? null,
          of,
          against,
          where: where ?? {},
          unit: first.figures.unit,
          estimates: contributions.map((each) => ({ ...each.estimate, isPooled: isPooled.has(each) })),
          pooled: together === undefined ? null : { ...together, heterogeneity: heterogeneity(together) },
        },
      ]
    })
    return {
      contrasts: contrasts.toSorted((one, other) => other.estimates.length - one.estimates.length),
      truncated: found.length > limits.gatheredEffects,
    }
  }
}
