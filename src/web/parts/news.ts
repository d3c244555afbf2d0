/**
 * Renders what happened in Rooms as one list: by day, narrowed by kind, person and agent, with labels as links. The
 * first page shows what is new to a reader, and a Room's activity everything.
 */
import { afterName } from "../../contract/definitions/sentence.ts"
import { labelsIn, LABEL, activityPage } from "../../contract/objects/objects.ts"
import { shortened } from "../../contract/text.ts"
import type { ActivityEntry } from "../../contract/reads/activity.ts"
import type { NewsItem, DescribedEntry } from "../../research/inbox/news.ts"
import { withQuery, attributes, type Content, type Html, html, to } from "../html.ts"
import { plainText } from "../markdown.ts"
import { orNull, type Visit } from "../visit.ts"
import { counted, dayName, title } from "../words.ts"
import { heading, label, person, time } from "./parts.ts"
import { markRead, newMark, sectionOf, type Unread, unreadOf } from "./seen.ts"

/** The maximum number of Rooms on the first page, sentences on it, and characters of a sentence. */
const ROOMS = 8
const SENTENCES = 24
const TOLD = 200
/** The maximum number of entries listed of a group that one sentence describes. */
const TOGETHER = 20

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

/** An item of a list that may tell of several Rooms. */
export interface Happened extends NewsItem {
  readonly roomId: string
}

type TextOf = (entry: Pick<DescribedEntry, "text">) => Html

/** Renders the sentences of a Room's items, in which the labels of its objects are links. */
function sentencesOf(visit: Visit, roomId: string, items: readonly NewsItem[]): TextOf {
  const plain = ({ text }: Pick<DescribedEntry, "text">) => shortened(plainText(text), TOLD)
  const names = labelsIn(items.flatMap((item) => [item, ...item.entries.slice(-TOGETHER)].map(plain)))
  const known = new Map(visit.tables.labelled(roomId, names).map((found) => [found.label, found]))
  return (entry) => {
    const text = plain(entry)
    const parts: Content[] = []
    let last = 0
    for (const { 0: name, index } of text.matchAll(LABEL)) {
      const found = known.get(name)
      if (found === undefined) continue
      parts.push(text.slice(last, index), label(found.kind, found.id, name))
      last = index + name.length
    }
    return html`<span class="told" dir="auto">${parts}${text.slice(last)}</span>`
  }
}

/** What a page adds to the lines of a list. */
interface Beside {
  /** After an entry, such as what its owner may do with it. */
  readonly after?: (entry: ActivityEntry) => Html | null
  /** Before an item. */
  readonly before?: (item: Happened) => Html | null
}

/** When an entry was accepted, as a link to its place in the activity. */
const when = (roomId: string, entry: ActivityEntry): Html =>
  html`<a class="meta" href="${to(activityPage(roomId, entry))}">${time(entry.at)}</a>`

/** Renders an item: who did what, and when. The entries of a group can be unfolded. */
function line(item: Happened, say: TextOf, fallen: ReadonlyMap<string, Html>, room: Content, beside: Beside): Html {
  const { roomId, actor, entries } = item
  const last = entries.at(-1)
  if (last === undefined) return html``
  return html`${beside.before?.(item)}<li id="activity-${last.entry.sequence}" data-entry>\
${person(actor)}${afterName(item.text)} ${say(item)}${entries.map(({ bearsOn }) => fallen.get(bearsOn ?? ""))} \
${room}${when(roomId, last.entry)}${
  entries.length === 1
    ? beside.after?.(last.entry)
    : html`<details class="run"><summary>${counted(entries.length, "entry", "entries")}</summary>\
<ul>${entries
        .slice(-TOGETHER)
        .map((each) => html`<li>${say(each)} ${when(roomId, each.entry)}${beside.after?.(each.entry)}</li>`)}\
</ul></details>`
}</li>`
}

/**
 * Renders items, newest first, under the names of their days, which are headings of a level. @param titles of the
 * Rooms, if there are several
 */
export function happened(
  visit: Visit,
  items: readonly Happened[],
  level: 2 | 3,
  beside: Beside = {},
  titles: ReadonlyMap<string, string> = new Map(),
): Html {
  const now = visit.edge.instance.world.now()
  const rooms = Map.groupBy(items, ({ roomId }) => roomId)
  const saying = new Map(
    [...rooms].map(([roomId, own]) => [
      roomId,
      { say: sentencesOf(visit, roomId, own), fallen: fallenBy(visit, roomId, own) },
    ]),
  )
  const room = (roomId: string) =>
    titles.size > 1 &&
    html`<span class="meta">in <a href="${to(`/rooms/${roomId}`)}" dir="auto">\
${shortened(titles.get(roomId) ?? "a Room", 60)}</a> </span>`
  const days = Map.groupBy(items, ({ entries }) => dayName(entries.at(-1)?.entry.at ?? "", now))
  return html`<div class="happened">${[...days].map(
    ([day, own]) =>
      html`${level === 2 ? html`<h2 class="day">${day}</h2>` : html`<h3 class="day">${day}</h3>`}\
<ul class="uses news">${own.map((item) => {
        const { say, fallen } = saying.get(item.roomId) ?? { say: () => html``, fallen: new Map<string, Html>() }
        return line(item, say, fallen, room(item.roomId), beside)
      })}</ul>`,
  )}</div>`
}

/** The parameters of a page that narrow its list. */
const NARROWING = ["kind", "by", "agent"] as const
type Narrowing = (typeof NARROWING)[number]

const partOf = ({ target }: ActivityEntry): string => (sectionOf.get(target.kind) ?? "/others").slice(1)
const values: { readonly [N in Narrowing]: (entry: ActivityEntry) => string | null } = {
  kind: partOf,
  by: ({ actor }) => actor.username,
  agent: ({ actor }) => actor.agent ?? null,
}

/** Returns whether the page asks for an entry; undefined if it asks for all. */
export function narrowedBy({ parameter }: Visit): ((entry: ActivityEntry) => boolean) | undefined {
  const asked = NARROWING.flatMap((name) => {
    const value = parameter(name)
    return value === undefined ? [] : [(entry: ActivityEntry) => values[name](entry) === value]
  })
  return asked.length === 0 ? undefined : (entry) => asked.every((is) => is(entry))
}

const captions: { readonly [N in Narrowing]: string } = { kind: "What", by: "Who", agent: "Agent" }

/** Links that narrow a list by what occurs in some of its entries. They act at once. */
export function narrowing({ url, parameter }: Visit, entries: readonly ActivityEntry[]): Html | null {
  const query = Object.fromEntries(NARROWING.map((name) => [name, parameter(name)]))
  const group = (name: Narrowing): Html | null => {
    const chosen = parameter(name)
    const found = new Set(entries.flatMap((entry) => values[name](entry) ?? []))
    if (chosen !== undefined) found.add(chosen)
    if (found.size < 2 && chosen === undefined) return null
    const chip = (value: string | undefined, text: string) =>
      html`<li><a href="${to(withQuery(url.pathname, { ...query, [name]: value }))}"${attributes({
        "aria-current": value === chosen ? "true" : null,
      })}>${text}</a></li>`
    const own = [...found].sort().map((value) => chip(value, name === "kind" ? title(value) : value))
    return html`<ul class="chips" aria-label="${captions[name]}">${chip(undefined, "All")}${own}</ul>`
  }
  const groups = NARROWING.map(group).filter((each) => each !== null)
  return groups.length === 0 ? null : html`<nav class="narrowing" aria-label="Show only">${groups}</nav>`
}

/** Whether an entry is told elsewhere on the page. */
type IsShownAbove = (roomId: string, entry: ActivityEntry) => boolean

/** The block on the first page with what is new in the reader's Rooms since their last visit, as one list. */
export function newsBlock(visit: Visit, isShownAbove: IsShownAbove): Html | null {
  const { news, tables } = visit.edge.instance
  const unread = unreadOf(visit).filter(({ total }) => total > 0)
  if (unread.length === 0) return null
  const shown = unread.slice(0, ROOMS)
  const titles = tables.rooms.titles(shown.map(({ roomId }) => roomId))
  const isOwn = ({ userId, agent }: ActivityEntry["actor"]) => userId === visit.person?.userId && agent == null
  const isAsked = narrowedBy(visit) ?? (() => true)
  const all: ActivityEntry[] = []
  const newsOf = ({ roomId, after, watermark, isNew }: Unread): Happened[] => {
    const isShown = (entry: ActivityEntry) => {
      if (!isNew(entry.target.kind, entry.sequence) || isOwn(entry.actor) || isShownAbove(roomId, entry)) return false
      all.push(entry)
      return isAsked(entry)
    }
    return news.between(roomId, after, watermark, isShown).map((item) => ({ ...item, roomId }))
  }
  const at = ({ entries }: Happened) => entries.at(-1)?.entry.at ?? ""
  const items = shown.flatMap(newsOf).sort((one, other) => (at(one) < at(other) ? 1 : -1))
  const rooms = shown.map(
    ({ roomId, total }) =>
      html`<span><a href="${to(`/rooms/${roomId}/activity`)}" dir="auto">${titles.get(roomId)}</a> \
${newMark(total)}</span>`,
  )
  return html`<section aria-labelledby="news">\
${heading(2, "news", "Since you were here", markRead(unread, "/", "Mark all as read"))}
<p class="meta">${rooms}${
    unread.length > ROOMS && html`<span>${counted(unread.length - ROOMS, "more Room")} with something new</span>`
  }</p>${narrowing(visit, all)}\
${
  items.length === 0
    ? html`<p class="quiet">What is new is listed above.</p>`
    : happened(visit, items.slice(0, SENTENCES), 3, {}, titles)
}${items.length > SENTENCES && html`<p class="meta">Older entries are in each Room's activity.</p>`}</section>`
}
