/** An archived Room can be read and cited but accepts no new work, on any route; a restored one continues. */
import tap, { test } from "tap"
import { browserPath, type Operation } from "../../src/contract/definitions/operation.ts"
import { operations } from "../../src/contract/operations/index.ts"
import { ask } from "../support/ask.ts"
import { action, type Body, freshId, hypothesis } from "../support/bodies.ts"
import { openLab } from "../support/lab.ts"
import { held } from "../support/contract.ts"
import { addressOf } from "../support/routes.ts"

const lab = await openLab(tap)
const { house } = lab
const reason = "The question is answered."

/** A Room of ada's with one of every object that a write can be about. */
async function fullRoom() {
  const { roomId, threadId } = await lab.place("Soon to be archived")
  const { token } = await lab.credential("ada", roomId)
  const agent = lab.open(token)
  const versionId = (await agent.write("publish_hypothesis", hypothesis({ roomId, threadId }))).targetId
  const { experimentId } = (
    await agent.write("propose_experiment", { roomId, threadId, question: "Which?", scope: "Here.", hypotheses: [] })
  ).result
  await agent.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  const { url, commit } = house.repositories.public
  const { planId } = (
    await agent.write("accept_plan", {
      ...{
        experimentId,
        expectedRevision: 2,
        expectedStatus: "claimed",
        repository: { url, commit },
        hypotheses: [],
        premises: [],
      },
      ...{ protocol: { summary: "Run it.", steps: [], arms: [] }, intent: "exploratory", requiredMaterials: [] },
    })
  ).result
  const attemptId = freshId()
  await agent.write("register_attempt", {
    attemptId,
    experimentId,
    intent: "exploratory",
    expectedRevision: 3,
    expectedStatus: "claimed",
    argv: ["run"],
    configuration: {},
    inputs: [],
    repository: { url, commit },
  })
  const materialId = (
    await agent.write("register_material", {
      roomId,
      threadId,
      reference: `sha256:${roomId.replaceAll("-", "").padEnd(64, "0")}`,
      name: "Counts",
    })
  ).targetId
  const { linkId } = (await agent.write("assert_dispute", { targetVersionId: versionId, explanation: "It is not so." }))
    .result
  const { assertion, concepts, scope } = hypothesis({ roomId, threadId })
  const said = {
    roomId,
    threadId,
    assertion,
    concepts,
    scope,
    references: [],
    evidence: [],
    materials: [],
    provenance: { papers: [] },
  }
  const target = (
    await agent.write("publish_finding", { kind: "finding", ...said, outcome: "negative", retrospective: true })
  ).targetId
  const { claimId } = (await agent.write("claim_work", { object: experimentId, what: "run", minutes: 240 })).result
  return {
    object: experimentId,
    target,
    claimId,
    roomId,
    threadId,
    token: token ?? "",
    experimentId,
    planId,
    attemptId,
    materialId,
    linkId,
    targetVersionId: versionId,
    versionId,
  }
}
type FullRoom = Awaited<ReturnType<typeof fullRoom>>

/** The example body of an operation, changed to refer to objects of the Room. */
function bodyFor(operation: Operation, room: FullRoom): Body {
  const example = operation.example as Body
  const about = Object.fromEntries(Object.entries(room).filter(([name]) => Object.hasOwn(example, name)))
  return { ...example, ...about, [operation.delivery]: freshId() }
}

const agentOperations = operations.filter(({ surface, family }) => surface === "agent" && family === "research")

// shows: A write to an archived Room names the Room, its state, when and why in current.
test("every write of an agent is refused, with the status of its route and the archive in current", async (t) => {
  const room = await fullRoom()
  await lab.ada.write("archive_room", { roomId: room.roomId, reason })
  const before = await house.client("member_all").verifyActivity(room.roomId)
  for (const operation of agentOperations) {
    const expected = operation.archived === "room_archived" ? [403, "room_archived"] : [404, "room_unavailable"]
    const agent = await ask(`${house.baseUrl}${addressOf(operation.path, room)}`, {
      token: room.token,
      body: bodyFor(operation, room),
    })
    const person = await lab.at(
      "ada",
      operation.method,
      addressOf(browserPath(operation), room),
      bodyFor(operation, room),
    )
    for (const { status, body } of [agent, person]) {
      t.strictSame([status, body.refusal], expected, operation.name)
      t.match(body, {
        committed: false,
        retryable: false,
        current: { room: { id: room.roomId, state: "archived", reason, archivedAt: /^20/ } },
      })
    }
  }
  t.strictSame(await house.client("member_all").verifyActivity(room.roomId), before)
})

// shows: 403 for membership, role, grant, scope, a browser's Origin, and an archived Room on Thread, message and
//   publication routes.
test("Thread, message and publication routes answer 403, the research routes 404", (t) => {
  const saying403 = agentOperations.filter(({ archived }) => archived === "room_archived").map(({ path }) => path)
  for (const path of [
    "/api/agent/threads",
    "/api/agent/threads/{threadId}/messages",
    "/api/agent/threads/{threadId}/records",
    "/api/agent/cited-claims",
    "/api/agent/findings",
  ]) {
    if (agentOperations.some((operation) => operation.path === path)) t.ok(saying403.includes(path), path)
  }
  t.ok(saying403.every((path) => !path.startsWith("/api/agent/research/")))
  t.end()
})

test("everything there stays readable, and says that and why it is archived", async (t) => {
  const room = await fullRoom()
  const paths = [
    `/rooms/${room.roomId}/threads`,
    `/threads/${room.threadId}/timeline`,
    `/records/${room.versionId}`,
    `/experiments/${room.experimentId}`,
    `/attempts/${room.attemptId}`,
    `/materials/${room.materialId}`,
  ]
  const read = async () =>
    Promise.all(paths.map(async (path) => (await ask(`${house.baseUrl}/api/research${path}`)).body))
  const before = await read()
  await lab.ada.write("archive_room", { roomId: room.roomId, reason })
  const shown = await read()
  for (const [index, path] of paths.entries())
    t.strictSame(
      { ...shown[index], generatedAt: "", affordances: "" },
      { ...before[index], generatedAt: "", affordances: "" },
      path,
    )
  const archive = { archivedBy: { username: "ada" }, reason }
  t.match((await ask(`${house.baseUrl}/api/research/rooms/${room.roomId}`)).body, { state: "archived", archive })
  t.match((await ask(`${house.baseUrl}/api/research/threads/${room.threadId}/context`)).body, {
    room: { state: "archived", archive },
  })
  t.match((await ask(`${house.baseUrl}/api/agent/research/identity`, { token: room.token })).body, {
    room: { id: room.roomId, archived: true },
  })
  t.match((await ask(`${house.baseUrl}/api/agent/rooms/${room.roomId}/status`, { token: room.token })).body, {
    room: { state: "archived", archive },
  })
  const access = (await ask(`${house.baseUrl}/api/agent/rooms/${room.roomId}/access`, { token: room.token })).body
    .operations as unknown as { allowed: boolean; refusal: string }[]
  t.ok(access.every(({ allowed, refusal }) => !allowed && ["room_archived", "room_unavailable"].includes(refusal)))
})

test("a record of an archived Room is cited and reused elsewhere", async (t) => {
  const room = await fullRoom()
  await lab.ada.write("archive_room", { roomId: room.roomId, reason })
  const { roomId, openingThreadId: threadId } = house.rooms.empty
  const agent = house.client("owner_all", { fetch: held })
  await agent.write("reuse_record", { threadId, versionId: room.versionId })
  const citing = await agent.write("publish_hypothesis", {
    ...hypothesis({ roomId, threadId }),
    references: [{ versionId: room.versionId, purpose: "extends", explanation: "One step on." }],
  })
  t.match((await agent.read("record", { versionId: citing.targetId })).references, [
    { versionId: room.versionId, label: "H1" },
  ])
  t.match((await agent.read("record", { versionId: room.versionId })).usedBy, { references: 1, reuses: 1 })
})

test("members and credentials can still be managed; the Room's own title cannot change", async (t) => {
  const { roomId } = await fullRoom()
  await lab.ada.write("archive_room", { roomId, reason })
  await lab.mary.write("request_to_join", { roomId })
  await lab.ada.write("add_member", { roomId, username: "mary" })
  const { credentialId } = await lab.credential("mary", roomId)
  const rotated = await lab.mary.write("rotate_credential", { roomId, credentialId })
  await lab.mary.write("revoke_credential", { roomId, credentialId: rotated.result.credentialId })
  await lab.ada.write("remove_member", { roomId, userId: lab.userIds.mary })
  for (const [method, path, body] of [
    ["PATCH", "", { title: "New" }],
    ["POST", "/archive", { reason: "Again." }],
  ] as const) {
    t.strictSame(
      (await lab.at("ada", method, `/api/rooms/${roomId}${path}`, action(body))).body.refusal,
      "room_archived",
    )
  }
})

test("a restored Room continues, with a reason, and its feed shows the whole of it", async (t) => {
  const room = await fullRoom()
  await lab.ada.write("archive_room", { roomId: room.roomId, reason })
  await lab.ada.write("restore_room", { roomId: room.roomId, reason: "A correction reopens it." })
  t.match((await ask(`${house.baseUrl}/api/research/rooms/${room.roomId}`)).body, { state: "active", archive: null })
  for (const operation of agentOperations) {
    const { body } = await ask(`${house.baseUrl}${addressOf(operation.path, room)}?rehearse=1`, {
      token: room.token,
      body: bodyFor(operation, room),
    })
    t.notMatch(body, { current: { room: { state: "archived" } } }, operation.name)
  }
  const { body } = await ask(
    `${house.baseUrl}/api/research/rooms/${room.roomId}/activity?kinds=room_archived,room_restored`,
  )
  t.match(body.items, [{ kind: "room_archived" }, { kind: "room_restored" }])
  await lab.ada.write("archive_room", { roomId: room.roomId, reason: "Now it is." })
  t.strictSame((await ask(`${house.baseUrl}/api/research/rooms/${room.roomId}`)).body.archive?.reason, "Now it is.")
})
