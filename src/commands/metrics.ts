/** `research-room metrics`: reports a table of values that were measured elsewhere as metrics of an attempt. */
import { readFileSync, statSync } from "node:fs"
import { Command } from "commander"
import { ResearchRoomClient } from "../client/index.ts"
import { messageOf } from "../contract/faults.ts"
import { limits } from "../contract/limits.ts"
import { isUuid } from "../contract/schema/fields.ts"
import { isOver, takesProgress } from "../contract/states.ts"
import { readTable } from "../research/measurements/read-table.ts"
import { inEvents } from "../runs/metrics.ts"
import { FailedError, option, type ServedAt, servedAt, tokenOption, UsageError, urlOption } from "../settings.ts"

interface Flags extends ServedAt {
  readonly by?: string
}

/** @throws UsageError */
function textOf(file: string): string {
  try {
    if (statSync(file).size > limits.tableBytes)
      throw new UsageError(`${file} is larger than ${limits.tableBytes.toLocaleString("en")} bytes. Report it in parts.`)
    return readFileSync(file, "utf8")
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`${file} cannot be read: ${messageOf(error)}`)
  }
}

async function metrics(attemptId: string, file: string, { by = "", ...place }: Flags): Promise<void> {
  const { url: baseUrl, token } = servedAt(place)
  if (!isUuid(attemptId)) throw new UsageError(`${attemptId} is not the id of an attempt: it is in the attempt's address.`)
  const { points, faults } = readTable(textOf(file), by.split(",").filter(Boolean))
  if (faults.length > 0) {
    for (const { line, message } of faults) console.error(`research-room: ${file}, line ${line}: ${message}`)
    throw new FailedError("Nothing was reported.")
  }
  const client = new ResearchRoomClient({ baseUrl, token })
  const told = { reported: 0 }
  try {
    const attempt = await client.read("attempt", { attemptId })
    let { expected } = attempt.affordances
    if (!takesProgress(attempt.status)) throw new UsageError(`${attempt.label} has not started: say so first.`)
    const late = isOver("attempt", attempt.status) ? ({ late: true } as const) : {}
    for (const event of inEvents(points)) {
      const reportedAt = new Date().toISOString()
      const said = { attemptId, ...expected, event: "progress" as const, reportedAt, metrics: event, ...late }
      const { result } = await client.write("report_attempt_event", said)
      expected = { expectedRevision: result.revision, expectedStatus: result.status }
      told.reported += event.length
    }
    console.log(`${told.reported.toLocaleString("en")} values of ${attempt.label} are reported: ${baseUrl}/attempts/${attemptId}`)
  } catch (error) {
    if (error instanceof UsageError) throw error
    const rest =
      told.reported === 0 ? "Nothing was reported." : `${told.reported} values were reported; report the file again for the rest.`
    throw new FailedError(`${messageOf(error)} ${rest}`)
  }
}

export const metricsCommand = (): Command =>
  new Command("metrics")
    .description("report a table of measured values as metrics of an attempt: a CSV file with a column for each metric and dimension")
    .argument("<attempt>", "the id of the attempt")
    .argument("<file>", "the CSV file")
    .addOption(option("--by <columns>", "columns of numbers that are dimensions, such as labels,size; seed is one anyway"))
    .addOption(urlOption())
    .addOption(tokenOption())
    .addHelpText(
      "after",
      `
Each column of numbers is a metric; step, split and unit are what they are called; every other column is a dimension:
  arm,seed,error
  baseline,1,0.061
  shift,1,0.057
Or each row is a value, with its metric:
  metric,value,arm,seed,unit
  error,0.061,baseline,1,%`,
    )
    .action(metrics)
