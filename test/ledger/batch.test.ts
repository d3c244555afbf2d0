/** Several writes in one request: all are stored, in order, or none. */
import "../support/seed.ts"
import fc from "fast-check"
import tap, { test } from "tap"
import { startDemo } from "../../src/demo/demo.ts"
import { openLog } from "../../src/log.ts"
import { ask, type Json } from "../support/ask.ts"
import { action, type Body, freshId, hypothesis, message, proposal, thread } from "../support/bodies.ts"

const start = () => startDemo({ host: "127.0.0.1", port: 0, kept: process.env.TOLD_DEMO, log: openLog("silent") })
const [together, apart] = [await start(), await start()]
tap.teardown(async () => {
  await together.close()
  await apart.close()
})
type Demo = typeof together

const send = (demo: Demo, writes: readonly object[], query = "") =>
  ask(`${demo.baseUrl}/api/agent/research/batch${query}`, {
    token: demo.credentials.member_all.token,
    body: { writes },
  })
const feed = async (demo: Demo, after: unknown) => {
  const { roomId } = demo.rooms.empty
  return (await ask(`${demo.baseUrl}/api/research/rooms/${roomId}/activity?after=${after}&include=summary,content`))
    .body
}
/** The sequence of the newest entry of the Room. */
const head = async (demo: Demo) =>
  Number((await ask(`${demo.baseUrl}/api/research/rooms/${demo.rooms.empty.roomId}/brief`)).body.activityWatermark)
const of = (from: string, path = "/targetId") => ({ $from: from, path })

/** A text with each id replaced by its order of appearance, and times and digests removed. */
function told(value: unknown): string {
  const seen: string[] = []
  return JSON.stringify(value)
    .replace(/"\w*(?:At|at)":"20[^"]+"/g, '"at"')
    .replace(/sha256:[0-9a-f]{64}/g, "digest")
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
      if (!seen.includes(id)) seen.push(id)
      return `#${seen.indexOf(id)}`
    })
}

interface Step {
  readonly kind: "create_thread" | "post_message" | "publish_hypothesis" | "propose_experiment"
  /** Which of the Threads created earlier the step is in; the opening Thread if none is named. */
  readonly place: number
  readonly words: string
}
const path = {
  create_thread: "/threads",
  publish_hypothesis: "/research/publish_hypothesis",
  propose_experiment: "/research/propose_experiment",
}

/** The write of a step. @param threadOf the id of a Thread created earlier, or a placeholder for it */
function written(
  { kind, place, words }: Step,
  demo: Demo,
  ids: readonly string[],
  threadOf: (name: string) => unknown,
): Body {
  const { roomId, openingThreadId } = demo.rooms.empty
  const name = ids[place % (ids.length + 1)]
  const threadId = name === undefined ? openingThreadId : threadOf(name)
  const body =
    kind === "create_thread"
      ? thread(roomId, { title: words })
      : kind === "post_message"
        ? message(words)
        : kind === "publish_hypothesis"
          ? action({ ...hypothesis({ roomId, threadId: String(threadId) }), scope: words, threadId })
          : action({ ...proposal({ roomId, threadId: String(threadId) }), question: words, threadId })
  return { operation: kind, ...(kind === "post_message" ? { params: { threadId } } : {}), body }
}

// shows: skill: several
test("a batch does the same as its writes sent one after the other", async (t) => {
  const kind = fc.constantFrom<Step["kind"]>(
    "create_thread",
    "post_message",
    "publish_hypothesis",
    "propose_experiment",
  )
  const step = fc.record({ kind, place: fc.nat(20), words: fc.stringMatching(/^[a-z]{3,9}( [a-z]{3,9}){0,4}$/) })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), async (steps) => {
      const before = [await head(together), await head(apart)]
      const made: string[] = []
      const named = steps.map((each, index) => {
        const write = { as: `w${index}`, ...written(each, together, made, (name) => of(name)) }
        if (each.kind === "create_thread") made.push(`w${index}`)
        return write
      })
      const batch = await send(together, named)

      const receipts: Json[] = []
      const ids = new Map<string, unknown>()
      const threads: string[] = []
      for (const [index, each] of steps.entries()) {
        const { params, body } = written(each, apart, threads, (name) => ids.get(name)) as {
          params?: { threadId: string }
          body: Body
        }
        const address = each.kind === "post_message" ? `/threads/${params?.threadId}/messages` : path[each.kind]
        const answer = await ask(`${apart.baseUrl}/api/agent${address}`, {
          token: apart.credentials.member_all.token,
          body,
        })
        receipts.push(answer.body)
        ids.set(`w${index}`, answer.body.targetId)
        if (each.kind === "create_thread") threads.push(`w${index}`)
      }
      const bare = (each: Json) => ({ ...each, similar: undefined })
      const [one, other] = [batch.body.receipts as unknown as readonly Json[], receipts]
      if (batch.status !== 200) throw new Error(batch.text)
      if (told(one.map(bare)) !== told(other.map(bare)))
        throw new Error(`${told(one.map(bare))}\n${told(other.map(bare))}`)
      const [first, second] = [told(await feed(together, before[0])), told(await feed(apart, before[1]))]
      if (first !== second) throw new Error(`${first}\n${second}`)
    }),
    { numRuns: 12 },
  )
  t.pass()
})

test("a retry replays each write; a rehearsal stores nothing", async (t) => {
  const { roomId } = together.rooms.empty
  const writes = [
    { as: "a", operation: "create_thread", body: thread(roomId) },
    { operation: "post_message", params: { threadId: of("a") }, body: message("The first.") },
  ]
  const before = await head(together)
  const rehearsed = await send(together, writes, "?rehearse=1")
  t.match(rehearsed.body, { receipts: [{ rehearsed: true }, { rehearsed: true, entry: { sequence: 2 } }] })
  t.equal(await head(together), before)
  const sent = await send(together, writes)
  t.equal(sent.body.receipts?.[1]?.threadId, sent.body.receipts?.[0]?.targetId)
  const again = await send(together, writes)
  t.match(again.body, { receipts: [{ replayed: true }, { replayed: true }] })
  t.ok(before > 0)
  t.equal(await head(together), before + 2)
})

test("one refused write refuses the whole batch, and the refusal names the write and the field", async (t) => {
  const { roomId, openingThreadId: threadId } = together.rooms.empty
  const before = await head(together)
  const first = { as: "a", operation: "create_thread", body: thread(roomId) }
  const cases: [string, readonly object[], object][] = [
    [
      "a fault of a body",
      [first, { operation: "post_message", params: { threadId: of("a") }, body: message(" ") }],
      { refusal: "invalid_schema", issues: [{ path: "/writes/1/body/text" }] },
    ],
    [
      "a name that is not there",
      [{ operation: "post_message", params: { threadId: of("b") }, body: message() }],
      { refusal: "invalid_schema", issues: [{ path: "/writes/0/params/threadId" }] },
    ],
    [
      "a circle",
      [
        { as: "a", operation: "post_message", params: { threadId: of("b") }, body: message() },
        { as: "b", operation: "post_message", params: { threadId: of("a") }, body: message() },
      ],
      { refusal: "invalid_schema", issues: [{ path: "/writes/0/params/threadId" }] },
    ],
    [
      "a place that a receipt does not have",
      [first, { operation: "post_message", params: { threadId: of("a", "/nowhere") }, body: message() }],
      { refusal: "invalid_schema", issues: [{ path: "/writes/1/params/threadId" }] },
    ],
    [
      "two with the same name",
      [first, { ...first, body: thread(roomId) }],
      { refusal: "invalid_schema", issues: [{ path: "/writes/1/as" }] },
    ],
    ["none", [], { refusal: "invalid_schema", issues: [{ path: "/writes" }] }],
    [
      "more than twenty",
      Array.from({ length: 21 }, () => ({ operation: "create_thread", body: thread(roomId) })),
      { refusal: "invalid_schema" },
    ],
    [
      "an operation of the Library",
      [{ operation: "save_papers", body: {} }],
      { refusal: "invalid_schema", issues: [{ path: "/writes/0/operation" }] },
    ],
    [
      "a Thread that is not there",
      [first, { operation: "post_message", params: { threadId: freshId() }, body: message() }],
      { issues: [{ path: "/writes/1" }] },
    ],
    [
      "the same id with other content",
      [
        {
          operation: "post_message",
          params: { threadId },
          body: message("One.", { clientMessageId: "0198f3a0-5b1e-7c44-9d8e-2f6a1b3c4d5f" }),
        },
        {
          operation: "post_message",
          params: { threadId },
          body: message("Two.", { clientMessageId: "0198f3a0-5b1e-7c44-9d8e-2f6a1b3c4d5f" }),
        },
      ],
      { refusal: "request_conflict", issues: [{ path: "/writes/1" }] },
    ],
  ]
  for (const [name, writes, refused] of cases) {
    const answer = await send(together, writes)
    t.match(answer.body, { committed: false, ...refused }, name)
    t.equal(await head(together), before, `${name}: nothing is stored`)
  }
})

test("a batch may take only a limited number of values from its receipts, because each can be long", async (t) => {
  const { roomId, openingThreadId: threadId } = together.rooms.empty
  const first = { as: "a", operation: "post_message", params: { threadId }, body: message("The first.") }
  const batch = (count: number) => [
    first,
    {
      operation: "publish_hypothesis",
      body: { ...action(hypothesis({ roomId, threadId })), references: Array.from({ length: count }, () => of("a")) },
    },
  ]
  const { status, body } = await send(together, batch(201))
  t.strictSame(
    [status, body.issues],
    [422, [{ path: "/writes/1", message: "at most 200 values of a batch may come from receipts" }]],
  )
  t.match(
    (await send(together, batch(3))).body.issues,
    [{ path: /^\/writes\/1\/body\/references/ }],
    "fewer are checked one by one",
  )
})

test(
  "an experiment is proposed, taken, planned, run and reported in one request; " +
    "a host that refuses it refuses all of it",
  async (t) => {
    const { roomId, openingThreadId: threadId } = together.rooms.empty
    const body = (more: Body): Body => ({ schemaVersion: 3, requestId: freshId(), ...more })
    const work = (repository: object): object[] => {
      const attemptId = freshId()
      const expected = (of: string) => ({
        expectedRevision: { $from: of, path: "/result/revision" },
        expectedStatus: { $from: of, path: "/result/status" },
      })
      const event = (of: string, event: string, more: Body = {}) => ({
        operation: "report_attempt_event",
        as: event,
        body: body({ attemptId, event, ...expected(of), reportedAt: new Date().toISOString(), ...more }),
      })
      const experimentId = of("proposed")
      return [
        { as: "proposed", operation: "propose_experiment", body: action(proposal({ roomId, threadId })) },
        { as: "taken", operation: "take_experiment", body: body({ experimentId, ...expected("proposed") }) },
        {
          as: "planned",
          operation: "accept_plan",
          body: body({
            experimentId,
            ...expected("taken"),
            repository,
            hypotheses: [],
            premises: [],
            intent: "exploratory",
            requiredMaterials: [],
            protocol: { summary: "Run it once.", steps: [], arms: [] },
          }),
        },
        {
          as: "registered",
          operation: "register_attempt",
          body: body({
            attemptId,
            experimentId,
            ...expected("planned"),
            intent: "planned",
            planId: of("planned", "/result/planId"),
            repository,
            argv: ["python", "run.py"],
            configuration: { looksLike: { $from: "nothing" } },
            inputs: [],
          }),
        },
        event("registered", "started"),
        event("started", "succeeded", { metrics: [{ name: "loss", value: 0.5 }] }),
      ]
    }
    const { url, commit } = together.repositories.public
    const before = await head(together)
    const refused = await send(together, work({ url, commit: "0".repeat(40) }))
    t.match(refused.body, { refusal: "repository_unavailable", issues: [{ path: "/writes/2/body/repository" }] })
    t.equal(await head(together), before)
    const unasked = await send(together, work({ url, commit: of("proposed", "/result/label") }))
    t.match(unasked.body, { refusal: "invalid_schema", committed: false })

    const writes = work({ url, commit })
    const done = await send(together, writes)
    t.equal(done.status, 200, done.text)
    const attempts = await ask(
      `${together.baseUrl}/api/research/attempts?experimentId=${done.body.receipts?.[0]?.targetId}`,
    )
    t.match(attempts.body, { items: [{ status: "succeeded" }] })
    t.match((await send(together, writes)).body, { receipts: writes.map(() => ({ replayed: true })) })
  },
)

test("a stranger's request is not opened", async (t) => {
  const answer = await ask(`${together.baseUrl}/api/agent/research/batch`, { body: { writes: [] } })
  t.equal(answer.status, 401)
})
