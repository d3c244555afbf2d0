/** The lists of a brief, the forms they are written in, and how many items of each fit into so many bytes. */
import { type BriefList, briefLists } from "../../contract/answers/brief.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"

/** The share of a brief that each list has before the others take what is left, in parts of a hundred. */
const shares: Readonly<Record<BriefList, number>> = {
  stands: 22,
  hypotheses: 20,
  findings: 14,
  failures: 10,
  disputes: 8,
  work: 7,
  claims: 4,
  next: 10,
  openQuestions: 5,
}

/** What a brief holds. */
export type Brief = AnswerOf<"room_brief"> | AnswerOf<"thread_brief">
export type Lists = Pick<Brief, BriefList>
export type Makers = { readonly [L in BriefList]: (characters: number) => Lists[L] }
export const nothing = (): Lists => ({
  stands: [],
  hypotheses: [],
  findings: [],
  failures: [],
  disputes: [],
  work: [],
  claims: [],
  next: [],
  openQuestions: [],
})

/** A form that a brief is written in. */
export interface Form {
  readonly write: (brief: Brief) => string
  /** The bytes that one item of a list adds. */
  readonly cost: <L extends BriefList>(list: L, item: Brief[L][number]) => number
}
export const asJson: Form = { write: JSON.stringify, cost: (_list, item) => Buffer.byteLength(JSON.stringify(item)) + 1 }

/** The items of all lists, their texts cut to so many characters. */
export const itemsOf = (
  { stands, hypotheses, findings, failures, disputes, work, claims, next, openQuestions }: Makers,
  most: number,
): Lists => ({
  stands: stands(most),
  hypotheses: hypotheses(most),
  findings: findings(most),
  failures: failures(most),
  disputes: disputes(most),
  work: work(most),
  claims: claims(most),
  next: next(most),
  openQuestions: openQuestions(most),
})

/** Whether all items fit into so many bytes. */
export function isRoomFor(lists: Makers, length: number, bytes: number, form: Form): boolean {
  let left = bytes
  return briefLists.every((list) =>
    lists[list](length).every((item) => {
      left -= form.cost(list, item)
      return left >= 0
    }),
  )
}

/** As many items as fit into so many bytes: of each list its share, then more of the first lists. */
export function fitted(items: Lists, bytes: number, form: Form): Lists {
  const told = nothing()
  let left = bytes
  const tell = <L extends BriefList>(list: L, most: number): void => {
    let allowed = most
    const from: Lists[L] = items[list]
    const to: Lists[L][number][] = told[list]
    for (const item of from.slice(to.length)) {
      const cost = form.cost(list, item)
      if (cost > Math.min(allowed, left)) return
      to.push(item)
      allowed -= cost
      left -= cost
    }
  }
  for (const list of briefLists) tell(list, (bytes * shares[list]) / 100)
  for (const list of briefLists) tell(list, left)
  return told
}
