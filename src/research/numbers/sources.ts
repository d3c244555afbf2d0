/**
 * What a text is checked against: all attempts of a Room, or of a larger one those that it is about; the measurements
 * as they were when it was written; and the table that a checkpoint rests on.
 */
import { limits } from "../../contract/limits.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { Remembered } from "../../ledger/storage/caches.ts"
import type { Measured, Values } from "../measurements/values.ts"
import { type Quantities, quantitiesOf, type Holder } from "./quantities.ts"
import { parse, type Stored } from "../../contract/json.ts"
import type { Dimensions } from "../measurements/cells.ts"
import type { Cell } from "../measurements/frame.ts"
import type { KeptTables, StoredTable } from "../measurements/kept-tables.ts"
import type { KnownEffect } from "./scope.ts"

export interface Reach {
  readonly attempts: number
  readonly values: number
  readonly numbers: number
  readonly findings: number
  /** Points of curves that are read, where texts name steps of them. */
  readonly points: number
}
/** Findings of a Room whose effects are known to a check that holds nobody up. */
const FINDINGS = 100_000
/** Points of curves that such a check reads. */
const POINTS = 100_000
/**
 * How far a check reaches: the attempts of a Room and the values whose quantities are worked out, the numbers that are
 * looked up, and the newest findings whose effects are known. Of a larger Room it reaches the attempts and findings
 * that the text is about. A write is checked while others wait.
 */
export const REACH = {
  write: { attempts: 200, values: 2_000, numbers: 50, findings: 200, points: 10_000 },
  read: {
    ...{ attempts: 200, values: limits.measuredValues },
    ...{ numbers: limits.checkedNumbers, findings: FINDINGS, points: POINTS },
  },
  all: {
    ...{ attempts: limits.measuredAttempts, values: limits.measuredValues },
    ...{ numbers: limits.checkedNumbers, findings: FINDINGS, points: POINTS },
  },
} satisfies Record<string, Reach>
/** Attempts that a text is about, at most. */
export const NEAR = 200
/** The Room of a text, and the attempts and experiments that it names or belongs to. */
interface About {
  readonly roomId: string
  readonly attempts: readonly string[]
  readonly experiments: readonly string[]
}

/** Quantities that were worked out, by what they depend on. */
export type Kept = Pick<Remembered<Quantities>, "get" | "set">

/** SQL for a number that grows with each report about an attempt, and with the opening of its sealed plan. */
const CHANGES = "coalesce(sum(revision + late_reports + coalesce(octet_length(plan_match), 0)), 0)"

export function reaching(db: Db, values: Values) {
  const size = db.prepare<{ attempts: number; revisions: number; newest: string | null }>(
    `SELECT count(*) AS attempts, ${CHANGES} AS revisions, max(attempt_id) AS newest
     FROM attempts WHERE room_id = +?`,
  )
  const beyond = db.prepare("SELECT 1 FROM attempts WHERE room_id = +? LIMIT 1 OFFSET +?")
  const changesOf = db.prepare<{ revisions: number }>(
    `SELECT ${CHANGES} AS revisions FROM json_each(+?) j JOIN attempts a ON a.attempt_id = j.value`,
  )
  const attemptsOfExperiment = db.prepare<{ attemptId: string }>(
    `SELECT attempt_id AS attemptId FROM attempts WHERE experiment_id = +? LIMIT ${NEAR + 1}`,
  )
  const experimentOf = db.prepare<{ experimentId: string }>(
    "SELECT experiment_id AS experimentId FROM attempts WHERE attempt_id = +?",
  )

  /** The quantities of some attempts, worked out once for each key. */
  function quantities(kept: Kept, key: string, roomId: string, attempts: () => Measured[]) {
    const known = kept.get(key)
    if (known !== undefined) return known
    const made = quantitiesOf(values, roomId, attempts())
    kept.set(key, made)
    return made
  }

  /** The quantities of all attempts of a Room; undefined of one that has too many attempts or values. */
  function whole(roomId: string, most: Reach, kept: Kept): Quantities | undefined {
    // All attempts are counted only where they are few: a write is checked while others wait.
    if (beyond.get(roomId, most.attempts) !== undefined) return undefined
    const { attempts, revisions, newest } = size.one(roomId)
    const state = `${roomId} ${attempts} ${revisions} ${newest}`
    const known = kept.get(state)
    if (known !== undefined || values.amountIn({ roomId }) > most.values) return known
    return quantities(kept, state, roomId, () => values.attempts({ roomId }))
  }

  /**
   * The quantities that a text is checked against; undefined if the attempts that it is about have too many values.
   * @param here the quantities of all of its Room
   */
  function quantitiesFor(
    { roomId, attempts: named, experiments: about }: About,
    own: ReadonlySet<string>,
    most: Reach,
    kept: Kept,
    here: Quantities | undefined,
  ): Quantities | undefined {
    if (here !== undefined) {
      const elsewhere = [...own].filter((attemptId) => !here.attempts.some((each) => each.attemptId === attemptId))
      if (elsewhere.length === 0) return here
      if (values.amountIn({ attemptIds: elsewhere }) > most.values) return undefined
      return quantitiesOf(values, roomId, [...here.attempts, ...values.attempts({ attemptIds: elsewhere })])
    }
    const experiments = new Set([
      ...about,
      ...[...own, ...named].flatMap((attemptId) => experimentOf.get(attemptId)?.experimentId ?? []),
    ])
    const found = new Set([...own, ...named].slice(0, NEAR))
    let left = most.values - values.amountIn({ attemptIds: [...found] })
    if (left < 0) return undefined
    for (const experimentId of experiments) {
      const some = attemptsOfExperiment.all(experimentId).filter(({ attemptId }) => !found.has(attemptId))
      if (found.size + some.length > NEAR) continue
      const amount = values.amountIn({ attemptIds: some.map(({ attemptId }) => attemptId) })
      if (amount > left) continue
      left -= amount
      for (const { attemptId } of some) found.add(attemptId)
    }
    const attemptIds = [...found].sort()
    const { revisions: changes } = changesOf.one(JSON.stringify(attemptIds))
    const key = `${roomId} ${changes} ${attemptIds.join()}`
    return quantities(kept, key, roomId, () => values.attempts({ attemptIds }))
  }

  return { sizeOf: (roomId: string) => size.one(roomId), whole, quantities: quantitiesFor }
}

// The measurements of attempts as they were when a text was written, so that a number whose ground moved shows both.

/** Attempts that reported something since, and values of one, of which the former ones are read. */
const [CHANGED, VALUES] = [20, 2_000]

interface Point {
  readonly name: string
  readonly split: string
  readonly dimensions: Stored<Dimensions> | null
  readonly value: Stored<number | string>
}

export function formerly(db: Db, values: Values) {
  const changed = db.prepare<{ attemptId: string; isNew: number }>(
    `SELECT a.attempt_id AS attemptId, a.registered_at > +? AS isNew
     FROM json_each(+?) j
     CROSS JOIN attempts a ON a.attempt_id = j.value
     WHERE a.updated_at > +?
     LIMIT ${CHANGED + 1}`,
  )
  const stateAt = db.prepare<{ last: number; status: string | null }>(
    `SELECT coalesce(sum(e.body ->> '$.metricPoints'), 0) AS last,
       (SELECT s.body ->> '$.event'
         FROM attempt_events s
         WHERE s.attempt_id = +? AND s.body ->> '$.receivedAt' <= +? AND s.body ->> '$.event' <> 'progress'
         ORDER BY s.revision DESC
         LIMIT 1) AS status
     FROM attempt_events e
     WHERE e.attempt_id = +? AND e.body ->> '$.receivedAt' <= +?`,
  )
  const points = db.prepare<Point>(
    `SELECT m.name, coalesce(m.split, '') AS split, s.dimensions, m.value
     FROM attempt_metrics m
     LEFT JOIN dimension_sets s USING (dimensions_id)
     WHERE m.attempt_id = +? AND m.ordinal <= +?
     ORDER BY m.ordinal DESC
     LIMIT ${VALUES}`,
  )

  /** The last values that an attempt had reported up to a point, by metric and split. */
  function cellsOf(attemptId: string, last: number) {
    const seen = new Set<string>()
    const found = new Map<string, { name: string; split: string; cells: Cell[] }>()
    for (const { name, split, dimensions, value } of points.all(attemptId, last)) {
      const key = JSON.stringify([name, split])
      if (seen.has(`${key} ${dimensions}`)) continue
      seen.add(`${key} ${dimensions}`)
      const { cells } = found.getOrInsertComputed(key, () => ({ name, split, cells: [] }))
      cells.push([dimensions === null ? {} : parse(dimensions), Number(parse(value))])
    }
    return [...found.values()]
  }

  /** The quantities of some attempts as they were at a time; undefined if nothing has changed, or too much. */
  return (roomId: string, attempts: readonly Measured[], since: string): Quantities | undefined => {
    const later = changed.all(since, JSON.stringify(attempts.map(({ attemptId }) => attemptId)), since)
    if (later.length === 0 || later.length > CHANGED) return undefined
    const isNew = new Map(later.map((each) => [each.attemptId, each.isNew === 1]))
    const former = new Map<string, ReturnType<typeof cellsOf>>()
    const then = attempts.flatMap((attempt) => {
      const { attemptId } = attempt
      if (!isNew.has(attemptId)) return attempt
      if (isNew.get(attemptId) === true) return []
      const { last, status } = stateAt.one(attemptId, since, attemptId, since)
      former.set(attemptId, cellsOf(attemptId, last))
      return { ...attempt, status: status ?? "registered" }
    })
    return quantitiesOf(values, roomId, then, values.frames(then, former))
  }
}

// The table that a checkpoint rests on, as a source of the numbers in its texts: its differences, and its attempts.

export interface TableSource {
  readonly effects: readonly KnownEffect[]
  /** The labels of the attempts behind it. */
  readonly attempts: readonly string[]
}
const NONE: TableSource = { effects: [], attempts: [] }

/** @returns a function that reads the table of a checkpoint, with what has moved in it since if that is asked */
export function tableSources(db: Db, keptTables: Pick<KeptTables, "shown">) {
  const ofCheckpoint = db.prepare<{ stored: StoredTable | null }>(
    "SELECT kept_table AS stored FROM checkpoints WHERE checkpoint_id = +?",
  )
  return (roomId: string, checkpointId: string, tellsMoved: boolean): TableSource => {
    const stored = ofCheckpoint.get(checkpointId)?.stored ?? null
    if (stored === null) return NONE
    const { question, kept } = parse(stored)
    const { metric, split, against = "", where = {} } = question
    const [dimension = "", ...baseline] = against.split(":")
    const groups = kept?.groups ?? []
    const moved = new Map(
      (tellsMoved ? keptTables.shown(roomId, stored).moved : []).map(({ key, settings, now }) => [
        JSON.stringify([key, settings]),
        now,
      ]),
    )
    const holder: Holder = { kind: "checkpoint", id: checkpointId, label: null }
    const figuresOf = ({ n, contrast }: (typeof groups)[number]) =>
      contrast && {
        ...{ estimate: contrast.estimate, se: contrast.se, low: contrast.low, high: contrast.high },
        ...{ df: null, p: null, unit: kept?.unit ?? null, pairs: contrast.pairs, noise: kept?.noise ?? null },
        ...{ ofCount: n, againstCount: n },
      }
    return {
      attempts: [...new Set(groups.flatMap(({ attempts }) => attempts))],
      effects: groups.flatMap((group) => {
        const before = figuresOf(group)
        const { [dimension]: own, ...rest } = group.key
        if (before === null || own === undefined) return []
        const now = moved.get(JSON.stringify([group.key, group.settings]))
        const effect = {
          ...{ metric, ...(split !== undefined && { split }), of: { [dimension]: own } },
          ...{ against: { [dimension]: baseline.join(":") }, where: { ...where, ...rest } },
        }
        const present = now === undefined ? before : now && figuresOf(now)
        return [{ holder, effect, before, now: present, hasMoved: now !== undefined }]
      }),
    }
  }
}
