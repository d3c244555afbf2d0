/** The provenance graph of a Room over HTTP: what rests on what, around one node, across Rooms, and where it is cut. */
import { RefusedError } from "research-room/client"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { enumerations } from "../../../src/contract/enumerations.ts"
import { limits } from "../../../src/contract/limits.ts"
import { provenance } from "../../../src/research/provenance/provenance.ts"
import { createInstance } from "../../../src/app/instance.ts"
import { freshId, hypothesis } from "../../support/bodies.ts"
import { held } from "../../support/contract.ts"
import { openHouse } from "../../support/house.ts"

const room = await startResearchRoom()
t.teardown(() => room.close())
const { main, empty } = room.rooms
const grace = room.client("member_all", { fetch: held })

const graphOf = (roomId: string, more: object = {}) => grace.read("room_provenance", { roomId, ...more })
type Graph = Awaited<ReturnType<typeof graphOf>>
const refusalOf = (roomId: string, more: object) =>
  graphOf(roomId, more).then(
    () => undefined,
    (error: unknown) => (error instanceof RefusedError ? `${error.status} ${error.refusal}` : error),
  )

/** Nodes by their label; a finding link, which has none, by its kind. */
const nameOf = ({ nodes }: Graph) => {
  const names = new Map(nodes.map(({ id, label, kind }) => [id, label ?? kind]))
  return (id: string) => names.get(id) ?? id
}
/** Edges as sentences. */
const told = (graph: Graph): string[] =>
  graph.edges.map(({ from, to, kind }) => `${nameOf(graph)(from)} ${kind} ${nameOf(graph)(to)}`).sort()
const idIn = ({ nodes }: Graph, label: string): string => nodes.find((node) => node.label === label)?.id as string

const whole = await graphOf(main.roomId)

// shows: Added: the provenance of a Room as nodes and edges.
t.test("The demo's Room, node by node and edge by edge", async (t) => {
  const nodes = Object.fromEntries(whole.nodes.map(({ label, kind, status, outcome }) => [label ?? kind, [kind, status, outcome]]))
  t.strictSame(nodes, {
    H1: ["hypothesis", "current", null],
    H2: ["hypothesis", "disputed", null],
    E1: ["experiment", "completed", null],
    P1: ["plan", null, null],
    A1: ["attempt", "succeeded", "succeeded"],
    A2: ["attempt", "failed", "failed"],
    A3: ["attempt", "succeeded", "succeeded"],
    A4: ["attempt", "succeeded", "succeeded"],
    F1: ["finding", "corrected", "positive"],
    F2: ["finding", "current", "negative"],
    C1: ["cited_claim", "current", null],
    M1: ["material", "obtainable", null],
    M2: ["material", "unreported", null],
    finding_link: ["finding_link", null, "answers"],
    L1: ["link", null, null],
    L2: ["link", null, null],
  })
  t.strictSame(told(whole), [
    "A1 consumes M1",
    "A1 executes E1",
    "A1 follows P1",
    "A2 consumes M1",
    "A2 executes E1",
    "A2 follows P1",
    "A3 consumes M1",
    "A3 executes E1",
    "A3 follows P1",
    "A3 reruns A2",
    "A4 consumes M1",
    "A4 executes E1",
    "A4 reproduces A3",
    "C1 related H1",
    "E1 addresses H1",
    "F1 compares_with A1",
    "F1 evidence A2",
    "F1 evidence C1",
    "F1 reports_on E1",
    "F1 results_from A3",
    "F1 supports H1",
    "F1 uses M1",
    "F2 contradicts H2",
    "H2 premise H1",
    "H2 refines H1",
    "L1 corrects F1",
    "L2 disputes H2",
    "L2 evidence F2",
    "M2 produced_by A3",
    "P1 plans E1",
    "P1 requires M1",
    "P1 tests H1",
    "finding_link answers E1",
    "finding_link evidence A3",
    "finding_link relates F1",
    "finding_link supports H1",
  ])
  t.match(whole, { roomId: main.roomId, focus: null, truncated: {} })
  t.equal(whole.activityWatermark, (await grace.read("room", { roomId: main.roomId })).activityWatermark)
})

t.test("Its words are closed sets that the manifest tells", async (t) => {
  const { enumerations: told } = await grace.manifest()
  t.strictSame([told.provenanceNode, told.provenanceEdge], [enumerations.provenanceNode, enumerations.provenanceEdge])
  t.equal(new Set(enumerations.provenanceEdge).size, enumerations.provenanceEdge.length, "each once")
})

// shows: Added: the provenance of a Room as nodes and edges.
t.test("Around a node stand its neighbours, whichever way the edges lead", async (t) => {
  for (const { id, label, kind } of whole.nodes) {
    const near = await graphOf(main.roomId, { focus: id })
    const touching = whole.edges.filter(({ from, to }) => from === id || to === id)
    const expected = new Set([id, ...touching.flatMap(({ from, to }) => [from, to])])
    t.strictSame(new Set(near.nodes.map((node) => node.id)), expected, `${label ?? kind}: the nodes`)
    const between = whole.edges.filter(({ from, to }) => expected.has(from) && expected.has(to))
    t.strictSame(near.edges, between, `${label ?? kind}: and every edge between them`)
  }
  const far = await graphOf(main.roomId, { focus: idIn(whole, "L1"), depth: 5 })
  t.strictSame([far.nodes, far.edges], [whole.nodes, whole.edges], "five steps reach all of it")
  const alone = await graphOf(main.roomId, { focus: idIn(whole, "L1"), depth: 0 })
  t.strictSame([alone.nodes.map(({ label }) => label), alone.edges], [["L1"], []], "and none its own place only")
})

t.test("What a Room names of another stands in its graph, and says where it belongs", async (t) => {
  const { roomId, openingThreadId } = empty
  const premise = { versionId: idIn(whole, "H1"), explanation: "It is assumed." }
  const { versionId } = (await grace.write("publish_hypothesis", { ...hypothesis(roomId, openingThreadId), premises: [premise] } as never))
    .result as { versionId: string }
  const here = await graphOf(roomId)
  t.strictSame(
    here.nodes.map((node) => [node.id, node.roomId]).sort(),
    [
      [premise.versionId, main.roomId],
      [versionId, roomId],
    ].sort(),
  )
  t.strictSame(here.edges, [{ from: versionId, to: premise.versionId, kind: "premise" }])
  t.strictSame(
    (await graphOf(roomId, { focus: premise.versionId, depth: 3 })).edges,
    here.edges,
    "in focus it shows what this Room makes of it",
  )
  t.strictSame(
    (await graphOf(main.roomId, { focus: premise.versionId, depth: 5 })).edges,
    whole.edges,
    "and its own Room what is made of it there",
  )
  t.equal((await graphOf(main.roomId)).nodes.length, whole.nodes.length, "the other Room's graph is its own")
  t.equal(await refusalOf(roomId, { focus: idIn(whole, "F1") }), "404 room_unavailable", "what this Room does not name is not in its graph")
})

t.test("What is asked wrongly is refused", async (t) => {
  t.equal(await refusalOf(freshId(), {}), "404 room_unavailable")
  t.equal(await refusalOf(main.roomId, { focus: freshId() }), "404 room_unavailable")
  t.equal(await refusalOf(main.roomId, { focus: "H1" }), "422 invalid_parameter")
  t.equal(await refusalOf(main.roomId, { depth: 2 }), "422 invalid_parameter", "depth without focus")
  t.equal(await refusalOf(main.roomId, { focus: idIn(whole, "F1"), depth: limits.provenanceDepth + 1 }), "422 invalid_parameter")
})

t.test("A Room over the limit is cut to the newest of each kind, and says so and where the rest is", async (t) => {
  const house = await openHouse()
  t.teardown(() => house.close())
  const { admit, ada, roomId, threadId, instance } = house
  const send = (index: number) =>
    admit({
      actor: ada,
      name: "register_material",
      body: {
        schemaVersion: 3,
        requestId: freshId(),
        roomId,
        threadId,
        reference: `sha256:${String(index).padStart(64, "0")}`,
        name: `Material ${index}`,
      },
    })
  for (let index = 1; index <= limits.provenanceNodes; index++) await send(index)
  const read = () =>
    instance.readers.room_provenance({ params: { roomId }, query: {}, actor: null, basePath: "/lab" }) as {
      nodes: { label: string }[]
      truncated: object
    }
  t.strictSame([read().nodes.length, read().truncated], [limits.provenanceNodes, {}], "as many as fit")
  await send(limits.provenanceNodes + 1)
  const cut = read()
  t.strictSame(cut.truncated, { material: `/lab/api/research/rooms/${roomId}/materials` }, "one more, under any base path")
  t.strictSame(
    cut.nodes.map(({ label }) => label),
    Array.from({ length: limits.provenanceNodes }, (_, index) => `M${index + 2}`),
    "the oldest is left out",
  )
})

t.test("The whole graph takes a handful of statements, however large it is", async (t) => {
  const house = await openHouse()
  t.teardown(() => house.close())
  const {
    db,
    instance: { world, instanceId },
    roomId,
  } = house
  let statements = 0
  const counting = {
    ...{ exec: (sql: string) => db.exec(sql), snapshot: <T>(work: () => T) => db.snapshot(work), close: () => db.close() },
    get inTransaction() {
      return db.inTransaction
    },
    prepare<Row>(sql: string) {
      const made = db.prepare<Row>(sql)
      const counted =
        <A extends unknown[], R>(run: (...values: A) => R) =>
        (...values: A): R => (statements++, run(...values))
      return { get: counted(made.get), one: counted(made.one), all: counted(made.all), run: counted(made.run) }
    },
  }
  const { readers } = createInstance({ db: counting, world, instanceId })
  statements = 0
  readers.room_provenance({ params: { roomId }, query: {}, actor: null })
  t.ok(statements <= 6, `${statements} statements`)
})

t.test("No graph looks at more edges than it may: then more may be left out of every kind, and that is said", async (t) => {
  const house = await openHouse()
  t.teardown(() => house.close())
  const { admit, ada, db, instance, roomId, threadId } = house
  const publish = async (premises: object[]) => {
    const body = { ...hypothesis(roomId, threadId), premises }
    return (await admit({ actor: ada, name: "publish_hypothesis", body })).result as { versionId: string }
  }
  const { versionId } = await publish([])
  const most = 12
  for (let index = 0; index < most; index += 1) await publish([{ versionId, explanation: "It is assumed." }])
  const [enough, tooFew] = [2 * most + 1, most - 2].map((edges) => provenance(db, edges).around(roomId, versionId, 1))
  t.strictSame([enough?.nodes.length, enough?.cut], [most + 1, []])
  t.ok((tooFew?.nodes.length as number) < most)
  t.strictSame(tooFew?.cut, enumerations.provenanceNode)
  t.strictSame(provenance(db, most - 2).ofRoom(roomId).cut, enumerations.provenanceNode)
  t.equal(instance.tables.provenance.ofRoom(roomId).edges.length, most)
})
