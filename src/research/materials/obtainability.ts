/** Whether people can get a material, as far as its location reports say. */
import type { LocationState, Obtainability } from "../../contract/schema/enumerations.ts"

/** What counts of a report. */
export interface Report {
  readonly reporterId: string
  readonly uri: string
  readonly state: LocationState
  readonly observedDigest: string | null
}

const meanings: Record<LocationState, Obtainability> = { available: "obtainable", restricted: "restricted", unavailable: "unobtainable" }
/** The report that says most about whether people can get it. */
const order: readonly LocationState[] = ["available", "restricted", "unavailable"]

/**
 * Derived from the newest report of each reporter on each URI. Reports on one URI that disagree (on the state, or on the digest
 * seen), or a digest that is not the one promised, make it `disputed`; else one place where it lies is enough: what is said of
 * two URIs is no dispute.
 * @param reports oldest first
 * @param digest what the reference promises, where it is a digest
 */
export function obtainabilityOf(reports: readonly Report[], digest: string | null): Obtainability {
  const newest = [...new Map(reports.map((report) => [`${report.reporterId} ${report.uri}`, report])).values()]
  if (newest.length === 0) return "unreported"
  const states = new Map<string, LocationState>()
  const digests = new Map<string, string>()
  for (const { uri, state, observedDigest } of newest) {
    if ((states.get(uri) ?? state) !== state) return "disputed"
    states.set(uri, state)
    if (observedDigest === null) continue
    // A pinned reference promises none, and may lie packed one way here and another way there.
    if (observedDigest !== (digest ?? digests.get(uri) ?? observedDigest)) return "disputed"
    digests.set(uri, observedDigest)
  }
  const told = new Set(states.values())
  return meanings[order.find((state) => told.has(state)) ?? "unavailable"]
}
