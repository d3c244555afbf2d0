/** The provenance graph of a Room, or of what lies around one of its nodes; a handful of statements for either. */
import type { ProvenanceNode } from "../../contract/enumerations.ts"
import { limits } from "../../contract/limits.ts"
import { nodeKinds } from "../../contract/objects.ts"
import type { Db } from "../../ledger/database.ts"
import { type Edge, EDGES_NAMING, EDGES_STATED_BY, namingValues, statedBy, statingLists } from "./edges.ts"
import { type NodeRow, NODES_NAMED, NODES_OF_ROOM, shown } from "./nodes.ts"

/** The nodes taken in so far, at most so many of each kind; what does not fit is left out and its kind remembered. */
class Chosen {
  readonly rows = new Map<string, NodeRow>()
  readonly cut = new Set<ProvenanceNode>()
  readonly #count = new Map<ProvenanceNode, number>()

  add(row: NodeRow): void {
    const count = this.#count.get(row.kind) ?? 0
    if (this.rows.has(row.id)) return
    if (count >= limits.provenanceNodes) {
      this.cut.add(row.kind)
      return
    }
    this.#count.set(row.kind, count + 1)
    this.rows.set(row.id, row)
  }

  has = ({ from, to }: Edge): boolean => this.rows.has(from) && this.rows.has(to)
}

const order = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
const byKindAndId = (one: NodeRow, other: NodeRow) => nodeKinds.indexOf(one.kind) - nodeKinds.indexOf(other.kind) || order(one.id, other.id)

/** The graph as it is answered: what was chosen in a fixed order, and every edge that the Room states between two of them, once. */
function graph(roomId: string, chosen: Chosen, edges: readonly Edge[]) {
  const isStated = (edge: Edge) => chosen.has(edge) && chosen.rows.get(statedBy(edge))?.room_id === roomId
  const between = new Map(edges.filter(isStated).map((edge) => [`${edge.from} ${edge.to} ${edge.kind}`, edge] as const))
  return {
    nodes: [...chosen.rows.values()].sort(byKindAndId).map(shown),
    edges: [...between].sort(([one], [other]) => order(one, other)).map(([, { from, to, kind }]) => ({ from, to, kind })),
    cut: [...chosen.cut],
  }
}

export type Provenance = ReturnType<typeof provenance>

export function provenance(db: Db) {
  const ofRoom = db.prepare<NodeRow>(NODES_OF_ROOM)
  const named = db.prepare<NodeRow>(NODES_NAMED)
  const statedByAny = db.prepare<Edge>(EDGES_STATED_BY)
  const namingAny = db.prepare<Edge>(EDGES_NAMING)
  const entered = db.prepare("SELECT 1 FROM room_materials WHERE room_id = ? AND material_id = ?")

  const inJson = (ids: Iterable<string>) => JSON.stringify([...ids])
  const stating = (ids: Iterable<string>) => statedByAny.all(...new Array<string>(statingLists).fill(inJson(ids)))
  const naming = (ids: Iterable<string>, roomId: string) => namingAny.all(...namingValues(inJson(ids), roomId))
  /** Newest first, so that it is the oldest that do not fit. */
  const nodes = (ids: Iterable<string>) => named.all(...nodeKinds.map(() => inJson(ids))).sort((one, other) => order(other.id, one.id))

  /** The edges that a Room states at some nodes, whichever way they lead, and the nodes at their ends. */
  function statedAt(roomId: string, ids: readonly string[]): { edges: Edge[]; rows: NodeRow[] } {
    const met = [...stating(ids), ...naming(ids, roomId)]
    const rows = new Map(nodes(new Set(met.flatMap((edge) => [edge.from, edge.to]))).map((row) => [row.id, row]))
    const edges = met.filter((edge) => rows.get(statedBy(edge))?.room_id === roomId)
    const ends = new Set(edges.flatMap((edge) => [edge.from, edge.to]))
    return { edges, rows: [...rows.values()].filter(({ id }) => ends.has(id)) }
  }

  return {
    /** The newest nodes of each kind in a Room, the nodes of other Rooms that they name, and the edges between them. */
    ofRoom(roomId: string) {
      const chosen = new Chosen()
      for (const row of ofRoom.all(...nodeKinds.flatMap(() => [roomId, limits.provenanceNodes + 1]))) chosen.add(row)
      const edges = stating(chosen.rows.keys())
      const others = new Set(edges.flatMap((edge) => [edge.from, edge.to]).filter((id) => !chosen.rows.has(id)))
      // What belongs to this Room and is not there yet was cut on purpose.
      for (const row of nodes(others)) if (row.room_id !== roomId) chosen.add(row)
      return graph(roomId, chosen, edges)
    },

    /**
     * What lies within so many steps around a node, along the edges that the Room states; undefined where it names no such node.
     * Of another Room's node only what this one makes of it is told.
     */
    around(roomId: string, focus: string, depth: number) {
      const chosen = new Chosen()
      const [start] = nodes([focus])
      if (start === undefined) return undefined
      const isKnown =
        start.room_id === roomId || entered.get(roomId, start.id) !== undefined || statedAt(roomId, [start.id]).edges.length > 0
      if (!isKnown) return undefined
      chosen.add(start)
      const edges: Edge[] = []
      let frontier = [start.id]
      for (let step = 0; step < depth && frontier.length > 0; step += 1) {
        const met = statedAt(roomId, frontier)
        edges.push(...met.edges)
        const before = new Set(chosen.rows.keys())
        for (const row of met.rows) chosen.add(row)
        frontier = [...chosen.rows.keys()].filter((id) => !before.has(id))
      }
      return graph(roomId, chosen, [...edges, ...stating(frontier)])
    },
  }
}
