/**
 * Checkpoints: guarded by the watermark and bounded by it, open or concluded, selected while newest, stale once a later
 * publication lands.
 */
import t from "tap"
import { canonicalJson, digestOf, type Json } from "../../../src/contract/json.ts"
import { claim, finding, hypothesis, nobody } from "../../support/bodies.ts"
import { holds } from "./holds.ts"
import { openLab, refusalOf, refusedAs } from "../../support/lab.ts"
import { posting } from "./posting.ts"

const lab = await openLab(t)
const { reader, userIds } = lab

const { watermarkOf, post, conclude, read, threadOf, contextOf } = posting(reader)

// shows: A checkpoint covers a cursor of the timeline and is open or concluded.
// shows: A receipt names its target; targetId is the link, attempt, material, checkpoint or experiment, as the write
//   has it.
t.test("a checkpoint reads as it was written, with what became of it", async (t) => {
  const room = await lab.room()
  const { roomId, threadId, grace } = room
  const cited = (await grace.write("publish_hypothesis", hypothesis(room))).result
  await grace.write("post_message", { threadId, text: "Two entries now." })
  const receipt = await post(grace, threadId, {
    coversThrough: 1,
    openQuestions: ["Why?", "How long?"],
    citations: [cited.versionId],
    client: { name: "writer" },
  })
  const { checkpointId } = receipt.result
  t.strictSame(
    [receipt.target, receipt.targetId, receipt.result],
    [
      { kind: "checkpoint", id: checkpointId, label: null },
      checkpointId,
      { checkpointId, state: "open", supersedesCheckpointId: null, label: null },
    ],
  )
  const { contentDigest, ...shown } = await read(checkpointId)
  t.match(shown.author.agent, /^grace's agent /, "it says which agent of hers wrote it")
  t.strictSame(shown, {
    schemaVersion: 3,
    checkpointId,
    activitySequence: 6,
    roomId,
    threadId,
    entryId: receipt.entry?.entryId,
    sequence: 3,
    author: { userId: userIds.grace, username: "grace", agent: shown.author.agent },
    at: receipt.acceptedAt,
    state: "open",
    coversThrough: 1,
    supersedesCheckpointId: null,
    synthesis: "So far.",
    openQuestions: ["Why?", "How long?"],
    answer: null,
    table: null,
    changed: [],
    moreChanged: 0,
    reproductionKinds: [],
    numbersCheck: {
      ...{ numbers: 0, resolve: 0, mayBe: 0, moved: 0, unknown: 0, settings: 0, unread: 0 },
      unresolved: [],
    },
    conclusion: null,
    selected: true,
    stale: false,
    staleReasons: [],
    knownThen: [],
    archive: null,
    reviewed: null,
    reviews: [],
    citations: [
      {
        versionId: cited.versionId,
        label: "H1",
        kind: "hypothesis",
        wording: "A ramp lowers the loss.",
        status: "current",
        notices: [],
      },
    ],
  })
  const { content } = await reader.read("checkpoint", { checkpointId, include: "content" })
  holds(t, content, { expectedWatermark: 2, coversThrough: 1, citations: [cited.versionId], client: undefined })
  t.match(contentDigest, /^sha256:[0-9a-f]{64}$/)
  t.equal(receipt.entry?.sequence, 3)
  const { items } = await reader.read("thread_timeline", { threadId, kinds: ["post_research_checkpoint"] })
  holds(t, items, [
    {
      entryId: receipt.entry?.entryId,
      kind: "post_research_checkpoint",
      card: {
        checkpointId,
        state: "open",
        coversThrough: 1,
        synthesis: "So far.",
        openQuestions: ["Why?", "How long?"],
        conclusion: null,
        client: { name: "writer" },
      },
    },
  ])
  const { entry } = await grace.write("post_message", {
    threadId,
    text: "Well put.",
    replyToEntryId: receipt.entry?.entryId as string,
  })
  t.equal(entry?.sequence, 4, "a card can be replied to")
  t.equal(await refusedAs(reader.read("checkpoint", { checkpointId: nobody })), "404 room_unavailable")
})

t.test(
  "its text stands once, in its read and in its Thread's Markdown, and what the digest covers on request",
  async (t) => {
    const { threadId, grace } = await lab.room()
    const texts = {
      answer: "Ramps help where batches are large.",
      conclusion: "A ramp helps in every Room we tried.",
      synthesis: "We tried ramps in each Room, and all of them helped.",
    }
    const { checkpointId } = (await conclude(grace, threadId, texts)).result
    const path = `${lab.house.baseUrl}/api/research/checkpoints/${checkpointId}`
    const [plain, markdown] = await Promise.all(
      [path, `${lab.house.baseUrl}/threads/${threadId}.md`].map(async (each) => (await fetch(each)).text()),
    )
    for (const [name, text] of Object.entries(texts)) {
      t.equal(plain?.split(text).length, 2, `the ${name} in the read`)
      t.equal(markdown?.split(text).length, 2, `the ${name} in the Thread's Markdown`)
    }
    t.match(markdown, /the checkpoint above, through entry 0/)
    const { content, contentDigest } = await reader.read("checkpoint", { checkpointId, include: "content" })
    t.equal(digestOf(canonicalJson(content as Json)), contentDigest, "the digest can be computed again")
    t.equal((await fetch(`${path}?include=text`)).status, 422)
  },
)

// shows: A checkpoint whose Thread moved is refused with the watermark of now.
// shows: skill: guarded
t.test("an outdated watermark is refused, and the refusal gives the current one", async (t) => {
  const room = await lab.room()
  const { threadId, ada, grace } = room
  const draft = {
    threadId,
    expectedWatermark: 0,
    coversThrough: 0,
    state: "open",
    synthesis: "Nothing yet.",
    openQuestions: [],
    citations: [],
  } as const
  t.equal(
    (await grace.write("post_research_checkpoint", draft, { rehearse: true })).result.state,
    "open",
    "a checkpoint may cover nothing",
  )
  const { result } = await grace.write("post_research_checkpoint", draft)
  for (const expectedWatermark of [0, 2, 100]) {
    const refused = await refusalOf(ada.write("post_research_checkpoint", { ...draft, expectedWatermark }))
    holds(t, refused, { status: 409, refusal: "state_conflict", committed: false, retryable: false })
    const { between, ...current } = refused.current as { between: { says: string }[] }
    t.same(
      between.map(({ says }) => says),
      expectedWatermark === 0 ? ["Nothing yet."] : [],
    )
    t.strictSame(
      current,
      {
        ...{ threadId, timelineWatermark: 1, selectedCheckpointId: result.checkpointId, moreBetween: 0 },
        expected: { expectedWatermark: 1 },
      },
      `expecting ${expectedWatermark}`,
    )
  }
  const refused = await refusalOf(ada.write("post_research_checkpoint", draft))
  const { expected } = refused.current as { expected: { expectedWatermark: number } }
  await ada.write("post_research_checkpoint", { ...draft, ...expected })
  t.equal(await watermarkOf(threadId), 2, "the watermark in the refusal is accepted")
})

// shows: A checkpoint whose Thread moved is refused with the watermark of now.
t.test("of several writers who read the same watermark, only one succeeds", async (t) => {
  const room = await lab.room()
  const draft = {
    threadId: room.threadId,
    expectedWatermark: 0,
    coversThrough: 0,
    state: "open",
    synthesis: "Mine.",
    openQuestions: [],
    citations: [],
  } as const
  const outcomes = await Promise.allSettled(
    Array.from({ length: 6 }, (_, index) =>
      [room.ada, room.grace][index % 2]?.write("post_research_checkpoint", draft),
    ),
  )
  t.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1)
  t.equal(await watermarkOf(room.threadId), 1)
})

// shows: A checkpoint covers a cursor of the timeline and is open or concluded.
t.test("it covers only existing entries, and a concluded one must state its conclusion", async (t) => {
  const room = await lab.room()
  const { threadId, ada } = room
  await ada.write("post_message", { threadId, text: "One." })
  t.equal(await refusedAs(post(ada, threadId, { coversThrough: 2 })), "422 invalid_schema /coversThrough")
  t.equal(await refusedAs(post(ada, threadId, { coversThrough: -1 })), "422 invalid_schema /coversThrough")
  t.equal(await refusedAs(post(ada, threadId, { state: "concluded" })), "422 invalid_schema /conclusion")
  t.equal(
    await refusedAs(post(ada, threadId, { state: "concluded", conclusion: " " })),
    "422 invalid_schema /conclusion",
  )
  t.equal(
    await refusedAs(post(ada, threadId, { state: "done" as never, openQuestions: Array(21).fill("Why?") })),
    "422 invalid_schema /state /openQuestions",
  )
  t.equal(await watermarkOf(threadId), 1)
  const lacking = await lab.client("ada", room.roomId, { permissions: ["publish_records"] })
  t.equal(await refusedAs(post(lacking, threadId)), "403 permission_missing")
  for (const coversThrough of [0, 1]) await post(ada, threadId, { coversThrough })
})

// shows: A concluded checkpoint reads stale once a publication lands after it.
// shows: skill: stale
t.test("a concluded checkpoint is stale once a publication lands after it; an open one never is", async (t) => {
  const room = await lab.room()
  const other = await lab.room()
  const { threadId, roomId, ada, grace } = room
  const known = (await other.ada.write("publish_finding", finding(other))).result
  const publications: Readonly<Record<string, () => Promise<unknown>>> = {
    hypothesis: () => grace.write("publish_hypothesis", hypothesis(room)),
    finding: () => grace.write("publish_finding", finding(room)),
    "cited claim": () => grace.write("publish_cited_claim", claim(room)),
    "exact record reused": () => grace.write("reuse_record", { threadId, versionId: known.versionId }),
  }
  const stale = async (checkpointId: string) => [
    (await read(checkpointId)).stale,
    (await threadOf(room))?.stale,
    (await reader.read("thread_context", { threadId })).thread.stale,
    (await reader.read("thread_research_context", { threadId })).checkpoint?.stale,
  ]
  const all = (value: boolean) => [value, value, value, value]
  for (const [what, publish] of Object.entries(publications)) {
    const { result } = await conclude(ada, threadId)
    await grace.write("post_message", { threadId, text: "Said after." })
    const elsewhere = (await grace.write("create_thread", { roomId, title: "Beside" })).result
    await grace.write("publish_finding", finding({ roomId, threadId: elsewhere.threadId }))
    t.strictSame(
      await stale(result.checkpointId),
      all(false),
      `neither a message nor another Thread makes it stale (${what})`,
    )
    await publish()
    t.strictSame(await stale(result.checkpointId), all(true), what)
    holds(
      t,
      (await contextOf(roomId)).conclusion,
      { checkpointId: result.checkpointId, stale: true },
      "the Room's conclusion too",
    )
  }
  const { result: open } = await post(ada, threadId)
  await grace.write("publish_finding", finding(room))
  t.strictSame(await stale(open.checkpointId), all(false))
})

// shows: A Room whose opening Thread has a concluded checkpoint is concluded, and its context says so with the
//   conclusion.
// shows: skill: selected_checkpoint
t.test(
  "a Thread's newest checkpoint is selected; in the opening Thread it decides whether the Room is concluded",
  async (t) => {
    const room = await lab.room()
    const { roomId, threadId, ada, grace } = room
    const beside = (await grace.write("create_thread", { roomId, title: "Beside" })).result.threadId
    const told = async () => {
      const [context, summary, listed] = [
        await contextOf(roomId),
        await reader.read("room", { roomId }),
        (await reader.read("rooms", { query: "found out" })).items.find((each) => each.roomId === roomId),
      ]
      t.strictSame(
        [summary.concluded, listed?.concluded, context.room.concluded],
        [context.concluded, context.concluded, context.concluded],
      )
      t.equal(context.conclusion !== null, context.concluded)
      return [context.concluded, context.conclusion?.conclusion ?? null]
    }
    t.strictSame(await told(), [false, null])
    await conclude(grace, beside)
    t.strictSame(await told(), [false, null], "a conclusion of another Thread is not the Room's")
    await post(ada, threadId)
    t.strictSame(await told(), [false, null])
    const { result: first } = await conclude(ada, threadId, { conclusion: "It does." })
    t.strictSame(await told(), [true, "It does."])
    const { result: second } = await conclude(grace, threadId, { conclusion: "It mostly does." })
    t.strictSame(await told(), [true, "It mostly does."])
    t.strictSame([(await read(first.checkpointId)).selected, (await read(second.checkpointId)).selected], [false, true])
    t.equal((await threadOf(room))?.selectedCheckpointId, second.checkpointId)
    const { result: third } = await post(ada, threadId)
    t.strictSame(await told(), [false, null], "a later open one reopens it")
    t.strictSame([(await read(second.checkpointId)).selected, (await read(third.checkpointId)).selected], [false, true])
    holds(t, await reader.read("thread_research_context", { threadId }), {
      checkpoint: { checkpointId: third.checkpointId, state: "open" },
    })
  },
)
