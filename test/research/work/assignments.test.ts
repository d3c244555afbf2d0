/** Each person's assignments across Rooms, and what a credential allows now. */
import t from "tap"
import { operations } from "../../../src/contract/operations/index.ts"
import { House, type Person } from "../../support/house.ts"
import { experimentIn } from "./situations.ts"

const house = await House.open({ people: 2 })
t.teardown(() => house.close())
const [owner, member] = house.people as [Person, Person]
const [first, second] = [await house.room(), await house.room()]
const work = operations
  .filter(({ permissions }) => permissions.includes("manage_own_experiments"))
  .map(({ name }) => name)

t.test("assignments are the person's, from every Room", async (t) => {
  const here = await experimentIn("claimed", first, owner, member)
  const there = await experimentIn("in_progress", second, owner, member)
  await experimentIn("completed", first, owner, member)
  await experimentIn("open", first, owner, member)
  /** The agent of the member that took the experiment of a Room. */
  const agentOf = async (room: typeof first) => (await room.client(member).identity()).agent
  const [ours, theirs] = [await agentOf(first), await agentOf(second)]
  t.not(ours, theirs)
  const held = [
    { experimentId: here.experimentId, label: "E1", roomId: first.roomId, status: "claimed", agent: ours },
    { experimentId: there.experimentId, label: "E1", roomId: second.roomId, status: "in_progress", agent: theirs },
  ]
  /** The same assignments as seen from a Room: labels of other Rooms are marked. */
  const seenFrom = (here: string) =>
    held.map((each) => (each.roomId === here ? each : { ...each, labelFromOtherRoom: true, originRoomId: each.roomId }))
  for (const room of [first, second]) {
    const identity = await room.client(member).identity()
    t.same(identity.assignments, seenFrom(room.roomId), "whichever Room the credential is for")
    t.equal(identity.room.id, room.roomId)
    const status = await room.client(member).read("room_status", { roomId: room.roomId })
    t.same(
      status.assignments,
      held.filter(({ roomId }) => roomId === room.roomId),
      "the status covers one Room",
    )
  }
  t.same((await first.client(owner).identity()).assignments, [], "proposing is not holding")
  await second
    .client(member)
    .write("release_experiment", { experimentId: there.experimentId, ...there.expected, handoff: "Yours." })
  t.same((await first.client(member).identity()).assignments, held.slice(0, 1))
  await house.does(owner, "archive_room", { roomId: first.roomId, reason: "Over." })
  t.same(
    (await second.client(member).identity()).assignments,
    seenFrom(second.roomId).slice(0, 1),
    "an archived Room's work is still held",
  )
  await house.does(owner, "restore_room", { roomId: first.roomId, reason: "Not over." })
})

// shows: Identity, status and access are read with a credential, of its own Room.
t.test("access tells which work writes would be admitted, and gives the refusal for the others", async (t) => {
  const { roomId } = first
  const refusals = async (client: ReturnType<House["client"]>) => {
    const { operations: listed } = await client.read("room_access", { roomId })
    return [
      ...new Set(
        listed
          .filter(({ operation }) => work.includes(operation as (typeof work)[number]))
          .map(({ allowed, refusal }) => (allowed ? null : refusal)),
      ),
    ]
  }
  t.same(await refusals(first.client(member)), [null])
  const talker = house.client(await house.credential(member, roomId, { permissions: ["post_thread"] }))
  t.same(await refusals(talker), ["permission_missing"])
  await house.does(owner, "archive_room", { roomId, reason: "Over." })
  t.same(await refusals(first.client(member)), ["room_unavailable"])
  t.same(await refusals(talker), ["permission_missing"], "in the order of the checks")
  await house.does(owner, "restore_room", { roomId, reason: "Not over." })
  await house.does(owner, "remove_member", { roomId, userId: member.userId })
  t.same(await refusals(first.client(member)), ["not_a_member"])
})
