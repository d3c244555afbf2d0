/** Paths as routes write them, and what stands in one. */
import type { H3Event } from "h3"
import { isUuid } from "../contract/schema/fields.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { shortened } from "../contract/text.ts"

/** What ends in Id and is none of this service. */
const OTHERS = ["arxivId", "paperId"]
const isOwnId = (name: string): boolean => name.endsWith("Id") && !OTHERS.includes(name)

/** A path pattern as h3 writes it; one more where an old-style arXiv id may stand with its slash as it is, as two parts. */
export function routePatterns(path: string): string[] {
  const pattern = path.replace(/\{([a-zA-Z]+)\}/g, ":$1")
  // A DOI may have any number of slashes.
  if (pattern.endsWith("/:paperId")) return [pattern.replace("/:paperId", "/**:paperId")]
  return pattern.includes("/:arxivId") ? [pattern, pattern.replace("/:arxivId", "/:archive/:arxivId")] : [pattern]
}

/** What stands in the path: ids in lower case, everything else as it is. */
export function pathParams(event: H3Event): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [name, raw] of Object.entries(event.context.params ?? {})) {
    let value = raw
    try {
      value = decodeURIComponent(raw)
    } catch {
      // What cannot be decoded names nothing; it is looked up as it is and not found.
    }
    // A subject class in an arXiv id is in upper case.
    params[name] = isOwnId(name) ? value.toLowerCase() : value
  }
  const { archive, ...ids } = params
  return archive === undefined ? params : { ...ids, arxivId: `${archive}/${ids.arxivId}` }
}

/** A refusal of something that is not there, with a better sentence where the path holds what cannot be an id. */
export function explainMalformedId(event: H3Event, refusal: Refusal): Refusal {
  if (refusal.status !== 404 || refusal.code === "unknown_operation") return refusal
  const [name, value] = Object.entries(pathParams(event)).find(([name, value]) => isOwnId(name) && !isUuid(value)) ?? []
  if (value === undefined) return refusal
  const sentence = `${name} in the path is "${shortened(value, 60)}", which is not an id: ids are UUIDs such as 0198f3a0-5b1e-7c44-9d8e-2f6a1b3c4d5e, not labels or names.`
  return new Refusal(refusal.code, sentence, refusal.details)
}
