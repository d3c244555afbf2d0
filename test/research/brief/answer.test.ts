/** What one meets first of a Room: the answer of its conclusion, and guards of batches that hold it together. */
import t from "tap"
import { finding, freshId } from "../../support/bodies.ts"
import { type LabRoom, openLab, refusalOf } from "../../support/lab.ts"
import { Work } from "../record/work.ts"

const lab = await openLab(t)
const { reader } = lab
const watermarkOf = async ({ threadId }: LabRoom) =>
  (await reader.read("thread_context", { threadId })).thread.timelineWatermark
const conclusion = `Shift helps most at 100 labels.\n\n${"The rest is told at length. ".repeat(40)}`
const checkpoint = (room: LabRoom, expectedWatermark: unknown, more: object = {}) => ({
  schemaVersion: 3,
  requestId: freshId(),
  threadId: room.threadId,
  expectedWatermark,
  coversThrough: 0,
  state: "concluded",
  synthesis: "So.",
  conclusion,
  openQuestions: [],
  citations: [],
  ...more,
})

t.test("a conclusion is told by its answer; without one, by its first whole paragraph", async (t) => {
  const room = await lab.room()
  const said = async () => (await reader.read("room_brief", { roomId: room.roomId, budget: 2_500 })).stands[0]?.says
  await room.ada.write("post_research_checkpoint", checkpoint(room, await watermarkOf(room)) as never)
  t.equal(await said(), "Shift helps most at 100 labels.")
  const answer = "Shift helps at 100 and 400 labels. Nothing helps at 1,000."
  const { result } = await room.ada.write(
    "post_research_checkpoint",
    checkpoint(room, await watermarkOf(room), { answer }) as never,
  )
  t.equal(await said(), answer)
  t.equal((await reader.read("checkpoint", { checkpointId: result.checkpointId })).answer, answer)
  const found = await reader.read("search", {
    query: "Nothing helps",
    roomId: room.roomId,
    kinds: "checkpoint",
  } as never)
  t.match(found.items, [{ kind: "checkpoint", title: answer }], "search tells it by its answer")
  const { items } = await reader.read("search", { query: "length", roomId: room.roomId, kinds: "checkpoint" } as never)
  t.match(
    items.map(({ title }) => title).sort(),
    ["Shift helps at 100 and 400 labels. Nothing helps at 1,000.", "Shift helps most at 100 labels."],
    "and one without an answer by its first whole paragraph",
  )
  const feed = await (
    await fetch(`${lab.house.baseUrl}/api/research/rooms/${room.roomId}/activity?format=lines`)
  ).text()
  t.match(feed, `concluded: ${answer}`)
  t.match(feed, /concluded: Shift helps most at 100 labels\.\n/)
  for (const form of ["/feed.atom", ".md"]) {
    const text = await (await fetch(`${lab.house.baseUrl}/threads/${room.threadId}${form}`)).text()
    t.match(text, answer, form)
  }
  const document = await (await fetch(`${lab.house.baseUrl}/checkpoints/${result.checkpointId}.md`)).text()
  t.match(document, answer)
  const long = checkpoint(room, await watermarkOf(room), { answer: "x".repeat(601) })
  t.match((await refusalOf(room.ada.write("post_research_checkpoint", long as never))).issues, [{ path: "/answer" }])
})

interface Current {
  readonly between: readonly object[]
  readonly moreBetween: number
}
interface Answer {
  readonly refusal?: string
  readonly error?: string
  readonly receipts?: unknown[]
  readonly current?: Current
}

t.test("a batch guards a watermark as it was read, whatever it writes before", async (t) => {
  const room = await lab.room()
  const message = (text: string) => ({
    operation: "post_message",
    params: { threadId: room.threadId },
    body: { schemaVersion: 3, clientMessageId: freshId(), text },
  })
  const read = await watermarkOf(room)
  const { token } = await lab.credential("ada", room.roomId, { permissions: ["post_thread"] })
  const send = async (writes: readonly object[]) => {
    const answer = await fetch(`${lab.house.baseUrl}/api/agent/research/batch`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ writes }),
    })
    return { status: answer.status, body: (await answer.json()) as Answer }
  }
  const concluding = (after: number) => ({
    operation: "post_research_checkpoint",
    body: checkpoint(room, { $after: after }, { coversThrough: { $after: after } }),
  })
  const whole = await send([message("One."), message("Two."), concluding(read)])
  t.match(whole, { status: 200 })
  t.equal(await watermarkOf(room), read + 3)
  t.match((await reader.read("room_brief", { roomId: room.roomId })).stands, [{ stale: false }])
  t.equal(
    (await reader.read("thread_research_context", { threadId: room.threadId })).checkpoint?.coversThrough,
    read + 2,
    "it covers what the batch wrote before it",
  )
  t.match(await send([message("Three."), concluding(read)]), { status: 409, body: { refusal: "state_conflict" } })
  t.equal(await watermarkOf(room), read + 3, "what was written between is not passed over")
  const { current } = (await send([message("Three."), concluding(read)])).body
  const { error: ended } = (await send([message("Three."), concluding(read)])).body
  t.match(ended, /since you read it at \d+: One\. · Two\. · Shift helps most at 100 labels[^(]*[^.]\.$/, "a sentence")
  t.match(current, {
    timelineWatermark: read + 3,
    between: [
      { sequence: read + 1, label: null, says: "One.", by: /^ada/ },
      { sequence: read + 2, says: "Two." },
      { sequence: read + 3, says: /^Shift helps most at 100 labels\./ },
    ],
    moreBetween: 0,
  })
  t.equal(current?.between.length, 3, "without what the batch itself wrote before")

  const beyond = await send([message("Four."), concluding(read + 99)])
  t.match(beyond, { status: 409, body: { error: /ends at \d+; it has no entry \d+\.$/, current: { between: [] } } })
  const elsewhere = await lab.room()
  for (let count = 0; count < 12; count += 1)
    await elsewhere.ada.write("post_message", { threadId: elsewhere.threadId, text: `Word ${count}.` })
  const ofAnother = checkpoint(elsewhere, await watermarkOf(room))
  const refusal = await refusalOf(elsewhere.ada.write("post_research_checkpoint", ofAnother as never))
  t.match(refusal, { status: 409 }, "a watermark of another Thread is another watermark")
  const wrongThread = await send([message("Five."), concluding(await watermarkOf(elsewhere))])
  t.match(wrongThread, { status: 409, body: { current: { between: [] } } }, "within a batch too")
  t.equal(await watermarkOf(room), read + 3, "and nothing of that batch is stored")
  const covering = (through: unknown) =>
    send([
      message("Six."),
      {
        operation: "post_research_checkpoint",
        body: checkpoint(room, { $after: read + 3 }, { coversThrough: through }),
      },
    ])
  t.match(await covering({ $after: read + 99 }), { status: 422 }, "it covers no entry that does not exist")
  t.match(await covering(read + 99), { status: 422 })
  const stale = checkpoint(elsewhere, 1)
  const { current: told } = await refusalOf(elsewhere.ada.write("post_research_checkpoint", stale as never))
  t.equal((told as unknown as Current).between.length, 10, "at most ten are listed")
  t.equal((told as unknown as Current).moreBetween, (await watermarkOf(elsewhere)) - 1 - 10)
  const work = await Work.begin(lab, elsewhere)
  const before = await watermarkOf(elsewhere)
  await work.attempt("failed")
  const missed = checkpoint(elsewhere, before)
  const moved = elsewhere.ada.write("post_research_checkpoint", missed as never)
  const { message: reason, current: since } = await refusalOf(moved)
  t.match(
    (since as unknown as Current).between,
    [
      { label: "A1", says: /^registered exploratory attempt A1: .+\.$/ },
      { label: "A1", says: "A1 started." },
      { label: "A1", says: /^A1 failed: .+\.$/ },
    ],
    "what the service recorded is told as the Room's feed tells it",
  )
  t.match(reason, /at \d+: registered exploratory attempt A1.+ · A1 started\. · A1 failed/)
  const alone = checkpoint(room, { $after: read + 3 })
  const outside = await refusalOf(room.ada.write("post_research_checkpoint", alone as never))
  const needed = [
    {
      path: "/expectedWatermark",
      message: /^must be a number: \{"\$after": 57\} works only in one request with several writes/,
    },
  ]
  t.match(outside, { status: 422, issues: needed }, "outside of a batch it means nothing, and the refusal says so")
  const covers = checkpoint(room, read + 3, { coversThrough: { $after: read + 3 } })
  const uncovered = await refusalOf(room.ada.write("post_research_checkpoint", covers as never))
  t.match(uncovered, { status: 422, issues: [{ path: "/coversThrough" }] })
  for (const wrong of [{ $after: -1 }, { $after: 1.5 }, { $after: "3" }, { $after: 3, more: 1 }]) {
    const odd = { operation: "post_research_checkpoint", body: checkpoint(room, wrong) }
    t.match(await send([odd]), { status: 422 }, JSON.stringify(wrong))
  }
})

t.test(
  "next asks for the finding of an experiment whose runs have ended, and for a reproduction by another agent",
  async (t) => {
    const room = await lab.room()
    const { roomId } = room
    const work = await Work.begin(lab, room)
    const attemptId = await work.attempt("succeeded")
    const next = async () => (await reader.read("room_next", { roomId })).items.map(({ what }) => what)
    t.ok((await next()).includes("write_finding"))
    const claimed = { object: work.experimentId, what: "write_finding" as const, minutes: 30 }
    await room.ada.write("claim_work", claimed)
    t.notOk((await next()).includes("write_finding"), "not while another is at it")
    const execution = work.execution([attemptId])
    await room.ada.write("publish_finding", finding(room, { provenance: { execution, papers: [] } }))
    t.strictSame((await reader.read("room_next", { roomId })).claims, [], "the claim ends with its work")
    t.notOk((await next()).includes("write_finding"))
    t.ok((await next()).includes("reproduce_finding"))
  },
)
