import tap, { test } from "tap"
import { checkData } from "../../../src/check/check.ts"
import { ask } from "../../support/ask.ts"
import { hypothesis, message, proposal } from "../../support/bodies.ts"
import { codesOf, openAgents } from "../../support/lab.ts"
import { elsewhere } from "../../support/elsewhere.ts"
import { passwordOf } from "../../support/service.ts"
import * as bodies from "../../support/bodies.ts"

const own = await openAgents(tap, "Leased")
const { repository, ada, grace, roomId, threadId, agent, runner } = own
const [lab3, lab4] = [await agent("ada", "lab-3"), await agent("ada", "lab-4")]
const [launch, plan] = [
  { ...bodies.launch, repository },
  { ...bodies.plan, repository },
]
type Client = typeof lab3
const MINUTE = 60_000
const propose = async () =>
  (await grace.write("propose_experiment", proposal({ roomId, threadId }) as never)).result.experimentId
const read = (experimentId: string) => runner.read("experiment", { experimentId })
/** Takes an experiment in its current state. */
const take = async (client: Client, experimentId: string, leaseMinutes?: number) => {
  const { affordances } = await read(experimentId)
  return client.write("take_experiment", {
    experimentId,
    ...affordances.expected,
    ...(leaseMinutes && { leaseMinutes }),
  })
}
const register = async (client: Client, experimentId: string) => {
  const attemptId = crypto.randomUUID()
  const { affordances } = await read(experimentId)
  const receipt = await client.write("register_attempt", {
    attemptId,
    experimentId,
    ...affordances.expected,
    intent: "exploratory",
    ...launch,
  } as never)
  return { attemptId, receipt }
}
const report = async (client: Client, attemptId: string, event: "started" | "progress" | "succeeded") => {
  const { affordances } = await client.read("attempt", { attemptId })
  return client.write("report_attempt_event", {
    attemptId,
    ...affordances.expected,
    ...bodies.told(event),
    reportedAt: new Date(own.instance.world.now()).toISOString(),
  } as never)
}
const canBeTaken = async (experimentId: string) =>
  (await read(experimentId)).affordances.operations.some(({ operation }) => operation === "take_experiment")
const refusal = (write: Promise<unknown>) =>
  write.then(
    () => ({ refusal: "accepted", message: "", current: null }),
    (error: { readonly refusal: string; readonly message: string; readonly current: unknown }) => error,
  )

test("an experiment without a lease cannot be taken over, however long its holder is silent", async (t) => {
  const experimentId = await propose()
  await take(lab3, experimentId)
  own.pass(20 * 24 * 60 * MINUTE)
  t.equal((await read(experimentId)).lease, null)
  t.notOk(await canBeTaken(experimentId))
  t.equal((await refusal(take(runner, experimentId))).refusal, "assignment_conflict")
})

test(
  "each write of the holder about it renews a lease; " + "otherwise it lapses, and another member can take over",
  async (t) => {
    const experimentId = await propose()
    const { result } = await take(lab3, experimentId, 30)
    t.match(await read(experimentId), { lease: { minutes: 30, until: result.leaseUntil, lapsed: false } })
    own.pass(20 * MINUTE)
    const { attemptId } = await register(lab3, experimentId)
    own.pass(20 * MINUTE)
    await report(lab3, attemptId, "started")
    own.pass(20 * MINUTE)
    const { acceptedAt } = await lab3.write("post_message", { threadId, ...message("Elsewhere.") } as never)
    const before = await read(experimentId)
    t.equal(before.lease?.lapsed, false)
    const left = Date.parse(before.lease?.until ?? "") - Date.parse(acceptedAt)
    t.ok(left > 9 * MINUTE && left <= 10 * MINUTE, "a write about something else renews nothing")
    const early = await refusal(take(runner, experimentId))
    t.match(early, {
      refusal: "assignment_conflict",
      message: /the lease lasts until /,
      current: { leaseUntil: before.lease?.until },
    })
    t.equal(
      (await refusal(take(lab4, experimentId))).refusal,
      "experiment_not_open",
      "nor can another agent of the same person take it",
    )
    own.pass(10 * MINUTE)
    t.ok(await canBeTaken(experimentId))
    t.equal((await read(experimentId)).lease?.lapsed, true)

    await report(lab3, attemptId, "progress")
    t.notOk(await canBeTaken(experimentId), "a late write of the holder renews it if nobody took it over")
    own.pass(30 * MINUTE)
    const { items } = await runner.read("room_next", { roomId })
    t.match(
      items.find(({ object }) => object.id === experimentId),
      { what: "take_experiment", why: /^ada · agent lab-3 held it; the lease lapsed at / },
    )
    t.match(
      (await ask(`${own.baseUrl}/api/research/rooms/${roomId}/brief?format=markdown`)).text,
      /ada · agent lab-3 until .*, when the lease lapsed: another member can take it over/,
    )
    t.match(
      (await ask(`${own.baseUrl}/experiments/${experimentId}.md`, { fetch })).text,
      /the lease lapsed: another member can take it over/,
    )
    const entrance = await ask(`${own.baseUrl}/api/session`, {
      body: { username: "grace", password: passwordOf("grace") },
      headers: { origin: own.baseUrl },
    })
    const cookie = entrance.headers.getSetCookie()[0]?.split(";")[0] ?? ""
    const page = await (await fetch(`${own.baseUrl}/experiments/${experimentId}`, { headers: { cookie } })).text()
    t.match(page.replace(/<[^>]+>/g, ""), /held by ada · agent lab-3 until .* UTC; the lease has lapsed/)
    t.match(page, />Take it over<\/button>/)

    const taken = await take(runner, experimentId, 60)
    t.match(taken, { result: { status: "claimed" }, warnings: [{ code: "lease_lapsed", by: "ada", agent: "lab-3" }] })
    t.match(taken.warnings[0]?.message, / No outcome was reported for A\d+\.$/)
    t.match(await read(experimentId), {
      assignee: { username: "grace", agent: "runner" },
      lease: { minutes: 60, lapsed: false },
    })

    const { items: concerns } = await lab3.read("inbox", { after: Number(taken.activity?.sequence) - 1 })
    t.match(concerns[0]?.concerns[0], {
      because: "taken_over",
      id: experimentId,
      sentence: /^E\d+ was yours; your lease had lapsed/,
    })
    t.strictSame(
      (await lab4.read("inbox", { after: Number(taken.activity?.sequence) - 1 })).items,
      [],
      "the other agent of ada did not hold it",
    )

    const late = await report(lab3, attemptId, "succeeded")
    t.match(late.warnings, [{ code: "taken_over", by: "grace", agent: "runner", experimentId }])
    const { events, status } = await runner.read("attempt", { attemptId })
    t.equal(status, "succeeded")
    t.equal(events.at(-1)?.late, true)
    t.notOk(events.at(-2)?.late)
    t.match(await (await fetch(`${own.baseUrl}/attempts/${attemptId}`)).text(), />late</)
    t.equal((await refusal(register(lab3, experimentId))).refusal, "assignment_conflict")
    t.equal((await read(experimentId)).lease?.lapsed, false)
  },
)

test(
  "writing with another agent than the holder gives the warning held_by_other_agent; " +
    "a lapsed lease passes between them",
  async (t) => {
    const experimentId = await propose()
    await take(lab3, experimentId, 30)
    const accepted = await lab4.write("accept_plan", {
      experimentId,
      ...(await read(experimentId)).affordances.expected,
      ...plan,
    } as never)
    t.match(accepted.warnings, [{ code: "held_by_other_agent", agent: "lab-3", by: "ada", experimentId }])
    own.pass(20 * MINUTE)
    const { receipt, attemptId } = await register(lab4, experimentId)
    t.strictSame(codesOf(receipt), ["held_by_other_agent"])
    t.strictSame(codesOf((await register(lab3, experimentId)).receipt), [])
    own.pass(20 * MINUTE)
    await report(lab4, attemptId, "started")
    own.pass(10 * MINUTE)
    t.ok(await canBeTaken(experimentId), "a write by another agent of the same person does not renew it")
    const passed = await take(lab4, experimentId, 30)
    t.strictSame(codesOf(passed), ["lease_lapsed"])
    t.match(await read(experimentId), { assignee: { username: "ada", agent: "lab-4" } })
    t.strictSame(codesOf(await report(lab4, attemptId, "succeeded")), [], "the new holder's own attempt is not late")
    const back = await lab3.write("release_experiment", {
      experimentId,
      ...(await read(experimentId)).affordances.expected,
      handoff: "Anybody.",
    })
    t.strictSame(codesOf(back), ["held_by_other_agent"])
    t.match(await read(experimentId), { status: "open", lease: null })
  },
)

test("any agent of a person renews a lease taken in the browser, and completing the work ends the lease", async (t) => {
  const experimentId = await propose()
  await ada.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open", leaseMinutes: 30 })
  own.pass(20 * MINUTE)
  t.strictSame(codesOf((await register(lab3, experimentId)).receipt), [])
  own.pass(20 * MINUTE)
  t.equal((await read(experimentId)).lease?.lapsed, false)
  const done = { status: "completed", summary: "It was so." } as const
  await lab3.write("report_experiment_status", {
    experimentId,
    ...(await read(experimentId)).affordances.expected,
    ...done,
  })
  own.pass(60 * MINUTE)
  t.match(await read(experimentId), { status: "completed", lease: null })
  t.notOk(await canBeTaken(experimentId))
})

test("a lease lasts from 30 to 1,440 minutes", async (t) => {
  const experimentId = await propose()
  for (const leaseMinutes of [29, 1_441, 45.5])
    t.equal((await refusal(take(lab3, experimentId, leaseMinutes))).refusal, "invalid_schema")
  await take(lab3, experimentId, 1_440)
})

test("leases survive a replay, a read of an earlier moment and an import", async (t) => {
  await lab3.write("publish_hypothesis", hypothesis({ roomId, threadId }))
  const { items } = await runner.read("room_activity", { roomId })
  const taking = items.find(({ operation }) => operation === "take_experiment" && items.length > 0)
  t.ok(taking)
  const takes = items.filter(({ operation, actor }) => operation === "take_experiment" && actor.username === "grace")
  const { sequence = 0, target: over } = takes[0] ?? {}
  const at = (sequence: number) => ask(`${own.baseUrl}/api/research/experiments/${over?.id}?at=${sequence}`)
  t.match((await at(sequence - 1)).body, { assignee: { username: "ada" }, lease: { minutes: 30 } })
  t.match((await at(sequence)).body, { assignee: { username: "grace" }, lease: { minutes: 60, lapsed: false } })
  t.strictSame(checkData(own.instance.db).problems, [], "a replay builds the same tables")
  const there = elsewhere(t)
  await there.import(
    new Uint8Array(await (await fetch(`${own.baseUrl}/api/research/rooms/${roomId}/export`)).arrayBuffer()),
  )
  t.strictSame(there.problems(), [])
  const rows = (db: typeof there.db) =>
    db
      .prepare<{ row: string }>(
        `SELECT experiment_id || coalesce(lease_minutes, '-') || coalesce(lease_until, '-') AS row
          FROM experiments
          ORDER BY 1`,
      )
      .all()
  t.strictSame(rows(there.db), rows(own.instance.db))
})
