/** Progress bars for long work. Without a terminal nothing is drawn. */
import type { OnProgress } from "../ledger/replay/replay.ts"

/** Shows a progress bar while work runs, from its first progress report on. */
export async function withProgress<T>(work: (onProgress: OnProgress) => T | Promise<T>): Promise<T> {
  const { progressBar } = await import("./progress-bar.ts")
  const bar = progressBar("{bar} {percentage}% | {step} | {eta_formatted} left")
  try {
    return await work((done, total, step) => {
      if (!bar.isActive) bar.start(total, done, { step })
      bar.update(done, { step })
    })
  } finally {
    bar.stop()
  }
}
