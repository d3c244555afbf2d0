/** Who is first on a board, and whether that can be told: pure, and tried in simulated fields. */
import { type Dimensions, standsAt } from "../measurements/cells.ts"
import { figure, interval } from "../measurements/figures.ts"
import { placeInWords } from "../measurements/in-words.ts"
import { halfWidth, holm, LEVEL } from "../measurements/statistics.ts"
import { type Contrast, differenceOf, type Group } from "../measurements/table.ts"
import type { Declared } from "./boards.ts"

/** The dimensions that tell apart what is ranked. */
export const rankedBy = ({ by = ["arm"] }: Pick<Declared, "by">): readonly string[] => by

/** The first group less the next, with an interval that allows for every pair of groups that could have come first. */
export interface Lead {
  readonly of: Dimensions
  readonly against: Dimensions
  readonly method: "paired" | "welch"
  readonly estimate: number
  readonly se: number
  readonly low: number
  readonly high: number
  readonly level: number
  readonly pairs: number | null
}
export interface Ranking {
  /** In the order of their ranks; those without a finite value last. */
  readonly groups: readonly Group[]
  readonly lead: Lead | null
  readonly best: Dimensions | null
}

type Better = Declared["direction"]

/** The level at which the first is compared with the next: either could have been any of the groups. */
const levelFor = (groups: number): number => LEVEL / Math.max(1, (groups * (groups - 1)) / 2)

function leadOf(first: Group, next: Group, groups: number): Lead | null {
  const difference = differenceOf(first.points, next.points)
  if (difference === null) return null
  const { method, estimate, se, df, pairs } = difference
  if (se === null || df === null) return null
  const level = levelFor(groups)
  const half = halfWidth(se, df, level)
  return { of: first.key, against: next.key, method, estimate, se, low: estimate - half, high: estimate + half, level, pairs }
}

/** Ranks groups by their means. A best one is named only where the interval of its lead excludes zero. */
export function ranked(groups: readonly Group[], direction: Better): Ranking {
  const sign = direction === "lower" ? 1 : -1
  const inOrder = groups.toSorted((one, other) => {
    if (one.summary === null || other.summary === null) return Number(one.summary === null) - Number(other.summary === null)
    return sign * (one.summary.mean - other.summary.mean)
  })
  const told = inOrder.filter(({ summary }) => summary !== null)
  const [first, next] = told
  const lead = first === undefined || next === undefined ? null : leadOf(first, next, told.length)
  const isTold = lead !== null && sign * (direction === "lower" ? lead.high : lead.low) < 0
  return { groups: inOrder, lead, best: isTold ? lead.of : null }
}

/** The groups with their differences to the baseline, corrected for their number. */
export function against(groups: readonly Group[], baseline: Dimensions | undefined): Group[] {
  const base = baseline && groups.find(({ key }) => standsAt(key, baseline))
  if (base === undefined) return [...groups]
  const differences = groups.map((group) => (group === base ? null : differenceOf(group.points, base.points)))
  const compared = differences.filter((difference) => difference !== null)
  const corrected = new Map(holm(compared).map((each, index) => [compared[index], each]))
  return groups.map((group, index) => {
    const difference = differences[index] ?? null
    const contrast: Contrast | null = difference && { ...difference, corrected: corrected.get(difference) ?? null }
    return { ...group, isBaseline: group === base, contrast }
  })
}

const percent = (level: number): string => `${Number(((1 - level) * 100).toPrecision(4))} %`

/** Who is best, or why nobody is named. */
export function sentenceOf({ groups, lead, best }: Ranking, units: readonly string[]): string {
  const told = groups.filter(({ summary }) => summary !== null)
  if (units.length > 1) return `Nobody is named: attempts report it in different units, ${units.slice(0, 5).join(" and ")}.`
  const [first] = told
  if (first === undefined) return "No attempt that is pinned to the evaluator and the data has reported it yet."
  if (told.length === 1) return `${placeInWords(first.key)} is alone on the board.`
  if (lead === null) return "Not told apart: one value has no spread."
  const difference = `${placeInWords(lead.of)} − ${placeInWords(lead.against)} is ${figure(lead.estimate, lead.se)}${units[0] === undefined ? "" : ` ${units[0]}`}, ${percent(lead.level)} ${interval(lead.low, lead.high, lead.se)}${lead.pairs === null ? "" : `, ${lead.pairs} pairs`}`
  return best === null
    ? `Not told apart: ${difference}.`
    : `${placeInWords(best)} is best: ${difference}. The interval allows for ${told.length} groups.`
}
