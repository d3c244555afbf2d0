/**
 * Effects gathered from findings: those that count towards a record, grouped by what they compare (the numbers of a
 * forest plot, where three or more are pooled), and those on which the differences of a table rest.
 */
import type { GatheredContrast, GatheredEstimate } from "../../contract/answers/measurements.ts"
import type { Author } from "../../contract/answers/parts.ts"
import { picked } from "../../contract/typed.ts"
import { parse, type Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { AUTHOR, authorIn, AGENT } from "../../ledger/journal/actor.ts"
import { fromOtherRoom } from "../../ledger/lists/labelled.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { contrastInWords } from "./in-words.ts"
import { reversed, contrastOf, type Effect, type Figures } from "./working-out.ts"
import { type Pooled, pooled } from "./statistics.ts"
import type { RecordStatus } from "../../contract/schema/enumerations.ts"
import { type Dimensions, textOf } from "./cells.ts"

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

// What the differences of a table rest on.

/** An effect of a finding, with its present figures. */
export interface SourceEffect {
  readonly versionId: string
  readonly position: number
  readonly label: string
  readonly author: Author
  readonly status: RecordStatus
  readonly effect: Effect
  /** Null if they can no longer be worked out. */
  readonly figures: Figures | null
  readonly isStale: boolean
  /** The labels of the attempts that it was worked out from, and their ids. */
  readonly attempts: readonly string[]
  readonly attemptIds: readonly string[]
}

interface EffectRow extends Author {
  readonly versionId: string
  readonly position: number
  readonly label: string
  readonly status: RecordStatus
  readonly effect: Stored<Effect>
  readonly figures: Stored<Figures | null> | null
  readonly isStale: number
  readonly attempts: Stored<string[]>
  readonly attemptIds: Stored<string[]>
}
/** The labels of some attempts. @param ids SQL for a JSON list of their ids */
const LABELS = (ids: string) =>
  `(SELECT json_group_array(l.label) FROM json_each(${ids}) i JOIN attempts l ON l.attempt_id = i.value)`

const EFFECTS = `SELECT f.version_id AS versionId, f.position, r.label, coalesce(s.status, 'current') AS status,
    r.author_id AS userId, p.username, ${AGENT("r")} AS agent, f.effect, ${LABELS("f.attempts")} AS attempts,
    f.attempts AS attemptIds,
    iif(m.holder_id IS NULL, f.figures, m.now) AS figures, m.holder_id IS NOT NULL AS isStale`
const OF_FINDINGS = `JOIN people p ON p.user_id = r.author_id
  LEFT JOIN standings s ON s.version_id = r.version_id
  LEFT JOIN moved_effects m ON m.holder_id = f.version_id AND m.position = f.position`

/** Whether an effect compares what a cell does: the same place on both sides, as far as the effect names it. */
export function isEffectAt(effect: Effect, of: Dimensions, against: Dimensions): boolean {
  const sides = [
    { own: { ...effect.where, ...effect.of }, cell: of },
    { own: { ...effect.where, ...effect.against }, cell: against },
  ]
  const agrees = (own: Dimensions, cell: Dimensions): boolean =>
    Object.entries(cell).every(
      ([name, value]) => !Object.hasOwn(own, name) || textOf(own[name] ?? "") === textOf(value),
    )
  return (
    sides.every(({ own, cell }) => agrees(own, cell)) && Object.keys(effect.of).every((name) => Object.hasOwn(of, name))
  )
}

export type EffectSources = ReturnType<typeof effectSources>

export function effectSources(db: Db) {
  const ofMetric = db.prepare<EffectRow>(
    `${EFFECTS} FROM records r JOIN finding_effects f ON f.version_id = r.version_id ${OF_FINDINGS}
     WHERE r.room_id = +? AND r.kind = 'finding' AND f.effect ->> '$.metric' = +?
     ORDER BY f.version_id DESC, f.position LIMIT ${limits.gatheredEffects}`,
  )
  const newest = db.prepare<{ effect: Stored<Effect> }>(
    `SELECT f.effect FROM records r JOIN finding_effects f ON f.version_id = r.version_id
     LEFT JOIN standings s ON s.version_id = r.version_id
     WHERE r.room_id = +? AND r.kind = 'finding' AND coalesce(s.status, 'current') NOT IN ('retracted', 'superseded')
     ORDER BY r.version_id DESC, f.position LIMIT 1`,
  )

  return {
    /** The effects of a metric that findings of a Room rest on, newest first. */
    ofMetric: (roomId: string, metric: string): SourceEffect[] =>
      ofMetric.all(roomId, metric).map((row) => ({
        ...{ versionId: row.versionId, position: row.position, label: row.label, status: row.status },
        author: authorIn(row),
        effect: parse(row.effect),
        figures: row.figures && parse(row.figures),
        isStale: row.isStale === 1,
        attempts: parse(row.attempts),
        attemptIds: parse(row.attemptIds),
      })),

    /** The first effect of the newest finding that stands and has one. */
    newestOf(roomId: string): Effect | undefined {
      const row = newest.get(roomId)
      return row && parse(row.effect)
    },
  }
}
