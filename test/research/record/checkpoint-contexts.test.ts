/** Checkpoints in contexts and archived Rooms: open questions, and the archive block beside stale. */
import t from "tap"
import { because, finding } from "../../support/bodies.ts"
import { holds } from "./holds.ts"
import { openLab, refusedAs } from "../../support/lab.ts"
import { posting } from "./posting.ts"

const lab = await openLab(t)
const { reader, userIds } = lab
const { post, conclude, read, contextOf } = posting(reader)

// shows: Open questions of selected checkpoints appear in the Room context.
t.test("the context holds the open questions of the selected checkpoints, and no others", async (t) => {
  const room = await lab.room()
  const { roomId, threadId, ada } = room
  const beside = (await ada.write("create_thread", { roomId, title: "Beside" })).result.threadId
  await post(ada, threadId, { openQuestions: ["Old?"] })
  const { result: one } = await post(ada, threadId, { openQuestions: ["First?", "Second?"] })
  const { result: two } = await conclude(ada, beside, { openQuestions: ["Third?"] })
  const asked = (question: string, checkpointId: string, thread: string) => ({
    question,
    checkpointId,
    threadId: thread,
  })
  const all = [
    asked("First?", one.checkpointId, threadId),
    asked("Second?", one.checkpointId, threadId),
    asked("Third?", two.checkpointId, beside),
  ]
  t.strictSame((await contextOf(roomId)).openQuestions, all)
  t.strictSame((await reader.read("thread_research_context", { threadId })).openQuestions, all.slice(0, 2))
  t.strictSame((await reader.read("thread_research_context", { threadId: beside })).openQuestions, all.slice(2))
  await post(ada, threadId)
  t.strictSame((await contextOf(roomId)).openQuestions, all.slice(2))
})

// shows: In an archived Room an archive block stands beside stale.
t.test(
  "in an archived Room a checkpoint shows the archive beside stale, and a retry still returns its receipt",
  async (t) => {
    const room = await lab.room()
    const { roomId, threadId, ada, grace } = room
    const body = {
      threadId,
      expectedWatermark: 0,
      coversThrough: 0,
      state: "concluded",
      conclusion: "So.",
      synthesis: "So.",
      openQuestions: [],
      citations: [],
      requestId: crypto.randomUUID(),
    } as const
    const first = await ada.write("post_research_checkpoint", body)
    await grace.write("publish_finding", finding(room))
    await lab.archive(roomId)
    const archive = { archivedBy: { userId: userIds.ada, username: "ada" }, reason: "It is answered." }
    holds(t, await read(first.result.checkpointId), { stale: true, selected: true, archive })
    holds(t, await contextOf(roomId), {
      concluded: true,
      conclusion: { stale: true, archive },
      room: { state: "archived", archive },
    })
    holds(t, await reader.read("thread_research_context", { threadId }), {
      checkpoint: { stale: true, archive },
      room: { state: "archived", archive },
    })
    t.strictSame(await ada.write("post_research_checkpoint", body), { ...first, replayed: true })
    t.equal(
      await refusedAs(ada.write("post_research_checkpoint", { ...body, requestId: crypto.randomUUID() })),
      "404 room_unavailable",
    )
    await lab.ada.write("restore_room", { roomId, reason: because })
    holds(t, await read(first.result.checkpointId), { archive: null, stale: true })
  },
)
