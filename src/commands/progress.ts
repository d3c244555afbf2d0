/** Progress bars for long work. Without a terminal nothing is drawn. */
import type { SingleBar } from "cli-progress"
import type { OnProgress } from "../ledger/replay/replay.ts"

/** Makes a bar. Its package is loaded when one is needed. @param format the line; `{bar}` is the bar itself */
export async function progressBar(format: string): Promise<SingleBar> {
  const { SingleBar } = await import("cli-progress")
  return new SingleBar({
    format,
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
    etaBuffer: 100,
    fps: 5,
    barCompleteChar: "█",
    barIncompleteChar: "░",
  })
}

/** Shows a progress bar while work runs, from its first progress report on. */
export async function withProgress<T>(work: (onProgress: OnProgress) => T | Promise<T>): Promise<T> {
  const bar = await progressBar("{bar} {percentage}% | {step} | {eta_formatted} left")
  try {
    return await work((done, total, step) => {
      if (!bar.isActive) bar.start(total, done, { step })
      bar.update(done, { step })
    })
  } finally {
    bar.stop()
  }
}
