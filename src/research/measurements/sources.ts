/** What the differences of a table rest on: effects of findings, and the reproductions of these effects. */
import type { Author } from "../../contract/answers/index.ts"
import { parse, type Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { AGENT, authorIn } from "../../ledger/journal/author.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { enumerations, RecordStatus, ReproductionVerdict } from "../../contract/schema/enumerations.ts"
import { type Dimensions, textOf } from "./cells.ts"
import { type RepeatedEffects, reversed } from "./repeated-effects.ts"
import { contrastOf, type Effect, type Figures } from "./working-out.ts"

type Implementation = (typeof enumerations.implementation)[number]

/** An effect of a finding, with its present figures. */
export interface SourceEffect {
  readonly versionId: string
  readonly position: number
  readonly label: string
  readonly author: Author
  /** The same for two writes of one person by the same program. */
  readonly voice: string
  readonly status: RecordStatus
  readonly effect: Effect
  /** Null if they can no longer be worked out. */
  readonly figures: Figures | null
  readonly isStale: boolean
  /** The labels of the attempts that it was worked out from. */
  readonly attempts: readonly string[]
}

/** A reproduction of an effect: of an attempt, or of another finding. */
export interface Repeat {
  readonly kind: "attempt" | "finding"
  readonly id: string
  readonly label: string
  readonly author: Author
  readonly voice: string
  /** Its figures in the direction of the effect that it repeats. */
  readonly figures: Figures | null
  readonly verdict: ReproductionVerdict | null
  readonly comparison: string | null
  /** What its registrant says of the code that it ran. */
  readonly implementation: Implementation | null
  readonly otherCode: boolean | null
  readonly otherCommit: boolean | null
  readonly attempts: readonly string[]
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
}
interface RepeatRow extends Author {
  readonly kind: "attempt" | "finding"
  readonly id: string
  readonly label: string
  readonly effect: Stored<Effect>
  readonly figures: Stored<Figures | null> | null
  readonly implementation: Implementation | null
  readonly otherCode: number | null
  readonly otherCommit: number | null
  readonly attempts: Stored<string[]>
}

/** The labels of some attempts. @param ids SQL for a JSON list of their ids */
const LABELS = (ids: string) =>
  `(SELECT json_group_array(l.label) FROM json_each(${ids}) i JOIN attempts l ON l.attempt_id = i.value)`

const EFFECTS = `SELECT f.version_id AS versionId, f.position, r.label, coalesce(s.status, 'current') AS status,
    r.author_id AS userId, p.username, ${AGENT("r")} AS agent, f.effect, ${LABELS("f.attempts")} AS attempts,
    iif(m.holder_id IS NULL, f.figures, m.now) AS figures, m.holder_id IS NOT NULL AS isStale`
const OF_FINDINGS = `JOIN people p ON p.user_id = r.author_id
  LEFT JOIN standings s ON s.version_id = r.version_id
  LEFT JOIN moved_effects m ON m.holder_id = f.version_id AND m.position = f.position`

/** The word of evidence that a reproduction gives on the finding whose effect it repeats. */
const WORD = (source: string, target: string) =>
  `LEFT JOIN evidence_words w ON w.source_id = ${source} AND w.target_id = ${target} AND w.source = 'reproduction'`

const REPEATS = `SELECT 'finding' AS kind, f.version_id AS id, r.label, r.author_id AS userId, p.username,
    ${AGENT("r")} AS agent, f.effect, iif(m.holder_id IS NULL, f.figures, m.now) AS figures, NULL AS implementation,
    w.other_code AS otherCode, w.other_commit AS otherCommit, ${LABELS("f.attempts")} AS attempts
  FROM finding_effects f JOIN records r ON r.version_id = f.version_id ${OF_FINDINGS} ${WORD(
    "f.version_id",
    "f.repeats_id",
  )}
  WHERE f.repeats_id = +? AND f.repeats_position = +? AND coalesce(s.status, 'current') NOT IN ('retracted', \
'superseded')
  ORDER BY id LIMIT ${limits.groundsFollowed}`

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

const voiceOf = ({ userId, agent }: Author): string => `${userId} ${agent ?? ""}`

export type EffectSources = ReturnType<typeof effectSources>

export function effectSources(db: Db, repeated: RepeatedEffects) {
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
  const repeats = db.prepare<RepeatRow>(REPEATS)

  return {
    /** The effects of a metric that findings of a Room rest on, newest first. */
    ofMetric: (roomId: string, metric: string): SourceEffect[] =>
      ofMetric.all(roomId, metric).map((row) => ({
        ...{ versionId: row.versionId, position: row.position, label: row.label, status: row.status },
        author: authorIn(row),
        voice: voiceOf(row),
        effect: parse(row.effect),
        figures: row.figures && parse(row.figures),
        isStale: row.isStale === 1,
        attempts: parse(row.attempts),
      })),

    /** The first effect of the newest finding that stands and has one. */
    newestOf(roomId: string): Effect | undefined {
      const row = newest.get(roomId)
      return row && parse(row.effect)
    },

    /** The reproductions of an effect, oldest first. */
    repeatsOf: (versionId: string, position: number, first: Effect): Repeat[] =>
      repeats.all(versionId, position).map((row) => {
        const effect = parse(row.effect)
        const own = row.figures && parse(row.figures)
        const isSwapped = contrastOf(effect).isReversed !== contrastOf(first).isReversed
        const found = own === null ? undefined : repeated.repetition(effect, own, { versionId, effect: position })
        return {
          ...{ kind: row.kind, id: row.id, label: row.label, implementation: row.implementation },
          author: authorIn(row),
          voice: voiceOf(row),
          figures: own && isSwapped ? reversed(own) : own,
          verdict: found?.verdict ?? null,
          comparison: found?.comparison.sentence ?? null,
          otherCode: row.otherCode === null ? null : row.otherCode === 1,
          otherCommit: row.otherCommit === null ? null : row.otherCommit === 1,
          attempts: parse(row.attempts),
        }
      }),
  }
}
