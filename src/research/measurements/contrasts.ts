/** A key for what an effect compares, the same for two effects of the same metric and groups in either direction. */
import { canonicalJson, digestOf } from "../../contract/json.ts"
import { type Dimensions, textOf } from "./cells.ts"

interface Compared {
  readonly metric: string
  readonly split?: string | undefined
  readonly of: Dimensions
  readonly against: Dimensions
  readonly where?: Dimensions | undefined
}

/** The canonical text of a group and the place it is compared at. Values become texts, because 400 and "400" are equal. */
const placed = (group: Dimensions, where: Dimensions): string =>
  canonicalJson(Object.fromEntries(Object.entries({ ...where, ...group }).map(([name, value]) => [name, textOf(value)])))

export interface ContrastKey {
  /** The same for two effects that compare the same groups of the same metric. */
  readonly key: string
  /** Whether the key has its sides swapped; an estimate then has the opposite sign. */
  readonly isReversed: boolean
  /** Whether both sides are the same group. */
  readonly isEmpty: boolean
}

export function contrastOf({ metric, split = "", of, against, where = {} }: Compared): ContrastKey {
  const [one, other] = [placed(of, where), placed(against, where)]
  const isReversed = one > other
  const key = digestOf(canonicalJson([metric, split, ...(isReversed ? [other, one] : [one, other])]))
  return { key, isReversed, isEmpty: one === other }
}
