/** The nodes of the provenance graph: where each kind of them is stored, and how it is shown. */
import type { AttemptStatus, ProvenanceNode } from "../../contract/enumerations.ts"
import { outcomeOf } from "../attempts/admission.ts"
import { obtainabilityOf } from "../materials/obtainability.ts"

export interface NodeRow {
  id: string
  kind: ProvenanceNode
  label: string | null
  title: string
  status: string | null
  outcome: string | null
  room_id: string
  /** Of a material: its reference, and a JSON list of location reports, oldest first. */
  reference: string | null
  reports: string | null
}

interface Source {
  readonly kind: ProvenanceNode
  /** What stands in the columns label, title, status, outcome, room_id. */
  readonly columns: string
  readonly tables: string
  readonly id: string
  /** What picks the nodes of a Room. */
  readonly room: string
}

const record = (kind: "hypothesis" | "finding" | "cited_claim"): Source => ({
  kind,
  columns: `r.label, r.wording, coalesce(s.status, 'current'), ${kind === "finding" ? "f.outcome" : "NULL"}, r.room_id`,
  tables: `records r LEFT JOIN standings s ON s.version_id = r.version_id${kind === "finding" ? " LEFT JOIN findings f ON f.version_id = r.version_id" : ""}`,
  id: "r.version_id",
  room: `r.kind = '${kind}' AND r.room_id`,
})

const sources: readonly Source[] = [
  record("hypothesis"),
  {
    kind: "experiment",
    columns: "e.label, e.question, e.status, NULL, e.room_id",
    tables: "experiments e",
    id: "e.experiment_id",
    room: "e.room_id",
  },
  {
    kind: "plan",
    columns: "n.label, n.content ->> '$.protocol.summary', NULL, NULL, n.room_id",
    tables: "plans n",
    id: "n.plan_id",
    room: "n.room_id",
  },
  {
    kind: "attempt",
    columns: "a.label, a.intent || ' attempt of ' || e.label, a.status, NULL, a.room_id",
    tables: "attempts a JOIN experiments e ON e.experiment_id = a.experiment_id",
    id: "a.attempt_id",
    room: "a.room_id",
  },
  record("finding"),
  record("cited_claim"),
  {
    kind: "material",
    columns: "m.label, m.name, NULL, NULL, m.origin_room_id",
    tables: "materials m",
    id: "m.material_id",
    room: "m.material_id IN (SELECT x.material_id FROM room_materials x WHERE x.room_id",
  },
  {
    kind: "finding_link",
    columns: "NULL, r.label || ' toward ' || e.label, NULL, l.toward_question ->> '$.verdict', l.room_id",
    tables: "finding_links l JOIN records r ON r.version_id = l.version_id JOIN experiments e ON e.experiment_id = l.experiment_id",
    id: "l.link_id",
    room: "l.room_id",
  },
  {
    kind: "link",
    columns: "k.label, k.explanation, NULL, NULL, k.room_id",
    tables: "research_links k",
    id: "k.link_id",
    room: "k.room_id",
  },
]

const NAMES = ["label", "title", "status", "outcome", "room_id"]
const reports = `(SELECT json_group_array(json_object('reporterId', y.reporter_id, 'state', y.state, 'observedDigest', y.observed_digest) ORDER BY y.sequence)
  FROM material_reports y WHERE y.material_id = m.material_id)`

function select({ kind, columns, tables, id }: Source): string {
  const material = kind === "material" ? `m.reference, ${reports}` : "NULL, NULL"
  return `SELECT ${id} AS id, '${kind}' AS kind, ${columns}, ${material} FROM ${tables}`
}

const named = (sql: string): string => `WITH found (id, kind, ${NAMES.join(", ")}, reference, reports) AS (${sql}) SELECT * FROM found`

/** The newest nodes of a Room, so many of each kind. Takes the Room and the number once for each kind. */
export const NODES_OF_ROOM = named(
  sources
    .map(
      (source) =>
        `SELECT * FROM (${select(source)} WHERE ${source.room} = ?${source.room.includes("(") ? ")" : ""} ORDER BY ${source.id} DESC LIMIT ?)`,
    )
    .join(" UNION ALL "),
)
export const kindsOfNodes: readonly ProvenanceNode[] = sources.map(({ kind }) => kind)

/** Whatever has one of the ids in a JSON list. Takes the list once for each kind. */
export const NODES_NAMED = named(
  sources
    .map(
      (source) =>
        `${select(source)} WHERE ${source.id} IN (SELECT value FROM json_each(?))${source.room.startsWith("r.kind") ? ` AND r.kind = '${source.kind}'` : ""}`,
    )
    .join(" UNION ALL "),
)

/** How a node is answered. */
export function shown(row: NodeRow) {
  const { id, kind, label, title, room_id: roomId } = row
  const node = { id, kind, label, title, roomId }
  if (kind === "attempt") return { ...node, status: row.status, outcome: outcomeOf(row.status as AttemptStatus) }
  if (kind !== "material") return { ...node, status: row.status, outcome: row.outcome }
  const digest = row.reference?.startsWith("sha256:") ? row.reference : null
  return { ...node, status: obtainabilityOf(JSON.parse(row.reports ?? "[]"), digest), outcome: null }
}
