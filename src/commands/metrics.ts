/** `research-room metrics`: reports a table of measured values as metrics of an attempt. */
import { readFileSync, statSync } from "node:fs"
import { Command } from "commander"
import type * as v from "valibot"
import { ResearchRoomClient } from "../client/index.ts"
import type { metric } from "../contract/definitions/work.ts"
import { messageOf } from "../contract/faults.ts"
import { limits } from "../contract/limits.ts"
import { isUuid } from "../contract/schema/fields.ts"
import { isOver, takesProgress } from "../contract/states.ts"
import { readTable } from "../research/measurements/read-table.ts"
import {
  FailedError,
  option,
  type RemoteOptions,
  requireService,
  tokenOption,
  UsageError,
  urlOption,
} from "../settings.ts"

type Point = v.InferOutput<typeof metric>

/** The most bytes of points in one event. */
const BYTES = 45_000

/** Divides points into events within the limits. One line may need several events. */
function inEvents(points: readonly Point[]): Point[][] {
  const events: Point[][] = []
  let bytes = 0
  for (const point of points) {
    const cost = Buffer.byteLength(JSON.stringify(point))
    const last = events.at(-1)
    if (last === undefined || last.length === limits.metricsOfEvent || bytes + cost > BYTES) {
      events.push([point])
      bytes = cost
    } else {
      last.push(point)
      bytes += cost
    }
  }
  return events
}

interface Flags extends RemoteOptions {
  readonly by?: string
}

/** @throws UsageError */
function textOf(file: string): string {
  try {
    if (statSync(file).size > limits.tableBytes)
      throw new UsageError(
        `${file} is larger than ${limits.tableBytes.toLocaleString("en")} bytes. Report it in parts.`,
      )
    return readFileSync(file, "utf8")
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`${file} cannot be read: ${messageOf(error)}`)
  }
}

async function metrics(attemptId: string, file: string, { by = "", ...remote }: Flags): Promise<void> {
  const { url: baseUrl, token } = requireService(remote)
  if (!isUuid(attemptId))
    throw new UsageError(`${attemptId} is not the id of an attempt. The id is the last part of the attempt's address.`)
  const { points, faults } = readTable(textOf(file), by.split(",").filter(Boolean))
  if (faults.length > 0) {
    for (const { line, message } of faults) console.error(`research-room: ${file}, line ${line}: ${message}`)
    throw new FailedError("Nothing was reported.")
  }
  const client = new ResearchRoomClient({ baseUrl, token })
  let reported = 0
  try {
    const attempt = await client.read("attempt", { attemptId })
    let { expected } = attempt.affordances
    if (!takesProgress(attempt.status))
      throw new UsageError(`${attempt.label} has not started: report its start first.`)
    const late = isOver("attempt", attempt.status) ? ({ late: true } as const) : {}
    for (const event of inEvents(points)) {
      const reportedAt = new Date().toISOString()
      const progress = { attemptId, ...expected, event: "progress" as const, reportedAt, metrics: event, ...late }
      const { result } = await client.write("report_attempt_event", progress)
      expected = { expectedRevision: result.revision, expectedStatus: result.status }
      reported += event.length
    }
    console.log(
      `${reported.toLocaleString("en")} values of ${attempt.label} are reported: ${baseUrl}/attempts/${attemptId}`,
    )
  } catch (error) {
    if (error instanceof UsageError) throw error
    const rest =
      reported === 0 ? "Nothing was reported." : `${reported} values were reported; report the file again for the rest.`
    throw new FailedError(`${messageOf(error)} ${rest}`)
  }
}

export const metricsCommand = (): Command =>
  new Command("metrics")
    .description("report a CSV file of measured values as metrics of an attempt")
    .argument("<attempt>", "the id of the attempt")
    .argument("<file>", "the CSV file")
    .addOption(
      option("--by <columns>", "columns of numbers that are dimensions, such as labels,size; seed always is one"),
    )
    .addOption(urlOption())
    .addOption(tokenOption())
    .addHelpText(
      "after",
      `
Each column of numbers is a metric, apart from step, split and unit, which keep their meaning. Every other column is a dimension:
  arm,seed,error
  baseline,1,0.061
  shift,1,0.057
Or each row is one value, with the name of its metric:
  metric,value,arm,seed,unit
  error,0.061,baseline,1,%`,
    )
    .action(metrics)
