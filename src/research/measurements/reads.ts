/** The reads of the measurement table. */
import { fitting } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { MeasurementTable } from "../../contract/answers/measurements.ts"
import { known, noSuch } from "../../ledger/write/references.ts"
import { badParameter, Refusal } from "../../contract/refusals.ts"
import { keysetPage } from "../../ledger/lists/paging.ts"
import type { AskedOf, Readers } from "../../ledger/reads/reading.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { Remembered } from "../../ledger/storage/caches.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Evidence } from "../evidence/evidence.ts"
import type { Experiments } from "../experiments/experiments.ts"
import { sortedBy, textOf } from "./cells.ts"
import type { GatheredEffects } from "./gathered.ts"
import type { Ledger } from "./ledger.ts"
import { acrossInWords, familyInWords, mergedInWords, noiseInWords } from "./in-words.ts"
import type { Contrast } from "./statistics.ts"
import { type Group, tableOf, csvOf, markdownOf } from "./table.ts"
import { type KnownMetric, type Measured, type Scope, splitsInWords, type Values } from "./values.ts"

type Query = AskedOf<"experiment_measurements">["query"]

/** The intents that count by default. A rerun or a reproduction repeats an attempt with one of these. */
export const PRIMARY = ["planned", "exploratory"]

/** Tables kept for the next time. */
const KEPT = 30

/** Splits `arm:baseline` into a dimension and a value. */
const placeOf = (text: string) => ({
  dimension: text.slice(0, text.indexOf(":")),
  value: text.slice(text.indexOf(":") + 1),
})

const listed = ({ dimensions, ...metric }: KnownMetric): MeasurementTable["metrics"][number] => ({
  ...metric,
  units: metric.units.slice(0, limits.groupAttempts),
  dimensions: [...dimensions].slice(0, limits.tableColumns).map(([dimension, known]) => {
    const values = sortedBy(known, (value) => value).map(textOf)
    return {
      dimension,
      values: values.slice(0, limits.groupAttempts),
      valuesTruncated: values.length > limits.groupAttempts,
    }
  }),
})

const runs = (count: number): string => `${count} ${count === 1 ? "value" : "values"}`

const DIFFERS = {
  commit: "attempts ran different code (several commits)",
  command: "attempts ran different commands",
  inputs: "attempts had different inputs",
  environment: "attempts ran in different environments",
}

/** What a reader must know about a difference, one note each. */
function notesOn(contrast: Contrast, over: string | undefined, unit: string | null): string[] {
  const { pairs, unpaired, pairedAcross, belowNoise, noise } = contrast
  return [
    ...(unpaired > 0 ? [`${pairs} pairs; ${runs(unpaired)} had no partner`] : []),
    ...(over !== undefined && pairs === null ? [`fewer than two pairs over ${over}: compared unpaired`] : []),
    ...(pairedAcross === null ? [] : [`compared ${acrossInWords(pairedAcross)}: never told apart`]),
    ...(belowNoise && noise !== null ? [`smaller than the noise, ${noiseInWords(noise, unit)}`] : []),
  ]
}

/** What a reader must know before comparing a group, one note each. */
function notesOf({ summary, nonFinite, withoutOver, differs, merged, contrast }: Group, over: string | undefined) {
  return [
    ...(summary?.n === 1 ? ["one value: no spread known"] : []),
    ...(nonFinite > 0 ? [`${runs(nonFinite)} diverged and ${nonFinite === 1 ? "is" : "are"} left out`] : []),
    ...(withoutOver > 0 ? [`${runs(withoutOver)} without ${over} left out`] : []),
    ...differs.map((each) => DIFFERS[each]),
    ...(Object.keys(merged).length > 0 ? [`merges ${mergedInWords(merged)}`] : []),
    ...(contrast === null ? [] : notesOn(contrast, over, null)),
  ]
}

const unmeasured = { n: 0, mean: null, sd: null, se: null, low: null, high: null, min: null, max: null }

const copied = (merged: Group["merged"]) =>
  Object.fromEntries(Object.entries(merged).map(([name, values]) => [name, [...values]]))

/** A group in the form of an answer. */
export function shown(group: Group, over: string | undefined, withPoints: boolean): MeasurementTable["groups"][number] {
  const { key, summary, points, attempts, differs, contrast, merged, side: _side, ...rest } = group
  return {
    key,
    ...(summary ?? unmeasured),
    ...rest,
    attempts: attempts.slice(0, limits.groupAttempts).map(({ attemptId, label }) => ({ attemptId, label })),
    attemptsTruncated: attempts.length > limits.groupAttempts,
    differs: [...differs],
    merged: copied(merged),
    contrast,
    ...(withPoints && { points: points.first(limits.groupPoints) }),
    notes: notesOf(group, over),
  }
}

/** Computes measurement tables of a Room, of experiments, or of named attempts. */
export function measurementTables(db: Db, values: Values) {
  /**
   * Returns the dimensions to group by and the one to pair over: those of the query, or all those of the metric.
   * @throws Refusal 422 if the query names none and the metric has too many
   */
  function dimensionsOf({ by, over }: Query, metric: KnownMetric, attempts: readonly Measured[]) {
    const own = [...metric.dimensions.keys()]
    const repeats = over ?? (own.includes("seed") ? "seed" : undefined)
    const arms = own.includes("arm") || !attempts.some(({ arm }) => arm !== null) ? [] : ["arm"]
    const all = [...arms, ...own.filter((name) => name !== repeats)]
    if (by === undefined && all.length > limits.dimensions + arms.length)
      throw badParameter(
        "by",
        `must be given: the metric has ${all.length} dimensions, such as ${all.slice(0, 20).join(", ")}`,
      )
    return { by: by ?? all, over: repeats }
  }

  /** Reads the values of a metric. @throws Refusal 422 if it is not reported, or in several splits */
  function frameOf(attempts: readonly Measured[], { metric = "", split: asked }: Query) {
    const found = asked === undefined ? values.splitOf(attempts, metric) : { split: asked, known: [] }
    const { split } = found
    const frame = split === undefined ? undefined : values.frame(attempts, metric, split)
    if (split !== undefined && frame !== undefined && frame.values.length > 0) return { split, frame }
    if (found.known.length > 1)
      throw badParameter("split", `must be given: ${metric} is reported ${splitsInWords(found.known)}`)
    const known = values
      .metrics(attempts)
      .map((each) => (each.split === null ? each.metric : `${each.metric} with split=${each.split}`))
    throw badParameter(
      "metric",
      known.length === 0
        ? "has no value: no succeeded attempt here reported a metric"
        : `is not reported here; the metrics are ${known.slice(0, 20).join(", ")}`,
    )
  }

  /**
   * @param absent the value for a dimension that a value lacks; without it, such values are left out
   * @param most groups of a table that is not sent as it is: a picture of it, or a part
   * @throws Refusal 422 for a metric, dimension or baseline that no attempt reported, and for a table that is too large
   */
  function workedOut(scope: Scope, query: Query, absent?: string, most?: number): MeasurementTable {
    const asked = query.attempts === undefined ? scope : { attemptIds: query.attempts }
    const all = values.attempts(asked)
    const intents = query.intents ?? (query.attempts === undefined ? PRIMARY : undefined)
    const wanted = intents === undefined ? all : all.filter(({ intent }) => intents.includes(intent))
    const over = wanted.filter(({ status }) => status === "succeeded")
    const leftOut = {
      unfinishedAttempts: wanted.length - over.length,
      otherIntents: all.length - wanted.length,
      withoutBy: 0,
      excluded: 0,
      ...values.removedFrom(asked, () => over),
    }
    if (query.metric === undefined) {
      const needing = (["by", "over", "against", "where", "pool", "points"] as const).find(
        (name) => query[name] !== undefined,
      )
      if (needing !== undefined) throw badParameter(needing, "needs metric: without it, the metrics are listed")
      const metrics = values.metrics(over)
      const known = metrics.slice(0, limits.measuredMetrics).map(listed)
      const shown = known.slice(0, fitting(known, limits.listBytes).length)
      return {
        metrics: shown,
        metricsTruncated: shown.length < metrics.length,
        metric: null,
        split: query.split ?? null,
        unit: null,
        by: [],
        over: null,
        against: null,
        where: {},
        partedBy: [],
        pooled: [],
        groups: [],
        noise: null,
        comparisons: 0,
        family: null,
        leftOut,
      }
    }
    const { split, frame: reported } = frameOf(over, query)
    const metric = values.known(query.metric, split, reported)
    const question = dimensionsOf(query, metric, over)
    const where = Object.fromEntries((query.where ?? []).map(placeOf).map(({ dimension, value }) => [dimension, value]))
    const against = query.against === undefined ? undefined : placeOf(query.against)
    if (against !== undefined && !question.by.includes(against.dimension))
      throw badParameter(
        "against",
        `must name one of the dimensions of by: ${question.by.join(", ") || "there are none"}`,
      )
    const here = values.at(reported, over, { ...question, where })
    const named = Object.keys(where)
    const table = tableOf(here, { ...question, against, absent, pool: query.pool, named })
    const bound = most ?? limits.measuredGroups
    if (table.groups.length > bound)
      throw badParameter(
        "by",
        `makes ${table.groups.length} groups; at most ${bound}: group by fewer dimensions, or narrow with where`,
      )
    if (against !== undefined && !table.groups.some(({ isBaseline }) => isBaseline)) {
      const known = new Set(table.groups.map(({ key }) => textOf(key[against.dimension] ?? "")))
      if (known.size === 0) throw badParameter("where", "matches no value that the table groups")
      throw badParameter(
        "against",
        `names no group; ${against.dimension} is one of ${[...known].slice(0, 20).join(", ")}`,
      )
    }
    const groups = table.groups.map((group) => shown(group, question.over, query.points === "1"))
    if (most === undefined && fitting(groups, limits.listBytes).length < groups.length)
      throw badParameter(
        query.points === "1" ? "points" : "by",
        `makes an answer of more than ${limits.listBytes.toLocaleString("en")} bytes: leave points out, ` +
          "group by fewer dimensions, or narrow with where",
      )
    return {
      metrics: [listed(metric)],
      metricsTruncated: false,
      metric: metric.metric,
      split: metric.split,
      unit: metric.units.length === 1 ? (metric.units[0] ?? null) : null,
      by: [...question.by],
      over: question.over ?? null,
      against: against ?? null,
      where,
      partedBy: table.partedBy,
      pooled: table.pooled,
      groups,
      noise: table.noise,
      comparisons: table.comparisons,
      family: familyInWords(table.comparisons),
      leftOut: { ...leftOut, withoutBy: table.withoutBy, excluded: reported.values.length - here.values.length },
    }
  }
  const known = new Remembered<{ readonly state: string; readonly table: MeasurementTable | Refusal }>(db, KEPT)
  function workedOutOrNot(...asked: Parameters<typeof workedOut>): MeasurementTable | Refusal {
    try {
      return workedOut(...asked)
    } catch (error) {
      if (error instanceof Refusal) return error
      throw error
    }
  }

  /**
   * Returns the table, which is worked out once for each state of its Rooms, or refused once.
   * @throws Refusal as when it is worked out
   */
  return function measured(scope: Scope, query: Query, absent?: string, most?: number): MeasurementTable {
    const key = JSON.stringify([scope, query, absent, most])
    const state = values.stateOf(query.attempts === undefined ? scope : { attemptIds: query.attempts })
    const last = known.get(key)
    const table = last?.state === state ? last.table : workedOutOrNot(scope, query, absent, most)
    known.set(key, { state, table })
    if (table instanceof Refusal) throw table
    return table
  }
}

interface Tables {
  readonly rooms: Rooms
  readonly experiments: Experiments
  readonly measured: MeasurementTables
  readonly evidence: Evidence
  readonly gathered: GatheredEffects
  readonly runLedger: Ledger
}

export type MeasurementTables = ReturnType<typeof measurementTables>

export function measurementReads({ rooms, experiments, measured, evidence, gathered, runLedger }: Tables) {
  function answered(name: string, scope: Scope, { format, ...query }: Query) {
    const table = measured(scope, query)
    if (format === "csv") return csvOf(name, table)
    return format === "markdown" ? markdownOf(table) : table
  }
  return {
    record_effects({ params: { versionId } }) {
      if (!evidence.knows(versionId)) throw noSuch("record")
      return { versionId, ...gathered(versionId) }
    },
    experiment_measurements({ params, query }) {
      known("experiment", experiments.find(params.experimentId))
      return answered("measurements", { experimentIds: [params.experimentId] }, query)
    },
    room_ledger({ params: { roomId }, query }) {
      rooms.mustExist(roomId)
      const { limit = limits.ledgerRuns, after = 0, ...filters } = query
      const found = runLedger({ ...filters, roomId }, after, limit + 1)
      return keysetPage(found, { limit }, ({ label }) => Number(label.slice(1)))
    },

    room_measurements({ params, query: { experiments: experimentIds, ...query } }) {
      rooms.mustExist(params.roomId)
      return answered(
        "measurements",
        experimentIds === undefined ? { roomId: params.roomId } : { experimentIds },
        query,
      )
    },
  } satisfies Partial<Readers>
}
