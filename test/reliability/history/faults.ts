/** The faults found by a check, and what it looked at. */

/** The kinds of faults in a history, one word each. */
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
  /** Unanswered deliveries that were found stored, or not. */
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

  /** Adds the findings of another check. */
  add(other: Findings): void {
    this.faults.push(...other.faults)
    for (const [code, count] of other.refusals) this.refusals.set(code, (this.refusals.get(code) ?? 0) + count)
    for (const name of ["accepted", "replays", "rehearsals", "unknownThere", "unknownAbsent", "reads"] as const)
      this[name] += other[name]
  }
}
