/**
 * The parameter `atLeast` of public reads: the answer must include this entry of the Room's activity. Only a copy can
 * lag behind it.
 */
import { Refusal } from "../contract/refusals/refusal.ts"

const NAME = "atLeast"

/** The value of `atLeast`; null if absent. @throws Refusal `invalid_parameter` */
export function atLeastOf(query: URLSearchParams): number | null {
  const values = query.getAll(NAME)
  if (values.length === 0) return null
  const [first = ""] = values
  if (values.length === 1 && /^[0-9]{1,15}$/.test(first)) return Number(first)
  throw new Refusal("invalid_parameter", `${NAME} must be given once, as the sequence of an activity entry.`, {
    issues: [{ path: `/${NAME}`, message: "must be a whole number from 0" }],
  })
}

/** The query without `atLeast`. @throws Refusal `invalid_parameter` */
export function withoutAtLeast(query: URLSearchParams): URLSearchParams {
  if (atLeastOf(query) === null) return query
  const others = new URLSearchParams(query)
  others.delete(NAME)
  return others
}
