/** Experiments, their revisions, attempts, metrics and materials. */
import { type Cloner, idSql, scatteredIdSql, wordSql } from "./clone.ts"
import { RARE } from "./first.ts"
import type { Large } from "./large.ts"
import { OFFSET } from "./talk.ts"

export function fillWork(cloner: Cloner, large: Large): void {
  const { size, fewer, openExperimentId, amendedId, experimentId, attemptId, materialId, roomId, threadId } = large
  cloner.like("experiments", ["experiment_id", openExperimentId], size, {
    experiment_id: idSql("experiment"),
    entry_id: idSql("entry"),
    label: "'E' || (n + 10)",
    question: `t.question || ' ' || ${wordSql}`,
  })
  cloner.exec(`UPDATE counters SET last = last + ${size} WHERE room_id = '${roomId}' AND kind = 'experiment'`)
  const amended = ["experiment_id", amendedId] as const
  const amendment = cloner.written("experiment_revisions", amended, fewer, "t.content")
  cloner.like("experiment_revisions", amended, fewer, { revision: "n + 10", history_position: amendment })

  const attempt = scatteredIdSql("attempt")
  const isSeldom = `n % ${Math.max(1, Math.floor(size / RARE))} = 0`
  const status = `CASE WHEN ${isSeldom} THEN 'cancelled' WHEN n % 3 = 0 THEN 'failed' ELSE 'succeeded' END`
  // The part of a registration that lists show and search reads.
  const run = `json_object('argv', json_array('python', 'train.py', ${wordSql}, CAST(n AS TEXT)), 'configuration',
    t.content -> '$.configuration', 'repository', t.content -> '$.repository')`
  const registered = ["attempt_id", attemptId] as const
  const history_position = cloner.written("attempts", registered, size, run)
  const row = { attempt_id: attempt, entry_id: idSql("entry"), label: "'A' || (n + 10)", status, history_position }
  cloner.withoutIndexes("attempts", () => cloner.like("attempts", registered, size, row))
  cloner.withoutIndexes("room_failures", () =>
    cloner.exec(
      `INSERT INTO room_failures SELECT '${roomId}', n / 3 + ${OFFSET}, '${threadId}', 'attempt_failed', ${attempt},
          (SELECT updated_at FROM attempts WHERE attempt_id = '${attemptId}'), NULL
       FROM temp.numbers WHERE n % 3 = 0 AND NOT ${isSeldom}`,
    ),
  )
  cloner.exec(`UPDATE counters SET last = last + ${size} WHERE room_id = '${roomId}' AND kind = 'attempt'`)
  cloner.exec(`UPDATE attempt_counts SET attempts = attempts + ${size} WHERE experiment_id = '${experimentId}'`)
  cloner.like("attempt_metrics", ["attempt_id", attemptId], fewer, { ordinal: "n + 10", step: "n" })

  const material = idSql("material")
  cloner.like("materials", ["material_id", materialId], size, {
    material_id: material,
    reference: "format('sha256:%064x', n)",
    label: "'M' || (n + 10)",
  })
  cloner.like("room_materials", ["material_id", materialId], size, { material_id: material, entry_id: idSql("entry") })
  cloner.like("material_reports", ["material_id", materialId], size, { material_id: material })
  cloner.exec(`UPDATE counters SET last = last + ${size} WHERE room_id = '${roomId}' AND kind = 'material'`)
}
