/** The activity of a Room as proof: any reader can detect that something in it was changed. */
import { createHash } from "node:crypto"
import type { ActivityEntry } from "research-room/client"
import { startResearchRoom } from "research-room/testing"
import canonicalize from "canonicalize"
import t from "tap"
import { faulty } from "./faults.ts"

const room = await startResearchRoom()
t.teardown(() => room.close())
const { roomId, openingThreadId: threadId } = room.rooms.empty
const agent = room.client("member_all")
const { activity: mark } = await agent.write("post_message", { threadId, text: "The one I keep the digest of." })
if (mark === null) throw new Error("a message has an entry in the activity")
// A little more than two pages.
for (let n = 0; n < 101; n++) await agent.write("post_message", { threadId, text: `${n}` })
const watermark = mark.sequence + 101

/** A client whose pages pass through `edit`. */
function readerOf(edit: (entries: ActivityEntry[]) => ActivityEntry[]) {
  const through = (answer: string) => {
    const page = JSON.parse(answer) as { items: ActivityEntry[] }
    return JSON.stringify({ ...page, items: edit(page.items) })
  }
  return room.client("member_all", { fetch: faulty(through, through, through, through).fetch })
}

/** The digest as protocol.md describes it, implemented a second time. */
function digestOf({ digest: _own, ...entry }: ActivityEntry): string {
  return `sha256:${createHash("sha256")
    .update(canonicalize(entry) ?? "")
    .digest("hex")}`
}

const forge = (entry: ActivityEntry): ActivityEntry => {
  const forged = { ...entry, actor: { ...entry.actor, username: "eve" } }
  return { ...forged, digest: digestOf(forged) }
}

t.test("an unmodified feed is valid, over several pages", async (t) => {
  const { fetch, sent } = faulty()
  const verified = await room.client("member_all", { fetch }).verifyActivity(roomId)
  t.equal(verified.entries, watermark)
  t.equal(verified.lastSequence, watermark)
  t.equal(sent.length, 3)
  const newest = (await agent.read("room_activity", { roomId, after: watermark - 1 })).items[0]
  t.equal(verified.lastDigest, newest?.digest)
  t.equal(newest && digestOf(newest), newest?.digest)
  t.match(await agent.verifyActivity(room.rooms.main.roomId), { lastDigest: /^sha256:[0-9a-f]{64}$/ })
})

t.test("from a mark on, only newer entries are read, and the mark itself is checked", async (t) => {
  const { fetch, sent } = faulty()
  const { entries, lastSequence, lastDigest } = await room
    .client("member_all", { fetch })
    .verifyActivity(roomId, { from: mark })
  t.equal(entries, 102, "the marked entry and those after it")
  t.equal(sent[0]?.url.searchParams.get("after"), String(mark.sequence - 1))
  t.same(await agent.verifyActivity(roomId, { from: { sequence: lastSequence, digest: lastDigest } }), {
    entries: 1,
    lastSequence,
    lastDigest,
  })
})

t.test("one edited entry is detected and named", async (t) => {
  const edited = readerOf((entries) =>
    entries.map((entry) => (entry.sequence === 70 ? { ...entry, at: "2020-01-01T00:00:00.000Z" } : entry)),
  )
  await t.rejects(edited.verifyActivity(roomId), {
    name: "ChainBroken",
    roomId,
    sequence: 70,
    message: /does not have the digest it names/,
  })
})

t.test("an edited entry with a matching digest breaks the link of the next one", async (t) => {
  const edited = readerOf((entries) => entries.map((entry) => (entry.sequence === 70 ? forge(entry) : entry)))
  await t.rejects(edited.verifyActivity(roomId), {
    name: "ChainBroken",
    sequence: 71,
    message: /is not chained to the entry before it/,
  })
})

t.test("an entry omitted, duplicated or moved is detected", async (t) => {
  await t.rejects(readerOf((entries) => entries.filter(({ sequence }) => sequence !== 30)).verifyActivity(roomId), {
    name: "ChainBroken",
    sequence: 30,
  })
  await t.rejects(
    readerOf((entries) =>
      entries.flatMap((entry) => (entry.sequence === 30 ? [entry, entry] : [entry])),
    ).verifyActivity(roomId),
    { name: "ChainBroken", sequence: 31 },
  )
  await t.rejects(
    readerOf((entries) =>
      entries.toSorted((a, b) => (a.sequence === 12 ? 1 : b.sequence === 12 ? -1 : 0)),
    ).verifyActivity(roomId),
    { name: "ChainBroken", sequence: 12 },
  )
})

t.test("an entry omitted from a chain that was rewritten around it leaves a gap in the sequence", async (t) => {
  let previousDigest = `sha256:${"0".repeat(64)}`
  const rewrite = (entries: ActivityEntry[]) =>
    entries
      .filter(({ sequence }) => sequence !== 30)
      .map((entry) => {
        const rewritten = forge({ ...entry, previousDigest })
        previousDigest = rewritten.digest
        return rewritten
      })
  await t.rejects(readerOf(rewrite).verifyActivity(roomId), {
    name: "ChainBroken",
    sequence: 30,
    message: /entry 31 is in its place/,
  })
})

t.test("a chain rewritten from the start is consistent, but does not match a digest kept from before", async (t) => {
  let previousDigest = `sha256:${"0".repeat(64)}`
  const rewrite = (entries: ActivityEntry[]) =>
    entries.map((entry) => {
      const rewritten = forge({ ...entry, previousDigest })
      previousDigest = rewritten.digest
      return rewritten
    })
  t.equal((await readerOf(rewrite).verifyActivity(roomId)).entries, watermark, "on its own it looks valid")
  await t.rejects(readerOf(rewrite).verifyActivity(roomId, { from: mark }), {
    name: "ChainBroken",
    sequence: mark.sequence,
    message: /it is not the entry that was marked/,
  })
})

t.test("a feed that was cut off before the mark is detected too", async (t) => {
  const cut = room.client("member_all", {
    fetch: faulty((answer) => JSON.stringify({ ...(JSON.parse(answer) as object), items: [], hasMore: false })).fetch,
  })
  await t.rejects(cut.verifyActivity(roomId, { from: mark }), {
    name: "ChainBroken",
    sequence: mark.sequence,
    message: /the feed ends before it/,
  })
})
