/** Derives whether people can obtain a material from its location reports. */
import type { LocationState, Obtainability } from "../../contract/schema/enumerations.ts"

/** The parts of a report that count. */
export interface Report {
  readonly reporterId: string
  readonly uri: string
  readonly state: LocationState
  readonly observedDigest: string | null
}

const meanings: Record<LocationState, Obtainability> = {
  available: "obtainable",
  restricted: "restricted",
  unavailable: "unobtainable",
}
/** The states in order of precedence: the first that any report has decides. */
const order: readonly LocationState[] = ["available", "restricted", "unavailable"]

/**
 * Considers the newest report of each reporter on each URI. The material is `disputed` if reports on one URI disagree
 * about the state or the digest, or if a digest differs from the reference. Otherwise one URI that has it is enough.
 * @param reports oldest first
 * @param digest the digest in the reference, or null
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
    // A pinned reference has no digest, and each URI may have it packed differently.
    if (observedDigest !== (digest ?? digests.get(uri) ?? observedDigest)) return "disputed"
    digests.set(uri, observedDigest)
  }
  const reported = new Set(states.values())
  return meanings[order.find((state) => reported.has(state)) ?? "unavailable"]
}
