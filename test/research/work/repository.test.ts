/** When the repository check runs and when not, and what happens to a retry. */
import type { WriteInput } from "research-room/client"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { launch, nobody, pin, plan, proposal, told } from "../../support/bodies.ts"
import { checking } from "../../support/checking.ts"
import { hidden } from "../../support/counting-check.ts"
import { openInside, refusalOf } from "../../support/lab.ts"
import { experimentIn, exploration } from "./situations.ts"

const lab = await openInside(t)
const room = await lab.room()
const { ada: proposer, grace: holder, mary: other } = room
const client = holder
const { check } = lab
/** Counts the repository checks during `work`. */
const asked = async (work: () => Promise<unknown>): Promise<number> => {
  const before = check.asked.length
  await work()
  return check.asked.length - before
}

// shows: A known successful retry never contacts the host again.
t.test("a plan and a registration are checked once, a known retry never again", async (t) => {
  const made = await experimentIn("claimed", room, proposer, holder)
  const accept = { ...plan, experimentId: made.experimentId, ...made.expected, requestId: crypto.randomUUID() }
  t.equal(await asked(() => client.write("accept_plan", accept)), 1)
  t.equal(check.asked.at(-1), `${pin.url} ${pin.commit}`)
  t.equal(await asked(async () => t.match(await client.write("accept_plan", accept), { replayed: true })), 0)
  t.equal(
    await asked(async () =>
      t.match(await refusalOf(client.write("accept_plan", { ...accept, intent: "replication" })), {
        refusal: "request_conflict",
      }),
    ),
    0,
    "nor for other content under the same id",
  )

  const register: WriteInput<"register_attempt"> = {
    ...launch,
    attemptId: crypto.randomUUID(),
    experimentId: made.experimentId,
    intent: "exploratory",
    expectedRevision: 3,
    expectedStatus: "claimed",
    requestId: crypto.randomUUID(),
  }
  t.equal(await asked(() => client.write("register_attempt", register)), 1)
  t.equal(await asked(async () => t.match(await client.write("register_attempt", register), { replayed: true })), 0)
  t.equal(
    await asked(async () =>
      t.match(await refusalOf(client.write("register_attempt", { ...register, argv: ["other"] })), {
        refusal: "request_conflict",
      }),
    ),
    0,
  )

  const rotated = await lab.client("grace", room.roomId)
  t.equal(
    await asked(async () =>
      t.match(await rotated.write("register_attempt", register), { replayed: true, credentialChanged: true }),
    ),
    0,
    "nor under another credential",
  )
  await lab.archive(room.roomId)
  t.equal(
    await asked(async () => t.match(await client.write("accept_plan", accept), { replayed: true })),
    0,
    "nor in an archived Room",
  )
  await lab.restore(room.roomId)
})

t.test("a write refused before the check never reaches it", async (t) => {
  const made = await experimentIn("claimed", room, proposer, holder)
  const accept = { ...plan, experimentId: made.experimentId, ...made.expected }
  const refused = async (body: WriteInput<"accept_plan">, refusal: string) => {
    t.equal(
      await asked(async () => t.match(await refusalOf(client.write("accept_plan", body)), { refusal })),
      0,
      refusal,
    )
  }
  await refused({ ...accept, experimentId: nobody }, "unknown_experiment")
  await refused({ ...accept, hypotheses: [nobody] }, "unknown_reference")
  await refused({ ...accept, repository: { ...pin, commit: "0123" } }, "invalid_schema")
  t.equal(
    await asked(() => refusalOf(lab.reader.write("accept_plan", accept))),
    0,
    "nor does a write without a credential",
  )
})

// shows: The service runs nothing; for a plan or an attempt it checks only that a public repository and a full commit
//   exist.
// shows: 503 where the database or a reference check fails for now; the same may be sent again.
t.test("the check may refuse, or fail for now", async (t) => {
  const made = await experimentIn("claimed", room, proposer, holder)
  const accept = { ...plan, experimentId: made.experimentId, ...made.expected, requestId: crypto.randomUUID() }
  const no = await refusalOf(client.write("accept_plan", { ...accept, repository: { ...pin, url: hidden } }))
  t.match(no, {
    status: 422,
    refusal: "repository_unavailable",
    committed: false,
    retryable: false,
    issues: [{ path: "/repository", message: "The repository is not public." }],
  })
  check.next.push(
    { ok: null, reason: "The budget is spent.", retryAfter: 40 },
    { ok: null, reason: "No answer came.", retryAfter: null },
  )
  t.match(await refusalOf(client.write("accept_plan", accept)), {
    status: 503,
    refusal: "repository_unavailable",
    committed: false,
    retryable: true,
    retryAfter: 40,
  })
  t.match(await refusalOf(client.write("accept_plan", accept)), { status: 503, retryAfter: null })
  t.equal(await client.receipt("accept_plan", accept.requestId), null, "nothing was stored")
  const late = await client.write("accept_plan", accept)
  t.notOk(late.replayed, "the same id is accepted when the check can answer")
})

t.test("the state is checked again after the repository check", async (t) => {
  const made = await experimentIn("claimed", room, proposer, holder)
  const { experimentId, expected } = made
  let letGo = () => {}
  check.gate = new Promise((resolve) => (letGo = resolve))
  const waiting = client.write("accept_plan", { ...plan, experimentId, ...expected })
  waiting.catch(() => {})
  await client.write("release_experiment", { experimentId, ...expected, handoff: "Meanwhile." })
  letGo()
  check.gate = Promise.resolve()
  t.match(await refusalOf(waiting), {
    refusal: "assignment_conflict",
    current: { status: "open", revision: 3, assigneeId: null },
  })
})

// shows: A retry of a registration keeps its ids and body; a rerun is a new attempt.
t.test("the same delivery twice at once is accepted once", async (t) => {
  const made = await experimentIn("claimed", room, proposer, holder)
  const register: WriteInput<"register_attempt"> = {
    ...launch,
    attemptId: crypto.randomUUID(),
    experimentId: made.experimentId,
    intent: "exploratory",
    ...made.expected,
    requestId: crypto.randomUUID(),
  }
  const both = await Promise.all([
    client.write("register_attempt", register),
    client.write("register_attempt", register),
  ])
  t.equal(both.filter(({ replayed }) => replayed).length, 1)
  t.same(both[0]?.result, both[1]?.result)
  t.match((await client.read("experiment", { experimentId: made.experimentId })).attempts, { total: 1 })
})

// shows: A historical take retry returns its receipt with the state of now, and never retakes.
t.test("a historical take retry returns its receipt and the current state, and never retakes", async (t) => {
  const { experimentId } = await experimentIn("open", room, proposer, holder)
  const take = { experimentId, expectedRevision: 1, expectedStatus: "open" as const, requestId: crypto.randomUUID() }
  const first = await client.write("take_experiment", take)
  t.notOk("current" in (await client.write("take_experiment", take)), "nothing has changed yet")
  await client.write("release_experiment", {
    experimentId,
    expectedRevision: 2,
    expectedStatus: "claimed",
    handoff: "Yours.",
  })
  const again = await client.write("take_experiment", take)
  const { current, replayed, ...receipt } = again
  t.same(receipt, first)
  t.same(
    [replayed, current],
    [
      true,
      {
        experimentId,
        label: first.target.label,
        status: "open",
        revision: 3,
        assigneeId: null,
        expected: { expectedRevision: 3, expectedStatus: "open" },
      },
    ],
  )
  await other.write("take_experiment", { ...take, requestId: crypto.randomUUID(), expectedRevision: 3 })
  t.match(await client.write("take_experiment", take), {
    replayed: true,
    result: { status: "claimed", assigneeId: lab.people.grace.userId },
    current: { status: "claimed", assigneeId: lab.people.mary.userId },
  })
  t.match(await client.read("experiment", { experimentId }), {
    status: "claimed",
    assigneeId: lab.people.mary.userId,
    revision: 4,
  })
  await other.write("report_experiment_status", {
    experimentId,
    expectedRevision: 4,
    expectedStatus: "claimed",
    status: "completed",
    summary: "Done.",
  })
  t.match(await client.write("take_experiment", take), {
    replayed: true,
    current: { status: "completed", revision: 5 },
  })
  const { items } = await client.read("experiment_history", { experimentId })
  t.equal(items.length, 5, "no retry added a revision")
})

t.test("a retried event returns its receipt with the attempt's current state", async (t) => {
  const made = await experimentIn("claimed", room, proposer, holder)
  const attemptId = await exploration(made, client)
  const started = {
    attemptId,
    expectedRevision: 1,
    expectedStatus: "registered" as const,
    ...told("started"),
    requestId: crypto.randomUUID(),
  }
  await client.write("report_attempt_event", started)
  await client.write("report_attempt_event", {
    attemptId,
    expectedRevision: 2,
    expectedStatus: "started",
    ...told("cancelled"),
  })
  t.match(await client.write("report_attempt_event", started), {
    replayed: true,
    result: { status: "started", revision: 2 },
    current: { status: "cancelled", revision: 3, expected: { expectedRevision: 3, expectedStatus: "cancelled" } },
  })
})

t.test("the demo's own repositories: public, not public, and missing", async (t) => {
  const demo = await startResearchRoom()
  t.teardown(() => demo.close())
  const agent = demo.client("member_all", { fetch: checking(globalThis.fetch), retries: 0 })
  const { roomId, openingThreadId: threadId } = demo.rooms.empty
  const { result } = await agent.write("propose_experiment", proposal({ roomId, threadId }))
  const { experimentId } = result
  await agent.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  const body = { ...plan, experimentId, expectedRevision: 2, expectedStatus: "claimed" as const }
  const { public: open, private: closed } = demo.repositories
  const unheard = await refusalOf(
    agent.write("accept_plan", { ...body, repository: { url: "https://elsewhere.example/a/b", commit: open.commit } }),
  )
  t.match(unheard, {
    status: 503,
    refusal: "repository_unavailable",
    message: /cannot be checked from here.*holds no copy/,
  })
  const reason = async (repository: { url: string; commit: string }) => {
    const refused = await refusalOf(agent.write("accept_plan", { ...body, repository }))
    t.match(refused, {
      status: 422,
      refusal: "repository_unavailable",
      retryable: false,
      issues: [{ path: "/repository" }],
    })
    return refused.issues[0]?.message
  }
  t.match(await reason(closed), /not public/)
  t.match(await reason({ url: open.url, commit: "f".repeat(40) }), /no such commit/)
  t.match(await reason({ url: open.url, commit: "f".repeat(64) }), /40 hex digits/)
  await agent.write("accept_plan", { ...body, repository: { url: open.url, commit: open.commit } })
  const refused = await refusalOf(
    agent.write("register_attempt", {
      attemptId: crypto.randomUUID(),
      experimentId,
      intent: "exploratory",
      expectedRevision: 3,
      expectedStatus: "claimed",
      ...launch,
      repository: { url: closed.url, commit: closed.commit },
    }),
  )
  t.match(refused, { status: 422, refusal: "repository_unavailable" })
  t.match((await agent.read("experiment", { experimentId })).attempts, { total: 0 })
})
