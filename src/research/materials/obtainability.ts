/** Whether a material can be had, as far as its location reports say. */
import type { LocationState, Obtainability } from "../../contract/enumerations.ts"

/** What counts of a report. */
export interface Report {
  readonly reporterId: string
  readonly state: LocationState
  readonly observedDigest: string | null
}

const meanings: Record<LocationState, Obtainability> = { available: "obtainable", restricted: "restricted", unavailable: "unobtainable" }

/**
 * Derived from the newest report of each reporter: what they agree on, or `disputed`.
 * @param reports oldest first
 * @param digest what the reference promises, where it is a digest
 */
export function obtainabilityOf(reports: readonly Report[], digest: string | null): Obtainability {
  const newest = [...new Map(reports.map((report) => [report.reporterId, report])).values()]
  const [first, ...others] = newest
  if (first === undefined) return "unreported"
  const seen = newest.flatMap(({ observedDigest }) => (observedDigest === null ? [] : [observedDigest]))
  const promised = digest ?? seen[0]
  if (seen.some((observed) => observed !== promised)) return "disputed"
  return others.every(({ state }) => state === first.state) ? meanings[first.state] : "disputed"
}
