/** How the entries of an activity feed are chained: what the ledger writes, `check` proves, and every client can recompute. */
import type { ActivityEntry } from "./index.ts"
import { canonicalJson, digestOf } from "../json.ts"

/** What the first entry of a Room names as the digest before it. */
export const firstPreviousDigest = `sha256:${"0".repeat(64)}`

/** The digest of an entry: `sha256:` over the canonical JSON of its members but `digest`, and but what `include` adds. */
export function entryDigest(entry: Omit<ActivityEntry, "digest"> & { readonly digest?: string }): string {
  const { digest: _own, summary: _summary, content: _content, ...rest } = entry
  return digestOf(canonicalJson(rest))
}
