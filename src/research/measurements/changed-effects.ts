/** What became of effects: those that a reproduction does not reproduce, and those whose values moved, in words. */
import { parse, type Stored } from "../../contract/json.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { estimateInWords } from "./in-words.ts"
import { verdictOn } from "./repeated-effects.ts"
import type { Effect, Figures } from "./working-out.ts"

/** The estimate that was published, or is repeated, and the other one; null if there is none. */
export interface ChangedEffect {
  readonly before: string | null
  readonly now: string | null
}

interface RepeatedRow {
  readonly attemptId: string
  readonly versionId: string
  readonly effect: Stored<Effect>
  readonly first: Stored<Figures | null> | null
  readonly own: Stored<Figures | null> | null
}
interface MovedRow {
  readonly versionId: string
  readonly position: number
  readonly effect: Stored<Effect>
  readonly figures: Stored<Figures | null>
  readonly now: Stored<Figures> | null
}

export function changedEffects(db: Db) {
  const repeated = db.prepare<RepeatedRow>(
    `SELECT x.attempt_id AS attemptId, x.repeats_id AS versionId, f.effect,
        iif(m.holder_id IS NULL, f.figures, m.now) AS first, iif(y.holder_id IS NULL, x.figures, y.now) AS own
     FROM json_each(+?)
      CROSS JOIN reproduction_effects x ON x.attempt_id = json_each.value
      JOIN finding_effects f ON f.version_id = x.repeats_id AND f.position = x.repeats_position
      LEFT JOIN moved_effects m ON m.holder_id = f.version_id AND m.position = f.position
      LEFT JOIN moved_effects y ON y.holder_id = x.attempt_id AND y.position = x.position`,
  )
  const moved = db.prepare<MovedRow>(
    `SELECT f.version_id AS versionId, f.position, f.effect, f.figures, m.now
     FROM json_each(+?)
      CROSS JOIN moved_effects m ON m.holder_id = json_each.value
      JOIN finding_effects f ON f.version_id = m.holder_id AND f.position = m.position`,
  )
  const inWords = (effect: Effect, figures: Figures | null): string | null =>
    figures && estimateInWords(effect, figures)

  return {
    /** The first effect of each finding that some attempts do not reproduce, and what they found. */
    failedOf(attemptIds: readonly string[]): (attemptId: string, versionId: string) => ChangedEffect | undefined {
      const found = new Map<string, ChangedEffect>()
      for (const row of attemptIds.length === 0 ? [] : repeated.all(JSON.stringify(attemptIds))) {
        const [effect, first, own] = [parse(row.effect), row.first && parse(row.first), row.own && parse(row.own)]
        if (first === null || own === null || verdictOn(own, first, effect.within) !== "does_not_reproduce") continue
        const key = `${row.attemptId} ${row.versionId}`
        if (!found.has(key)) found.set(key, { before: inWords(effect, first), now: inWords(effect, own) })
      }
      return (attemptId, versionId) => found.get(`${attemptId} ${versionId}`)
    },

    /** The effects of some findings whose values moved. @param ids a JSON list of their ids */
    movedOf(ids: string): (versionId: string, position: number) => ChangedEffect | undefined {
      const found = new Map(
        moved.all(ids).map((row) => {
          const effect = parse(row.effect)
          const change = {
            before: inWords(effect, parse(row.figures)),
            now: inWords(effect, row.now && parse(row.now)),
          }
          return [`${row.versionId} ${row.position}`, change]
        }),
      )
      return (versionId, position) => found.get(`${versionId} ${position}`)
    },
  }
}
