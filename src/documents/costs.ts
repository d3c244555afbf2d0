/** The cost of attempts and the budget of plans, in a line. */
import { type Costs, costsInWords } from "../contract/answers/costs.ts"

/** Empty if no cost or budget was given. */
export function costLine(costs: Costs): string {
  const words = costsInWords(costs)
  if (words === null) return ""
  const { took, allowed, over } = words
  return `\nCost, as reported: ${took ?? "nothing reported yet"}${allowed}.${over === null ? "" : ` ${over}`}\n`
}
