/** Checks the query string of a request. */
import type * as v from "valibot"
import { type Issue, Refusal } from "../refusals/refusal.ts"
import { check } from "../schema/validation.ts"

interface Queried<T> {
  readonly name: string
  readonly query: v.GenericSchema<unknown, T> & { readonly entries: v.ObjectEntries }
}

/**
 * Reads the query string of a request.
 * @param what the noun for the request, used in the refusal
 * @throws Refusal `invalid_parameter` naming every parameter that is unknown, repeated or malformed
 */
export function checkParameters<T>(
  { name: readName, query: schema }: Queried<T>,
  query: URLSearchParams,
  what = "this read",
): T {
  const input: Record<string, string> = {}
  const issues: Issue[] = []
  for (const [name, values] of Map.groupBy(query.entries(), ([name]) => name)) {
    if (!Object.hasOwn(schema.entries, name))
      issues.push({ path: `/${name}`, message: `is not a parameter of ${what}` })
    else if (values.length > 1) issues.push({ path: `/${name}`, message: "is given more than once" })
    else input[name] = values[0]?.[1] ?? ""
  }
  const checked = check(schema, input)
  if (!checked.ok) issues.push(...checked.issues)
  if (!checked.ok || issues.length > 0) {
    throw new Refusal(
      "invalid_parameter",
      `A query parameter of ${readName} is wrong: ` +
        `${issues.map(({ path, message }) => `${path.slice(1)} ${message}`).join("; ")}.`,
      { issues },
    )
  }
  return checked.value
}
