/**
 * The edges of the provenance graph: which rows hold them. An edge leads from what was made later to what it speaks of,
 * rests on or was made with; following edges leads back to where things come from.
 */
import type { ProvenanceEdge, ProvenanceNode } from "../../contract/enumerations.ts"
import type { objects } from "../../contract/objects.ts"

export interface Edge {
  from: string
  to: string
  kind: ProvenanceEdge
}

/** A table of nodes, as the list of objects names it. */
export type NodeTable = (typeof objects)[ProvenanceNode]["table"]

/** An edge as it is found: the tables of its two ends come with it, so that each id is looked up in one place. */
export interface MetEdge extends Edge {
  fromTable: NodeTable
  toTable: NodeTable
}

interface Source {
  readonly between: readonly [from: NodeTable, to: NodeTable]
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
    between: ["records", "records"],
    from: "x.version_id",
    to: "x.to_version_id",
    kind: "coalesce(x.purpose, x.part)",
    tables: "record_references x",
    where: "x.part IN ('premise', 'reference', 'evidence')",
  },
  {
    between: ["records", "attempts"],
    from: "t.version_id",
    to: "t.attempt_id",
    kind: "CASE t.role WHEN 'producing' THEN 'results_from' WHEN 'baseline' THEN 'compares_with' ELSE 'evidence' END",
    tables: "finding_attempts t",
  },
  {
    between: ["records", "experiments"],
    from: "f.version_id",
    to: "f.experiment_id",
    kind: "'reports_on'",
    tables: "findings f",
    where: "f.experiment_id IS NOT NULL",
  },
  { between: ["records", "materials"], from: "u.version_id", to: "u.material_id", kind: "'uses'", tables: "finding_materials u" },
  {
    between: ["records", "materials"],
    from: "v.version_id",
    to: "v.material_id",
    kind: "'evidence'",
    tables: "finding_evidence v",
    where: "v.material_id IS NOT NULL",
  },
  {
    between: ["experiments", "records"],
    from: "e.experiment_id",
    to: "h.value",
    kind: "'addresses'",
    tables: "experiments e, json_each(e.hypotheses) h",
    room: "e.room_id",
  },
  { between: ["plans", "experiments"], from: "n.plan_id", to: "n.experiment_id", kind: "'plans'", tables: "plans n" },
  {
    between: ["plans", "records"],
    from: "n.plan_id",
    to: "h.value",
    kind: "'tests'",
    tables: "plans n, json_each(n.content, '$.hypotheses') h",
    room: "n.room_id",
  },
  {
    between: ["plans", "records"],
    from: "n.plan_id",
    to: "h.value ->> '$.versionId'",
    kind: "'premise'",
    tables: "plans n, json_each(n.content, '$.premises') h",
    room: "n.room_id",
  },
  { between: ["plans", "materials"], from: "q.plan_id", to: "q.material_id", kind: "'requires'", tables: "plan_materials q" },
  { between: ["attempts", "experiments"], from: "a.attempt_id", to: "a.experiment_id", kind: "'executes'", tables: "attempts a" },
  {
    between: ["attempts", "plans"],
    from: "a.attempt_id",
    to: "n.plan_id",
    kind: "'follows'",
    tables: "attempts a JOIN plans n ON n.plan_id = a.plan_id",
    backwards: "plans n JOIN attempts a ON a.experiment_id = n.experiment_id AND a.plan_id = n.plan_id",
  },
  {
    between: ["attempts", "attempts"],
    from: "a.attempt_id",
    to: "b.attempt_id",
    kind: "'reruns'",
    tables: "attempts a JOIN attempts b ON b.attempt_id = a.rerun_of",
    backwards: "attempts b JOIN attempts a ON a.experiment_id = b.experiment_id AND a.rerun_of = b.attempt_id",
  },
  {
    between: ["attempts", "attempts"],
    from: "a.attempt_id",
    to: "a.reproduces_attempt_id",
    kind: "'reproduces'",
    tables: "attempts a",
    where: "a.reproduces_attempt_id IS NOT NULL",
  },
  {
    between: ["attempts", "records"],
    from: "a.attempt_id",
    to: "a.reproduces_version_id",
    kind: "'reproduces'",
    tables: "attempts a",
    where: "a.reproduces_version_id IS NOT NULL",
  },
  { between: ["attempts", "materials"], from: "i.attempt_id", to: "i.material_id", kind: "'consumes'", tables: "attempt_inputs i" },
  {
    between: ["materials", "attempts"],
    from: "o.material_id",
    to: "o.attempt_id",
    statedBy: "to",
    kind: "'produced_by'",
    tables: "attempt_outputs o",
    where: "o.material_id IS NOT NULL",
  },
  { between: ["finding_links", "records"], from: "l.link_id", to: "l.version_id", kind: "'relates'", tables: "finding_links l" },
  {
    between: ["finding_links", "experiments"],
    from: "l.link_id",
    to: "l.experiment_id",
    kind: "l.toward_question ->> '$.verdict'",
    tables: "finding_links l",
  },
  {
    between: ["finding_links", "attempts"],
    from: "l.link_id",
    to: "a.attempt_id",
    kind: "'evidence'",
    tables: "finding_links l JOIN attempts a ON a.attempt_id = l.attempt_id",
    backwards: "attempts a JOIN finding_links l ON l.experiment_id = a.experiment_id AND l.attempt_id = a.attempt_id",
  },
  { between: ["finding_links", "records"], from: "w.link_id", to: "w.version_id", kind: "w.verdict", tables: "finding_verdicts w" },
  { between: ["research_links", "records"], from: "k.link_id", to: "k.target_version_id", kind: "k.kind", tables: "research_links k" },
  {
    between: ["research_links", "records"],
    from: "k.link_id",
    to: "h.value",
    kind: "'evidence'",
    tables: "research_links k, json_each(k.content, '$.evidence') h",
    room: "k.room_id",
  },
  {
    between: ["research_links", "records"],
    from: "k.link_id",
    to: "k.replacement_version_id",
    kind: "'replaced_by'",
    tables: "research_links k",
    where: "k.replacement_version_id IS NOT NULL",
  },
]

const select = ({ from, to, kind, between }: Source, tables: string, conditions: readonly string[]): string =>
  `SELECT ${from} AS "from", ${to} AS "to", ${kind} AS kind, '${between[0]}' AS fromTable, '${between[1]}' AS toTable
  FROM ${tables} WHERE ${conditions.join(" AND ")}`
const given = (column: string) => `${column} IN (SELECT value FROM json_each(?))`
const also = (condition: string | undefined): string[] => (condition === undefined ? [] : [condition])

const isStatedByTo = ({ statedBy }: Source): boolean => statedBy === "to"
const ownerTable = (source: Source): NodeTable => source.between[isStatedByTo(source) ? 1 : 0]
const otherTable = (source: Source): NodeTable => source.between[isStatedByTo(source) ? 0 : 1]
const owner = (source: Source): string => (isStatedByTo(source) ? source.to : source.from)
const other = (source: Source): string => (isStatedByTo(source) ? source.from : source.to)

/** The end of an edge that states it. */
export const statedBy = ({ from, to, kind }: Edge): string => (kind === "produced_by" ? to : from)

/** The ids of some nodes as a JSON list, by the table that holds them. */
export type IdsIn = (table: NodeTable) => string

/** The edges stated by some nodes, at most so many. Takes what `statingValues` gives. */
export const EDGES_STATED_BY = `${sources
  .map((source) => select(source, source.tables, [given(owner(source)), ...also(source.where)]))
  .join(" UNION ALL ")} LIMIT ?`
export const statingValues = (idsIn: IdsIn, most: number): (string | number)[] => [
  ...sources.map((source) => idsIn(ownerTable(source))),
  most,
]

/** The edges that name some nodes, at most so many. Takes what `namingValues` gives. */
export const EDGES_NAMING = `${sources
  .map((source) =>
    select(source, source.backwards ?? source.tables, [
      ...(source.room === undefined ? [] : [`${source.room} = ?`]),
      given(other(source)),
      ...also(source.where),
    ]),
  )
  .join(" UNION ALL ")} LIMIT ?`
export const namingValues = (idsIn: IdsIn, roomId: string, most: number): (string | number)[] => [
  ...sources.flatMap((source) => {
    const ids = idsIn(otherTable(source))
    return source.room === undefined ? [ids] : [roomId, ids]
  }),
  most,
]
