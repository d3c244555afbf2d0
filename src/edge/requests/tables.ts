/** Reads a table of values in a report as its metrics, for every interface, before the write is checked. */
import * as v from "valibot"
import type { ReadAs } from "../../contract/answers/parts.ts"
import { table } from "../../contract/definitions/table.ts"
import { isObject } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { type Issue, Refusal } from "../../contract/refusals/refusal.ts"
import { readTable } from "../../research/measurements/read-table.ts"

const unread = (issues: Issue[]): Refusal =>
  new Refusal("invalid_schema", "The table could not be read as it stands. Nothing was stored.", { issues })

interface Read<B> {
  readonly body: B
  readonly readAs?: ReadAs
}

/**
 * Replaces the table of a report by the metrics in it. A table that breaks its schema is left to the check of the body.
 * @param place the JSON Pointer of the body
 * @throws Refusal 422 with the lines that could not be read
 */
export function withTableRead<B>(operation: string, body: B, place = ""): Read<B> {
  if (operation !== "report_attempt_event" || !isObject(body)) return { body }
  const given = v.safeParse(table, body.table)
  if (!given.success) return { body }
  if (body.metrics !== undefined) throw unread([{ path: `${place}/table`, message: "cannot be combined with metrics" }])
  const { csv, ...hints } = given.output
  const { points, readAs, faults } = readTable(csv, hints)
  const issues = faults.map(({ line, message }) => ({ path: `${place}/table/csv`, message: `line ${line} ${message}` }))
  if (points.length > limits.metricsOfEvent)
    issues.push({
      path: `${place}/table/csv`,
      message: `has ${points.length} values, but a report takes ${limits.metricsOfEvent}: report it in parts`,
    })
  if (issues.length > 0) throw unread(issues)
  const read = { ...body, metrics: points }
  Reflect.deleteProperty(read, "table")
  return { body: read, readAs }
}
