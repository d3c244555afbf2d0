/** The argument of a Room: its question, and each hypothesis with the evidence for and against it in two columns. */
import { type EvidenceItem, hasFallen } from "../../contract/answers/evidence.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { type Html, html, joined, to } from "../html.ts"
import { beginningInLink, inlineMarkdown, markdownInLink } from "../markdown.ts"
import { effectOfFinding } from "../parts/gathered.ts"
import { glyph, stateBadge, stateMark } from "../parts/marks.ts"
import { empty, label } from "../parts/parts.ts"
import { pathOf } from "../addresses.ts"
import type { Visit } from "../visit.ts"
import { counted, words } from "../words.ts"

type Hypothesis = AnswerOf<"hypotheses">["items"][number]

/** Maximum numbers of hypotheses, of pieces of evidence on each, and of attempts marked on a finding. */
const [HYPOTHESES, PIECES, MARKS] = [40, 16, 8]

/** The outcomes of the attempts behind each finding, by its id. */
export type Behind = ReadonlyMap<string, readonly string[]>

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
  const effect = by.kind === "finding" ? effectOfFinding(visit.tables.effects.of(by.id)) : null
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
export function argument(visit: Visit, room: AnswerOf<"room">, behind: Behind): Html {
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
