/**
 * Pages as of an earlier entry of their Room: the note above them, what was written since, and which links keep the
 * moment.
 */
import { isKeyOf } from "../../contract/each.ts"
import { reads } from "../../contract/reads/index.ts"
import type { Past } from "../../edge/edge.ts"
import { idsIn, withQuery } from "../addresses.ts"
import { type Content, type Html, html, type to, toNow } from "../html.ts"
import type { Shown, Visit } from "../visit.ts"
import { plainText } from "../markdown.ts"
import { counted, shortened, words } from "../words.ts"
import { tally } from "./evidence.ts"
import { stateBadge } from "./marks.ts"
import { exactTime } from "./parts.ts"

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
export const looksBack = (path: string): boolean => pages.some((page) => page === path)

/** Patterns of paths that take `at`, with the name of the id in each. */
const places = [...pages, ...reads.flatMap(({ at, path }) => (at ? [path] : []))].map((path) => ({
  name: /\{(\w+)\}/.exec(path)?.[1],
  expression: new RegExp(`^${path.replace(/\{\w+\}/, "([0-9a-f-]{36})")}$`),
}))

/** Returns a function that adds `at` to links that can be shown as of the entry and belong to the same Room. */
export function staysAt({ roomId, asOf, instance }: Past): (path: string) => string {
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

/** How many entries are searched for an object's id, and how many of the matches are shown. */
const SEARCHED = 200
const SHOWN = 5

type Entry = ReturnType<typeof after>[number]
const after = (visit: Visit, roomId: string, sequence: number) =>
  visit.askNow("room_activity", { roomId }, { after: sequence, include: "summary,content" }).items

/** Finds the entries since that name one of some objects, among the first ones. */
function naming(visit: Visit, { roomId, asOf }: Past, ids: readonly string[], watermark: number): Entry[] {
  const found: Entry[] = []
  for (let from = asOf.sequence; from < Math.min(watermark, asOf.sequence + SEARCHED); ) {
    const items = after(visit, roomId, from)
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
  html`<li>${shortened(plainText(summary ?? `Entry ${sequence}`), 160)} <span class="clocks">${exactTime(at)}</span></li>`

/** The present status, if it changed: "Now: completed". */
const nowStands = (then: string, now: string): Html | null =>
  then === now ? null : html`<p>Now: ${stateBadge(now, words(now))}</p>`

type IdIn<P> = P extends `${string}{${infer Id}}${string}` ? Id : never
/**
 * Renders the present state of the page's object if it changed, by the name of the id in the page's path. Plans and
 * links do not change, and the list of entries since then shows what changed in a Room or a Thread.
 */
const nowOf: Readonly<Partial<Record<IdIn<(typeof pages)[number]>, (visit: Visit, id: string) => Html | null>>> = {
  versionId(visit, versionId) {
    const [then, now] = [visit.ask("record", { versionId }), visit.askNow("record", { versionId })]
    const same =
      then.status === now.status &&
      then.verdict === now.verdict &&
      JSON.stringify(then.evidenceTally) === JSON.stringify(now.evidenceTally)
    return same
      ? null
      : html`<p>Now: ${now.verdict === undefined ? null : stateBadge(now.verdict)} ${stateBadge(now.status)} ${tally(now.evidenceTally)}</p>`
  },
  experimentId: (visit, experimentId) =>
    nowStands(visit.ask("experiment", { experimentId }).status, visit.askNow("experiment", { experimentId }).status),
  materialId: (visit, materialId) =>
    nowStands(
      visit.ask("material", { materialId }).obtainability,
      visit.askNow("material", { materialId }).obtainability,
    ),
  attemptId: (visit, attemptId) =>
    nowStands(visit.ask("attempt", { attemptId }).status, visit.askNow("attempt", { attemptId }).status),
  checkpointId(visit, checkpointId) {
    const [then, now] = [visit.ask("checkpoint", { checkpointId }), visit.askNow("checkpoint", { checkpointId })]
    const changes = [
      now.stale && !then.stale ? "it is stale" : null,
      then.selected && !now.selected ? "a newer checkpoint has replaced it" : null,
    ].filter((change) => change !== null)
    return changes.length === 0 ? null : html`<p>Now: ${changes.join(", and ")}.</p>`
  },
}
const changesOf = (visit: Visit): Content =>
  Object.entries(visit.params).map(([name, id]) => (isKeyOf(nowOf, name) ? nowOf[name]?.(visit, id) : null))

function since(visit: Visit, past: Past): Html {
  const { roomId, asOf } = past
  const { activityWatermark: watermark } = visit.askNow("room", { roomId })
  const count = watermark - asOf.sequence
  const all = html`<a href="${toNow(`/rooms/${roomId}/activity`)}">the activity</a>`
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
      ? after(visit, roomId, Math.max(asOf.sequence, watermark - SHOWN))
      : naming(visit, past, [id, ...rest], watermark)
  const shown = entries.slice(0, SHOWN)
  const written = `${counted(count, "entry", "entries")} in this Room since`
  const sentence =
    id === undefined
      ? `${written}${count > shown.length ? "; the newest of them:" : ":"}`
      : `${written}; ${entries.length === 0 ? "none" : entries.length}${count > SEARCHED ? ` of the first ${SEARCHED}` : ""} ${entries.length === 1 ? "names" : "name"} this${cited.length === 0 ? "" : " or what it rests on"}${shown.length === 0 ? "." : ":"}`
  const left = id === undefined ? 0 : entries.length - shown.length
  return html`<p>${sentence}</p>${shown.length === 0 ? null : html`<ul class="since">${shown.map(entry)}</ul>`}<p class="meta"><span>${left > 0 ? `${left} more in ` : "all in "}${all}</span></p>`
}

function note(visit: Visit, past: Past): Html {
  const now = withQuery(
    visit.url.pathname,
    Object.fromEntries([...visit.url.searchParams].filter(([name]) => name !== "at")),
  )
  return html`<div class="banner quiet then" role="note" aria-label="An earlier moment"><strong>As of entry ${past.asOf.sequence.toLocaleString("en")}, ${exactTime(past.asOf.acceptedAt)}</strong> <a class="button quiet" href="${toNow(now)}">Now</a>
<p>This page shows what stood and counted then.</p>${changesOf(visit)}${since(visit, past)}</div>`
}

/** Returns a function that adds the note to a page of an earlier moment, and removes live updates and feeds. */
export function shownThen(visit: Visit, past: Past): (shown: Shown) => Shown {
  const above = note(visit, past)
  return ({ follow: _live, about: _now, feeds: _feeds, ...shown }) => ({
    ...shown,
    title: `${shown.title} (entry ${past.asOf.sequence})`,
    body: html`${above}${shown.body}`,
    isEarlier: true,
  })
}

/** Adds a note to a page that was requested as of an earlier entry but has no earlier state. */
export const shownNow = (shown: Shown): Shown => ({
  ...shown,
  body: html`<div class="banner quiet then" role="note" aria-label="The present">This page shows how things stand now. It has no earlier state.</div>${shown.body}`,
  isEarlier: true,
})

/** The address at which a page stays as it was after an entry. */
export const asOfEntry = (path: string, sequence: number): ReturnType<typeof to> =>
  toNow(withQuery(path, { at: sequence }))
