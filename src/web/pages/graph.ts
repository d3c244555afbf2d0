/** The argument of a Room with a table of all its relations, or the relations around one object. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { limits } from "../../contract/limits.ts"
import { present } from "../../contract/present.ts"
import { isUuid } from "../../contract/schema/fields.ts"
import { pathOf, readPath, withQuery } from "../addresses.ts"
import { attributes, type Html, html, joined, to } from "../html.ts"
import { plainText } from "../markdown.ts"
import { stateBadge } from "../parts/marks.ts"
import { empty, table, ways } from "../parts/parts.ts"
import { roomRail } from "../parts/room-frame.ts"
import { argument, type Behind } from "./argument.ts"
import type { Shown, Visit } from "../visit.ts"
import { counted, shortened, words } from "../words.ts"

/** Maximum number of objects in the table: the newest. */
const MOST = 75
/** Steps around an object in focus. */
const DEPTHS = [1, 2, 5] as const

type Provenance = AnswerOf<"room_provenance">
type Node = Provenance["nodes"][number]
type Edge = Provenance["edges"][number]

const uuidIn = (text: string) => (isUuid(text) ? text.toLowerCase() : undefined)

/** The outcomes of the attempts behind each finding, by its id. */
function attemptsBehind({ nodes, edges }: Provenance): Behind {
  const attempts = new Map(nodes.filter(({ kind }) => kind === "attempt").map((node) => [node.id, node]))
  const results = edges.filter(({ kind, to: end }) => kind === "results_from" && attempts.has(end))
  const outcomeOf = ({ to: end }: Edge) => attempts.get(end)?.outcome ?? attempts.get(end)?.status ?? "unknown"
  return new Map([...Map.groupBy(results, ({ from }) => from)].map(([finding, of]) => [finding, of.map(outcomeOf)]))
}

const named = ({ kind, label }: Node): string => label ?? words(kind)
const stateOf = ({ status, outcome }: Node): string | null => (status === "current" ? outcome : (status ?? outcome))

const cell = (node: Node): Html => {
  const state = stateOf(node)
  return html`<a class="label" href="${to(pathOf(node.kind, node.id) ?? "/")}">${named(node)}</a> <bdi>${shortened(
    plainText(node.title),
    70,
  )}</bdi>${state === null ? null : html` ${stateBadge(state)}`}`
}

interface Relation extends Edge {
  /** Whether the link that states it was withdrawn. */
  readonly isOut: boolean
}

/** The objects and their relations. What a link of a finding states is a relation of the finding itself. */
function relationsIn({ nodes, edges }: Provenance) {
  const known = new Map(nodes.map((node) => [node.id, node]))
  const isLink = (id: string) => known.get(id)?.kind === "finding_link"
  const findingOf = new Map(
    edges.flatMap(({ from, to: end, kind }) => (kind === "relates" && isLink(from) ? [[from, end] as const] : [])),
  )
  const relations = edges.flatMap((edge): Relation[] => {
    const isOut = known.get(edge.from)?.status === "withdrawn"
    if (!isLink(edge.from)) return [{ ...edge, isOut }]
    const finding = findingOf.get(edge.from)
    return finding === undefined || edge.kind === "relates" ? [] : [{ ...edge, from: finding, isOut }]
  })
  return { objects: nodes.filter(({ kind }) => kind !== "finding_link"), relations }
}

/** A table of relations, with a row for each object that states some. What was withdrawn is struck through. */
function relationTable(objects: readonly Node[], all: readonly Relation[]): Html {
  const known = new Map(objects.map((node) => [node.id, node]))
  const relations = all.filter(({ from, to: end }) => known.has(from) && known.has(end) && from !== end)
  const struck = (isOut: boolean, part: Html): Html => (isOut ? html`<s>${part}</s>` : part)
  const link = ({ to: end, isOut }: Relation) => {
    const node = known.get(end)
    return node && struck(isOut, html`<a href="${to(pathOf(node.kind, node.id) ?? "/")}">${named(node)}</a>`)
  }
  const ofKind = (kind: string, same: readonly Relation[]) => {
    const isOut = same.every((each) => each.isOut)
    return html`${struck(isOut, html`${words(kind)}`)} ${joined(same.map(link))}`
  }
  const rows = [...Map.groupBy(relations, ({ from }) => from)].map(([from, of]) => {
    const kinds = [...Map.groupBy(of, ({ kind }) => kind)].map(([kind, same]) => ofKind(kind, same))
    return html`<tr><td>${cell(present(known.get(from)))}</td><td>${joined(kinds, html`<br>`)}</td></tr>`
  })
  return rows.length === 0 ? empty("There are no relations yet.") : table("Relations", ["Object", "Relations"], rows)
}

/** Says which objects the table leaves out. */
function leftOut(older: number, { truncated }: Provenance): Html {
  const notes = [
    older > 0 ? `${counted(older, "older object")} left out` : null,
    Object.keys(truncated).length > 0
      ? `only the newest ${limits.provenanceNodes} objects of a kind are included`
      : null,
  ].filter((part) => part !== null)
  return html`<p class="meta">${notes.map((part) => html`<span>${part}</span>`)}</p>`
}

const newest = (nodes: readonly Node[], focus: string | undefined): readonly Node[] => {
  const ids = new Set(
    nodes
      .map(({ id }) => id)
      .toSorted()
      .slice(-MOST),
  )
  return nodes.filter(({ id }) => ids.has(id) || id === focus)
}

export function graphPage(visit: Visit): Shown {
  const roomId = visit.id("roomId")
  const room = visit.ask("room", { roomId })
  const focus = uuidIn(visit.parameter("focus") ?? "")
  const depth = DEPTHS.find((known) => String(known) === visit.parameter("depth")) ?? 1
  // A link between two objects counts as a step in the read, and not for a reader.
  const query = focus === undefined ? {} : { focus, depth: Math.min(limits.provenanceDepth, 2 * depth) }
  const found = visit.ask("room_provenance", { roomId }, query)
  const { objects, relations } = relationsIn(found)
  const shown = newest(objects, focus)
  const rows = html`${leftOut(objects.length - shown.length, found)}${relationTable(shown, relations)}`
  const within = DEPTHS.map((each) => {
    const address = to(withQuery(`/rooms/${roomId}/graph`, { focus, depth: each }))
    const isHere = attributes({ "aria-current": each === depth ? "true" : null })
    return html`<a href="${address}"${isHere}>${counted(each, "step")}</a> `
  })
  const focused = found.nodes.find(({ id }) => id === focus)
  const body =
    focused === undefined
      ? html`<h1>Argument</h1>${argument(visit, room, attemptsBehind(found))}
<section aria-labelledby="edges"><h2 id="edges">Relations</h2><details><summary>${counted(
          relations.length,
          "relation",
        )} as a table</summary>${rows}</details></section>`
      : html`<h1>Graph around ${named(focused)}</h1><p class="meta"><span>within ${within}</span>
<span><a href="${to(`/rooms/${roomId}/graph`)}">The argument of the Room</a></span></p>${rows}`
  return {
    title: `Graph · ${room.title}`,
    rail: roomRail(room, "/graph"),
    json: readPath("room_provenance", { roomId }, { focus, depth: focus === undefined ? undefined : depth }),
    wide: true,
    body: html`${body}
${ways([["JSON", readPath("room_provenance", { roomId }, { focus })]])}`,
  }
}
