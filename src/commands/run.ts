/**
 * `research-room run` and `deliver`: run a command on a person's own machine and report it as an attempt to a remote
 * service.
 */
import { readFileSync } from "node:fs"
import { Command } from "commander"
import { isSea } from "node:sea"
import { limits } from "../contract/limits.ts"
import { keep } from "../runs/keeper.ts"
import { deliverAll } from "../runs/deliver.ts"
import { workingRepository } from "../runs/repository.ts"
import { run, type RunSettings } from "../runs/run.ts"
import {
  option,
  type RemoteOptions,
  requireService,
  spoolOption,
  tokenOption,
  UsageError,
  urlOption,
} from "../settings.ts"

interface DeliveryFlags extends RemoteOptions {
  readonly spool: string
}

type RunFlags = DeliveryFlags &
  Partial<Pick<RunSettings, "experiment" | "plan" | "arm" | "rerunOf" | "reproduces" | "intendedDeviation">> & {
    readonly configuration?: string
    readonly output?: readonly string[]
    readonly repository?: string
    readonly commit?: string
  }

/** @throws UsageError */
const destinationOf = ({ spool, ...remote }: DeliveryFlags) => ({ ...requireService(remote), spool })

/** @throws UsageError */
function configurationIn(file: string | undefined): object {
  if (file === undefined) return {}
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"))
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value
  } catch {
    // Reported below.
  }
  throw new UsageError(`${file} does not hold a JSON object, which the run's configuration must be.`)
}

/**
 * Returns the commit that the run is pinned to. @throws UsageError if there are uncommitted changes without an
 * explanation
 */
function pinnedCommit({ repository: url, commit, intendedDeviation }: RunFlags) {
  if ((url === undefined) !== (commit === undefined))
    throw new UsageError("--repository and --commit must be given together.")
  if (url !== undefined && commit !== undefined) return { url, commit }
  const { repository, isClean } = workingRepository()
  if (!isClean && intendedDeviation === undefined)
    throw new UsageError(
      "This folder holds changes that are not committed: commit them, or describe them with --intended-deviation.",
    )
  return repository
}

/** Returns the command line that starts another command of this program. */
const ownCommand = (command: string): readonly string[] =>
  isSea() ? [process.execPath, command] : [process.execPath, ...process.execArgv, process.argv[1] ?? "", command]

async function start(command: readonly string[], flags: RunFlags): Promise<void> {
  const destination = destinationOf(flags)
  const { experiment, arm, configuration, output = [], ...rest } = flags
  if (experiment === undefined) throw new UsageError("Name the experiment with --experiment.")
  if (command.length === 0 && arm === undefined)
    throw new UsageError("Give the command after --, or take it from the plan with --arm.")
  if (command.length > 0 && arm !== undefined)
    throw new UsageError("--arm takes the command from the plan: give none after --.")
  const outputs = [...new Set(output)]
  if (outputs.length > limits.outputsOfEvent || outputs.some((file) => file.length > limits.name))
    throw new UsageError(
      `At most ${limits.outputsOfEvent} outputs can be reported, each with a path of at most ${limits.name} characters.`,
    )
  const code = await run({
    ...rest,
    ...destination,
    ...(arm !== undefined && { arm }),
    experiment,
    command,
    outputs,
    configuration: configurationIn(configuration),
    repository: pinnedCommit(flags),
    keeper: ownCommand("keep"),
  })
  process.exit(code)
}

const withDestination = (command: Command): Command =>
  command.addOption(urlOption()).addOption(tokenOption()).addOption(spoolOption())

const metricsHelp = `
Metrics: the command appends lines of JSON to the file named by RESEARCH_ROOM_METRICS, each with a step and its values:
  {"step": 3, "loss": 0.5, "accuracy": 0.9}
or with one value:
  {"name": "loss", "value": 0.5, "step": 3, "split": "val", "unit": "nat"}
Any other member of a line is a dimension of its values:
  {"error": 0.057, "arm": "shift", "dimensions": {"seed": 3}}
  {"name": "error", "value": 0.057, "arm": "shift", "seed": 3}
In a line without name and value, each number is a value. Put a number that is a dimension into "dimensions".`

export const runCommand = (): Command =>
  withDestination(new Command("run"))
    .description(
      "run a command as an attempt of an experiment: register it, report its progress and its outcome; it also runs if the service does not answer",
    )
    .argument("[command...]", "the command, after --")
    .addOption(option("--experiment <id>", "the experiment it belongs to"))
    .addOption(option("--plan <id>", "the accepted plan it follows; without one the attempt is exploratory"))
    .addOption(option("--arm <name>", "take the command from this arm of the plan"))
    .addOption(option("--rerun-of <attempt>", "the attempt it repeats"))
    .addOption(option("--reproduces <attempt>", "the attempt it reproduces"))
    .addOption(
      option(
        "--intended-deviation <text>",
        "how the run departs from the plan or the commit on purpose, such as uncommitted changes",
      ),
    )
    .addOption(option("--configuration <file>", "a file with the run's configuration, a JSON object"))
    .addOption(
      option("--output <files...>", "files that the run creates; their digests are sent, never their contents"),
    )
    .addOption(option("--repository <address>", "the public repository (default: that of this folder)"))
    .addOption(option("--commit <hex>", "the commit in --repository"))
    .addHelpText("after", metricsHelp)
    .action(start)

async function deliver(flags: DeliveryFlags): Promise<void> {
  const { done, problems } = await deliverAll(destinationOf(flags))
  for (const sentence of done) console.log(sentence)
  for (const sentence of problems) console.error(`research-room: ${sentence}`)
  if (done.length + problems.length === 0) console.log("There is nothing to deliver.")
  if (problems.length > 0) process.exitCode = 1
}

export const deliverCommand = (): Command =>
  withDestination(new Command("deliver"))
    .description(
      "deliver what run and the Python client could not deliver, and the outcomes of runs whose program was killed",
    )
    .action(deliver)

/** An internal command: `run` starts itself with it. */
export const keepCommand = (): Command =>
  new Command("keep")
    .argument("<folder>")
    .argument("<reporter>")
    .argument("<command...>")
    .action(async (folder: string, reporter: string, command: string[]) =>
      process.exit(await keep(folder, Number(reporter), command)),
    )
