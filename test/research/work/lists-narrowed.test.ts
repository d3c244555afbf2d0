/** Lists filtered by outcome, owner and standing. */
import t from "tap"
import { limits } from "../../../src/contract/limits.ts"
import { held } from "../../support/contract.ts"
import { finding, hypothesis } from "../../support/bodies.ts"
import { everyItem, openLab, refusedAs } from "../../support/lab.ts"
import { Work } from "../record/work.ts"

const lab = await openLab(t)
const { reader } = lab
const room = await lab.room()
const { roomId, threadId, grace } = room

const predicted = (await grace.write("publish_hypothesis", hypothesis(room))).result.versionId
const proposed = await grace.write("propose_experiment", {
  roomId,
  threadId,
  question: "Is it so?",
  scope: "Here.",
  hypotheses: [predicted],
})
const work = await Work.begin(lab, room, { holder: grace })
const ids: string[] = []
for (const status of ["failed", "started", "succeeded", "failed"] as const) ids.push(await work.attempt(status))

// shows: skill: attempts
t.test("an attempt in a list includes how it was started and its outcome, without another request", async (t) => {
  const { items } = await reader.read("attempts", { roomId, status: "failed", order: "label" })
  t.equal(items.length, 2)
  for (const item of items) {
    const whole = await reader.read("attempt", { attemptId: item.attemptId })
    t.strictSame(item.argv, whole.argv)
    t.type(item.failure?.explanation, "string")
    t.strictSame(item.failure, whole.failure)
    t.equal(item.metricsTruncated, false)
  }
  const running = items.length === 2 && (await reader.read("attempts", { roomId, status: "started" })).items
  t.match(running, [{ failure: null }])
})

t.test("the list shows the last value of each metric, and the first by name if there are very many", async (t) => {
  const attemptId = await work.attempt("started")
  const report = async (metrics: { name: string; value: number | "NaN"; split?: string; step?: number }[]) => {
    const { revision } = await reader.read("attempt", { attemptId })
    await grace.write("report_attempt_event", {
      attemptId,
      event: "progress",
      expectedRevision: revision,
      expectedStatus: "started",
      reportedAt: new Date().toISOString(),
      metrics,
    })
  }
  await report([
    { name: "loss", value: 2, step: 1 },
    { name: "loss", value: "NaN", step: 2 },
    { name: "loss", split: "test", value: 0.5 },
  ])
  const listed = async () =>
    (await everyItem(reader.items("attempts", { roomId }))).find((item) => item.attemptId === attemptId)
  t.strictSame((await listed())?.metrics, [
    { name: "loss", split: null, dimensions: null, unit: null, step: 2, value: "NaN" },
    { name: "loss", split: "test", dimensions: null, unit: null, step: null, value: 0.5 },
  ])
  await report(Array.from({ length: limits.listedMetrics }, (_, n) => ({ name: `m${n}`, value: n })))
  t.match(await listed(), { metricsTruncated: true })
  t.equal((await listed())?.metrics.length, limits.listedMetrics)
})

t.test("in the order of their labels, page by page, whatever their ids are", async (t) => {
  const labels = (items: readonly { label: string }[]) => items.map(({ label }) => label)
  const first = await reader.read("attempts", { roomId, order: "label", limit: 3 })
  t.strictSame(labels(first.items), ["A1", "A2", "A3"])
  t.equal(first.nextCursor, "3")
  const rest = await reader.read("attempts", { roomId, order: "label", after: first.nextCursor as string })
  t.strictSame(labels(rest.items), ["A4", "A5"])
  t.strictSame([rest.hasMore, rest.nextCursor], [false, null])
  t.strictSame(
    (await reader.read("attempts", { experimentId: work.experimentId, order: "label", status: "failed" })).items.map(
      ({ attemptId }) => attemptId,
    ),
    [ids[0], ids[3]],
  )
  const byId = (await everyItem(reader.items("attempts", { roomId }))).map(({ attemptId }) => attemptId)
  t.strictSame(byId, byId.toSorted(), "without order, the ids decide")
  t.match(await refusedAs(reader.read("attempts", { order: "label" })), "422 invalid_parameter")
  t.match(await refusedAs(reader.read("attempts", { roomId, order: "label", after: "A3" })), "422 invalid_parameter")
})

t.test("experiments by status, holder and hypothesis", async (t) => {
  const of = async (query: object) =>
    (await reader.read("experiments", { roomId, ...query })).items.map(({ experimentId }) => experimentId)
  const open = proposed.targetId
  t.strictSame(await of({ status: "open" }), [open])
  t.strictSame(await of({ hypothesisVersionId: predicted }), [open])
  t.strictSame(await of({ hypothesisVersionId: predicted, status: "completed" }), [])
  const held = (await reader.read("experiment", { experimentId: work.experimentId })).assigneeId ?? ""
  t.strictSame(await of({ assigneeId: held }), [work.experimentId])
  t.strictSame(await of({ assigneeId: held, status: "cancelled" }), [])
  await grace.write("amend_experiment", {
    experimentId: open,
    expectedRevision: 1,
    expectedStatus: "open",
    hypotheses: [],
    explanation: "It asks something else.",
  })
  t.strictSame(await of({ hypothesisVersionId: predicted }), [], "which the experiment no longer addresses")
  t.match(
    await refusedAs(reader.read("experiments", { hypothesisVersionId: crypto.randomUUID() })),
    "404 unknown_record",
  )
  t.match(await refusedAs(reader.read("experiments", { status: "done" as never })), "422 invalid_parameter")
})

t.test("records by kind, standing and author, and by all of these together", async (t) => {
  const found = (await grace.write("publish_finding", finding(room))).result.versionId
  await grace.write("assert_dispute", { targetVersionId: found, explanation: "I doubt it." })
  const of = async (query: object) =>
    (await reader.read("publications", { roomId, ...query })).items.map(({ versionId }) => versionId)
  const everything = await of({})
  t.ok(everything.includes(found) && everything.includes(predicted))
  t.strictSame(await of({ kinds: ["hypothesis"] }), [predicted])
  t.strictSame(await of({ status: "disputed" }), [found])
  t.strictSame(await of({ status: "disputed", kinds: ["hypothesis"] }), [])
  t.notOk((await of({ status: "current" })).includes(found))
  const { author } = await reader.read("record", { versionId: found })
  t.strictSame(await of({ author: author.username }), everything)
  t.strictSame(await of({ author: author.userId, status: "disputed", kinds: ["finding", "hypothesis"] }), [found])
  t.strictSame(
    (await reader.read("room_publications", { roomId, status: "disputed" })).items.map(({ versionId }) => versionId),
    [found],
  )
  const [first] = await everyItem(reader.items("publications", { roomId, kinds: ["hypothesis", "finding"], limit: 1 }))
  t.equal(first?.versionId, found, "newest first")
  t.strictSame(
    (await everyItem(reader.items("publications", { roomId, kinds: ["hypothesis", "finding"], limit: 1 }))).map(
      ({ versionId }) => versionId,
    ),
    everything,
    "nothing is left out between pages",
  )
  t.match(await refusedAs(reader.read("publications", { author: "nobody-here" })), "404 room_unavailable")
})

t.test("a context requested in parts holds only those, and affordances can be left out", async (t) => {
  const at = `${lab.house.baseUrl}/api/research/rooms/${roomId}/research-context`
  const ask = async (query: string) => (await (await held(`${at}?${query}`, {})).json()) as Record<string, unknown>
  t.strictSame(Object.keys(await ask("parts=hypotheses,conclusion")).sort(), [
    "activityWatermark",
    "conclusion",
    "hypotheses",
    "schemaVersion",
    "truncated",
  ])
  const [whole, bare] = [await ask("affordances=1"), await ask("affordances=0")]
  const without = (whole.experiments as { affordances: unknown }[]).map(({ affordances, ...more }) => more)
  t.strictSame(bare, { ...whole, experiments: without })
  t.equal((await fetch(`${at}?parts=everything`)).status, 422)
})
