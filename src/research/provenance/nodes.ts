/** The nodes of the provenance graph: where each kind is stored, and how it is shown. */
import { enumerations, type ProvenanceNode } from "../../contract/schema/enumerations.ts"
import { limits } from "../../contract/limits.ts"
import { nodeKinds, objects } from "../../contract/objects/objects.ts"
import { outcomeOf } from "../attempts/admission.ts"
import { fromOtherRoom } from "../../ledger/lists/other-room.ts"
import type { IdsIn } from "./edges.ts"
import { obtainabilityOf } from "../materials/obtainability.ts"
import { BEARING } from "../evidence/verdict.ts"
import { TALLY_OF } from "../evidence/words.ts"
import { isOneOf } from "../../contract/each.ts"

/** A node with only the columns by which nodes are chosen. `room_id` is the Room in which it originated. */
export interface BareNode {
  id: string
  kind: ProvenanceNode
  room_id: string
}

export interface NodeRow extends BareNode {
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
export const NODES_OF_ROOM = named(
  sources
    .map(({ select, inRoom, id }) => `SELECT * FROM (${select} WHERE ${inRoom} ORDER BY ${id} DESC LIMIT +?)`)
    .join(" UNION ALL "),
)

/** SQL for the nodes with some ids. `namedValues` returns its parameters. */
export const NODES_NAMED = named(
  sources
    .map(({ select, id, ofKind }) => `${select} WHERE ${id} IN (SELECT value FROM json_each(+?))${ofKind}`)
    .join(" UNION ALL "),
)
/** SQL for the same nodes with only the columns by which nodes are chosen. It has the same parameters. */
export const BARE_NODES = sources
  .map(({ selectBare, id, ofKind }) => `${selectBare} WHERE ${id} IN (SELECT value FROM json_each(+?))${ofKind}`)
  .join(" UNION ALL ")
export const namedValues = (idsIn: IdsIn): string[] => nodeKinds.map((kind) => idsIn(objects[kind].table))

/** A node in the form of an answer. @param seenFrom the Room of the graph */
export function shown(row: NodeRow, seenFrom: string) {
  const { id, kind, label, title, room_id: roomId } = row
  const node = { id, kind, label, title, roomId, ...(label === null ? {} : fromOtherRoom(roomId, seenFrom)) }
  const { status } = row
  if (kind === "attempt" && isOneOf(enumerations.attemptStatus, status))
    return { ...node, status, outcome: outcomeOf(status) }
  if (kind !== "material") return { ...node, status, outcome: row.outcome }
  const digest = row.reference?.startsWith("sha256:") ? row.reference : null
  return { ...node, status: obtainabilityOf(JSON.parse(row.reports ?? "[]"), digest), outcome: null }
}
