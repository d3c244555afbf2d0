/** The provenance graph of a Room, or the part around one of its nodes, read with a handful of statements. */
import { enumerations, type ProvenanceNode, type ProvenanceEdge } from "../../contract/schema/enumerations.ts"
import { limits } from "../../contract/limits.ts"
import { nodeKinds, objects, type EdgeSpec, kindsOf, type Referable } from "../../contract/objects/objects.ts"
import { outcomeOf } from "../attempts/summary.ts"
import { fromOtherRoom } from "../../ledger/lists/labelled.ts"
import { obtainabilityOf } from "../materials/materials.ts"
import { BEARING } from "../evidence/verdict.ts"
import { TALLY_OF } from "../evidence/words.ts"
import { isOneOf, present } from "../../contract/typed.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { OperationName } from "../../contract/operations/index.ts"
import { pathWithin, type ReadName } from "../../contract/reads/index.ts"
import { noSuch } from "../../ledger/write/references.ts"
import { Refusal } from "../../contract/refusals.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Domain, Ground } from "../../ledger/domains/domain.ts"

// The edges, which the list of objects defines. An edge points from a later object to an
// earlier one that it names, rests on or was made with, so edges lead back to the origins of an object.

interface Edge {
  from: string
  to: string
  kind: ProvenanceEdge
}

/** A table of nodes in the list of objects. */
type NodeTable = (typeof objects)[ProvenanceNode]["table"]

/** An edge with the tables of its ends, so that each id is looked up in one table only. */
interface FoundEdge extends Edge {
  fromTable: NodeTable
  toTable: NodeTable
}

type Stated = EdgeSpec & {
  readonly to: Referable & (ProvenanceNode | "record")
  readonly says: ProvenanceEdge | { readonly sql: string }
}
const statedOf = (kind: ProvenanceNode): readonly Stated[] => objects[kind].graph.edges
/**
 * The SQL of a kind of edge: the tables and ids of the objects that state it (`own`) and of those that they name
 * (`other`), the rows that state it, and the same rows found by the named object, whose id is `namedId` there. `room`
 * is the column of the Room if named objects can only be found within a Room.
 */
function sourceOf(kind: ProvenanceNode, { to, says, table, by, within, where, isReversed = false }: Stated) {
  const { table: own, key, room } = objects[kind]
  const [named] = kindsOf(to).filter((each): each is ProvenanceNode => nodeKinds.some((node) => node === each))
  if (named === undefined) throw new Error(`${to} is not a node`)
  const rows = `${table ?? own} x`
  const common = {
    own,
    other: objects[named].table,
    isReversed,
    ownId: `x.${key}`,
    kind: typeof says === "string" ? `'${says}'` : says.sql,
  }
  const conditions = where === undefined ? [] : [where]
  if (typeof by !== "string") {
    const [from, list] =
      by.column === undefined
        ? [`${rows} JOIN journal y ON y.position = x.history_position`, "y.content"]
        : [rows, `x.${by.column}`]
    const listed = `${from}, json_each(${list}, '${by.list}') h`
    const otherId = by.item === undefined ? "h.value" : `h.value ->> '${by.item}'`
    return {
      ...common,
      otherId,
      namedId: otherId,
      rows: listed,
      rowsNaming: listed,
      where: conditions,
      room: `x.${room}`,
    }
  }
  const otherKey = objects[named].key
  return {
    ...common,
    otherId: `x.${by}`,
    namedId: within === undefined ? `x.${by}` : `n.${otherKey}`,
    rows,
    rowsNaming:
      within === undefined
        ? rows
        : `${objects[named].table} n JOIN ${rows} ON x.${within} = n.${within} AND x.${by} = n.${otherKey}`,
    where: [`x.${by} IS NOT NULL`, ...conditions],
    room: null,
  }
}

type Source = ReturnType<typeof sourceOf>

/** The edges of all kinds, without duplicates for kinds that share a table. */
const edgeSources: readonly Source[] = [
  ...new Map(nodeKinds.flatMap((kind) => statedOf(kind).map((edge) => [edge, sourceOf(kind, edge)]))).values(),
]

function select(
  { own, other, isReversed, ownId, otherId, kind }: Source,
  rows: string,
  conditions: readonly string[],
): string {
  const [from, to] = isReversed ? [otherId, ownId] : [ownId, otherId]
  const [fromTable, toTable] = isReversed ? [other, own] : [own, other]
  return `SELECT ${from} AS "from", ${to} AS "to", ${kind} AS kind, '${fromTable}' AS fromTable, '${toTable}' AS toTable
  FROM ${rows} WHERE ${conditions.join(" AND ")}`
}
const isListed = (column: string) => `${column} IN (SELECT value FROM json_each(+?))`

const reversed = new Set(
  nodeKinds.flatMap(statedOf).flatMap(({ says, isReversed }) => (isReversed === true ? [says] : [])),
)
/** Returns the end of an edge that states it. */
const statedBy = ({ from, to, kind }: Edge): string => (reversed.has(kind) ? to : from)

/** The ids of some nodes as a JSON array, by their table. */
type IdsIn = (table: NodeTable) => string

/** SQL for the edges that some nodes state, up to a limit. `statingValues` returns its parameters. */
const EDGES_STATED_BY = `${edgeSources
  .map((source) => select(source, source.rows, [isListed(source.ownId), ...source.where]))
  .join(" UNION ALL ")} LIMIT +?`
const statingValues = (idsIn: IdsIn, most: number): (string | number)[] => [
  ...edgeSources.map(({ own }) => idsIn(own)),
  most,
]

/** SQL for the edges that name some nodes, up to a limit. `namingValues` returns its parameters. */
const EDGES_NAMING = `${edgeSources
  .map((source) => {
    const { room, rowsNaming, where, namedId } = source
    return select(source, rowsNaming, [...(room === null ? [] : [`${room} = +?`]), isListed(namedId), ...where])
  })
  .join(" UNION ALL ")} LIMIT +?`
const namingValues = (idsIn: IdsIn, roomId: string, most: number): (string | number)[] => [
  ...edgeSources.flatMap(({ room, other }) => (room === null ? [idsIn(other)] : [roomId, idsIn(other)])),
  most,
]

// The nodes: where each kind is stored, and how it is shown.

/** A node with only the columns by which nodes are chosen. `room_id` is the Room in which it originated. */
interface BareNode {
  id: string
  kind: ProvenanceNode
  room_id: string
}

interface NodeRow extends BareNode {
  label: string | null
  title: string
  status: string | null
  outcome: string | null
  /** The reference of a material, and its location reports as a JSON array, oldest first. */
  reference: string | null
  reports: string | null
}

/** SQL for the columns of a node that the list of objects does not define. `as` is the alias of its table. */
interface View {
  readonly as: string
  readonly title?: string
  readonly status?: string
  readonly outcome?: string
  readonly joins?: string
  /** The condition for nodes of a Room, if it is not the Room in which they originated. */
  readonly inRoom?: string
}

const standing = {
  as: "r",
  status: "coalesce(s.status, 'current')",
  joins: "LEFT JOIN standings s ON s.version_id = r.version_id",
}

/** The status of a link: withdrawn, or null while it stands. */
const linkStatus = (link: string) =>
  `iif(EXISTS (SELECT 1 FROM link_withdrawals g WHERE g.link_id = ${link}), 'withdrawn', NULL)`

const views: Readonly<Record<ProvenanceNode, View>> = {
  hypothesis: { ...standing, outcome: BEARING, joins: `${standing.joins} ${TALLY_OF("r.version_id")}` },
  experiment: { as: "e", status: "e.status" },
  plan: { as: "n" },
  attempt: {
    as: "a",
    title: "a.intent || ' attempt of ' || e.label",
    status: "a.status",
    joins: "JOIN experiments e ON e.experiment_id = a.experiment_id",
  },
  finding: {
    ...standing,
    outcome: "f.outcome",
    joins: `${standing.joins} LEFT JOIN findings f ON f.version_id = r.version_id`,
  },
  cited_claim: standing,
  material: { as: "m", inRoom: "m.material_id IN (SELECT x.material_id FROM room_materials x WHERE x.room_id = +?)" },
  finding_link: {
    as: "l",
    title: "r.label || ' toward ' || e.label",
    outcome: "l.toward_question ->> '$.verdict'",
    status: linkStatus("l.link_id"),
    joins: "JOIN records r ON r.version_id = l.version_id JOIN experiments e ON e.experiment_id = l.experiment_id",
  },
  link: { as: "k", status: linkStatus("k.link_id") },
}

const NAMES = ["label", "title", "status", "outcome", "room_id"]
const reports = `(SELECT json_group_array(json_object('reporterId', y.reporter_id, 'uri', y.uri, 'state', y.state,
  'observedDigest', y.observed_digest) ORDER BY y.sequence)
  FROM material_reports y WHERE y.material_id = m.material_id)`

function source(kind: ProvenanceNode) {
  const { table, key, kindIn, label, line, room } = objects[kind]
  const { as, title = line, status = "NULL", outcome = "NULL", joins = "", inRoom } = views[kind]
  const cut =
    `iif(length(${title}) > ${limits.nodeTitle}, substr(${title}, 1, ` + `${limits.nodeTitle - 1}) || '…', ${title})`
  const columns = [label === null ? "NULL" : `${as}.label`, cut, status, outcome, `${as}.${room}`]
  const material = kind === "material" ? `m.reference, ${reports}` : "NULL, NULL"
  const ofKind = kindIn === null ? "" : ` AND ${as}.${kindIn} = '${kind}'`
  return {
    id: `${as}.${key}`,
    select: `SELECT ${as}.${key} AS id, '${kind}' AS kind, ${columns.join(", ")}, ${material}
      FROM ${table} ${as} ${joins}`,
    selectBare: `SELECT ${as}.${key} AS id, '${kind}' AS kind, ${as}.${room} AS room_id FROM ${table} ${as}`,
    ofKind,
    inRoom: `${inRoom ?? `${as}.${room} = +?`}${ofKind}`,
  }
}
const sources = nodeKinds.map(source)

const named = (sql: string): string =>
  `WITH found (id, kind, ${NAMES.join(", ")}, reference, reports) AS (${sql}) SELECT * FROM found`

/** SQL for the newest nodes of a Room. Its parameters are the Room and the limit, once for each kind. */
const NODES_OF_ROOM = named(
  sources
    .map(({ select, inRoom, id }) => `SELECT * FROM (${select} WHERE ${inRoom} ORDER BY ${id} DESC LIMIT +?)`)
    .join(" UNION ALL "),
)

/** SQL for the nodes with some ids. `namedValues` returns its parameters. */
const NODES_NAMED = named(
  sources
    .map(({ select, id, ofKind }) => `${select} WHERE ${id} IN (SELECT value FROM json_each(+?))${ofKind}`)
    .join(" UNION ALL "),
)
/** SQL for the same nodes with only the columns by which nodes are chosen. It has the same parameters. */
const BARE_NODES = sources
  .map(({ selectBare, id, ofKind }) => `${selectBare} WHERE ${id} IN (SELECT value FROM json_each(+?))${ofKind}`)
  .join(" UNION ALL ")
const namedValues = (idsIn: IdsIn): string[] => nodeKinds.map((kind) => idsIn(objects[kind].table))

/** A node in the form of an answer. @param seenFrom the Room of the graph */
function shown(row: NodeRow, seenFrom: string) {
  const { id, kind, label, title, room_id: roomId } = row
  const node = { id, kind, label, title, roomId, ...(label === null ? {} : fromOtherRoom(roomId, seenFrom)) }
  const { status } = row
  if (kind === "attempt" && isOneOf(enumerations.attemptStatus, status))
    return { ...node, status, outcome: outcomeOf(status) }
  if (kind !== "material") return { ...node, status, outcome: row.outcome }
  const digest = row.reference?.startsWith("sha256:") ? row.reference : null
  return { ...node, status: obtainabilityOf(JSON.parse(row.reports ?? "[]"), digest), outcome: null }
}

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
    edges: [...between.keys()].sort().map((key) => {
      const { from, to, kind } = present(between.get(key))
      return { from, to, kind }
    }),
    cut: [...cut],
  }
}

type Provenance = ReturnType<typeof provenance>

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

// The read of a Room's provenance.

/** The address of the full list of a kind, including nodes that were left out. */
function listedAt(kind: ProvenanceNode, roomId: string): string {
  const { by, kinds }: { by: ReadName; kinds?: OperationName } = objects[kind].graph.listed
  return pathWithin(by, roomId, kinds === undefined ? {} : { kinds })
}

export function provenanceReads({ rooms, provenance }: { rooms: Rooms; provenance: Provenance }) {
  function read(roomId: string, focus: string | undefined, depth: number | undefined, basePath: string) {
    const room = rooms.summary(roomId)
    if (room === undefined) throw noSuch("room")
    const found = focus === undefined ? provenance.ofRoom(roomId) : provenance.around(roomId, focus, depth ?? 1)
    if (found === undefined)
      throw new Refusal("room_unavailable", "Nothing in the provenance of this Room has the id in focus.")
    const { nodes, edges, cut } = found
    const truncated = Object.fromEntries(cut.map((kind) => [kind, `${basePath}${listedAt(kind, roomId)}`]))
    return { roomId, focus: focus ?? null, nodes, edges, truncated, activityWatermark: room.activityWatermark }
  }

  return {
    room_provenance({ params, query, basePath = "" }) {
      const { focus, depth } = query
      if (depth !== undefined && focus === undefined) {
        throw new Refusal("invalid_parameter", "depth says how far around focus to look: give focus with it.", {
          issues: [{ path: "/focus", message: "is required with depth" }],
        })
      }
      return read(params.roomId, focus, depth, basePath)
    },
  } satisfies Partial<Readers>
}

export const domain = {
  tables: [({ db }: Ground) => ({ provenance: provenance(db) })],
  reads: [provenanceReads],
} satisfies Domain
