/** `research-room unit`: what systemd needs to run the service with the flags given, its backups, and drills of Litestream's copy. */
import { resolve } from "node:path"
import { Command, InvalidArgumentError } from "commander"
import { isSecret, option, UsageError } from "../settings.ts"
import { serveCommand } from "./serve.ts"
import { type Asked, units } from "./units.ts"

interface Options {
  readonly program: string
  readonly user: string
  readonly backups: string
  readonly keepDays: number
  readonly data: string
  readonly replicated?: string
  readonly follow?: string
}

function days(value: string): number {
  if (!/^[1-9][0-9]{0,3}$/.test(value)) throw new InvalidArgumentError("It must be a whole number of days.")
  return Number(value)
}

/** What stands on a line of a unit, where a line break would begin another setting. @throws UsageError */
function onOneLine(value: string): string {
  if (/[\x00-\x1f\x7f]/.test(value)) throw new UsageError("A unit's settings stand on a line each: no value may hold a line break.")
  return value
}

/** The flags of `serve` that were given, as variables; of secrets the variables alone. */
function asked(command: Command, options: Options): Asked {
  const { data, replicated, user, backups, keepDays, program } = options
  const own = new Set(["program", "user", "backups", "keepDays", "data", "replicated"])
  const given = command.options.filter(
    (each) => !own.has(each.attributeName()) && ["cli", "env"].includes(command.getOptionValueSource(each.attributeName()) ?? ""),
  )
  return {
    program: onOneLine(program),
    user: onOneLine(user),
    data: onOneLine(resolve(data)),
    backups: onOneLine(resolve(backups)),
    keepDays,
    replicated: replicated === undefined ? undefined : onOneLine(resolve(replicated)),
    settings: given
      .filter((each) => !isSecret(each))
      .map((each) => [each.envVar ?? "", onOneLine(String(command.getOptionValue(each.attributeName())))] as const),
    secrets: command.options.filter(isSecret).map(({ envVar = "" }) => envVar),
  }
}

function print(options: Options, command: Command): void {
  if (options.follow !== undefined)
    throw new UsageError("A copy for reading runs beside its follower, in a unit of its own: the page on replication has both commands.")
  console.log(
    units(asked(command, options))
      .map(({ file, text }) => `# /etc/systemd/system/${file}\n${text}`)
      .join("\n"),
  )
}

export function unitCommand(): Command {
  const served = serveCommand().options
  const made = new Command("unit").description(
    "print systemd's units for the service with these flags, its backups, and drills of its copy",
  )
  for (const each of served) made.addOption(each.attributeName() === "data" ? each.default("/var/lib/research-room") : each)
  return made
    .addOption(option("--program <path>", "where the executable is installed").default("/usr/local/bin/research-room"))
    .addOption(option("--user <name>", "the user of the machine whom the service runs as").default("research-room"))
    .addOption(option("--backups <folder>", "where backups go").default("/var/lib/research-room-backups"))
    .addOption(option("--keep-days <number>", "for how long a backup is kept").argParser(days).default(30))
    .action((options: Options) => print(options, made))
}
