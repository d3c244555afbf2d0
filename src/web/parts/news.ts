/** Renders what is new in Rooms as sentences: on the first page, and on the page of a Room's activity. */
import { activityPage } from "../../contract/objects/objects.ts"
import { shortened } from "../../contract/text.ts"
import type { ActivityEntry } from "../../contract/answers/index.ts"
import type { NewsItem, ToldEntry } from "../../research/inbox/news.ts"
import { type Html, html, to } from "../html.ts"
import { plainText } from "../markdown.ts"
import { orNull, type Visit } from "../visit.ts"
import { counted } from "../words.ts"
import { heading, person, time } from "./parts.ts"
import { markRead, newMark, type Unread, unreadOf } from "./seen.ts"

/** The maximum number of Rooms on the first page, sentences for each, and characters of a sentence. */
const ROOMS = 8
const SENTENCES = 6
const TOLD = 200
/** The maximum number of entries listed of a group that one sentence describes. */
const TOGETHER = 20

const sentence = (roomId: string, { text, entry }: Pick<ToldEntry, "text" | "entry">): Html =>
  html`<a class="told" href="${to(activityPage(roomId, entry))}" dir="auto">${shortened(plainText(text), TOLD)}</a>`

/** Sentences about stale conclusions, by the record that made them stale. */
export function fallenBy(visit: Visit, roomId: string, items: readonly NewsItem[]): ReadonlyMap<string, Html> {
  const isNeeded = items.some(({ entries }) => entries.some(({ bearsOn }) => bearsOn !== null))
  const context = isNeeded
    ? orNull(() => visit.ask("room_context", { roomId }, { parts: "threads,conclusions" }))
    : null
  const titles = new Map(context?.threads.map(({ threadId, title }) => [threadId, title]))
  return new Map(
    context?.conclusions.flatMap(({ stale, staleReasons, checkpointId, threadId }) => {
      const sentence = html` The <a href="${to(`/checkpoints/${checkpointId}`)}">conclusion</a> of “<span dir="auto">\
${titles.get(threadId) ?? "its Thread"}</span>” is stale.`
      return staleReasons.flatMap(({ versionId }) =>
        stale && versionId !== undefined ? [[versionId, sentence] as const] : [],
      )
    }),
  )
}

/** Renders an item: who did what, and when. The entries of a group can be unfolded. */
export function newsItem(
  roomId: string,
  item: NewsItem,
  fallen: ReadonlyMap<string, Html>,
  after: (entry: ActivityEntry) => Html | null = () => null,
): Html {
  const { actor, text, entries } = item
  const last = entries.at(-1)
  if (last === undefined) return html``
  const together = entries.slice(-TOGETHER)
  return html`${person(actor)} ${sentence(roomId, { text, entry: last.entry })}\
${entries.map(({ bearsOn }) => fallen.get(bearsOn ?? ""))} <span class="meta">${time(last.entry.at)}</span>${
    entries.length === 1
      ? after(last.entry)
      : html`<details class="run"><summary>${counted(entries.length, "entry", "entries")}</summary>\
<ul>${together.map(
          (each) =>
            html`<li>${sentence(roomId, each)} <span class="meta">${time(each.entry.at)}</span>\
${after(each.entry)}</li>`,
        )}</ul></details>`
  }`
}

/** Whether an entry is told elsewhere on the page. */
type IsToldAbove = (roomId: string, entry: ActivityEntry) => boolean

function roomNews(
  visit: Visit,
  { roomId, after, watermark, total, isNew }: Unread,
  isToldAbove: IsToldAbove,
): Html | null {
  const room = orNull(() => visit.ask("room", { roomId }))
  if (room === null) return null
  const isOwn = ({ userId, agent }: ActivityEntry["actor"]) => userId === visit.person?.userId && agent == null
  const isShown = (entry: ActivityEntry) =>
    isNew(entry.target.kind, entry.sequence) && !isOwn(entry.actor) && !isToldAbove(roomId, entry)
  const items = visit.edge.instance.news.told(roomId, after, watermark, isShown)
  const shown = items.slice(0, SENTENCES)
  const fallen = fallenBy(visit, roomId, shown)
  const activity = to(`/rooms/${roomId}/activity`)
  return html`<li><h3><a href="${to(`/rooms/${roomId}`)}" dir="auto">${room.title}</a> ${newMark(total)}</h3>
<ul class="uses">${shown.map((item) => html`<li>${newsItem(roomId, item, fallen)}</li>`)}</ul>
<p class="meta"><span>${
    shown.length === 0
      ? "What is new is listed above."
      : items.length > shown.length
        ? html`<a href="${activity}">More in the activity</a>`
        : html`<a href="${activity}">The activity</a>`
  }</span></p></li>`
}

/** The block on the first page with what is new in each Room since the reader's last visit. */
export function newsBlock(visit: Visit, isToldAbove: IsToldAbove): Html | null {
  const unread = unreadOf(visit).filter(({ total }) => total > 0)
  const rooms = unread.slice(0, ROOMS).map((each) => roomNews(visit, each, isToldAbove))
  if (rooms.length === 0) return null
  return html`<section aria-labelledby="news">\
${heading(2, "news", "Since you were here", markRead(unread, "/", "Mark all as read"))}
<ul class="cards news">${rooms}</ul>\
${
  unread.length > ROOMS
    ? html`<p class="meta">${counted(unread.length - ROOMS, "more Room")} with something new.</p>`
    : null
}</section>`
}
