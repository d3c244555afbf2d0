/**
 * The chain of entries in an activity feed: the ledger writes it, `check` proves it, and every client can recompute it.
 */
import type { ActivityEntry } from "./index.ts"
import { canonicalJson, digestOf } from "../json.ts"

/** The previous digest of a Room's first entry. */
export const firstPreviousDigest = `sha256:${"0".repeat(64)}`

/**
 * The digest of an entry: `sha256:` over the canonical JSON of its members, without `digest` and what `include` adds.
 */
export function entryDigest(entry: Omit<ActivityEntry, "digest"> & { readonly digest?: string }): string {
  const { digest: _own, summary: _summary, content: _content, ...rest } = entry
  return digestOf(canonicalJson(rest))
}
