/** Fills Threads with many entries, through the ledger's own statements but in one transaction. */
import { join } from "node:path"
import { digestOf, type JsonObject } from "../../src/contract/json.ts"
import { activity } from "../../src/ledger/activity.ts"
import { openData } from "../../src/ledger/data.ts"
import type { Db } from "../../src/ledger/database.ts"
import { sequences } from "../../src/ledger/sequences.ts"
import { type EntryBody, timeline } from "../../src/ledger/timeline.ts"
import { moment } from "../../src/ledger/world.ts"
import { messageText } from "./requests.ts"

export interface Filled {
  readonly roomId: string
  readonly threadId: string
  readonly entries: number
}

interface CardEntry {
  readonly author: { readonly userId: string; readonly username: string }
  readonly card: JsonObject & { readonly versionId: string }
}

/** A card as it stands in the demo's own timeline, and who placed it. */
function cardOfTheDemo(db: Db): CardEntry {
  const stored = db.prepare<{ body: string }>("SELECT body FROM timeline_entries WHERE kind = 'publication' LIMIT 1").get()
  if (stored === undefined) throw new Error("the demo's timeline holds no card")
  return JSON.parse(stored.body) as CardEntry
}

/** Adds entries to Threads of a demo's data: messages of 0.3 to 1.7 KB, one in ten a card, one in seven a reply. */
export function seed(folder: string, threads: readonly Filled[]): void {
  const { db, world } = openData(join(folder, "research-room.db"))
  const [entries, feed, next] = [timeline(db), activity(db), sequences(db)]
  const { author, card } = cardOfTheDemo(db)
  const texts = Array.from({ length: 10 }, (_, size) => messageText.repeat(2).slice(0, 300 + size * 150))

  db.exec("BEGIN IMMEDIATE")
  for (const { roomId, threadId, entries: count } of threads) {
    let earlier: string | null = null
    for (let made = 0; made < count; made += 1) {
      const at = moment(world.now())
      const entryId = world.id()
      const isCard = made % 10 === 9
      const body: EntryBody = isCard ? { card } : { message: { text: texts[made % 10] ?? "", clientMessageId: world.id() } }
      const replyToEntryId = made % 7 === 6 ? earlier : null
      entries.append({
        entryId,
        threadId,
        sequence: next.entry(threadId, at),
        kind: isCard ? "publication" : "message",
        at,
        author,
        replyToEntryId,
        body,
      })
      feed.append(roomId, {
        kind: isCard ? "reuse_record" : "post_message",
        at,
        actor: author,
        operation: isCard ? "reuse_record" : "post_message",
        target: { kind: isCard ? "record" : "message", id: entryId, label: null },
        threadId,
        entryId,
        contentDigest: digestOf(entryId),
      })
      earlier = entryId
    }
  }
  db.exec("COMMIT")
  db.close()
}
