/**
 * Checks the feed and the timelines against the accepted writes: dense, chained, in order, with one entry for each
 * write and no other.
 */
import { contentDigestOf, entryDigestOf, FIRST_PREVIOUS, same } from "./content.ts"
import type { Landed } from "./deliveries.ts"
import type { Findings } from "./faults.ts"
import type { Truth } from "./history.ts"
import type { Model } from "./model.ts"

/** The names of the two browser operations in the activity; every other operation uses its own name. */
const kinds: Readonly<Record<string, string>> = { archive_room: "room_archived", restore_room: "room_restored" }

function checkChain({ feed }: Truth, findings: Findings): void {
  let previous = FIRST_PREVIOUS
  let at = ""
  feed.forEach((entry, index) => {
    findings.expect(
      entry.sequence === index + 1,
      "feed",
      () => `entry ${index + 1} of the feed calls itself ${entry.sequence}`,
    )
    findings.expect(
      entry.previousDigest === previous,
      "chain",
      () => `entry ${entry.sequence} does not name the digest before it`,
    )
    findings.expect(
      entry.digest === entryDigestOf(entry),
      "chain",
      () => `entry ${entry.sequence} has not the digest of its content`,
    )
    findings.expect(
      entry.at >= at,
      "order",
      () => `entry ${entry.sequence} was accepted at ${entry.at}, before the one before it`,
    )
    previous = entry.digest
    at = entry.at
  })
}

/** Each accepted write has its entry, and each entry its write. */
function checkClaims({ feed, founded }: Truth, landed: readonly Landed[], findings: Findings): void {
  const claimed = new Set<number>()
  for (const { delivery, receipt, write, sequence } of landed) {
    const entry = feed[sequence - 1]
    findings.expect(!claimed.has(sequence), "feed", () => `two receipts claim entry ${sequence}; one is ${delivery}`)
    claimed.add(sequence)
    if (entry === undefined) {
      findings.fault("feed", `${delivery} has a receipt and no entry ${sequence} in the feed`)
      continue
    }
    const { kind, at, actor, operation, target, threadId, entryId, contentDigest, digest } = entry
    const told = {
      kind: kinds[write.operation] ?? write.operation,
      at: receipt.acceptedAt,
      actor: write.person,
      operation: write.operation,
      target: receipt.target,
      // Archiving a Room leaves no entry in a Thread.
      threadId: receipt.threadId,
      entryId: receipt.entry?.entryId ?? null,
      contentDigest: contentDigestOf(write),
      digest: receipt.activity?.digest,
    }
    const found = { kind, at, actor: actor.userId, operation, target, threadId, entryId, contentDigest, digest }
    findings.expect(
      same(found, told),
      "feed",
      () => `entry ${sequence} is not ${delivery}'s: ${JSON.stringify(found)}, not ${JSON.stringify(told)}`,
    )
  }
  for (const { sequence, operation } of feed.slice(founded))
    findings.expect(claimed.has(sequence), "feed", () => `entry ${sequence}, ${operation}, belongs to no delivery`)
}

function checkTimelines(
  { truth, threads, timelines, entries, entryTimes }: Model,
  last: number,
  findings: Findings,
): void {
  const known = threads.all(last).map(({ id }) => id)
  findings.expect(
    same([...known].sort(), Object.keys(truth.timelines).sort()),
    "timeline",
    () => "the Threads are not those that were started",
  )
  for (const threadId of known) {
    const found = truth.timelines[threadId] ?? []
    const expected = timelines.get(threadId)?.at(last) ?? []
    findings.expect(
      found.length === expected.length,
      "timeline",
      () => `${threadId} has ${found.length} entries, not ${expected.length}`,
    )
    found.forEach(({ entryId, sequence, kind, author, at }, index) => {
      const entry = entries.at(last, expected[index])
      const told = {
        entryId: entry?.entryId,
        sequence: index + 1,
        kind: entry?.kind,
        author: entry?.author,
        at: entryTimes.get(entryId),
      }
      const shown = { entryId, sequence, kind, author: author.userId, at }
      findings.expect(
        same(shown, told),
        "timeline",
        () => `entry ${index + 1} of ${threadId} is ${JSON.stringify(shown)}, not ${JSON.stringify(told)}`,
      )
    })
  }
}

export function checkFeed(model: Model, landed: readonly Landed[], findings: Findings): void {
  checkChain(model.truth, findings)
  checkClaims(model.truth, landed, findings)
  checkTimelines(model, model.truth.feed.length, findings)
}
