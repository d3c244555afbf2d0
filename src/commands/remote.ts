/** The commands for people and agents who know a service by its address: `connect`, `mcp`, `inbox`, `metrics`. */
import { Argument, Command } from "commander"
import { setTimeout } from "node:timers/promises"
import { readFileSync, statSync } from "node:fs"
import { createInterface } from "node:readline/promises"
import { guides } from "../discovery/connecting.ts"
import {
  type RemoteOptions,
  requireUrl,
  tokenOption,
  UsageError,
  urlOption,
  option,
  sequence,
  requireService,
} from "../settings.ts"
import type { InboxEntry } from "../contract/reads/activity.ts"
import { FailedError, messageOf } from "../contract/refusals.ts"
import { limits } from "../contract/limits.ts"
import { oneLine, fileText } from "../contract/text.ts"
import { isOver, takesProgress } from "../contract/states.ts"
import type { Point } from "../research/measurements/read-table.ts"

// `research-room connect`: prints the settings with which an agent's program reaches a Room. It does not call the
// service.

function connect(name: string | undefined, options: RemoteOptions): void {
  if (name === undefined) {
    for (const guide of guides) console.log(`${guide.name.padEnd(16)} ${guide.title}`)
    return
  }
  const baseUrl = requireUrl(options)
  const guide = guides.find((known) => known.name === name)
  if (guide === undefined) throw new UsageError(`There are no texts for ${name}.`)
  // Only the text goes to standard output, so that it can be redirected to a file.
  console.error(guide.where)
  console.log(guide.text({ baseUrl, token: options.token }))
}

export const connectCommand = (): Command =>
  new Command("connect")
    .description("print the settings that connect an agent's program to a Room; without a client, list the clients")
    .addArgument(
      new Argument("[client]", "the agent's program, or a part of its set-up").choices(guides.map(({ name }) => name)),
    )
    .addOption(urlOption())
    .addOption(tokenOption())
    .action(connect)

// `research-room mcp`: an MCP server on standard input and output, started by an agent's program.

async function mcp(options: RemoteOptions): Promise<void> {
  const url = requireUrl(options)
  const { serveMcp } = await import("./mcp-over-http.ts")
  await serveMcp(url, options.token)
}

export const mcpCommand = (): Command =>
  new Command("mcp")
    .description(
      "serve MCP on standard input and output, for an agent's program that starts it; a service has the same at /mcp",
    )
    .addOption(urlOption())
    .addOption(tokenOption())
    .action(mcp)

// `research-room inbox`: prints the activity of others that concerns an agent, for scripts and for people who watch
// their agents.

interface InboxSettings extends RemoteOptions {
  readonly after: number
  readonly follow?: boolean
  readonly json?: boolean
}

/** Milliseconds between two requests if the service answers at once. */
const IDLE_PAUSE = 1_000

const line = ({ sequence, summary, concerns }: InboxEntry): string =>
  oneLine(`${sequence} ${summary} ${concerns.map(({ sentence }) => sentence).join(" ")}`)

async function inbox({ after, follow = false, json = false, ...remote }: InboxSettings): Promise<void> {
  const { url: baseUrl, token } = requireService(remote)
  const { ResearchRoomClient } = await import("../client/index.ts")
  const client = new ResearchRoomClient({ baseUrl, token, ...(follow && { retries: Number.POSITIVE_INFINITY }) })
  for (let [from, hasMore] = [after, true]; hasMore || follow; ) {
    const startedAt = performance.now()
    const request = client.read("inbox", { after: from, ...(follow && { wait: limits.activityWaitSeconds }) })
    const page = await request.catch((error: unknown) => {
      throw new FailedError(messageOf(error))
    })
    for (const entry of page.items) console.log(json ? JSON.stringify(entry) : line(entry))
    hasMore = page.hasMore
    // A service that is shutting down answers at once with an empty page.
    if (follow && !hasMore && performance.now() - startedAt < IDLE_PAUSE) await setTimeout(IDLE_PAUSE)
    from = Number(page.nextCursor)
  }
}

export const inboxCommand = (): Command =>
  new Command("inbox")
    .description("print what others did in the Room of a credential that concerns its agent, and why")
    .addOption(urlOption())
    .addOption(tokenOption())
    .addOption(option("--after <sequence>", "print only later entries").argParser(sequence).default(0))
    .addOption(option("--follow", "keep printing new entries as they arrive"))
    .addOption(option("--json", "print each entry as a line of JSON, for programs"))
    .action(inbox)

// `research-room metrics`: reports a table of measured values as metrics of an attempt.

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
  readonly missing?: string
  readonly metric?: string
  readonly yes?: true
}

const listed = (text = ""): string[] =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean)

/** Asks at the terminal whether to report what was read. @throws FailedError if it may not be reported */
async function mustAgree(isAgreed: boolean): Promise<void> {
  if (isAgreed) return
  if (!process.stdin.isTTY)
    throw new FailedError("Nothing was reported. Give --yes to report this without being asked.")
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question("Report these values? [y/N] ")
  terminal.close()
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new FailedError("Nothing was reported.")
}

/** @throws UsageError */
function textOf(file: string): string {
  try {
    if (statSync(file).size > limits.tableBytes)
      throw new UsageError(
        `${file} is larger than ${limits.tableBytes.toLocaleString("en")} bytes. Report it in parts.`,
      )
    return fileText(readFileSync(file))
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`${file} cannot be read: ${messageOf(error)}`)
  }
}

async function metrics(attemptId: string, file: string, flags: Flags): Promise<void> {
  const { by, missing, metric, yes = false, ...remote } = flags
  const { url: baseUrl, token } = requireService(remote)
  const [{ ResearchRoomClient }, { isUuid }, { readAsLine, readTable }] = await Promise.all([
    import("../client/index.ts"),
    import("../contract/schema/fields.ts"),
    import("../research/measurements/read-table.ts"),
  ])
  if (!isUuid(attemptId))
    throw new UsageError(`${attemptId} is not the id of an attempt. The id is the last part of the attempt's address.`)
  const hints = { by: listed(by), missing: listed(missing), metric }
  const { points, readAs, faults } = readTable(textOf(file), hints)
  if (faults.length > 0) {
    for (const { line, message } of faults) console.error(`research-room: ${file}, line ${line} ${message}`)
    throw new FailedError("Nothing was reported.")
  }
  console.error(`${file}: ${readAsLine(readAs)}`)
  const client = new ResearchRoomClient({ baseUrl, token })
  let reported = 0
  try {
    const attempt = await client.read("attempt", { attemptId })
    let { expected } = attempt.affordances
    if (!takesProgress(attempt.status))
      throw new UsageError(`${attempt.label} has not started: report its start first.`)
    await mustAgree(yes)
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
    if (error instanceof UsageError || error instanceof FailedError) throw error
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
    .addOption(option("--missing <cells>", "cells that stand for a missing value, such as NA,-; empty ones always do"))
    .addOption(option("--metric <name>", "the name of the metric, if the table has values of one without its name"))
    .addOption(option("--yes", "report what was read without asking"))
    .addOption(urlOption())
    .addOption(tokenOption())
    .addHelpText(
      "after",
      `
The command says what it read each column as, and asks before it reports anything.
Each column of numbers is a metric, apart from step, split and unit, which keep their meaning; \
columns of times are ignored.
Every other column is a dimension. Other text in a column of numbers is a fault, unless --by or --missing names it:
  arm,seed,error
  baseline,1,0.061
  shift,1,0.057
Or each row is one value, with the name of its metric:
  metric,value,arm,seed,unit
  error,0.061,baseline,1,%
Exports of MLflow, TensorBoard and Weights & Biases are recognised by their headers.`,
    )
    .action(metrics)
