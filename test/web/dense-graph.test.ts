/**
 * A graph of ninety hypotheses, each resting on twenty others: drawn in bounded time, and listed completely in its
 * table.
 */
import t from "tap"
import { graphFigure } from "../../src/web/charts/graph.ts"

const setting = { basePath: "", now: 0 }
const id = (index: number) => `0198f3a0-dead-4ead-8ead-${String(index).padStart(12, "0")}`
const chain = (nodes: number, each: number) => ({
  nodes: Array.from({ length: nodes }, (_, index) => ({
    id: id(index),
    kind: "hypothesis",
    label: `H${index}`,
    text: "It is so.",
    state: null,
  })),
  edges: Array.from({ length: nodes }, (_, end) =>
    Array.from({ length: Math.min(each, end) }, (_, back) => ({
      from: id(end - back - 1),
      to: id(end),
      kind: "premise",
    })),
  ).flat(),
})

t.test("Ninety hypotheses with twenty premises each are drawn at once", async (t) => {
  const { nodes, edges } = chain(90, 20)
  const begun = process.cpuUsage()
  const text = graphFigure(nodes, edges).write(setting)
  const { user, system } = process.cpuUsage(begun)
  t.ok(user + system < 1.5e6, `in ${(user + system) / 1000} ms; it once took 7,000`)
  const drawn = text.match(/class="link"/g)?.length ?? 0
  t.ok(drawn >= 90 && drawn < edges.length, `${drawn} of ${edges.length} relations`)
  t.match(text, `${(edges.length - drawn).toLocaleString("en")} relations between objects far apart`)
  const [, relations = ""] = text.split("<tbody>")
  t.equal(relations.match(/<a href/g)?.length, edges.length, "the table has all of them")
})

t.test("A graph that can be drawn completely is", async (t) => {
  const { nodes, edges } = chain(30, 3)
  const text = graphFigure(nodes, edges).write(setting)
  t.equal(text.match(/class="link"/g)?.length, edges.length)
  t.notMatch(text, /far apart/)
  const circle = [...edges, { from: id(29), to: id(0), kind: "premise" }]
  t.equal(
    graphFigure(nodes, circle)
      .write(setting)
      .match(/data-node/g)?.length,
    30,
    "a cycle does no harm",
  )
})
