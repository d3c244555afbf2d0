/** A command, run as an attempt: registered before it starts, told as it goes, its outcome delivered or kept. */
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { arch, availableParallelism, platform, release } from "node:os"
import { join, resolve } from "node:path"
import { ResearchRoomClient } from "../client/index.ts"
import { Transport } from "../client/transport.ts"
import type { Input } from "../contract/definitions/requests.ts"
import { FailedError, UsageError } from "../settings.ts"
import { makeFolder, markOf, markOfProcess, placeOf, readBack, removeFolder, runsIn, writeWhole } from "./files.ts"
import { type Ending, exitCodeOf, files, handOn } from "./keeper.ts"
import { Report } from "./report.ts"
import type { RunState } from "./run-state.ts"
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
  /** Empty where the plan has it. */
  readonly command: readonly string[]
  /** How this program is started as the one that keeps a command. */
  readonly keeper: readonly string[]
}

/** Milliseconds between two looks at what was measured. */
const INTERVAL = 10_000
const say = (sentence: string) => console.error(`research-room: ${sentence}`)

/** The command line of an arm of the plan. @throws UsageError, FailedError */
async function argvOf({ url, plan, experiment, arm }: RunSettings): Promise<{ argv: readonly string[]; planId: string }> {
  const client = new ResearchRoomClient({ baseUrl: url, retries: 1 })
  const plans =
    plan === undefined ? (await client.read("experiment", { experimentId: experiment })).acceptedPlans.map(({ planId }) => planId) : [plan]
  const [planId] = plans
  if (planId === undefined || plans.length > 1)
    throw new UsageError(`The experiment has ${plans.length} accepted plans: name one with --plan.`)
  const { protocol, label } = await client.read("plan", { planId })
  if (protocol === null) throw new UsageError(`${label} is sealed and shows no arms: give the command itself.`)
  const { arms } = accepted("protocol", protocol)
  const found = arms.find(({ name }) => name === arm)
  if (found === undefined) throw new UsageError(`The plan has no arm ${arm}; it has ${arms.map(({ name }) => name).join(", ") || "none"}.`)
  return { argv: found.argv, planId }
}

function registrationOf(settings: RunSettings, attemptId: string, argv: readonly string[], planId: string | undefined): Input {
  const { experiment, rerunOf, reproduces, intendedDeviation, repository, configuration } = settings
  return {
    attemptId,
    experimentId: experiment,
    intent: reproduces !== undefined ? "reproduction" : rerunOf !== undefined ? "rerun" : planId !== undefined ? "planned" : "exploratory",
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

/** @returns the exit code of the command. @throws FailedError where the service says no to the attempt: then nothing is run */
export async function run(settings: RunSettings): Promise<number> {
  const { url, token, spool, experiment, reproduces, outputs } = settings
  const taken = settings.arm === undefined ? { argv: settings.command, planId: settings.plan } : await argvOf(settings).catch(unreadable)
  const attemptId = randomUUID()
  const folder = join(runsIn(placeOf(spool, url)), attemptId)
  makeFolder(folder)
  writeWhole(files(folder).owner, markOfProcess(process.pid))
  const state: RunState = {
    attemptId,
    experimentId: experiment,
    credential: markOf(token),
    isReproduction: reproduces !== undefined,
    outputs: outputs.map((file) => ({ label: file, file: resolve(file) })),
    label: null,
    revision: 0,
    status: "",
    metricsThrough: 0,
    next: 0,
    said: "registered",
  }
  const report = Report.begun(folder, state, registrationOf(settings, attemptId, taken.argv, taken.planId))
  const transport = new Transport({ baseUrl: url, timeout: 20, longestWait: 5 })
  const registered = await report.send(transport, token)
  if (registered.status !== "delivered" && registered.isAnswered) {
    removeFolder(folder)
    throw new FailedError(`Nothing was run, for the attempt was not taken: ${registered.why}`)
  }
  if (registered.status === "delivered") say(`${report.name} is registered: ${url}/attempts/${attemptId}`)
  else say(`${registered.why} The run goes on; what is said of it is kept, and research-room deliver sends it.`)

  const code = await watched(settings, report, taken.argv, async (retries) => void (await report.send(transport, token, retries)))
  const { status, why } = await report.send(transport, token, 2)
  for (const sentence of new Set(report.trouble)) say(sentence)
  if (status === "waiting") {
    say(`exit code ${code}. ${why} What was said is kept: research-room deliver --url ${url} sends it.`)
    return code
  }
  if (report.state.label !== null) say(`${report.name} ${report.state.status.replaceAll("_", " ")}, exit code ${code}`)
  report.forget()
  return code
}

const unreadable = (error: unknown): never => {
  if (error instanceof UsageError) throw error
  throw new FailedError(`The plan cannot be read: ${error instanceof Error ? error.message : String(error)}`)
}

/** Starts the one that keeps the command, and says what it does while it does. */
async function watched(
  { keeper: [program = "", ...start] }: RunSettings,
  report: Report,
  argv: readonly string[],
  send: (retries: number) => Promise<void>,
) {
  const { folder } = report
  handOn(() => keeper)
  const keeper = spawn(program, [...start, folder, String(process.pid), "--", ...argv], { stdio: ["inherit", "inherit", "inherit", "ipc"] })
  let sending = Promise.resolve()
  const failed = (error: unknown) => void report.trouble.push(error instanceof Error ? error.message : String(error))
  // Whatever becomes of what is said, the command goes on and its exit code is what counts.
  const note = (how?: { abandoned: boolean }) => {
    try {
      report.say(how)
    } catch (error) {
      failed(error)
    }
  }
  const tell = () => {
    note()
    // One after the other: each stands on the one before.
    sending = sending.then(() => send(0)).catch(failed)
  }
  const timer = setInterval(tell, INTERVAL)
  keeper.on("message", tell)
  const code = await new Promise<number>((resolve, reject) => {
    keeper.once("error", reject)
    keeper.once("exit", (ended, signal) => resolve(exitCodeOf({ code: ended, signal })))
  }).finally(() => clearInterval(timer))
  await sending
  note({ abandoned: true })
  const ending = readBack<Ending>(files(folder).ending)
  return ending === null ? code : exitCodeOf(ending)
}
