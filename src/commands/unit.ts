/**
 * `research-room unit`: prints systemd units for the service with the given flags, for its backups and for drills of
 * Litestream's copy.
 */
import { resolve } from "node:path"
import { Command } from "commander"
import { isSecret, option, UsageError, wholeNumber } from "../settings.ts"
import { serveCommand } from "./serve.ts"
import { units, type UnitSettings } from "./units.ts"

interface Options {
  readonly program: string
  readonly user: string
  readonly backups: string
  readonly keepDays: number
  readonly data: string
  readonly replicated?: string
  readonly follow?: string
}

/** Checks that a value fits on one line, since a line break would begin another setting. @throws UsageError */
function onOneLine(value: string): string {
  if (/[\x00-\x1f\x7f]/.test(value)) throw new UsageError("A value in a unit cannot contain a line break.")
  return value
}

/** Returns the given flags of `serve` as environment variables; of secrets, only the names of their variables. */
function settingsOf(command: Command, options: Options): UnitSettings {
  const { data, replicated, user, backups, keepDays, program } = options
  const own = new Set(["program", "user", "backups", "keepDays", "data", "replicated"])
  const given = command.options.filter(
    (each) =>
      !own.has(each.attributeName()) &&
      ["cli", "env"].includes(command.getOptionValueSource(each.attributeName()) ?? ""),
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
    throw new UsageError(
      "A read-only copy runs beside its follower, each in a unit of its own: .github/replication.md has both commands.",
    )
  console.log(
    units(settingsOf(command, options))
      .map(({ file, text }) => `# /etc/systemd/system/${file}\n${text}`)
      .join("\n"),
  )
}

export function unitCommand(): Command {
  const served = serveCommand().options
  const made = new Command("unit").description(
    "print systemd units for the service with these flags, its backups, and drills of its copy",
  )
  for (const each of served)
    made.addOption(each.attributeName() === "data" ? each.default("/var/lib/research-room") : each)
  return made
    .addOption(option("--program <path>", "where the executable is installed").default("/usr/local/bin/research-room"))
    .addOption(option("--user <name>", "the system user that the service runs as").default("research-room"))
    .addOption(option("--backups <folder>", "folder for backups").default("/var/lib/research-room-backups"))
    .addOption(option("--keep-days <number>", "days to keep a backup").argParser(wholeNumber(1, 9_999)).default(30))
    .action((options: Options) => print(options, made))
}
