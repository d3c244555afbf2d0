/** Rooms: created with their opening Thread, amended by their owner, found in the list of all Rooms. */
import tap, { test } from "tap"
import { ask } from "../support/ask.ts"
import { action } from "../support/bodies.ts"
import { openLab } from "../support/lab.ts"

const lab = await openLab(tap)
const { house } = lab
const room = async (roomId: string) => (await ask(`${house.baseUrl}/api/research/rooms/${roomId}`)).body

test("a Room is created with its opening Thread, an owner, and the first entry of its chain", async (t) => {
  const { result, entry, activity, threadId } = await lab.ada.write("create_room", {
    title: "Warm-up",
    question: "How much of it?",
  })
  t.equal(threadId, result.openingThreadId)
  t.equal(entry, null)
  t.match(activity, { sequence: 1, digest: /^sha256:[0-9a-f]{64}$/ })
  t.match(await room(result.roomId), {
    roomId: result.roomId,
    title: "Warm-up",
    question: "How much of it?",
    state: "active",
    archive: null,
    concluded: false,
    owner: { username: "ada" },
    openingThreadId: result.openingThreadId,
    activityWatermark: 1,
    counts: { members: 1, threads: 1, hypothesis: 0, experiment: 0 },
    members: [{ username: "ada", role: "owner" }],
  })
  const { body } = await ask(`${house.baseUrl}/api/research/rooms/${result.roomId}/threads`)
  t.match(body.items, [
    {
      threadId: result.openingThreadId,
      sequence: 1,
      opening: true,
      title: "Warm-up",
      timelineWatermark: 0,
      followsEntryId: null,
    },
  ])
  t.match((await ask(`${house.baseUrl}/api/research/rooms/${result.roomId}/activity`)).body.items, [
    {
      kind: "room_created",
      operation: "create_room",
      previousDigest: `sha256:${"0".repeat(64)}`,
      digest: activity?.digest,
    },
  ])
})

test("its owner amends its title, its question, or both", async (t) => {
  const { roomId } = await lab.place("Before")
  const amend = (body: object) => lab.at("ada", "PATCH", `/api/rooms/${roomId}`, action({ ...body }))
  t.match((await amend({ question: "Why?" })).body.result, { title: "Before", question: "Why?" })
  t.match((await amend({ title: "After" })).body.result, { title: "After", question: "Why?" })
  t.match(await room(roomId), { title: "After", question: "Why?" })
  t.match((await amend({})).body, { refusal: "invalid_schema", issues: [{ path: "" }] })
  for (const title of ["", " \n", "x".repeat(201), 7, null])
    t.match(
      (await amend({ title })).body,
      { refusal: "invalid_schema", issues: [{ path: "/title" }] },
      JSON.stringify(title),
    )
  t.equal((await amend({ title: "𝔞".repeat(200) })).status, 200, "characters are counted, not bytes")
})

// shows: Rooms are found by a query.
test("Rooms are listed newest first and found by words of their title or question", async (t) => {
  const first = await lab.ada.write("create_room", { title: "A question of zebras" })
  const second = await lab.mary.write("create_room", { title: "Another", question: "What of ZEBRAS?" })
  const { body } = await ask(`${house.baseUrl}/api/research/rooms?query=zebras`)
  t.strictSame(
    (body.items as unknown as { roomId: string }[]).map(({ roomId }) => roomId),
    [second.result.roomId, first.result.roomId],
  )
  t.strictSame((await ask(`${house.baseUrl}/api/research/rooms`)).body.items?.[0]?.roomId, second.result.roomId)
  t.strictSame((await ask(`${house.baseUrl}/api/research/rooms?query=zebra%27s%20"`)).body.items, [])
})

// shows: Identity, status and access are read with a credential, of its own Room.
// shows: skill: one_room
test("a credential reads the status of its own Room; that of another Room is refused", async (t) => {
  const { token } = house.credentials.member_all
  const { roomId } = house.rooms.empty
  t.match((await ask(`${house.baseUrl}/api/agent/rooms/${roomId}/status`, { token })).body, {
    room: { id: roomId, state: "active", archive: null },
    membership: { role: "member" },
    assignments: [],
  })
  for (const read of ["status", "access"]) {
    t.match((await ask(`${house.baseUrl}/api/agent/rooms/${house.rooms.main.roomId}/${read}`, { token })).body, {
      refusal: "scope_missing",
    })
    t.match((await ask(`${house.baseUrl}/api/agent/rooms/no-room/${read}`, { token })).body, {
      refusal: "room_unavailable",
    })
  }
})
