/** How the story's sentences come by their numbers: computed from what runs measured, shown to three decimals, never typed. */
import type { Attempt } from "./lab.ts"
import type { Measure, Split } from "./problems.ts"

const DIGITS = 3

/** A number as it stands in a sentence. */
export const shown = (value: number): string => value.toFixed(DIGITS)

/** The mean over runs of what each measured, to the digits that are shown, so that a reader's own subtraction comes out. */
export function mean(attempts: readonly Attempt[], name: Measure, at?: { step?: number; split?: Split }): number {
  const sum = attempts.reduce((total, attempt) => total + attempt.value(name, at), 0)
  return Number((sum / attempts.length).toFixed(DIGITS))
}

/** "A1 to A5", or "A7, A8 and A9" where they do not follow each other. */
export function named(attempts: readonly Attempt[]): string {
  const labels = attempts.map(({ label }) => label)
  return labels.length < 2 ? `${labels}` : `${labels.slice(0, -1).join(", ")} and ${labels.at(-1)}`
}
