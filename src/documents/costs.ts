/** What attempts cost and what plans allow, in a line. */
import { type Costs, costsInWords } from "../contract/answers/costs.ts"

/** Empty where nobody said a cost or a budget. */
export function costLine(costs: Costs): string {
  const words = costsInWords(costs)
  if (words === null) return ""
  const { took, allowed, over } = words
  return `\nCost, as registrants say: ${took ?? "nothing reported yet"}${allowed}.${over === null ? "" : ` ${over}`}\n`
}
