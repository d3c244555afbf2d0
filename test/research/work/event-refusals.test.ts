/** Which event may follow each state of an attempt, from whom, and what it must contain. */
import type { ResearchRoomClient, WriteInput } from "research-room/client"
import t from "tap"
import { failure, reportedAt, sha256, told } from "../../support/bodies.ts"
import { openInside, refusalOf } from "../../support/lab.ts"
import { type AttemptState, experimentIn, exploration, leadTo, reproductionOf } from "./situations.ts"

const lab = await openInside(t)
const room = await lab.room()
const { ada: proposer, grace: holder, mary: other } = room
const client = holder
const made = await experimentIn("claimed", room, proposer, holder)

type Event = WriteInput<"report_attempt_event">["event"]
const states: readonly AttemptState[] = [
  "registered",
  "started",
  "preflight_failed",
  "succeeded",
  "failed",
  "cancelled",
]
const events: readonly Event[] = ["started", "preflight_failed", "progress", "succeeded", "failed", "cancelled"]
/** The state each event leads to; a dash if the event is not allowed. */
const table: Readonly<Record<AttemptState, string>> = {
  //                 started preflight_failed progress succeeded failed cancelled
  registered: "      started preflight_failed -        -         -      cancelled",
  started: "         -       -                started  succeeded failed cancelled",
  preflight_failed: "- - - - - -",
  succeeded: "       - - - - - -",
  failed: "          - - - - - -",
  cancelled: "       - - - - - -",
}

const current = (attemptId: string, expected: { expectedRevision: number; expectedStatus: AttemptState }) => ({
  attemptId,
  experimentId: made.experimentId,
  status: expected.expectedStatus,
  revision: expected.expectedRevision,
  expected,
})

for (const state of states) {
  // shows: Experiments and attempts move as the tables say, and in no other way.
  // shows: An event needs expected values read fresh.
  t.test(`a ${state} attempt`, async (t) => {
    const attemptId = await exploration(made, client)
    const expected = await leadTo(state, attemptId, client)
    const words = table[state].trim().split(/\s+/)
    for (const [index, event] of events.entries()) {
      const to = words[index] as string
      const send = (who: ResearchRoomClient, guard = expected) =>
        who.write("report_attempt_event", { attemptId, ...guard, ...told(event) }, { rehearse: true })
      for (const who of [other, proposer]) {
        t.match(
          await refusalOf(send(who)),
          {
            status: 403,
            refusal: "role_required",
            current: { ...current(attemptId, expected), needed: ["registrant"] },
          },
          `${event} from another person`,
        )
      }
      t.match(
        await refusalOf(send(other, { ...expected, expectedRevision: 99 })),
        { refusal: "role_required" },
        "the role is checked first",
      )
      t.match(await refusalOf(send(holder, { ...expected, expectedRevision: expected.expectedRevision + 1 })), {
        status: 409,
        refusal: "state_conflict",
        current: current(attemptId, expected),
      })
      t.match(
        await refusalOf(send(holder, { ...expected, expectedStatus: state === "failed" ? "started" : "failed" })),
        {
          refusal: "state_conflict",
          current: current(attemptId, expected),
        },
      )
      if (to === "-")
        t.match(
          await refusalOf(send(holder)),
          { status: 409, refusal: "state_conflict", current: current(attemptId, expected) },
          `${event} is not allowed`,
        )
      else
        t.match(
          (await send(holder)).result,
          { attemptId, status: to, revision: expected.expectedRevision + 1 },
          `${event} leads to ${to}`,
        )
    }
    const read = await client.read("attempt", { attemptId })
    t.same(read.affordances.expected, expected, "none of these writes changed the attempt")
    const outcome = state === "registered" ? null : state === "started" ? "unknown" : state
    t.equal(read.outcome, outcome, "an attempt without an outcome is unknown, not failed")
  })
}

// shows: Only the registrant delivers an attempt's events, also after releasing the work.
t.test("only the registrant reports: the holder and the owner do not", async (t) => {
  const base = await exploration(made, client)
  const attemptId = await reproductionOf(base, made, other)
  const send = (who: ResearchRoomClient) =>
    who.write("report_attempt_event", {
      attemptId,
      expectedRevision: 1,
      expectedStatus: "registered",
      ...told("started"),
    })
  t.match(await refusalOf(send(holder)), { refusal: "role_required" })
  t.match(await refusalOf(send(proposer)), { refusal: "role_required" })
  t.match((await send(other)).result, { status: "started", revision: 2 })
})

t.test("a failure states its stage and explanation", async (t) => {
  const attemptId = await exploration(made, client)
  const issues = async (event: Event, more: object = {}) => {
    const refused = await refusalOf(
      client.write("report_attempt_event", {
        attemptId,
        expectedRevision: 1,
        expectedStatus: "registered",
        event,
        reportedAt,
        ...more,
      }),
    )
    t.match(refused, { status: 422, refusal: "invalid_schema" })
    return refused.issues.map(({ path }) => path)
  }
  t.same(await issues("preflight_failed"), ["/failure"])
  t.same(await issues("failed"), ["/failure"])
  t.same(await issues("failed", { failure: { stage: "running" } }), ["/failure/explanation"])
  t.same(await issues("started", { metrics: [{ name: "loss", value: "nan" }] }), ["/metrics/0/value"])
  t.same(await issues("started", { reportedAt: "yesterday" }), ["/reportedAt"])
  t.same(await issues("started", { exitCode: 0.5 }), ["/exitCode"])
  await client.write("report_attempt_event", {
    attemptId,
    expectedRevision: 1,
    expectedStatus: "registered",
    event: "preflight_failed",
    reportedAt,
    failure,
  })
})

t.test("output labels are unique within an event and across all of them", async (t) => {
  const attemptId = await exploration(made, client)
  await leadTo("started", attemptId, client)
  const report = (expectedRevision: number, labels: string[], more: object = {}) =>
    client.write("report_attempt_event", {
      attemptId,
      expectedRevision,
      expectedStatus: "started",
      ...told("progress"),
      outputs: labels.map((outputLabel) => ({ outputLabel, digest: sha256("c"), ...more })),
    })
  const twice = await refusalOf(report(2, ["a", "b", "a", "b"]))
  t.match(twice, {
    status: 422,
    refusal: "invalid_schema",
    issues: [{ path: "/outputs/2/outputLabel" }, { path: "/outputs/3/outputLabel" }],
  })
  t.same(twice.issues.length, 2)
  await report(2, ["a", "A"])
  t.match(await refusalOf(report(3, ["b", "a"])), {
    refusal: "invalid_schema",
    issues: [{ path: "/outputs/1/outputLabel" }],
  })
  t.match(await refusalOf(report(2, ["a"])), { refusal: "state_conflict" }, "a stale event is refused as stale first")
  await report(3, ["b"])
  const other = await exploration(made, client)
  await leadTo("started", other, client)
  await client.write("report_attempt_event", {
    attemptId: other,
    expectedRevision: 2,
    expectedStatus: "started",
    ...told("progress"),
    outputs: [{ outputLabel: "a", digest: sha256("c") }],
  })
  const { outputs } = await client.read("attempt", { attemptId })
  t.same(
    outputs.map(({ outputLabel }) => outputLabel),
    ["a", "A", "b"],
    "in the order reported",
  )
})

t.test("an output names a material that exists, and gets a warning if it differs from it", async (t) => {
  const attemptId = await exploration(made, client)
  await leadTo("started", attemptId, client)
  const { result } = await client.write("register_material", {
    roomId: room.roomId,
    reference: sha256("d"),
    name: "What came out",
  })
  const pinned = await client.write("register_material", {
    roomId: room.roomId,
    reference: `git://git.example.org/lab/work@${"e".repeat(40)}/out.json`,
    name: "The same, in a repository",
  })
  const report = (outputs: NonNullable<WriteInput<"report_attempt_event">["outputs"]>) =>
    client.write(
      "report_attempt_event",
      {
        attemptId,
        expectedRevision: 2,
        expectedStatus: "started",
        ...told("progress"),
        reportedAt: new Date().toISOString(),
        outputs,
      },
      { rehearse: true },
    )
  const unknown = await refusalOf(
    report([
      { outputLabel: "x", digest: sha256("d"), materialId: result.materialId },
      { outputLabel: "y", digest: sha256("d"), materialId: attemptId },
    ]),
  )
  t.match(unknown, { status: 422, refusal: "unknown_reference", issues: [{ path: "/outputs/1/materialId" }] })
  t.same((await report([{ outputLabel: "x", digest: sha256("d"), materialId: result.materialId }])).warnings, [])
  t.match((await report([{ outputLabel: "x", digest: sha256("e"), materialId: result.materialId }])).warnings, [
    { code: "output_differs_from_material", outputLabel: "x" },
  ])
  t.same(
    (await report([{ outputLabel: "x", digest: sha256("e"), materialId: pinned.result.materialId }])).warnings,
    [],
    "a pinned reference promises no digest",
  )
})
