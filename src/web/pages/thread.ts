/** The page of a Thread: its timeline, and forms to write in it. */
import { feedLinks } from "../about.ts"
import { present } from "../../contract/typed.ts"
import { parsed } from "../../contract/json.ts"
import { randomUUID } from "node:crypto"
import { getCookie } from "h3"
import type { Entry } from "../../contract/nouns/threads.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { cookieOf } from "../../edge/identity/sign-in.ts"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals.ts"
import { entryPath, readPath, withQuery, type Html, html, to } from "../html.ts"
import { act, entryMenu, forMembers, roleIn, whyNot } from "../parts/actions.ts"
import { whyStale } from "../parts/judging.ts"
import { entryItem, type EntryView, gist, timelineItems } from "../parts/timeline.ts"
import { numbersOf } from "../parts/numbers.ts"
import { stateBadge } from "../parts/marks.ts"
import { empty, person, time, ways } from "../parts/parts.ts"
import { roomBanners, roomRail } from "../parts/room-frame.ts"
import type { Fitting, Shown, Visit } from "../visit.ts"
import { counted } from "../words.ts"

/** A Thread with at most this many entries is shown whole. */
const WHOLE = 200

/** Reads the entries after a sequence. @param pages maximum number of pages to read */
function entriesAfter(visit: Visit, threadId: string, after: number, pages: number): Entry[] {
  const found: Entry[] = []
  for (let page = 0, cursor = after; page < pages; page += 1) {
    const { items, hasMore, nextCursor } = visit.ask("thread_timeline", { threadId }, { after: cursor })
    found.push(...items)
    if (!hasMore) break
    cursor = Number(nextCursor)
  }
  return found
}

/** Entries already read that are shown above the first new one. */
const BEFORE_NEW = 2
/** If the visitor has seen at most this many entries, the page starts as for a new visitor. */
const FEW = 10

function numberIn({ parameter }: Visit, name: string): number | undefined {
  const text = parameter(name)
  return text && /^[0-9]{1,12}$/.test(text) ? Number(text) : undefined
}

/**
 * Returns the sequence after which the page starts: the one in the address, or shortly before a permalink's entry or
 * new entries.
 */
function start(visit: Visit, threadId: string, watermark: number): number {
  const [after, seen] = [numberIn(visit, "after"), numberIn(visit, "seen")]
  if (after !== undefined) return after
  const entry = visit.parameter("entry")
  if (entry !== undefined) {
    const found = visit.edge.instance.ledger.timeline.find(entry.toLowerCase())
    if (found === undefined || found.threadId !== threadId)
      throw new Refusal("room_unavailable", "There is no such entry in this Thread.")
    const { sequence } = parsed(found.entry)
    return watermark <= WHOLE ? 0 : Math.max(0, sequence - 6)
  }
  if (seen !== undefined && seen > FEW && seen < watermark) return seen - BEFORE_NEW
  return watermark <= WHOLE ? 0 : watermark - limits.pageItems
}

/** The form to write in a Thread. For a reply, the script puts a copy below the entry. */
function messageForm(threadId: string, isReply = false): Html {
  const id = isReply ? "reply" : "thread"
  return html`<form class="stack${isReply ? " reply" : ""}" method="post" action="${to("/web/post_message")}" \
data-draft="message-${threadId}-${id}">
<input type="hidden" name="threadId" value="${threadId}">\
<input type="hidden" name="/clientMessageId" value="${randomUUID()}">\
${isReply ? html`<input type="hidden" name="/replyToEntryId">` : null}
<div class="field"><label for="text-${id}">${isReply ? "Your reply" : "Write in this Thread"}</label>\
<textarea id="text-${id}" name="/text" dir="auto" required maxlength="${limits.message}" aria-describedby="hint-text">\
</textarea>${
    isReply ? null : html`<p class="hint" id="hint-text">Markdown, with TeX math between dollar signs: $n_w$.</p>`
  }</div>
<div class="buttons"><button>Post</button><button class="quiet" name="_preview" value="1">Preview</button>\
${isReply ? null : html`<a href="${to(withQuery("/do/post_message", { threadId }))}">With a picture</a>`}\
${isReply ? html`<button class="plain" type="button" data-leave>Cancel</button>` : null}</div></form>`
}

const newFrom = html`<li class="new-from" id="new-from">New since you were here</li>`

/** A link to the form of a reply. The script opens the form below the entry instead. */
/** The form that the reply buttons of all entries send: one form makes a long page lighter than a link at each. */
const replying = (threadId: string): Html =>
  html`<form id="replying" action="${to("/do/post_message")}" hidden>\
<input type="hidden" name="threadId" value="${threadId}"></form>`

const replyButton = ({ entryId }: Entry): Html =>
  html`<button form="replying" name="replyToEntryId" value="${entryId}" data-reply>Reply</button>`

const followUp = (roomId: string, { entryId }: Entry): Html =>
  html` <a href="${to(withQuery("/do/create_thread", { roomId, replyToEntryId: entryId }))}">Follow up in a new \
Thread</a>`

/** The cookie that remembers "Messages only" in this browser, and how long it is kept, in seconds. */
const COOKIE = "research_room_messages"
const KEPT = 365 * 24 * 3_600

/** Whether the reader sees messages alone: as the address says, else as they last chose. */
function messagesAlone({ parameter, event }: Visit): boolean {
  const shown = parameter("show")
  if (shown !== undefined) return shown === "messages"
  return getCookie(event, COOKIE) === "1"
}

/** Remembers what the reader chose by the link. */
const remembered = ({ edge, parameter }: Visit): Readonly<Record<string, string>> => {
  const shown = parameter("show")
  return shown === undefined
    ? {}
    : cookieOf(edge, COOKIE, shown === "messages" ? "1" : "", shown === "messages" ? KEPT : 0)
}

function timeline(visit: Visit, entries: readonly Entry[], items: readonly Html[]): Html {
  if (entries.length === 0) return empty("There are no entries yet.")
  const messages = entries.filter(({ message }) => message !== undefined).length
  const alone = messagesAlone(visit)
  const toggled = new URL(visit.url)
  toggled.searchParams.set("show", alone ? "all" : "messages")
  return html`<p class="meta folding">${
    messages < entries.length &&
    html`<a id="messages-only" href="${to(`${toggled.pathname}${toggled.search}`)}">\
${alone ? `Show all ${counted(entries.length, "entry", "entries")}` : `Messages only (${messages})`}</a>`
  }</p>
${items.length === 0 ? empty("There are no messages here.") : null}<ol class="timeline" id="timeline" data-append \
aria-label="Timeline">${items}</ol>`
}

/** What a checkpoint says in a sentence or two: its conclusion, or its answer so far; null if it has neither. */
function gistOf({ conclusion, answer }: { readonly conclusion: string | null; readonly answer: string | null }) {
  const text = conclusion ?? answer
  return text && html`<p>${text}</p>`
}

function head({ thread, room, checkpoint }: AnswerOf<"thread_research_context">, follows: Entry | null): Html {
  return html`<h1 dir="auto">${thread.title}</h1>
<p class="meta"><span>${thread.opening ? "opening Thread of" : "Thread in"} <a href="${to(`/rooms/${room.roomId}`)}" \
dir="auto">${room.title}</a></span><span>started by ${person(thread.author)} ${time(thread.createdAt)}</span>\
<span id="live-entries" data-live>${counted(thread.timelineWatermark, "entry", "entries")}</span></p>
${
  follows === null
    ? null
    : html`<p class="in-reply">Follows up \
<a href="${to(`/threads/${follows.threadId}?entry=${follows.entryId}#entry-${follows.entryId}`)}">\
${follows.author.username}: ${gist(follows)}</a></p>`
}
${roomBanners(room)}
${
  checkpoint &&
  html`<div class="banner ${checkpoint.state === "concluded" ? (checkpoint.stale ? "warn" : "good") : "active"}" \
role="note" aria-label="Checkpoint">\
${stateBadge(
  checkpoint.state,
  checkpoint.state === "concluded"
    ? checkpoint.stale
      ? "Concluded, but stale"
      : "Concluded"
    : "Open, with a checkpoint",
)}${gistOf(checkpoint)}${whyStale(checkpoint.staleReasons)}<p class="meta">\
<a href="${to(`/checkpoints/${checkpoint.checkpointId}`)}">Read the checkpoint</a></p>
  </div>`
}`
}

export function threadPage(visit: Visit): Fitting {
  const threadId = visit.id("threadId")
  const parts = "thread,room,checkpoint,findingLinks"
  const context = visit.ask("thread_research_context", { threadId }, { parts })
  const { thread, timelineWatermark: watermark } = context
  // Few Threads follow an entry, and this read has the newest entries too.
  const follows = thread.followsEntryId === null ? null : visit.ask("thread_context", { threadId }).follows
  const room = visit.room(thread.roomId)
  const after = start(visit, threadId, watermark)
  const entries = entriesAfter(visit, threadId, after, watermark <= WHOLE ? WHOLE / limits.pageItems : 1)
  const beginning = after === 0 ? entries : visit.ask("thread_timeline", { threadId }, { after: 0, limit: 3 }).items
  const opening = beginning.find(({ receipt }) => receipt === undefined)
  const role = roleIn(visit, room)
  const writes = (role === "member" || role === "owner") && room.state === "active"
  const menu = entryMenu(visit, room)
  const chosenId = visit.parameter("entry")?.toLowerCase()
  const menuOf = ({ entryId, sequence }: Entry): Html | null =>
    menu({ entryId }, `entry ${sequence}`, () => ({
      json: readPath("thread_timeline", { threadId }, { after: sequence - 1, limit: 1 }),
      isOpen: entryId === chosenId && visit.parameter("more") !== undefined,
    }))
  const at = { roomId: room.roomId, threadId }
  const view: EntryView = {
    known: new Map(entries.map((entry) => [entry.entryId, entry])),
    chosen: chosenId,
    labels: new Map(
      context.findingLinks.flatMap(({ towardHypothesis }) =>
        towardHypothesis.map(({ versionId, label }) => [versionId, label] as const),
      ),
    ),
    numbers: (text, since) => numbersOf(visit, { roomId: room.roomId, since }, text),
    below(entry) {
      const more = entry.receipt === undefined ? menuOf(entry) : null
      if (!writes) return more
      return html`${replyButton(entry)}${entry.card !== undefined && followUp(room.roomId, entry)} ${more}`
    },
  }
  const listed = messagesAlone(visit) ? entries.filter(({ message }) => message !== undefined) : entries
  // The page marks the first new entry itself. If a script added the mark later, the text would move while it is read.
  const seen = numberIn(visit, "seen")
  const firstNew =
    seen === undefined ? undefined : listed.find(({ sequence }) => sequence > seen && sequence > after + 1)
  const groups = timelineItems(listed, view, firstNew?.sequence)
  const items = groups.map(({ entries: [first], markup }) => html`${first === firstNew ? newFrom : null}${markup}`)
  // Read here, in the page's snapshot, because `shown` runs after it.
  const refusal = writes ? null : whyNot(visit, room)
  const further =
    writes &&
    html`<details><summary>More actions</summary>
  ${forMembers(
    visit,
    room,
    html`${act("publish_hypothesis", at)}${act("publish_finding", at)}${act("publish_cited_claim", at)}\
${act("reuse_record", { threadId })}${act("propose_experiment", at)}${act("register_material", at)}\
${act("post_research_checkpoint", { threadId, expectedWatermark: watermark, coversThrough: watermark })}`,
  )}</details>`
  const shown = (from: number, until: number): Shown => {
    const first = from === 0 ? after : (groups[from]?.entries[0].sequence ?? 1) - 1
    const last = (until === groups.length ? entries.at(-1) : groups[until - 1]?.entries.at(-1))?.sequence ?? first
    // The opening post is shown above, so it does not count as earlier.
    const earlier = first - (opening === undefined || opening.sequence > first ? 0 : opening.sequence)
    const within = entries.filter(({ sequence }) => sequence > first && sequence <= last)
    return {
      title: thread.title,
      headers: remembered(visit),
      rail: roomRail(room),
      json: readPath("thread_timeline", { threadId }),
      feeds: feedLinks(`/threads/${threadId}`, thread.title),
      ...(last >= watermark ? { follow: { roomId: room.roomId, after: context.activityWatermark } } : {}),
      body: html`${writes ? html`<a class="skip" href="#text-thread">Skip to writing</a>${replying(threadId)}` : null}\
${head(context, follows)}
${
  earlier > 0 && opening !== undefined
    ? html`<ol class="timeline" aria-label="Opening post">${entryItem(opening, view)}</ol>`
    : null
}
${
  earlier > 0
    ? html`<p class="more"><a \
href="${to(withQuery(`/threads/${threadId}`, { after: Math.max(0, first - limits.pageItems) }))}" rel="prev">\
${earlier.toLocaleString("en")} earlier</a></p>`
    : null
}
<section aria-label="Entries" id="entries">${timeline(visit, within, items.slice(from, until))}</section>
${
  last < watermark
    ? html`<p class="more"><a href="${to(withQuery(`/threads/${threadId}`, { after: last }))}" rel="next">\
${(watermark - last).toLocaleString("en")} later</a></p>`
    : null
}
<section aria-label="Take part">\
${writes ? html`${messageForm(threadId)}<template id="reply-form">${messageForm(threadId, true)}</template>` : refusal}
${further}</section>
${ways([
  ["JSON", readPath("thread_timeline", { threadId })],
  ["Research context", readPath("thread_research_context", { threadId })],
])}`,
    }
  }
  const chosen = groups.findIndex((group) => group.entries.some(({ entryId }) => entryId === view.chosen))
  return { items, chosen, shown }
}

export function repliesPage(visit: Visit): Fitting {
  const [threadId, entryId] = [visit.id("threadId"), visit.id("entryId")]
  const found = visit.edge.instance.ledger.timeline.find(entryId)
  const thread = visit.thread(threadId)
  const { items } = visit.ask("thread_replies", { threadId }, { targetEntryId: entryId })
  const room = visit.room(thread.roomId)
  const target = parsed(present(found).entry)
  const view: EntryView = {
    known: new Map([target, ...items].map((entry) => [entry.entryId, entry])),
    numbers: (text, since) => numbersOf(visit, { roomId: room.roomId, since }, text),
  }
  const rendered = [target, ...items].map((entry) => entryItem(entry, view))
  const shown = (_from: number, until: number): Shown => {
    const further = items[until - 1]
    return {
      title: `Replies · ${thread.title}`,
      rail: roomRail(room),
      json: readPath("thread_replies", { threadId }, { targetEntryId: entryId }),
      body: html`<h1>Replies</h1><p class="meta"><span>in <a href="${to(`/threads/${threadId}`)}" dir="auto">\
${thread.title}</a></span></p>
      <ol class="timeline">${rendered.slice(0, until)}</ol>
${
  further === undefined
    ? null
    : html`<p class="more"><a href="${to(entryPath(threadId, further.entryId))}" rel="next">Continue in the Thread</a>\
</p>`
}`,
    }
  }
  return { items: rendered, shown }
}
