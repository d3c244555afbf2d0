/** The total cost of attempts, beside the budget of their plans. */
import { type Costs, costsInWords } from "../../contract/answers/costs.ts"
import { type Html, html } from "../html.ts"
import { counted } from "../words.ts"

/** A row of facts. Null if there is neither a cost nor a budget. */
export function costFact(costs: Costs): readonly [string, Html] | null {
  const words = costsInWords(costs)
  if (words === null) return null
  const { took, allowed, over } = words
  const spent = took === null ? "nothing reported" : `${took} (${counted(costs.attempts, "attempt")})`
  return ["Cost, as reported", html`${spent}${allowed}${over === null ? null : html` <strong>${over}</strong>`}`]
}
