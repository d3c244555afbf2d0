/** What attempts cost in all, beside what their plans allow. */
import { type Costs, costInWords, overBudget } from "../../contract/answers/costs.ts"
import { type Html, html } from "../html.ts"
import { counted } from "../words.ts"

/** A row of facts; null where nobody said a cost or a budget. */
export function costFact(costs: Costs): readonly [string, Html] | null {
  const { attempts, spent, plans, budget } = costs
  if (attempts === 0 && plans === 0) return null
  const took = attempts === 0 ? "nothing reported" : `${costInWords(spent).join(", ")} (${counted(attempts, "attempt")})`
  const over = overBudget(costs)
  return [
    "Cost, as registrants say",
    html`${took}${plans === 0 ? null : html` of a budget of ${costInWords(budget).join(", ")}`}${over.length === 0 ? null : html` <strong>Over budget: ${over.join(", ")}.</strong>`}`,
  ]
}
