/** Checks the query string of a request against the definition of its read. */
import { Refusal } from "../refusals/refusal.ts"
import { check } from "../schema/validation.ts"
import type { Read } from "./read.ts"

/**
 * Reads the query string of a request.
 * @throws Refusal `invalid_parameter` naming every parameter that is unknown, repeated or malformed
 */
export function checkParameters(definition: Read, query: URLSearchParams): Readonly<Record<string, unknown>> {
  const input: Record<string, string> = {}
  const issues = []
  for (const [name, values] of Map.groupBy(query.entries(), ([name]) => name)) {
    if (!Object.hasOwn(definition.query.entries, name)) issues.push({ path: `/${name}`, message: "is not a parameter of this read" })
    else if (values.length > 1) issues.push({ path: `/${name}`, message: "is given more than once" })
    else input[name] = values[0]?.[1] ?? ""
  }
  const checked = check(definition.query, input)
  if (!checked.ok) issues.push(...checked.issues)
  if (!checked.ok || issues.length > 0) {
    throw new Refusal(
      "invalid_parameter",
      `A query parameter of ${definition.name} is wrong: ${issues.map(({ path, message }) => `${path.slice(1)} ${message}`).join("; ")}.`,
      { issues },
    )
  }
  return checked.value
}
