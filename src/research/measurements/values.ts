/** What attempts measured, read for the measurement table: bounded, and with the dimensions that an attempt's settings give. */
import { canonicalJson, parse, type Stored, stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import { badParameter } from "../../contract/refusals/refusal.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { settingsOf } from "../attempts/settings.ts"
import type { Cell, Dimensions, Source } from "./cells.ts"
import { type Reported, reportedValues } from "./reported.ts"

/** An attempt whose values may take part. */
export interface Measured extends Source {
  readonly status: string
  readonly intent: string
  /** The arm of its plan whose command line it ran. */
  readonly arm: string | null
}

/** Values that an attempt is about to report. */
export interface Pending {
  readonly attemptId: string
  readonly metrics: NonNullable<BodyOf<"report_attempt_event">["metrics"]>
}

/** Which attempts a table is of. */
export type Place = { readonly experimentIds: readonly string[] } | { readonly roomId: string } | { readonly attemptIds: readonly string[] }

/** A metric that attempts reported. */
export interface KnownMetric {
  readonly metric: string
  readonly split: string | null
  readonly units: readonly string[]
  readonly attempts: number
  readonly values: number
  readonly dimensions: ReadonlyMap<string, ReadonlySet<string>>
}

interface SeriesRow {
  readonly name: string
  readonly split: string
  readonly dimensionsId: number
  readonly unit: string | null
  readonly attempts: number
}

const COLUMNS = `a.attempt_id AS attemptId, a.experiment_id AS experimentId, a.label, a.status, a.intent, ${contentOf("a")} ->> '$.repository.commit' AS "commit",
  a.plan_match ->> '$.argvComparedWith' AS arm,
  (SELECT coalesce(group_concat(i.material_id), '') FROM attempt_inputs i WHERE i.attempt_id = a.attempt_id) AS inputs`
const NONE: Dimensions = {}
const MOST = limits.measuredAttempts + 1

export type Values = ReturnType<typeof values>

export function values(db: Db) {
  const ofRoom = db.prepare<Measured>(`SELECT ${COLUMNS} FROM attempts a WHERE a.room_id = +? ORDER BY a.attempt_id LIMIT ${MOST}`)
  const ofExperiments = db.prepare<Measured>(
    `SELECT ${COLUMNS} FROM json_each(+?) j CROSS JOIN attempts a ON a.experiment_id = j.value LIMIT ${MOST}`,
  )
  const named = db.prepare<Measured>(`SELECT ${COLUMNS} FROM json_each(+?) j CROSS JOIN attempts a ON a.attempt_id = j.value`)
  const reported = reportedValues(db)
  // One row for all: as many rows as there are values would take several times as long.
  const sets = db.prepare<{ ids: string | null; dimensions: string | null }>(
    `SELECT group_concat(s.dimensions_id) AS ids, group_concat(s.dimensions) AS dimensions
     FROM json_each(+?) j CROSS JOIN dimension_sets s ON s.dimensions_id = j.value`,
  )
  const series = db.prepare<SeriesRow>(
    `SELECT name, split, dimensions_id AS dimensionsId, max(unit) AS unit, count(*) AS attempts FROM (
       SELECT l.name, l.split, l.dimensions_id, l.unit FROM json_each(+?) j CROSS JOIN attempt_last_metrics l ON l.attempt_id = j.value LIMIT ${limits.measuredValues})
     GROUP BY name, split, dimensions_id ORDER BY name, split, dimensions_id`,
  )
  const units = db.prepare<{ unit: string }>(
    `SELECT DISTINCT l.unit FROM json_each(+?) j CROSS JOIN attempt_last_metrics l ON l.attempt_id = j.value AND l.name = +? AND l.split = +?
     WHERE l.unit IS NOT NULL ORDER BY l.unit LIMIT ${limits.groupAttempts}`,
  )
  const registration = db.prepare<{ content: Stored<BodyOf<"register_attempt">> }>(
    `SELECT ${contentOf("a")} AS content FROM attempts a WHERE a.attempt_id = +?`,
  )
  const idsOf = (attempts: readonly Pick<Measured, "attemptId">[]) => JSON.stringify(attempts.map(({ attemptId }) => attemptId))

  /** The dimensions of some sets; that with id 0 has none. */
  function dimensionsOf(ids: Iterable<number>): (id: number) => Dimensions {
    const row = sets.one(JSON.stringify([...ids]))
    const found = parse(stored<Dimensions[]>(`[${row.dimensions ?? ""}]`))
    const known = new Map(parse(stored<number[]>(`[${row.ids ?? ""}]`)).map((id, index) => [id, found[index] ?? NONE]))
    return (id) => known.get(id) ?? NONE
  }

  /** The dimensions of some sets, each with the values it has in them. */
  function dimensionsAmong(ids: readonly number[]): Map<string, Set<string>> {
    const found = new Map<string, Set<string>>()
    const of = dimensionsOf(ids)
    for (const id of ids)
      for (const [name, value] of Object.entries(of(id))) {
        const values = found.get(name)
        if (values === undefined) found.set(name, new Set([String(value)]))
        else values.add(String(value))
      }
    return found
  }

  /** Dimensions that a value lacks, from the settings of its attempt. */
  function settingsAs({ attemptId, arm }: Measured, names: readonly string[]): Dimensions {
    const content = registration.get(attemptId)?.content
    if (content === undefined) return {}
    const known = settingsOf(parse(content), arm, new Map())
    return Object.fromEntries(
      names.flatMap((name) => {
        const value = known.get(name) ?? known.get(`--${name}`)
        return value === undefined ? [] : [[name, value]]
      }),
    )
  }

  /** Completes the dimensions of the values of one attempt; those that lack nothing are left as they are. */
  function completing(attempt: Measured, wanted: readonly string[]) {
    let settings: Dimensions | undefined
    return (own: Dimensions): Dimensions => {
      if (wanted.every((name) => Object.hasOwn(own, name))) return own
      settings ??= settingsAs(attempt, wanted)
      return { ...settings, ...own }
    }
  }

  /** Values with those that their attempt is about to report, each in the place of the one that it had before. */
  function withPending(cells: Cell[], attempt: Measured, { metrics }: Pending, metric: string, split: string, wanted: readonly string[]) {
    const complete = completing(attempt, wanted)
    const last = new Map(
      metrics
        .filter((each) => each.name === metric && (each.split ?? "") === split)
        .map(({ dimensions = {}, value }) => {
          const whole = complete(dimensions)
          return [canonicalJson(whole), { attempt, dimensions: whole, value: Number(value) }] as const
        }),
    )
    return [...cells.filter((cell) => cell.attempt !== attempt || !last.has(canonicalJson(cell.dimensions))), ...last.values()]
  }

  return {
    /** @throws Refusal 422 for more than a table looks at */
    attempts(place: Place): Measured[] {
      const found =
        "roomId" in place
          ? ofRoom.all(place.roomId)
          : "attemptIds" in place
            ? named.all(JSON.stringify(place.attemptIds))
            : ofExperiments.all(JSON.stringify(place.experimentIds))
      if (found.length >= MOST)
        throw badParameter(
          "experiments",
          `must name fewer: a table looks at ${limits.measuredAttempts.toLocaleString("en")} attempts at most`,
        )
      return found
    },

    /** The metrics that some attempts reported, with their dimensions. */
    metrics(attempts: readonly Measured[]): KnownMetric[] {
      return [...Map.groupBy(series.all(idsOf(attempts)), ({ name, split }) => JSON.stringify([name, split])).values()].map((rows) => {
        return {
          metric: rows[0]?.name ?? "",
          split: rows[0]?.split || null,
          units: [...new Set(rows.flatMap(({ unit }) => unit ?? []))],
          attempts: rows.reduce((most, row) => Math.max(most, row.attempts), 0),
          values: rows.reduce((sum, row) => sum + row.attempts, 0),
          dimensions: dimensionsAmong(rows.map(({ dimensionsId }) => dimensionsId)),
        }
      })
    },

    /** The units in which some attempts reported a metric. @param pending what one of them is about to report */
    unitsOf(attempts: readonly Pick<Measured, "attemptId">[], metric: string, split: string, pending?: Pending): string[] {
      const told = pending?.metrics.flatMap((each) => (each.name === metric && (each.split ?? "") === split ? (each.unit ?? []) : [])) ?? []
      return [...new Set([...units.all(idsOf(attempts), metric, split).map(({ unit }) => unit), ...told])].sort()
    },

    /** The series of one metric: their attempts, their dimensions as far as they are asked about, and the id of these. */
    series(attempts: readonly Measured[], metric: string, split: string, wanted: readonly string[]) {
      const rows = reported(attempts, metric, split)
      const of = dimensionsOf(new Set(rows.flatMap(({ sets: ids }) => ids)))
      return rows.flatMap(({ place, sets: ids }) => {
        const attempt = attempts[place]
        if (attempt === undefined) return []
        const complete = completing(attempt, wanted)
        return ids.map((id) => ({ attempt, dimensions: complete(of(id)), dimensionsId: id }))
      })
    },

    /** What some attempts reported of one metric, read once for several questions. @throws Refusal 422 for more than a table looks at */
    reported: (attempts: readonly Measured[], metric: string, split: string): readonly Reported[] => reported(attempts, metric, split),

    /** What is known of a metric that some attempts reported; undefined where none did. */
    known(attempts: readonly Measured[], metric: string, split: string, rows: readonly Reported[]): KnownMetric | undefined {
      if (rows.length === 0) return undefined
      const counts = new Map<number, number>()
      for (const { sets } of rows) for (const id of sets) counts.set(id, (counts.get(id) ?? 0) + 1)
      const dimensions = dimensionsAmong([...counts.keys()].sort((one, other) => one - other))
      // Between the first and the last unit of an attempt there may be others.
      const isOne = rows.every(({ units: [first, last] }) => first === last)
      const units = isOne ? [...new Set(rows.flatMap(({ units: [first] }) => first ?? []))].sort() : this.unitsOf(attempts, metric, split)
      const total = rows.reduce((sum, { sets }) => sum + sets.length, 0)
      return { metric, split: split || null, units, attempts: Math.max(...counts.values()), values: total, dimensions }
    },

    /**
     * The values of one metric. A dimension that a value does not have is taken from the settings of its attempt.
     * @param wanted the dimensions that are asked about
     * @param pending values that take part before they are stored
     * @param rows what the attempts reported, where it was read already
     * @throws Refusal 422 for more than a table looks at
     */
    cells(
      attempts: readonly Measured[],
      metric: string,
      split: string,
      wanted: readonly string[],
      pending?: Pending,
      rows: readonly Reported[] = reported(attempts, metric, split),
    ): Cell[] {
      const ids = new Set<number>()
      for (const row of rows) for (const id of row.sets) ids.add(id)
      const of = dimensionsOf(ids)
      const found: Cell[] = []
      for (const row of rows) {
        const attempt = attempts[row.place]
        if (attempt === undefined) continue
        const complete = completing(attempt, wanted)
        for (const [index, id] of row.sets.entries()) found.push({ attempt, dimensions: complete(of(id)), value: Number(row.told[index]) })
      }
      const attempt = pending && attempts.find(({ attemptId }) => attemptId === pending.attemptId)
      return attempt === undefined || pending === undefined ? found : withPending(found, attempt, pending, metric, split, wanted)
    },
  }
}
