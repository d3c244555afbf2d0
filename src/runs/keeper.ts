/**
 * The keeper: a process between the reporting program and the command. It starts the command and records how it ended,
 * so the outcome is kept even if the reporting program is killed.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { constants } from "node:os"
import { join } from "node:path"
import { isatty } from "node:tty"
import { markOfProcess, type ProcessMark, writeWhole } from "./files.ts"
import { isKeyOf } from "../contract/each.ts"
import { codeOf } from "../contract/faults.ts"

const forwarded = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const

/** What the keeper records about the command. */
export interface Kept {
  readonly keeper: ProcessMark
  readonly startedAt: string | null
  /** Why the command could not be started; null if it could. */
  readonly failure: string | null
}

/** How the command ended. */
export interface Ending {
  readonly endedAt: string
  readonly code: number | null
  readonly signal: string | null
  /** The first signal that was forwarded to it. */
  readonly asked: string | null
}

/** The state of a run, apart from the requests that wait. */
export interface RunState {
  readonly attemptId: string
  readonly experimentId: string
  /** The digest of the credential that registered the attempt. */
  readonly credential: string
  readonly isReproduction: boolean
  /** Files whose digests are reported with the outcome. */
  readonly outputs: readonly { readonly label: string; readonly file: string }[]
  label: string | null
  /** Revision and status of the attempt after the last delivered request. */
  revision: number
  status: string
  /** Bytes of the metrics file that were reported. */
  metricsThrough: number
  next: number
  /** The last stage that was reported. */
  said: "registered" | "started" | "ended"
}

/** The files in the folder of a run. */
export const files = (run: string) => ({
  state: join(run, "run.json"),
  owner: join(run, "owner.json"),
  kept: join(run, "kept.json"),
  ending: join(run, "ending.json"),
  metrics: join(run, "metrics.jsonl"),
})

/** Returns the exit code that a shell would return. */
export const exitCodeOf = ({ code, signal }: Pick<Ending, "code" | "signal">): number =>
  code ?? 128 + (signal !== null && isKeyOf(constants.signals, signal) ? constants.signals[signal] : 1)

/**
 * Forwards signals to a child for as long as this program runs. A terminal sends its signals to the child itself.
 * @param child called when a signal arrives, so that this function can be called before the child is started and no
 * signal is missed
 * @param onSignal called for each signal
 */
export function forwardSignals(child: () => ChildProcess, onSignal: (signal: string) => void = () => undefined): void {
  for (const signal of forwarded) {
    process.on(signal, () => {
      onSignal(signal)
      const fromTerminal = isatty(0) && (signal === "SIGINT" || signal === "SIGQUIT")
      if (!fromTerminal) child().kill(signal)
    })
  }
}

/**
 * Starts the command of a run and waits for its end. @returns its exit code; like a shell, 127 or 126 if it could not
 * be started
 */
export function keep(run: string, reporter: number, [program = "", ...args]: readonly string[]): Promise<number> {
  // The reporting program was killed while this process started, so the start of the run was never reported.
  if (process.ppid !== reporter) return Promise.resolve(1)
  const at = files(run)
  const keeper = markOfProcess(process.pid)
  writeWhole(at.kept, { keeper, startedAt: null, failure: null } satisfies Kept)
  let asked: string | null = null
  return new Promise((resolve) => {
    forwardSignals(
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
      const exists = codeOf(error) !== "ENOENT"
      writeWhole(at.kept, {
        keeper,
        startedAt: null,
        failure: `${program} could not be started: ${error.message}`,
      } satisfies Kept)
      resolve(exists ? 126 : 127)
    })
    command.once("exit", (code, signal) => {
      const ending = { endedAt: new Date().toISOString(), code, signal, asked } satisfies Ending
      writeWhole(at.ending, ending)
      resolve(exitCodeOf(ending))
    })
    // The command goes on if the reporting program is killed.
    process.on("disconnect", () => undefined)
  })
}
