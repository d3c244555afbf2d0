/** Each person's assignments across Rooms, and what a credential allows now. */
import type { ResearchRoomClient } from "research-room/client"
import t from "tap"
import { operations } from "../../../src/contract/operations/index.ts"
import { openInside } from "../../support/lab.ts"
import { experimentIn } from "./situations.ts"

const lab = await openInside(t)
const [first, second] = [await lab.room(), await lab.room()]
const work = operations
  .filter(({ permissions }) => permissions.includes("manage_own_experiments"))
  .map(({ name }) => name)

t.test("assignments are the person's, from every Room", async (t) => {
  const here = await experimentIn("claimed", first, first.ada, first.grace)
  const there = await experimentIn("in_progress", second, second.ada, second.grace)
  await experimentIn("completed", first, first.ada, first.grace)
  await experimentIn("open", first, first.ada, first.grace)
  /** The agent of the member that took the experiment of a Room. */
  const agentOf = async (room: typeof first) => (await room.grace.identity()).agent
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
    const identity = await room.grace.identity()
    t.same(identity.assignments, seenFrom(room.roomId), "whichever Room the credential is for")
    t.equal(identity.room.id, room.roomId)
    const status = await room.grace.read("room_status", { roomId: room.roomId })
    t.same(
      status.assignments,
      held.filter(({ roomId }) => roomId === room.roomId),
      "the status covers one Room",
    )
  }
  t.same((await first.ada.identity()).assignments, [], "proposing is not holding")
  await second.grace.write("release_experiment", {
    experimentId: there.experimentId,
    ...there.expected,
    handoff: "Yours.",
  })
  t.same((await first.grace.identity()).assignments, held.slice(0, 1))
  await lab.archive(first.roomId)
  t.same(
    (await second.grace.identity()).assignments,
    seenFrom(second.roomId).slice(0, 1),
    "an archived Room's work is still held",
  )
  await lab.restore(first.roomId)
})

// shows: Identity, status and access are read with a credential, of its own Room.
t.test("access tells which work writes would be admitted, and gives the refusal for the others", async (t) => {
  const { roomId } = first
  const refusals = async (client: ResearchRoomClient) => {
    const { operations: listed } = await client.read("room_access", { roomId })
    return [
      ...new Set(
        listed
          .filter(({ operation }) => work.includes(operation as (typeof work)[number]))
          .map(({ allowed, refusal }) => (allowed ? null : refusal)),
      ),
    ]
  }
  t.same(await refusals(first.grace), [null])
  const talker = await lab.client("grace", roomId, { permissions: ["post_thread"] })
  t.same(await refusals(talker), ["permission_missing"])
  await lab.archive(roomId)
  t.same(await refusals(first.grace), ["room_unavailable"])
  t.same(await refusals(talker), ["permission_missing"], "in the order of the checks")
  await lab.restore(roomId)
  await lab.write("ada", "remove_member", { roomId, userId: lab.people.grace.userId })
  t.same(await refusals(first.grace), ["not_a_member"])
})
