/** Makes the audit log line of a dropped Room of another instance. */
import type { Cut } from "../../ledger/cut.ts"
import type { Audited } from "../../people/audit.ts"

/**
 * @param followedAt the address of the history that replaces the dropped entries, if one does
 * @param keptIn the export with the dropped entries, if there is one
 */
export const droppedLine = ({ roomId, from }: Cut, title: string | null, followedAt?: string, keptIn?: string): Audited => ({
  kind: "forget_room",
  subject: { kind: "room", id: roomId, name: title },
  roomId,
  detail: { fromEntry: from, ...(followedAt !== undefined && { followedAt }), ...(keptIn !== undefined && { keptIn }) },
})
