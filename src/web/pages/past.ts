/**
 * Pages as of an earlier entry of their Room. The pages themselves know nothing of it: they are made from the Room as
 * it was, framed with a note, and their links keep the moment as they leave.
 */
import type { H3Event } from "h3"
import { basePathOf } from "../../contract/service.ts"
import { checkParameters, markdownNote, type Moment, pastOf } from "../../edge/requests/reads.ts"
import { isKeyOf, present } from "../../contract/typed.ts"
import { escapeHtml, unescapedHtml } from "../../contract/text.ts"
import { reads } from "../../contract/reads/index.ts"
import { Answer } from "../../edge/answers/answer.ts"
import { type Edge, type Past, pathParams } from "../../edge/edge.ts"
import { callerKey, contextOf } from "../../edge/limits/request-context.ts"
import { idsIn, withQuery, type Content, type Html, html, to } from "../html.ts"
import { documentAsked, documentParams } from "../feeds.ts"
import { type Shown, type Visit, visitOf, type WebPage } from "../visit.ts"
import { plainText } from "../markdown.ts"
import { counted, shortened, words } from "../words.ts"
import { tally } from "../parts/evidence.ts"
import { stateBadge } from "../parts/marks.ts"
import { exactTime } from "../parts/parts.ts"

/** The pages that can be shown as of an earlier entry. */
const pages = [
  "/rooms/{roomId}",
  "/rooms/{roomId}/threads",
  "/rooms/{roomId}/hypotheses",
  "/rooms/{roomId}/experiments",
  "/rooms/{roomId}/attempts",
  "/rooms/{roomId}/findings",
  "/rooms/{roomId}/materials",
  "/rooms/{roomId}/links",
  "/rooms/{roomId}/graph",
  "/rooms/{roomId}/activity",
  "/threads/{threadId}",
  "/records/{versionId}",
  "/materials/{materialId}",
  "/links/{linkId}",
  "/experiments/{experimentId}",
  "/plans/{planId}",
  "/attempts/{attemptId}",
  "/attempts/compare",
  "/attempts/curves",
  "/checkpoints/{checkpointId}",
] as const
const looksBack = (path: string): boolean => pages.some((page) => page === path)

/** Patterns of paths that take `at`, with the name of the id in each. */
const places = [...pages, ...reads.flatMap(({ at, path }) => (at ? [path] : []))].map((path) => ({
  name: /\{(\w+)\}/.exec(path)?.[1],
  expression: new RegExp(`^${path.replace(/\{\w+\}/, "([0-9a-f-]{36})")}$`),
}))

/** Returns a function that adds `at` to addresses that can be shown as of the entry and belong to the same Room. */
function staysAt({ roomId, asOf, instance }: Past): (path: string) => string {
  const isOfRoom = (name: string, id: string): boolean => {
    try {
      return instance.ledger.references.roomOf(name, id) === roomId
    } catch {
      // The object did not exist yet.
      return false
    }
  }
  const addressOf = (path: string): string => {
    const [, pathname = "", query = "", place = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(path) ?? []
    const parameters = new URLSearchParams(query)
    const stays = places.some(({ name, expression }) => {
      const found = expression.exec(pathname)
      if (found === null) return false
      if (name !== undefined) return isOfRoom(name, found[1] ?? "")
      const [attemptId] = (parameters.get("ids") ?? parameters.get("attemptIds") ?? "").split(",")
      return (
        parameters.get("roomId") === roomId ||
        (attemptId !== undefined && attemptId !== "" && isOfRoom("attemptId", attemptId))
      )
    })
    if (!stays || parameters.has("at")) return path
    parameters.set("at", String(asOf.sequence))
    return `${pathname}?${parameters}${place}`
  }
  // A page has many links to the same addresses, and each may need a lookup.
  const known = new Map<string, string>()
  return (path) => known.getOrInsertComputed(path, addressOf)
}

/** Carries the moment in the links and forms of a page that leaves, except in links marked `data-now`. */
function carrying(page: string, past: Past, basePath: string): string {
  const stays = staysAt(past)
  const field = `<input type="hidden" name="at" value="${past.asOf.sequence}">`
  const isForm = (action: string) => {
    const path = unescapedHtml(action).slice(basePath.length)
    return stays(path) !== path || pages.some((each) => each === path)
  }
  return page
    .replace(/<form [^<>]*>/g, (form) => {
      const [, action = ""] = /action="([^"]*)"/.exec(form) ?? []
      return !form.includes('method="post"') && isForm(action) ? `${form}${field}` : form
    })
    .replace(
      /(data-now )?(href|action|data-[a-z]+)="(\/[^"]*)"/g,
      (whole, now: string, name: string, address: string) => {
        const path = unescapedHtml(address)
        if (now !== undefined || !path.startsWith(`${basePath}/`)) return whole
        return `${name}="${escapeHtml(`${basePath}${stays(path.slice(basePath.length))}`)}"`
      },
    )
}

/** How many entries are searched for an object's id, and how many of the matches are shown. */
const SEARCHED = 200
const SHOWN = 5

type Entry = ReturnType<typeof after>[number]
const after = (now: Visit, roomId: string, sequence: number) =>
  now.ask("room_activity", { roomId }, { after: sequence, include: "summary,content" }).items

/** Finds the entries since that name one of some objects, among the first ones. */
function naming(now: Visit, { roomId, asOf }: Past, ids: readonly string[], watermark: number): Entry[] {
  const found: Entry[] = []
  for (let from = asOf.sequence; from < Math.min(watermark, asOf.sequence + SEARCHED); ) {
    const items = after(now, roomId, from)
    const names = ({ target, content }: Entry) =>
      ids.includes(target.id) || ids.some((id) => JSON.stringify(content ?? "").includes(id))
    found.push(...items.filter(names))
    const last = items.at(-1)?.sequence
    if (last === undefined) break
    from = last
  }
  return found
}

const entry = ({ summary, at, sequence }: Entry): Html =>
  html`<li>${shortened(plainText(summary ?? `Entry ${sequence}`), 160)} <span class="clocks">${exactTime(
    at,
  )}</span></li>`

/** The present status, if it changed: "Now: completed". */
const nowStands = (then: string, now: string): Html | null =>
  then === now ? null : html`<p>Now: ${stateBadge(now, words(now))}</p>`

type IdIn<P> = P extends `${string}{${infer Id}}${string}` ? Id : never
/**
 * Renders the present state of the page's object if it changed, by the name of the id in the page's path. Plans and
 * links do not change, and the list of entries since then shows what changed in a Room or a Thread.
 */
const nowOf: Readonly<
  Partial<Record<IdIn<(typeof pages)[number]>, (then: Visit, now: Visit, id: string) => Html | null>>
> = {
  versionId(past, present, versionId) {
    const [then, now] = [past.ask("record", { versionId }), present.ask("record", { versionId })]
    const same =
      then.status === now.status &&
      then.verdict === now.verdict &&
      JSON.stringify(then.evidenceTally) === JSON.stringify(now.evidenceTally)
    return same
      ? null
      : html`<p>Now: ${now.verdict === undefined ? null : stateBadge(now.verdict)} ${stateBadge(now.status)} ${tally(
          now.evidenceTally,
        )}</p>`
  },
  experimentId: (then, now, experimentId) =>
    nowStands(then.ask("experiment", { experimentId }).status, now.ask("experiment", { experimentId }).status),
  materialId: (then, now, materialId) =>
    nowStands(then.ask("material", { materialId }).obtainability, now.ask("material", { materialId }).obtainability),
  attemptId: (then, now, attemptId) =>
    nowStands(then.ask("attempt", { attemptId }).status, now.ask("attempt", { attemptId }).status),
  checkpointId(past, present, checkpointId) {
    const [then, now] = [past.ask("checkpoint", { checkpointId }), present.ask("checkpoint", { checkpointId })]
    const changes = [
      now.stale && !then.stale ? "it is stale" : null,
      then.selected && !now.selected ? "a newer checkpoint has replaced it" : null,
    ].filter((change) => change !== null)
    return changes.length === 0 ? null : html`<p>Now: ${changes.join(", and ")}.</p>`
  },
}
const changesOf = (visit: Visit, now: Visit): Content =>
  Object.entries(visit.params).map(([name, id]) => (isKeyOf(nowOf, name) ? nowOf[name]?.(visit, now, id) : null))

function since(visit: Visit, now: Visit, past: Past): Html {
  const { roomId, asOf } = past
  const { activityWatermark: watermark } = now.room(roomId)
  const count = watermark - asOf.sequence
  const all = html`<a data-now href="${to(`/rooms/${roomId}/activity`)}">the activity</a>`
  if (count === 0) return html`<p>Nothing was written in this Room since.</p>`
  const { checkpointId } = visit.params
  // The records that a conclusion cites are part of it.
  const cited =
    checkpointId === undefined
      ? []
      : visit.ask("checkpoint", { checkpointId }).citations.map(({ versionId }) => versionId)
  const [id, ...rest] = [
    ...idsIn(visit.url),
    ...Object.entries(visit.params).flatMap(([name, each]) => (name === "roomId" ? [] : [each])),
    ...cited,
  ]
  const entries =
    id === undefined
      ? after(now, roomId, Math.max(asOf.sequence, watermark - SHOWN))
      : naming(now, past, [id, ...rest], watermark)
  const shown = entries.slice(0, SHOWN)
  const written = `${counted(count, "entry", "entries")} in this Room since`
  const among = count > SEARCHED ? ` of the first ${SEARCHED}` : ""
  const found = `${entries.length === 0 ? "none" : entries.length}${among}`
  const named = cited.length === 0 ? "this" : "this or what it rests on"
  const sentence =
    id === undefined
      ? `${written}${count > shown.length ? "; the newest of them" : ""}`
      : `${written}; ${found} ${entries.length === 1 ? "names" : "name"} ${named}${shown.length === 0 ? "." : ""}`
  const left = id === undefined ? 0 : entries.length - shown.length
  // Folded, so that the page itself begins on the first screen.
  const list =
    shown.length === 0
      ? html`<p>${sentence}</p>`
      : html`<details class="left-out"><summary>${sentence}</summary>\
<ul class="since">${shown.map(entry)}</ul></details>`
  return html`${list}<p class="meta"><span>${left > 0 ? `${left} more in ` : "all in "}${all}</span></p>`
}

function note(visit: Visit, now: Visit, past: Past): Html {
  const today = withQuery(
    visit.url.pathname,
    Object.fromEntries([...visit.url.searchParams].filter(([name]) => name !== "at")),
  )
  const { sequence, acceptedAt } = past.asOf
  const moment = html`As of entry ${sequence.toLocaleString("en")}, ${exactTime(acceptedAt)}`
  return html`<div class="banner quiet then" role="note" aria-label="An earlier moment"><strong>${moment}</strong>
<a class="button quiet" data-now href="${to(today)}">Now</a>
<p>This page shows the record as it was then.</p>${changesOf(visit, now)}${since(visit, now, past)}</div>`
}

/** Returns a function that adds the note to a page of an earlier moment, and removes live updates and feeds. */
function shownThen(visit: Visit, now: Visit, past: Past): (shown: Shown) => Shown {
  const above = note(visit, now, past)
  return ({ follow: _live, about: _now, feeds: _feeds, ...shown }) => ({
    ...shown,
    title: `${shown.title} (entry ${past.asOf.sequence})`,
    body: html`${above}${shown.body}`,
    isUnlisted: true,
  })
}

/** Adds a note to a page that was requested as of an earlier entry but has no earlier state. */
const shownNow = (shown: Shown): Shown => ({
  ...shown,
  body: html`<div class="banner quiet then" role="note" aria-label="The present">This page shows how things stand now.
It has no earlier state.</div>${shown.body}`,
  isUnlisted: true,
})

/** The address at which a page stays as it was after an entry. */
export const asOfEntry = (path: string, sequence: number): ReturnType<typeof to> =>
  to(withQuery(path, { at: sequence }))

const roomRead = present(reads.find(({ name }) => name === "room"))

const paramsOf = (path: string, event: H3Event) =>
  documentAsked(path, event) === undefined ? pathParams(event) : documentParams(event)

/** Returns the past moment that a request asks for; undefined for the present. @throws Refusal `invalid_parameter` */
export function momentAsked(path: string, event: H3Event): Moment | undefined {
  const values = event.url.searchParams.getAll("at")
  if (values.length === 0 || !looksBack(path)) return undefined
  const { at } = checkParameters(roomRead, new URLSearchParams(values.map((value) => ["at", value])))
  return typeof at === "number"
    ? { params: paramsOf(path, event), query: { attemptIds: idsIn(event.url) }, sequence: at }
    : undefined
}

/** Adds something to a page. `prepare` runs in the page's snapshot. The function it returns must not read anything. */
const adding =
  (page: WebPage, prepare: (visit: Visit) => (shown: Shown) => Shown): WebPage =>
  (visit) => {
    const content = page(visit)
    if (content instanceof Answer) return content
    const add = prepare(visit)
    return "body" in content ? add(content) : { ...content, shown: (from, until) => add(content.shown(from, until)) }
  }

/** What a request for a page is shown: the data, the frame around the page, and the answer as it leaves. */
export interface View extends Disposable {
  readonly edge: Edge
  framed(page: WebPage): WebPage
  leaving(answer: Answer): Answer
}

/** Waits for the Room as it was, if a request asks for an earlier moment. @throws Refusal */
export async function viewOf(edge: Edge, path: string, event: H3Event): Promise<View> {
  const moment = momentAsked(path, event)
  if (moment === undefined) {
    const hasNoPast = event.url.searchParams.has("at") && path.includes("{")
    return {
      edge,
      framed: (page) => (hasNoPast ? adding(page, () => shownNow) : page),
      leaving: (answer) => answer,
      [Symbol.dispose]: () => {},
    }
  }
  const past = await pastOf(edge, moment, callerKey(contextOf(event)))
  return {
    edge: { ...edge, instance: past.instance },
    framed: (page) => adding(page, (visit) => shownThen(visit, visitOf(edge, event), past)),
    leaving(answer) {
      const { body, status, headers } = answer
      if (typeof body !== "string") return answer
      const isPage = headers["content-type"]?.startsWith("text/html") === true
      const noted = status === 200 ? `${markdownNote(past.asOf)}${body}` : body
      return new Answer(isPage ? carrying(body, past, basePathOf(edge)) : noted, { status, headers })
    },
    [Symbol.dispose]: () => past[Symbol.dispose](),
  }
}
