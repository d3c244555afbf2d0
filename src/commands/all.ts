/** All commands of the program, in the order of its help. */
import { Command } from "commander"
import { packaged, softwareVersion } from "../packaged.ts"
import { auditCommand, userCommand } from "./user.ts"
import { backupCommand, restoreCommand, drillCommand } from "./copies.ts"
import { checkCommand } from "./check.ts"
import { connectCommand, inboxCommand, mcpCommand, metricsCommand } from "./remote.ts"
import { credentialCommand } from "./credential.ts"
import { demoCommand, serveCommand } from "./serve.ts"
import { exportCommand, importCommand, roomCommand } from "./room.ts"
import { keyCommand, papersCommand } from "./library.ts"
import { unitCommand } from "./unit.ts"
import { withholdCommand } from "./withhold.ts"

const makers: Readonly<Record<string, () => Command>> = {
  serve: serveCommand,
  unit: unitCommand,
  demo: demoCommand,
  user: userCommand,
  room: roomCommand,
  withhold: withholdCommand,
  credential: credentialCommand,
  key: keyCommand,
  audit: auditCommand,
  papers: papersCommand,
  backup: backupCommand,
  restore: restoreCommand,
  check: checkCommand,
  drill: drillCommand,
  export: exportCommand,
  import: importCommand,
  connect: connectCommand,
  mcp: mcpCommand,
  inbox: inboxCommand,
  metrics: metricsCommand,
  licences: () =>
    new Command("licences")
      .description("print what is built into the program, with the licences and notices of its authors")
      .action(() => void process.stdout.write(packaged("dist/licences.txt"))),
  version: () => new Command("version").description("print the version").action(() => console.log(softwareVersion)),
}

/** @param only the name of the one that is needed; all are made if there is none of that name */
export function commands(only?: string): readonly Command[] {
  const one = only !== undefined && Object.hasOwn(makers, only) ? makers[only] : undefined
  return one === undefined ? Object.values(makers).map((make) => make()) : [one()]
}

/** The commands with which the program starts itself, for work that may cost too much. */
export const internalCommands = (): readonly Command[] => [
  new Command("jobs").argument("<megabytes>").action(async (megabytes: string) => {
    const [{ hostJobs }, { loadEngine }] = await Promise.all([
      import("../jobs/job.ts"),
      import("../ledger/storage/opening.ts"),
    ])
    // The worker thread uses the SQLite engine that this process has loaded.
    loadEngine()
    hostJobs(Number(megabytes))
  }),
]
