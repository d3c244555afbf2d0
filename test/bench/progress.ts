/** How far the run is, on standard error where that is a terminal; silent elsewhere, where the tables tell as they come. */
import { Presets, SingleBar } from "cli-progress"

const bar = new SingleBar(
  { format: "{bar} {percentage} % of {part}: {now}", hideCursor: true, clearOnComplete: true, stream: process.stderr, etaBuffer: 1 },
  Presets.shades_classic,
)

export interface Progress {
  /** One step more is about to begin. */
  step(now: string): void
  end(): void
}

/** Follows a part of so many steps. */
export function progress(part: string, steps: number): Progress {
  if (!process.stderr.isTTY) return { step: () => undefined, end: () => undefined }
  bar.start(steps, 0, { part, now: "" })
  let begun = 0
  return {
    step: (now) => bar.update(Math.min(begun++, steps), { now }),
    end: () => bar.stop(),
  }
}
