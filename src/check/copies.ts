/**
 * Verifies what is kept a second time so that it can be found: columns and rows made of a content must still say what the
 * content says, and what stands for now must be what the last change left.
 */
import { messageOf } from "../contract/faults.ts"
import type { Db } from "../ledger/database.ts"

/** No more faults of one sort are read. */
const MOST = 1_001

/** A comparison: what it is about, and a query for the ids of the rows that differ. */
interface Copy {
  readonly what: string
  readonly differing: string
}

/** Rows of a table whose columns differ from a place in their JSON. */
const columns = (what: string, table: string, id: string, json: string, places: Readonly<Record<string, string>>): Copy => ({
  what,
  // In this order: what is no JSON at all cannot be looked into.
  differing: `SELECT ${id} AS id FROM ${table} WHERE CASE WHEN json_valid(${json}) THEN ${Object.entries(places)
    .map(([column, path]) => `${column} IS NOT ${json} ->> '$.${path}'`)
    .join(" OR ")} ELSE 1 END`,
})

/** Rows that stand for a list in the content of another row: each a JSON list of its columns, in order, beside the list itself. */
function list(
  what: string,
  owner: readonly [table: string, id: string],
  rows: { table: string; columns: readonly string[]; where?: string; order?: string },
  path: string,
  members: readonly string[],
): Copy {
  const [table, id] = owner
  const { columns, where = "1", order = "position" } = rows
  const kept = `SELECT json_group_array(json_array(${columns.map((column) => `k.${column}`).join(", ")}) ORDER BY k.${order}) FROM ${rows.table} k WHERE k.${id} = o.${id} AND ${where}`
  const said = `SELECT json_group_array(json_array(${members.join(", ")}) ORDER BY ${order === "key" ? "j.key" : "j.id"}) FROM json_each(o.content, '$.${path}') j`
  return { what, differing: `SELECT o.${id} AS id FROM ${table} o WHERE (${kept}) IS NOT (${said})` }
}
const member = (path: string) => `j.value ->> '$.${path}'`

const record = ["records", "version_id"] as const

const references = (part: string, path: string, purposes: readonly string[], members: readonly string[]) =>
  list(
    `The ${path} of record`,
    record,
    { table: "record_references", columns: ["to_version_id", ...purposes, "explanation"], where: `k.part = '${part}'` },
    path,
    members,
  )

const comparisons: readonly Copy[] = [
  columns("The columns of timeline entry", "timeline_entries", "entry_id", "body", {
    entry_id: "entryId",
    thread_id: "threadId",
    sequence: "sequence",
    kind: "kind",
    author_id: "author.userId",
    reply_to_entry_id: "replyToEntryId",
  }),
  columns("The kind of activity entry", "activity_entries", "room_id || ' ' || sequence", "body", { kind: "kind", sequence: "sequence" }),
  {
    what: "The card of timeline entry",
    differing: `SELECT e.entry_id AS id FROM timeline_entries e JOIN records r ON r.version_id = e.version_id
      WHERE e.body ->> '$.card.versionId' IS NOT r.version_id OR e.body ->> '$.card.label' IS NOT r.label OR e.body ->> '$.card.wording' IS NOT r.wording`,
  },
  columns("The columns of record", "records", "version_id", "content", {
    kind: "kind",
    room_id: "roomId",
    thread_id: "threadId",
    wording: "assertion.wording",
  }),
  references("premise", "premises", [], [member("versionId"), member("explanation")]),
  references("reference", "references", ["purpose"], [member("versionId"), member("purpose"), member("explanation")]),
  list("The concepts of record", record, { table: "concepts", columns: ["key", "label", "definition"], order: "key" }, "concepts", [
    "j.key",
    member("label"),
    member("definition"),
  ]),
  {
    what: "The columns of finding",
    differing: `SELECT version_id AS id FROM findings JOIN records r USING (version_id)
      WHERE outcome IS NOT r.content ->> '$.outcome' OR retrospective IS NOT r.content ->> '$.retrospective'
        OR experiment_id IS NOT r.content ->> '$.provenance.execution.experimentId' OR plan_id IS NOT r.content ->> '$.provenance.execution.planId'`,
  },
  list(
    "The evidence of record",
    record,
    { table: "finding_evidence", columns: ["kind", "attempt_id", "output_label", "digest", "material_id"] },
    "evidence",
    ["kind", "attemptId", "outputLabel", "digest", "materialId"].map(member),
  ),
  list("The materials of record", record, { table: "finding_materials", columns: ["material_id", "purpose"] }, "materials", [
    member("materialId"),
    member("purpose"),
  ]),
  columns("The columns of plan", "plans", "plan_id", "content", { experiment_id: "experimentId" }),
  list(
    "The materials of plan",
    ["plans", "plan_id"],
    { table: "plan_materials", columns: ["material_id", "purpose"] },
    "requiredMaterials",
    [member("materialId"), member("purpose")],
  ),
  {
    what: "The revision that accepted plan",
    differing: `SELECT n.plan_id AS id FROM plans n WHERE n.content IS NOT (SELECT v.content FROM experiment_revisions v WHERE v.experiment_id = n.experiment_id AND v.plan_id = n.plan_id)`,
  },
  columns("The columns of attempt", "attempts", "attempt_id", "content", {
    experiment_id: "experimentId",
    intent: "intent",
    plan_id: "planId",
    rerun_of: "rerunOf",
    reproduces_attempt_id: "reproduces.attemptId",
    reproduces_version_id: "reproduces.findingVersionId",
  }),
  list("The inputs of attempt", ["attempts", "attempt_id"], { table: "attempt_inputs", columns: ["material_id", "name"] }, "inputs", [
    member("materialId"),
    member("name"),
  ]),
  {
    what: "The state of attempt",
    differing: `SELECT a.attempt_id AS id FROM attempts a WHERE a.revision IS NOT (SELECT max(v.revision) FROM attempt_events v WHERE v.attempt_id = a.attempt_id)
      OR a.status IS NOT (SELECT replace(v.body ->> '$.event', 'progress', 'started') FROM attempt_events v WHERE v.attempt_id = a.attempt_id AND v.revision = a.revision)`,
  },
  {
    what: "The number of metric points of attempt",
    differing: `SELECT a.attempt_id AS id FROM attempts a WHERE (SELECT count(*) FROM attempt_metrics m WHERE m.attempt_id = a.attempt_id)
      <> (SELECT total(v.body ->> '$.metricPoints') FROM attempt_events v WHERE v.attempt_id = a.attempt_id)`,
  },
  columns("The columns of output", "attempt_outputs", "attempt_id || ' ' || output_label", "body", {
    output_label: "outputLabel",
    digest: "digest",
    material_id: "materialId",
  }),
  {
    what: "The state of experiment",
    differing: `SELECT x.experiment_id AS id FROM experiments x
      LEFT JOIN experiment_revisions v ON v.experiment_id = x.experiment_id AND v.revision = x.revision
      WHERE x.status IS NOT v.status OR x.assignee_id IS NOT v.assignee_id
        OR x.revision IS NOT (SELECT max(w.revision) FROM experiment_revisions w WHERE w.experiment_id = x.experiment_id)`,
  },
  ...["question", "scope"].map((said) => ({
    what: `The ${said} of experiment`,
    differing: `SELECT x.experiment_id AS id FROM experiments x WHERE x.${said} IS NOT (SELECT v.content ->> '$.${said}' FROM experiment_revisions v
      WHERE v.experiment_id = x.experiment_id AND v.content ->> '$.${said}' IS NOT NULL ORDER BY v.revision DESC LIMIT 1)`,
  })),
  columns("The columns of material", "materials", "material_id", "content", {
    reference: "reference",
    origin_room_id: "roomId",
    name: "name",
    description: "description",
    media_type: "mediaType",
    size_bytes: "sizeBytes",
    values_digest: "valuesDigest",
  }),
  columns("The columns of link", "research_links", "link_id", "content", {
    target_version_id: "targetVersionId",
    explanation: "explanation",
    replacement_version_id: "replacementVersionId",
  }),
  columns("The columns of checkpoint", "checkpoints", "checkpoint_id", "content", {
    thread_id: "threadId",
    state: "state",
    covers_through: "coversThrough",
    conclusion: "conclusion",
  }),
]

/** Compares every copy with what it was made of. */
export function copies(db: Db, add: (problem: string) => void): void {
  for (const { what, differing } of comparisons) {
    try {
      for (const { id } of db.prepare<{ id: string }>(`${differing} LIMIT ${MOST}`).all()) add(`${what} ${id} is not what was accepted.`)
    } catch (error) {
      add(`${what} cannot be compared with what was accepted: ${messageOf(error)}.`)
    }
  }
}
