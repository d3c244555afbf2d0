/** Reads that help to judge a record or a checkpoint. */
import { picked } from "../../contract/each.ts"
import { present } from "../../contract/present.ts"
import { known } from "../../contract/objects/no-such.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Checkpoints } from "../checkpoints/checkpoints.ts"
import type { Records } from "../records/records.ts"
import { fromOtherRoom } from "../../ledger/lists/other-room.ts"
import type { Judging } from "./judging.ts"

interface Tables {
  readonly records: Records
  readonly checkpoints: Checkpoints
  readonly judging: Judging
}

export function judgingReads({ records, checkpoints, judging }: Tables) {
  return {
    record_case({ params }) {
      const found = known("record", records.summary(params.versionId))
      const { versionId, roomId } = found
      return {
        ...picked(found, "versionId", "kind", "label", "wording", "status", "roomId", "evidenceTally"),
        bearing: present(records.bearingOf(versionId)),
        weight: judging.weightOf(versionId),
        ...judging.around([versionId], roomId),
        ...judging.downstream(versionId, roomId),
      }
    },
    checkpoint_case({ params }) {
      const found = known("checkpoint", checkpoints.read(params.checkpointId))
      const { roomId } = found.checkpoint
      const cited = found.citations
        .map((versionId) => records.summary(versionId))
        .filter((record) => record !== undefined)
      return {
        ...picked(found.checkpoint, "checkpointId", "roomId", "threadId", "state"),
        citations: cited.map((record) => ({
          ...picked(
            record,
            "versionId",
            "kind",
            "label",
            "wording",
            "status",
            "author",
            "outcome",
            "evidenceTally",
            "inDoubt",
          ),
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
