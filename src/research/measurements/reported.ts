/** The values of one metric as attempts reported them last, read in one scan: what a table is of, and what is known of its metric. */
import { parse, stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { badParameter } from "../../contract/refusals/refusal.ts"
import type { Db } from "../../ledger/storage/database.ts"

/** A value as it is stored: a number, or the name of one that JSON has no digits for. */
type ReportedValue = number | string
/** The values of one attempt, each with the id of its dimensions. */
export interface Reported {
  /** The place of the attempt in the list that was asked for. */
  readonly place: number
  readonly sets: readonly number[]
  readonly told: readonly ReportedValue[]
  /** The first and the last unit by name; null where none was told. */
  readonly units: readonly [string | null, string | null]
}
interface Row {
  readonly place: number
  readonly sets: string
  readonly told: string
  readonly first: string | null
  readonly last: string | null
}

/** Attempts that are read at once: beyond the limit no more than theirs. */
const AT_ONCE = 50

export type ReportedValues = ReturnType<typeof reportedValues>

export function reportedValues(db: Db) {
  // One row an attempt: reading a quarter of a million rows one by one takes several times as long.
  const ofMetric = db.prepare<Row>(
    `SELECT j.key AS place, group_concat(l.dimensions_id) AS sets, group_concat(l.value) AS told, min(l.unit) AS first, max(l.unit) AS last
     FROM json_each(+?) j CROSS JOIN attempt_last_metrics l ON l.attempt_id = j.value AND l.name = +? AND l.split = +? GROUP BY j.key`,
  )
  /** @throws Refusal 422 for more than a table looks at */
  return function reported(attempts: readonly { readonly attemptId: string }[], metric: string, split: string): Reported[] {
    const found: Reported[] = []
    let total = 0
    for (let from = 0; from < attempts.length; from += AT_ONCE) {
      const ids = attempts.slice(from, from + AT_ONCE).map(({ attemptId }) => attemptId)
      for (const { place, sets, told, first, last } of ofMetric.all(JSON.stringify(ids), metric, split)) {
        const row = { place: from + place, sets: parse(stored<number[]>(`[${sets}]`)), told: parse(stored<ReportedValue[]>(`[${told}]`)) }
        found.push({ ...row, units: [first, last] })
        total += row.sets.length
      }
      if (total > limits.measuredValues)
        throw badParameter(
          "metric",
          `has more than ${limits.measuredValues.toLocaleString("en")} values here: narrow it with experiments or attempts`,
        )
    }
    return found
  }
}
