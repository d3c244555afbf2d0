/** What the differences of a table rest on: effects of findings. */
import type { Author } from "../../contract/answers/index.ts"
import { parse, type Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { AGENT, authorIn } from "../../ledger/journal/actor.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { RecordStatus } from "../../contract/schema/enumerations.ts"
import { type Dimensions, textOf } from "./cells.ts"
import type { Effect, Figures } from "./working-out.ts"

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
