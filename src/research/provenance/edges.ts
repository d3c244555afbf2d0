/**
 * The edges of the provenance graph, as the list of objects says what each of them names. An edge leads from what was made
 * later to what it speaks of, rests on or was made with; following edges leads back to where things come from.
 */
import type { ProvenanceEdge, ProvenanceNode } from "../../contract/schema/enumerations.ts"
import { type EdgeSpec, kindsOf, nodeKinds, objects, type Referable } from "../../contract/objects/objects.ts"

export interface Edge {
  from: string
  to: string
  kind: ProvenanceEdge
}

/** A table of nodes, as the list of objects names it. */
export type NodeTable = (typeof objects)[ProvenanceNode]["table"]

/** An edge as it is found: the tables of its two ends come with it, so that each id is looked up in one place. */
export interface FoundEdge extends Edge {
  fromTable: NodeTable
  toTable: NodeTable
}

interface Source {
  /** The table of the objects that say so, and that of those named. */
  readonly own: NodeTable
  readonly other: NodeTable
  readonly isReversed: boolean
  /** SQL: the ids of both, how they are connected, the rows that say so, and the same rows found by what they name. */
  readonly ownId: string
  readonly otherId: string
  /** By which those named are looked up. */
  readonly namedId: string
  readonly kind: string
  readonly rows: string
  readonly rowsNaming: string
  readonly where: readonly string[]
  /** Where what is named can be found within a Room only: its column. */
  readonly room: string | null
}

type Stated = EdgeSpec & { readonly to: Referable & (ProvenanceNode | "record"); readonly says: ProvenanceEdge | { readonly sql: string } }
const statedOf = (kind: ProvenanceNode): readonly Stated[] => objects[kind].graph.edges
function source(kind: ProvenanceNode, { to, says, table, by, within, where, isReversed = false }: Stated): Source {
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
      by.column === undefined ? [`${rows} JOIN journal y ON y.position = x.history_position`, "y.content"] : [rows, `x.${by.column}`]
    const listed = `${from}, json_each(${list}, '${by.list}') h`
    const otherId = by.item === undefined ? "h.value" : `h.value ->> '${by.item}'`
    return { ...common, otherId, namedId: otherId, rows: listed, rowsNaming: listed, where: conditions, room: `x.${room}` }
  }
  const otherKey = objects[named].key
  return {
    ...common,
    otherId: `x.${by}`,
    namedId: within === undefined ? `x.${by}` : `n.${otherKey}`,
    rows,
    rowsNaming:
      within === undefined ? rows : `${objects[named].table} n JOIN ${rows} ON x.${within} = n.${within} AND x.${by} = n.${otherKey}`,
    where: [`x.${by} IS NOT NULL`, ...conditions],
    room: null,
  }
}

/** What several kinds of one table say in the same way is said once. */
const sources: readonly Source[] = [
  ...new Map(nodeKinds.flatMap((kind) => statedOf(kind).map((edge) => [edge, source(kind, edge)]))).values(),
]

function select({ own, other, isReversed, ownId, otherId, kind }: Source, rows: string, conditions: readonly string[]): string {
  const [from, to] = isReversed ? [otherId, ownId] : [ownId, otherId]
  const [fromTable, toTable] = isReversed ? [other, own] : [own, other]
  return `SELECT ${from} AS "from", ${to} AS "to", ${kind} AS kind, '${fromTable}' AS fromTable, '${toTable}' AS toTable
  FROM ${rows} WHERE ${conditions.join(" AND ")}`
}
const given = (column: string) => `${column} IN (SELECT value FROM json_each(+?))`

const reversed = new Set(nodeKinds.flatMap(statedOf).flatMap(({ says, isReversed }) => (isReversed === true ? [says] : [])))
/** The end of an edge that states it. */
export const statedBy = ({ from, to, kind }: Edge): string => (reversed.has(kind) ? to : from)

/** The ids of some nodes as a JSON list, by the table that holds them. */
export type IdsIn = (table: NodeTable) => string

/** The edges stated by some nodes, at most so many. Takes what `statingValues` gives. */
export const EDGES_STATED_BY = `${sources
  .map((source) => select(source, source.rows, [given(source.ownId), ...source.where]))
  .join(" UNION ALL ")} LIMIT +?`
export const statingValues = (idsIn: IdsIn, most: number): (string | number)[] => [...sources.map(({ own }) => idsIn(own)), most]

/** The edges that name some nodes, at most so many. Takes what `namingValues` gives. */
export const EDGES_NAMING = `${sources
  .map((source) => {
    const { room, rowsNaming, where, namedId } = source
    return select(source, rowsNaming, [...(room === null ? [] : [`${room} = +?`]), given(namedId), ...where])
  })
  .join(" UNION ALL ")} LIMIT +?`
export const namingValues = (idsIn: IdsIn, roomId: string, most: number): (string | number)[] => [
  ...sources.flatMap(({ room, other }) => (room === null ? [idsIn(other)] : [roomId, idsIn(other)])),
  most,
]
