/** Reads the contents of a Room after all clients have finished. */
import type { ActivityEntry } from "../../../src/contract/reads/activity.ts"
import { type ItemOf, ResearchRoomClient } from "research-room/client"
import { deliveryIdOf, deliveryOf, ofCredential, type Truth, type Write } from "./history.ts"
import type { Room } from "./company.ts"

export type ResearchClient = ReturnType<typeof reader>

export function reader(baseUrl: string) {
  const client = new ResearchRoomClient({ baseUrl })
  return {
    feed: (roomId: string): Promise<ActivityEntry[]> => Array.fromAsync(client.items("room_activity", { roomId })),
    timeline: (threadId: string): Promise<ItemOf<"thread_timeline">[]> =>
      Array.fromAsync(client.items("thread_timeline", { threadId })),
    threads: (roomId: string) => Array.fromAsync(client.items("room_threads", { roomId })),
  }
}

/** The stored receipt of a delivery as text, requested with the credential that sent it. */
async function receiptOf(baseUrl: string, token: string, write: Write): Promise<string | null> {
  const id = write.body.clientMessageId === undefined ? "requestId" : "clientMessageId"
  const query = new URLSearchParams({ operation: write.operation, [id]: deliveryIdOf(write) })
  const response = await fetch(`${baseUrl}/api/agent/receipts?${query}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const text = await response.text()
  const isOfAnother = text.endsWith(',"credentialChanged":true}')
  // Another credential of the member sent the same id: this one's write is a separate delivery.
  if (response.status === 200 && isOfAnother && ofCredential.has(write.operation)) return null
  // Whichever of them asks, the stored text is the same.
  if (response.status === 200) return isOfAnother ? text.replace(/,"credentialChanged":true\}$/, "}") : text
  if (response.status === 404) return null
  throw new Error(`the receipt of ${deliveryOf(write)} was answered ${response.status}: ${text}`)
}

/** Several at a time, in order. */
async function inTurn<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of left) await work(item)
    }),
  )
}

/**
 * Reads everything as of one watermark: if an abandoned request is stored meanwhile, it reads again.
 * @param writes everything that was ever sent into the Room
 * @param browsers the receipts of browser writes, which no credential can request
 */
export async function truthOf(
  baseUrl: string,
  room: Room,
  ownerId: string,
  writes: readonly Write[],
  tokenOf: (write: Write) => string | null,
): Promise<Truth> {
  const { roomId, openingThreadId, founded } = room
  const client = reader(baseUrl)
  for (;;) {
    const feed = await client.feed(roomId)
    const receipts: Record<string, string | null> = {}
    const timelines: Record<string, ItemOf<"thread_timeline">[]> = {}
    const one = new Map(writes.map((write) => [deliveryOf(write), write]))
    await inTurn([...one], 8, async ([delivery, write]) => {
      const token = tokenOf(write)
      // A browser write is always answered here; its receipt is the answer.
      if (token !== null) receipts[delivery] = await receiptOf(baseUrl, token, write)
      else
        receipts[delivery] = writes.find((each) => deliveryOf(each) === delivery && each.status === 200)?.answer ?? null
    })
    for (const { threadId } of await client.threads(roomId)) timelines[threadId] = await client.timeline(threadId)
    const after = await client.feed(roomId)
    if (after.length === feed.length) return { roomId, openingThreadId, ownerId, founded, feed, timelines, receipts }
  }
}
