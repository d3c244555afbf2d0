/** Experiments, their revisions, attempts, metrics and materials. */
import { type Cloner, idSql, scatteredIdSql, UNREAD } from "./clone.ts"
import { RARE } from "./first.ts"
import type { Large } from "./large.ts"

export function fillWork(cloner: Cloner, large: Large): void {
  const { size, fewer, openExperimentId, amendedId, experimentId, attemptId, materialId, roomId } = large
  cloner.like("experiments", ["experiment_id", openExperimentId], size, {
    experiment_id: idSql("experiment"),
    entry_id: idSql("entry"),
    label: "'E' || (n + 10)",
  })
  cloner.exec(`UPDATE counters SET last = last + ${size} WHERE room_id = '${roomId}' AND kind = 'experiment'`)
  cloner.like("experiment_revisions", ["experiment_id", amendedId], fewer, { revision: "n + 10" })

  const attempt = scatteredIdSql("attempt")
  const seldom = `CASE WHEN n % ${Math.max(1, Math.floor(size / RARE))} = 0 THEN 'cancelled' WHEN n % 3 = 0 THEN 'failed' ELSE 'succeeded' END`
  const row = { attempt_id: attempt, entry_id: idSql("entry"), label: "'A' || (n + 10)", status: seldom, content: UNREAD }
  cloner.withoutIndexes("attempts", () => cloner.like("attempts", ["attempt_id", attemptId], size, row))
  cloner.exec(`UPDATE counters SET last = last + ${size} WHERE room_id = '${roomId}' AND kind = 'attempt'`)
  cloner.exec(`UPDATE attempt_counts SET attempts = attempts + ${size} WHERE experiment_id = '${experimentId}'`)
  cloner.like("attempt_metrics", ["attempt_id", attemptId], fewer, { ordinal: "n + 10", step: "n" })

  const material = idSql("material")
  cloner.like("materials", ["material_id", materialId], size, {
    material_id: material,
    reference: "format('sha256:%064x', n)",
    label: "'M' || (n + 10)",
    content: UNREAD,
  })
  cloner.like("room_materials", ["material_id", materialId], size, { material_id: material, entry_id: idSql("entry") })
  cloner.like("material_reports", ["material_id", materialId], size, { material_id: material })
  cloner.exec(`UPDATE counters SET last = last + ${size} WHERE room_id = '${roomId}' AND kind = 'material'`)
}
