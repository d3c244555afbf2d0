/** The command line. One file a command in src/commands; here they are put together and their failures told. */
import { Command, CommanderError } from "commander"
import { commands, jobsCommand, keepCommand } from "./commands/all.ts"
import { workAsOwner } from "./commands/as-owner.ts"
import { begins } from "./commands/running.ts"
import { messageOf } from "./contract/faults.ts"
import { Refusal } from "./contract/refusals/refusal.ts"
import { oneLine, printable } from "./contract/text.ts"
import { ListenError } from "./http/server.ts"
import { isStorageFault } from "./ledger/storage/database.ts"
import { killFirst } from "./jobs/killed-first.ts"
import { DataError } from "./ledger/storage/opening.ts"
import { FailedError, refuseUnknownVariables, UsageError } from "./settings.ts"
import { softwareVersion } from "./version.ts"

// What is stored is for the user who runs this: digests of passwords and private Libraries are in it.
process.umask(0o077)

const program = new Command("research-room")
  .description("A self-hosted home for research Rooms: one executable, one file of data.")
  .version(softwareVersion, "--version", "print the version")
for (const command of commands()) program.addCommand(command)
for (const own of [jobsCommand(), keepCommand()]) program.addCommand(own, { hidden: true })

/** Reports a wrong call in one line, suggestions included. */
const onOneLine = (text: string) => `${oneLine(text)}\n`

/** Commander ends the process itself unless every command is set to throw. */
function throwInstead(command: Command): void {
  command.exitOverride().configureOutput({ outputError: (text, write) => write(onOneLine(text)) })
  command.commands.forEach(throwInstead)
}
throwInstead(program)
program.hook("preAction", (_program, command) => {
  refuseUnknownVariables(program, process.env)
  begins(command)
  workAsOwner(command.opts().data)
  // Commands on data, beside a service that has it.
  if (command.opts().data !== undefined && !["serve", "demo"].includes(command.name())) killFirst()
})
// Node would open a debugger's port.
if (process.platform !== "win32") process.on("SIGUSR1", () => {})

// The reader of the output may have closed it, as `head` does.
process.stdout.on("error", (error) => {
  if (!("code" in error && error.code === "EPIPE")) throw error
})

// Of titles, names and sentences of others, only what a terminal can show.
for (const name of ["log", "error"] as const) {
  const print = console[name]
  console[name] = (text: unknown) => print(printable(String(text)))
}

/** Ends with one sentence on standard error: 2 for a wrong call, 1 for a failure, 0 after help. */
function end(error: unknown): never {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2)
  if (error instanceof UsageError) {
    console.error(`research-room: ${error.message}`)
    process.exit(2)
  }
  if (isStorageFault(error)) {
    console.error(`research-room: The data cannot be read or written (${messageOf(error)}). Nothing was changed.`)
    process.exit(1)
  }
  const told = error instanceof FailedError || error instanceof DataError || error instanceof ListenError || error instanceof Refusal
  console.error(`research-room: ${told ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  process.exit(1)
}

program.parseAsync().catch(end)
