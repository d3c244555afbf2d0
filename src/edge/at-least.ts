/** `?atLeast=<activity sequence>` of a public read: what is answered is not older than that entry of the Room. Only a copy can be. */
import { Refusal } from "../contract/refusals/refusal.ts"

const NAME = "atLeast"

/** The entry that an answer must not be older than; null where nothing is said. @throws Refusal `invalid_parameter` */
export function atLeastOf(query: URLSearchParams): number | null {
  const given = query.getAll(NAME)
  if (given.length === 0) return null
  const [first = ""] = given
  if (given.length === 1 && /^[0-9]{1,15}$/.test(first)) return Number(first)
  throw new Refusal("invalid_parameter", `${NAME} is the sequence of an activity entry, once.`, {
    issues: [{ path: `/${NAME}`, message: "must be a whole number from 0" }],
  })
}

/** The other parameters. @throws Refusal `invalid_parameter` */
export function withoutAtLeast(query: URLSearchParams): URLSearchParams {
  if (atLeastOf(query) === null) return query
  const others = new URLSearchParams(query)
  others.delete(NAME)
  return others
}
