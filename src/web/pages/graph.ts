/** The provenance graph of a Room, or of the surroundings of one object. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { limits } from "../../contract/limits.ts"
import { isUuid } from "../../contract/schema/fields.ts"
import { readPath, withQuery } from "../addresses.ts"
import { type GraphEdge, graphFigure, type GraphNode } from "../charts/graph.ts"
import { attributes, hiddenInputs, type Html, html, sameMoment, to } from "../html.ts"
import { empty, ways } from "../parts/parts.ts"
import { roomRail } from "../parts/room-frame.ts"
import { argument } from "./argument.ts"
import { around, ASIDE, between, condensed, folded, isWithdrawn, type Net } from "./graph-story.ts"
import type { Shown, Visit } from "../visit.ts"
import { counted, words } from "../words.ts"

/** Maximum number of objects drawn: the newest. */
const MOST = 75
/** Above this number of objects, attempts are folded into experiments and findings. */
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

/** Reverses an edge. The read's edges lead back to origins, and a picture reads from left to right. */
const edgeOf =
  (withdrawn: ReadonlySet<string>) =>
  ({ from, to: end, kind }: Provenance["edges"][number]): GraphEdge => ({
    from: end,
    to: from,
    kind,
    withdrawn: withdrawn.has(from),
  })

const depths = (roomId: string, focus: string, chosen: number): Html =>
  html`<span>within ${DEPTHS.map((depth) => html`<a href="${to(withQuery(`/rooms/${roomId}/graph`, { focus, depth }))}"${attributes({ "aria-current": depth === chosen ? "true" : null })}>${counted(depth, "step")}</a> `)}</span>`

function newest(nodes: Net["nodes"], focus: string | undefined): Net["nodes"] {
  const sorted = nodes.map(({ id }) => id).toSorted()
  const ids = new Set(sorted.slice(-MOST))
  return nodes.filter(({ id }) => ids.has(id) || id === focus)
}

const uuidIn = (text: string) => (isUuid(text) ? text.toLowerCase() : undefined)

interface Look {
  readonly query: string
  readonly kinds: readonly string[]
  readonly zoom: number
}
const ZOOMS = [0.5, 0.75, 1, 1.5] as const
const lookOf = ({ searchParams }: URL): Look => ({
  query: (searchParams.get("query") ?? "").trim().toLowerCase().slice(0, 200),
  kinds: searchParams.getAll("kind"),
  zoom: ZOOMS.find((known) => String(known) === searchParams.get("zoom")) ?? 1,
})

const isFound = ({ label, title }: Net["nodes"][number], query: string): boolean =>
  query !== "" && (label?.toLowerCase() === query || title.toLowerCase().includes(query))

/** Filters a net by kind, and by search to the results and their neighbours. */
function filtered(net: Net, { query, kinds }: Look): { readonly net: Net; readonly found: ReadonlySet<string> } {
  const ofKind =
    kinds.length === 0
      ? net
      : between(
          net.nodes.filter(({ kind }) => kinds.includes(kind)),
          net.edges,
        )
  const found = new Set(ofKind.nodes.filter((node) => isFound(node, query)).map(({ id }) => id))
  if (found.size === 0) return { net: ofKind, found }
  const neighbours = new Set(
    ofKind.edges.flatMap(({ from, to: end }) => (found.has(from) || found.has(end) ? [from, end] : [])),
  )
  return {
    net: between(
      ofKind.nodes.filter(({ id }) => found.has(id) || neighbours.has(id)),
      ofKind.edges,
    ),
    found,
  }
}

function controls(visit: Visit, kinds: readonly string[], { query, kinds: chosen, zoom }: Look): Html {
  const kept = hiddenInputs(["view", "focus", "depth", "show"].map((name) => [name, visit.url.searchParams.get(name)]))
  return html`<form class="inline filters" role="search" aria-label="Graph" action="${to(visit.url.pathname)}">${sameMoment}${kept}<div class="field"><label for="graph-query">Find in the graph</label><input id="graph-query" name="query" type="search" maxlength="200" value="${query}" placeholder="F3, or words"></div>
<fieldset class="choices across"><legend>Kinds</legend>${kinds.map((kind) => html`<label><input type="checkbox" name="kind" value="${kind}"${attributes({ checked: chosen.length === 0 || chosen.includes(kind) })}>${words(kind)}</label>`)}</fieldset>
<div class="field"><label for="zoom">Size</label><select id="zoom" name="zoom">${ZOOMS.map((each) => html`<option value="${each}"${attributes({ selected: each === zoom })}>${Math.round(each * 100)} %</option>`)}</select></div><div class="field"><button class="quiet">Show</button></div></form>`
}

function netOf(visit: Visit, roomId: string) {
  const focus = uuidIn(visit.parameter("focus") ?? "")
  const depth = DEPTHS.find((known) => String(known) === visit.parameter("depth")) ?? 1
  // A link between two objects counts as a step in the read and not in the picture.
  const reach = Math.min(limits.provenanceDepth, 2 * depth)
  return {
    focus,
    depth,
    found: visit.ask("room_provenance", { roomId }, focus === undefined ? {} : { focus, depth: reach }),
  }
}

export function graphPage(visit: Visit): Shown {
  const roomId = visit.id("roomId")
  const room = visit.ask("room", { roomId })
  const { focus, depth, found } = netOf(visit, roomId)
  const isNet = focus !== undefined || visit.parameter("show") !== undefined || visit.parameter("view") === "net"
  const tab = (query: Readonly<Record<string, string>>, text: string, isHere: boolean) =>
    html`<a href="${to(withQuery(`/rooms/${roomId}/graph`, query))}"${attributes({ "aria-current": isHere ? "page" : null })}>${text}</a>`
  const { title, body } = isNet
    ? net(visit, roomId, { focus, depth, found })
    : { title: "Argument", body: story(visit, room, found) }
  return {
    title: `Graph · ${room.title}`,
    rail: roomRail(room, "/graph"),
    json: readPath("room_provenance", { roomId }, { focus, depth: focus === undefined ? undefined : depth }),
    wide: true,
    body: html`<h1>${title}</h1><nav class="views" aria-label="Views">${tab({}, "Argument", !isNet)}${tab({ view: "net" }, "Whole graph", isNet && focus === undefined)}</nav>
${body}${ways([["JSON", readPath("room_provenance", { roomId }, { focus })]])}`,
  }
}

/** Renders the argument of the Room, with the attempts behind each finding as marks. */
const story = (visit: Visit, room: AnswerOf<"room">, found: Provenance): Html =>
  argument(visit, room, folded(condensed(found), undefined, 0).attempts)

function net(
  visit: Visit,
  roomId: string,
  { focus, depth, found }: ReturnType<typeof netOf>,
): { readonly title: string; readonly body: Html } {
  const everything =
    visit.parameter("show") === "everything" ||
    found.nodes.some(
      ({ id, kind }) => id === focus && (ASIDE.includes(kind) || kind === "finding_link" || kind === "link"),
    )
  const chosen = everything ? found : condensed(found)
  const selected = focus === undefined ? chosen : around(chosen, focus, depth)
  const look = lookOf(visit.url)
  const { attempts, count, ...all } = folded(selected, focus, everything ? Number.POSITIVE_INFINITY : FEW)
  const { net: seen, found: matching } = filtered(all, look)
  const { nodes, edges } = seen
  const other = withQuery(`/rooms/${roomId}/graph`, {
    focus,
    depth: focus === undefined ? undefined : depth,
    view: "net",
    show: everything ? undefined : "everything",
  })
  const withdrawn = new Set(nodes.filter(isWithdrawn).map(({ id }) => id))
  const kept = nodes.length > MOST ? newest(nodes, focus) : nodes
  const shown = kept.map(nodeOf(attempts))
  const focused = shown.find(({ id }) => id === focus)
  const notes = [
    look.query !== "" && matching.size === 0 ? `No results for “${look.query}”. Everything is shown` : null,
    nodes.length > kept.length ? `${counted(nodes.length - kept.length, "older object")} left out` : null,
    count > 0 ? `${counted(count, "attempt")} shown as marks on their experiments and findings` : null,
    everything ? null : "plans, materials and withdrawn links are left out",
    Object.keys(found.truncated).length > 0
      ? `only the newest ${limits.provenanceNodes} objects of a kind are included`
      : null,
  ].filter((part) => part !== null)
  const kinds = [...new Set(all.nodes.map(({ kind }) => kind))].sort()
  return {
    title: focused === undefined ? "Graph of the Room" : `Graph around ${focused.label}`,
    body: html`<p class="meta"><span>${counted(shown.length, "object")}, from origins on the left to results on the right</span>${focused === undefined ? null : depths(roomId, focused.id, depth)}</p>
<p class="meta" id="left-out">${notes.map((part) => html`<span>${part}</span>`)}<span><a href="${to(other)}">${everything ? "Show less" : "Show everything"}</a></span></p>
${controls(visit, kinds, look)}
${shown.length === 0 ? empty("There is nothing to draw yet. Publish a hypothesis or propose an experiment.") : graphFigure(shown, edges.map(edgeOf(withdrawn)), { here: focused?.id, found: matching, zoom: look.zoom })}`,
  }
}
