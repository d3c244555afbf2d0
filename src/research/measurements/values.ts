/**
 * Reads measured values for the measurement table, within limits. Dimensions may come from the settings of an attempt.
 */
import { type Stored, canonicalJson, parse } from "../../contract/json.ts"
import { removedFrom } from "../../contract/answers/measurements.ts"
import { limits } from "../../contract/limits.ts"
import { badParameter } from "../../contract/refusals.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { BlockScalars } from "../attempts/reported.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import { hiddenOf } from "../../ledger/journal/withheld-words.ts"
import { type Moment, moments } from "../../ledger/journal/activity.ts"
import { settingsOf } from "../attempts/summary.ts"
import type { Dimensions, Launch, Scalar, Source } from "./cells.ts"
import { launchOf, type LaunchText, spelled } from "./stated.ts"
import { atConditions, type Cell, filled, type Frame, FrameBuilder, type Layout } from "./frame.ts"
import { Remembered } from "../../ledger/storage/caches.ts"

// Reads the last values of many attempts, block by block.

/** Attempts per query, which bounds what is read beyond the limit. */
const AT_ONCE = 50

interface StoredBlock {
  /** Index of the attempt in the requested list. */
  attemptIndex: number
  readonly units: Stored<string[]>
  readonly dimensions: Stored<BlockScalars>
  readonly codes: Buffer
  readonly bytes: Buffer
}

function storedBlocks(db: Db) {
  const columns = "j.key AS attemptIndex, v.units, v.dimensions, v.codes, v.told AS bytes"
  const ofMetric = db.prepare<StoredBlock>(
    `SELECT ${columns} FROM json_each(+?) j CROSS JOIN attempt_values v ON v.attempt_id = j.value AND v.name = +?
        AND v.split = +? ORDER BY j.key, v.block`,
  )
  const all = db.prepare<StoredBlock & { readonly name: string; readonly split: string }>(
    `SELECT ${columns}, v.name, v.split
      FROM json_each(+?) j
      CROSS JOIN attempt_values v ON v.attempt_id = j.value
      ORDER BY j.key, v.name, v.split, v.block`,
  )

  /**
   * Yields the blocks of some attempts, up to the limit of a table. @param beyond called if there are more values
   * @param known how many other values the table has
   */
  function* read<B extends StoredBlock>(
    attemptIds: readonly string[],
    query: (ids: string) => B[],
    beyond: () => void,
    known = 0,
  ): Generator<B> {
    let total = known
    for (let from = 0; from < attemptIds.length; from += AT_ONCE)
      for (const block of query(JSON.stringify(attemptIds.slice(from, from + AT_ONCE)))) {
        total += block.bytes.length / Float64Array.BYTES_PER_ELEMENT
        block.attemptIndex += from
        if (total > limits.measuredValues) return beyond()
        yield block
      }
  }

  return {
    /**
     * The blocks of one metric. @param known how many other values the table has
     * @throws Refusal 422 for more values than a table reads
     */
    ofMetric: (attemptIds: readonly string[], metric: string, split: string, known: number) =>
      read(
        attemptIds,
        (ids) => ofMetric.all(ids, metric, split),
        () => {
          const most = limits.measuredValues.toLocaleString("en")
          throw badParameter("metric", `has more than ${most} values here: narrow it with experiments or attempts`)
        },
        known,
      ),
    /** The blocks of all metrics, up to the limit of a table. */
    all: (attemptIds: readonly string[]) =>
      read(
        attemptIds,
        (ids) => all.all(ids),
        () => {},
      ),
  }
}

/** An attempt whose values a table may use. */
export interface Measured extends Source {
  readonly status: string
  readonly intent: string
  /** The arm of its plan whose command line it ran. */
  readonly arm: string | null
  readonly launch: Launch
  /**
   * The blocks of the metric that was read last. They stand here because a map by attempt took as long as reading them.
   * An attempt that was written to is another object.
   */
  blocks: { readonly key: string; readonly own: readonly StoredBlock[] } | null
}

interface Row extends Omit<Measured, "launch" | "blocks"> {
  readonly launched: LaunchText
}

/** Values that an attempt is about to report. */
export interface Pending {
  readonly attemptId: string
  readonly metrics: NonNullable<BodyOf<"report_attempt_event">["metrics"]>
}

/** The values of some attempts as they were before, by id. */
export type Former = ReadonlyMap<
  string,
  readonly { readonly name: string; readonly split: string; readonly cells: readonly Cell[] }[]
>

/** The attempts that a table covers. */
export type Scope =
  | { readonly experimentIds: readonly string[] }
  | { readonly roomId: string }
  | { readonly attemptIds: readonly string[] }

/** The dimensions that a question names: those that make groups, the one that pairs values, and those of the place. */
export interface Places {
  readonly by: readonly string[]
  readonly over?: string | undefined
  readonly where: Dimensions
}

/** A metric that attempts reported. */
export interface KnownMetric {
  readonly metric: string
  readonly split: string | null
  readonly units: readonly string[]
  readonly attempts: number
  readonly values: number
  readonly dimensions: ReadonlyMap<string, readonly Scalar[]>
}

/** The values of one metric, and the sorted names of their units. */
export interface MetricFrame extends Frame {
  readonly units: readonly string[]
}

const COLUMNS = `a.attempt_id AS attemptId, a.experiment_id AS experimentId,
  (SELECT e.label FROM experiments e WHERE e.experiment_id = a.experiment_id) AS experimentLabel,
  a.label, a.status, a.intent, a.plan_match ->> '$.argvComparedWith' AS arm,
  h.content ->> '$.repository.commit' AS "commit",
  json_array(h.content -> '$.argv', h.content -> '$.configuration', h.content -> '$.environment') AS launched,
  (SELECT coalesce(group_concat(i.material_id), '') FROM attempt_inputs i WHERE i.attempt_id = a.attempt_id) AS inputs`
const LAUNCH = "JOIN journal h ON h.position = a.history_position"
const MOST = limits.measuredAttempts + 1
/** Layouts cached while a frame is read. */
const LAYOUTS = 1_000

/** Rooms whose attempts are kept. */
const ROOMS = 2
/** A Room with so many attempts is large: reading them for the first time takes a tenth of a second or more. */
const LARGE = 1_000

/**
 * Keeps the attempts of a Room from one moment to the next, so that one more attempt does not cost reading all again.
 * @param readAll, readSome read them from the tables
 */
function keptAttempts(db: Db, readAll: (roomId: string) => Measured[], readSome: (ids: string[]) => Measured[]) {
  const { now: momentOf, writtenBetween } = moments(db)
  const rooms = new Remembered<{ readonly at: Moment; readonly attempts: readonly Measured[] }>(db, ROOMS)
  function changed(roomId: string, now: Moment): readonly Measured[] {
    const last = rooms.get(roomId)
    const written = last && writtenBetween(roomId, "attempt", last.at, now)
    if (last === undefined || written === undefined) return readAll(roomId)
    if (written.size === 0) return last.attempts
    const others = last.attempts.filter(({ attemptId }) => !written.has(attemptId))
    return [...others, ...readSome([...written])].sort((one, other) => (one.attemptId < other.attemptId ? -1 : 1))
  }

  return function attemptsOf(roomId: string): readonly Measured[] {
    const at = momentOf(roomId)
    if (at === undefined) return readAll(roomId)
    const attempts = changed(roomId, at)
    if (attempts.length < MOST) rooms.set(roomId, { at, attempts })
    return attempts
  }
}

/** Reads blocks into a frame. Many attempts have the same dimensions, which are parsed once. */
function frameReader() {
  const builder = new FrameBuilder()
  const known = new Map<Stored<BlockScalars>, Layout>()
  const units = new Set<Stored<string[]>>()
  return {
    add(attempt: Measured, block: StoredBlock): void {
      const layout = known.get(block.dimensions) ?? builder.layoutOf(parse(block.dimensions))
      if (known.size < LAYOUTS) known.set(block.dimensions, layout)
      units.add(block.units)
      builder.add(attempt, block.bytes, layout, block.codes)
    },
    addCells: (attempt: Measured, cells: readonly Cell[]) => builder.addCells(attempt, cells),
    build: (): MetricFrame => ({
      ...builder.build(),
      units: [...new Set([...units].flatMap((names) => parse(names)))].sort(),
    }),
  }
}

/** Describes the splits in which a metric is reported: `with split=test and split=train`. */
export const splitsInWords = (splits: readonly string[]): string =>
  splits.map((split) => (split === "" ? "without a split" : `with split=${split}`)).join(" and ")

export type Values = ReturnType<typeof values>

export function values(db: Db) {
  const ofRoom = db.prepare<Row>(
    `SELECT ${COLUMNS} FROM attempts a ${LAUNCH} WHERE a.room_id = +? ORDER BY a.attempt_id LIMIT ${MOST}`,
  )
  const ofExperiments = db.prepare<Row>(
    `SELECT ${COLUMNS} FROM json_each(+?) j CROSS JOIN attempts a ON a.experiment_id = j.value ${LAUNCH} LIMIT ${MOST}`,
  )
  const named = db.prepare<Row>(
    `SELECT ${COLUMNS} FROM json_each(+?) j CROSS JOIN attempts a ON a.attempt_id = j.value ${LAUNCH}`,
  )
  // Copying the other members of a row by a spread takes longer than reading it.
  const launched = (row: Row): Measured => Object.assign(row, { launch: launchOf(row.launched), blocks: null })
  const attemptsOfRoom = keptAttempts(
    db,
    (roomId) => ofRoom.all(roomId).map(launched),
    (ids) => named.all(JSON.stringify(ids)).map(launched),
  )
  const blocks = storedBlocks(db)
  const headOf = db.prepare<{ digest: string }>("SELECT activity_digest AS digest FROM room_heads WHERE room_id = +?")
  const headsOf = db.prepare<{ digest: string }>(
    `SELECT h.activity_digest AS digest FROM room_heads h WHERE h.room_id IN (
       SELECT e.room_id FROM json_each(+?) j JOIN experiments e ON e.experiment_id = j.value
       UNION SELECT a.room_id FROM json_each(+?) j JOIN attempts a ON a.attempt_id = j.value) ORDER BY h.room_id`,
  )
  // A value without a step is stored at its place in the report, which is no curve.
  const series = db.prepare<{ attemptIndex: number; dimensionsId: number; dimensions: Stored<Dimensions> | null }>(
    `SELECT j.key AS attemptIndex, l.dimensions_id AS dimensionsId, s.dimensions FROM json_each(+?) j
     CROSS JOIN attempt_last_metrics l ON l.attempt_id = j.value AND l.name = +? AND l.split = +?
        AND l.step IS NOT NULL AND l.from_step < l.to_step
      LEFT JOIN dimension_sets s USING (dimensions_id)
     ORDER BY j.key, l.dimensions_id LIMIT +?`,
  )
  const lasts = db.prepare<{ dimensions: Stored<Dimensions> | null; value: Stored<number | string> }>(
    `SELECT s.dimensions, l.value FROM attempt_last_metrics l LEFT JOIN dimension_sets s USING (dimensions_id)
     WHERE l.attempt_id = +? AND l.name = +? AND l.split = +? ORDER BY l.dimensions_id`,
  )
  const units = db.prepare<{ unit: string }>(
    `SELECT DISTINCT u.value AS unit
      FROM json_each(+?) j
      CROSS JOIN attempt_values v ON v.attempt_id = j.value AND v.name = +? AND v.split = +?,
       json_each(v.units) u ORDER BY unit LIMIT ${limits.groupAttempts}`,
  )
  // Eight bytes a value. Their length is known without reading them.
  const AMOUNT = "coalesce(sum(length(v.told)), 0) / 8 AS amount"
  const amountInRoom = db.prepare<{ amount: number }>(
    `SELECT ${AMOUNT} FROM attempts a JOIN attempt_values v USING (attempt_id) WHERE a.room_id = +?`,
  )
  const amountOf = db.prepare<{ amount: number }>(
    `SELECT ${AMOUNT} FROM json_each(+?) j CROSS JOIN attempt_values v ON v.attempt_id = j.value`,
  )
  const amountOfMetric = db.prepare<{ amount: number }>(
    `SELECT ${AMOUNT}
     FROM json_each(+?) j
     CROSS JOIN attempt_values v ON v.attempt_id = j.value AND v.name = +?`,
  )
  const splits = db.prepare<{ split: string }>(
    `SELECT DISTINCT v.split FROM json_each(+?) j CROSS JOIN attempt_values v ON v.attempt_id = j.value AND v.name = +?
     ORDER BY v.split LIMIT ${limits.issues}`,
  )
  // Without another part, a value still belongs to its metric.
  const losing = hiddenOf(
    db,
    `(wf.path GLOB '/metrics/*/name' OR wf.path GLOB '/metrics/*/split')
      AND wf.path NOT GLOB '/metrics/*/dimensions/*'`,
  )
  const rooms = (table: "attempts" | "experiments", id: string) =>
    db.prepare<{ roomId: string }>(
      `SELECT DISTINCT x.room_id AS roomId FROM json_each(+?) j CROSS JOIN ${table} x ON x.${id} = j.value`,
    )
  const [ofAttempts, ofTheirExperiments] = [rooms("attempts", "attempt_id"), rooms("experiments", "experiment_id")]
  const roomsOf = (scope: Exclude<Scope, { readonly roomId: string }>): string[] => {
    const found =
      "attemptIds" in scope
        ? ofAttempts.all(JSON.stringify(scope.attemptIds))
        : ofTheirExperiments.all(JSON.stringify(scope.experimentIds))
    return found.map(({ roomId }) => roomId)
  }
  const registration = db.prepare<{ content: Stored<BodyOf<"register_attempt">> }>(
    `SELECT ${contentOf("a")} AS content FROM attempts a WHERE a.attempt_id = +?`,
  )
  const idsOf = (attempts: readonly Pick<Measured, "attemptId">[]) => attempts.map(({ attemptId }) => attemptId)

  /** Looks up dimensions in the settings of an attempt, which are read once. */
  function settingsAs({ attemptId, arm, launch }: Measured) {
    let known: ReturnType<typeof settingsOf> | undefined
    return (name: string): Scalar | undefined => {
      const content = known === undefined ? registration.get(attemptId)?.content : undefined
      known ??= content === undefined ? new Map() : settingsOf(parse(content), arm, new Map())
      const own = known.get(name) ?? known.get(`--${name}`)
      if (own !== undefined) return own
      return launch.settings.values().find((setting) => spelled(setting.name) === spelled(name))?.value
    }
  }

  /** Returns the values of an attempt as they will be after the pending report. */
  function withPending({ attemptId, metrics }: Pending, metric: string, split: string): Cell[] {
    const cells = new Map<string, Cell>()
    const set = (dimensions: Dimensions, value: unknown) =>
      cells.set(canonicalJson(dimensions), [dimensions, Number(value)])
    for (const { dimensions, value } of lasts.all(attemptId, metric, split))
      set(dimensions === null ? {} : parse(dimensions), parse(value))
    for (const { name, split: own = "", dimensions = {}, value } of metrics)
      if (name === metric && own === split) set(dimensions, value)
    return [...cells.values()]
  }

  /** Describes a metric from its values. */
  const knownOf = (metric: string, split: string, { units, values, sources, columns }: MetricFrame): KnownMetric => ({
    metric,
    split: split || null,
    units,
    attempts: sources.length,
    values: values.length,
    dimensions: new Map([...columns].map(([name, { scalars }]) => [name, scalars])),
  })

  /**
   * Reads all values that some attempts reported, by metric and split, up to the limit of a table. @param former the
   * values of some of them as they were before, which take the place of those that stand now
   */
  function framesOf(attempts: readonly Measured[], former?: Former) {
    const found = new Map<string, { name: string; split: string; reader: ReturnType<typeof frameReader> }>()
    const readerOf = (name: string, split: string) =>
      found.getOrInsertComputed(JSON.stringify([name, split]), () => ({ name, split, reader: frameReader() })).reader
    for (const block of blocks.all(idsOf(attempts))) {
      const attempt = attempts[block.attemptIndex]
      const reader = readerOf(block.name, block.split)
      if (attempt !== undefined && former?.has(attempt.attemptId) !== true) reader.add(attempt, block)
    }
    for (const attempt of attempts)
      for (const { name, split, cells } of former?.get(attempt.attemptId) ?? [])
        readerOf(name, split).addCells(attempt, cells)
    const inOrder = [...found].sort(([one], [other]) => (one < other ? -1 : 1))
    return inOrder.map(([, { name, split, reader }]) => ({ name, split, frame: reader.build() }))
  }

  // Attempts are numbered without gaps.
  const withAttempt = (number: number) =>
    `EXISTS (SELECT 1 FROM attempts a WHERE a.room_id = r.room_id AND a.label = 'A${number}')`
  const large = db.prepare<{ roomId: string }>(
    `SELECT r.room_id AS roomId FROM rooms r WHERE ${withAttempt(LARGE)} AND NOT ${withAttempt(MOST)} LIMIT ${ROOMS}`,
  )

  return {
    /** Large Rooms that a table can cover, as many as are kept. */
    largeRooms: (): string[] => large.all().map(({ roomId }) => roomId),

    /** The state of the Rooms of some attempts: equal if nothing happened there in between. */
    stateOf: (scope: Scope): string =>
      "roomId" in scope
        ? (headOf.get(scope.roomId)?.digest ?? "")
        : headsOf
            .all(
              JSON.stringify("experimentIds" in scope ? scope.experimentIds : []),
              JSON.stringify("attemptIds" in scope ? scope.attemptIds : []),
            )
            .map(({ digest }) => digest)
            .join(),

    /** @throws Refusal 422 for more attempts than a table covers */
    attempts(scope: Scope): Measured[] {
      const found =
        "roomId" in scope
          ? [...attemptsOfRoom(scope.roomId)]
          : "attemptIds" in scope
            ? named.all(JSON.stringify(scope.attemptIds)).map(launched)
            : ofExperiments.all(JSON.stringify(scope.experimentIds)).map(launched)
      if (found.length >= MOST)
        throw badParameter(
          "experiments",
          `must name fewer: a table covers at most ${limits.measuredAttempts.toLocaleString("en")} attempts`,
        )
      return found
    },

    /** Says of how many attempts values are in no table, because their names are hidden. */
    removedFrom(scope: Scope, attempts: () => readonly Measured[]) {
      const ids = losing("roomId" in scope ? [scope.roomId] : roomsOf(scope))
      return removedFrom(ids.size === 0 ? 0 : attempts().filter(({ attemptId }) => ids.has(attemptId)).length)
    },

    /** How many values some attempts reported. */
    amountIn: (scope: { readonly roomId: string } | { readonly attemptIds: readonly string[] }): number =>
      ("roomId" in scope ? amountInRoom.one(scope.roomId) : amountOf.one(JSON.stringify(scope.attemptIds))).amount,

    /** How many values of a metric some attempts reported. */
    amountOf: (attemptIds: readonly string[], metric: string): number =>
      amountOfMetric.one(JSON.stringify(attemptIds), metric).amount,

    /** The metrics that some attempts reported, with their dimensions. */
    metrics(attempts: readonly Measured[]): KnownMetric[] {
      return framesOf(attempts).map(({ name, split, frame }) => knownOf(name, split, frame))
    },
    frames: framesOf,

    /**
     * The split of a metric that a question leaves out: none if values stand without one, or the only one that there
     * is. Several are for the question to name. @param pending values that one of the attempts is about to report
     */
    splitOf(attempts: readonly Pick<Measured, "attemptId">[], metric: string, pending?: Pending) {
      const reported = pending?.metrics.flatMap(({ name, split = "" }) => (name === metric ? split : [])) ?? []
      const ofStored = splits.all(JSON.stringify(idsOf(attempts)), metric).map(({ split }) => split)
      const known = [...new Set([...ofStored, ...reported])].sort()
      const only = known.length === 1 ? known[0] : undefined
      return { known, split: known.includes("") ? "" : only }
    },

    /** The units in which some attempts reported a metric. @param pending values that one of them is about to report */
    unitsOf(
      attempts: readonly Pick<Measured, "attemptId">[],
      metric: string,
      split: string,
      pending?: Pending,
    ): string[] {
      const ofPending =
        pending?.metrics.flatMap((each) =>
          each.name === metric && (each.split ?? "") === split ? (each.unit ?? []) : [],
        ) ?? []
      return [
        ...new Set([
          ...units.all(JSON.stringify(idsOf(attempts)), metric, split).map(({ unit }) => unit),
          ...ofPending,
        ]),
      ].sort()
    },

    /**
     * Returns up to `most` series of one metric over several steps, with their attempts and dimensions. The `wanted`
     * dimensions may come from settings.
     */
    series(attempts: readonly Measured[], metric: string, split: string, wanted: readonly string[], most: number) {
      const settings = new Map(attempts.map((attempt) => [attempt, settingsAs(attempt)]))
      return series
        .all(JSON.stringify(idsOf(attempts)), metric, split, most)
        .flatMap(({ attemptIndex, dimensionsId, dimensions }) => {
          const attempt = attempts[attemptIndex]
          if (attempt === undefined) return []
          const own = dimensions === null ? {} : parse(dimensions)
          const lacking = wanted.flatMap((name) => {
            const value = Object.hasOwn(own, name) ? undefined : settings.get(attempt)?.(name)
            return value === undefined ? [] : [[name, value]]
          })
          return [{ attempt, dimensions: { ...own, ...Object.fromEntries(lacking) }, dimensionsId }]
        })
    },

    /**
     * Returns the values of one metric, in the order of their attempts.
     * @param pending values to include before they are stored
     * @throws Refusal 422 for more values than a table reads
     */
    frame(attempts: readonly Measured[], metric: string, split: string, pending?: Pending): MetricFrame {
      const reader = frameReader()
      const late = pending && attempts.find(({ attemptId }) => attemptId === pending.attemptId)
      const key = JSON.stringify([metric, split])
      const unread: Measured[] = []
      let known = 0
      for (const attempt of attempts) {
        const { blocks: last } = attempt
        if (last?.key !== key) unread.push(attempt)
        else for (const { bytes } of last.own) known += bytes.length / Float64Array.BYTES_PER_ELEMENT
      }
      const read = unread.map((): StoredBlock[] => [])
      for (const block of blocks.ofMetric(idsOf(unread), metric, split, known)) read[block.attemptIndex]?.push(block)
      for (const [index, attempt] of unread.entries()) attempt.blocks = { key, own: read[index] ?? [] }
      for (const attempt of attempts)
        if (attempt !== late) for (const block of attempt.blocks?.own ?? []) reader.add(attempt, block)
      if (late !== undefined && pending !== undefined) reader.addCells(late, withPending(pending, metric, split))
      return reader.build()
    },

    known: knownOf,

    /** Returns the values at a place. Dimensions that values lack are filled in from the settings of their attempts. */
    at(frame: Frame, attempts: readonly Measured[], { by, over, where }: Places): Frame {
      let settings: Map<Source, ReturnType<typeof settingsAs>> | undefined
      const own = (source: Source, name: string): Scalar | undefined => {
        settings ??= new Map(attempts.map((attempt) => [attempt, settingsAs(attempt)]))
        return settings.get(source)?.(name)
      }
      const wanted = new Set([...by, ...(over === undefined ? [] : [over]), ...Object.keys(where)])
      return atConditions(
        [...wanted].reduce((whole, name) => filled(whole, name, (source) => own(source, name)), frame),
        where,
      )
    },
  }
}
