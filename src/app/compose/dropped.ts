/** The line of the audit log about a Room of another instance that was dropped. */
import type { Cut } from "../../ledger/cut.ts"
import type { Audited } from "../../people/audit.ts"

/** @param from the address whose history stands in its place; left out, none does @param kept the file that holds what was here */
export const droppedLine = ({ roomId, from }: Cut, title: string | null, baseUrl?: string, kept?: string): Audited => ({
  kind: "forget_room",
  subject: { kind: "room", id: roomId, name: title },
  roomId,
  detail: { fromEntry: from, ...(baseUrl !== undefined && { followedAt: baseUrl }), ...(kept !== undefined && { keptIn: kept }) },
})
