/** A feed with a sentence for each entry and the accepted content: a returning reader needs no other read. */
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { entryDigest } from "../../src/contract/reads/activity.ts"
import { canonicalJson, digestOf } from "../../src/contract/json.ts"
import { receiptInWords } from "../../src/contract/operations/receipts.ts"
import { operations } from "../../src/contract/operations/index.ts"

const house = await startResearchRoom()
t.teardown(() => house.close())
const reader = house.client("main_member_all")
const { roomId } = house.rooms.main

const feed = async (include?: string, more = "", at = roomId) => {
  type Page = Awaited<ReturnType<typeof reader.read<"room_activity">>>
  const items: Page["items"] = []
  for (
    let path: string | null =
      `/api/research/rooms/${at}/activity?after=0${more}${include === undefined ? "" : `&include=${include}`}`;
    path !== null;
  ) {
    const response = await fetch(`${house.baseUrl}${path}`)
    if (response.status !== 200) throw new Error(await response.text())
    const page = (await response.json()) as Page
    items.push(...page.items)
    path = page.hasMore ? page.links.next : null
  }
  return items
}

// shows: skill: included
t.test("each entry's sentence and content are beside it, and the entry itself is unchanged", async (t) => {
  const bare = await feed()
  const full = await feed("summary,content")
  t.ok(full.length > 100)
  t.strictSame(
    full.map(({ summary: _summary, content: _content, ...entry }) => entry),
    bare,
    "the chained members are unchanged",
  )
  for (const { sequence, actor, target, summary = "", content, contentDigest, ...entry } of full) {
    const isSentence =
      (summary.startsWith(`${actor.username} `) || summary.startsWith(`${actor.username}: A`)) &&
      /[.!?…]$/u.test(summary) &&
      !summary.includes("\n") &&
      summary.length < 420
    t.ok(isSentence, `${sequence}: ${summary}`)
    t.equal(digestOf(canonicalJson(content)), contentDigest, `${sequence}: the content matches its digest`)
    t.equal(
      entryDigest({ sequence, actor, target, summary, content: content ?? null, contentDigest, ...entry }),
      entry.digest,
    )
  }
  const sentences = full.map(({ summary }) => summary).join("\n")
  for (const words of [
    / published hypothesis H1: Training with GRPO/,
    / took E1\./,
    /: A29 failed: allocation: Out of memory/,
    / concluded: /,
    / disputed F\d+ \(L\d+\): /,
  ])
    t.match(sentences, words)
})

t.test("one of the two, for some kinds, for every Room", async (t) => {
  const [named, whole] = [
    await feed("summary", "&kinds=publish_finding"),
    await feed("content", "&kinds=publication&limit=7"),
  ]
  t.ok(
    named.length > 3 &&
      named.every(
        (entry) =>
          / published (?:positive|negative|inconclusive) finding F\d+: /.test(entry.summary ?? "") &&
          !("content" in entry),
      ),
  )
  t.ok(
    whole.length > named.length && whole.every((entry) => entry.content?.schemaVersion === 3 && !("summary" in entry)),
  )
  for (const { roomId: at } of Object.values(house.rooms))
    for (const { content, contentDigest } of await feed("content", "", at))
      t.equal(digestOf(canonicalJson(content)), contentDigest)
  t.equal((await fetch(`${house.baseUrl}/api/research/rooms/${roomId}/activity?include=everything`)).status, 422)
})

t.test("every operation in a Room's activity has a sentence of its own", async (t) => {
  t.strictSame(
    operations.filter(({ activity, sentence }) => activity !== null && sentence === undefined).map(({ name }) => name),
    [],
  )
})

t.test("a Thread's receipt says in the words of the Room's feed what became of work", async (t) => {
  const full = await feed("summary")
  const summaries = new Map(full.map(({ entryId, summary = "" }) => [entryId, summary]))
  const threads = new Set(full.flatMap(({ threadId }) => threadId ?? []))
  const said = new Set<string>()
  for (const threadId of threads)
    for await (const { entryId, receipt } of reader.items("thread_timeline", { threadId })) {
      if (receipt?.operation !== "report_attempt_event" && receipt?.operation !== "report_experiment_status") continue
      const words = receiptInWords(receipt)
      t.match(summaries.get(entryId), words, `${summaries.get(entryId)}`)
      said.add(words.replaceAll(/ ?[AE]\d+ ?/g, ""))
    }
  for (const words of ["started", "succeeded", "failed", "completed"]) t.ok(said.has(words), words)
  const result = { status: "started", revision: 3 }
  const target = { kind: "attempt", id: roomId, label: "A1" } as const
  t.equal(receiptInWords({ operation: "report_attempt_event", target, result }), "A1 reported progress")
})
