/** Path patterns, and the parameters in a path. */
import type { H3Event } from "h3"
import { isUuid } from "../contract/schema/fields.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { shortened } from "../contract/text.ts"

/** Parameters that end in Id but hold ids of other services. */
const FOREIGN = ["arxivId", "paperId"]
const isOwnId = (name: string): boolean => name.endsWith("Id") && !FOREIGN.includes(name)

/**
 * A path in h3's pattern syntax. An old-style arXiv id contains a slash, which gives a second pattern with two
 * segments.
 */
export function routePatterns(path: string): string[] {
  const pattern = path.replace(/\{([a-zA-Z]+)\}/g, ":$1")
  // A DOI may have any number of slashes.
  if (pattern.endsWith("/:paperId")) return [pattern.replace("/:paperId", "/**:paperId")]
  return pattern.includes("/:arxivId") ? [pattern, pattern.replace("/:arxivId", "/:archive/:arxivId")] : [pattern]
}

/** The parameters in the path, with ids in lower case. */
export function pathParams(event: H3Event): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [name, raw] of Object.entries(event.context.params ?? {})) {
    let value = raw
    try {
      value = decodeURIComponent(raw)
    } catch {
      // An undecodable value is looked up unchanged and not found.
    }
    // arXiv ids are case-sensitive: a subject class is in upper case.
    params[name] = isOwnId(name) ? value.toLowerCase() : value
  }
  const { archive, ...ids } = params
  return archive === undefined ? params : { ...ids, arxivId: `${archive}/${ids.arxivId}` }
}

/** Explains a 404 whose cause is an id of the wrong form in the path. */
export function explainMalformedId(event: H3Event, refusal: Refusal): Refusal {
  if (refusal.status !== 404 || refusal.code === "unknown_operation") return refusal
  const [name, value] = Object.entries(pathParams(event)).find(([name, value]) => isOwnId(name) && !isUuid(value)) ?? []
  if (value === undefined) return refusal
  const sentence =
    `${name} in the path is "${shortened(value, 60)}", which is not an id: ` +
    "ids are UUIDs such as 0198f3a0-5b1e-7c44-9d8e-2f6a1b3c4d5e, not labels or names."
  return new Refusal(refusal.code, sentence, refusal.details)
}
