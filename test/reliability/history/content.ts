/** Digests and equality as the protocol defines them, from the two standards it names (RFC 8785, SHA-256). */
import { createHash } from "node:crypto"
import canonicalize from "canonicalize"
import type { Write } from "./history.ts"

export const canonical = (value: unknown): string => canonicalize(value as object) ?? "undefined"
export const digestOf = (text: string): string => `sha256:${createHash("sha256").update(text, "utf8").digest("hex")}`

/** `sha256:` over the canonical JSON of the body without `client`. */
export function contentDigestOf({ body }: Pick<Write, "body">): string {
  const { client: _client, ...content } = body
  return digestOf(canonical(content))
}

/** What a retry must equal: the content, and the ids in the path. */
export const requestDigestOf = (write: Pick<Write, "body" | "params">): string =>
  `${canonical(write.params)} ${contentDigestOf(write)}`

/** The digest of an entry of the feed: over the entry as served, without `digest`. */
export function entryDigestOf(entry: object): string {
  const { digest: _own, ...rest } = entry as { digest?: string }
  return digestOf(canonical(rest))
}
export const FIRST_PREVIOUS = `sha256:${"0".repeat(64)}`

export const same = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other)
