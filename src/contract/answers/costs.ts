/** What an attempt cost, what all of them cost in total, and the budgets of plans. Currencies are never added. */
import * as v from "valibot"
import { count } from "./fields.ts"
import { shape, whole, CURRENCY } from "../schema/fields.ts"

// The cost of work, as declared: the budget of a plan, or what an attempt used.

const declared = v.pipe(v.number("must be a number"), v.finite("must be finite"), v.minValue(0, "must be at least 0"))
const optional = v.exactOptional

/** Hours of accelerators, tokens of models, money, and seconds from start to end. */
export const cost = shape({
  gpuHours: optional(declared),
  tokens: optional(whole()),
  money: optional(
    shape({
      amount: declared,
      currency: v.pipe(
        v.string("must be a string"),
        v.title("currency"),
        v.regex(CURRENCY, "must be an ISO 4217 code such as EUR"),
      ),
    }),
  ),
  wallSeconds: optional(declared),
})
export type Cost = v.InferOutput<typeof cost>

const amount = v.nullable(v.number())
const costTotals = shape({
  gpuHours: amount,
  tokens: amount,
  wallSeconds: amount,
  money: v.array(shape({ currency: v.string(), amount: v.number() })),
})
export type CostTotals = v.InferOutput<typeof costTotals>

export const costs = shape({
  /** Attempts with a declared cost, and the total of those costs. */
  attempts: count,
  spent: costTotals,
  /** Plans with a budget, and the total of those budgets. */
  plans: count,
  budget: costTotals,
})
export type Costs = v.InferOutput<typeof costs>

/** The cost of one attempt, in the form of a total. */
export const totalOf = ({ gpuHours, tokens, wallSeconds, money }: Cost): CostTotals => ({
  gpuHours: gpuHours ?? null,
  tokens: tokens ?? null,
  wallSeconds: wallSeconds ?? null,
  money: money === undefined ? [] : [{ currency: money.currency, amount: money.amount }],
})

const plainly = (value: number): string =>
  Number(value.toPrecision(6)).toLocaleString("en", { maximumFractionDigits: 6 })

/** Each declared cost in words: "3.5 GPU hours", "12 EUR". */
export const costInWords = ({ gpuHours, tokens, wallSeconds, money }: CostTotals): string[] => [
  ...(gpuHours === null ? [] : [`${plainly(gpuHours)} GPU hours`]),
  ...(tokens === null ? [] : [`${plainly(tokens)} tokens`]),
  ...(wallSeconds === null ? [] : [`${plainly(wallSeconds)} s of running time`]),
  ...money.map(({ amount, currency }) => `${plainly(amount)} ${currency}`),
]

/** The costs that exceed the budget, in words. A cost that the budget does not name is unlimited. */
export function overBudget({ spent, budget }: Pick<Costs, "spent" | "budget">): string[] {
  const both = (one: number | null, allowed: number | null, unit: string) =>
    one !== null && allowed !== null && one > allowed ? [`${plainly(one)} of ${plainly(allowed)} ${unit}`] : []
  return [
    ...both(spent.gpuHours, budget.gpuHours, "GPU hours"),
    ...both(spent.tokens, budget.tokens, "tokens"),
    ...both(spent.wallSeconds, budget.wallSeconds, "s of running time"),
    ...budget.money.flatMap(({ currency, amount }) =>
      both(spent.money.find((each) => each.currency === currency)?.amount ?? null, amount, currency),
    ),
  ]
}

/** Total costs, budgets and what exceeds them, in words; null if neither a cost nor a budget is declared. */
export function costsInWords({ attempts, spent, plans, budget }: Costs) {
  if (attempts === 0 && plans === 0) return null
  const over = overBudget({ spent, budget })
  return {
    took: attempts === 0 ? null : costInWords(spent).join(", "),
    allowed: plans === 0 ? "" : `; budget: ${costInWords(budget).join(", ")}`,
    over: over.length === 0 ? null : `Over budget: ${over.join(", ")}.`,
  }
}
