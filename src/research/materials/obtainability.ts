/** Whether a material can be had, as far as its location reports say. */
import type { LocationState, Obtainability } from "../../contract/enumerations.ts"

/** What counts of a report. */
export interface Report {
  readonly reporterId: string
  readonly uri: string
  readonly state: LocationState
  readonly observedDigest: string | null
}

const meanings: Record<LocationState, Obtainability> = { available: "obtainable", restricted: "restricted", unavailable: "unobtainable" }
/** What says most about whether it can be had. */
const order: readonly LocationState[] = ["available", "restricted", "unavailable"]

/**
 * Derived from the newest report of each reporter on each URI. Reports on one URI that disagree, or a digest that is not the
 * one promised, make it `disputed`; else one place where it lies is enough.
 * @param reports oldest first
 * @param digest what the reference promises, where it is a digest
 */
export function obtainabilityOf(reports: readonly Report[], digest: string | null): Obtainability {
  const newest = [...new Map(reports.map((report) => [`${report.reporterId} ${report.uri}`, report])).values()]
  if (newest.length === 0) return "unreported"
  const seen = newest.flatMap(({ observedDigest }) => (observedDigest === null ? [] : [observedDigest]))
  const promised = digest ?? seen[0]
  if (seen.some((observed) => observed !== promised)) return "disputed"
  const states = new Map<string, LocationState>()
  for (const { uri, state } of newest) {
    if ((states.get(uri) ?? state) !== state) return "disputed"
    states.set(uri, state)
  }
  const told = new Set(states.values())
  return meanings[order.find((state) => told.has(state)) ?? "unavailable"]
}
