/** Lays out the nodes and edges of a graph in layers from left to right, with dagre. */
import { hash } from "node:crypto"
import { Graph, layout } from "@dagrejs/dagre"
import { limits } from "../../contract/limits.ts"

export interface GraphNode {
  readonly id: string
  readonly kind: string
  readonly label: string
  /** The wording or question of the object. */
  readonly text: string
  readonly state: string | null
  /** The outcomes of attempts, shown as marks on the node. */
  readonly attempts?: readonly string[]
}
export interface GraphEdge {
  readonly from: string
  readonly to: string
  readonly kind: string
  readonly withdrawn?: boolean
}

/** The size of a node with two lines of text. */
export const NODE = { width: 166, height: 60 }
/** The space between nodes, between layers, and around the picture. */
const [BETWEEN, LAYERS, MARGIN] = [10, 30, 8]

export interface Placed {
  readonly x: number
  readonly y: number
}

/**
 * The path of an edge: the points from the layout, or a bow on the right side of two objects in the same column or in
 * reverse order.
 */
interface Way {
  readonly points: readonly Placed[]
  readonly isBow: boolean
}

/** The column of each kind of object, from left to right. */
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
/** How far a bow bends out. */
const BOW = 26

/** Returns the positions of all nodes, of all edges in their order, and the box around them. */
function place(nodes: readonly GraphNode[], edges: readonly GraphEdge[]) {
  const { width, height } = NODE
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: "LR", nodesep: BETWEEN, ranksep: LAYERS, edgesep: BETWEEN })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id } of nodes) graph.setNode(id, { ...NODE })
  const column = new Map(nodes.map(({ id, kind }) => [id, columns[kind] ?? 0]))
  const isOnward = ({ from, to: end }: GraphEdge) => (column.get(from) ?? 0) < (column.get(end) ?? 0)
  edges.forEach((edge, index) => isOnward(edge) && graph.setEdge(edge.from, edge.to, {}, `e${index}`))
  keepColumns()
  layout(graph)
  // The layout has added positions to the nodes.
  const node = (id: string): Placed => graph.node(id)
  const at = ({ x, y }: Placed): Placed => ({ x, y })
  const way = (edge: GraphEdge, index: number): Way => {
    const [from, end] = [node(edge.from), node(edge.to)]
    if (isOnward(edge))
      return { points: graph.edge({ v: edge.from, w: edge.to, name: `e${index}` }).points.map(at), isBow: false }
    const right = width / 2
    const out = { x: Math.max(from.x, end.x) + right + 2 * BOW, y: (from.y + end.y) / 2 }
    return { points: [{ x: from.x + right, y: from.y + 8 }, out, { x: end.x + right, y: end.y - 8 }], isBow: true }
  }
  const ways = edges.map(way)
  // The layout's own size does not include the bends of edges.
  const corners = nodes.flatMap(({ id }) =>
    [-1, 1].map((side) => ({ x: node(id).x + (side * width) / 2, y: node(id).y + (side * height) / 2 })),
  )
  // The middle point of a bow is its control point. The curve reaches only half of the way there.
  const bends = ways.flatMap(({ points, isBow }) =>
    points.map(({ x, y }, index) => ({ x: isBow && index === 1 ? x - BOW : x, y })),
  )
  const all = [...corners, ...bends]
  const [left, top] = [Math.min(...all.map(({ x }) => x)) - MARGIN, Math.min(...all.map(({ y }) => y)) - MARGIN]
  const [right, bottom] = [Math.max(...all.map(({ x }) => x)) + MARGIN, Math.max(...all.map(({ y }) => y)) + MARGIN]
  return {
    box: [left, top, right - left, bottom - top].map(Math.round),
    nodes: new Map(nodes.map(({ id }) => [id, at(node(id))])),
    edges: ways,
  }

  /** Keeps each kind of object in its column, by invisible nodes before and after the nodes of each column. */
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

/**
 * How many layouts are cached. A graph is viewed more often than it changes, and the layout takes most of its page's
 * time.
 */
const KEPT = 32
const kept = new Map<string, ReturnType<typeof place>>()

/** Returns the layout of a graph, from the cache if the graph has not changed. */
export function placedIn(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): ReturnType<typeof place> {
  const key = hash(
    "sha256",
    JSON.stringify([nodes.map(({ id, kind }) => [id, kind]), edges.map(({ from, to }) => [from, to])]),
  )
  const found = kept.get(key) ?? place(nodes, edges)
  kept.delete(key)
  kept.set(key, found)
  const [oldest] = kept.keys()
  if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest)
  return found
}

/** The number of layers before each node, along the longest path. A cycle is cut where it closes. */
function layersOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): ReadonlyMap<string, number> {
  const sources = Map.groupBy(edges, ({ to: end }) => end)
  const layers = new Map<string, number>()
  const layer = (id: string): number => {
    const known = layers.get(id)
    if (known !== undefined) return known
    layers.set(id, 0)
    const own = Math.max(0, ...(sources.get(id) ?? []).map(({ from }) => layer(from) + 1))
    layers.set(id, own)
    return own
  }
  for (const { id } of nodes) layer(id)
  return layers
}

/**
 * Selects the edges to draw: the shortest, until the layers that they cross reach the limit for a readable picture. The
 * layout adds a node for each layer that an edge crosses, and its time grows with the square of their number.
 */
export function drawable(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): readonly GraphEdge[] {
  const layers = layersOf(nodes, edges)
  const span = ({ from, to: end }: GraphEdge) => Math.abs((layers.get(end) ?? 0) - (layers.get(from) ?? 0))
  let left: number = limits.graphCrossings
  const shortest = edges
    .toSorted((one, other) => span(one) - span(other))
    .filter((edge) => (left -= Math.max(1, span(edge))) >= 0)
  const kept = new Set(shortest)
  return edges.filter((edge) => kept.has(edge))
}
