/**
 * The edges of the provenance graph, which the list of objects defines. An edge points from a later object to an
 * earlier one that it names, rests on or was made with, so edges lead back to the origins of an object.
 */
import type { ProvenanceEdge, ProvenanceNode } from "../../contract/schema/enumerations.ts"
import { type EdgeSpec, kindsOf, nodeKinds, objects, type Referable } from "../../contract/objects/objects.ts"

export interface Edge {
  from: string
  to: string
  kind: ProvenanceEdge
}

/** A table of nodes in the list of objects. */
export type NodeTable = (typeof objects)[ProvenanceNode]["table"]

/** An edge with the tables of its ends, so that each id is looked up in one table only. */
export interface FoundEdge extends Edge {
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
function source(kind: ProvenanceNode, { to, says, table, by, within, where, isReversed = false }: Stated) {
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

type Source = ReturnType<typeof source>

/** The edges of all kinds, without duplicates for kinds that share a table. */
const sources: readonly Source[] = [
  ...new Map(nodeKinds.flatMap((kind) => statedOf(kind).map((edge) => [edge, source(kind, edge)]))).values(),
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
export const statedBy = ({ from, to, kind }: Edge): string => (reversed.has(kind) ? to : from)

/** The ids of some nodes as a JSON array, by their table. */
export type IdsIn = (table: NodeTable) => string

/** SQL for the edges that some nodes state, up to a limit. `statingValues` returns its parameters. */
export const EDGES_STATED_BY = `${sources
  .map((source) => select(source, source.rows, [isListed(source.ownId), ...source.where]))
  .join(" UNION ALL ")} LIMIT +?`
export const statingValues = (idsIn: IdsIn, most: number): (string | number)[] => [
  ...sources.map(({ own }) => idsIn(own)),
  most,
]

/** SQL for the edges that name some nodes, up to a limit. `namingValues` returns its parameters. */
export const EDGES_NAMING = `${sources
  .map((source) => {
    const { room, rowsNaming, where, namedId } = source
    return select(source, rowsNaming, [...(room === null ? [] : [`${room} = +?`]), isListed(namedId), ...where])
  })
  .join(" UNION ALL ")} LIMIT +?`
export const namingValues = (idsIn: IdsIn, roomId: string, most: number): (string | number)[] => [
  ...sources.flatMap(({ room, other }) => (room === null ? [idsIn(other)] : [roomId, idsIn(other)])),
  most,
]
