/** A graph of what speaks of what; an edge is drawn from what came first: layered from left to right by dagre, drawn by the server, each node a link. */
import { enumerations } from "../../contract/schema/enumerations.ts"
import { hasFallen } from "../../contract/answers/evidence.ts"
import { present } from "../../contract/present.ts"
import { curveMonotoneX, line } from "d3-shape"
import { pathOf } from "../addresses.ts"
import { type Html, html, to } from "../html.ts"
import { glyph } from "../parts/marks.ts"
import { stateBadge } from "../parts/marks.ts"
import { table } from "../parts/parts.ts"
import { plainText } from "../plain-text.ts"
import { counted, shortened, words } from "../words.ts"
import { drawable, type GraphEdge, type GraphNode, type Look, type Placed, placedIn } from "./graph-layout.ts"

export type { GraphEdge, GraphNode } from "./graph-layout.ts"

/** A few nodes say what they are about; of many the label alone fits on a screen in a size that can be read. */
const [SAYING, SMALL]: readonly [Look, Look] = [
  { width: 158, height: 46, between: 14, layers: 46, said: 22 },
  { width: 78, height: 28, between: 8, layers: 30, said: 0 },
]
const FEW = 36
const tones: Readonly<Record<string, string>> = {
  supports: "good",
  contradicts: "bad",
  retracts: "bad",
  disputes: "warn",
  corrects: "warn",
  supersedes: "warn",
  inconclusive: "warn",
}
const fallen = new Set<string>([...enumerations.recordStatus.filter(hasFallen), "withdrawn"])

/** A curve through the points that the layout gave. */
function curve(points: readonly Placed[]): string {
  const [first, ...rest] = points
  const last = rest.at(-1)
  if (first === undefined || last === undefined) return ""
  return (
    line<Placed>()
      .x(({ x }) => Math.round(x))
      .y(({ y }) => Math.round(y))
      .curve(curveMonotoneX)([...points]) ?? ""
  ).replace(/(\.\d)\d+/g, "$1")
}

function picture(nodes: readonly GraphNode[], edges: readonly GraphEdge[], here: string | undefined): Html {
  const size = nodes.length > FEW ? SMALL : SAYING
  const { width, height, said } = size
  const isSmall = said === 0
  const placed = placedIn(nodes, edges, size)
  const drawnEdge = (edge: GraphEdge, index: number) => {
    const points = placed.edges[index] ?? []
    const end = points.at(-1) ?? { x: 0, y: 0 }
    return html`<g class="link" data-from="${edge.from}" data-to="${edge.to}"><path class="edge ${edge.withdrawn === true ? "withdrawn" : (tones[edge.kind] ?? "")}" d="${curve(points)}"><title>${words(edge.kind)}</title></path><path class="head" d="M${end.x.toFixed(0)} ${end.y.toFixed(0)}l-7-3.5v7z"/></g>`
  }
  const drawnNode = ({ id, kind, label, text, state }: GraphNode) => {
    const { x, y } = placed.nodes.get(id) ?? { x: 0, y: 0 }
    const [left, top] = [Math.round(x - width / 2), Math.round(y - height / 2)]
    const start = shortened(plainText(text), 22)
    const line = isSmall ? 20 : 18
    const after = 14 + label.length * (isSmall ? 9 : 7.5)
    // A word that would run over the edge is told with the rest of the name alone.
    const fits = state !== null && after + 16 + words(state).length * 6.5 <= width && !isSmall
    const stands =
      state === null
        ? null
        : html`<svg x="${after}" y="${line - 10}" width="12" height="12" overflow="visible">${glyph(state)}</svg> ${!fits ? null : html`<text x="${after + 16}" y="${line}">${words(state)}</text>`}`
    const look = `node${id === here ? " here" : ""}${state !== null && fallen.has(state) ? " fallen" : ""}`
    return html`<g class="${look}" data-node="${id}" transform="translate(${left} ${top})"><title>${text}</title>
      <a href="${to(pathOf(kind, id) ?? "/")}" aria-label="${label} ${state === null || !fits ? "" : `${words(state)} `}${start}, ${words(kind)}${state === null || fits ? "" : `, ${words(state)}`}">
      <rect width="${width}" height="${height}" rx="4"/><text class="name" x="8" y="${line}">${label}</text> ${stands}${isSmall ? null : html` <text x="8" y="36">${start}</text>`}</a></g>`
  }
  const told = `${nodes.length} objects and ${edges.length} relations, from what came first on the left to what came of it on the right`
  return html`<div class="graph" tabindex="0" role="region" aria-label="Graph; the table below holds the same">
    <svg class="net${isSmall ? " small" : ""}" data-graph viewBox="${placed.box.join(" ")}" width="${placed.box[2]}" height="${placed.box[3]}" role="group" aria-label="${told}">
    ${edges.map(drawnEdge)}${nodes.map(drawnNode)}</svg></div>`
}

const cell = (node: GraphNode | undefined) =>
  node &&
  html`<a class="label" href="${to(pathOf(node.kind, node.id) ?? "/")}">${node.label}</a> <bdi>${shortened(plainText(node.text), 70)}</bdi>${node.state === null ? null : html` ${stateBadge(node.state)}`}`

/** The picture and, below it, the table of the same relations. */
export function graphFigure(nodes: readonly GraphNode[], given: readonly GraphEdge[], here?: string): Html {
  const known = new Map(nodes.map((node) => [node.id, node]))
  const edges = given.filter(({ from, to: end }) => known.has(from) && known.has(end) && from !== end)
  // Of several relations between two objects the picture shows the one that says most; the table, all.
  const drawn = [...Map.groupBy(edges, ({ from, to: end }) => `${from} ${end}`).values()].map(
    (same) => same.find(({ kind }) => tones[kind] !== undefined) ?? present(same[0]),
  )
  const shown = drawable(nodes, drawn)
  const left = drawn.length - shown.length
  return html`${picture(nodes, shown, here)}
${left === 0 ? null : html`<p class="meta"><span>${counted(left, "relation")} between objects far apart would make the picture unreadable; the table has all of them.</span></p>`}
<section aria-labelledby="edges"><h2 id="edges">The same as a table</h2>
  ${table(
    "Relations",
    ["Object", "Relation", "To what"],
    edges.map(
      ({ from, to: end, kind, withdrawn }) => html`<tr><td>${cell(known.get(end))}</td>
  <td>${withdrawn === true ? html`<s>${words(kind)}</s>` : words(kind)}</td><td>${cell(known.get(from))}</td></tr>`,
    ),
  )}</section>`
}
