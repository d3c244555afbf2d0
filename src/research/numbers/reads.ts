/** The read that checks a text against a Room. */
import { known } from "../../contract/objects/no-such.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Attempts } from "../attempts/attempts.ts"
import type { Numbers } from "./numbers.ts"

interface Tables {
  readonly rooms: Rooms
  readonly attempts: Pick<Attempts, "find">
  readonly numbers: Numbers
}

export function numberReads({ rooms, attempts, numbers }: Tables) {
  return {
    check_text({ params: { roomId }, query: { text, versionId, attemptIds = [] } }) {
      rooms.mustExist(roomId)
      for (const attemptId of attemptIds) known("attempt", attempts.find(attemptId))
      const versionIds = versionId === undefined ? [] : [versionId]
      return numbers.check({ roomId, versionIds, attemptIds }, text)
    },
  } satisfies Partial<Readers>
}
