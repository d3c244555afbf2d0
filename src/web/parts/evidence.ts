/** Renders the evidence for and against a record, and the links that were withdrawn. */
import type { Warning } from "../../contract/answers/receipts.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { readPath, pathOf, withQuery, type Html, html, to, type Content } from "../html.ts"
import { beginning, inlineMarkdown, phrase } from "../markdown.ts"
import type { Visit } from "../visit.ts"
import { words, counted } from "../words.ts"
import { glyph, stateBadge } from "./marks.ts"
import { command, fromOther, label, named, time, ways, person } from "./parts.ts"
import { type Reviewed, withoutEvidence } from "../../contract/nouns/reviews.ts"
import { enumerations, type LinkKind } from "../../contract/schema/enumerations.ts"
import {
  type EvidenceItem,
  type EvidenceTally,
  independenceInWords,
  tallyFrom,
} from "../../contract/answers/evidence.ts"
import { linkKinds } from "../../contract/nouns/links.ts"

// Shows links that were withdrawn, and lets authors withdraw their own.

/** Whether the visitor may withdraw a link: it is theirs, is not withdrawn, and is not a retraction. */
const mayWithdraw = (visit: Visit, { author, withdrawn, kind }: OwnLink): boolean =>
  visit.canAct &&
  author.userId === visit.person?.userId &&
  withdrawn == null &&
  (kind === "finding_link" || kind === "review" || !linkKinds[kind].final)

interface OwnLink {
  readonly linkId: string
  readonly kind: LinkKind | "finding_link" | "review"
  readonly author: { readonly userId: string }
  readonly withdrawn?: object | null | undefined
}

/** A page link for taking back a link. Null if the visitor may not. */
export const takeBack = (visit: Visit, link: OwnLink): Html | null =>
  mayWithdraw(visit, link)
    ? html`<a href="${to(withQuery("/do/withdraw_link", { linkId: link.linkId }))}">Withdraw it</a>`
    : null

/** The same page link in a span, for a line of facts. */
export function ofOwn(visit: Visit, link: OwnLink): Html | null {
  const way = takeBack(visit, link)
  return way === null ? null : html`<span>${way}</span>`
}

/** Says that a link was withdrawn, and why. Null if it was not. */
export const takenBack = (
  withdrawn: { readonly at: string; readonly explanation: string } | null | undefined,
): Html | null =>
  withdrawn == null
    ? null
    : html`<p class="taken-back">${stateBadge("withdrawn", "Withdrawn")} ${time(withdrawn.at)} by its author: \
${phrase(withdrawn.explanation)} It no longer counts.</p>`

/** Strikes a text through if its link was withdrawn. */
export const struckIf = (withdrawn: unknown, text: Content): Html =>
  withdrawn == null ? html`${text}` : html`<s>${text}</s>`

// Renders the uses of a record, the warnings about it, and how to cite it.

type Use = AnswerOf<"record_uses">["items"][number]
/** How an object uses a record, as the end of a sentence that begins with the object. */
const uses: { readonly [H in Use["how"]]: string } = {
  premise: "takes it as a premise",
  reference: "refers to it",
  evidence: "cites it as evidence",
  role: "refers to it in its statement",
  reuse: "reuses it",
  verdict: "says what a finding means for it",
  reproduction: "sets out to reproduce it",
  plan_premise: "takes it as a premise",
  plan_hypothesis: "tests it",
  addressed: "addresses it",
  citation: "cites it",
  replacement: "names it as a replacement",
  dispute_evidence: "cites it as evidence",
}

function use({ how, by, at }: Use): Html {
  const name = by.label ?? (by.kind === "entry" ? "A Thread" : words(by.kind))
  const status =
    by.status === null || ["current", "asserted"].includes(by.status) ? null : html` ${stateBadge(by.status)}`
  return html`<li>${named(by.kind, by.id, name)}${fromOther(by)}${status} ${uses[how]}\
${by.wording === null ? null : html`: ${beginning(by.wording, 140)}`} <span class="clocks">${time(at)}</span></li>`
}
export const useList = (items: readonly Use[]): Html => html`<ul class="uses">${items.map(use)}</ul>`

/** Renders a warning about a record as a sentence with links. */
export function warning({
  code,
  message,
  versionId,
  label: name,
  kind,
  status,
  answered,
  through,
  attemptId,
}: Warning): Html {
  if (versionId !== undefined && name !== undefined && status !== undefined && code.includes("rests_on_"))
    return html`<li>${glyph(status)} It rests on ${label(kind ?? "record", versionId, name)}, which is ${status}\
${answered === undefined ? null : " (its author has answered)"}${
  through === undefined
    ? null
    : html`, through ${
        through.planId === undefined
          ? label("record", through.versionId ?? "", through.label)
          : label("plan", through.planId, through.label)
      }`
}.</li>`
  return html`<li>${message}\
${versionId === undefined ? null : html` <a href="${to(`/records/${versionId}`)}">Read it</a>`}${
  attemptId === undefined ? null : html` <a href="${to(`/attempts/${attemptId}`)}">See the attempt</a>`
}</li>`
}

/** The BibTeX entry of a record, to copy, and links to it in other formats. */
export function citation(visit: Visit, versionId: string): Html {
  const bibtex = visit.text("record", { versionId }, { format: "bibtex" })
  const at = (format: string) => readPath("record", { versionId }, { format })
  return html`<details><summary>BibTeX</summary>${command(bibtex.trim())}</details>${ways([
    ["As BibTeX", at("bibtex")],
    ["As CSL-JSON", at("csl")],
  ])}`
}

/** How many pieces of evidence a list shows beside each record. The record's page has all of them. */
const NEWEST = 3

/** The verdicts of a tally, in the order shown. */
export const tallied = [...enumerations.hypothesisVerdict, "reproductions", "failedReproductions"] as const

/** How often a verdict was given: "1 supports", "3 support", "2 reproductions". */
export function verdictCount(verdict: string, count: number): Html {
  if (verdict === "reproductions") return stateBadge("reproduction", counted(count, "reproduction"))
  if (verdict === "failedReproductions") return stateBadge("does_not_reproduce", counted(count, "failed reproduction"))
  return stateBadge(verdict, `${count} ${count === 1 ? words(verdict) : words(verdict).replace(/s(?= |$)/, "")}`)
}

/**
 * Renders what counts for and against a record: "2 support, 1 contradicts, 1 reproduction (from 2 other people)".
 * @param author the record's author, if nothing beside it names them @param reviewed its reviews
 */
export function tally(all: EvidenceTally, author?: string, reviewed?: Reviewed | null): Html {
  const given = tallied.filter((verdict) => all[verdict] > 0)
  if (given.length === 0) return html`<span class="quiet">${withoutEvidence(reviewed)}</span>`
  return html`<span class="tally">${given.map((verdict) => html`${verdictCount(verdict, all[verdict])} `)}\
<span class="quiet">(${tallyFrom(all, author)}${all.doubted === 0 ? "" : `, ${all.doubted} doubted`})</span></span>`
}

const standings: { readonly [S in EvidenceItem["standing"]]: (item: EvidenceItem) => string } = {
  counted: () => "counts",
  replaced: () => "does not count: replaced by a newer verdict from the same finding or attempts",
  fallen: ({ by }) => `does not count: ${by.label ?? "its source"} is ${by.status ?? "no longer current"}`,
  withdrawn: () => "does not count",
  uncounted: ({ verdict }) =>
    verdict === null ? "does not count before it has a result" : "says how the record stands, and is not counted",
}

function speaker({ by }: EvidenceItem): Html {
  const status =
    by.status === null || ["current", "asserted", "withdrawn"].includes(by.status)
      ? null
      : html` ${stateBadge(by.status)}`
  return html`${named(by.kind, by.id, by.label ?? words(by.kind))}${fromOther(by)}${status}\
${by.wording === null ? null : html` ${beginning(by.wording, 200)}`}`
}

/** How many of a finding's digests match the reported ones, and how many of all attempts it uses. */
function checkedOf({ checked }: EvidenceItem): Content {
  if (checked === undefined) return null
  const { outputs, outputsEqual, named, attempts } = checked
  const digests =
    outputs === 0
      ? null
      : html`<span>${stateBadge(
          outputsEqual === outputs ? "succeeded" : "failed",
          `${outputsEqual} of ${counted(outputs, "output hash", "output hashes")} match${outputs === 1 ? "es" : ""}`,
        )}</span>`
  return html`${digests}<span>\
${attempts === 0 ? "no run behind it" : `uses ${named} of ${counted(attempts, "attempt")}`}</span>`
}

/** Renders a piece of evidence. @param ofVisitor what this visitor may do with it */
function piece(item: EvidenceItem, ofVisitor: Content): Html {
  const {
    verdict,
    experiment,
    attempt,
    explanation,
    comparison,
    author,
    independence,
    at,
    standing,
    linkId,
    withdrawn,
  } = item
  const from = [
    experiment === undefined
      ? []
      : [html`${label("experiment", experiment.experimentId, experiment.label)}${fromOther(experiment)}`],
    attempt === undefined ? [] : [html`${label("attempt", attempt.attemptId, attempt.label)}${fromOther(attempt)}`],
  ].flat()
  const badge = verdict === null ? stateBadge("unknown", "no result yet") : stateBadge(verdict)
  const counts = standing === "counted"
  return html`<li class="${counts ? "" : "uncounted"}">${struckIf(withdrawn, badge)}<div>${speaker(item)}${
    item.part === undefined ? null : html` <span class="meta">${phrase(item.part)}</span>`
  }
${
  explanation === null || explanation === ""
    ? null
    : html`<p class="explained" dir="auto">${struckIf(withdrawn, inlineMarkdown(explanation))}</p>`
}${comparison === undefined ? null : html`<p class="explained">${comparison}</p>`}${takenBack(withdrawn)}
<p class="meta">${from.map((each) => html`<span>${each}</span>`)}${checkedOf(item)}\
<span>${person(author)}, ${independenceInWords(independence, author.username)}</span><span>${time(at)}</span>\
${
  standing === "withdrawn"
    ? null
    : html`<span>${counts ? standings[standing](item) : html`<em>${standings[standing](item)}</em>`}</span>`
}${
  linkId === null || linkId === item.by.id
    ? null
    : html`<span><a href="${to(pathOf("link", linkId) ?? "/")}">the link</a></span>`
}${ofVisitor === null ? null : html`<span>${ofVisitor}</span>`}</p></div></li>`
}

const linkKindOf = ({ source, verdict }: EvidenceItem): OwnLink["kind"] =>
  enumerations.linkKind.find((kind) => source === "research_link" && kind === verdict) ?? "finding_link"

/** What the pieces are that do not count: "retracted or superseded", unless some never counted. */
const othersAre = (others: readonly EvidenceItem[]): string =>
  others.every(({ standing }) => standing !== "uncounted") ? "retracted or superseded" : "not counted"

/** Renders pieces of evidence, newest first. Those that do not count are folded. */
export function evidenceList(visit: Visit, items: readonly EvidenceItem[]): Html | null {
  if (items.length === 0) return null
  const counting = items.filter(({ standing }) => standing === "counted")
  const others = items.filter(({ standing }) => standing !== "counted")
  const list = (some: readonly EvidenceItem[]) =>
    html`<ul class="evidence">${some.map((item) =>
      piece(
        item,
        item.linkId === null || item.standing === "withdrawn"
          ? null
          : takeBack(visit, { linkId: item.linkId, kind: linkKindOf(item), author: item.author }),
      ),
    )}</ul>`
  return html`${counting.length === 0 ? null : list(counting)}${
    others.length === 0
      ? null
      : html`<details class="left-out"><summary>${others.length} ${othersAre(others)}</summary>\
${list(others)}</details>`
  }`
}

/**
 * Reads the newest evidence on several records in one query. @returns a function that renders the evidence on one of
 * them
 */
export function evidenceBeside(visit: Visit, records: readonly { readonly versionId: string }[]) {
  const found = visit.tables.evidence.newestOn(
    records.map(({ versionId }) => versionId),
    NEWEST + 1,
  )
  return (versionId: string): Html | null => {
    const items = found.get(versionId) ?? []
    if (items.length === 0) return null
    return html`${evidenceList(visit, items.slice(0, NEWEST))}${
      items.length <= NEWEST
        ? null
        : html`<p class="more"><a href="${to(`/records/${versionId}#bears`)}">All evidence</a></p>`
    }`
  }
}
