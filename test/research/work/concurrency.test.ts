/**
 * Sixteen agents at once, over a socket and on a file: no race has two winners, nothing is lost, no number is skipped.
 */
import type { ResearchRoomClient, WriteInput } from "research-room/client"
import t from "tap"
import { checkData } from "../../../src/check/check.ts"
import { launch, reportedAt, sha256, told } from "../../support/bodies.ts"
import { openInside, refusalOf } from "../../support/lab.ts"
import { experimentIn, exploration, type Made } from "./situations.ts"

const AGENTS = 16
const names = Array.from({ length: AGENTS }, (_, index) => `person-${index}`)
const lab = await openInside(t, { people: names, served: true })
const room = await lab.room()
const clients = names.flatMap((name) => room[name] ?? [])
const [first] = clients as [ResearchRoomClient]

/** Sorts the outcomes of the writes into receipts and refusals. */
const outcomes = async <T>(writes: readonly Promise<T>[]) => {
  const settled = await Promise.allSettled(writes)
  const won = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))
  const lost = await Promise.all(
    settled.flatMap((one) => (one.status === "rejected" ? [refusalOf(Promise.reject(one.reason))] : [])),
  )
  return { won, lost }
}

// shows: A take is atomic: of many takers one wins.
t.test("of sixteen takers exactly one wins, in every round", async (t) => {
  for (let round = 0; round < 5; round++) {
    const { experimentId } = await experimentIn("open", room, first, first)
    const { won, lost } = await outcomes(
      clients.map((client) =>
        client.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" }),
      ),
    )
    t.equal(won.length, 1)
    const { assigneeId } = won[0]?.result ?? {}
    const current = {
      experimentId,
      status: "claimed",
      revision: 2,
      assigneeId,
      expected: { expectedRevision: 2, expectedStatus: "claimed" },
    }
    t.equal(lost.length, AGENTS - 1)
    for (const refused of lost) {
      t.ok(["assignment_conflict", "experiment_not_open", "state_conflict"].includes(refused.refusal), refused.refusal)
      t.match(refused, { status: 409, current })
    }
    const history = await clients[0]?.read("experiment_history", { experimentId })
    t.same(
      history?.items.map(({ operation }) => operation),
      ["propose_experiment", "take_experiment"],
      "and the history has one take",
    )
  }
})

t.test("the same taker sending the same take sixteen times takes it once", async (t) => {
  const { experimentId } = await experimentIn("open", room, first, first)
  const take = { experimentId, expectedRevision: 1, expectedStatus: "open" as const, requestId: crypto.randomUUID() }
  const { won } = await outcomes(clients.map(() => first.write("take_experiment", take)))
  t.equal(won.length, AGENTS)
  t.equal(won.filter(({ replayed }) => replayed === true).length, AGENTS - 1)
  t.equal((await first.read("experiment", { experimentId })).revision, 2)
})

// shows: A release supplies a handoff, clears the assignment and keeps plans, reports and findings.
t.test("released by one holder, taken by one of the others", async (t) => {
  const { experimentId, expected } = await experimentIn("claimed", room, first, first)
  const takes = clients
    .slice(1)
    .map((client) => client.write("take_experiment", { experimentId, expectedRevision: 3, expectedStatus: "open" }))
  const release = first.write("release_experiment", { experimentId, ...expected, handoff: "Whoever is first." })
  const { won, lost } = await outcomes([release, ...takes] as Promise<unknown>[])
  t.ok(won.length === 1 || won.length === 2, "the release, and at most one take after it")
  t.equal(won.length + lost.length, AGENTS)
  const { items } = await first.read("experiment_history", { experimentId })
  t.same(items.map(({ operation }) => operation).slice(0, 3), [
    "propose_experiment",
    "take_experiment",
    "release_experiment",
  ])
  t.equal(items.length, won.length + 2)
})

const POINTS = 3
const measured = (from: number) =>
  Array.from({ length: POINTS }, (_, index) => ({ name: "loss", value: 1 / (from + index + 1), step: from + index }))

/**
 * One agent's whole attempt. Every event is sent twice at once: exactly one of the two must be a replay of the other.
 */
async function work(client: ResearchRoomClient, made: Made, base: string, index: number): Promise<string> {
  const attemptId = crypto.randomUUID()
  const grounds =
    index === 0
      ? { intent: "exploratory" as const, ...made.expected }
      : { intent: "reproduction" as const, reproduces: { attemptId: base } }
  await client.write("register_attempt", { attemptId, experimentId: made.experimentId, ...grounds, ...launch })
  let guard: Pick<WriteInput<"report_attempt_event">, "expectedRevision" | "expectedStatus"> = {
    expectedRevision: 1,
    expectedStatus: "registered",
  }
  const report = async (event: WriteInput<"report_attempt_event">["event"], more: object = {}) => {
    const body = { attemptId, ...guard, ...told(event), reportedAt, requestId: crypto.randomUUID(), ...more }
    const [one, other] = await Promise.all([
      client.write("report_attempt_event", body),
      client.write("report_attempt_event", body),
    ])
    if ((one.replayed === true) === (other.replayed === true))
      throw new Error("both deliveries were replays, or neither")
    guard = { expectedRevision: one.result.revision, expectedStatus: one.result.status }
  }
  await report("started")
  for (let part = 0; part < 3; part++)
    await report("progress", {
      metrics: measured(part * POINTS),
      outputs: [{ outputLabel: `part-${part}`, digest: sha256("a") }],
    })
  await report(index % 2 === 0 ? "succeeded" : "failed")
  return attemptId
}

t.test("sixteen agents register and report at once", async (t) => {
  const made = await experimentIn("in_progress", room, first, first)
  const { experimentId } = made
  const base = await exploration(made, first)
  const attemptIds = await Promise.all(clients.map((client, index) => work(client, made, base, index)))

  const experiment = await first.read("experiment", { experimentId })
  t.same(experiment.attempts, {
    total: AGENTS + 1,
    registered: 1,
    preflight_failed: 0,
    started: 0,
    succeeded: AGENTS / 2,
    failed: AGENTS / 2,
    cancelled: 0,
  })
  t.same(experiment.affordances.expected, made.expected, "none of it changed the experiment")
  const { items } = await first.read("attempts", { experimentId })
  t.same(
    items.map(({ label }) => Number(label.slice(1))).sort((one, other) => one - other),
    Array.from({ length: AGENTS + 1 }, (_, index) => index + 1),
    "labels have no gaps",
  )
  t.same(new Set(items.map(({ registrant }) => registrant.userId)).size, AGENTS)

  for (const [index, attemptId] of attemptIds.entries()) {
    const attempt = await first.read("attempt", { attemptId })
    const end = index % 2 === 0 ? "succeeded" : "failed"
    t.same(
      attempt.events.map(({ event, revision }) => `${revision} ${event}`),
      ["1 registered", "2 started", "3 progress", "4 progress", "5 progress", `6 ${end}`],
      "no event is lost or doubled",
    )
    t.same(
      attempt.outputs.map(({ outputLabel }) => outputLabel),
      ["part-0", "part-1", "part-2"],
    )
    const { columns } = await first.read("attempt_metrics", { attemptId })
    t.same(
      columns.step,
      Array.from({ length: 3 * POINTS }, (_, step) => step),
    )
    t.same(
      columns.ordinal,
      Array.from({ length: 3 * POINTS }, (_, ordinal) => ordinal + 1),
    )
  }
})

t.test("afterwards the record is complete", async (t) => {
  const feed = await first.verifyActivity(room.roomId)
  const sequences: number[] = []
  const registered: string[] = []
  for await (const { kind, sequence, receipt } of first.items("thread_timeline", { threadId: room.threadId })) {
    sequences.push(sequence)
    if (kind === "register_attempt") registered.push(receipt?.target.label ?? "")
  }
  t.same(
    sequences,
    sequences.map((_, index) => index + 1),
    "the timeline has no gap",
  )
  t.same(
    registered,
    registered.map((_, index) => `A${index + 1}`),
    "labels follow the order of the timeline",
  )
  t.ok(feed.entries > sequences.length)
  t.same(checkData(lab.db).problems, [])
})

// shows: A retry of a registration keeps its ids and body; a rerun is a new attempt.
t.test("of sixteen registrations of one attemptId, one is accepted", async (t) => {
  const made = await experimentIn("completed", room, first, first)
  const base = (await first.read("attempts", { limit: 1 })).items[0]?.attemptId as string
  const body = {
    attemptId: crypto.randomUUID(),
    experimentId: made.experimentId,
    intent: "reproduction" as const,
    reproduces: { attemptId: base },
    ...launch,
  }
  const { won, lost } = await outcomes(clients.map((client) => client.write("register_attempt", body)))
  t.equal(won.length, 1)
  t.ok(lost.every(({ refusal, current }) => refusal === "attempt_exists" && current?.attemptId === body.attemptId))
  t.equal(lost.length, AGENTS - 1)
})

t.test("of sixteen registrations of one material, one is new, and all get the same label", async (t) => {
  const { won } = await outcomes(
    clients.map((client) =>
      client.write("register_material", { roomId: room.roomId, reference: sha256("f"), name: "The same for all" }),
    ),
  )
  t.equal(won.length, AGENTS)
  t.equal(won.filter(({ result }) => !result.existing).length, 1)
  t.same(new Set(won.map(({ result }) => `${result.materialId} ${result.label}`)).size, 1)
  t.match(
    (await first.write("register_material", { roomId: room.roomId, reference: sha256("0"), name: "The next" })).result,
    {
      label: "M2",
      existing: false,
    },
  )
})
