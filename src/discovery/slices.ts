/** Assigns routes to the parts of the service. */
import { enumerations, type Slice } from "../contract/schema/enumerations.ts"
import type { Operation } from "../contract/definitions/operation.ts"

/** The first word of a path under the research roots: `/api/agent/threads` has `threads`. */
const firstWord = (path: string): string | undefined =>
  /^\/api\/(?:agent\/|research\/)?([a-z-]+)(?:\/|$)/.exec(path)?.[1]

/**
 * The slices of paths that start with another word. Other paths under the research roots belong to the research slice.
 */
const words: Readonly<Record<string, Slice>> = {
  records: "publications",
  concepts: "publications",
  papers: "publications",
  findings: "publications",
  "cited-claims": "publications",
}
/** The slices of operations that are named after what they make or change, not after their path. */
const targets: Partial<Readonly<Record<Operation["target"], Slice>>> = {
  attempt: "attempts",
  material: "materials",
  link: "links",
  finding_link: "links",
}

/**
 * The slice of a route; null for documents and accounts.
 * @param target what the operation makes or changes
 */
export function sliceOf(path: string, target?: Operation["target"]): Slice | null {
  const word = firstWord(path) ?? ""
  const slice = (target && targets[target]) ?? enumerations.slice.find((slice) => slice === word) ?? words[word]
  return slice ?? (/^\/api\/(?:agent|research)\//.test(path) ? "research" : null)
}
