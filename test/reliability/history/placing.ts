/**
 * Finds a place in the Room's sequence for every answer, so that what ended before something else began also comes
 * before it. Each takes the first place that explains it; since places only move forwards, a later one would never
 * help. Takes time linear in the length of the history.
 */
import type { FaultKind, Findings } from "./faults.ts"
import { firstWhere } from "./versions.ts"

export interface Placeable {
  readonly start: number
  readonly end: number
  readonly kind: FaultKind
  readonly name: () => string
  /** For an accepted write: its own sequence. */
  readonly sequence?: number
  /**
   * Why this could not have been the answer in the state after `position` writes; null if it could. Not called for
   * accepted writes.
   */
  readonly faultAt?: (position: number) => string | null
}

/** The last place that something which ended at `end` can have seen: later writes had not begun. */
function lastPlaces(items: readonly Placeable[], last: number): (end: number) => number {
  const writes = items.filter(({ sequence }) => sequence !== undefined).sort((one, other) => one.start - other.start)
  const leastFrom = new Array<number>(writes.length + 1).fill(last + 1)
  for (let index = writes.length - 1; index >= 0; index--)
    leastFrom[index] = Math.min(leastFrom[index + 1] as number, writes[index]?.sequence as number)
  return (end) => (leastFrom[firstWhere(writes, ({ start }) => start > end)] as number) - 1
}

/** Looks for a place starting at `floor`. @returns the place, or where it stopped and the objection to each */
function search(
  { faultAt = () => null }: Placeable,
  floor: number,
  ceiling: number,
): { place: number; against?: string[] } {
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
      findings.fault(
        item.kind,
        `${item.name()} fits nowhere between ${floor} and ${ceiling}: ${against.join("; ") || "there is no place"}`,
      )
  }
}
