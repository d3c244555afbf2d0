/** The bar of work that takes long, on the terminal; where none is attached, nothing is drawn. */
import { SingleBar } from "cli-progress"
import type { OnProgress } from "../ledger/replay/replay.ts"

/** @param format what stands in the line; `{bar}` is the bar itself */
export const progressBar = (format: string): SingleBar =>
  new SingleBar({
    format,
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
    etaBuffer: 100,
    fps: 5,
    barCompleteChar: "█",
    barIncompleteChar: "░",
  })

/** The bar of a check, drawn once there is something to tell. */
export function checkingBar(): { update: OnProgress; stop(): void } {
  const bar = progressBar("{bar} {percentage}% | {what} | {eta_formatted} left")
  return {
    update(done, total, what) {
      if (!bar.isActive) bar.start(total, done, { what })
      bar.update(done, { what })
    },
    stop: () => bar.stop(),
  }
}
