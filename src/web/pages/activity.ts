/**
 * The activity of a Room: a bar for each day, and its entries as news, newest first, or as a table with the digest of
 * each, to verify it.
 */
import { scaleLinear } from "d3-scale"
import { limits } from "../../contract/limits.ts"
import { activityPage as activityAddress } from "../../contract/objects/objects.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { entryPath, pathOf, readPath, withQuery, type Html, html, to } from "../html.ts"
import { doneBy } from "../../contract/operations/receipts.ts"
import { doneTo } from "../parts/timeline.ts"
import { feedLinks } from "../about.ts"
import { entryMenu } from "../parts/actions.ts"
import { happened, narrowedBy, narrowing } from "../parts/news.ts"
import { digest, empty, person, table, time } from "../parts/parts.ts"
import type { Room } from "../parts/room-frame.ts"
import { unreadIn } from "../parts/seen.ts"
import type { Shown, Visit } from "../visit.ts"
import { counted, dateOf } from "../words.ts"
import { roomOf, sectionPage } from "./room-lists.ts"

const DAY = 86_400_000
const [WIDTH, HEIGHT, BOTTOM] = [420, 110, 18]
const day = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10)

/** Counts moments per day, including days without any, for the last 60 days at most. */
function daysOf(moments: readonly string[]): { day: string; count: number }[] {
  const perDay = Map.groupBy(moments, (at) => at.slice(0, 10))
  const known = [...perDay.keys()].sort()
  const [first, last] = [known[0], known.at(-1)]
  if (first === undefined || last === undefined) return []
  const days: { day: string; count: number }[] = []
  const start = Math.max(Date.parse(first), Date.parse(last) - 59 * DAY)
  for (let at = start; at <= Date.parse(last); at += DAY)
    days.push({ day: day(at), count: perDay.get(day(at))?.length ?? 0 })
  return days
}

/**
 * The bars of a Room's days; null for a Room of one day, whose list says the same.
 * @param moments the times of the newest writes @param all the number of all writes
 */
export function activityChart(moments: readonly string[], all: number): Html | null {
  const days = daysOf(moments)
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined || first === last) return null
  const most = Math.max(...days.map(({ count }) => count))
  const y = scaleLinear([0, most], [HEIGHT - BOTTOM, 12])
  const step = Math.min(28, WIDTH / days.length)
  const total = days.reduce((sum, { count }) => sum + count, 0)
  const entries = counted(total, "entry", "entries")
  const which = total < all ? `The newest ${entries},` : entries
  const caption = `${which} from ${dateOf(first.day)} to ${dateOf(last.day)}; at most ${most} in a day.`
  const width = days.length * step
  return html`<figure><svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" \
role="img" aria-label="${caption}">
<path class="axis" d="M0 ${HEIGHT - BOTTOM}H${width.toFixed(0)}"/>
${days.map(({ day: on, count }, index) =>
  count === 0
    ? null
    : html`<rect class="bar" x="${(index * step + 1).toFixed(1)}" y="${y(count).toFixed(1)}" \
width="${(step - 2).toFixed(1)}" height="${(HEIGHT - BOTTOM - y(count)).toFixed(1)}">\
<title>${dateOf(on)}: ${count}</title></rect>`,
)}
<text x="0" y="${HEIGHT - 4}">${dateOf(first.day)}</text>${
    width < 150
      ? null
      : html`<text x="${width.toFixed(0)}" y="${HEIGHT - 4}" text-anchor="end">${dateOf(last.day)}</text>`
  }</svg>
<figcaption class="meta">${caption}</figcaption></figure>`
}

type Entry = AnswerOf<"room_activity">["items"][number]

function recent(visit: Visit, roomId: string, watermark: number): Entry[] {
  const found: Entry[] = []
  for (let after = Math.max(0, watermark - 200); after < watermark; ) {
    const page = visit.ask("room_activity", { roomId }, { after })
    found.push(...page.items)
    if (!page.hasMore || page.items.length === 0) break
    after = Number(page.nextCursor)
  }
  return found
}

function entryRow(visit: Visit, room: Room, entry: Entry): Html {
  const { sequence, operation, target, at, threadId, entryId, digest: chained } = entry
  // An entry of a mirror contains the person's name on the origin. The page shows the name used here.
  const { tables, ledger } = visit.edge.instance
  const { username } = tables.people.withId(ledger.activity.localActor(room.roomId, entry)) ?? entry.actor
  const path = pathOf(target.kind, target.id)
  return html`<tr id="activity-${sequence}" data-entry><td class="number">${sequence}</td><td>${time(at)}</td>\
<td>${person({ ...entry.actor, username })}</td>
    <td>${doneTo(doneBy(operation), target, path)}\
${
  threadId === null || entryId === null
    ? null
    : html` <a class="meta" href="${to(entryPath(threadId, entryId))}">in its Thread</a>`
}</td>
    <td>${digest(chained)}</td></tr>`
}

const readBefore = html`<li class="read-before">You have read everything below</li>`

/** How many entries are searched for those that a page asks for. */
const SEARCHED = 500

/** Renders the entries as news, with a mark above those that the reader has read. */
function asNews(visit: Visit, room: Room, { after, through }: { after: number; through: number }): Html {
  const { roomId } = room
  const { news, ledger } = visit.edge.instance
  const isAsked = narrowedBy(visit)
  const items = news.between(roomId, after, through, isAsked).map((item) => ({ ...item, roomId }))
  if (items.length === 0)
    return empty(
      ledger.activity.watermark(roomId) === 0
        ? "There is no activity yet."
        : `No such entry among entries ${after + 1} to ${through}.`,
    )
  const unread = unreadIn(visit, roomId)
  const firstRead =
    isAsked !== undefined || unread === undefined || unread.total === 0
      ? undefined
      : items.find(({ entries }) => (entries[0]?.entry.sequence ?? 0) <= unread.after)
  const menu = entryMenu(visit, room)
  return happened(visit, items, 2, {
    before: (item) => (item === firstRead && item !== items[0] ? readBefore : null),
    after: (entry) => {
      const { sequence } = entry
      const before = { after: sequence - 1 }
      return menu({ sequence }, `entry ${sequence}`, () => ({
        page: activityAddress(roomId, entry),
        json: readPath("room_activity", { roomId }, { ...before, limit: 1 }),
        verify: `${withQuery(`/rooms/${roomId}/activity`, { ...before, verify: 1 })}#activity-${sequence}`,
      }))
    },
  })
}

export function activityPage(visit: Visit): Shown {
  const room = roomOf(visit)
  const { roomId, activityWatermark: watermark } = room
  const cursor = visit.parameter("after")
  const isVerified = visit.url.searchParams.has("verify")
  const shown = !isVerified && narrowedBy(visit) !== undefined ? SEARCHED : limits.pageItems
  const after = cursor !== undefined && /^[0-9]{1,12}$/.test(cursor) ? Number(cursor) : Math.max(0, watermark - shown)
  const path = `/rooms/${roomId}/activity`
  const entries = isVerified ? visit.ask("room_activity", { roomId }, { after }).items : []
  const newest = recent(visit, roomId, watermark)
  const feed = `${visit.edge.baseUrl}/rooms/${roomId}/feed.atom`
  return {
    ...sectionPage(visit, room, {
      path: "/activity",
      name: "Activity",
      json: readPath("room_activity", { roomId }),
      list: html`${activityChart(
        newest.map(({ at }) => at),
        watermark,
      )}
<p class="meta"><span>${counted(watermark, "entry", "entries")}</span>${
        isVerified
          ? html`<span>each chained to the one before by its digest: if you keep a digest, nobody can rewrite an \
earlier entry unnoticed</span><span><a href="${to(withQuery(path, { after: cursor }))}">As news</a></span>`
          : html`<span><a href="${to(withQuery(path, { after: cursor, verify: 1 }))}">Verify</a></span>`
      }<span>Feed: <a href="${to(`/rooms/${roomId}/feed.atom`)}">${feed}</a> \
<a href="${to(`/rooms/${roomId}/feed.json`)}">JSON Feed</a></span></p>
${
  isVerified
    ? table(
        "Activity, newest first",
        ["", "When", "Who", "What", "Digest"],
        [...entries].reverse().map((entry) => entryRow(visit, room, entry)),
      )
    : html`${narrowing(visit, newest)}${asNews(visit, room, { after, through: Math.min(watermark, after + shown) })}`
}`,
      next: after > 0 ? Math.max(0, after - shown) : null,
    }),
    feeds: feedLinks(`/rooms/${roomId}`, room.title),
  }
}
