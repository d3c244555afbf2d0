/** The argument of a Room, a table of all its relations, or the relations around one object. */
import { type EvidenceItem, hasFallen } from "../../contract/answers/evidence.ts"
import type { RoomSummary } from "../../contract/nouns/rooms.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { type Html, html, joined, to, attributes, pathOf, readPath, withQuery } from "../html.ts"
import { beginningInLink, inlineMarkdown, markdownInLink, plainText } from "../markdown.ts"
import { glyph, stateBadge, stateMark } from "../parts/marks.ts"
import { empty, label, table } from "../parts/parts.ts"
import type { Visit, Shown } from "../visit.ts"
import { counted, words, shortened } from "../words.ts"
import { limits } from "../../contract/limits.ts"
import { present } from "../../contract/typed.ts"
import { isUuid } from "../../contract/schema/fields.ts"
import { roomRail } from "../parts/room-frame.ts"
import type { GatheredEstimate, EffectAnswer } from "../../contract/answers/measurements.ts"
import { figureOn, intervalOn, scaleOf } from "../../research/measurements/statistics.ts"
import { contrastInWords } from "../../research/measurements/in-words.ts"

// Renders effects in one line, for cards of findings.

type Estimate = Pick<GatheredEstimate, "estimate" | "low" | "high" | "se">

/** A difference with its interval and its unit: "−3.69 points, −3.91 to −3.47". */
function withInterval({ estimate, low, high, se }: Estimate, unit: string | null): Html {
  const scale = scaleOf(unit)
  const spread = low === null ? "no spread known" : intervalOn(scale, low, high, se)
  return html`<span class="effect"><strong>${figureOn(scale, estimate, se)}${scale.difference}</strong> \
<span class="quiet">${spread}</span></span>`
}

/** Renders the first effect of a finding in one line. @returns null if there is none, or it has no estimate any more */
function effectOfFinding([effect]: readonly EffectAnswer[]): Html | null {
  if (effect === undefined || effect.estimate === null) return null
  const { estimate, low, high, se, pairs, ofCount, againstCount, unit } = effect
  const n = pairs ?? Math.min(ofCount ?? 0, againstCount ?? 0)
  return html`<span title="${contrastInWords(effect)}, n ${n}">\
${withInterval({ estimate, low, high, se }, unit)}</span>`
}

// The argument of a Room: its question, and each hypothesis with the evidence for and against it in two columns.

type Hypothesis = AnswerOf<"hypotheses">["items"][number]

/** Maximum numbers of hypotheses, of pieces of evidence on each, and of attempts marked on a finding. */
const [HYPOTHESES, PIECES, MARKS] = [40, 16, 8]

/** The outcomes of the attempts behind each finding, by its id. */
type Behind = ReadonlyMap<string, readonly string[]>

function dots(outcomes: readonly string[]): Html | null {
  if (outcomes.length === 0) return null
  const counts = [...Map.groupBy(outcomes, (outcome) => outcome)].map(
    ([outcome, same]) => `${same.length} ${words(outcome)}`,
  )
  const summary = `${counted(outcomes.length, "attempt")}: ${counts.join(", ")}`
  return html`<span class="dots" role="img" aria-label="${summary}" title="${summary}">\
${outcomes.slice(0, MARKS).map(glyph)}${outcomes.length > MARKS ? `+${outcomes.length - MARKS}` : null}</span>`
}

/** Renders a piece of evidence as a card: struck through if it does not count, and marked if it is independent. */
function card(visit: Visit, piece: EvidenceItem, behind: Behind): Html {
  const { by, verdict, author, independent, standing } = piece
  const isOut = standing !== "counted"
  const text = html`<span class="label">${by.label ?? words(by.kind)}</span> ${beginningInLink(by.wording ?? "", 90)}`
  const effect = by.kind === "finding" ? effectOfFinding(visit.effects(by.id)) : null
  const why =
    by.status !== null && by.status !== "current"
      ? stateBadge(by.status)
      : isOut
        ? stateBadge("withdrawn", "does not count")
        : null
  return html`<li class="says ${verdict ?? ""}${isOut ? " out" : ""}" data-node="${by.id}">\
<a href="${to(pathOf(by.kind, by.id) ?? "/")}">${isOut ? html`<s>${text}</s>` : text}</a><span class="meta">\
<span>${author.username}</span>${independent ? html`<span>${stateBadge("independent", "independent")}</span>` : null}\
${why === null ? null : html`<span>${why}</span>`}${effect === null ? null : html`<span>${effect}</span>`}\
${dots(behind.get(by.id) ?? [])}</span></li>`
}

const sides: readonly (readonly [string, readonly string[]])[] = [
  ["For", ["supports", "reproduces", "partly_reproduces"]],
  ["Against", ["contradicts", "does_not_reproduce"]],
]

function row(visit: Visit, hypothesis: Hypothesis, pieces: readonly EvidenceItem[], behind: Behind): Html {
  const { versionId, label: text, wording, verdict = "untested", status } = hypothesis
  // Research links, such as disputes, have no column. Replaced pieces give way to newer ones.
  const speaking = pieces.filter(({ source, standing }) => source !== "research_link" && standing !== "replaced")
  const undecided = speaking.filter(
    ({ verdict: bearing, standing }) => bearing === "inconclusive" && standing === "counted",
  )
  const column = ([name, verdicts]: (typeof sides)[number]) => {
    const found = speaking.filter(({ verdict: bearing }) => bearing !== null && verdicts.includes(bearing))
    const inOrder = found.toSorted(
      (one, other) => Number(other.standing === "counted") - Number(one.standing === "counted"),
    )
    const each = [...new Map(inOrder.toReversed().map((piece) => [piece.by.id, piece])).values()].toReversed()
    return html`<td data-is="${name}">${
      found.length === 0
        ? html`<span class="quiet">–</span>`
        : html`<ul>${each.map((piece) => card(visit, piece, behind))}</ul>`
    }</td>`
  }
  const name = html`<span class="label">${text}</span> ${markdownInLink(wording)}`
  return html`<tr class="argues" data-node="${versionId}"><th scope="row">\
<a href="${to(`/records/${versionId}`)}" dir="auto">${hasFallen(status) ? html`<s>${name}</s>` : name}</a>\
<span class="meta"><span>${stateBadge(verdict)}</span>\
${status === "current" ? null : html`<span>${stateBadge(status)}</span>`}\
${
  undecided.length === 0
    ? null
    : html`<span>${joined(undecided.map(({ by }) => label("finding", by.id, by.label ?? "")))} leaves it open</span>`
}</span></th>${sides.map(column)}</tr>`
}

const legend = html`<ul class="legend" aria-label="Legend"><li><span class="line supports" aria-hidden="true"></span>\
${stateBadge("supports", "speaks for it")}</li><li><span class="line contradicts" aria-hidden="true"></span>\
${stateBadge("contradicts", "speaks against it")}</li><li><s>F3</s> retracted, superseded or withdrawn</li>\
<li>${stateBadge("independent", "independent")} by another person than the hypothesis</li><li>${stateMark("succeeded")}\
${stateMark("failed")} the attempts behind a finding</li></ul>`

/** Renders the argument. @param behind the outcomes of the attempts behind each finding */
function argument(visit: Visit, room: RoomSummary, behind: Behind): Html {
  const { items, hasMore } = visit.ask("hypotheses", {}, { roomId: room.roomId, limit: HYPOTHESES })
  if (items.length === 0) return empty("There is no hypothesis yet. Publish one first.")
  const versionIds = items.map(({ versionId }) => versionId)
  const pieces = visit.tables.evidence.newestOn(versionIds, PIECES)
  const rows = items.toSorted((one, other) => Number(one.label.slice(1)) - Number(other.label.slice(1)))
  const linked = new Set([...pieces.values()].flat().map(({ by }) => by.id))
  const { items: findings } = visit.ask("publications", {}, { roomId: room.roomId, kinds: "finding", limit: 50 })
  const unlinked = findings.filter(({ versionId, status }) => !linked.has(versionId) && !hasFallen(status))
  return html`${
    room.question === null ? null : html`<p class="lead asks" dir="auto">${inlineMarkdown(room.question)}</p>`
  }${legend}
<div class="table argument" tabindex="0" role="group" aria-label="Hypotheses, and what speaks for and against each">\
<table data-argument><caption class="aside">Hypotheses, and what speaks for and against each</caption><thead><tr>\
<th scope="col">Hypothesis</th>${sides.map(([name]) => html`<th scope="col">${name}</th>`)}</tr></thead>\
<tbody>${rows.map((hypothesis) => row(visit, hypothesis, pieces.get(hypothesis.versionId) ?? [], behind))}</tbody>\
</table></div>
${
  hasMore
    ? html`<p class="meta">These are the newest ${items.length} hypotheses. The list of hypotheses has all of them.</p>`
    : null
}${
  unlinked.length > 0 &&
  html`<section aria-labelledby="silent"><h2 id="silent">Findings that answer no hypothesis</h2>\
<ul class="uses">${unlinked.map(
    ({ versionId, label: text, outcome, wording }) =>
      html`<li data-node="${versionId}">${label("finding", versionId, text)} \
${outcome === null ? null : stateBadge(outcome)} <a class="plainly" href="${to(`/records/${versionId}`)}">\
${beginningInLink(wording, 160)}</a> ${dots(behind.get(versionId) ?? [])}</li>`,
  )}</ul></section>`
}`
}

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
  // Many relations lead to one object, and all are of a few kinds.
  const links = new Map<string, Html>()
  const linkTo = (node: Node) =>
    links.getOrInsertComputed(
      node.id,
      () => html`<a href="${to(pathOf(node.kind, node.id) ?? "/")}">${named(node)}</a>`,
    )
  const kindNames = new Map<string, Html>()
  const nameOf = (kind: string) => kindNames.getOrInsertComputed(kind, () => html`${words(kind)}`)
  const link = ({ to: end, isOut }: Relation) => {
    const node = known.get(end)
    return node && struck(isOut, linkTo(node))
  }
  const ofKind = (kind: string, same: readonly Relation[]) => {
    const isOut = same.every((each) => each.isOut)
    // Several writes may state one relation. It is struck through if all of them were withdrawn.
    const ends = new Map<string, Relation>()
    for (const each of same) if (ends.get(each.to)?.isOut !== false) ends.set(each.to, each)
    return html`${struck(isOut, nameOf(kind))} ${joined([...ends.values()].map(link))}`
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
  const room = visit.room(roomId)
  const focus = uuidIn(visit.parameter("focus") ?? "")
  const depth = DEPTHS.find((known) => String(known) === visit.parameter("depth")) ?? 1
  // A link between two objects counts as a step in the read, and not for a reader.
  const query = focus === undefined ? {} : { focus, depth: Math.min(limits.provenanceDepth, 2 * depth) }
  const found = visit.ask("room_provenance", { roomId }, query)
  const { objects, relations } = relationsIn(found)
  const shown = newest(objects, focus)
  const rows = () => html`${leftOut(objects.length - shown.length, found)}${relationTable(shown, relations)}`
  const path = `/rooms/${roomId}/graph`
  const toArgument = html`<span><a href="${to(path)}">The argument of the Room</a></span>`
  const within = DEPTHS.map((each) => {
    const address = to(withQuery(path, { focus, depth: each }))
    const isHere = attributes({ "aria-current": each === depth ? "true" : null })
    return html`<a href="${address}"${isHere}>${counted(each, "step")}</a> `
  })
  const focused = found.nodes.find(({ id }) => id === focus)
  // The table is as long as the argument again, and few readers want both.
  const isTable = visit.parameter("view") === "relations"
  const count = counted(relations.length, "relation")
  const body =
    focused !== undefined
      ? html`<h1>Graph around ${named(focused)}</h1><p class="meta"><span>within ${within}</span>
${toArgument}</p>${rows()}`
      : isTable
        ? html`<h1>Relations</h1><p class="meta"><span>${count}</span>${toArgument}</p>${rows()}`
        : html`<h1>Argument</h1>${argument(visit, room, attemptsBehind(found))}
<p class="more"><a href="${to(withQuery(path, { view: "relations" }))}">${count} as a table</a></p>`
  return {
    title: `Graph · ${room.title}`,
    rail: roomRail(room, "/graph"),
    json: readPath("room_provenance", { roomId }, { focus, depth: focus === undefined ? undefined : depth }),
    wide: true,
    body,
  }
}
