/** What a check found, and what it looked at. */

/** What can be wrong with a history, in one word each. */
export type FaultKind =
  | "receipt"
  | "replay"
  | "feed"
  | "chain"
  | "order"
  | "illegal"
  | "outcome"
  | "timeline"
  | "refusal"
  | "rehearsal"
  | "read"

export interface Fault {
  readonly kind: FaultKind
  readonly what: string
}

export class Findings {
  readonly faults: Fault[] = []
  readonly refusals = new Map<string, number>()
  accepted = 0
  replays = 0
  rehearsals = 0
  /** Deliveries that nobody was answered, and that were found there, or not. */
  unknownThere = 0
  unknownAbsent = 0
  reads = 0

  fault(kind: FaultKind, what: string): void {
    this.faults.push({ kind, what })
  }

  /** Reports a fault unless `holds`. */
  expect(holds: boolean, kind: FaultKind, what: () => string): void {
    if (!holds) this.fault(kind, what())
  }

  refused(code: string): void {
    this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1)
  }

  get operations(): number {
    return this.accepted + this.replays + this.rehearsals + this.reads + this.refusalCount
  }
  get refusalCount(): number {
    return [...this.refusals.values()].reduce((sum, count) => sum + count, 0)
  }

  /** Takes over what another check found. */
  add(other: Findings): void {
    this.faults.push(...other.faults)
    for (const [code, count] of other.refusals) this.refusals.set(code, (this.refusals.get(code) ?? 0) + count)
    for (const name of ["accepted", "replays", "rehearsals", "unknownThere", "unknownAbsent", "reads"] as const) this[name] += other[name]
  }
}
