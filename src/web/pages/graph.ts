/** The provenance graph of a Room, or of what is near one of its objects. */
import { type GraphEdge, graphFigure, type GraphNode } from "../charts/graph.ts"
import { html, to } from "../html.ts"
import { empty } from "../parts/parts.ts"
import { roomRail } from "../parts/room-frame.ts"
import type { Shown, Visit } from "../visit.ts"
import { counted } from "../words.ts"

/** More than this is no picture any more; the newest are drawn. */
const MOST = 80

interface Net {
  readonly nodes: Map<string, GraphNode>
  readonly edges: GraphEdge[]
}

/** What a Room's own reads say of its objects and how they rest on each other. */
async function net(visit: Visit, roomId: string): Promise<Net> {
  const { hypotheses, experiments, publications, findingLinks } = await visit.ask("room_context", { roomId })
  const { items: attempts } = await visit.ask("attempts", {}, { roomId })
  const { items: links } = await visit.ask("room_links", { roomId })
  const nodes = new Map<string, GraphNode>()
  const edges: GraphEdge[] = []
  for (const { versionId, kind, label, wording, status, outcome } of [...hypotheses, ...publications]) nodes.set(versionId, { id: versionId, kind, label, text: wording, state: status === "current" ? outcome : status })
  for (const { experimentId, label, question, status, hypotheses: addressed } of experiments) {
    nodes.set(experimentId, { id: experimentId, kind: "experiment", label, text: question, state: status })
    for (const versionId of addressed) edges.push({ from: versionId, to: experimentId, kind: "asked in" })
  }
  for (const { attemptId, label, experimentId, status, outcome, intent, rerunOf } of attempts) {
    nodes.set(attemptId, { id: attemptId, kind: "attempt", label, text: intent, state: outcome ?? status })
    edges.push({ from: experimentId, to: attemptId, kind: "tried as" })
    if (rerunOf !== null) edges.push({ from: rerunOf, to: attemptId, kind: "rerun as" })
  }
  for (const { attemptId, experimentId, finding, towardHypothesis } of findingLinks) {
    edges.push({ from: attemptId ?? experimentId, to: finding.versionId, kind: "found" })
    for (const { versionId, verdict } of towardHypothesis) edges.push({ from: versionId, to: finding.versionId, kind: verdict })
  }
  for (const { linkId, kind, label, target, replacement, explanation } of links) {
    nodes.set(linkId, { id: linkId, kind: "link", label, text: explanation, state: kind })
    edges.push({ from: target.versionId, to: linkId, kind })
    if (replacement !== null) edges.push({ from: linkId, to: replacement.versionId, kind: "replaced by" })
  }
  return { nodes, edges }
}

/** What an object rests on and what rests on it, all the way. */
function around({ nodes, edges }: Net, focus: string): Net {
  const near = new Set([focus])
  const walk = (from: "from" | "to", until: "from" | "to") => {
    const found = [focus]
    for (let at = found.pop(); at !== undefined; at = found.pop()) {
      for (const edge of edges) if (edge[from] === at && !near.has(edge[until])) {
        near.add(edge[until])
        found.push(edge[until])
      }
    }
  }
  walk("from", "to")
  walk("to", "from")
  return { nodes: new Map([...nodes].filter(([id]) => near.has(id))), edges: edges.filter((edge) => near.has(edge.from) && near.has(edge.to)) }
}

export async function graphPage(visit: Visit): Promise<Shown> {
  const roomId = visit.params.roomId as string
  const room = await visit.ask("room", { roomId })
  const whole = await net(visit, roomId)
  const focus = visit.url.searchParams.get("focus")?.toLowerCase()
  const focused = focus === undefined ? undefined : whole.nodes.get(focus)
  const { nodes, edges } = focused === undefined ? whole : around(whole, focused.id)
  const shown = [...nodes.values()].slice(-MOST)
  return {
    title: `Graph · ${room.title}`,
    rail: roomRail(room, "/graph"),
    wide: true,
    body: html`<h1>${focused === undefined ? "Graph of the Room" : html`Graph around ${focused.label}`}</h1>
<p class="meta"><span>${counted(shown.length, "object")}, from what was predicted on the left to what was found on the right</span>${shown.length < nodes.size ? html`<span>the newest of ${nodes.size}</span>` : null}${focused === undefined ? null : html`<span><a href="${to(`/rooms/${roomId}/graph`)}">the whole Room</a></span>`}</p>
${shown.length === 0 ? empty("Nothing to draw yet: publish a hypothesis, or propose an experiment.") : graphFigure(shown, edges, focused?.id)}`,
  }
}
