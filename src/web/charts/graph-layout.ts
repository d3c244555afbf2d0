/** Where the nodes and edges of a graph stand: layered from left to right by dagre. */
import { hash } from "node:crypto"
import { Graph, layout } from "@dagrejs/dagre"
import { limits } from "../../contract/limits.ts"

export interface GraphNode {
  readonly id: string
  readonly kind: string
  readonly label: string
  /** What it says, in short. */
  readonly text: string
  /** Its state, outcome or standing. */
  readonly state: string | null
  /** The outcomes of attempts that are shown as marks on it. */
  readonly attempts?: readonly string[]
}
export interface GraphEdge {
  readonly from: string
  readonly to: string
  readonly kind: string
  /** Said by a link that was taken back. */
  readonly withdrawn?: boolean
}

/** How large nodes are, and how far apart. */
export interface Look {
  readonly width: number
  readonly height: number
  readonly between: number
  readonly layers: number
}
const MARGIN = 8

export interface Placed {
  readonly x: number
  readonly y: number
}

/** The way of an edge: the bends that the layout gave, or a bow on the right of two objects of which none came before the other. */
interface Way {
  readonly points: readonly Placed[]
  readonly isBow: boolean
}

/** Where all of a graph stands, and the box around it. */
interface Layout {
  readonly box: readonly number[]
  readonly nodes: ReadonlyMap<string, Placed>
  /** In the order in which the edges were given. */
  readonly edges: readonly Way[]
}

/** From left to right: what each kind of object comes after. */
const columns: Readonly<Record<string, number>> = {
  cited_claim: 0,
  hypothesis: 1,
  experiment: 2,
  material: 2,
  plan: 3,
  attempt: 4,
  finding: 5,
  finding_link: 6,
  link: 6,
}
/** How far a bow reaches out. */
const BOW = 26

function place(nodes: readonly GraphNode[], edges: readonly GraphEdge[], { width, height, between, layers }: Look): Layout {
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: "LR", nodesep: between, ranksep: layers, edgesep: between })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id } of nodes) graph.setNode(id, { width, height })
  const column = new Map(nodes.map(({ id, kind }) => [id, columns[kind] ?? 0]))
  const isOnward = ({ from, to: end }: GraphEdge) => (column.get(from) ?? 0) < (column.get(end) ?? 0)
  edges.forEach((edge, index) => isOnward(edge) && graph.setEdge(edge.from, edge.to, {}, `e${index}`))
  keepColumns()
  layout(graph)
  // What the layout has added to them.
  const node = (id: string): Placed => graph.node(id)
  const at = ({ x, y }: Placed): Placed => ({ x, y })
  const way = (edge: GraphEdge, index: number): Way => {
    const [from, end] = [node(edge.from), node(edge.to)]
    if (isOnward(edge)) return { points: graph.edge({ v: edge.from, w: edge.to, name: `e${index}` }).points.map(at), isBow: false }
    const right = width / 2
    const out = { x: Math.max(from.x, end.x) + right + 2 * BOW, y: (from.y + end.y) / 2 }
    return { points: [{ x: from.x + right, y: from.y + 8 }, out, { x: end.x + right, y: end.y - 8 }], isBow: true }
  }
  const ways = edges.map(way)
  // The layout's own size leaves out the bends of edges.
  const corners = nodes.flatMap(({ id }) =>
    [-1, 1].map((side) => ({ x: node(id).x + (side * width) / 2, y: node(id).y + (side * height) / 2 })),
  )
  // The bend of a bow is where it is drawn to, which it reaches half of the way.
  const bends = ways.flatMap(({ points, isBow }) => points.map(({ x, y }, index) => ({ x: isBow && index === 1 ? x - BOW : x, y })))
  const all = [...corners, ...bends]
  const [left, top] = [Math.min(...all.map(({ x }) => x)) - MARGIN, Math.min(...all.map(({ y }) => y)) - MARGIN]
  const [right, bottom] = [Math.max(...all.map(({ x }) => x)) + MARGIN, Math.max(...all.map(({ y }) => y)) + MARGIN]
  return {
    box: [left, top, right - left, bottom - top].map(Math.round),
    nodes: new Map(nodes.map(({ id }) => [id, at(node(id))])),
    edges: ways,
  }

  /** Holds each kind of object in its column: unseen nodes, one a column, come before and after those of it. */
  function keepColumns(): void {
    const used = [...new Set(column.values())].toSorted((one, other) => one - other)
    const anchor = (index: number) => `column ${index}`
    used.forEach((_, index) => {
      graph.setNode(anchor(index), { width: 1, height: 1 })
      if (index > 0) graph.setEdge(anchor(index - 1), anchor(index), { weight: 100 }, "next")
    })
    for (const { id } of nodes) {
      const index = used.indexOf(column.get(id) ?? 0)
      if (index > 0) graph.setEdge(anchor(index - 1), id, { weight: 0 }, "after")
      if (index < used.length - 1) graph.setEdge(id, anchor(index + 1), { weight: 0 }, "before")
    }
  }
}

/** Layouts that are kept: a graph is looked at more often than it changes, and laying it out takes most of its page's time. */
const KEPT = 32
const kept = new Map<string, Layout>()

/** Where a graph stands; worked out once while it stays what it is. */
export function placedIn(nodes: readonly GraphNode[], edges: readonly GraphEdge[], look: Look): Layout {
  const key = hash("sha256", JSON.stringify([look, nodes.map(({ id, kind }) => [id, kind]), edges.map(({ from, to }) => [from, to])]))
  const found = kept.get(key) ?? place(nodes, edges, look)
  kept.delete(key)
  kept.set(key, found)
  const [oldest] = kept.keys()
  if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest)
  return found
}

/** How many layers lie before each node, by the longest way there; a circle is left where it closes. */
function layersOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): ReadonlyMap<string, number> {
  const sources = Map.groupBy(edges, ({ to: end }) => end)
  const layers = new Map<string, number>()
  const layer = (id: string): number => {
    const known = layers.get(id)
    if (known !== undefined) return known
    layers.set(id, 0)
    const made = Math.max(0, ...(sources.get(id) ?? []).map(({ from }) => layer(from) + 1))
    layers.set(id, made)
    return made
  }
  for (const { id } of nodes) layer(id)
  return layers
}

/**
 * The edges that are drawn: the shortest, as far as their way through the layers adds up to a picture that can still be read. The
 * layout places something for each layer that an edge crosses, in time by the square of all of them.
 */
export function drawable(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): readonly GraphEdge[] {
  const layers = layersOf(nodes, edges)
  const span = ({ from, to: end }: GraphEdge) => Math.abs((layers.get(end) ?? 0) - (layers.get(from) ?? 0))
  let left: number = limits.graphCrossings
  const shortest = edges.toSorted((one, other) => span(one) - span(other)).filter((edge) => (left -= Math.max(1, span(edge))) >= 0)
  const kept = new Set(shortest)
  return edges.filter((edge) => kept.has(edge))
}
