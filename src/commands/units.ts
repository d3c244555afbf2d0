/** The text of systemd's units. */
import { basename, dirname } from "node:path"

export interface Asked {
  readonly program: string
  readonly user: string
  readonly data: string
  readonly backups: string
  readonly keepDays: number
  /** Litestream's control socket, where the data is copied by it. */
  readonly replicated: string | undefined
  /** Variables and their values. */
  readonly settings: readonly (readonly [string, string])[]
  /** Variables that belong into the file of secrets. */
  readonly secrets: readonly string[]
}

export interface Unit {
  readonly file: string
  readonly text: string
}

const SECRETS = "/etc/research-room.env"
const LITESTREAM = "/usr/local/bin/litestream"
const CONFIGURATION = "/etc/litestream.yml"
const STATE = "/var/lib"
const HOMES = /^\/(?:home|root|run\/user)(?:\/|$)/

/** A word as systemd reads it: `%` begins a specifier and `$` a variable, but where it is doubled. */
const word = (text: string, inCommand = true): string => {
  const plain = text.replaceAll("%", "%%")
  const bare = inCommand ? plain.replaceAll("$", "$$$$") : plain
  return /^[\w@%+=:,./$-]+$/.test(bare) ? bare : `"${bare.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`
}

const lines = (...given: readonly (string | readonly string[] | null)[]): string => `${given.flatMap((line) => line ?? []).join("\n")}\n`

/** Folders that the service may write to: systemd makes those in its place for state, for this user alone. */
function folders(paths: readonly string[]): readonly string[] {
  const isState = (path: string) => dirname(path) === STATE
  const states = paths.filter(isState).map((path) => word(basename(path), false))
  const others = paths.filter((path) => !isState(path)).map((path) => word(path, false))
  return [
    ...(states.length === 0 ? [] : [`StateDirectory=${states.join(" ")}`, "StateDirectoryMode=0700"]),
    ...(others.length === 0 ? [] : [`ReadWritePaths=${others.join(" ")}`]),
  ]
}

/** Homes are out of sight, unless something that is needed lies in one. */
const homes = (paths: readonly string[]): string => `ProtectHome=${paths.some((path) => HOMES.test(path)) ? "no" : "yes"}`

function service({ program, user, data, backups, replicated, settings, secrets }: Asked): Unit {
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
            ...(dirname(dirname(replicated)) === "/run" ? [`RuntimeDirectory=${word(basename(dirname(replicated)), false)}`] : []),
          ],
      settings.map(([name, value]) => `Environment=${word(`${name}=${value}`, false)}`),
      `# Secrets (${secrets.join(", ")}), one a line, readable by root alone.`,
      `EnvironmentFile=-${SECRETS}`,
      `User=${word(user, false)}`,
      folders([data, backups]),
      ["UMask=0077", `Restart=${replicated === undefined ? "on-failure" : "always"}`, "RestartSec=2"],
      ["# Each connection is an open file; the service takes fewer where this is lower.", "LimitNOFILE=16384"],
      ["# A wrong flag does not get better by trying again.", "RestartPreventExitStatus=2"],
      ...(replicated === undefined
        ? []
        : [["# Where memory runs out both end at once: Litestream must not go on with what a killed service left.", "OOMPolicy=kill"]]),
      ["# Requests under way have ten seconds to end.", "TimeoutStopSec=30", ""],
      ["NoNewPrivileges=yes", "CapabilityBoundingSet=", "ProtectSystem=strict", homes(paths), "PrivateTmp=yes", "PrivateDevices=yes"],
      ["ProtectClock=yes", "ProtectHostname=yes", "ProtectKernelLogs=yes", "ProtectKernelModules=yes", "ProtectKernelTunables=yes"],
      ["ProtectControlGroups=yes", "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK", "RestrictNamespaces=yes"],
      ["RestrictRealtime=yes", "RestrictSUIDSGID=yes", "LockPersonality=yes", "SystemCallArchitectures=native"],
      ["# MemoryDenyWriteExecute must stay off: JavaScript is compiled while it runs.", ""],
      ["[Install]", "WantedBy=multi-user.target"],
    ),
  }
}

/** A unit that runs once, and the timer that starts it. */
function timed(name: string, what: string, when: string, run: readonly string[]): Unit[] {
  return [
    { file: `${name}.service`, text: lines(["[Unit]", `Description=${what}`, "", "[Service]", "Type=oneshot"], run) },
    {
      file: `${name}.timer`,
      text: lines(
        ["[Unit]", `Description=${what} ${when === "weekly" ? "every week" : "every night"}`, "", "[Timer]"],
        [`OnCalendar=${when}`, "RandomizedDelaySec=10min", "Persistent=yes", "", "[Install]", "WantedBy=timers.target"],
      ),
    },
  ]
}

/** What runs beside the service, as its user. */
const beside = ({ user, data, backups, program }: Asked, commands: readonly string[]): readonly string[] => [
  `User=${word(user, false)}`,
  ...folders([data, backups]),
  "UMask=0077",
  ...commands,
  "NoNewPrivileges=yes",
  "ProtectSystem=strict",
  homes([program, data, backups]),
  "PrivateTmp=yes",
]

/** A shell reads it, within what systemd reads: quotes within quotes are more than a path needs. */
const quoted = (path: string): string => (/^[\w@+=:,./-]+$/.test(path) ? path : `"${path.replace(/["\\$`]/g, "\\$&")}"`)

/** The service, its backups every night, and drills every week where its data is copied. */
export function units(asked: Asked): readonly Unit[] {
  const { program, data, backups, keepDays, replicated } = asked
  const script = `exec ${quoted(program)} backup ${quoted(backups)}/$(date +%Y-%m-%dT%H%M%S).db --data ${quoted(data)}`
  const backup = [
    `ExecStart=/bin/sh -c '${script.replaceAll("%", "%%").replaceAll("$", "$$$$").replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`,
    `ExecStartPost=/usr/bin/find ${word(backups)} -name *.db -mtime +${keepDays} -delete`,
  ]
  const database = `${data}/research-room.db`
  const drill = [
    `EnvironmentFile=-${SECRETS}`,
    `ExecStart=${word(program)} drill --config ${CONFIGURATION} --litestream ${LITESTREAM} --data ${word(data)} --max-age 60 ${word(database)}`,
  ]
  return [
    service(asked),
    ...timed("research-room-backup", "backup of research-room", "*-*-* 03:30:00", beside(asked, backup)),
    ...(replicated === undefined ? [] : timed("research-room-drill", "drill of research-room's copy", "weekly", beside(asked, drill))),
  ]
}
