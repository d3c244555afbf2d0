/** The provenance graph of a Room, or of what lies around one of its objects. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import type { ProvenanceNode } from "../../contract/schema/enumerations.ts"
import { isUuid } from "../../contract/schema/fields.ts"
import { withQuery } from "../addresses.ts"
import { type GraphEdge, graphFigure, type GraphNode } from "../charts/graph.ts"
import { attributes, type Html, html, to } from "../html.ts"
import { empty, ways } from "../parts/parts.ts"
import { roomRail } from "../parts/room-frame.ts"
import type { Shown, Visit } from "../visit.ts"
import { counted, words } from "../words.ts"

/** More than this is no picture any more; the newest are drawn. */
const MOST = 90
/** Steps around an object in focus. */
const DEPTHS = [1, 2, 5] as const

type Provenance = AnswerOf<"room_provenance">

const nodeOf = ({ id, kind, label, title, status, outcome }: Provenance["nodes"][number]): GraphNode => ({
  id,
  kind,
  label: label ?? words(kind),
  text: title,
  state: status === "current" ? outcome : (status ?? outcome),
})

/** The read leads back to where things come from; a picture is read the other way, from left to right. */
const edgeOf =
  (withdrawn: ReadonlySet<string>) =>
  ({ from, to: end, kind }: Provenance["edges"][number]): GraphEdge => ({ from: end, to: from, kind, withdrawn: withdrawn.has(from) })

const isWithdrawn = ({ status }: Provenance["nodes"][number]): boolean => status === "withdrawn"

/** What the picture of the story leaves out unless asked for everything. */
const ASIDE: readonly ProvenanceNode[] = ["plan", "material"]

/** The story alone: without plans, materials and links that were taken back, and with each finding link as the relation it states. */
function condensed({ nodes: all, edges: every }: Pick<Provenance, "nodes" | "edges">): Pick<Provenance, "nodes" | "edges"> {
  const gone = new Set(all.filter(isWithdrawn).map(({ id }) => id))
  const nodes = all.filter(({ id }) => !gone.has(id))
  const edges = every.filter(({ from }) => !gone.has(from))
  const kindOf = new Map(nodes.map(({ id, kind }) => [id, kind]))
  const findingOf = new Map(edges.filter(({ kind }) => kind === "relates").map(({ from, to: end }) => [from, end]))
  const direct = edges.flatMap((edge) => {
    if (edge.kind === "relates" && kindOf.get(edge.from) === "finding_link") return []
    const finding = kindOf.get(edge.from) === "finding_link" ? findingOf.get(edge.from) : edge.from
    return finding === undefined ? [] : [{ ...edge, from: finding }]
  })
  const left = nodes.filter(({ kind }) => kind !== "finding_link" && !ASIDE.includes(kind))
  const known = new Set(left.map(({ id }) => id))
  const distinct = new Map(
    direct.filter(({ from, to: end }) => known.has(from) && known.has(end)).map((edge) => [`${edge.from} ${edge.to} ${edge.kind}`, edge]),
  )
  return { nodes: left, edges: [...distinct.values()] }
}

const depths = (roomId: string, focus: string, chosen: number): Html =>
  html`<span>within ${DEPTHS.map((depth) => html`<a href="${to(withQuery(`/rooms/${roomId}/graph`, { focus, depth }))}"${attributes({ "aria-current": depth === chosen ? "true" : null })}>${counted(depth, "step")}</a> `)}</span>`

const uuidIn = (text: string) => (isUuid(text) ? text.toLowerCase() : undefined)

export function graphPage(visit: Visit): Shown {
  const roomId = visit.id("roomId")
  const room = visit.ask("room", { roomId })
  const asked = visit.url.searchParams
  const focus = uuidIn(asked.get("focus") ?? "")
  const depth = DEPTHS.find((known) => String(known) === asked.get("depth")) ?? 2
  const found = visit.ask("room_provenance", { roomId }, focus === undefined ? {} : { focus, depth })
  const everything =
    asked.get("show") === "everything" ||
    found.nodes.some(({ id, kind }) => id === focus && (ASIDE.includes(kind) || kind === "finding_link" || kind === "link"))
  const { nodes, edges } = everything ? found : condensed(found)
  const other = withQuery(`/rooms/${roomId}/graph`, {
    focus,
    depth: focus === undefined ? undefined : depth,
    show: everything ? undefined : "everything",
  })
  const withdrawn = new Set(nodes.filter(isWithdrawn).map(({ id }) => id))
  const shown = nodes.slice(-MOST).map(nodeOf)
  const focused = shown.find(({ id }) => id === focus)
  return {
    title: `Graph · ${room.title}`,
    rail: roomRail(room, "/graph"),
    json: withQuery(`/api/research/rooms/${roomId}/provenance`, { focus, depth: focus === undefined ? undefined : depth }),
    wide: true,
    body: html`<h1>${focused === undefined ? "Graph of the Room" : `Graph around ${focused.label}`}</h1>
<p class="meta"><span>${counted(shown.length, "object")}, from what came first on the left to what came of it</span>${shown.length < nodes.length ? html`<span>the newest of ${nodes.length}</span>` : null}${
      focused === undefined
        ? null
        : html`${depths(roomId, focused.id, depth)}<span><a href="${to(`/rooms/${roomId}/graph`)}">the whole Room</a></span>`
    }<span><a href="${to(other)}">${everything ? "without plans, materials and what was taken back" : "with plans, materials and what was taken back"}</a></span></p>
${shown.length === 0 ? empty("Nothing to draw yet: publish a hypothesis, or propose an experiment.") : graphFigure(shown, edges.map(edgeOf(withdrawn)), focused?.id)}
${ways([["JSON", withQuery(`/api/research/rooms/${roomId}/provenance`, { focus })]])}`,
  }
}
