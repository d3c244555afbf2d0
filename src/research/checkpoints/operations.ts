/** The behaviour that posts checkpoints. */
import { Refusal } from "../../contract/refusals/refusal.ts"
import { behaviour, madeBy } from "../../ledger/journal/behaviour.ts"
import { threadSubject } from "../../threads/operations.ts"
import type { Threads } from "../../threads/threads.ts"
import type { Evidence } from "../evidence/evidence.ts"
import type { KeptTables } from "../measurements/kept-tables.ts"
import type { Checkpoints } from "./checkpoints.ts"

interface Tables {
  readonly threads: Threads
  readonly checkpoints: Checkpoints
  readonly evidence: Evidence
  readonly keptTables: KeptTables
}

export function checkpointOperations({ threads, checkpoints, evidence, keptTables }: Tables) {
  const post_research_checkpoint = behaviour("post_research_checkpoint", {
    subject: ({ body }) => threadSubject(threads, body.threadId),
    references: ({ body: { table } }, { roomId }) => (table === undefined ? [] : keptTables.faults(roomId, table)),
    admit({ body }, { threadId }) {
      const thread = threads.summary(threadId)
      const watermark = thread?.timelineWatermark ?? 0
      if (body.expectedWatermark !== watermark) {
        throw new Refusal("state_conflict", `The Thread has moved to ${watermark} since you read it.`, {
          current: {
            threadId,
            timelineWatermark: watermark,
            selectedCheckpointId: thread?.selectedCheckpointId ?? null,
            expected: { expectedWatermark: watermark },
          },
        })
      }
      if (body.coversThrough > watermark) {
        throw new Refusal("invalid_schema", "A checkpoint cannot cover entries that do not exist yet.", {
          issues: [{ path: "/coversThrough", message: `must be at most the Thread's watermark, ${watermark}` }],
        })
      }
    },
    write(call, subject, change) {
      const { body } = call
      const { state, coversThrough, openQuestions, conclusion, synthesis, citations, client, table } = body
      const checkpointId = change.newId()
      // The watermark was checked in the same transaction, so this is the next entry.
      const sequence = body.expectedWatermark + 1
      const stated = { checkpointId, sequence, state, coversThrough, openQuestions, conclusion, citations }
      const keptTable = table && keptTables.kept(subject.roomId, table)
      checkpoints.insert({ ...madeBy(call, subject, change), ...stated, keptTable })
      evidence.uses("checkpoint", checkpointId, "citation", citations, change.at)
      const shown = { checkpointId, state, coversThrough, synthesis, openQuestions, conclusion: conclusion ?? null }
      const card = { ...shown, ...(client === undefined ? {} : { client }) }
      const supersedesCheckpointId = checkpoints.supersededBy(checkpointId)
      return {
        target: { id: checkpointId, label: null },
        result: { checkpointId, state, supersedesCheckpointId, label: null },
        entry: { card },
      }
    },
  })

  return { post_research_checkpoint }
}
