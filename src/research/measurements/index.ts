/** The domain of measured values: their tables, the effects that are worked out from them, and curves of groups. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import type { Curves } from "../attempts/curves.ts"
import { effects } from "./effects.ts"
import { gatheredEffects, effectSources } from "./gathered.ts"
import { keptTables } from "./kept-tables.ts"
import { movedEffects } from "./moved-effects.ts"
import { ledger } from "./ledger.ts"
import { measurementReads, measurementTables } from "./reads.ts"
import { repeatedEffects, workingOut } from "./working-out.ts"
import { reproductionEffects } from "./effect-reproductions.ts"
import { values, type Values } from "./values.ts"
import { limits } from "../../contract/limits.ts"
import { badParameter } from "../../contract/refusals.ts"
import { dimensionAt, type Dimensions, type Scalar, textOf } from "./cells.ts"
import { compareKeys } from "./frame.ts"
import { summaryOf } from "./statistics.ts"

// The curves of groups of attempts: the mean of a group's series at each step, with its 95 % interval.

/** The most series that are averaged, and the most steps of a curve. */
const [SERIES, STEPS] = [600, 200]

export interface Member {
  readonly attemptId: string
  readonly label: string
  readonly over: Scalar | null
  readonly step: readonly number[]
  readonly value: readonly number[]
}

export interface GroupCurvesQuery {
  readonly attemptIds: readonly string[]
  readonly metric: string
  readonly split: string | null
  readonly by: readonly string[]
  readonly over: string | null
  /** The value for a dimension that a series lacks. */
  readonly absent: string
}

/** The value of a series at a step, interpolated linearly; undefined before its first step and after its last. */
function valueAt({ step, value }: Member, at: number): number | undefined {
  let [low, high] = [0, step.length - 1]
  if (high < 0 || at < (step[0] ?? 0) || at > (step[high] ?? 0)) return undefined
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((step[middle] ?? 0) <= at) low = middle
    else high = middle
  }
  const [from, to] = [step[low] ?? 0, step[high] ?? 0]
  const [one, other] = [value[low] ?? Number.NaN, value[high] ?? Number.NaN]
  return to === from || at === from ? one : one + ((other - one) * (at - from)) / (to - from)
}

/**
 * The steps at which a group is averaged: its own, or evenly spaced ones if there are more than a picture has room for.
 */
function stepsOf(members: readonly Member[]): number[] {
  const all = [...new Set(members.flatMap(({ step }) => step))].sort((one, other) => one - other)
  if (all.length <= STEPS) return all
  const [first, last] = [all[0] ?? 0, all.at(-1) ?? 0]
  return Array.from({ length: STEPS }, (_, at) => first + ((last - first) * at) / (STEPS - 1))
}

/** Returns the curve of a group. The interval is null at a step that fewer than two series have. */
function averaged(key: Dimensions, members: readonly Member[]) {
  const means = stepsOf(members).flatMap((at) => {
    const values = members
      .map((member) => valueAt(member, at))
      .filter((value): value is number => value !== undefined && Number.isFinite(value))
    return values.length === 0 ? [] : [{ at, ...summaryOf(values) }]
  })
  return {
    key,
    members,
    step: means.map(({ at }) => at),
    mean: means.map(({ mean }) => mean),
    low: means.map(({ low }) => low),
    high: means.map(({ high }) => high),
  }
}

function groupCurves(values: Values, curves: Curves) {
  /** @throws Refusal 422 for too many series */
  return function drawn({ attemptIds, metric, split, by, over, absent }: GroupCurvesQuery) {
    const attempts = values.attempts({ attemptIds })
    const series = values.series(attempts, metric, split ?? "", [...by, ...(over === null ? [] : [over])], SERIES + 1)
    if (series.length > SERIES)
      throw badParameter("metric", `has more than ${SERIES} series here, the most that can be averaged`)
    const groups = new Map<string, { key: Record<string, Scalar>; members: Member[] }>()
    for (const { attempt, dimensions, dimensionsId } of series) {
      const key = Object.fromEntries(by.map((name) => [name, dimensionAt(dimensions, name) ?? absent]))
      const name = JSON.stringify(by.map((each) => textOf(key[each] ?? absent)))
      const place = [attempt.attemptId, metric, split ?? "", dimensionsId] as const
      const state = curves.state(...place)
      if (state === undefined) continue
      const curve = curves.between(place, state, 0, state.toStep)
      const count = curve.length / 2
      groups
        .getOrInsertComputed(name, () => ({ key, members: [] }))
        .members.push({
          attemptId: attempt.attemptId,
          label: attempt.label,
          over: over === null ? null : (dimensionAt(dimensions, over) ?? null),
          step: Array.from({ length: count }, (_, at) => curve[2 * at] ?? 0),
          value: Array.from({ length: count }, (_, at) => curve[2 * at + 1] ?? Number.NaN),
        })
    }
    return [...groups.values()]
      .map(({ key, members }) => averaged(key, members))
      .sort(compareKeys(by))
      .slice(0, limits.measuredGroups)
  }
}

function tables({ db, curves }: Ground & { readonly curves: Curves }) {
  const measuredValues = values(db)
  const measured = measurementTables(db, measuredValues)
  const workedOut = workingOut(measuredValues)
  const repeated = repeatedEffects(db)
  return {
    values: measuredValues,
    measured,
    keptTables: keptTables(db, measured, measuredValues),
    groupCurves: groupCurves(measuredValues, curves),
    effects: effects(db, measuredValues, repeated, measured),
    gathered: gatheredEffects(db),
    runLedger: ledger(db),
    effectSources: effectSources(db),
    movedEffects: movedEffects(db, workedOut, repeated),
    reproductionEffects: reproductionEffects(db, workedOut, repeated, measuredValues),
  }
}

export const domain = {
  tables: [tables],
  reads: [measurementReads],
} satisfies Domain
