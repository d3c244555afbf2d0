/** Accepted plans: their rows, and how they are shown. */
import { JsonText } from "../../contract/json.ts"
import type { Protocol } from "../../contract/work.ts"
import type { Db } from "../../ledger/database.ts"

export interface NewPlan {
  readonly planId: string
  readonly experimentId: string
  readonly roomId: string
  readonly threadId: string
  readonly label: string
  readonly entryId: string
  readonly acceptedBy: string
  readonly at: string
  readonly content: string
  readonly contentDigest: string
  readonly requiredMaterials: readonly { readonly materialId: string; readonly purpose: string }[]
}

/** A plan as it was accepted, as far as an attempt is compared with it. */
export interface PlanContent {
  readonly repository: { readonly url: string; readonly commit: string }
  readonly protocol: Protocol
  readonly hypotheses: readonly string[]
  readonly premises: readonly { readonly versionId: string; readonly explanation: string }[]
  readonly requiredMaterials: readonly { readonly materialId: string; readonly purpose: string }[]
}

interface Row {
  plan_id: string
  experiment_id: string
  experiment_label: string
  room_id: string
  thread_id: string
  label: string
  entry_id: string
  accepted_by: string
  username: string
  accepted_at: string
  content: string
  content_digest: string
}

const shown = (row: Row) => ({
  planId: row.plan_id,
  label: row.label,
  experimentId: row.experiment_id,
  experimentLabel: row.experiment_label,
  roomId: row.room_id,
  threadId: row.thread_id,
  entryId: row.entry_id,
  acceptedBy: { userId: row.accepted_by, username: row.username },
  acceptedAt: row.accepted_at,
  contentDigest: row.content_digest,
})

export type Plans = ReturnType<typeof plans>

export function plans(db: Db) {
  const insert = db.prepare(
    "INSERT INTO plans (plan_id, experiment_id, room_id, thread_id, label, entry_id, accepted_by, accepted_at, content, content_digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
  )
  const insertMaterial = db.prepare("INSERT INTO plan_materials (plan_id, position, material_id, purpose) VALUES (?, ?, ?, ?)")
  const SELECT = `SELECT n.*, p.username, e.label AS experiment_label FROM plans n
    JOIN people p ON p.user_id = n.accepted_by JOIN experiments e ON e.experiment_id = n.experiment_id`
  const one = db.prepare<Row>(`${SELECT} WHERE n.plan_id = ?`)
  const ofExperiment = db.prepare<Row>(`${SELECT} WHERE n.experiment_id = ? ORDER BY n.plan_id`)

  return {
    insert(plan: NewPlan): void {
      const { planId, experimentId, roomId, threadId, label, entryId, acceptedBy, at, content, contentDigest } = plan
      insert.run(planId, experimentId, roomId, threadId, label, entryId, acceptedBy, at, content, contentDigest)
      plan.requiredMaterials.forEach(({ materialId, purpose }, position) => insertMaterial.run(planId, position, materialId, purpose))
    },
    /** A plan to compare with; undefined when there is none, or it is another experiment's. */
    contentOf(planId: string, experimentId: string): PlanContent | undefined {
      const row = one.get(planId)
      return row?.experiment_id === experimentId ? (JSON.parse(row.content) as PlanContent) : undefined
    },
    read(planId: string) {
      const row = one.get(planId)
      return row && { shown: shown(row), content: new JsonText(row.content), parsed: JSON.parse(row.content) as PlanContent }
    },
    /** The plans of an experiment in the order they were accepted. */
    of: (experimentId: string) => ofExperiment.all(experimentId).map(shown),
  }
}
