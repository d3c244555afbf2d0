/** `research-room run` and `deliver`: on a person's own machine, a command as an attempt, told to a service somewhere else. */
import { readFileSync } from "node:fs"
import { Command } from "commander"
import { isSea } from "node:sea"
import { limits } from "../contract/limits.ts"
import { keep } from "../runs/keeper.ts"
import { deliverAll } from "../runs/deliver.ts"
import { workingRepository } from "../runs/repository.ts"
import { run } from "../runs/run.ts"
import { option, type ServedAt, servedAt, spoolOption, tokenOption, UsageError, urlOption } from "../settings.ts"

interface Place extends ServedAt {
  readonly spool: string
}

interface RunFlags extends Place {
  readonly experiment?: string
  readonly plan?: string
  readonly arm?: string
  readonly rerunOf?: string
  readonly reproduces?: string
  readonly intendedDeviation?: string
  readonly configuration?: string
  readonly output?: readonly string[]
  readonly repository?: string
  readonly commit?: string
}

/** @throws UsageError */
const placed = ({ spool, ...place }: Place) => ({ ...servedAt(place), spool })

/** @throws UsageError */
function configurationIn(file: string | undefined): object {
  if (file === undefined) return {}
  try {
    const read: unknown = JSON.parse(readFileSync(file, "utf8"))
    if (typeof read === "object" && read !== null && !Array.isArray(read)) return read
  } catch {
    // Told below.
  }
  throw new UsageError(`${file} holds no JSON object to be the run's configuration.`)
}

/** What the run is pinned to. @throws UsageError where the commit does not hold everything and nobody says why */
function pinned({ repository: url, commit, intendedDeviation }: RunFlags) {
  if ((url === undefined) !== (commit === undefined)) throw new UsageError("--repository and --commit go together.")
  if (url !== undefined && commit !== undefined) return { url, commit }
  const { repository, isClean } = workingRepository()
  if (!isClean && intendedDeviation === undefined)
    throw new UsageError("This folder holds changes that are not committed: commit them, or say with --intended-deviation what they are.")
  return repository
}

/** How this program is started as another of its commands. */
const itself = (command: string): readonly string[] =>
  isSea() ? [process.execPath, command] : [process.execPath, ...process.execArgv, process.argv[1] ?? "", command]

async function start(command: readonly string[], flags: RunFlags): Promise<void> {
  const place = placed(flags)
  const { experiment, plan, arm, rerunOf, reproduces, intendedDeviation, configuration, output = [] } = flags
  if (experiment === undefined) throw new UsageError("Name the experiment with --experiment.")
  if (command.length === 0 && arm === undefined) throw new UsageError("Give the command after --, or take it from the plan with --arm.")
  if (command.length > 0 && arm !== undefined) throw new UsageError("--arm takes the command from the plan: give none after --.")
  const outputs = [...new Set(output)]
  if (outputs.length > limits.outputsOfEvent || outputs.some((file) => file.length > limits.name))
    throw new UsageError(`At most ${limits.outputsOfEvent} outputs can be told, each by a path of at most ${limits.name} characters.`)
  const code = await run({
    ...place,
    experiment,
    command,
    outputs,
    configuration: configurationIn(configuration),
    repository: pinned(flags),
    keeper: itself("keep"),
    ...(plan !== undefined && { plan }),
    ...(arm !== undefined && { arm }),
    ...(rerunOf !== undefined && { rerunOf }),
    ...(reproduces !== undefined && { reproduces }),
    ...(intendedDeviation !== undefined && { intendedDeviation }),
  })
  process.exit(code)
}

const withPlace = (command: Command): Command => command.addOption(urlOption()).addOption(tokenOption()).addOption(spoolOption())

const metricsHelp = `
Metrics: the command appends lines of JSON to the file that RESEARCH_ROOM_METRICS names, each with a step and its values:
  {"step": 3, "loss": 0.5, "accuracy": 0.9}
or one value in full:
  {"name": "loss", "value": 0.5, "step": 3, "split": "val", "unit": "nat"}
Any further member of a line is a dimension, which says where the values stand:
  {"error": 0.057, "arm": "shift", "dimensions": {"seed": 3}}
  {"name": "error", "value": 0.057, "arm": "shift", "seed": 3}
In a line without name and value each number is a value, so a number that is a dimension stands in "dimensions".`

export const runCommand = (): Command =>
  withPlace(new Command("run"))
    .description(
      "run a command as an attempt of an experiment: registered first, then reported as it goes, with its outcome; it also runs when the service does not answer",
    )
    .argument("[command...]", "the command, after --")
    .addOption(option("--experiment <id>", "the experiment it belongs to"))
    .addOption(option("--plan <id>", "the accepted plan that it follows; without one it is exploratory"))
    .addOption(option("--arm <name>", "take the command from this arm of the plan"))
    .addOption(option("--rerun-of <attempt>", "the attempt that it repeats"))
    .addOption(option("--reproduces <attempt>", "the attempt that it reproduces"))
    .addOption(
      option("--intended-deviation <text>", "what departs from the plan or the commit on purpose, such as changes that are not committed"),
    )
    .addOption(option("--configuration <file>", "a JSON object: the run's configuration"))
    .addOption(option("--output <files...>", "files that the run makes; their digests are sent, never their content"))
    .addOption(option("--repository <address>", "the public repository, where it is not that of this folder"))
    .addOption(option("--commit <hex>", "its commit"))
    .addHelpText("after", metricsHelp)
    .action(start)

async function deliver(flags: Place): Promise<void> {
  const { told, trouble } = await deliverAll(placed(flags))
  for (const sentence of told) console.log(sentence)
  for (const sentence of trouble) console.error(`research-room: ${sentence}`)
  if (told.length + trouble.length === 0) console.log("Nothing waits.")
  if (trouble.length > 0) process.exitCode = 1
}

export const deliverCommand = (): Command =>
  withPlace(new Command("deliver"))
    .description("deliver what run and the Python client could not deliver, and the outcome of runs whose program was killed")
    .action(deliver)

/** What `run` starts itself as. It is for nobody to call. */
export const keepCommand = (): Command =>
  new Command("keep")
    .argument("<folder>")
    .argument("<reporter>")
    .argument("<command...>")
    .action(async (folder: string, reporter: string, command: string[]) => process.exit(await keep(folder, Number(reporter), command)))
