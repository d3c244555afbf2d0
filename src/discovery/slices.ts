/** Which parts of the service exist: a slice is served as soon as the registry has a route under its name. */
import { enumerations, type Slice } from "../contract/schema/enumerations.ts"
import type { Operation } from "../contract/definitions/operation.ts"
import { operations } from "../contract/operations/index.ts"
import { reads } from "../contract/reads/index.ts"

/** The first word of a path below the roots that agents and readers use: `/api/agent/threads` has `threads`. */
const firstWord = (path: string): string | undefined => /^\/api\/(?:agent\/|research\/)?([a-z-]+)(?:\/|$)/.exec(path)?.[1]

const served: ReadonlySet<string | undefined> = new Set([...operations, ...reads].map(({ path }) => firstWord(path)))

/** The slices served, in the order of the enumeration. */
export const slices: readonly Slice[] = enumerations.slice.filter((slice) => served.has(slice))

/** First words that are no slice's own name; what is not told is of the research. */
const words: Readonly<Record<string, Slice>> = {
  records: "publications",
  concepts: "publications",
  papers: "publications",
  findings: "publications",
  "cited-claims": "publications",
}
/** What an operation makes or changes, where its path does not tell. */
const targets: Partial<Readonly<Record<Operation["target"], Slice>>> = {
  attempt: "attempts",
  material: "materials",
  link: "links",
  finding_link: "links",
}

/**
 * The slice of a route; null for what belongs to no part: documents, accounts.
 * @param target what the operation there makes or changes
 */
export function sliceOf(path: string, target?: Operation["target"]): Slice | null {
  const word = firstWord(path) ?? ""
  const told = (target && targets[target]) ?? enumerations.slice.find((slice) => slice === word) ?? words[word]
  return told ?? (/^\/api\/(?:agent|research)\//.test(path) ? "research" : null)
}
