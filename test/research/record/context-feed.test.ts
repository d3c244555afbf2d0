/**
 * A client that reads a Room's context and follows the feed from its watermark misses no change and counts none twice,
 * whatever others write meanwhile: a model fed only with the first context and the feed equals every later context.
 */
import { deepStrictEqual } from "node:assert/strict"
import fc from "fast-check"
import { type ActivityEntry, RefusedError, type ResearchRoomClient } from "research-room/client"
import t from "tap"
import { because, claim, finding, hypothesis } from "../../support/bodies.ts"
import { FeedModel, viewOf } from "./feed-model.ts"
import { type LabRoom, openLab } from "../../support/lab.ts"
import { launch } from "./work.ts"

const lab = await openLab(t)
const { reader } = lab
const pin = lab.house.repositories.public

/** What a writer has made so far, to build on. */
interface Own {
  readonly records: string[]
  readonly findings: string[]
  readonly experiments: string[]
  readonly threads: string[]
}

const pick = <T>(list: readonly T[], at: number): T => list[at % list.length] as T
const posted = (threadId: string, watermark: number) => ({
  threadId,
  expectedWatermark: watermark,
  coversThrough: watermark,
  synthesis: "So far.",
  citations: [],
})

type Action = (client: ResearchRoomClient, room: LabRoom, own: Own, at: number) => Promise<unknown>
const actions: Readonly<Record<string, Action>> = {
  message: (client, _room, own, at) => client.write("post_message", { threadId: pick(own.threads, at), text: "So." }),
  thread: async (client, { roomId }, own) =>
    own.threads.push((await client.write("create_thread", { roomId, title: "Another" })).result.threadId),
  hypothesis: async (client, room, own, at) =>
    own.records.push(
      (await client.write("publish_hypothesis", hypothesis({ ...room, threadId: pick(own.threads, at) }))).result
        .versionId,
    ),
  claim: async (client, room, own) =>
    own.records.push((await client.write("publish_cited_claim", claim(room))).result.versionId),
  async finding(client, room, own) {
    const { versionId } = (await client.write("publish_finding", finding(room))).result
    own.records.push(versionId)
    own.findings.push(versionId)
  },
  reuse: (client, _room, own, at) =>
    client.write("reuse_record", { threadId: pick(own.threads, at), versionId: pick(own.records, at) }),
  dispute: (client, _room, own, at) =>
    client.write("assert_dispute", { targetVersionId: pick(own.records, at), explanation: `${because} ${at}` }),
  correct: (client, _room, own, at) =>
    client.write("assert_correction", {
      targetVersionId: pick(own.records, at),
      explanation: `${because} ${at}`,
      correction: "So.",
    }),
  retract: (client, _room, own, at) =>
    client.write("assert_retraction", { targetVersionId: pick(own.records, at), explanation: because }),
  propose: async (client, room, own) =>
    own.experiments.push(
      (
        await client.write("propose_experiment", {
          roomId: room.roomId,
          threadId: room.threadId,
          question: "Does it?",
          scope: "Here.",
          hypotheses: [],
        })
      ).result.experimentId,
    ),
  async advance(client, _room, own, at) {
    const experimentId = pick(own.experiments, at)
    const { affordances, status } = await client.read("experiment", { experimentId })
    if (status === "open") return client.write("take_experiment", { experimentId, ...affordances.expected })
    if (at % 2 === 0)
      return client.write("release_experiment", { experimentId, ...affordances.expected, handoff: "Yours." })
    return client.write("register_attempt", {
      attemptId: crypto.randomUUID(),
      experimentId,
      ...affordances.expected,
      ...launch,
      repository: { url: pin.url, commit: pin.commit },
    })
  },
  relate: (client, _room, own, at) =>
    client.write("link_experiment_finding", {
      experimentId: pick(own.experiments, at),
      findingVersionId: pick(own.findings, at),
      towardHypothesis: [],
      towardQuestion: { verdict: "answers", explanation: because },
    }),
  async checkpoint(client, _room, own, at) {
    const threadId = pick(own.threads, at)
    const { timelineWatermark } = (await client.read("thread_context", { threadId })).thread
    const state =
      at % 2 === 0
        ? { state: "open" as const, openQuestions: ["Why?"] }
        : { state: "concluded" as const, conclusion: "So.", openQuestions: [] }
    await client.write("post_research_checkpoint", { ...posted(threadId, timelineWatermark), ...state })
  },
}

interface Step {
  readonly action: string
  readonly at: number
}
const script: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ action: fc.constantFrom(...Object.keys(actions)), at: fc.nat(7) }),
  {
    minLength: 8,
    maxLength: 24,
  },
)

/** Runs a script step by step. A step that the state does not allow is refused and changes nothing. */
async function write(client: ResearchRoomClient, room: LabRoom, steps: readonly Step[]): Promise<number> {
  const own: Own = { records: [], findings: [], experiments: [], threads: [room.threadId] }
  let accepted = 0
  for (const { action, at } of [...["finding", "propose"].map((first) => ({ action: first, at: 0 })), ...steps]) {
    try {
      await (actions[action] as Action)(client, room, own, at)
      accepted += 1
    } catch (error) {
      if (!(error instanceof RefusedError) || error.status !== 409) throw error
    }
  }
  return accepted
}

/** Reads contexts while others write, and one more afterwards. */
async function watch(roomId: string, underWay: Promise<unknown>) {
  const contexts = [await reader.read("room_context", { roomId })]
  let writing = true
  void underWay.finally(() => (writing = false))
  while (writing) contexts.push(await reader.read("room_context", { roomId }))
  return [...contexts, await reader.read("room_context", { roomId })]
}

/** Reads the feed from one watermark to another, in pages of `limit`, or live if `limit` is null. */
async function feed(roomId: string, after: number, until: number, limit: number | null): Promise<ActivityEntry[]> {
  const found: ActivityEntry[] = []
  if (after === until) return found
  const source =
    limit === null ? reader.follow(roomId, { after, wait: 1 }) : reader.items("room_activity", { roomId, after, limit })
  for await (const entry of source) {
    found.push(entry)
    if (entry.sequence === until) break
  }
  return found
}

// shows: Whoever keeps its watermark and follows the feed misses and repeats nothing.
t.test("a context and the feed after it give every later context", async (t) => {
  let compared = 0
  let moving = 0
  await fc.assert(
    fc.asyncProperty(fc.tuple(script, script, script), fc.constantFrom(1, 7, 50, null), async (scripts, limit) => {
      const room = await lab.room()
      const writers = Promise.all(
        (["ada", "grace", "mary"] as const).map((name, index) => write(room[name], room, scripts[index] ?? [])),
      )
      const contexts = await watch(room.roomId, writers)
      await writers
      const last = contexts.at(-1)?.activityWatermark ?? 0
      for (const start of [0, Math.floor(contexts.length / 2)]) {
        const [first, ...later] = contexts.slice(start)
        if (first === undefined) continue
        const model = new FeedModel(reader, first)
        const entries = await feed(room.roomId, first.activityWatermark, last, limit)
        for (const context of later) {
          while (model.view.watermark < context.activityWatermark) await model.apply(entries.shift() as ActivityEntry)
          deepStrictEqual(model.view, viewOf(context))
          compared += 1
        }
        moving += new Set(contexts.map(({ activityWatermark }) => activityWatermark)).size
        deepStrictEqual(entries, [], "no entries are left over")
      }
    }),
    { numRuns: 6, endOnFailure: true },
  )
  t.ok(compared > 12 && moving > 12, `${compared} contexts compared, at ${moving} watermarks`)
})

// shows: Whoever keeps its watermark and follows the feed misses and repeats nothing.
t.test("a context read before the Room changed is still a valid start for following the feed", async (t) => {
  const room = await lab.room()
  const before = await reader.read("room_context", { roomId: room.roomId })
  const model = new FeedModel(reader, before)
  await write(room.ada, room, [
    { action: "dispute", at: 0 },
    { action: "checkpoint", at: 1 },
    { action: "relate", at: 0 },
  ])
  for await (const entry of reader.items("room_activity", {
    roomId: room.roomId,
    after: before.activityWatermark,
    limit: 2,
  }))
    await model.apply(entry)
  const now = await reader.read("room_context", { roomId: room.roomId })
  t.strictSame(model.view, viewOf(now))
  t.strictSame(
    [now.concluded, now.findingLinks.length, now.publications[0]?.status],
    [true, 1, "disputed"],
    "and the Room has changed",
  )
})
