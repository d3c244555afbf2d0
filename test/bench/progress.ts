/**
 * The progress of the run, on standard error if that is a terminal; silent otherwise, where the tables appear as they
 * are ready.
 */
import { Presets, SingleBar } from "cli-progress"

const bar = new SingleBar(
  {
    format: "{bar} {percentage} % of {part}: {now}",
    hideCursor: true,
    clearOnComplete: true,
    stream: process.stderr,
    etaBuffer: 1,
  },
  Presets.shades_classic,
)

export interface Progress {
  /** The next step is about to begin. */
  step(now: string): void
  end(): void
}

/** Tracks a part with this many steps. */
export function progress(part: string, steps: number): Progress {
  if (!process.stderr.isTTY) return { step: () => undefined, end: () => undefined }
  bar.start(steps, 0, { part, now: "" })
  let begun = 0
  return {
    step: (now) => bar.update(Math.min(begun++, steps), { now }),
    end: () => bar.stop(),
  }
}
