/**
 * An archived Room: every operation is refused as the interface's table says for its route, and everything stays
 * readable and citable.
 */
import t from "tap"
import { schemaVersions } from "../../../src/contract/service.ts"
import { operations } from "../../../src/contract/operations/index.ts"
import { reads } from "../../../src/contract/reads/index.ts"
import { ask } from "../../support/ask.ts"
import { because, finding, hypothesis, premise, reference, sha256 } from "../../support/bodies.ts"
import { holds } from "./holds.ts"
import { everyItem, openLab, refusalOf } from "../../support/lab.ts"
import { losses, Work } from "./work.ts"

const lab = await openLab(t)
const { reader, house } = lab

/** A Room with one object of each kind, and a member's agent with every permission. */
const room = await lab.room()
const { roomId, threadId } = room
const { token } = await lab.credential("grace", roomId)
const work = await Work.begin(lab, room, { holder: room.grace })
const { experimentId } = work
const planId = await work.plan()
const attemptId = await work.attempt()
const running = await work.attempt("started")
const uploaded = await ask(`${house.baseUrl}/api/agent/research/logs`, {
  ...{ token, raw: "Step 1: the loss is 0.4.\n", headers: { "content-type": "text/plain; charset=utf-8" } },
})
const { digest } = uploaded.body as unknown as { digest: string }
await work.tell(running, "progress", { log: { digest }, session: { digest, format: "plain text" } })
const { result: predicted, entry } = await room.grace.write("publish_hypothesis", hypothesis(room))
const found = (
  await room.grace.write(
    "publish_finding",
    finding(room, { evidence: [{ kind: "attempt_output", attemptId, ...losses, explanation: because }] }),
  )
).result
const link = (await room.grace.write("assert_dispute", { targetVersionId: predicted.versionId, explanation: because }))
  .result
const material = (
  await room.grace.write("register_material", { roomId, threadId, reference: sha256("7"), name: "Counts" })
).result
const { timelineWatermark } = (await reader.read("thread_context", { threadId })).thread
const checkpoint = {
  threadId,
  expectedWatermark: timelineWatermark,
  coversThrough: 0,
  state: "open",
  synthesis: "So far.",
  openQuestions: ["Why?"],
  citations: [],
} as const
const { checkpointId } = (await room.grace.write("post_research_checkpoint", checkpoint)).result
const board = {
  ...{ roomId, threadId, title: "Loss", metric: "loss", direction: "lower" as const, data: [] },
  evaluator: { repository: { url: "https://git.example.org/lab/work", commit: "0".repeat(40) } },
} as const
const { boardId } = (await room.grace.write("declare_board", board)).result
const claimed = (await room.grace.write("claim_work", { object: experimentId, what: "run", minutes: 240 })).result
const kept = { ...finding(room), requestId: crypto.randomUUID() }
const receipt = await room.grace.write("publish_finding", kept)

/** The ids that bodies and paths refer to, by field name, for any operation or read. */
const ids: Readonly<Record<string, string>> = {
  roomId,
  threadId,
  experimentId,
  attemptId: running,
  attemptIds: running,
  username: "grace",
  planId,
  boardId,
  checkpointId,
  proposalId: experimentId,
  linkId: link.linkId,
  object: experimentId,
  target: found.versionId,
  claimId: claimed.claimId,
  materialId: material.materialId,
  key: "lowers",
  arxivId: "1706.03762",
  versionId: predicted.versionId,
  targetVersionId: found.versionId,
  findingVersionId: found.versionId,
  targetEntryId: entry?.entryId as string,
}

/** Replaces the ids in an operation's example with those of this Room. */
function aboutRoom(value: unknown, name = ""): unknown {
  if (typeof value === "string") return ids[name] ?? value
  if (Array.isArray(value)) return value.map((item) => aboutRoom(item))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([inner, one]) => [inner, aboutRoom(one, inner)]))
}

/** Reads the Room's state; called just before and after archiving. */
const readAll = async () => ({
  context: await reader.read("room_context", { roomId }),
  experiment: await reader.read("experiment", { experimentId }),
  attempt: await reader.read("attempt", { attemptId: running }),
  record: await lab.record(found),
  timeline: await everyItem(reader.items("thread_timeline", { threadId })),
})
let before: Awaited<ReturnType<typeof readAll>>

const ofAgents = operations.filter(
  ({ surface, schemaVersion }) => surface === "agent" && schemaVersion === schemaVersions.research,
)

function send({ path, example, delivery }: (typeof ofAgents)[number], query = "") {
  const body = { ...(aboutRoom(example) as object), [delivery]: crypto.randomUUID() }
  return ask(`${house.baseUrl}${path.replace("{threadId}", threadId)}${query}`, { token, body })
}

/** The refusal in the interface's table: 404 on research routes, 403 on those of Threads, messages and publications. */
const tabled = (path: string) =>
  path.startsWith("/api/agent/research/") ? ([404, "room_unavailable"] as const) : ([403, "room_archived"] as const)

t.test("while it is active, no operation is refused for the state of the Room", async (t) => {
  t.ok(ofAgents.length >= 23, `${ofAgents.length} operations`)
  for (const operation of ofAgents) {
    const { status, body } = await send(operation, "?rehearse=1")
    // The repository in the example is on an unreachable host.
    const isUnheard = status === 503 && String(body.refusal) === "repository_unavailable"
    t.ok(
      status === 200 || status === 409 || status === 422 || isUnheard,
      `${operation.name}: ${status} ${body.refusal ?? "accepted"}`,
    )
    t.notSame(body.refusal, "invalid_schema", `${operation.name}: the body is well formed`)
  }
})

// shows: A write to an archived Room names the Room, its state, when and why in current.
t.test("once it is archived, each route refuses as the table says, and names the Room", async (t) => {
  before = await readAll()
  await lab.archive(roomId)
  const { archive } = await reader.read("room", { roomId })
  for (const operation of ofAgents) {
    const [status, refusal] = tabled(operation.path)
    for (const query of ["", "?rehearse=1"]) {
      const answer = await send(operation, query)
      t.strictSame(
        [answer.status, answer.body.refusal, answer.body.committed, answer.body.retryable],
        [status, refusal, false, false],
        `${operation.path}${query}`,
      )
      t.strictSame(answer.body.current, {
        room: { id: roomId, state: "archived", archivedAt: archive?.archivedAt, reason: "It is answered." },
      })
    }
    t.equal(operation.archived, refusal, "the definition says so too")
  }
  const { body } = await ask(`${house.baseUrl}/api/agent/rooms/${roomId}/access`, { token })
  const listed = body.operations as unknown as { operation: string; allowed: boolean; refusal: string }[]
  t.strictSame(
    listed.map(({ operation, allowed, refusal }) => [operation, allowed, refusal]),
    ofAgents.map(({ name, path }) => [name, false, tabled(path)[1]]),
    "and access predicts it",
  )
  holds(t, (await ask(`${house.baseUrl}/api/agent/research/identity`, { token })).body, {
    room: { id: roomId, archived: true },
  })
})

t.test("the browser gets the same refusals", async (t) => {
  holds(t, await refusalOf(lab.grace.write("post_message", { threadId, text: "So." })), {
    status: 403,
    refusal: "room_archived",
    current: { room: { id: roomId, state: "archived" } },
  })
  holds(
    t,
    await refusalOf(lab.ada.write("assert_retraction", { targetVersionId: found.versionId, explanation: because })),
    { status: 404, refusal: "room_unavailable", current: { room: { id: roomId, state: "archived" } } },
    "the owner's retraction too",
  )
})

t.test("nothing in it has changed, and a retry still returns its receipt", async (t) => {
  const { context, experiment, attempt, record, timeline } = await readAll()
  const { archive } = context.room
  const moved = {
    state: "archived",
    archive,
    activityWatermark: before.context.activityWatermark + 1,
    lastActivityAt: archive?.archivedAt,
  }
  t.strictSame(
    { ...context, experiments: [] },
    {
      ...before.context,
      experiments: [],
      room: { ...before.context.room, ...moved },
      syntheses: before.context.syntheses.map((synthesis) => ({ ...synthesis, archive })),
      activityWatermark: moved.activityWatermark,
    },
  )
  t.strictSame(
    context.experiments.map(({ affordances }) => affordances.operations),
    [[]],
    "no more actions are offered",
  )
  t.strictSame({ ...experiment, affordances: null }, { ...before.experiment, affordances: null })
  t.strictSame({ ...attempt, affordances: null }, { ...before.attempt, affordances: null })
  t.strictSame([record, timeline], [before.record, before.timeline])
  t.strictSame(await room.grace.write("publish_finding", kept), { ...receipt, replayed: true })
  t.equal(
    (await refusalOf(room.grace.write("publish_finding", { ...kept, scope: "Elsewhere." }))).refusal,
    "request_conflict",
  )
})

// shows: An archived Room is readable and citable and admits no new work.
// shows: Every read of the table answers.
t.test("every public read of the registry still answers", async (t) => {
  for (const { name, method, path, query } of reads.filter(({ surface }) => surface === "public")) {
    const required = Object.entries(query.entries)
      .filter(([, entry]) => entry.type !== "exact_optional")
      .map(([parameter]) => parameter)
    const filled = path.replace(/\{([a-zA-Z]+)\}/g, (_place, id: string) => ids[id] ?? id)
    const asked = new URLSearchParams(required.map((parameter) => [parameter, ids[parameter] ?? "ramp"]))
    // One of the two parameters is required.
    if (name === "room_similar") asked.set("text", "ramp")
    if (name === "attempt_table") asked.set("roomId", roomId)
    const { status, text } = await (method === "POST"
      ? ask(`${house.baseUrl}${filled}`, { body: Object.fromEntries(asked) })
      : ask(`${house.baseUrl}${filled}${asked.size === 0 ? "" : `?${asked}`}`))
    t.equal(status, 200, `${name}: ${status === 200 ? "answered" : text}`)
  }
  t.equal((await reader.verifyActivity(roomId)).lastSequence, before.context.activityWatermark + 1)
})

// shows: An archived Room is readable and citable and admits no new work.
t.test("its records can be cited in every other Room", async (t) => {
  const other = await lab.room()
  const { result: card } = await other.mary.write("reuse_record", {
    threadId: other.threadId,
    versionId: found.versionId,
    note: "From an archived Room.",
  })
  t.equal(card.versionId, found.versionId)
  const { warnings, result } = await other.ada.write(
    "publish_hypothesis",
    hypothesis(other, { premises: [premise(predicted.versionId)], references: [reference(found.versionId)] }),
  )
  holds(t, warnings, [{ code: "rests_on_disputed", versionId: predicted.versionId }], "as they stand")
  const there = await Work.begin(lab, other, { hypotheses: [predicted.versionId] })
  const compared = await there.attempt()
  const cited = await other.grace.write(
    "publish_finding",
    finding(other, {
      evidence: [
        { kind: "attempt_output", attemptId, ...losses, explanation: because },
        { kind: "record", versionId: found.versionId, explanation: because },
        { kind: "material", materialId: material.materialId, explanation: because },
      ],
      provenance: { execution: there.execution([compared], [attemptId]), papers: [] },
      materials: [{ materialId: material.materialId, purpose: because }],
    }),
  )
  t.strictSame(cited.warnings, [])
  holds(t, (await lab.record(cited.result)).materials, [
    { material: { label: material.label, labelFromOtherRoom: true, materialOriginRoom: roomId } },
  ])
  await other.ada.write("link_experiment_finding", {
    experimentId: there.experimentId,
    findingVersionId: found.versionId,
    towardHypothesis: [{ versionId: predicted.versionId, verdict: "supports", explanation: because }],
    towardQuestion: { verdict: "answers", explanation: because },
  })
  await other.ada.write("assert_supersession", {
    targetVersionId: result.versionId,
    replacementVersionId: found.versionId,
    explanation: because,
  })
  const again = await other.grace.write("register_material", {
    roomId: other.roomId,
    threadId: other.threadId,
    reference: sha256("7"),
    name: "Counts",
  })
  t.strictSame(
    [again.result.materialId, again.result.label, again.result.existing],
    [material.materialId, material.label, true],
  )
  holds(t, await lab.record(found), { usedBy: { references: 1, evidence: 1, reuses: 1 }, status: "current" })
})

t.test("restored, it accepts work again", async (t) => {
  await lab.ada.write("restore_room", { roomId, reason: because })
  await work.tell(running, "succeeded")
  t.equal(
    (await room.mary.write("publish_finding", finding(room))).result.label,
    "F3",
    "the labels continue without a gap",
  )
})

t.test("the pages of an archived Room name no next step", async (t) => {
  const open = await lab.room()
  const { versionId } = (await open.ada.write("publish_hypothesis", hypothesis(open))).result
  const page = async () => (await fetch(`${lab.house.baseUrl}/records/${versionId}`)).text()
  const next = 'aria-label="Next"'
  t.match(await page(), next)
  await lab.archive(open.roomId)
  t.notMatch(await page(), next)
})
