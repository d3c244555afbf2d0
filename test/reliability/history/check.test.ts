/**
 * The history check can fail: a real history passes, and every forgery of the Room's contents is detected, with its
 * kind of fault.
 */
import assert from "node:assert/strict"
import { test } from "tap"
import { checkHistory } from "./check.ts"
import { contentDigestOf } from "./content.ts"
import type { Forger } from "./forge.ts"
import { deliveryIn, forgeries, json, lived } from "./forging.ts"
import type { Receipt, Write } from "./history.ts"

const history = await lived()

test("a real history passes", async () => {
  const { faults, accepted, replays, refusals, rehearsals, reads } = checkHistory(history)
  assert.deepEqual(faults, [])
  for (const [what, count] of Object.entries({ accepted, replays, rehearsals, reads }))
    assert.ok(count > 0, `it contains ${what}`)
  assert.ok((refusals.get("assignment_conflict") ?? 0) > 0, "it contains refusals")
})

const writtenIn = (forger: Forger) => forger.truth.feed.slice(forger.truth.founded)
forgeries(history, "an entry dropped from the feed", "feed", writtenIn, (forger, entry) => {
  forger.truth.feed.splice(forger.truth.feed.indexOf(entry), 1)
})
forgeries(history, "an entry dropped, and the gap closed", "feed", writtenIn, (forger, entry) => {
  forger.truth.feed.splice(forger.truth.feed.indexOf(entry), 1)
  forger.seal()
})
forgeries(history, "an entry that nobody sent", "feed", writtenIn, (forger, entry) => {
  forger.truth.feed.push({ ...entry, sequence: forger.truth.feed.length + 1 })
  forger.seal()
})
forgeries(
  history,
  "an entry changed after the fact",
  "chain",
  writtenIn,
  (_forger, entry) => void (entry.at = entry.at.replace(/.Z$/, (end) => (end === "0Z" ? "1Z" : "0Z"))),
)
forgeries(history, "an entry with other content, sealed again", "feed", writtenIn, (forger, entry) => {
  entry.contentDigest = `sha256:${"0".repeat(64)}`
  forger.seal()
})

/** Pairs of which the first ended before the second began. */
const inOrder = (forger: Forger) => {
  const all = forger.originals().filter(({ receipt }) => receipt.activity !== null)
  return all.flatMap((one) => all.filter((other) => one.write.end < other.write.start).map((other) => ({ one, other })))
}
forgeries(
  history,
  "two sequences swapped, though one had ended before the other began",
  "order",
  inOrder,
  (forger, { one, other }) => {
    const { feed } = forger.truth
    const [first, second] = [one, other].map(({ receipt }) => (receipt.activity?.sequence ?? 0) - 1) as [number, number]
    const [earlier, later] = [feed[first], feed[second]] as [(typeof feed)[number], (typeof feed)[number]]
    const [at, then] = [earlier.at, later.at]
    feed[first] = { ...later, at }
    feed[second] = { ...earlier, at: then }
    forger.receipt(deliveryIn(one.write), (receipt) => void (receipt.acceptedAt = then))
    forger.receipt(deliveryIn(other.write), (receipt) => void (receipt.acceptedAt = at))
    forger.seal()
  },
)
forgeries(history, "time that went back", "order", writtenIn, (forger, entry) => {
  entry.at = "2000-01-01T00:00:00.000Z"
  forger.seal()
})

const takeOf = (forger: Forger) => forger.originals().filter(({ write }) => write.operation === "take_experiment")
/** Takes that were refused because another client was first and had its answer. */
const losers = (forger: Forger) => {
  const won = new Set(takeOf(forger).map(({ write }) => write.body.experimentId))
  return forger
    .refusals("assignment_conflict")
    .filter(({ operation, body }) => operation === "take_experiment" && won.has(body.experimentId))
}
forgeries(history, "an experiment taken twice", "illegal", losers, (forger, write) => {
  const won = takeOf(forger).find(({ write: { body } }) => body.experimentId === write.body.experimentId)
  const feed = forger.truth.feed
  const entry = feed[(won?.receipt.activity?.sequence ?? 0) - 1] as (typeof feed)[number]
  const copy = { ...structuredClone(entry), sequence: feed.length + 1, contentDigest: contentDigestOf(write as Write) }
  feed.push({ ...copy, actor: { ...copy.actor, userId: write.person } })
  const receipt = {
    ...structuredClone(won?.receipt),
    requestId: write.body.requestId,
    activity: { sequence: feed.length, digest: "" },
  }
  write.status = 200
  write.answer = JSON.stringify(receipt)
  forger.truth.receipts[deliveryIn(write)] = write.answer
  forger.seal()
})
forgeries(
  history,
  "a take that was let in with stale expectations",
  "illegal",
  takeOf,
  (forger, { write, receipt }) => {
    write.body.expectedRevision = 0
    ;(forger.truth.feed[(receipt.activity?.sequence ?? 0) - 1] as { contentDigest: string }).contentDigest =
      contentDigestOf(write as Write)
    forger.seal()
  },
)

const told = (forger: Forger) => forger.originals().map(({ write }) => write)
forgeries(
  history,
  "an acknowledged write without a receipt",
  "receipt",
  told,
  (forger, write) => void (forger.truth.receipts[deliveryIn(write)] = null),
)
forgeries(history, "a receipt that changed in the store", "receipt", told, (forger, write) => {
  const delivery = deliveryIn(write)
  forger.truth.receipts[delivery] = json<Receipt>(forger.truth.receipts[delivery] ?? "", (receipt) =>
    Object.assign(receipt, { warnings: ["new"] }),
  )
})
forgeries(
  history,
  "a delivery accepted twice",
  "receipt",
  told,
  (forger, write) => void forger.writes.push({ ...structuredClone(write), end: write.end + 1 }),
)
forgeries(
  history,
  "a refused write that is there all the same",
  "receipt",
  (forger) => forger.refusals("assignment_conflict"),
  (forger, write) => {
    forger.truth.receipts[deliveryIn(write)] = JSON.stringify(takeOf(forger)[0]?.receipt)
  },
)
const labelled = (forger: Forger) =>
  forger
    .originals()
    .filter(({ receipt }) => /^[EH]\d/.test(receipt.target.label ?? "") && receipt.operation.startsWith("p"))
forgeries(history, "a label left out", "outcome", labelled, (forger, { write, receipt }) => {
  const target = { ...receipt.target, label: `${receipt.target.label}9` }
  Object.assign(forger.truth.feed[(receipt.activity?.sequence ?? 0) - 1] as object, { target })
  forger.receipt(deliveryIn(write), (stored) => void (stored.target = target))
  forger.seal()
})
