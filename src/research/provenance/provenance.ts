/** The provenance graph of a Room, or of what lies around one of its nodes; a handful of statements for either. */
import type { ProvenanceNode } from "../../contract/enumerations.ts"
import { limits } from "../../contract/limits.ts"
import type { Db } from "../../ledger/database.ts"
import { backwardValues, type Edge, EDGES_FROM, EDGES_TO, forwardLists } from "./edges.ts"
import { kindsOfNodes, type NodeRow, NODES_NAMED, NODES_OF_ROOM, shown } from "./nodes.ts"

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
const byKindAndId = (one: NodeRow, other: NodeRow) => kindsOfNodes.indexOf(one.kind) - kindsOfNodes.indexOf(other.kind) || order(one.id, other.id)

/** The graph as it is answered: what was chosen in a fixed order, and every edge between two of them, once. */
function graph(chosen: Chosen, edges: readonly Edge[]) {
  const between = new Map(edges.filter(chosen.has).map((edge) => [`${edge.from} ${edge.to} ${edge.kind}`, edge] as const))
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
  const edgesFrom = db.prepare<Edge>(EDGES_FROM)
  const edgesTo = db.prepare<Edge>(EDGES_TO)

  const entered = db.prepare("SELECT 1 FROM room_materials WHERE room_id = ? AND material_id = ?")

  const inJson = (ids: Iterable<string>) => JSON.stringify([...ids])
  const from = (ids: Iterable<string>) => edgesFrom.all(...new Array<string>(forwardLists).fill(inJson(ids)))
  const to = (ids: Iterable<string>, roomId: string) => edgesTo.all(...backwardValues(inJson(ids), roomId))
  /** Newest first, so that it is the oldest that do not fit. */
  const nodes = (ids: Iterable<string>) => named.all(...kindsOfNodes.map(() => inJson(ids))).sort((one, other) => order(other.id, one.id))

  /** Whether a node belongs to a Room, or to another one but is named in this one. */
  function isOf(roomId: string, { id, room_id }: NodeRow): boolean {
    if (room_id === roomId || entered.get(roomId, id) !== undefined) return true
    return nodes(to([id], roomId).map((edge) => edge.from)).some((naming) => naming.room_id === roomId)
  }

  return {
    /** The newest nodes of each kind in a Room, the nodes of other Rooms that they name, and the edges between them. */
    ofRoom(roomId: string) {
      const chosen = new Chosen()
      for (const row of ofRoom.all(...kindsOfNodes.flatMap(() => [roomId, limits.provenanceNodes + 1]))) chosen.add(row)
      const edges = from(chosen.rows.keys())
      const others = new Set(edges.map((edge) => edge.to).filter((id) => !chosen.rows.has(id)))
      // What belongs to this Room and is not there yet was cut on purpose.
      for (const row of nodes(others)) if (row.room_id !== roomId) chosen.add(row)
      return graph(chosen, [...edges, ...from(others)])
    },

    /** What lies within so many steps around a node, whichever way its edges lead; undefined where the Room's graph has no such node. */
    around(roomId: string, focus: string, depth: number) {
      const chosen = new Chosen()
      const [start] = nodes([focus])
      if (start === undefined || !isOf(roomId, start)) return undefined
      chosen.add(start)
      const edges: Edge[] = []
      let frontier = [start.id]
      for (let step = 0; step < depth && frontier.length > 0; step += 1) {
        const met = [...from(frontier), ...to(frontier, roomId)]
        edges.push(...met)
        const reached = new Set(met.flatMap((edge) => [edge.from, edge.to]).filter((id) => !chosen.rows.has(id)))
        for (const row of nodes(reached)) chosen.add(row)
        frontier = [...reached].filter((id) => chosen.rows.has(id))
      }
      return graph(chosen, [...edges, ...from(frontier)])
    },
  }
}
