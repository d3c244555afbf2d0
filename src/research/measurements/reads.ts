/** The reads of the measurement table. */
import { fitting } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { MeasurementTable } from "../../contract/answers/measurements.ts"
import { noSuch } from "../../contract/objects/no-such.ts"
import { badParameter } from "../../contract/refusals/refusal.ts"
import type { AskedOf, Readers } from "../../ledger/reads/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Evidence } from "../evidence/evidence.ts"
import type { Experiments } from "../experiments/experiments.ts"
import { sortedBy, textOf } from "./cells.ts"
import { at } from "./frame.ts"
import type { GatheredEffects } from "./gathered.ts"
import { type Group, tableOf } from "./table.ts"
import type { KnownMetric, Measured, Place, Values } from "./values.ts"
import { csvOf, markdownOf } from "./written.ts"

type Asked = AskedOf<"experiment_measurements">["query"]

/** Executions that a table is of where nothing is said: a rerun or a reproduction repeats one of them. */
const PRIMARY = ["planned", "exploratory"]

/** `arm:baseline` as a dimension and a value. */
const placeOf = (text: string) => ({ dimension: text.slice(0, text.indexOf(":")), value: text.slice(text.indexOf(":") + 1) })

const listed = ({ dimensions, ...metric }: KnownMetric): MeasurementTable["metrics"][number] => ({
  ...metric,
  units: metric.units.slice(0, limits.groupAttempts),
  dimensions: [...dimensions].slice(0, limits.tableColumns).map(([dimension, known]) => {
    const values = sortedBy(known, (value) => value).map(textOf)
    return { dimension, values: values.slice(0, limits.groupAttempts), valuesTruncated: values.length > limits.groupAttempts }
  }),
})

/** What a reader must know before comparing a group, a sentence each. */
function notesOf({ summary, nonFinite, withoutOver, differs, contrast }: Group, over: string | undefined): string[] {
  const runs = (count: number) => `${count} ${count === 1 ? "value" : "values"}`
  return [
    ...(summary?.n === 1 ? ["one value: no spread known"] : []),
    ...(nonFinite > 0 ? [`${runs(nonFinite)} diverged and ${nonFinite === 1 ? "is" : "are"} left out`] : []),
    ...(withoutOver > 0 ? [`${runs(withoutOver)} without ${over} left out`] : []),
    ...(differs.includes("code") ? ["attempts ran different code"] : []),
    ...(differs.includes("inputs") ? ["attempts had different inputs"] : []),
    ...(contrast !== null && contrast.unpaired > 0 ? [`${contrast.pairs} pairs; ${runs(contrast.unpaired)} had no partner`] : []),
    ...(over !== undefined && contrast !== null && contrast.pairs === null ? [`fewer than two pairs over ${over}: compared unpaired`] : []),
  ]
}

/** A group as it is answered. */
export function shown(group: Group, over: string | undefined, withPoints: boolean): MeasurementTable["groups"][number] {
  const { key, summary, points, attempts, differs, contrast, ...rest } = group
  const { n, mean, min, max, sd, se, low, high } = summary ?? {
    n: 0,
    mean: null,
    min: null,
    max: null,
    sd: null,
    se: null,
    low: null,
    high: null,
  }
  return {
    key,
    ...{ n, mean, sd, se, low, high, min, max },
    ...rest,
    attempts: attempts.slice(0, limits.groupAttempts).map(({ attemptId, label }) => ({ attemptId, label })),
    attemptsTruncated: attempts.length > limits.groupAttempts,
    differs: [...differs],
    contrast: contrast && { ...contrast, corrected: contrast.corrected },
    ...(withPoints && { points: points.first(limits.groupPoints) }),
    notes: notesOf(group, over),
  }
}

/** Measurement tables of a Room, of experiments, or of named attempts. */
export function measurementTables(values: Values) {
  /**
   * The dimensions a question is about: those it names, or all that its metric has, and the one that repeats.
   * @throws Refusal 422 where nothing is named and there are more than one value can have
   */
  function dimensionsOf({ by, over }: Asked, metric: KnownMetric, attempts: readonly Measured[]) {
    const own = [...metric.dimensions.keys()]
    const repeats = over ?? (own.includes("seed") ? "seed" : undefined)
    const arms = own.includes("arm") || !attempts.some(({ arm }) => arm !== null) ? [] : ["arm"]
    const all = [...arms, ...own.filter((name) => name !== repeats)]
    if (by === undefined && all.length > limits.dimensions + arms.length)
      throw badParameter("by", `must be given: the metric has ${all.length} dimensions, such as ${all.slice(0, 20).join(", ")}`)
    return { by: by ?? all, over: repeats }
  }

  /**
   * @param absent what stands for a dimension that a value does not have; left out, such values take no part
   * @throws Refusal 422 for a metric, dimension or baseline that nothing reported, and for more than a table holds
   */
  return function measured(place: Place, asked: Asked, absent?: string): MeasurementTable {
    const all = values.attempts(asked.attempts === undefined ? place : { attemptIds: asked.attempts })
    const intents = asked.intents ?? (asked.attempts === undefined ? PRIMARY : undefined)
    const wanted = intents === undefined ? all : all.filter(({ intent }) => intents.includes(intent))
    const over = wanted.filter(({ status }) => status === "succeeded")
    const leftOut = { unfinishedAttempts: wanted.length - over.length, otherIntents: all.length - wanted.length, withoutBy: 0, excluded: 0 }
    const nothing = {
      split: asked.split ?? null,
      unit: null,
      by: [],
      over: null,
      against: null,
      where: {},
      groups: [],
      comparisons: 0,
      leftOut,
    }
    if (asked.metric === undefined) {
      const metrics = values.metrics(over)
      const known = metrics.slice(0, limits.measuredMetrics).map(listed)
      const shown = known.slice(0, fitting(known, limits.listBytes).length)
      return { metrics: shown, metricsTruncated: shown.length < metrics.length, metric: null, ...nothing }
    }
    const told = values.frame(over, asked.metric, asked.split ?? "")
    if (told.values.length === 0) {
      const known = values.metrics(over).map((each) => (each.split === null ? each.metric : `${each.metric} with split=${each.split}`))
      throw badParameter(
        "metric",
        known.length === 0
          ? "has no value: no succeeded attempt here reported a metric"
          : `is not reported here; known are ${known.slice(0, 20).join(", ")}`,
      )
    }
    const metric = values.known(asked.metric, asked.split ?? "", told)
    const question = dimensionsOf(asked, metric, over)
    const where = (asked.where ?? []).map(placeOf)
    const against = asked.against === undefined ? undefined : placeOf(asked.against)
    if (against !== undefined && !question.by.includes(against.dimension))
      throw badParameter("against", `must name one of the dimensions of by: ${question.by.join(", ") || "there are none"}`)
    const names = [
      ...new Set([...question.by, ...(question.over === undefined ? [] : [question.over]), ...where.map(({ dimension }) => dimension)]),
    ]
    const whole = values.completed(told, over, names)
    const here = at(whole, Object.fromEntries(where.map(({ dimension, value }) => [dimension, value])))
    const table = tableOf(here, {
      by: question.by,
      ...(question.over !== undefined && { over: question.over }),
      ...(against && { against }),
      ...(absent !== undefined && { absent }),
    })
    if (table.groups.length > limits.measuredGroups)
      throw badParameter(
        "by",
        `makes ${table.groups.length} groups; at most ${limits.measuredGroups}: group by fewer dimensions, or narrow with where`,
      )
    if (against !== undefined && !table.groups.some(({ isBaseline }) => isBaseline))
      throw badParameter(
        "against",
        `names no group; ${against.dimension} is one of ${valuesOf(table.groups, against.dimension).join(", ")}`,
      )
    const groups = table.groups.map((group) => shown(group, question.over, asked.points === "1"))
    if (fitting(groups, limits.listBytes).length < groups.length)
      throw badParameter(
        asked.points === "1" ? "points" : "by",
        `makes an answer of more than ${limits.listBytes.toLocaleString("en")} bytes: leave points out, group by fewer dimensions, or narrow with where`,
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
      where: Object.fromEntries(where.map(({ dimension, value }) => [dimension, value])),
      groups,
      comparisons: table.comparisons,
      leftOut: { ...leftOut, withoutBy: table.withoutBy, excluded: whole.values.length - here.values.length },
    }
  }
}

const valuesOf = (groups: readonly Group[], dimension: string): string[] =>
  [
    ...new Set(groups.flatMap(({ key }) => Object.entries(key).flatMap(([name, value]) => (name === dimension ? [textOf(value)] : [])))),
  ].slice(0, 20)

interface Tables {
  readonly rooms: Rooms
  readonly experiments: Experiments
  readonly measured: MeasurementTables
  readonly evidence: Evidence
  readonly gathered: GatheredEffects
}

export type MeasurementTables = ReturnType<typeof measurementTables>

export function measurementReads({ rooms, experiments, measured, evidence, gathered }: Tables) {
  function answered(name: string, place: Place, { format, ...query }: Asked) {
    const table = measured(place, query)
    if (format === "csv") return csvOf(name, table)
    return format === "markdown" ? markdownOf(table) : table
  }
  return {
    record_effects({ params: { versionId } }) {
      if (!evidence.knows(versionId)) throw noSuch("record")
      return { versionId, ...gathered(versionId) }
    },
    experiment_measurements({ params, query }) {
      if (experiments.find(params.experimentId) === undefined) throw noSuch("experiment")
      return answered("measurements", { experimentIds: [params.experimentId] }, query)
    },
    room_measurements({ params, query: { experiments: experimentIds, ...query } }) {
      rooms.mustExist(params.roomId)
      return answered("measurements", experimentIds === undefined ? { roomId: params.roomId } : { experimentIds }, query)
    },
  } satisfies Partial<Readers>
}
