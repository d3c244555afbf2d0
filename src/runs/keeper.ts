/**
 * A process between the program that reports and the command: it starts the command, and writes down how it ended. So the
 * outcome is kept even where the one that reports is killed.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { constants } from "node:os"
import { join } from "node:path"
import { isatty } from "node:tty"
import { markOfProcess, type ProcessMark, writeWhole } from "./files.ts"
import { isKeyOf } from "../contract/each.ts"

/** Signals that are passed on to the command. */
const passedOn = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const

/** What the keeper knows of the command. */
export interface Kept {
  readonly keeper: ProcessMark
  readonly startedAt: string | null
  /** Why it could not be started. */
  readonly failure: string | null
}

/** How the command ended. */
export interface Ending {
  readonly endedAt: string
  readonly code: number | null
  readonly signal: string | null
  /** A signal that was passed on to it before. */
  readonly asked: string | null
}

export const files = (run: string) => ({
  state: join(run, "run.json"),
  owner: join(run, "owner.json"),
  kept: join(run, "kept.json"),
  ending: join(run, "ending.json"),
  metrics: join(run, "metrics.jsonl"),
})

/** What a shell says of a command that ended so. */
export const exitCodeOf = ({ code, signal }: Pick<Ending, "code" | "signal">): number =>
  code ?? 128 + (signal !== null && isKeyOf(constants.signals, signal) ? constants.signals[signal] : 1)

/**
 * Hands signals on to a child for as long as this program runs.
 * What a terminal sends it sends to all of its programs: those need not be told again.
 * @param child asked for when a signal comes: who listens before the child begins can miss none that comes with its first words
 * @param noted told of each signal
 */
export function handOn(child: () => ChildProcess, noted: (signal: string) => void = () => undefined): void {
  for (const signal of passedOn) {
    process.on(signal, () => {
      noted(signal)
      const fromTerminal = isatty(0) && (signal === "SIGINT" || signal === "SIGQUIT")
      if (!fromTerminal) child().kill(signal)
    })
  }
}

/** Starts the command of a run and stays with it. @returns its exit code; 127 and 126, as a shell's, where it could not be started */
export function keep(run: string, reporter: number, [program = "", ...args]: readonly string[]): Promise<number> {
  // The one that reports was killed while this one came up: nobody was told that anything has begun.
  if (process.ppid !== reporter) return Promise.resolve(1)
  const at = files(run)
  const keeper = markOfProcess(process.pid)
  writeWhole(at.kept, { keeper, startedAt: null, failure: null } satisfies Kept)
  let asked: string | null = null
  return new Promise((resolve) => {
    handOn(
      () => command,
      (signal) => {
        asked ??= signal
      },
    )
    const command = spawn(program, args, {
      stdio: ["inherit", "inherit", "inherit"],
      env: { ...process.env, RESEARCH_ROOM_METRICS: at.metrics },
    })
    command.once("spawn", () => {
      writeWhole(at.kept, { keeper, startedAt: new Date().toISOString(), failure: null } satisfies Kept)
      process.send?.("started", () => undefined)
    })
    command.once("error", (error) => {
      const isThere = "code" in error && error.code !== "ENOENT"
      writeWhole(at.kept, { keeper, startedAt: null, failure: `${program} could not be started: ${error.message}` } satisfies Kept)
      resolve(isThere ? 126 : 127)
    })
    command.once("exit", (code, signal) => {
      const ending = { endedAt: new Date().toISOString(), code, signal, asked } satisfies Ending
      writeWhole(at.ending, ending)
      resolve(exitCodeOf(ending))
    })
    // Without the one that reports, the command goes on.
    process.on("disconnect", () => undefined)
  })
}
