/** The measurements of attempts as they were when a text landed, so that a number whose ground moved shows both. */
import { parse, type Stored } from "../../contract/json.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { Dimensions } from "../measurements/cells.ts"
import type { Cell } from "../measurements/frame.ts"
import type { Measured, Values } from "../measurements/values.ts"
import { type Quantities, quantitiesOf } from "./quantities.ts"

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
  const reached = db.prepare<{ last: number; status: string | null }>(
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
      const { last, status } = reached.one(attemptId, since, attemptId, since)
      former.set(attemptId, cellsOf(attemptId, last))
      return { ...attempt, status: status ?? "registered" }
    })
    return quantitiesOf(values, roomId, then, values.frames(then, former))
  }
}
