/** Asks `check_text` of 400 statements about a Room whose numbers are known, half of them altered. */
import { ResearchRoomClient } from "research-room/client"
import { scoreOf } from "../research/numbers/judged.ts"
import type { MeasuredRoom } from "../research/numbers/measured-room.ts"
import { statementsAbout } from "../research/numbers/statements.ts"

const STATEMENTS = 400
const SEED = 7

export async function askNumbers(baseUrl: string, room: MeasuredRoom) {
  const client = new ResearchRoomClient({ baseUrl })
  const { roomId } = room
  const statements = statementsAbout(room, STATEMENTS, SEED)
  const score = await scoreOf(statements, ({ text, versionId, attemptIds }) =>
    client.read("check_text", {
      ...{ roomId, text },
      ...(versionId !== undefined && { versionId }),
      ...(attemptIds !== undefined && { attemptIds: [...attemptIds] }),
    }),
  )
  const text = statements
    .map((statement) => statement.text)
    .join(" ")
    .repeat(4)
    .slice(0, 60_000)
  const began = performance.now()
  await client.read("check_text", { roomId, text })
  return { ...score, milliseconds: performance.now() - began }
}
