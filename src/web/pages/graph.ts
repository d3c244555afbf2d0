/** The provenance graph of a Room, or of what lies around one of its objects. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { limits } from "../../contract/limits.ts"
import { isUuid } from "../../contract/schema/fields.ts"
import { withQuery } from "../addresses.ts"
import { type GraphEdge, graphFigure, type GraphNode } from "../charts/graph.ts"
import { attributes, type Html, html, to } from "../html.ts"
import { empty, ways } from "../parts/parts.ts"
import { roomRail } from "../parts/room-frame.ts"
import { around, ASIDE, condensed, folded, isWithdrawn, type Net } from "./graph-story.ts"
import type { Shown, Visit } from "../visit.ts"
import { counted, words } from "../words.ts"

/** More than this is no picture any more; the newest are drawn. */
const MOST = 75
/** Objects that are drawn with their attempts; of more, attempts are folded into what they belong to. */
const FEW = 30
/** Steps around an object in focus. */
const DEPTHS = [1, 2, 5] as const

type Provenance = AnswerOf<"room_provenance">

const nodeOf =
  (attempts: ReadonlyMap<string, readonly string[]>) =>
  ({ id, kind, label, title, status, outcome }: Provenance["nodes"][number]): GraphNode => ({
    id,
    kind,
    label: label ?? words(kind),
    text: title,
    state: status === "current" ? outcome : (status ?? outcome),
    attempts: attempts.get(id) ?? [],
  })

/** The read leads back to where things come from; a picture is read the other way, from left to right. */
const edgeOf =
  (withdrawn: ReadonlySet<string>) =>
  ({ from, to: end, kind }: Provenance["edges"][number]): GraphEdge => ({ from: end, to: from, kind, withdrawn: withdrawn.has(from) })

const depths = (roomId: string, focus: string, chosen: number): Html =>
  html`<span>within ${DEPTHS.map((depth) => html`<a href="${to(withQuery(`/rooms/${roomId}/graph`, { focus, depth }))}"${attributes({ "aria-current": depth === chosen ? "true" : null })}>${counted(depth, "step")}</a> `)}</span>`

/** The newest of many objects, by their ids, and the one in focus. */
function newest(nodes: Net["nodes"], focus: string | undefined): Net["nodes"] {
  const ids = new Set(
    nodes
      .map(({ id }) => id)
      .toSorted()
      .slice(-MOST),
  )
  return nodes.filter(({ id }) => ids.has(id) || id === focus)
}

const uuidIn = (text: string) => (isUuid(text) ? text.toLowerCase() : undefined)

export function graphPage(visit: Visit): Shown {
  const roomId = visit.id("roomId")
  const room = visit.ask("room", { roomId })
  const asked = visit.url.searchParams
  const focus = uuidIn(asked.get("focus") ?? "")
  const depth = DEPTHS.find((known) => String(known) === asked.get("depth")) ?? 1
  // A link between two objects is itself a step of the read, and none of the picture.
  const reach = Math.min(limits.provenanceDepth, 2 * depth)
  const found = visit.ask("room_provenance", { roomId }, focus === undefined ? {} : { focus, depth: reach })
  const everything =
    asked.get("show") === "everything" ||
    found.nodes.some(({ id, kind }) => id === focus && (ASIDE.includes(kind) || kind === "finding_link" || kind === "link"))
  const chosen = everything ? found : condensed(found)
  const near = focus === undefined ? chosen : around(chosen, focus, depth)
  const { nodes, edges, attempts, count } = folded(near, focus, everything ? Number.POSITIVE_INFINITY : FEW)
  const other = withQuery(`/rooms/${roomId}/graph`, {
    focus,
    depth: focus === undefined ? undefined : depth,
    show: everything ? undefined : "everything",
  })
  const withdrawn = new Set(nodes.filter(isWithdrawn).map(({ id }) => id))
  const kept = nodes.length > MOST ? newest(nodes, focus) : nodes
  const shown = kept.map(nodeOf(attempts))
  const focused = shown.find(({ id }) => id === focus)
  const left = [
    nodes.length > kept.length ? `${counted(nodes.length - kept.length, "older object")} left out` : null,
    count > 0 ? `${counted(count, "attempt")} shown as marks on their experiments and findings` : null,
    everything ? null : "plans, materials and what was withdrawn are left out",
    Object.keys(found.truncated).length > 0 ? `of more than ${limits.provenanceNodes} objects of a kind, the newest are read` : null,
  ].filter((part) => part !== null)
  return {
    title: `Graph · ${room.title}`,
    rail: roomRail(room, "/graph"),
    json: withQuery(`/api/research/rooms/${roomId}/provenance`, { focus, depth: focus === undefined ? undefined : depth }),
    wide: true,
    body: html`<h1>${focused === undefined ? "Graph of the Room" : `Graph around ${focused.label}`}</h1>
<p class="meta"><span>${counted(shown.length, "object")}: what came first is on the left, what came of it on the right</span>${
      focused === undefined
        ? null
        : html`${depths(roomId, focused.id, depth)}<span><a href="${to(`/rooms/${roomId}/graph`)}">the whole Room</a></span>`
    }</p>
<p class="meta" id="left-out">${left.map((part) => html`<span>${part}</span>`)}<span><a href="${to(other)}">${everything ? "show the story alone" : "show everything"}</a></span></p>
${shown.length === 0 ? empty("Nothing to draw yet: publish a hypothesis, or propose an experiment.") : graphFigure(shown, edges.map(edgeOf(withdrawn)), focused?.id)}
${ways([["JSON", withQuery(`/api/research/rooms/${roomId}/provenance`, { focus })]])}`,
  }
}
