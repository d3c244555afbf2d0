/**
 * Ranks the groups of a board and decides whether the lead of the first is real. Pure, and tested on simulated groups.
 */
import type { BoardAnswer } from "../../contract/answers/boards.ts"
import { type Dimensions, matchesPlace } from "../measurements/cells.ts"
import { leadInWords, placeInWords } from "../measurements/in-words.ts"
import { type Contrast, halfWidth, LEVEL } from "../measurements/statistics.ts"
import { contrasted, type Group, nearestOf } from "../measurements/table.ts"
import type { Declared } from "./boards.ts"

/** The dimensions whose groups are ranked. */
export const rankedBy = ({ by = ["arm"] }: Pick<Declared, "by">): readonly string[] => by

/** The difference between the first group and the next, with an interval that allows for every pair of groups. */
export type Lead = NonNullable<BoardAnswer["lead"]> & Pick<Contrast, "pairs" | "pairedAcross"> & { readonly se: number }
type Ranking = ReturnType<typeof ranked>

type Better = Declared["direction"]

/**
 * The significance level of the lead, corrected for all pairs: any two groups could have been the first and the next.
 */
const levelFor = (groups: number): number => LEVEL / Math.max(1, (groups * (groups - 1)) / 2)

function leadOf(first: Group, next: Group, groups: number): Lead | null {
  const difference = first.side.less(next.side)
  if (difference === null) return null
  const { method, estimate, se, df, pairs, belowNoise, pairedAcross } = difference
  if (se === null || df === null) return null
  const level = levelFor(groups)
  const half = halfWidth(se, df, level)
  return {
    of: first.key,
    against: next.key,
    method,
    estimate,
    se,
    low: estimate - half,
    high: estimate + half,
    level,
    pairs,
    belowNoise,
    pairedAcross,
  }
}

/**
 * Ranks groups by their means; those without a finite value come last. There is a best one only if the interval of the
 * lead excludes zero.
 */
export function ranked(groups: readonly Group[], direction: Better) {
  const sign = direction === "lower" ? 1 : -1
  const inOrder = groups.toSorted((one, other) => {
    if (one.summary === null || other.summary === null)
      return Number(one.summary === null) - Number(other.summary === null)
    return sign * (one.summary.mean - other.summary.mean)
  })
  const measured = inOrder.filter(({ summary }) => summary !== null)
  const [first, next] = measured
  const lead = first === undefined || next === undefined ? null : leadOf(first, next, measured.length)
  const isNear = lead?.pairedAcross == null
  const isDistinct = lead !== null && isNear && sign * (direction === "lower" ? lead.high : lead.low) < 0
  return { groups: inOrder, lead, best: isDistinct ? lead.of : null }
}

/** Adds to each group its difference from the baseline, corrected for the number of groups. */
export function against(groups: readonly Group[], baseline: Dimensions | undefined): readonly Group[] {
  const bases = baseline === undefined ? [] : groups.filter(({ key }) => matchesPlace(key, baseline))
  if (bases.length === 0) return groups
  const marked = groups.map((group) => ({ ...group, isBaseline: bases.includes(group) }))
  return contrasted(marked, (group) => (group.isBaseline ? undefined : nearestOf(group, bases)))
}

/** Names the best group, or says why there is none. */
export function sentenceOf({ groups, lead, best }: Ranking, units: readonly string[]): string {
  const measured = groups.filter(({ summary }) => summary !== null)
  if (units.length > 1)
    return `No group is named best: attempts report the metric in different units, ${units.slice(0, 5).join(" and ")}.`
  const [first] = measured
  if (first === undefined) return "No attempt with this evaluator and this data has reported the metric yet."
  if (measured.length === 1) return `${placeInWords(first.key)} is alone on the board.`
  if (lead === null) return "No clear winner: one value has no spread."
  const ahead = leadInWords(lead, units[0] ?? null)
  return best === null
    ? `No clear winner: ${placeInWords(lead.of)} ahead of ${placeInWords(lead.against)} ${ahead}.`
    : `${placeInWords(best)} is best, ahead of ${placeInWords(lead.against)} ${ahead}. ` +
        `The interval allows for ${measured.length} groups.`
}
