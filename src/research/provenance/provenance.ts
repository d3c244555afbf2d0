/** Reads the provenance graph of a Room, or the part around one of its nodes, with a handful of statements. */
import type { ProvenanceNode } from "../../contract/schema/enumerations.ts"
import { limits } from "../../contract/limits.ts"
import { nodeKinds, objects } from "../../contract/objects/objects.ts"
import type { Db } from "../../ledger/storage/database.ts"
import {
  type Edge,
  EDGES_NAMING,
  EDGES_STATED_BY,
  type IdsIn,
  type FoundEdge,
  namingValues,
  type NodeTable,
  statedBy,
  statingValues,
} from "./edges.ts"
import { type BareNode, namedValues, BARE_NODES, NODES_NAMED, NODES_OF_ROOM, type NodeRow, shown } from "./nodes.ts"

/** The chosen nodes, up to a limit for each kind. `cut` has the kinds of which nodes were left out. */
class Chosen<Node extends BareNode> {
  readonly nodes = new Map<string, Node>()
  readonly cut = new Set<ProvenanceNode>()
  readonly #count = new Map<ProvenanceNode, number>()

  /** Adds a node if it fits. @returns whether it was added */
  add(node: Node): boolean {
    const count = this.#count.get(node.kind) ?? 0
    if (this.nodes.has(node.id)) return false
    if (count >= limits.provenanceNodes) {
      this.cut.add(node.kind)
      return false
    }
    this.#count.set(node.kind, count + 1)
    this.nodes.set(node.id, node)
    return true
  }

  /** Marks every kind as cut, because not every edge was read. */
  cutAll(): void {
    for (const kind of nodeKinds) this.cut.add(kind)
  }
}

const order = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
const byKindAndId = (one: NodeRow, other: NodeRow) =>
  nodeKinds.indexOf(one.kind) - nodeKinds.indexOf(other.kind) || order(one.id, other.id)
/** Newest first, so that the oldest are left out. */
const newestFirst = (one: BareNode, other: BareNode) => order(other.id, one.id)

const idsOf = (nodes: Iterable<BareNode>): IdsIn => listed([...nodes].map(({ id, kind }) => [id, objects[kind].table]))
function listed(ids: readonly (readonly [id: string, table: NodeTable])[]): IdsIn {
  const byTable = Map.groupBy(new Map(ids), ([, table]) => table)
  const lists = new Map([...byTable].map(([table, found]) => [table, JSON.stringify(found.map(([id]) => id))]))
  return (table) => lists.get(table) ?? "[]"
}
const endsOf = ({ from, fromTable, to, toTable }: FoundEdge) => [[from, fromTable] as const, [to, toTable] as const]
/** The ends of some edges that are not known yet. */
const unknownEnds = (edges: readonly FoundEdge[], known: ReadonlyMap<string, unknown>): IdsIn =>
  listed(edges.flatMap(endsOf).filter(([id]) => !known.has(id)))

/**
 * The graph in the form of an answer: nodes in a fixed order, and each edge that the Room states between two of them.
 */
function graph(roomId: string, rows: readonly NodeRow[], edges: readonly Edge[], cut: ReadonlySet<ProvenanceNode>) {
  const nodes = new Map(rows.map((row) => [row.id, row]))
  const isStated = (edge: Edge) =>
    nodes.has(edge.from) && nodes.has(edge.to) && nodes.get(statedBy(edge))?.room_id === roomId
  const between = new Map(edges.filter(isStated).map((edge) => [`${edge.from} ${edge.to} ${edge.kind}`, edge] as const))
  return {
    nodes: [...rows].sort(byKindAndId).map((row) => shown(row, roomId)),
    edges: [...between]
      .sort(([one], [other]) => order(one, other))
      .map(([, { from, to, kind }]) => ({ from, to, kind })),
    cut: [...cut],
  }
}

export type Provenance = ReturnType<typeof provenance>

/** @param most the most edges that one graph reads */
export function provenance(db: Db, most: number = limits.provenanceEdges) {
  const ofRoom = db.prepare<NodeRow>(NODES_OF_ROOM)
  const named = db.prepare<NodeRow>(NODES_NAMED)
  const bareNodes = db.prepare<BareNode>(BARE_NODES)
  const statedByAny = db.prepare<FoundEdge>(EDGES_STATED_BY)
  const namingAny = db.prepare<FoundEdge>(EDGES_NAMING)
  const entered = db.prepare("SELECT 1 FROM room_materials WHERE room_id = +? AND material_id = +?")

  const stating = (nodes: Iterable<BareNode>, left: number) => statedByAny.all(...statingValues(idsOf(nodes), left))

  /** Follows the edges that a Room states, up to the limit of an answer. */
  class GraphWalk {
    readonly #roomId: string
    /** Every node that was found, whether chosen or not. */
    readonly #met = new Map<string, BareNode>()
    left = most
    readonly edges: FoundEdge[] = []

    constructor(roomId: string, start: BareNode) {
      this.#roomId = roomId
      this.#met.set(start.id, start)
    }

    /** Returns the nodes at both ends of all edges of some nodes, newest first. */
    from(frontier: readonly BareNode[]): BareNode[] {
      const found = this.stated(frontier)
      const naming = namingAny.all(...namingValues(idsOf(frontier), this.#roomId, this.left))
      this.left -= naming.length
      found.push(...naming)
      for (const node of bareNodes.all(...namedValues(unknownEnds(found, this.#met)))) this.#met.set(node.id, node)
      const edges = found.filter((edge) => this.#met.get(statedBy(edge))?.room_id === this.#roomId)
      this.edges.push(...edges)
      const ends = new Set(edges.flatMap(({ from, to }) => [from, to]))
      return [...ends].flatMap((id) => this.#met.get(id) ?? []).sort(newestFirst)
    }

    /** Returns the edges that some nodes state. */
    stated(nodes: readonly BareNode[]): FoundEdge[] {
      const found = stating(nodes, this.left)
      this.left -= found.length
      return found
    }
  }

  return {
    /** The newest nodes of each kind in a Room, the nodes of other Rooms that they name, and the edges between them. */
    ofRoom(roomId: string) {
      const chosen = new Chosen<NodeRow>()
      for (const row of ofRoom.all(...nodeKinds.flatMap(() => [roomId, limits.provenanceNodes + 1]))) chosen.add(row)
      const edges = stating(chosen.nodes.values(), most)
      if (edges.length >= most) chosen.cutAll()
      // Nodes of this Room that are missing were left out because of the limit.
      const others = bareNodes
        .all(...namedValues(unknownEnds(edges, chosen.nodes)))
        .filter(({ room_id }) => room_id !== roomId)
      for (const row of named.all(...namedValues(idsOf(others))).sort(newestFirst)) chosen.add(row)
      return graph(roomId, [...chosen.nodes.values()], edges, chosen.cut)
    },

    /**
     * Returns the graph within `depth` steps of a node, along the edges that the Room states; undefined if the Room
     * does not name the node. For a node of another Room, it has only the relations to this Room.
     */
    around(roomId: string, focus: string, depth: number) {
      const chosen = new Chosen<BareNode>()
      const [start] = bareNodes.all(...namedValues(() => JSON.stringify([focus])))
      if (start === undefined) return undefined
      const walk = new GraphWalk(roomId, start)
      const neighbours = walk.from([start])
      const isKnown = start.room_id === roomId || entered.get(roomId, start.id) !== undefined || walk.edges.length > 0
      if (!isKnown) return undefined
      chosen.add(start)
      let frontier = [start]
      for (let step = 0; step < depth && frontier.length > 0 && walk.left > 0; step += 1)
        frontier = (step === 0 ? neighbours : walk.from(frontier)).filter((node) => chosen.add(node))
      const edges = [...walk.edges, ...walk.stated(frontier)]
      if (walk.left <= 0) chosen.cutAll()
      return graph(roomId, named.all(...namedValues(idsOf(chosen.nodes.values()))), edges, chosen.cut)
    },
  }
}
