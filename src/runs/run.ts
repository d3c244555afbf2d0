/** Runs a command as an attempt: registers it, reports its progress, and delivers its outcome or keeps it for later. */
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { arch, availableParallelism, platform, release } from "node:os"
import { join, resolve } from "node:path"
import { ResearchRoomClient } from "../client/index.ts"
import { Transport } from "../client/transport.ts"
import { messageOf } from "../contract/faults.ts"
import type { Input } from "../contract/definitions/requests.ts"
import { FailedError, UsageError } from "../settings.ts"
import {
  credentialMark,
  makeFolder,
  markOfProcess,
  readBack,
  removeFolder,
  runsIn,
  spoolFolder,
  writeWhole,
} from "./files.ts"
import { type Ending, exitCodeOf, files, forwardSignals, type RunState } from "./keeper.ts"
import { Report } from "./report.ts"
import { accepted } from "../contract/reads/accepted.ts"

export interface RunSettings {
  readonly url: string
  readonly token: string
  readonly spool: string
  readonly experiment: string
  readonly plan?: string
  readonly arm?: string
  readonly rerunOf?: string
  readonly reproduces?: string
  readonly intendedDeviation?: string
  readonly configuration: object
  readonly outputs: readonly string[]
  readonly repository: { readonly url: string; readonly commit: string }
  /** Empty if the plan has the command. */
  readonly command: readonly string[]
  /** The command line of the keeper, without its arguments. */
  readonly keeper: readonly string[]
}

/** Milliseconds between two reports of progress. */
const INTERVAL = 10_000
const print = (sentence: string) => console.error(`research-room: ${sentence}`)

/** Reads the command line of an arm from the plan. @throws UsageError, FailedError */
async function argvOf({
  url,
  plan,
  experiment,
  arm,
}: RunSettings): Promise<{ argv: readonly string[]; planId: string }> {
  const client = new ResearchRoomClient({ baseUrl: url, retries: 1 })
  const plans =
    plan === undefined
      ? (await client.read("experiment", { experimentId: experiment })).acceptedPlans.map(({ planId }) => planId)
      : [plan]
  const [planId] = plans
  if (planId === undefined || plans.length > 1)
    throw new UsageError(`The experiment has ${plans.length} accepted plans: name one with --plan.`)
  const { protocol, label } = await client.read("plan", { planId })
  if (protocol === null) throw new UsageError(`${label} is sealed and shows no arms: give the command itself.`)
  const { arms } = accepted("protocol", protocol)
  const planned = arms.find(({ name }) => name === arm)
  if (planned === undefined)
    throw new UsageError(`The plan has no arm ${arm}; it has ${arms.map(({ name }) => name).join(", ") || "none"}.`)
  return { argv: planned.argv, planId }
}

function registrationOf(
  settings: RunSettings,
  attemptId: string,
  argv: readonly string[],
  planId: string | undefined,
): Input {
  const { experiment, rerunOf, reproduces, intendedDeviation, repository, configuration } = settings
  return {
    attemptId,
    experimentId: experiment,
    intent:
      reproduces !== undefined
        ? "reproduction"
        : rerunOf !== undefined
          ? "rerun"
          : planId !== undefined
            ? "planned"
            : "exploratory",
    ...(planId !== undefined && { planId }),
    ...(rerunOf !== undefined && { rerunOf }),
    ...(reproduces !== undefined && { reproduces: { attemptId: reproduces } }),
    repository,
    argv,
    configuration,
    environment: { platform: `${platform()} ${release()} ${arch()}`, processors: String(availableParallelism()) },
    inputs: [],
    ...(intendedDeviation !== undefined && { intendedDeviation }),
  }
}

/**
 * @returns the exit code of the command. @throws FailedError if the service refuses the attempt; the command is then
 * not started
 */
export async function run(settings: RunSettings): Promise<number> {
  const { url, token, spool, experiment, reproduces, outputs } = settings
  const { argv, planId } =
    settings.arm === undefined
      ? { argv: settings.command, planId: settings.plan }
      : await argvOf(settings).catch(planUnreadable)
  const attemptId = randomUUID()
  const folder = join(runsIn(spoolFolder(spool, url)), attemptId)
  makeFolder(folder)
  writeWhole(files(folder).owner, markOfProcess(process.pid))
  const state: RunState = {
    attemptId,
    experimentId: experiment,
    credential: credentialMark(token),
    isReproduction: reproduces !== undefined,
    outputs: outputs.map((file) => ({ label: file, file: resolve(file) })),
    label: null,
    revision: 0,
    status: "",
    metricsThrough: 0,
    next: 0,
    said: "registered",
  }
  const report = Report.create(folder, state, registrationOf(settings, attemptId, argv, planId))
  const transport = new Transport({ baseUrl: url, timeout: 20, longestWait: 5 })
  const registered = await report.send(transport, token)
  if (registered.status !== "delivered" && registered.isAnswered) {
    removeFolder(folder)
    throw new FailedError(`The attempt was refused, so nothing was run: ${registered.reason}`)
  }
  if (registered.status === "delivered") print(`${report.name} is registered: ${url}/attempts/${attemptId}`)
  else print(`${registered.reason} The run starts anyway. Its reports are kept; research-room deliver sends them.`)

  const code = await runAndReport(
    settings,
    report,
    argv,
    async (retries) => void (await report.send(transport, token, retries)),
  )
  const { status, reason } = await report.send(transport, token, 2)
  for (const sentence of new Set(report.problems)) print(sentence)
  if (status === "waiting") {
    print(`exit code ${code}. ${reason} The reports are kept: research-room deliver --url ${url} sends them.`)
    return code
  }
  if (report.state.label !== null)
    print(`${report.name} ${report.state.status.replaceAll("_", " ")}, exit code ${code}`)
  report.forget()
  return code
}

const planUnreadable = (error: unknown): never => {
  if (error instanceof UsageError) throw error
  throw new FailedError(`The plan cannot be read: ${messageOf(error)}`)
}

/** Runs the command through the keeper and reports its progress. @returns the exit code of the command */
async function runAndReport(
  { keeper: [program = "", ...start] }: RunSettings,
  report: Report,
  argv: readonly string[],
  send: (retries: number) => Promise<void>,
) {
  const { folder } = report
  forwardSignals(() => keeper)
  const keeper = spawn(program, [...start, folder, String(process.pid), "--", ...argv], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  })
  let sending = Promise.resolve()
  const failed = (error: unknown) => void report.problems.push(messageOf(error))
  // A failure to report must not end the command.
  const update = (options?: { abandoned: boolean }) => {
    try {
      report.update(options)
    } catch (error) {
      failed(error)
    }
  }
  const reportProgress = () => {
    update()
    // One request at a time: each event names the revision that the one before made.
    sending = sending.then(() => send(0)).catch(failed)
  }
  const timer = setInterval(reportProgress, INTERVAL)
  keeper.on("message", reportProgress)
  const code = await new Promise<number>((resolve, reject) => {
    keeper.once("error", reject)
    keeper.once("exit", (ended, signal) => resolve(exitCodeOf({ code: ended, signal })))
  }).finally(() => clearInterval(timer))
  await sending
  update({ abandoned: true })
  const ending = readBack<Ending>(files(folder).ending)
  return ending === null ? code : exitCodeOf(ending)
}
