/** The inbox: the entries of a Room that concern an agent, and the news of a person's Rooms. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import type { Labels } from "../../ledger/lists/labelled.ts"
import { concerns, type Concerning, concerning } from "./concerns.ts"
import { news } from "./news.ts"
import { setImmediate as turn } from "node:timers/promises"
import type { ActivityEntry, InboxEntry } from "../../contract/answers/index.ts"
import { extendJson, JsonText, stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { Activity, Watch } from "../../ledger/journal/activity.ts"
import { feedOf, mustNotBeAhead, pageSize } from "../../ledger/lists/paging.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import { activityLines } from "../../rooms/activity.ts"
import { quotingWhole } from "../../ledger/journal/actor.ts"

// The read of an agent's inbox: entries by others in its Room that concern it.

/** Entries read at a time, each up to a megabyte. Other requests get a turn in between. */
const STEP = 10

interface Sources {
  readonly activity: Activity
  readonly watch: Watch
  readonly concerns: ReturnType<typeof concerns>
  readonly snapshot: <T>(work: () => T) => T
  readonly summary: (roomId: string, entry: ActivityEntry, content: string) => string
}

export function inboxReads({ activity, watch, concerns, snapshot, summary }: Sources) {
  const shown = (roomId: string, { sequence, entry, row, concerns, naming }: Concerning) => {
    const sentence = summary(roomId, entry, row.content)
    const whole = naming === null ? sentence : quotingWhole(sentence, naming)
    return {
      sequence,
      item: new JsonText<InboxEntry>(stored(extendJson(row.body, { summary: whole, concerns: [...concerns] }))),
    }
  }

  return {
    async inbox({ actor: { userId, username, agent = "", grant }, query, signal }) {
      const { roomId } = grant
      mustNotBeAhead(query.after, activity.watermark(roomId))
      const until = performance.now() + (query.wait ?? 0) * 1000
      const found: ReturnType<typeof shown>[] = []
      let after = query.after ?? 0
      let isEnd = false
      for (const last = after + limits.inboxSight; found.length <= pageSize(query) && after < last; ) {
        const rows = snapshot(() => {
          const next = activity.fullAfter(roomId, after, undefined, STEP)
          found.push(...concerns(roomId, next, { userId, username, name: agent }).map((each) => shown(roomId, each)))
          return next
        })
        after = rows.at(-1)?.sequence ?? after
        isEnd = rows.length < STEP
        if (!isEnd) await turn()
        else if (found.length > 0 || !(await watch.next(roomId, until, signal))) break
      }
      const page = feedOf(found, query, ({ item }) => item, after)
      const whole = { ...page, hasMore: page.hasMore || !isEnd }
      return query.format === "lines" ? activityLines(whole) : whole
    },
  } satisfies Partial<Readers>
}

/** The entries that concern a person, and the news of their Rooms. */
export const newsOf = (sources: Parameters<typeof concerning>[0] & Parameters<typeof news>[0]) => ({
  concerning: concerning(sources),
  news: news(sources),
})

export const domain = {
  tables: [({ db, labelled }: Ground & { labelled: Labels }) => ({ concerns: concerns(db, labelled) })],
  reads: [inboxReads],
} satisfies Domain
