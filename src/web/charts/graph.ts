/**
 * Draws a graph of objects and their relations. Each edge goes from the object that came first, and each node is a
 * link.
 */
import { enumerations } from "../../contract/schema/enumerations.ts"
import { hasFallen } from "../../contract/answers/evidence.ts"
import { present } from "../../contract/present.ts"
import { curveMonotoneX, line } from "d3-shape"
import { pathOf } from "../addresses.ts"
import { type Html, html, joined, to } from "../html.ts"
import { glyph, stateBadge } from "../parts/marks.ts"
import { table } from "../parts/parts.ts"
import { plainText } from "../markdown.ts"
import { counted, shortened, words } from "../words.ts"
import { drawable, type GraphEdge, type GraphNode, NODE, type Placed, placedIn } from "./graph-layout.ts"

export type { GraphEdge, GraphNode } from "./graph-layout.ts"

/** The characters, and the marks of attempts, that fit in a line. */
const [ACROSS, MARKS] = [25, 8]
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

/** The CSS class of an edge. */
const lineOf = ({ kind, withdrawn }: GraphEdge): string => (withdrawn === true ? "withdrawn" : (tones[kind] ?? ""))

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

/** A bow from the first point to the last, with the middle one as its control point. */
const bow = (points: readonly Placed[]): string =>
  points
    .map(({ x, y }, index) => `${index === 0 ? "M" : index === 1 ? "Q" : " "}${Math.round(x)} ${Math.round(y)}`)
    .join("")

/** Splits the beginning of a text into the lines of a node. */
function lines(text: string, most: number): string[] {
  const found = [""]
  for (const word of plainText(text).split(/\s+/)) {
    const last = found.at(-1) ?? ""
    if (last === "" || last.length + word.length < ACROSS)
      found[found.length - 1] = last === "" ? word : `${last} ${word}`
    else if (found.length > most) break
    else found.push(word)
  }
  const [end] = found.slice(most)
  return found
    .slice(0, most)
    .map((each, index) => shortened(end !== undefined && index === most - 1 ? `${each} ${end}` : each, ACROSS))
}

/** A mark for each attempt of a node, and the number of those that do not fit. */
const marksOf = (attempts: readonly string[]): Html | null =>
  attempts.length === 0
    ? null
    : html`<g><title>${counted(attempts.length, "attempt")}: ${[...Map.groupBy(attempts, (outcome) => outcome)].map(([outcome, same]) => `${same.length} ${words(outcome)}`).join(", ")}</title>${attempts
        .slice(0, MARKS)
        .map(
          (outcome, index) => html`<svg x="${8 + 14 * index}" y="42" width="12" height="12">${glyph(outcome)}</svg>`,
        )}${
        attempts.length > MARKS ? html`<text x="${10 + 14 * MARKS}" y="52">+${attempts.length - MARKS}</text>` : null
      }</g>`

interface View {
  readonly here?: string | undefined
  readonly found?: ReadonlySet<string>
  readonly zoom?: number
}

function picture(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  { here, found = new Set(), zoom = 1 }: View,
): Html {
  const { width, height } = NODE
  const placed = placedIn(nodes, edges)
  const drawnEdge = (edge: GraphEdge, index: number) => {
    const { points, isBow } = placed.edges[index] ?? { points: [], isBow: false }
    const end = points.at(-1) ?? { x: 0, y: 0 }
    return html`<g class="link" data-from="${edge.from}" data-to="${edge.to}"><path class="edge ${lineOf(edge)}" d="${isBow ? bow(points) : curve(points)}"><title>${words(edge.kind)}</title></path><path class="head" d="M${end.x.toFixed(0)} ${end.y.toFixed(0)}l${isBow ? 7 : -7}-3.5v7z"/></g>`
  }
  const drawnNode = ({ id, kind, label, text, state, attempts = [] }: GraphNode) => {
    const { x, y } = placed.nodes.get(id) ?? { x: 0, y: 0 }
    const [left, top] = [Math.round(x - width / 2), Math.round(y - height / 2)]
    const after = 14 + label.length * 7.5
    const status =
      state === null
        ? null
        : html`<svg x="${after}" y="7" width="12" height="12" overflow="visible">${glyph(state)}</svg> <text x="${after + 16}" y="17">${words(state)}</text>`
    const shown = lines(text, attempts.length === 0 ? 2 : 1)
    const look = `node${id === here ? " here" : ""}${found.has(id) ? " match" : ""}${state !== null && fallen.has(state) ? " fallen" : ""}`
    return html`<g class="${look}" data-node="${id}" transform="translate(${left} ${top})"><title>${shortened(plainText(text), 200)}</title>
      <a href="${to(pathOf(kind, id) ?? "/")}" aria-label="${label} ${state === null ? null : `${words(state)} `}${shown.join(" ")}, ${words(kind)}${attempts.length === 0 ? null : `, ${counted(attempts.length, "attempt")}`}">
      <rect width="${width}" height="${height}" rx="4"/><text class="name" x="8" y="17">${label}</text> ${status}${shown.map((each, index) => html` <text x="8" y="${34 + 16 * index}">${each}</text>`)}${marksOf(attempts)}</a></g>`
  }
  const description = `${nodes.length} objects and ${edges.length} relations, from the first on the left to their results on the right`
  return html`<div class="graph" tabindex="0" role="region" aria-label="Graph; the table below has the same">
    <svg class="net" data-graph viewBox="${placed.box.join(" ")}" width="${Math.round((placed.box[2] ?? 0) * zoom)}" height="${Math.round((placed.box[3] ?? 0) * zoom)}" role="group" aria-label="${description}">
    ${edges.map(drawnEdge)}${nodes.map(drawnNode)}</svg></div>`
}

function legend(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Html {
  const line = (look: string, kinds: readonly string[]) =>
    html`<li><svg class="net sample" viewBox="0 0 30 12" width="30" height="12" aria-hidden="true" focusable="false"><path class="edge ${look}" d="M0 6H30"/></svg>${kinds.map(words).join(", ")}</li>`
  const looks = [...Map.groupBy(edges, lineOf)].map(([look, same]) =>
    line(look, [...new Set(same.map(({ kind }) => kind))]),
  )
  const states = new Set(nodes.flatMap(({ state, attempts = [] }) => [...(state === null ? [] : [state]), ...attempts]))
  return html`<ul class="legend" aria-label="Legend">${looks}${[...states].map((state) => html`<li>${stateBadge(state)}</li>`)}</ul>`
}

const cell = (node: GraphNode): Html =>
  html`<a class="label" href="${to(pathOf(node.kind, node.id) ?? "/")}">${node.label}</a> <bdi>${shortened(plainText(node.text), 70)}</bdi>${node.state === null ? null : html` ${stateBadge(node.state)}`}`

/** A table of all relations, with a row for each object that states some. */
function asTable(known: ReadonlyMap<string, GraphNode>, edges: readonly GraphEdge[]): Html {
  const link = ({ from, withdrawn }: GraphEdge) => {
    const node = known.get(from)
    const text = node && html`<a href="${to(pathOf(node.kind, node.id) ?? "/")}">${node.label}</a>`
    return withdrawn === true ? html`<s>${text}</s>` : text
  }
  const relation = (kind: string, same: readonly GraphEdge[]) =>
    html`${same.every(({ withdrawn }) => withdrawn) ? html`<s>${words(kind)}</s>` : words(kind)} ${joined(same.map(link))}`
  const rows = [...Map.groupBy(edges, ({ to: end }) => end)].map(
    ([end, of]) =>
      html`<tr><td>${cell(present(known.get(end)))}</td><td>${joined(
        [...Map.groupBy(of, ({ kind }) => kind)].map(([kind, same]) => relation(kind, same)),
        html`<br>`,
      )}</td></tr>`,
  )
  return html`<section aria-labelledby="edges"><h2 id="edges">Relations</h2><details><summary>${counted(edges.length, "relation")} as a table</summary>${table("Relations", ["Object", "Relations"], rows)}</details></section>`
}

/** The picture, its legend and a table of the same relations. */
export function graphFigure(nodes: readonly GraphNode[], all: readonly GraphEdge[], view: View = {}): Html {
  const known = new Map(nodes.map((node) => [node.id, node]))
  const edges = all.filter(({ from, to: end }) => known.has(from) && known.has(end) && from !== end)
  // The picture shows one relation between two objects, preferably one with a tone. The table has all.
  const drawn = [...Map.groupBy(edges, ({ from, to: end }) => `${from} ${end}`).values()].map(
    (same) => same.find(({ kind }) => tones[kind] !== undefined) ?? present(same[0]),
  )
  const shown = drawable(nodes, drawn)
  const left = drawn.length - shown.length
  return html`${legend(nodes, shown)}${picture(nodes, shown, view)}
${left === 0 ? null : html`<p class="meta"><span>${counted(left, "relation")} between objects far apart ${left === 1 ? "is" : "are"} not drawn; the table has all of them.</span></p>`}
${asTable(known, edges)}`
}
