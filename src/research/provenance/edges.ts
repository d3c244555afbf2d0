/**
 * The edges of the provenance graph: which rows hold them. An edge leads from what was made later to what it speaks of,
 * rests on or was made with; following edges leads back to where things come from.
 */
import type { ProvenanceEdge } from "../../contract/enumerations.ts"

export interface Edge {
  from: string
  to: string
  kind: ProvenanceEdge
}

interface Source {
  readonly from: string
  readonly to: string
  /** Whose row says so, where it is not the one it starts from. */
  readonly statedBy?: "to"
  /** An SQL expression. */
  readonly kind: string
  readonly tables: string
  readonly where?: string
  /** The tables for finding edges by what they name, where an index does not do. */
  readonly backwards?: string
  /** Where that can be told within a Room only: its column. */
  readonly room?: string
}

const sources: readonly Source[] = [
  {
    from: "x.version_id",
    to: "x.to_version_id",
    kind: "coalesce(x.purpose, x.part)",
    tables: "record_references x",
    where: "x.part IN ('premise', 'reference', 'evidence')",
  },
  {
    from: "t.version_id",
    to: "t.attempt_id",
    kind: "CASE t.role WHEN 'producing' THEN 'results_from' WHEN 'baseline' THEN 'compares_with' ELSE 'evidence' END",
    tables: "finding_attempts t",
  },
  { from: "f.version_id", to: "f.experiment_id", kind: "'reports_on'", tables: "findings f", where: "f.experiment_id IS NOT NULL" },
  { from: "u.version_id", to: "u.material_id", kind: "'uses'", tables: "finding_materials u" },
  { from: "v.version_id", to: "v.material_id", kind: "'evidence'", tables: "finding_evidence v", where: "v.material_id IS NOT NULL" },
  { from: "e.experiment_id", to: "h.value", kind: "'addresses'", tables: "experiments e, json_each(e.hypotheses) h", room: "e.room_id" },
  { from: "n.plan_id", to: "n.experiment_id", kind: "'plans'", tables: "plans n" },
  { from: "n.plan_id", to: "h.value", kind: "'tests'", tables: "plans n, json_each(n.content, '$.hypotheses') h", room: "n.room_id" },
  {
    from: "n.plan_id",
    to: "h.value ->> '$.versionId'",
    kind: "'premise'",
    tables: "plans n, json_each(n.content, '$.premises') h",
    room: "n.room_id",
  },
  { from: "q.plan_id", to: "q.material_id", kind: "'requires'", tables: "plan_materials q" },
  { from: "a.attempt_id", to: "a.experiment_id", kind: "'executes'", tables: "attempts a" },
  {
    from: "a.attempt_id",
    to: "n.plan_id",
    kind: "'follows'",
    tables: "attempts a JOIN plans n ON n.plan_id = a.plan_id",
    backwards: "plans n JOIN attempts a ON a.experiment_id = n.experiment_id AND a.plan_id = n.plan_id",
  },
  {
    from: "a.attempt_id",
    to: "b.attempt_id",
    kind: "'reruns'",
    tables: "attempts a JOIN attempts b ON b.attempt_id = a.rerun_of",
    backwards: "attempts b JOIN attempts a ON a.experiment_id = b.experiment_id AND a.rerun_of = b.attempt_id",
  },
  {
    from: "a.attempt_id",
    to: "a.reproduces_attempt_id",
    kind: "'reproduces'",
    tables: "attempts a",
    where: "a.reproduces_attempt_id IS NOT NULL",
  },
  {
    from: "a.attempt_id",
    to: "a.reproduces_version_id",
    kind: "'reproduces'",
    tables: "attempts a",
    where: "a.reproduces_version_id IS NOT NULL",
  },
  { from: "i.attempt_id", to: "i.material_id", kind: "'consumes'", tables: "attempt_inputs i" },
  {
    from: "o.material_id",
    to: "o.attempt_id",
    statedBy: "to",
    kind: "'produced_by'",
    tables: "attempt_outputs o",
    where: "o.material_id IS NOT NULL",
  },
  { from: "l.link_id", to: "l.version_id", kind: "'relates'", tables: "finding_links l" },
  { from: "l.link_id", to: "l.experiment_id", kind: "l.toward_question ->> '$.verdict'", tables: "finding_links l" },
  {
    from: "l.link_id",
    to: "a.attempt_id",
    kind: "'evidence'",
    tables: "finding_links l JOIN attempts a ON a.attempt_id = l.attempt_id",
    backwards: "attempts a JOIN finding_links l ON l.experiment_id = a.experiment_id AND l.attempt_id = a.attempt_id",
  },
  { from: "w.link_id", to: "w.version_id", kind: "w.verdict", tables: "finding_verdicts w" },
  { from: "k.link_id", to: "k.target_version_id", kind: "k.kind", tables: "research_links k" },
  {
    from: "k.link_id",
    to: "h.value",
    kind: "'evidence'",
    tables: "research_links k, json_each(k.content, '$.evidence') h",
    room: "k.room_id",
  },
  {
    from: "k.link_id",
    to: "k.replacement_version_id",
    kind: "'replaced_by'",
    tables: "research_links k",
    where: "k.replacement_version_id IS NOT NULL",
  },
]

const select = ({ from, to, kind }: Source, tables: string, conditions: readonly string[]): string =>
  `SELECT ${from} AS "from", ${to} AS "to", ${kind} AS kind FROM ${tables} WHERE ${conditions.join(" AND ")}`
const given = (column: string) => `${column} IN (SELECT value FROM json_each(?))`
const also = (condition: string | undefined): string[] => (condition === undefined ? [] : [condition])

const owner = (source: Source): string => (source.statedBy === "to" ? source.to : source.from)
const other = (source: Source): string => (source.statedBy === "to" ? source.from : source.to)

/** The end of an edge that states it. */
export const statedBy = ({ from, to, kind }: Edge): string => (kind === "produced_by" ? to : from)

/** The edges stated by one of the ids in a JSON list. Takes the list `statingLists` times. */
export const EDGES_STATED_BY = sources
  .map((source) => select(source, source.tables, [given(owner(source)), ...also(source.where)]))
  .join(" UNION ALL ")
export const statingLists = sources.length

/** The edges that name one of the ids in a JSON list. Takes what `namingValues` gives. */
export const EDGES_NAMING = sources
  .map((source) =>
    select(source, source.backwards ?? source.tables, [
      ...(source.room === undefined ? [] : [`${source.room} = ?`]),
      given(other(source)),
      ...also(source.where),
    ]),
  )
  .join(" UNION ALL ")
export const namingValues = (ids: string, roomId: string): string[] =>
  sources.flatMap(({ room }) => (room === undefined ? [ids] : [roomId, ids]))
