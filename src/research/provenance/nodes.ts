/** The nodes of the provenance graph: where each kind of them is stored, and how it is shown. */
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

/** What a node is, and the Room it originates in: enough to choose by. */
export interface FaintNode {
  id: string
  kind: ProvenanceNode
  room_id: string
}

export interface NodeRow extends FaintNode {
  label: string | null
  title: string
  status: string | null
  outcome: string | null
  /** Of a material: its reference, and a JSON list of location reports, oldest first. */
  reference: string | null
  reports: string | null
}

/** What a node shows beyond what the list of objects says, as SQL; `as` is the name its table goes by. */
interface View {
  readonly as: string
  readonly title?: string
  readonly status?: string
  readonly outcome?: string
  readonly joins?: string
  /** What picks the nodes of a Room, where it is not the one they originate in. */
  readonly inRoom?: string
}

const standing = { as: "r", status: "coalesce(s.status, 'current')", joins: "LEFT JOIN standings s ON s.version_id = r.version_id" }

/** A link that its author took back says so; one that stands has no status. */
const takenBack = (link: string) => `iif(EXISTS (SELECT 1 FROM link_withdrawals g WHERE g.link_id = ${link}), 'withdrawn', NULL)`

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
  finding: { ...standing, outcome: "f.outcome", joins: `${standing.joins} LEFT JOIN findings f ON f.version_id = r.version_id` },
  cited_claim: standing,
  material: { as: "m", inRoom: "m.material_id IN (SELECT x.material_id FROM room_materials x WHERE x.room_id = +?)" },
  finding_link: {
    as: "l",
    title: "r.label || ' toward ' || e.label",
    outcome: "l.toward_question ->> '$.verdict'",
    status: takenBack("l.link_id"),
    joins: "JOIN records r ON r.version_id = l.version_id JOIN experiments e ON e.experiment_id = l.experiment_id",
  },
  link: { as: "k", status: takenBack("k.link_id") },
}

const NAMES = ["label", "title", "status", "outcome", "room_id"]
const reports = `(SELECT json_group_array(json_object('reporterId', y.reporter_id, 'uri', y.uri, 'state', y.state, 'observedDigest', y.observed_digest) ORDER BY y.sequence)
  FROM material_reports y WHERE y.material_id = m.material_id)`

function source(kind: ProvenanceNode) {
  const { table, key, kindIn, label, line, room } = objects[kind]
  const { as, title = line, status = "NULL", outcome = "NULL", joins = "", inRoom } = views[kind]
  const cut = `iif(length(${title}) > ${limits.nodeTitle}, substr(${title}, 1, ${limits.nodeTitle - 1}) || '…', ${title})`
  const columns = [label === null ? "NULL" : `${as}.label`, cut, status, outcome, `${as}.${room}`]
  const material = kind === "material" ? `m.reference, ${reports}` : "NULL, NULL"
  const ofKind = kindIn === null ? "" : ` AND ${as}.${kindIn} = '${kind}'`
  return {
    id: `${as}.${key}`,
    select: `SELECT ${as}.${key} AS id, '${kind}' AS kind, ${columns.join(", ")}, ${material} FROM ${table} ${as} ${joins}`,
    faintly: `SELECT ${as}.${key} AS id, '${kind}' AS kind, ${as}.${room} AS room_id FROM ${table} ${as}`,
    ofKind,
    inRoom: `${inRoom ?? `${as}.${room} = +?`}${ofKind}`,
  }
}
const sources = nodeKinds.map(source)

const named = (sql: string): string => `WITH found (id, kind, ${NAMES.join(", ")}, reference, reports) AS (${sql}) SELECT * FROM found`

/** The newest nodes of a Room, so many of each kind. Takes the Room and the number once for each kind. */
export const NODES_OF_ROOM = named(
  sources.map(({ select, inRoom, id }) => `SELECT * FROM (${select} WHERE ${inRoom} ORDER BY ${id} DESC LIMIT +?)`).join(" UNION ALL "),
)

/** Whatever has one of the ids in the lists. Takes what `namedValues` gives. */
export const NODES_NAMED = named(
  sources.map(({ select, id, ofKind }) => `${select} WHERE ${id} IN (SELECT value FROM json_each(+?))${ofKind}`).join(" UNION ALL "),
)
/** The same of which only that is wanted by which nodes are chosen. Takes the same. */
export const NODES_FAINTLY = sources
  .map(({ faintly, id, ofKind }) => `${faintly} WHERE ${id} IN (SELECT value FROM json_each(+?))${ofKind}`)
  .join(" UNION ALL ")
export const namedValues = (idsIn: IdsIn): string[] => nodeKinds.map((kind) => idsIn(objects[kind].table))

/** How a node is answered in the graph of a Room. */
export function shown(row: NodeRow, seenFrom: string) {
  const { id, kind, label, title, room_id: roomId } = row
  const node = { id, kind, label, title, roomId, ...(label === null ? {} : fromOtherRoom(roomId, seenFrom)) }
  const { status } = row
  if (kind === "attempt" && isOneOf(enumerations.attemptStatus, status)) return { ...node, status, outcome: outcomeOf(status) }
  if (kind !== "material") return { ...node, status, outcome: row.outcome }
  const digest = row.reference?.startsWith("sha256:") ? row.reference : null
  return { ...node, status: obtainabilityOf(JSON.parse(row.reports ?? "[]"), digest), outcome: null }
}
