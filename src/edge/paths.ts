/** Paths as routes write them, and what stands in one. */
import type { H3Event } from "h3"

/** A path pattern as h3 writes it; one more where an old-style arXiv id may stand with its slash as it is, as two parts. */
export function routePatterns(path: string): string[] {
  const pattern = path.replace(/\{([a-zA-Z]+)\}/g, ":$1")
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
    params[name] = name.endsWith("Id") && name !== "arxivId" ? value.toLowerCase() : value
  }
  const { archive, ...ids } = params
  return archive === undefined ? params : { ...ids, arxivId: `${archive}/${ids.arxivId}` }
}
