/**
 * Two agents of one person and one of another work in one Room. Each claims what it works on; the others see it, and
 * `next` offers claimed work to nobody else.
 */
import { join } from "node:path"
import tap, { test } from "tap"
import { ask } from "../../support/ask.ts"
import { checkData } from "../../../src/check/check.ts"
import { action, finding, hypothesis, message, proposal } from "../../support/bodies.ts"
import { untilClean } from "../../support/clean.ts"
import { codesOf, openAgents, refusedWith } from "../../support/lab.ts"
import { elsewhere } from "../../support/elsewhere.ts"
import { launch, reportedAt } from "../record/work.ts"

const own = await openAgents(tap, "Claimed")
const { repository, ada, grace, roomId, threadId, mcp, sweeper, runner } = own
type Client = typeof mcp
const MINUTE = 60_000
const propose = async () =>
  (await grace.write("propose_experiment", proposal({ roomId, threadId }) as never)).result.experimentId
const claim = (client: Client, said: object) => client.write("claim_work", { minutes: 30, ...said } as never)
const next = () => mcp.read("room_next", { roomId })
const offered = async (id: string) => (await next()).items.some(({ object }) => object.id === id)
const claimed = async () =>
  (await next()).claims.map(({ what, object, by, agent }) => `${what} ${object.label ?? object.kind} ${by} ${agent}`)

// shows: skill: next
test(
  "claimed work is offered to nobody, shown in next and in the brief, " + "and the claim expires by itself",
  async (t) => {
    const experimentId = await propose()
    t.ok(await offered(experimentId))
    const { warnings } = await claim(mcp, { object: experimentId, what: "run", note: "Seeds 1 to 5." })
    t.strictSame(warnings, [])
    t.notOk(await offered(experimentId))
    t.strictSame(await claimed(), ["run E1 ada mcp"])
    const { claims } = await mcp.read("room_brief", { roomId })
    t.match(claims, [{ note: "Seeds 1 to 5.", object: { id: experimentId, kind: "experiment" } }])
    t.match(
      (await ask(`${own.baseUrl}/api/research/rooms/${roomId}/brief?format=markdown`)).text,
      /## Claimed by agents at work\n- run E1 \(ada · agent mcp, until /,
    )
    t.match(await (await fetch(`${own.baseUrl}/rooms/${roomId}`)).text(), /Claimed<\/span> <strong>run<\/strong>/)
    own.pass(29 * MINUTE)
    t.notOk(await offered(experimentId))
    own.pass(2 * MINUTE)
    t.ok(await offered(experimentId))
    t.strictSame(await claimed(), [])
  },
)

test("a write about the object by the claiming agent renews the claim, one by another agent does not", async (t) => {
  const experimentId = await propose()
  await claim(mcp, { object: experimentId, what: "run" })
  own.pass(20 * MINUTE)
  await mcp.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  own.pass(20 * MINUTE)
  t.strictSame(await claimed(), ["run E2 ada mcp"])
  await mcp.write("report_experiment_status", {
    experimentId,
    expectedRevision: 2,
    expectedStatus: "claimed",
    status: "in_progress",
  })
  own.pass(20 * MINUTE)
  t.strictSame(await claimed(), ["run E2 ada mcp"])
  const handoff = {
    experimentId,
    expectedRevision: 3,
    expectedStatus: "in_progress",
    handoff: "Seeds 4 and 5 are left.",
  } as const
  await sweeper.write("release_experiment", handoff)
  own.pass(11 * MINUTE)
  t.strictSame(await claimed(), [])
  const { result, entry } = await grace.write("publish_hypothesis", hypothesis({ roomId, threadId }))
  await claim(mcp, { object: result.versionId, what: "review" })
  own.pass(20 * MINUTE)
  await mcp.write("post_message", {
    threadId,
    ...message("Why 400 steps?", { replyToEntryId: entry?.entryId }),
  } as never)
  own.pass(20 * MINUTE)
  t.strictSame(await claimed(), ["review H1 ada mcp"], "a reply to its card is about it")
  const { thread } = await mcp.read("thread_context", { threadId })
  await mcp.write("post_research_checkpoint", {
    ...{ threadId, expectedWatermark: thread.timelineWatermark, coversThrough: thread.timelineWatermark },
    ...{ state: "open", synthesis: "So far.", openQuestions: [], citations: [result.versionId] },
  })
  own.pass(20 * MINUTE)
  t.strictSame(await claimed(), [], "a write that only cites it is not")
})

test(
  "an agent that does claimed work gets a warning with the claimant and " + "the time limit; it is not refused",
  async (t) => {
    const experimentId = await propose()
    const { result: first } = await claim(mcp, { object: experimentId, what: "run" })
    const taken = await runner.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
    t.match(taken.warnings, [
      {
        code: "claimed_by",
        claimId: first.claimId,
        by: "ada",
        agent: "mcp",
        label: "E3",
        what: "run",
        until: first.until,
      },
    ])
    t.match(taken.warnings[0]?.message, "ada · agent mcp has claimed this work until ")
    t.strictSame(
      codesOf(await claim(sweeper, { object: experimentId, what: "run" })),
      ["claimed_by"],
      "another agent of the same person too",
    )
    t.strictSame(
      codesOf(await claim(runner, { object: experimentId, what: "review" })),
      [],
      "other work is a different claim",
    )
    await claim(mcp, { threadId, what: "write_checkpoint" })
    const { thread } = (await runner.read("thread_research_context", { threadId })) as {
      thread: { timelineWatermark: number }
    }
    const { timelineWatermark } = thread
    const summary = {
      threadId,
      expectedWatermark: timelineWatermark,
      coversThrough: timelineWatermark,
      synthesis: "So far.",
      openQuestions: [],
      citations: [],
    }
    t.strictSame(codesOf(await runner.write("post_research_checkpoint", { ...summary, state: "open" })), ["claimed_by"])
    own.pass(300 * MINUTE)
  },
)

test("a new claim replaces the agent's own for the same work, and its person can release it", async (t) => {
  const experimentId = await propose()
  const first = await claim(mcp, { object: experimentId, what: "run", minutes: 240 })
  const second = await claim(mcp, { object: experimentId, what: "run", minutes: 5 })
  t.strictSame(codesOf(second), [])
  t.strictSame(await claimed(), ["run E4 ada mcp"])
  const { claimId } = second.result
  t.equal(await refusedWith(runner.write("release_claim", { claimId })), "role_required")
  const { items: before } = await mcp.read("inbox", { after: 0 })
  await sweeper.write("release_claim", { claimId })
  t.strictSame(await claimed(), [])
  t.equal(await refusedWith(mcp.write("release_claim", { claimId })), "state_conflict", "it is over")
  t.equal(
    await refusedWith(mcp.write("release_claim", { claimId: first.result.claimId })),
    "state_conflict",
    "and so is the one before",
  )
  const { items } = await mcp.read("inbox", { after: 0 })
  t.equal(items.length, before.length + 1, "the agent is notified that its claim was ended")
  t.match(items.at(-1)?.concerns, [{ kind: "work_claim", id: claimId }])
})

test("a claim on an object that is unknown, completed or in another Room is refused", async (t) => {
  const experimentId = await propose()
  await grace.write("cancel_experiment", {
    experimentId,
    expectedRevision: 1,
    expectedStatus: "open",
    reason: "Answered elsewhere.",
  })
  t.equal(await refusedWith(claim(mcp, { object: experimentId, what: "run" })), "experiment_not_open")
  const absent = "0198f3a0-0000-7000-8000-0000000000bb"
  t.equal(await refusedWith(claim(mcp, { object: absent, what: "review" })), "unknown_record")
  t.equal(await refusedWith(claim(mcp, { threadId: absent, what: "write_checkpoint" })), "room_unavailable")
  t.equal(await refusedWith(mcp.write("release_claim", { claimId: absent })), "unknown_claim")
  t.equal(await refusedWith(claim(mcp, { object: experimentId, what: "review", minutes: 4 })), "invalid_schema")
  t.equal(await refusedWith(claim(mcp, { object: experimentId, what: "review", minutes: 241 })), "invalid_schema")
  t.equal(await refusedWith(claim(mcp, { what: "review" })), "invalid_schema")
  t.equal(await refusedWith(claim(mcp, { object: experimentId, what: "write_checkpoint", threadId })), "invalid_schema")
  const { result } = await mcp.write("publish_hypothesis", hypothesis({ roomId, threadId }))
  await mcp.write("assert_retraction", { targetVersionId: result.versionId, explanation: "A slip." })
  t.equal(await refusedWith(claim(runner, { object: result.versionId, what: "review" })), "state_conflict")
  const { result: other } = await ada.write("create_room", { title: "Another" })
  t.equal(await refusedWith(claim(mcp, { threadId: other.openingThreadId, what: "write_checkpoint" })), "scope_missing")
})

test("claims survive a replay, a read of an earlier moment, withholding and an import", async (t) => {
  const experimentId = await propose()
  const receipt = await claim(mcp, { object: experimentId, what: "run", minutes: 240, note: "The key is hunter2." })
  const { claimId, until } = receipt.result
  await mcp.write("post_message", { threadId, ...message() } as never)
  await mcp.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  const { claims } = await next()
  t.strictSame(claims.filter((each) => each.claimId === claimId).length, 1)
  t.ok((claims[0]?.until ?? "") >= until)
  own.pass(60 * MINUTE)
  const at = receipt.activity?.sequence
  const past = await ask(`${own.baseUrl}/api/research/rooms/${roomId}/next?at=${at}`)
  t.match(past.body.claims, [{ claimId, until }], "at the moment of its own entry it lasts until then")
  const before = await ask(`${own.baseUrl}/api/research/rooms/${roomId}/next?at=${Number(at) - 1}`)
  t.strictSame(before.body.claims, [])
  await ada.write("withhold_content", {
    ...action({ roomId, of: { sequence: at }, fields: ["/note"], reason: "secret", explanation: "A password." }),
  } as never)
  t.match((await next()).claims, [{ claimId, note: { withheld: { reason: "secret" } } }])
  t.match(await (await fetch(`${own.baseUrl}/rooms/${roomId}`)).text(), /Withheld/)
  t.strictSame((await mcp.read("search", { query: "hunter2", roomId })).items, [], "it is not found at once")
  await untilClean(join(own.folder, "research-room.db"))
  t.strictSame(checkData(own.instance.db).problems, [], "a replay builds the same tables")
  const there = elsewhere(t)
  await there.import(
    new Uint8Array(await (await fetch(`${own.baseUrl}/api/research/rooms/${roomId}/export`)).arrayBuffer()),
  )
  t.strictSame(there.problems(), [])
  const rows = (db: typeof there.db) =>
    db
      .prepare<{ claim: string }>(
        "SELECT claim_id || what || minutes || agent || until AS claim FROM work_claims ORDER BY 1",
      )
      .all()
  t.strictSame(rows(there.db), rows(own.instance.db))
})

test("a Thread with a note takes an arm that nobody proposed; without a note it says what is missing", async (t) => {
  t.equal(await refusedWith(claim(mcp, { threadId, what: "run" })), "invalid_schema")
  const { warnings, result } = await claim(mcp, { threadId, what: "run", note: "The arm with cosine decay." })
  t.strictSame(warnings, [])
  t.ok((await claimed()).includes("run thread ada mcp"))
  const { claims } = await mcp.read("room_brief", { roomId })
  t.ok(claims.some(({ note }) => note === "The arm with cosine decay."))
  await mcp.write("release_claim", { claimId: result.claimId })
})

test("a claim on a reproduction ends with it, with a verdict or without, and stands while another runs", async (t) => {
  const experimentId = await propose()
  const { result } = await grace.write("publish_finding", finding({ roomId, threadId }))
  const { versionId } = result
  await claim(mcp, { object: versionId, what: "reproduce", minutes: 240 })
  const reproducing = async () => (await claimed()).filter((each) => each.startsWith("reproduce "))
  const isOffered = async () =>
    (await next()).items.some(({ what, object }) => what === "reproduce_finding" && object.id === versionId)
  const begin = async (client: Client) => {
    const attemptId = crypto.randomUUID()
    await client.write("register_attempt", {
      ...{ ...launch, attemptId, experimentId, intent: "reproduction", reproduces: { findingVersionId: versionId } },
      ...{ repository, argv: [...launch.argv], inputs: [] },
    })
    return attemptId
  }
  const tell = (client: Client, attemptId: string, revision: number, event: "started" | "succeeded" | "failed") =>
    client.write("report_attempt_event", {
      ...{ attemptId, event, expectedRevision: revision, reportedAt },
      expectedStatus: revision === 1 ? "registered" : "started",
      ...(event === "failed" && { failure: { stage: "running", explanation: "Out of memory." } }),
    } as never)
  const other = await begin(sweeper)
  await tell(sweeper, other, 1, "started")
  await tell(sweeper, other, 2, "failed")
  t.strictSame(await reproducing(), ["reproduce F1 ada mcp"], "another agent's reproduction is not its own")
  for (const outcome of ["failed", "succeeded"] as const) {
    const attemptId = await begin(mcp)
    await tell(mcp, attemptId, 1, "started")
    t.strictSame(await reproducing(), ["reproduce F1 ada mcp"])
    t.notOk(await isOffered())
    await tell(mcp, attemptId, 2, outcome)
    t.strictSame(await reproducing(), [], `${outcome} without a verdict`)
    t.equal(
      (await mcp.read("room_brief", { roomId })).claims.some(({ what }) => what === "reproduce"),
      false,
    )
  }
  await claim(mcp, { object: versionId, what: "reproduce" })
  t.strictSame(await reproducing(), ["reproduce F1 ada mcp"], "a new claim is of new work")
  own.pass(241 * MINUTE)
})

test("work is offered to another agent, whose inbox says so, and who is not warned of it", async (t) => {
  const experimentId = await propose()
  const before = Number((await runner.read("inbox", { after: 0 })).nextCursor)
  const { result } = await claim(sweeper, { object: experimentId, what: "run", for: "runner", note: "You have a GPU." })
  const { items } = await runner.read("inbox", { after: before })
  t.match(items, [{ concerns: [{ because: "named", sentence: "It offers you work." }] }])
  t.match(
    (await mcp.read("inbox", { after: before })).items.filter(({ concerns }) =>
      concerns.some(({ sentence }) => sentence === "It offers you work."),
    ),
    [],
    "nobody else's inbox says so",
  )
  const lines = await (
    await fetch(`${own.baseUrl}/api/research/rooms/${roomId}/activity?format=lines&after=${before}`)
  ).text()
  t.match(lines, /offered work to runner for 30 minutes, run/)
  t.notOk(codesOf(await claim(runner, { object: experimentId, what: "run" })).includes("claimed_by"))
  t.ok(codesOf(await claim(mcp, { object: experimentId, what: "run" })).includes("claimed_by"))
  await sweeper.write("release_claim", { claimId: result.claimId })
  own.pass(31 * MINUTE)
})
