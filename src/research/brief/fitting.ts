/** The lists of a brief, its formats, and the choice of the items that fit into a number of bytes. */
import { type BriefList, briefLists } from "../../contract/answers/brief.ts"
import { each } from "../../contract/each.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"

/** The share of a brief that each list gets before the rest is distributed, in percent. */
const shares: Readonly<Record<BriefList, number>> = {
  stands: 30,
  disputes: 10,
  findings: 26,
  failures: 8,
  work: 5,
  claims: 3,
  next: 7,
  hypotheses: 8,
  openQuestions: 3,
}

/** A brief of a Room or of a Thread. */
export type Brief = AnswerOf<"room_brief"> | AnswerOf<"thread_brief">
export type Lists = Pick<Brief, BriefList>
export const emptyLists = (): Lists => each(briefLists, () => [])

/** A format of a brief. */
export interface BriefFormat {
  readonly write: (brief: Brief) => string
  /** The bytes that one item of a list adds. */
  readonly cost: <L extends BriefList>(list: L, item: Brief[L][number]) => number
}
export const asJson: BriefFormat = {
  write: JSON.stringify,
  cost: (_list, item) => Buffer.byteLength(JSON.stringify(item)) + 1,
}

/** Whether all items fit into a number of bytes. */
export function fits(lists: Lists, bytes: number, format: BriefFormat): boolean {
  let left = bytes
  const fit = <L extends BriefList>(list: L): boolean => {
    const items: readonly Lists[L][number][] = lists[list]
    return items.every((item) => (left -= format.cost(list, item)) >= 0)
  }
  return briefLists.every(fit)
}

/** Returns the items that fit into a number of bytes: each list fills its share, then the first lists get the rest. */
export function fitted(items: Lists, bytes: number, format: BriefFormat): Lists {
  const chosen = emptyLists()
  let left = bytes
  const fill = <L extends BriefList>(list: L, most: number): void => {
    let allowed = most
    const from: Lists[L] = items[list]
    const to: Lists[L][number][] = chosen[list]
    for (const item of from.slice(to.length)) {
      const cost = format.cost(list, item)
      if (cost > Math.min(allowed, left)) return
      to.push(item)
      allowed -= cost
      left -= cost
    }
  }
  for (const list of briefLists) fill(list, (bytes * shares[list]) / 100)
  for (const list of briefLists) fill(list, left)
  return chosen
}
