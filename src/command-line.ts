/**
 * Assembles the command line from the commands in src/commands, and reports their failures. It loads what a command
 * needs beyond its options only when the command runs (`test/build/loaded.test.ts`).
 */
import { Command, CommanderError } from "commander"
import { commands, internalCommands } from "./commands/all.ts"
import { noteRunningCommand, workAsOwner } from "./commands/terminal.ts"
import { codeOf, FailedError, messageOf, Refusal } from "./contract/refusals.ts"
import { oneLine, printable } from "./contract/text.ts"
import { hasSettings, proxyNote, refuseUnknownVariables, UsageError } from "./settings.ts"
import { softwareVersion } from "./packaged.ts"

// Only the user who runs this may read the data: it holds password digests and private Libraries.
process.umask(0o077)

const program = new Command("research-room")
  .description("A self-hosted home for research Rooms: one executable, one file of data.")
  .version(softwareVersion, "--version", "print the version")
// The others take as long to make as a quarter of the service. Settings in the environment may be any command's.
const only = hasSettings(process.env) ? undefined : process.argv[2]
for (const command of commands(only)) program.addCommand(command)
for (const internal of internalCommands()) program.addCommand(internal, { hidden: true })

/** Makes Commander throw instead of ending the process, and report a usage error in one line, with its suggestions. */
function throwInstead(command: Command): void {
  command.exitOverride().configureOutput({ outputError: (text, write) => write(`${oneLine(text)}\n`) })
  command.commands.forEach(throwInstead)
}
throwInstead(program)
program.hook("preAction", async (_program, command) => {
  refuseUnknownVariables(program, process.env)
  noteRunningCommand(command)
  workAsOwner(command.opts().data)
  // A command on the data of a running service should be the first to be killed when memory runs out.
  if (command.opts().data === undefined || ["serve", "demo"].includes(command.name())) return
  const { killFirst } = await import("./jobs/child.ts")
  killFirst()
})
// By default Node opens a debugger port on this signal.
if (process.platform !== "win32") process.on("SIGUSR1", () => {})

// The reader of the output may close it early, as `head` does.
process.stdout.on("error", (error) => {
  if (!("code" in error && error.code === "EPIPE")) throw error
})

// Titles and names written by others may contain control characters.
for (const name of ["log", "error"] as const) {
  const print = console[name]
  console[name] = (text: unknown) => print(printable(String(text)))
}

/** Whether the database says that the storage failed. Without its codes, the database is not loaded to find out. */
const isStorageFault = async (error: unknown): Promise<boolean> =>
  codeOf(error).startsWith("SQLITE_") && (await import("./ledger/storage/database.ts")).isStorageFault(error)

/** Prints one sentence to standard error and exits: with 2 after a usage error, 1 after a failure, 0 after help. */
async function end(error: unknown): Promise<never> {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2)
  if (error instanceof UsageError) {
    console.error(`research-room: ${error.message}`)
    process.exit(2)
  }
  if (await isStorageFault(error)) {
    console.error(`research-room: The data cannot be read or written (${messageOf(error)}). Nothing was changed.`)
    process.exit(1)
  }
  const isExpected = error instanceof FailedError || error instanceof Refusal
  console.error(
    `research-room: ${
      isExpected ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)
    }${proxyNote()}`,
  )
  process.exit(1)
}

program.parseAsync().catch(end)
