/** Effects: the measured differences that a finding rests on, computed from the attempts it names. */
import { each, keysOf, present } from "../../contract/typed.ts"
import { canonicalJson, parse, type Stored } from "../../contract/json.ts"
import { type EffectAnswer, effectFigures, type LandedEffect } from "../../contract/answers/measurements.ts"
import { WITHHELD_SINCE } from "../../ledger/journal/withheld-words.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import { labelledObject } from "../../ledger/lists/labelled.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import {
  type EffectReproductions,
  effectReproductions,
  type First,
  type Repeated,
  repeatedInWords,
  repeatsInWords,
} from "./effect-reproductions.ts"
import { figureOn, halfOf, scaleOf } from "./statistics.ts"
import type { MeasurementTables } from "./reads.ts"
import { boundsInWords, conditionsInWords, contrastInWords, effectInWords, estimateInWords } from "./in-words.ts"
import {
  liesWithin,
  type RepeatedEffects,
  allOf,
  contrastOf,
  type Effect,
  type Figures,
  isFault,
  type Named,
  tooManyValues,
  workingOut,
} from "./working-out.ts"
import type { SourceEffect } from "./gathered.ts"
import type { Values } from "./values.ts"
import { Refusal } from "../../contract/refusals.ts"
import { type Dimensions, textOf } from "./cells.ts"
import { tableAround } from "./kept-tables.ts"

// Finds the cell of an effect in the table of its metric and baseline over its Room.

type InTable = NonNullable<EffectAnswer["inTable"]>

const isSame = (one: Dimensions, other: Dimensions): boolean =>
  Object.keys(one).every((name) => textOf(one[name] ?? "") === textOf(other[name] ?? ""))

/**
 * @returns a function of a Room, an effect and the attempts behind it, that gives the difference in the table and
 * whether it is told apart there; null if there is no such cell
 */
export function inTable(measured: MeasurementTables) {
  return function cellOf(roomId: string, effect: Effect, attempts: readonly string[]): InTable | null {
    const question = tableAround(effect)
    if (question === undefined) return null
    const { where = {}, ...rest } = question
    const places = Object.entries(where).map(([name, value]) => `${name}:${textOf(value)}`)
    try {
      const { groups, comparisons } = measured({ roomId }, { ...rest, ...(places.length > 0 && { where: places }) })
      const here = groups.filter(({ key }) => isSame(key, { ...effect.where, ...effect.of }))
      // Groups with one key are parted by settings: its own holds its attempts.
      const own = here.find((group) => group.attempts.some(({ attemptId }) => attempts.includes(attemptId)))
      const contrast = (own ?? (here.length === 1 ? here[0] : undefined))?.contrast
      if (contrast == null) return null
      const { estimate, low, high, pairs, corrected } = contrast
      return { estimate, low, high, pairs, isDistinct: corrected?.isDistinct ?? false, comparisons }
    } catch (error) {
      if (error instanceof Refusal) return null
      throw error
    }
  }
}

/** "over the Room −2.39 ±0.27 points, told apart (of 33)". @param unit as of its metric */
function inTableInWords({ estimate, low, high, isDistinct, comparisons }: InTable, unit: string | null): string {
  const scale = scaleOf(unit)
  const half = halfOf(low, high)
  const around = half === null ? "" : ` ±${figureOn(scale, half, half)}`
  const apart = `${isDistinct ? "" : "not "}told apart (of ${comparisons})`
  return `over the Room ${figureOn(scale, estimate, half)}${around}${scale.difference}, ${apart}`
}

interface Row {
  readonly versionId: string
  readonly position: number
  readonly effect: Stored<Effect>
  readonly attempts: Stored<string[]>
  readonly roomId: string
  /** The JSON null if the values behind it were withheld before a replay. */
  readonly figures: Stored<Figures | null>
  readonly hasMoved: number
  readonly now: Stored<Figures> | null
  /** The number of names of its values that were withheld since. */
  readonly withheld: number
  readonly experimentLabel: string
  /** Those that were not withheld. */
  readonly commits: Stored<(string | null)[]>
  /** The effect of another finding that it repeats. */
  readonly repeats: Stored<Omit<NonNullable<EffectAnswer["repeats"]>, "comparison">> | null
}

/** An effect of a finding that is being published. */
export interface Prepared {
  readonly effect: Effect
  /** Null in a replay if the values behind it were withheld. */
  readonly figures: Figures | null
  readonly contrast: string
  /** A JSON array of attempt ids. */
  readonly attempts: string
}

/** The fields of an event that identify its values. If they are withheld, the values no longer belong to the metric. */
const NAMES = "/metrics/*/[ns]*"

const noFigures = each(keysOf(effectFigures), () => null)

/** The number of names of the values behind an effect that were withheld since. */
const WITHHELD = `${WITHHELD_SINCE(
  "v.history_position",
  `'${NAMES}'`,
  `(SELECT json_group_array(t.attempt_id)
    FROM finding_attempts t
    WHERE t.version_id = f.version_id AND t.role <> 'evidence')`,
)} AS withheld`

const SENTENCES = `SELECT f.version_id AS versionId, f.position, f.effect, f.attempts, v.room_id AS roomId,
    iif(m.holder_id IS NULL, f.figures, coalesce(m.now, f.figures)) AS figures,
    m.holder_id IS NOT NULL AS hasMoved, ${WITHHELD}
  FROM json_each(+?) j
  CROSS JOIN finding_effects f ON f.version_id = j.value
  JOIN records v ON v.version_id = f.version_id
  LEFT JOIN moved_effects m ON m.holder_id = f.version_id AND m.position = f.position`

export type Effects = ReturnType<typeof effects>

/** The most tables over a Room that the sentences of effects are compared with. */
const TABLES = 10

type Reproduced = ReturnType<EffectReproductions>

export function effects(db: Db, values: Values, repeated: RepeatedEffects, measured?: MeasurementTables) {
  const workedOut = workingOut(values)
  /** What was worked out of a finding that is being checked, for its write a moment later. */
  const checked = new WeakMap<readonly Effect[], readonly ReturnType<typeof workedOut>[]>()
  const cellOf: ReturnType<typeof inTable> = measured === undefined ? () => null : inTable(measured)
  const reproductions = effectReproductions(db)
  const insert = inserting(db, "finding_effects")
  const ofFinding = db.prepare<Row>(
    `SELECT f.version_id AS versionId, f.effect, f.figures, f.position, f.attempts, v.room_id AS roomId,
        m.holder_id IS NOT NULL AS hasMoved,
        m.now, e.label AS experimentLabel, ${WITHHELD},
        (SELECT json_group_array(DISTINCT ${contentOf("a")} ->> '$.repository.commit')
          FROM json_each(f.attempts) k
          JOIN attempts a ON a.attempt_id = k.value) AS commits,
       CASE WHEN o.version_id IS NOT NULL THEN
           ${labelledObject(
             "'versionId', f.repeats_id, 'effect', f.repeats_position, 'label', o.label",
             "o.room_id",
             "v.room_id",
           )} END AS repeats
     FROM finding_effects f
      JOIN experiments e ON e.experiment_id = f.experiment_id
      JOIN records v ON v.version_id = f.version_id
     LEFT JOIN moved_effects m ON m.holder_id = f.version_id AND m.position = f.position
     LEFT JOIN records o ON o.version_id = f.repeats_id
     WHERE f.version_id = +? ORDER BY f.position`,
  )
  const published = db.prepare<Pick<Row, "effect" | "figures">>(
    "SELECT effect, figures FROM finding_effects WHERE version_id = +? ORDER BY position",
  )
  const sentences = db.prepare<Omit<Row, "now" | "experimentLabel" | "repeats">>(SENTENCES)

  function shown(row: Row, reproduced: Reproduced): EffectAnswer {
    const { repeats: _repeats, ...effect } = parse(row.effect)
    const original = parse(row.figures)
    const isWithheld = original === null || row.withheld > 0
    const hasMoved = row.hasMoved === 1
    const now = row.now && parse(row.now)
    const first = row.repeats && parse(row.repeats)
    return {
      ...effect,
      split: effect.split ?? null,
      over: effect.over ?? null,
      where: effect.where ?? {},
      pool: effect.pool ?? [],
      within: effect.within ?? null,
      isWithin: effect.within === undefined || original === null ? null : liesWithin(original, effect.within),
      experimentLabel: row.experimentLabel,
      commits: parse(row.commits).filter((commit) => commit !== null),
      ...(original ?? noFigures),
      sentence: effectInWords(effect, original),
      isStale: hasMoved || isWithheld,
      staleReason: isWithheld ? "values_withheld" : hasMoved ? "values_changed" : null,
      now: now && { ...now, sentence: effectInWords(effect, now) },
      // The current figures of both are compared.
      repeats: first && {
        ...first,
        comparison: repeated.repetition(effect, hasMoved ? now : original, first)?.comparison ?? null,
      },
      inTable: cellOf(row.roomId, effect, parse(row.attempts)),
      ...reproduced(row.versionId, row.position, {
        effect,
        figures: hasMoved ? now : original,
        attempts: parse(row.attempts),
      }),
    }
  }

  /** The current effects of several findings, in their order. @param isCompared with their cells over the Room */
  function described(versionIds: readonly string[], isCompared: boolean): Map<string, DescribedEffect[]> {
    const reproduced = reproductions(versionIds)
    // A brief shows few tables, and each is worked out over the whole Room.
    const asked = new Set<string>()
    const tableOf: typeof cellOf = (roomId, effect, attempts) => {
      const { metric, split, over, against } = effect
      asked.add(JSON.stringify([metric, split, over, against]))
      return !isCompared || asked.size > TABLES ? null : cellOf(roomId, effect, attempts)
    }
    const read = ({ versionId, position, ...row }: ReturnType<typeof sentences.all>[number]): DescribedEffect => {
      const [effect, figures, attempts] = [parse(row.effect), parse(row.figures), parse(row.attempts)]
      const isWithheld = figures !== null && row.withheld > 0
      return {
        effect,
        figures,
        since: isWithheld ? " (values withheld since)" : row.hasMoved === 1 ? " (changed since)" : "",
        cell: tableOf(row.roomId, effect, attempts),
        repeated: reproduced(versionId, position, { effect, figures, attempts }),
      }
    }
    const rows = Map.groupBy(sentences.all(JSON.stringify(versionIds)), ({ versionId }) => versionId)
    return mapped(rows, (some) => some.toSorted((one, other) => one.position - other.position).map(read))
  }

  /** The number of values that effects are worked out from. */
  const amountOf = (declared: readonly Effect[], named: Named): number =>
    declared.reduce((sum, { metric }) => sum + values.amountOf(allOf(named), metric), 0)

  return {
    amountOf,
    /**
     * Why effects of a finding cannot be computed, each with its path in the body. @param named undefined if the
     * finding names no attempts
     */
    faults(declared: readonly Effect[], named: Named | undefined): { path: string; message: string }[] {
      if (declared.length > 0 && named === undefined)
        return [
          {
            path: "/provenance/execution",
            message: "is needed, because effects are worked out from the attempts that it names",
          },
        ]
      if (named === undefined) return []
      const tooMany = tooManyValues(amountOf(declared, named))
      if (tooMany !== undefined) return [{ path: "/effects", message: tooMany }]
      const worked = declared.map((effect) => workedOut(effect, named))
      checked.set(declared, worked)
      return declared.flatMap((effect, index) => {
        const found = present(worked[index])
        if (isFault(found)) return [{ path: `/effects/${index}/${found.at}`, message: found.message }]
        if (found.differing !== null) return [{ path: `/effects/${index}`, message: found.differing }]
        const fault = effect.repeats && repeated.fault(effect, found, effect.repeats)
        return fault === undefined ? [] : [{ path: `/effects/${index}/repeats/${fault.at}`, message: fault.message }]
      })
    },

    /** Computes the effects of a finding. */
    prepare(declared: readonly Effect[], named: Named): Prepared[] {
      const worked = checked.get(declared)
      checked.delete(declared)
      return declared.map((effect, index) => {
        const found = worked?.[index] ?? workedOut(effect, named)
        if (isFault(found)) return { effect, figures: null, contrast: contrastOf(effect).key, attempts: "[]" }
        const { figures, attemptIds, split } = found
        // The only split of a metric is found without being named.
        const whole = split === "" ? effect : { ...effect, split }
        return { effect: whole, figures, contrast: contrastOf(whole).key, attempts: JSON.stringify(attemptIds) }
      })
    },

    /** Stores the effects of a finding as they are when it is published. */
    insert(versionId: string, prepared: readonly Prepared[]): void {
      prepared.forEach(({ effect, figures, contrast, attempts }, position) => {
        const { experimentId, repeats } = effect
        insert({
          versionId,
          position,
          experimentId,
          contrast,
          attempts,
          effect: canonicalJson(effect),
          figures: canonicalJson(figures),
          repeatsId: repeats?.versionId,
          repeatsPosition: repeats?.effect,
        })
      })
    },

    /** The effects of a finding as published, for its receipt. */
    forReceipt: (versionId: string): LandedEffect[] =>
      published.all(versionId).map((row) => {
        const figures = parse(row.figures)
        const { estimate, low, high } = figures ?? noFigures
        return { sentence: effectInWords(parse(row.effect), figures), estimate, low, high }
      }),

    /** The effects of a finding as published, with their current figures if those differ. */
    of(versionId: string): EffectAnswer[] {
      const reproduced = reproductions([versionId])
      return ofFinding.all(versionId).map((row) => shown(row, reproduced))
    },

    /** What repeats each of some effects, and the pooled estimates, read together. */
    repeatedOf(
      all: readonly (Pick<SourceEffect, "versionId" | "position" | "attemptIds"> & Omit<First, "attempts">)[],
    ) {
      const reproduced = reproductions([...new Set(all.map(({ versionId }) => versionId))])
      return all.map(({ versionId, position, attemptIds, ...first }) =>
        reproduced(versionId, position, { ...first, attempts: attemptIds }),
      )
    },

    /** The effect of each finding that tells most, the largest by its standard error, in a clause. */
    tellingOf(versionIds: readonly string[]): ReadonlyMap<string, string> {
      const measured = sentences.all(JSON.stringify(versionIds)).flatMap(({ versionId, effect, figures }) => {
        const found = parse(figures)
        return found === null ? [] : [{ versionId, effect: parse(effect), figures: found }]
      })
      const weight = ({ figures: { estimate, se } }: (typeof measured)[number]) => Math.abs(estimate) / (se || Infinity)
      return new Map(
        [...Map.groupBy(measured, ({ versionId }) => versionId)].flatMap(([versionId, some]) => {
          const [first] = some.toSorted((one, other) => weight(other) - weight(one))
          return first === undefined ? [] : [[versionId, estimateInWords(first.effect, first.figures)]]
        }),
      )
    },

    /** The current effects of several findings, one sentence each, from one query. */
    sentencesOf: (versionIds: readonly string[]): ReadonlyMap<string, readonly string[]> =>
      mapped(described(versionIds, false), (some) => some.map(sentenceOf)),

    /**
     * The same for a brief, with what the table of the Room says of each; and shorter, where one sentence has all
     * effects that differ in their place alone.
     */
    briefSentencesOf(versionIds: readonly string[]): ReadonlyMap<string, EffectSentences> {
      return mapped(described(versionIds, true), (some) => ({ whole: some.map(sentenceOf), short: inShort(some) }))
    },
  }
}

/** An effect with what is said of it. */
interface DescribedEffect {
  readonly effect: Effect
  readonly figures: Figures | null
  /** What happened to its values: " (changed since)". */
  readonly since: string
  readonly cell: InTable | null
  readonly repeated: Repeated
}
/** The effects of a finding in a sentence each, and in few sentences. */
export interface EffectSentences {
  readonly whole: readonly string[]
  readonly short: readonly string[]
}

const mapped = <V, R>(all: ReadonlyMap<string, V>, change: (value: V) => R): Map<string, R> =>
  new Map([...all].map(([key, value]) => [key, change(value)]))

/** What stands beside an effect wherever it is told: the same contrast over the Room, and its reproductions. */
export function besideInWords(cell: InTable | null, repeated: Repeated, unit: string | null): string {
  const repeats = repeatedInWords(repeated, unit)
  return `${cell === null ? "" : `; ${inTableInWords(cell, unit)}`}${repeats === null ? "" : `; ${repeats}`}`
}

const sentenceOf = ({ effect, figures, since, cell, repeated }: DescribedEffect): string =>
  `${effectInWords(effect, figures)}${since}${besideInWords(cell, repeated, figures?.unit ?? null)}`

/**
 * "error of shift − baseline: −2.39 ±0.27* points at labels 50, −1.23 ±0.27* at labels 100 (* told apart over
 * the Room, of 33)": the effects of a finding, with one sentence for those that differ in their place alone.
 */
function inShort(all: readonly DescribedEffect[]): string[] {
  const groups = Map.groupBy(all, ({ effect: { metric, split, of, against } }) =>
    JSON.stringify([metric, split, of, against]),
  )
  return [...groups.values()].flatMap((some) => {
    const [first] = some
    if (first === undefined) return []
    const values = some.map(({ effect, figures, since, cell }, at) => {
      const { where = {} } = effect
      const place = Object.keys(where).length === 0 ? "" : ` at ${conditionsInWords(where)}`
      if (figures === null) return `withheld${place}`
      const scale = scaleOf(figures.unit)
      const half = halfOf(figures.low, figures.high)
      const around = half === null ? "" : ` ±${figureOn(scale, half, half)}`
      const star = cell?.isDistinct === true ? "*" : ""
      const unit = at === 0 ? scale.difference : ""
      const bounds = boundsInWords(effect, figures)
      const kept = bounds === null ? "" : ` (${bounds})`
      return `${figureOn(scale, figures.estimate, half)}${around}${star}${unit}${place}${kept}${since}`
    })
    const apart = some.find(({ cell }) => cell?.isDistinct === true)?.cell
    const repeats = [...new Set(some.flatMap(({ repeated }) => repeatsInWords(repeated)))]
    return [
      `${contrastInWords({ ...first.effect, where: {} })}: ${values.join(", ")}` +
        `${apart == null ? "" : ` (* told apart, of ${apart.comparisons})`}` +
        `${repeats.length === 0 ? "" : `; ${repeats.join(", ")}`}`,
    ]
  })
}
