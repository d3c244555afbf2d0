/** What attempts cost in all, beside what their plans allow. Different currencies are never added. */
import * as v from "valibot"
import { count } from "./fields.ts"
import type { Cost } from "../schema/cost.ts"
import { shape } from "../schema/fields.ts"

/** Null where nobody said it. */
const amount = v.nullable(v.number())
const costTotals = shape({
  gpuHours: amount,
  tokens: amount,
  wallSeconds: amount,
  money: v.array(shape({ currency: v.string(), amount: v.number() })),
})
export type CostTotals = v.InferOutput<typeof costTotals>

export const costs = shape({
  /** Attempts that said what they cost, and what they took together. */
  attempts: count,
  spent: costTotals,
  /** Plans with a budget, and what they allow together. */
  plans: count,
  budget: costTotals,
})
export type Costs = v.InferOutput<typeof costs>

/** What one attempt cost, in the shape of a total. */
export const totalOf = ({ gpuHours, tokens, wallSeconds, money }: Cost): CostTotals => ({
  ...{ gpuHours: gpuHours ?? null, tokens: tokens ?? null, wallSeconds: wallSeconds ?? null },
  money: money === undefined ? [] : [{ currency: money.currency, amount: money.amount }],
})

const plainly = (value: number): string => Number(value.toPrecision(6)).toLocaleString("en", { maximumFractionDigits: 6 })

/** Each cost that was said, in words: "3.5 GPU hours", "12 EUR". */
export const costInWords = ({ gpuHours, tokens, wallSeconds, money }: CostTotals): string[] => [
  ...(gpuHours === null ? [] : [`${plainly(gpuHours)} GPU hours`]),
  ...(tokens === null ? [] : [`${plainly(tokens)} tokens`]),
  ...(wallSeconds === null ? [] : [`${plainly(wallSeconds)} s from start to end`]),
  ...money.map(({ amount, currency }) => `${plainly(amount)} ${currency}`),
]

/** Costs that are over their budget, in words; a budget that does not name a cost allows any. */
export function overBudget({ spent, budget }: Pick<Costs, "spent" | "budget">): string[] {
  const both = (one: number | null, allowed: number | null, unit: string) =>
    one !== null && allowed !== null && one > allowed ? [`${plainly(one)} of ${plainly(allowed)} ${unit}`] : []
  return [
    ...both(spent.gpuHours, budget.gpuHours, "GPU hours"),
    ...both(spent.tokens, budget.tokens, "tokens"),
    ...both(spent.wallSeconds, budget.wallSeconds, "s from start to end"),
    ...budget.money.flatMap(({ currency, amount }) =>
      both(spent.money.find((each) => each.currency === currency)?.amount ?? null, amount, currency),
    ),
  ]
}

/** What attempts cost in all, what plans allow, and what is over it, each in words where it was said; null where nobody said a cost or a budget. */
export function costsInWords({ attempts, spent, plans, budget }: Costs) {
  if (attempts === 0 && plans === 0) return null
  const over = overBudget({ spent, budget })
  return {
    took: attempts === 0 ? null : costInWords(spent).join(", "),
    allowed: plans === 0 ? "" : ` of a budget of ${costInWords(budget).join(", ")}`,
    over: over.length === 0 ? null : `Over budget: ${over.join(", ")}.`,
  }
}
