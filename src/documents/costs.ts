/** What attempts cost and what plans allow, in a line. */
import { type Costs, costInWords, overBudget } from "../contract/answers/costs.ts"

/** Empty where nobody said a cost or a budget. */
export function costLine(costs: Costs): string {
  const { attempts, spent, plans, budget } = costs
  if (attempts === 0 && plans === 0) return ""
  const over = overBudget(costs)
  const took = attempts === 0 ? "nothing reported yet" : costInWords(spent).join(", ")
  const allowed = plans === 0 ? "" : ` of a budget of ${costInWords(budget).join(", ")}`
  return `\nCost, as registrants say: ${took}${allowed}.${over.length === 0 ? "" : ` Over budget: ${over.join(", ")}.`}\n`
}
