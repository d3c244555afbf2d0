/** How people join and leave a Room, and that of two simultaneous decisions only one counts. */
import tap, { test } from "tap"
import { ask } from "../support/ask.ts"
import { action, freshId, message } from "../support/bodies.ts"
import { openLab } from "../support/lab.ts"

const lab = await openLab(tap)
const { house } = lab
const { userIds: ids } = lab

const names = async (roomId: string) =>
  (await lab.ada.read("members", { roomId })).items.map(({ username, role }) => `${username} (${role})`)
const kinds = async (roomId: string) =>
  (
    (await ask(`${house.baseUrl}/api/research/rooms/${roomId}/activity`)).body.items as unknown as { kind: string }[]
  ).map(({ kind }) => kind)
const decide = (roomId: string, decision: string) =>
  lab.at("ada", "POST", `/api/rooms/${roomId}/join-requests/${ids.mary}/decision`, action({ decision }))

test("mary asks, ada sees the request and lets her in, and the Room's activity has it once", async (t) => {
  const { roomId } = await lab.place()
  await lab.mary.write("request_to_join", { roomId, message: "I run the same sweep." })
  t.match(await lab.ada.read("join_requests", { roomId }), {
    items: [{ person: { userId: ids.mary, username: "mary" }, message: "I run the same sweep." }],
  })
  t.match((await decide(roomId, "accept")).body, {
    target: { kind: "join_request", id: ids.mary },
    result: { decision: "accept", username: "mary" },
  })
  t.strictSame(await names(roomId), ["ada (owner)", "grace (member)", "mary (member)"])
  t.strictSame((await lab.ada.read("join_requests", { roomId })).items, [], "a decided request is gone")
  t.strictSame(await kinds(roomId), ["room_created", "member_joined", "member_joined"])
})

test("a declined request leaves no trace in the Room, and may be made again", async (t) => {
  const { roomId } = await lab.place()
  await lab.mary.write("request_to_join", { roomId })
  const declined = await decide(roomId, "decline")
  t.strictSame([declined.status, declined.body.activity], [200, null])
  t.strictSame(await kinds(roomId), ["room_created", "member_joined"])
  t.strictSame((await decide(roomId, "accept")).body.refusal, "room_unavailable", "a decision is final")
  t.equal((await lab.at("mary", "POST", `/api/rooms/${roomId}/join-requests`)).status, 200)
})

test("of two simultaneous decisions one counts, and the other answer gives the current state", async (t) => {
  for (const [first, second] of [
    ["accept", "accept"],
    ["accept", "decline"],
    ["decline", "accept"],
    ["decline", "decline"],
  ] as const) {
    const { roomId } = await lab.place()
    await lab.mary.write("request_to_join", { roomId })
    const answers = await Promise.all([decide(roomId, first), decide(roomId, second)])
    const winner = answers.find(({ status }) => status === 200)
    const loser = answers.find(({ status }) => status !== 200)
    t.ok(winner !== undefined && loser !== undefined, `${first} and ${second}: one of them`)
    const accepted = String(winner?.body.result?.decision) === "accept"
    t.strictSame((await names(roomId)).includes("mary (member)"), accepted)
    t.match(
      loser?.body,
      accepted
        ? { refusal: "state_conflict", current: { member: { userId: ids.mary, role: "member" } } }
        : { refusal: "room_unavailable" },
    )
  }
})

test("adding a member by hand answers their open request too", async (t) => {
  const { roomId } = await lab.place()
  await lab.mary.write("request_to_join", { roomId })
  await lab.ada.write("add_member", { roomId, username: "MARY" })
  t.strictSame((await lab.ada.read("join_requests", { roomId })).items, [])
  const again = await lab.at("ada", "POST", `/api/rooms/${roomId}/members`, action({ username: "mary" }))
  t.match(again.body, { refusal: "state_conflict", current: { member: { username: "mary" } } })
  t.match((await lab.at("ada", "POST", `/api/rooms/${roomId}/members`, action({ username: "nobody-here" }))).body, {
    refusal: "room_unavailable",
  })
})

test("grace leaves by herself, ada removes mary, and neither can write any more", async (t) => {
  const { roomId, threadId } = await lab.place()
  await lab.ada.write("add_member", { roomId, username: "mary" })
  const { token } = await lab.credential("grace", roomId)
  const post = () => ask(`${house.baseUrl}/api/agent/threads/${threadId}/messages`, { token, body: message() })
  t.equal((await post()).status, 200)

  t.equal(
    (await lab.at("grace", "DELETE", `/api/rooms/${roomId}/members/${ids.mary}`)).status,
    403,
    "a member removes nobody",
  )
  t.equal((await lab.at("ada", "DELETE", `/api/rooms/${roomId}/members/${ids.mary.toUpperCase()}`)).status, 200)
  t.equal((await lab.at("grace", "DELETE", `/api/rooms/${roomId}/members/${ids.grace}`)).status, 200)
  t.strictSame(await names(roomId), ["ada (owner)"])
  t.strictSame((await kinds(roomId)).slice(-2), ["member_left", "member_left"])

  t.strictSame((await post()).body.refusal, "not_a_member")
  t.strictSame(
    (await lab.at("mary", "POST", `/api/threads/${threadId}/messages`, message())).body.refusal,
    "not_a_member",
  )
  t.match(
    await house.client("member_all").read("room_status", { roomId: house.rooms.empty.roomId }),
    { membership: { role: "member" } },
    "grace is still a member of the other Room",
  )
  const status = await ask(`${house.baseUrl}/api/agent/rooms/${roomId}/status`, { token })
  t.strictSame(status.body.membership, null)
})

test("a returning member does not get their old credentials back", async (t) => {
  const { roomId, threadId } = await lab.place()
  const { token } = await lab.credential("grace", roomId, { label: "of the first time" })
  await lab.ada.write("remove_member", { roomId, userId: ids.grace })
  await lab.grace.write("request_to_join", { roomId })
  t.equal(
    (
      await lab.at(
        "ada",
        "POST",
        `/api/rooms/${roomId}/join-requests/${ids.grace}/decision`,
        action({ decision: "accept" }),
      )
    ).status,
    200,
  )
  t.equal(
    (await ask(`${house.baseUrl}/api/agent/threads/${threadId}/messages`, { token, body: message() })).status,
    401,
  )
  const [shown] = (await lab.grace.read("credentials", { roomId })).items
  t.match(shown, { label: "of the first time", revokedAt: String })
})

test("these writes replay and conflict like any other", async (t) => {
  const { roomId } = await lab.place()
  const body = action({ username: "mary" })
  const first = await lab.at("ada", "POST", `/api/rooms/${roomId}/members`, body)
  const again = await lab.at("ada", "POST", `/api/rooms/${roomId}/members`, body)
  t.match(again.body, { replayed: true, target: first.body.target })
  t.match((await lab.at("ada", "POST", `/api/rooms/${roomId}/members`, { ...body, username: "grace" })).body, {
    refusal: "request_conflict",
  })
  const { roomId: other } = await lab.place()
  t.match(
    (await lab.at("ada", "POST", `/api/rooms/${other}/members`, body)).body,
    { refusal: "request_conflict" },
    "the Room in the path is compared",
  )
  t.match((await lab.at("ada", "POST", `/api/rooms/${freshId()}/members`, action({ username: "mary" }))).body, {
    refusal: "room_unavailable",
  })
})
