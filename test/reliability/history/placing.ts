/**
 * Finds for everything that was answered a place in the sequence of the Room, such that what ended before something else
 * began also stands before it. Each takes the first place that explains it; since places only move onwards, a later one
 * would never serve anybody better. Takes as long as the history is, not longer.
 */
import type { FaultKind, Findings } from "./faults.ts"
import { firstWhere } from "./versions.ts"

export interface Placeable {
  readonly start: number
  readonly end: number
  readonly kind: FaultKind
  readonly name: () => string
  /** Of an accepted write: its own sequence. */
  readonly sequence?: number
  /** Why it could not have been answered so in the state after `position` writes; null when it could. Not asked of accepted writes. */
  readonly faultAt?: (position: number) => string | null
}

/** The last place that something which ended at `end` can have seen: what began later was not there yet. */
function lastPlaces(items: readonly Placeable[], last: number): (end: number) => number {
  const writes = items.filter(({ sequence }) => sequence !== undefined).sort((one, other) => one.start - other.start)
  const leastFrom = new Array<number>(writes.length + 1).fill(last + 1)
  for (let index = writes.length - 1; index >= 0; index--)
    leastFrom[index] = Math.min(leastFrom[index + 1] as number, writes[index]?.sequence as number)
  return (end) => (leastFrom[firstWhere(writes, ({ start }) => start > end)] as number) - 1
}

/** Looks for a place from `floor` on. @returns the place, or where it stayed with what speaks against each */
function search({ faultAt = () => null }: Placeable, floor: number, ceiling: number): { place: number; against?: string[] } {
  const against: string[] = []
  for (let place = floor; place <= ceiling; place++) {
    const fault = faultAt(place)
    if (fault === null) return { place }
    if (against.length < 6) against.push(`after ${place}: ${fault}`)
  }
  return { place: floor, against }
}

export function placeAll(items: readonly Placeable[], last: number, findings: Findings): void {
  const ceilingOf = lastPlaces(items, last)
  const begun = [...items].sort((one, other) => one.start - other.start)
  const ended = items.filter(({ end }) => end !== Infinity).sort((one, other) => one.end - other.end)
  const places = new Map<Placeable, number>()
  let [floor, next] = [0, 0]
  for (const item of begun) {
    for (let over = ended[next]; over !== undefined && over.end < item.start; over = ended[++next])
      floor = Math.max(floor, places.get(over) ?? 0)
    if (item.sequence !== undefined) {
      const { sequence, name } = item
      findings.expect(
        sequence > floor,
        "order",
        () => `${name()} has sequence ${sequence}, though what stands at ${floor} had ended before it began`,
      )
      places.set(item, sequence)
      continue
    }
    const ceiling = ceilingOf(item.end)
    const { place, against } = search(item, floor, ceiling)
    places.set(item, place)
    if (against !== undefined)
      findings.fault(item.kind, `${item.name()} fits nowhere between ${floor} and ${ceiling}: ${against.join("; ") || "there is no place"}`)
  }
}
