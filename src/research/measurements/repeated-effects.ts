/** Checks whether an effect repeats another, and compares the two. */
import { parse, type Stored } from "../../contract/json.ts"
import type { ReproductionVerdict } from "../../contract/schema/enumerations.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { type Comparison, compared, reversed, verdictOf } from "./comparison.ts"
import { contrastOf } from "./contrasts.ts"
import type { Effect, Figures, WorkedOut } from "./working-out.ts"

/** An effect of a finding, by its position. */
export interface NamedEffect {
  readonly versionId: string
  readonly effect: number
}
interface Row {
  readonly effect: Stored<Effect>
  readonly figures: Stored<Figures | null>
  readonly attempts: Stored<string[]>
  readonly label: string
}

/** How an effect compares with the one that it repeats. */
export interface Repetition {
  readonly verdict: ReproductionVerdict
  readonly comparison: Comparison
}

export type RepeatedEffects = ReturnType<typeof repeatedEffects>

export function repeatedEffects(db: Db) {
  // The current figures, so that late reports count.
  const one = db.prepare<Row>(
    `SELECT f.effect, iif(m.holder_id IS NULL, f.figures, coalesce(m.now, 'null')) AS figures, f.attempts, r.label
     FROM finding_effects f JOIN records r ON r.version_id = f.version_id LEFT JOIN moved_effects m ON m.holder_id = f.version_id AND m.position = f.position
     WHERE f.version_id = +? AND f.position = +?`,
  )
  const count = db.prepare<{ count: number }>("SELECT count(*) AS count FROM finding_effects WHERE version_id = +?")
  const labels = db.prepare<{ label: string }>("SELECT a.label FROM json_each(+?) j JOIN attempts a ON a.attempt_id = j.value LIMIT 5")

  return {
    /** Returns the definition of an effect; undefined if the finding has none at that position. */
    definition(named: NamedEffect): Effect | undefined {
      const row = one.get(named.versionId, named.effect)
      return row && parse(row.effect)
    },

    /** Why an effect does not repeat another, and which member of `named` is at fault; undefined if it does. */
    fault(own: Effect, { figures, attemptIds }: WorkedOut, named: NamedEffect): { at: keyof NamedEffect; message: string } | undefined {
      const row = one.get(named.versionId, named.effect)
      if (row === undefined) {
        const has = count.one(named.versionId).count
        return {
          at: "effect",
          message:
            has === 0 ? "does not exist: the finding has no effects" : `must be less than ${has}, the number of effects of the finding`,
        }
      }
      const first = parse(row.effect)
      if (first.metric !== own.metric) return { at: "effect", message: `is of ${first.metric} in ${row.label}, not of ${own.metric}` }
      const unit = parse(row.figures)?.unit ?? null
      if (unit !== null && figures.unit !== null && unit !== figures.unit)
        return { at: "effect", message: `is in ${unit} in ${row.label}, not in ${figures.unit}` }
      const shared = parse(row.attempts).filter((id) => attemptIds.includes(id))
      if (shared.length === 0) return undefined
      const names = labels.all(JSON.stringify(shared)).map(({ label }) => label)
      return { at: "versionId", message: `rests on ${names.join(", ")} too: an effect is repeated with other attempts` }
    },

    /** Compares an effect with the one that it repeats; undefined if either can no longer be computed. */
    repetition(own: Effect, figures: Figures | null, named: NamedEffect): Repetition | undefined {
      const row = one.get(named.versionId, named.effect)
      const first = row && parse(row.figures)
      if (row === undefined || first == null || figures === null) return undefined
      const [mine, theirs] = [contrastOf(own), contrastOf(parse(row.effect))]
      const directed = mine.key === theirs.key && mine.isReversed !== theirs.isReversed ? reversed(figures) : figures
      return { verdict: verdictOf(directed, first), comparison: compared(directed, first, row.label) }
    },
  }
}
