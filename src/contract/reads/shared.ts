/** Parameters and a form of answer that the reads of several domains share. */
import * as v from "valibot"
import { words } from "../definitions/parameters.ts"
import { limits } from "../limits.ts"
import { enumerations } from "../schema/enumerations.ts"
import { agentName, oneOf, plain } from "../schema/fields.ts"

/** The words that a list is searched for. */
export const query = v.exactOptional(plain(limits.searchQuery))

/** The filters of lists of records. */
export const recordFilters = {
  kinds: v.exactOptional(words(enumerations.recordKind)),
  status: v.exactOptional(oneOf(enumerations.recordStatus)),
  author: v.exactOptional(plain(limits.name)),
  agent: v.exactOptional(agentName),
}

export const markdown = { markdown: { mediaType: "text/markdown", answer: v.string() } } as const
/** A feed's form for agents: one line per entry. */
export const lines = { lines: { mediaType: "text/markdown", answer: v.string() } } as const

/**
 * The forms of a list for other programs, with all its items unless limit is given. CSV escapes texts that a
 * spreadsheet would execute.
 */
export const files = {
  csv: { mediaType: "text/csv", answer: v.string() },
  jsonl: { mediaType: "application/x-ndjson", answer: v.string() },
} as const
