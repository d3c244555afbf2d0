/** The provenance graph of a Room over HTTP: what rests on what, around one node, across Rooms, and where it is cut. */
import { RefusedError } from "research-room/client"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { enumerations } from "../../../src/contract/schema/enumerations.ts"
import { limits } from "../../../src/contract/limits.ts"
import { provenance } from "../../../src/research/provenance/provenance.ts"
import { createInstance } from "../../../src/app/compose/instance.ts"
import { action, freshId, hypothesis } from "../../support/bodies.ts"
import { held } from "../../support/contract.ts"
import { openLedger } from "../../support/lab.ts"

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

/** Returns the name of a node: its label, or its kind for a finding link, which has no label. */
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
  const nodes = Object.fromEntries(
    whole.nodes.map(({ label, kind, status, outcome }) => [label ?? kind, [kind, status, outcome]]),
  )
  t.match(nodes, {
    H1: ["hypothesis", "current", "supported"],
    H5: ["hypothesis", "disputed", "contested"],
    E1: ["experiment", "completed", null],
    E3: ["experiment", "cancelled", null],
    E7: ["experiment", "open", null],
    P1: ["plan", null, null],
    A1: ["attempt", "succeeded", "succeeded"],
    A24: ["attempt", "failed", "failed"],
    A28: ["attempt", "preflight_failed", "preflight_failed"],
    F1: ["finding", "corrected", "positive"],
    F3: ["finding", "retracted", "positive"],
    F4: ["finding", "current", "negative"],
    F5: ["finding", "superseded", "positive"],
    C1: ["cited_claim", "current", null],
    M1: ["material", "obtainable", null],
    finding_link: ["finding_link", null, "answers"],
    L1: ["link", null, null],
  })
  const counted = Object.fromEntries(
    Map.groupBy(whole.nodes, ({ kind }) => kind)
      .entries()
      .map(([kind, of]) => [kind, of.length]),
  )
  const every = {
    hypothesis: 8,
    experiment: 8,
    plan: 7,
    attempt: 35,
    finding: 10,
    cited_claim: 3,
    material: 2,
    finding_link: 10,
    link: 6,
  }
  t.strictSame(counted, every)
  const chapter = /\b(F3|H3|E3|A7|A8|A24|A27|A28|M2|L\d)\b/
  t.strictSame(
    told(whole).filter((edge) => chapter.test(edge)),
    [
      "A10 reruns A7",
      "A24 consumes M1",
      "A24 executes E6",
      "A24 follows P5",
      "A27 consumes M1",
      "A27 executes E6",
      "A27 reproduces A23",
      "A28 consumes M1",
      "A28 executes E7",
      "A28 follows P6",
      "A7 consumes M1",
      "A7 executes E2",
      "A7 follows P2",
      "A8 consumes M1",
      "A8 executes E2",
      "A8 follows P2",
      "A8 reruns A7",
      "A9 reruns A7",
      "E3 addresses H3",
      "F3 compares_with A1",
      "F3 compares_with A2",
      "F3 compares_with A3",
      "F3 compares_with A4",
      "F3 compares_with A5",
      "F3 contradicts H2",
      "F3 reports_on E2",
      "F3 results_from A7",
      "F3 uses M1",
      "F4 contradicts H3",
      "F4 results_from A8",
      "F9 results_from A24",
      "F9 results_from A27",
      "H3 premise F3",
      "H3 related H2",
      "L1 corrects F1",
      "L2 retracts F3",
      "L3 disputes F5",
      "L3 evidence F6",
      "L4 replaced_by F7",
      "L4 supersedes F5",
      "L5 disputes H5",
      "L6 disputes F8",
      "L6 evidence C2",
      "M2 produced_by A32",
      "finding_link evidence A7",
      "finding_link evidence A8",
      "finding_link relates F3",
    ],
  )
  t.match(whole, { roomId: main.roomId, focus: null, truncated: {} })
  t.equal(whole.activityWatermark, (await grace.read("room", { roomId: main.roomId })).activityWatermark)
})

t.test("Its node and edge kinds are closed sets that the manifest lists", async (t) => {
  const { enumerations: told } = await grace.manifest()
  t.strictSame([told.provenanceNode, told.provenanceEdge], [enumerations.provenanceNode, enumerations.provenanceEdge])
  t.equal(new Set(enumerations.provenanceEdge).size, enumerations.provenanceEdge.length, "each once")
})

// shows: Added: the provenance of a Room as nodes and edges.
t.test("The graph around a node holds its neighbours in both directions", async (t) => {
  for (const { id, label, kind } of whole.nodes) {
    const near = await graphOf(main.roomId, { focus: id })
    const touching = whole.edges.filter(({ from, to }) => from === id || to === id)
    const expected = new Set([id, ...touching.flatMap(({ from, to }) => [from, to])])
    t.strictSame(new Set(near.nodes.map((node) => node.id)), expected, `${label ?? kind}: the nodes`)
    const between = whole.edges.filter(({ from, to }) => expected.has(from) && expected.has(to))
    t.strictSame(near.edges, between, `${label ?? kind}: and every edge between them`)
  }
  const far = await graphOf(main.roomId, { focus: idIn(whole, "L1"), depth: 5 })
  t.strictSame([far.nodes, far.edges], [whole.nodes, whole.edges], "five steps reach the whole graph")
  const alone = await graphOf(main.roomId, { focus: idIn(whole, "L1"), depth: 0 })
  t.strictSame(
    [alone.nodes.map(({ label }) => label), alone.edges],
    [["L1"], []],
    "and no steps reach only the node itself",
  )
})

t.test("Objects of another Room that a Room names are in its graph, marked with their own Room", async (t) => {
  const { roomId, openingThreadId } = empty
  const premise = { versionId: idIn(whole, "H1"), explanation: "It is assumed." }
  const { versionId } = (
    await grace.write("publish_hypothesis", {
      ...hypothesis({ roomId, threadId: openingThreadId }),
      premises: [premise],
    } as never)
  ).result as { versionId: string }
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
    "in focus it shows what this Room built on it",
  )
  t.strictSame(
    (await graphOf(main.roomId, { focus: premise.versionId, depth: 5 })).edges,
    whole.edges,
    "and its own Room shows what was built on it there",
  )
  t.equal((await graphOf(main.roomId)).nodes.length, whole.nodes.length, "the other Room's graph is unchanged")
  t.equal(
    await refusalOf(roomId, { focus: idIn(whole, "F1") }),
    "404 room_unavailable",
    "an object that this Room does not name is not in its graph",
  )
})

t.test("Invalid queries are refused", async (t) => {
  t.equal(await refusalOf(freshId(), {}), "404 room_unavailable")
  t.equal(await refusalOf(main.roomId, { focus: freshId() }), "404 room_unavailable")
  t.equal(await refusalOf(main.roomId, { focus: "H1" }), "422 invalid_parameter")
  t.equal(await refusalOf(main.roomId, { depth: 2 }), "422 invalid_parameter", "depth without focus")
  t.equal(
    await refusalOf(main.roomId, { focus: idIn(whole, "F1"), depth: limits.provenanceDepth + 1 }),
    "422 invalid_parameter",
  )
})

t.test(
  "A Room over the limit is cut to the newest of each kind; the graph says so and links to the rest",
  async (t) => {
    const lab = await openLedger(t)
    const { admit, ada, roomId, threadId, instance } = lab
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
    t.strictSame(
      cut.truncated,
      { material: `/lab/api/research/rooms/${roomId}/materials` },
      "one more, under any base path",
    )
    t.strictSame(
      cut.nodes.map(({ label }) => label),
      Array.from({ length: limits.provenanceNodes }, (_, index) => `M${index + 2}`),
      "the oldest is left out",
    )
  },
)

t.test("The whole graph takes a handful of statements, however large it is", async (t) => {
  const lab = await openLedger(t)
  const {
    db,
    instance: { world, instanceId },
    roomId,
  } = lab
  let statements = 0
  const counting = {
    ...{
      exec: (sql: string) => db.exec(sql),
      snapshot: <T>(work: () => T) => db.snapshot(work),
      close: () => db.close(),
    },
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

t.test("A graph stops at the limit of edges, and then says that more of any kind may be left out", async (t) => {
  const lab = await openLedger(t)
  const { admit, ada, db, instance, roomId, threadId } = lab
  const publish = async (premises: object[]) => {
    const body = { ...action(hypothesis({ roomId, threadId })), premises }
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
