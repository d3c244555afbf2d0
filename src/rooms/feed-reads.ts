/** The activity of a Room, in pages and as an event stream. */
import type { ActivityEntry } from "../contract/answers/index.ts"
import { extendJson, JsonText, parse, stored } from "../contract/json.ts"
import { activityKindsOf } from "../contract/reads/kinds.ts"
import type { Activity, FullRow } from "../ledger/journal/activity.ts"
import { feedOf, mustNotBeAhead, type Page, pageSize } from "../ledger/lists/paging.ts"
import type { Readers } from "../ledger/reads/reading.ts"
import type { Watch } from "../ledger/write/feed-waiters.ts"
import { activityLines, type Summary } from "./activity-sentence.ts"
import { eventStream } from "./room-events.ts"
import type { Rooms } from "./rooms.ts"

interface FeedSources {
  readonly rooms: Rooms
  readonly activity: Activity
  readonly watch: Watch
  /** Runs several reads in one transaction. A feed that waited needs its own, as that of its request has ended. */
  readonly snapshot: <T>(work: () => T) => T
  readonly summary: Summary
}

export function feedReads({ rooms, activity, watch, summary, snapshot }: FeedSources) {
  return {
    room_activity({ actor, params, query, signal }) {
      const roomId = params.roomId
      rooms.mustExist(roomId)
      const after = query.after ?? 0
      const kinds = query.kinds && activityKindsOf(query.kinds)
      const without =
        query.exclude === undefined || actor === null
          ? undefined
          : { userId: actor.userId, credentialId: actor.grant?.credentialId ?? null }
      const inLines = query.format === "lines"
      const include = inLines ? ["summary"] : query.include
      const withIncluded = ({ body, content, sequence }: FullRow, included: readonly string[]) => ({
        sequence,
        body: stored<ActivityEntry>(
          extendJson(body, {
            ...(included.includes("summary") ? { summary: summary(roomId, parse(body), content) } : {}),
            ...(included.includes("content") ? { content: new JsonText(stored(content)) } : {}),
          }),
        ),
      })
      // In one snapshot: an entry accepted between the two reads would be skipped.
      const readPage = () =>
        snapshot(() => ({
          rows: include
            ? activity
                .fullAfter(roomId, after, kinds, pageSize(query) + 1, without)
                .map((row) => withIncluded(row, include))
            : activity.after(roomId, after, kinds, pageSize(query) + 1, without),
          watermark: activity.watermark(roomId),
        }))
      mustNotBeAhead(after, activity.watermark(roomId))
      const page = ({ rows, watermark }: ReturnType<typeof readPage>) =>
        feedOf(rows, query, ({ body }) => new JsonText(body), watermark)
      /** Waits until a new entry matches the query. */
      async function waited(until: number): Promise<Page<ActivityEntry>> {
        let current = readPage()
        while (current.rows.length === 0 && (await watch.next(roomId, until, signal))) current = readPage()
        return page(current)
      }
      const found = query.wait ? waited(performance.now() + query.wait * 1000) : page(readPage())
      if (!inLines) return found
      return found instanceof Promise ? found.then(activityLines) : activityLines(found)
    },

    room_events({ params: { roomId }, query, baseUrl = "", signal }) {
      rooms.mustExist(roomId)
      const isHere = (id: string) => rooms.openingThread(id) !== undefined
      const watermark = activity.watermark(roomId)
      const after = query.after ?? watermark
      mustNotBeAhead(after, watermark)
      return { name: null, bytes: eventStream({ activity, watch, snapshot, isHere }, roomId, after, baseUrl, signal) }
    },
  } satisfies Partial<Readers>
}
