/**
 * `research-room unit`: prints systemd units for the service with the given flags, for its backups and for drills of
 * Litestream's copy.
 */
import { basename, dirname, resolve } from "node:path"
import { Command } from "commander"
import { isSecret, option, UsageError, wholeNumber } from "../settings.ts"
import { serveCommand } from "./serve.ts"

// The text of systemd units.

interface UnitSettings {
  readonly program: string
  readonly user: string
  readonly data: string
  readonly backups: string
  readonly keepDays: number
  /** Litestream's control socket, if it copies the data. */
  readonly replicated: string | undefined
  readonly settings: readonly (readonly [string, string])[]
  /** The variables that belong in the file of secrets. */
  readonly secrets: readonly string[]
}

interface Unit {
  readonly file: string
  readonly text: string
}

const SECRETS = "/etc/research-room.env"
const LITESTREAM = "/usr/local/bin/litestream"
const CONFIGURATION = "/etc/litestream.yml"
const STATE = "/var/lib"
const HOMES = /^\/(?:home|root|run\/user)(?:\/|$)/

/** Escapes a word for systemd, where `%` begins a specifier and `$` a variable unless doubled. */
const word = (text: string, inCommand = true): string => {
  const plain = text.replaceAll("%", "%%")
  const bare = inCommand ? plain.replaceAll("$", "$$$$") : plain
  return /^[\w@%+=:,./$-]+$/.test(bare) ? bare : `"${bare.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`
}

const lines = (...parts: readonly (string | readonly string[])[]): string => `${parts.flat().join("\n")}\n`

/** Settings for the folders that the service may write to. systemd creates those below /var/lib, for this user only. */
function folders(paths: readonly string[]): readonly string[] {
  const isState = (path: string) => dirname(path) === STATE
  const states = paths.filter(isState).map((path) => word(basename(path), false))
  const others = paths.filter((path) => !isState(path)).map((path) => word(path, false))
  return [
    ...(states.length === 0 ? [] : [`StateDirectory=${states.join(" ")}`, "StateDirectoryMode=0700"]),
    ...(others.length === 0 ? [] : [`ReadWritePaths=${others.join(" ")}`]),
  ]
}

/** Hides home directories, unless one of the paths is in them. */
const protectHome = (paths: readonly string[]): string =>
  `ProtectHome=${paths.some((path) => HOMES.test(path)) ? "no" : "yes"}`

function service({ program, user, data, backups, replicated, settings, secrets }: UnitSettings): Unit {
  const command = `${word(program)} serve --data ${word(data)}`
  const paths = [program, data, ...settings.map(([, value]) => value)]
  return {
    file: "research-room.service",
    text: lines(
      ["[Unit]", "Description=research-room", "Wants=network-online.target", "After=network-online.target", ""],
      "[Service]",
      replicated === undefined
        ? `ExecStart=${command}`
        : [
            `# In ${CONFIGURATION}, exec: ${program} serve --data ${data} --replicated ${replicated}`,
            `ExecStart=${LITESTREAM} replicate -config ${CONFIGURATION}`,
            ...(dirname(dirname(replicated)) === "/run"
              ? [`RuntimeDirectory=${word(basename(dirname(replicated)), false)}`]
              : []),
          ],
      settings.map(([name, value]) => `Environment=${word(`${name}=${value}`, false)}`),
      `# Secrets (${secrets.join(", ")}), one a line, readable by root alone.`,
      `EnvironmentFile=-${SECRETS}`,
      `User=${word(user, false)}`,
      folders([data, backups]),
      ["UMask=0077", `Restart=${replicated === undefined ? "on-failure" : "always"}`, "RestartSec=2"],
      [
        "# Each connection is an open file; with a lower limit the service takes fewer connections.",
        "LimitNOFILE=16384",
      ],
      ["# A restart does not correct a wrong flag.", "RestartPreventExitStatus=2"],
      ...(replicated === undefined
        ? []
        : [
            [
              "# If memory runs out, both end: Litestream must not go on with the log of a killed service.",
              "OOMPolicy=kill",
            ],
          ]),
      ["# Open requests have ten seconds to finish.", "TimeoutStopSec=30", ""],
      [
        "NoNewPrivileges=yes",
        "CapabilityBoundingSet=",
        "ProtectSystem=strict",
        protectHome(paths),
        "PrivateTmp=yes",
        "PrivateDevices=yes",
      ],
      [
        "ProtectClock=yes",
        "ProtectHostname=yes",
        "ProtectKernelLogs=yes",
        "ProtectKernelModules=yes",
        "ProtectKernelTunables=yes",
      ],
      [
        "ProtectControlGroups=yes",
        "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
        "RestrictNamespaces=yes",
      ],
      ["RestrictRealtime=yes", "RestrictSUIDSGID=yes", "LockPersonality=yes", "SystemCallArchitectures=native"],
      ["# MemoryDenyWriteExecute must stay off: JavaScript is compiled at run time.", ""],
      ["[Install]", "WantedBy=multi-user.target"],
    ),
  }
}

/** A unit that runs once, and the timer that starts it. */
function timed(name: string, description: string, when: string, run: readonly string[]): Unit[] {
  return [
    {
      file: `${name}.service`,
      text: lines(["[Unit]", `Description=${description}`, "", "[Service]", "Type=oneshot"], run),
    },
    {
      file: `${name}.timer`,
      text: lines(
        ["[Unit]", `Description=${description} ${when === "weekly" ? "every week" : "every night"}`, "", "[Timer]"],
        [`OnCalendar=${when}`, "RandomizedDelaySec=10min", "Persistent=yes", "", "[Install]", "WantedBy=timers.target"],
      ),
    },
  ]
}

/** Settings of a unit that runs beside the service, as its user. */
const beside = ({ user, data, backups, program }: UnitSettings, commands: readonly string[]): readonly string[] => [
  `User=${word(user, false)}`,
  ...folders([data, backups]),
  "UMask=0077",
  ...commands,
  "NoNewPrivileges=yes",
  "ProtectSystem=strict",
  protectHome([program, data, backups]),
  "PrivateTmp=yes",
]

/** Quotes a path for the shell. The command is quoted again for systemd. */
const quoted = (path: string): string => (/^[\w@+=:,./-]+$/.test(path) ? path : `"${path.replace(/["\\$`]/g, "\\$&")}"`)

/**
 * Returns the units for the service, for backups every night, and for drills every week if Litestream copies the data.
 */
function units(unit: UnitSettings): readonly Unit[] {
  const { program, data, backups, keepDays, replicated } = unit
  const script = `exec ${quoted(program)} backup ${quoted(backups)}/$(date +%Y-%m-%dT%H%M%S).db --data ${quoted(data)}`
  const backup = [
    `ExecStart=/bin/sh -c '${script
      .replaceAll("%", "%%")
      .replaceAll("$", "$$$$")
      .replaceAll("\\", "\\\\")
      .replaceAll("'", "\\'")}'`,
    `ExecStartPost=/usr/bin/find ${word(backups)} -name *.db -mtime +${keepDays} -delete`,
  ]
  const database = `${data}/research-room.db`
  const drill = [
    `EnvironmentFile=-${SECRETS}`,
    `ExecStart=${word(program)} drill --config ${CONFIGURATION} --litestream ${LITESTREAM} --data ${word(data)} ` +
      `--max-age 60 ${word(database)}`,
  ]
  return [
    service(unit),
    ...timed("research-room-backup", "backup of research-room", "*-*-* 03:30:00", beside(unit, backup)),
    ...(replicated === undefined
      ? []
      : timed("research-room-drill", "drill of research-room's copy", "weekly", beside(unit, drill))),
  ]
}

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
