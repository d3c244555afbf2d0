/** Lists of work: every set of filters finds exactly what it names, page by page; invalid queries are refused. */
import type { ItemOf, ReadInput } from "research-room/client"
import t from "tap"
import { launch, nobody } from "../../support/bodies.ts"
import { openInside, refusalOf } from "../../support/lab.ts"
import { type AttemptState, experimentIn, leadTo, planFor } from "./situations.ts"

const lab = await openInside(t)
const reader = lab.reader
const states: readonly AttemptState[] = [
  "registered",
  "started",
  "succeeded",
  "failed",
  "preflight_failed",
  "cancelled",
]
type Attempt = ItemOf<"attempts">

const rooms = [await lab.room(), await lab.room()] as const
for (const room of rooms) {
  const { ada: proposer, grace: holder } = room
  for (let experiment = 0; experiment < 2; experiment++) {
    const { planId, made } = await planFor(await experimentIn("claimed", room, proposer, holder), holder)
    const { experimentId, expected } = made
    let earlier: string | undefined
    for (let index = 0; index < 12; index++) {
      const attemptId = crypto.randomUUID()
      const grounds = [
        { intent: "planned" as const, planId },
        { intent: "exploratory" as const },
        { intent: "rerun" as const, rerunOf: earlier ?? "" },
        { intent: "reproduction" as const, reproduces: { attemptId: earlier ?? "" } },
      ]
      await holder.write("register_attempt", {
        attemptId,
        experimentId,
        ...expected,
        ...launch,
        ...(grounds[index % 4] as { intent: "exploratory" }),
      })
      await leadTo(states[(index + Math.floor(index / 4)) % states.length] as AttemptState, attemptId, holder)
      earlier = attemptId
    }
  }
}

async function walked(input: ReadInput<"attempts">, limit: number): Promise<Attempt[]> {
  const found: Attempt[] = []
  for await (const { items } of reader.pages("attempts", { ...input, limit })) {
    if (items.length > limit) throw new Error(`a page of ${items.length}`)
    found.push(...items)
  }
  return found
}

const all = await walked({}, 50)

t.test("attempts come in the order of their ids, each once", async (t) => {
  t.equal(all.length, 48)
  t.same(
    all.map(({ attemptId }) => attemptId),
    all.map(({ attemptId }) => attemptId).sort(),
  )
  t.same(
    (await walked({}, 7)).map(({ attemptId }) => attemptId),
    all.map(({ attemptId }) => attemptId),
  )
  t.same(
    await walked({ after: (all[19] as Attempt).attemptId.toUpperCase() }, 50),
    all.slice(20),
    "after a cursor, in either letter case",
  )
})

// shows: Attempts are filtered by every filter of the table, alone and together.
t.test("every set of filters finds what it names, and nothing else", async (t) => {
  const names = ["experimentId", "roomId", "status", "intent", "label"] as const
  let empty = 0
  for (let set = 0; set < 2 ** names.length; set++) {
    const given = names.filter((_, index) => (set & (1 << index)) !== 0)
    if (given.includes("label") && !given.includes("roomId")) continue
    for (const sample of [0, 9, 18, 27, 36, 45]) {
      // Some filters are taken from another attempt, so that some sets match nothing.
      const input = Object.fromEntries(
        given.map((name, index) => [name, (all[(sample + (sample % 2) * index) % all.length] as Attempt)[name]]),
      ) as ReadInput<"attempts">
      const expected = all.filter((attempt) => given.every((name) => attempt[name] === input[name]))
      empty += expected.length === 0 ? 1 : 0
      t.same(
        (await walked(input, 5)).map(({ label, roomId }) => `${roomId} ${label}`),
        expected.map(({ label, roomId }) => `${roomId} ${label}`),
        given.join(", "),
      )
    }
  }
  t.ok(empty > 3, "some sets match nothing")
})

t.test("experiments, in the order they were proposed", async (t) => {
  const { items } = await reader.read("experiments")
  t.same(
    items.map(({ roomId, label }) => `${rooms.findIndex((room) => room.roomId === roomId)} ${label}`),
    ["0 E1", "0 E2", "1 E1", "1 E2"],
  )
  const [, second] = rooms
  t.same((await reader.read("experiments", { roomId: second.roomId })).items, items.slice(2))
  t.same((await reader.read("experiments", { roomId: second.roomId, label: "E2" })).items, items.slice(3))
  t.same((await reader.read("experiments", { roomId: second.roomId, label: "E3" })).items, [])
  const pages: string[][] = []
  for await (const page of reader.pages("experiments", { limit: 3 })) pages.push(page.items.map(({ label }) => label))
  t.same(pages, [["E1", "E2", "E1"], ["E2"]])
})

// shows: A label filter needs a Room.
t.test("invalid queries are refused", async (t) => {
  const refused = async (input: object, path: string, name: "attempts" | "experiments" = "attempts") =>
    t.match(
      await refusalOf(reader.read(name as "attempts", input as ReadInput<"attempts">)),
      { status: 422, refusal: "invalid_parameter", issues: [{ path }] },
      `${name} ${JSON.stringify(input)}`,
    )
  await refused({ label: "A1" }, "/roomId")
  await refused({ label: "E1" }, "/roomId", "experiments")
  await refused({ roomId: rooms[0].roomId, label: "E1" }, "/label")
  await refused({ roomId: rooms[0].roomId, label: "A0" }, "/label")
  await refused({ roomId: "the first" }, "/roomId")
  await refused({ status: "unknown" }, "/status")
  await refused({ intent: "any" }, "/intent")
  await refused({ after: "the beginning" }, "/after")
  await refused({ limit: 0 }, "/limit")
  await refused({ limit: 51 }, "/limit")
  await refused({ outcome: "failed" }, "/outcome")
  await refused({ after: "x" }, "/after", "experiments")
  for (const name of ["attempts", "experiments"] as const) {
    t.match(
      await refusalOf(reader.read(name, { roomId: nobody })),
      { status: 404, refusal: "room_unavailable" },
      `${name} of an unknown Room`,
    )
  }
})

// shows: 404 for what is not there, each kind under its own code.
t.test("unknown ids are refused, each kind under its own code", async (t) => {
  for (const id of [nobody, "not-an-id", "%00", "a b", "0198F3A0-DEAD-4EAD-8EAD-00000000DEAD"]) {
    t.match(await refusalOf(reader.read("experiment", { experimentId: id })), {
      status: 404,
      refusal: "unknown_experiment",
      current: null,
    })
    t.match(await refusalOf(reader.read("experiment_history", { experimentId: id })), { refusal: "unknown_experiment" })
    t.match(await refusalOf(reader.read("proposal", { proposalId: id })), { refusal: "unknown_experiment" })
    t.match(await refusalOf(reader.read("plan", { planId: id })), { status: 404, refusal: "unknown_plan" })
    t.match(await refusalOf(reader.read("attempt", { attemptId: id })), { status: 404, refusal: "unknown_attempt" })
    t.match(await refusalOf(reader.read("attempt_metrics", { attemptId: id })), { refusal: "unknown_attempt" })
    t.match(await refusalOf(reader.read("material", { materialId: id })), { status: 404, refusal: "unknown_material" })
    t.match(await refusalOf(reader.read("room_materials", { roomId: id })), {
      status: 404,
      refusal: "room_unavailable",
    })
  }
})
