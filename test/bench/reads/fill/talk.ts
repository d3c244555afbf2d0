/** Rooms, Threads, messages in them, and the feed. */
import { type Cloner, idSql, swapped, wordSql } from "./clone.ts"
import { RARE, spoken } from "./first.ts"
import type { Large } from "./large.ts"

/** The sequences of the filled Thread and feed continue after the Room's first entries. */
export const OFFSET = 1_000

export function fillTalk(cloner: Cloner, large: Large): void {
  const { size, fewer, roomId, threadId, askedEntryId, saidEntryId, cardEntryId, crowdedRoomId, crowdedThreadId } =
    large
  const sequence = `n + ${OFFSET}`
  const every = Math.max(1, Math.floor(size / RARE))
  const word = `CASE WHEN n % ${every} = 1 THEN '${spoken.rare}' ELSE ${wordSql} END`
  // Nine in ten are messages, all of them replies to one; the tenth is a card.
  const isMessage = "n % 10 <> 0"
  const said = ["entry_id", saidEntryId] as const
  // A Room's feed, in which a few entries are of another kind.
  const operation = `CASE WHEN n % ${every} = 0 THEN 'assert_dispute' ELSE 'post_message' END`
  const content = swapped("t.content", [[spoken.rare, word]])
  const differing = { operation, room_sequence: sequence, entry_sequence: sequence }
  const history_position = cloner.written("timeline_entries", said, size, content, differing)
  cloner.like("timeline_entries", said, size, { entry_id: idSql("entry"), sequence, history_position }, isMessage)
  const card = { entry_id: idSql("entry"), sequence, version_id: idSql("record") }
  cloner.like("timeline_entries", ["entry_id", cardEntryId], size, card, "n % 10 = 0")
  cloner.exec(`UPDATE thread_heads SET timeline_sequence = ${size + OFFSET} WHERE thread_id = '${threadId}'`)
  cloner.exec(
    `UPDATE timeline_entries
      SET reply_count = reply_count + ${Math.ceil(size * 0.9)}
      WHERE entry_id = '${askedEntryId}'`,
  )
  cloner.exec(`UPDATE room_heads SET activity_sequence = ${size + OFFSET} WHERE room_id = '${roomId}'`)

  cloner.like("threads", ["thread_id", crowdedThreadId], fewer, {
    thread_id: idSql("thread"),
    sequence: "n + 1",
    title: "'Thread ' || n",
  })
  cloner.like("thread_heads", ["thread_id", threadId], fewer, { thread_id: idSql("thread"), timeline_sequence: "0" })
  cloner.exec(`UPDATE counters SET last = last + ${fewer} WHERE room_id = '${crowdedRoomId}' AND kind = 'thread'`)

  const seldom = `CASE WHEN n % ${Math.max(1, Math.floor(fewer / RARE))} = 0 THEN '${spoken.rare} ' ELSE 'Room ' END
      || n`
  cloner.like("rooms", ["room_id", crowdedRoomId], fewer, {
    item: `n + ${OFFSET}`,
    room_id: idSql("room"),
    title: seldom,
  })
  for (const table of ["members", "room_heads", "counters"])
    cloner.like(table, ["room_id", crowdedRoomId], fewer, { room_id: idSql("room") })
}
