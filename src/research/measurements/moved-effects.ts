/**
 * Recomputes effects when their attempts report more or correct themselves, stores the new figures, and recounts the
 * reproductions of these effects.
 */
import { canonicalJson, parse, type Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import type { Recount } from "../evidence/evidence.ts"
import { type RepeatedEffects, type Repetition, verdictOfAll } from "./repeated-effects.ts"
import { type Effect, type Figures, isFault, type Named, type WorkingOut } from "./working-out.ts"

interface Row {
  readonly holderId: string
  readonly position: number
  readonly effect: Stored<Effect>
  readonly figures: Stored<Figures | null>
  readonly named: Stored<Named>
}
/** Whether two figures agree. A value without a partner does not change a paired difference. */
const isSame = (one: Figures | null, other: Figures | null): boolean =>
  one === null || other === null
    ? one === other
    : one.estimate === other.estimate && one.low === other.low && one.high === other.high && one.pairs === other.pairs

/** The attempts that a finding names, as the JSON of `Named`. */
const NAMED = `(SELECT json_object('attemptIds', json_group_array(n.attempt_id) FILTER (WHERE n.role = 'producing'),
    'baselineAttemptIds', json_group_array(n.attempt_id) FILTER (WHERE n.role = 'baseline'))
  FROM finding_attempts n WHERE n.version_id = f.version_id)`
/**
 * The effect of a reproduction: the contrast that it repeats, computed from its own attempt and those that it names.
 */
const OF_REPRODUCTION = `SELECT q.attempt_id AS holderId, 0 AS position,
    json_set(x.effect, '$.experimentId', a.experiment_id) AS effect, q.figures,
    json_object('attemptIds', json_array(q.attempt_id), 'baselineAttemptIds',
      json(coalesce(q.repeats -> '$.attemptIds', '[]'))) AS named,
    q.verdict, q.repeats_id AS repeatsId, q.repeats_position AS repeatsPosition
  FROM reproductions q
  JOIN attempts a ON a.attempt_id = q.attempt_id
  JOIN finding_effects x ON x.version_id = q.repeats_id AND x.position = q.repeats_position`

interface Repeating extends Row {
  readonly repeatsId: string
  readonly repeatsPosition: number
  /** The verdict of its registrant; null for an effect of a finding. */
  readonly verdict: Repetition["verdict"] | null
}

export type MovedEffects = ReturnType<typeof movedEffects>

export function movedEffects(db: Db, workedOut: WorkingOut, repeated: RepeatedEffects) {
  const store = inserting(db, "moved_effects", { onConflict: "DO UPDATE SET now = excluded.now" })
  const remove = db.prepare("DELETE FROM moved_effects WHERE holder_id = +? AND position = +?")
  const current = db.prepare<{ now: Stored<Figures> | null }>(
    "SELECT now FROM moved_effects WHERE holder_id = +? AND position = +?",
  )
  const resting = db.prepare<Row>(
    `SELECT f.version_id AS holderId, f.position, f.effect, f.figures, ${NAMED} AS named
     FROM (SELECT version_id
       FROM finding_attempts
       WHERE attempt_id = +? AND role <> 'evidence'
       ORDER BY version_id
       LIMIT ${limits.groundsFollowed}) t
     CROSS JOIN finding_effects f ON f.version_id = t.version_id ORDER BY f.version_id, f.position`,
  )
  const ownReproduction = db.prepare<Repeating>(`${OF_REPRODUCTION} WHERE q.attempt_id = +?`)
  const reproductionsOf = db.prepare<Repeating>(
    `${OF_REPRODUCTION} WHERE q.repeats_id = +? ORDER BY q.attempt_id LIMIT ${limits.groundsFollowed}`,
  )
  const REPEATING = `SELECT f.version_id AS holderId, f.position, f.effect, f.figures, ${NAMED} AS named,
      NULL AS verdict,
     f.repeats_id AS repeatsId, f.repeats_position AS repeatsPosition FROM finding_effects f`
  const ofFinding = db.prepare<Repeating>(
    `${REPEATING} WHERE f.version_id = +? AND f.repeats_id IS NOT NULL ORDER BY f.position`,
  )
  const repeatingOf = db.prepare<Repeating>(
    `${REPEATING} WHERE f.repeats_id = +? ORDER BY f.version_id, f.position LIMIT ${limits.groundsFollowed}`,
  )

  const nowOf = ({ holderId, position, figures }: Row): Figures | null => {
    const moved = current.get(holderId, position)
    return moved === undefined ? parse(figures) : moved.now === null ? null : parse(moved.now)
  }

  /** Recomputes an effect. @returns whether its figures changed */
  function recompute(row: Row): boolean {
    const found = workedOut(parse(row.effect), parse(row.named))
    const now = isFault(found) ? null : found.figures
    const hasChanged = !isSame(now, nowOf(row))
    if (isSame(now, parse(row.figures))) remove.run(row.holderId, row.position)
    else store({ holderId: row.holderId, position: row.position, now: now && canonicalJson(now) })
    return hasChanged
  }

  const repetition = (row: Repeating) =>
    repeated.repetition(parse(row.effect), nowOf(row), { versionId: row.repeatsId, effect: row.repeatsPosition })

  /** The joint verdict of each holder on each finding whose effects it repeats. */
  const recounts = (rows: readonly Repeating[]): Recount[] =>
    [...Map.groupBy(rows, ({ holderId, repeatsId }) => `${holderId} ${repeatsId}`).values()].flatMap((group) => {
      const [row] = group
      const found = group.map(repetition).filter((each) => each !== undefined)
      const verdict = verdictOfAll(found.map((each) => each.verdict))
      if (row === undefined || verdict === undefined) return []
      return [
        {
          sourceId: row.holderId,
          isAttempt: row.verdict !== null,
          repeatsId: row.repeatsId,
          verdict,
          comparison: found.map(({ comparison }) => comparison.sentence).join(" "),
        },
      ]
    })

  return {
    /** The verdicts of a finding on the findings whose effects it repeats. */
    ofFinding: (versionId: string): Recount[] => recounts(ofFinding.all(versionId)),

    /**
     * Recomputes the effects of an attempt that succeeded or reported after its end. @returns the verdicts that may
     * have changed
     */
    moved(attemptId: string): Recount[] {
      const changed = resting.all(attemptId).filter(recompute)
      const own = ownReproduction.all(attemptId).filter(recompute)
      const findings = [...new Set(changed.map(({ holderId }) => holderId))]
      const repeating = findings.flatMap((id) => [...ofFinding.all(id), ...repeatingOf.all(id)])
      return recounts([
        ...new Map(
          [...own, ...repeating, ...findings.flatMap((id) => reproductionsOf.all(id))].map((row) => [
            `${row.holderId} ${row.position}`,
            row,
          ]),
        ).values(),
      ])
    },
  }
}
