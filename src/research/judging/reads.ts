/** Reads that help to judge a record or a checkpoint. */
import { present } from "../../contract/present.ts"
import { noSuch } from "../../contract/objects/no-such.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Checkpoints } from "../checkpoints/checkpoints.ts"
import type { Records } from "../records/records.ts"
import { fromOtherRoom } from "../../ledger/lists/other-room.ts"
import type { Judging } from "./judging.ts"

export function judgingReads(records: Records, checkpoints: Checkpoints, judging: Judging) {
  return {
    record_case({ params }) {
      const found = records.summary(params.versionId)
      if (found === undefined) throw noSuch("record")
      const { versionId, kind, label, wording, status, roomId, evidenceTally } = found
      return {
        versionId,
        kind,
        label,
        wording,
        status,
        roomId,
        evidenceTally,
        bearing: present(records.bearingOf(versionId)),
        weight: judging.weightOf(versionId),
        ...judging.around([versionId], roomId),
        ...judging.downstream(versionId, roomId),
      }
    },
    checkpoint_case({ params }) {
      const found = checkpoints.read(params.checkpointId)
      if (found === undefined) throw noSuch("checkpoint")
      const { checkpointId, roomId, threadId, state } = found.checkpoint
      const cited = found.citations.map((versionId) => records.summary(versionId)).filter((record) => record !== undefined)
      return {
        checkpointId,
        roomId,
        threadId,
        state,
        citations: cited.map((record) => ({
          versionId: record.versionId,
          kind: record.kind,
          label: record.label,
          wording: record.wording,
          status: record.status,
          author: record.author,
          outcome: record.outcome,
          evidenceTally: record.evidenceTally,
          inDoubt: record.inDoubt,
          ...fromOtherRoom(record.roomId, roomId),
        })),
        ...judging.around(
          cited.map(({ versionId }) => versionId),
          roomId,
        ),
      }
    },
  } satisfies Partial<Readers>
}
