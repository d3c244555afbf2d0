/** Effects: differences of measured values that a finding rests its numbers on, worked out here from the attempts it names. */
import { canonicalJson, parse, type Stored } from "../../contract/json.ts"
import type { EffectAnswer } from "../../contract/answers/measurements.ts"
import { WITHHELD_SINCE } from "../../ledger/journal/withheld-since.ts"
import { fromOtherRoom } from "../../ledger/lists/other-room.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import { contrastOf } from "./contrasts.ts"
import { effectInWords } from "./in-words.ts"
import type { RepeatedEffects } from "./repeated-effects.ts"
import { type Effect, type Figures, isFault, type Named, type WorkingOut } from "./working-out.ts"

interface Row {
  readonly versionId: string
  readonly roomId: string
  readonly effect: Stored<Effect>
  /** null: nothing is left of what it was worked out from. */
  readonly figures: Stored<Figures | null>
  readonly hasMoved: number
  readonly now: Stored<Figures> | null
  /** Names of values that were withheld since. */
  readonly withheld: number
  readonly experimentLabel: string
  readonly repeatsId: string | null
  readonly repeatsPosition: number | null
  readonly repeatedLabel: string | null
  readonly repeatedRoomId: string | null
}

/** An effect of a finding that is being published. */
export interface Prepared {
  readonly effect: Effect
  /** Null in a replay, where what it was worked out from was withheld since. */
  readonly figures: Figures | null
  readonly contrast: string
  /** A JSON list. */
  readonly attempts: string
}

/** The places of an event by which values are found: once they are withheld, the values are no longer the metric's. */
const NAMES = "/metrics/*/[ns]*"

const none = {
  method: null,
  estimate: null,
  se: null,
  low: null,
  high: null,
  p: null,
  unit: null,
  pairs: null,
  unpaired: null,
  ofCount: null,
  againstCount: null,
  withoutOver: null,
}

/** How many of the values behind an effect were withheld since. */
const WITHHELD = `${WITHHELD_SINCE(
  "v.history_position",
  `'${NAMES}'`,
  "(SELECT json_group_array(t.attempt_id) FROM finding_attempts t WHERE t.version_id = f.version_id AND t.role <> 'evidence')",
)} AS withheld`

/** The effects of several findings, as they stand now. */
const SENTENCES = `SELECT f.version_id AS versionId, f.effect, iif(m.holder_id IS NULL, f.figures, coalesce(m.now, f.figures)) AS figures,
    m.holder_id IS NOT NULL AS hasMoved, ${WITHHELD}
  FROM json_each(+?) j CROSS JOIN finding_effects f ON f.version_id = j.value JOIN records v ON v.version_id = f.version_id LEFT JOIN moved_effects m ON m.holder_id = f.version_id AND m.position = f.position
  ORDER BY j.key, f.position`

export type Effects = ReturnType<typeof effects>

export function effects(db: Db, workedOut: WorkingOut, repeated: RepeatedEffects) {
  const insert = inserting(db, "finding_effects")
  const ofFinding = db.prepare<Row>(
    `SELECT f.version_id AS versionId, v.room_id AS roomId, f.effect, f.figures, m.holder_id IS NOT NULL AS hasMoved, m.now, e.label AS experimentLabel, ${WITHHELD},
       f.repeats_id AS repeatsId, f.repeats_position AS repeatsPosition, o.label AS repeatedLabel, o.room_id AS repeatedRoomId
     FROM finding_effects f JOIN experiments e ON e.experiment_id = f.experiment_id JOIN records v ON v.version_id = f.version_id
     LEFT JOIN moved_effects m ON m.holder_id = f.version_id AND m.position = f.position
     LEFT JOIN records o ON o.version_id = f.repeats_id
     WHERE f.version_id = +? ORDER BY f.position`,
  )
  const sentences = db.prepare<Pick<Row, "versionId" | "effect" | "figures" | "hasMoved" | "withheld">>(SENTENCES)

  /** What it repeats, and what it says of that as both stand now. */
  function repeats(row: Row, effect: Effect, figures: Figures | null): EffectAnswer["repeats"] {
    const { repeatsId: versionId, repeatsPosition, repeatedLabel: label, repeatedRoomId, roomId } = row
    if (versionId === null || repeatsPosition === null || label === null || repeatedRoomId === null) return null
    const named = { versionId, effect: repeatsPosition }
    return {
      ...named,
      label,
      ...fromOtherRoom(repeatedRoomId, roomId),
      comparison: repeated.repetition(effect, figures, named)?.comparison ?? null,
    }
  }

  function shown(row: Row): EffectAnswer {
    const { repeats: _asked, ...effect } = parse(row.effect)
    const kept = parse(row.figures)
    const isWithheld = kept === null || row.withheld > 0
    const hasMoved = row.hasMoved === 1
    const now = row.now && parse(row.now)
    return {
      ...effect,
      split: effect.split ?? null,
      over: effect.over ?? null,
      where: effect.where ?? {},
      experimentLabel: row.experimentLabel,
      ...(kept ?? none),
      sentence: effectInWords(effect, kept),
      isStale: hasMoved || isWithheld,
      staleReason: isWithheld ? "values_withheld" : hasMoved ? "values_changed" : null,
      now: now && { ...now, sentence: effectInWords(effect, now) },
      repeats: repeats(row, effect, hasMoved ? now : kept),
    }
  }

  return {
    /** What of the effects of a finding cannot be worked out, each at its place in the body. @param named undefined where it names no attempts */
    faults(asked: readonly Effect[], named: Named | undefined): { path: string; message: string }[] {
      if (asked.length > 0 && named === undefined)
        return [{ path: "/provenance/execution", message: "is needed, because effects are worked out from the attempts that it names" }]
      return asked.flatMap((effect, index) => {
        if (named === undefined) return []
        const found = workedOut(effect, named)
        if (isFault(found)) return [{ path: `/effects/${index}/${found.at}`, message: found.message }]
        const fault = effect.repeats && repeated.fault(effect, found, effect.repeats)
        return fault === undefined ? [] : [{ path: `/effects/${index}/repeats/${fault.at}`, message: fault.message }]
      })
    },

    /** Works the effects of a finding out. */
    prepare: (asked: readonly Effect[], named: Named): Prepared[] =>
      asked.map((effect) => {
        const found = workedOut(effect, named)
        const { figures, attemptIds } = isFault(found) ? { figures: null, attemptIds: [] } : found
        return { effect, figures, contrast: contrastOf(effect).key, attempts: JSON.stringify(attemptIds) }
      }),

    /** Keeps the effects of a finding as they are when it lands. */
    insert(versionId: string, prepared: readonly Prepared[]): void {
      prepared.forEach(({ effect, figures, contrast, attempts }, position) => {
        const { experimentId, metric, repeats: of } = effect
        insert({
          ...{ versionId, position, experimentId, metric, contrast, attempts },
          ...{ effect: canonicalJson(effect), figures: canonicalJson(figures), repeatsId: of?.versionId, repeatsPosition: of?.effect },
        })
      })
    },

    /** The effects of a finding as they were, and as they are now where that differs. */
    of: (versionId: string): EffectAnswer[] => ofFinding.all(versionId).map(shown),

    /** The effects of several findings in a sentence each, as they are now; asked at once. */
    sentencesOf: (versionIds: readonly string[]): ReadonlyMap<string, readonly string[]> =>
      new Map(
        [...Map.groupBy(sentences.all(JSON.stringify(versionIds)), ({ versionId }) => versionId)].map(([versionId, rows]) => [
          versionId,
          rows.map((row) => {
            const figures = parse(row.figures)
            const isWithheld = figures !== null && row.withheld > 0
            const since = isWithheld ? " (values withheld since)" : row.hasMoved === 1 ? " (changed since)" : ""
            return `${effectInWords(parse(row.effect), figures)}${since}`
          }),
        ]),
      ),
  }
}
