/** Renders the evidence for and against a record. */
import { enumerations } from "../../contract/schema/enumerations.ts"
import {
  type EvidenceItem,
  type EvidenceTally,
  independenceInWords,
  tallyFrom,
} from "../../contract/answers/evidence.ts"
import { pathOf } from "../addresses.ts"
import { type Content, type Html, html, to } from "../html.ts"
import { beginning, inlineMarkdown } from "../markdown.ts"
import type { Visit } from "../visit.ts"
import { counted, words } from "../words.ts"
import { stateBadge } from "./marks.ts"
import { fromOther, label, named, person, time } from "./parts.ts"
import { type OwnLink, struckIf, takeBack, takenBack } from "./withdrawal.ts"

/** How many pieces of evidence a list shows beside each record. The record's page has all of them. */
export const NEWEST = 3

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
 * @param author the record's author, if nothing beside it names them
 */
export function tally(all: EvidenceTally, author?: string): Html {
  const given = tallied.filter((verdict) => all[verdict] > 0)
  if (given.length === 0) return html`<span class="quiet">nothing counts for or against it yet</span>`
  return html`<span class="tally">${given.map((verdict) => html`${verdictCount(verdict, all[verdict])} `)}\
<span class="quiet">(${tallyFrom(all, author)}${all.doubted === 0 ? "" : `, ${all.doubted} doubted`})</span></span>`
}

const standings: { readonly [S in EvidenceItem["standing"]]: (item: EvidenceItem) => string } = {
  counted: () => "counts",
  replaced: () => "does not count: a newer verdict by it, or by a finding of the same attempts, replaces it",
  fallen: ({ by }) => `does not count: ${by.label ?? "its source"} is ${by.status ?? "no longer current"}`,
  withdrawn: () => "does not count",
  uncounted: ({ verdict }) =>
    verdict === null ? "does not count before it has a result" : "affects the standing, and is not counted",
}

function speaker({ by }: EvidenceItem): Html {
  const status =
    by.status === null || ["current", "asserted", "withdrawn"].includes(by.status)
      ? null
      : html` ${stateBadge(by.status)}`
  return html`${named(by.kind, by.id, by.label ?? words(by.kind))}${fromOther(by)}${status}\
${by.wording === null ? null : html` ${beginning(by.wording, 200)}`}`
}

/** How many of a finding's digests match the reported ones, and how many of all attempts it names. */
function checkedOf({ checked }: EvidenceItem): Content {
  if (checked === undefined) return null
  const { outputs, outputsEqual, named, attempts } = checked
  const digests =
    outputs === 0
      ? null
      : html`<span>${stateBadge(
          outputsEqual === outputs ? "succeeded" : "failed",
          `${outputsEqual} of ${counted(outputs, "digest")} as reported`,
        )}</span>`
  return html`${digests}<span>\
${attempts === 0 ? "no run behind it" : `names ${named} of ${counted(attempts, "attempt")}`}</span>`
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
  return html`<li class="${counts ? "" : "uncounted"}">${struckIf(withdrawn, badge)}<div>${speaker(item)}
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
      : html`<details class="left-out"><summary>${others.length}\
${counting.length === 0 ? "" : " more"} that ${others.length === 1 ? "does" : "do"} not count</summary>\
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
        : html`<p class="more"><a href="${to(`/records/${versionId}#bears`)}">all that bears on it</a></p>`
    }`
  }
}
