/** The page of a link: a statement about a record, a finding's verdicts on an experiment, or a review. */
import { partInWords } from "../../contract/definitions/sentence.ts"
import { accepted } from "../../contract/reads/shared.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { entryPath, readPath, type Content, type Html, html, to } from "../html.ts"
import { beginning, inlineMarkdown, phrase } from "../markdown.ts"
import { whyNot } from "../parts/actions.ts"
import { firstScreen, type FirstScreen, stands, roomRail, nextAct } from "../parts/room-frame.ts"
import { stateBadge } from "../parts/marks.ts"
import { nextOfLink } from "../parts/next-acts.ts"
import { digest, exactTime, facts, fold, label, named, ofHypothesis, person, recordChip, ways } from "../parts/parts.ts"
import { reviewBody } from "../parts/judging.ts"
import { struckIf, takeBack, takenBack } from "../parts/evidence.ts"
import type { Shown, Visit } from "../visit.ts"
import { counted, title, words } from "../words.ts"
import { effectsOf } from "./forest.ts"

type Link = AnswerOf<"link">
type Answered = NonNullable<Extract<Link, { answered: unknown }>["answered"]>

/** Renders the statement by which a record's author answered a dispute. */
const answeredBy = (threadId: string, { by, linkId, entryId, at }: Answered): Html =>
  html`<p>Its author answered by \
<a href="${to(linkId === undefined ? entryPath(threadId, entryId ?? "") : `/links/${linkId}`)}">a ${words(by)}</a>, \
${exactTime(at)}.</p>`

/** What the record that a link is about measured, or its sentence where it measured nothing. */
function measuredBy(visit: Visit, roomId: string, record: Parameters<typeof recordChip>[0]): Html {
  const picture = effectsOf(visit, roomId, visit.effects(record.versionId), record.label)
  return picture ?? html`<p class="claimed">${stateBadge("untested", `${record.label} has no measured effect`)}</p>`
}

type Screen = Pick<FirstScreen, "meta" | "sentence" | "scope" | "picture" | "verdict">

/** A finding's verdicts on the question of an experiment and on its hypotheses. */
function ofFinding(visit: Visit, link: Extract<Link, { kind: "finding_link" }>, own: Content): Screen {
  const { finding, experimentId, experimentLabel, attemptId, attemptLabel, towardQuestion, withdrawn } = link
  return {
    meta: html`<span>${label("finding", finding.versionId, finding.label)} about \
${label("experiment", experimentId, experimentLabel)}</span><span>${person(link.author)}</span>\
<span>${exactTime(link.at)}</span>${own}`,
    sentence: html`<h1>What ${finding.label} says about ${experimentLabel}</h1>`,
    scope: html`<ul class="verdicts"><li>${struckIf(withdrawn, stateBadge(towardQuestion.verdict))} the \
question: ${phrase(towardQuestion.explanation)}</li>${link.towardHypothesis.map(
      (hypothesis) =>
        html`<li>${struckIf(withdrawn, stateBadge(hypothesis.verdict))} ${ofHypothesis(hypothesis)}: \
${phrase(hypothesis.explanation)}</li>`,
    )}</ul><p>${recordChip(finding, 200)}${
      attemptId !== null && html` from ${label("attempt", attemptId, attemptLabel ?? "")}`
    }</p>`,
    picture: measuredBy(visit, link.roomId, finding),
    verdict: stands(
      struckIf(withdrawn, stateBadge(towardQuestion.verdict)),
      html`<a href="${to(entryPath(link.card.threadId, link.card.entryId))}">\
${counted(link.replies, "reply", "replies")}</a>`,
    ),
  }
}

/** A review, with what was done to check. */
function ofReview(visit: Visit, link: Extract<Link, { kind: "review" }>): Screen {
  const { kind, id, label: text, says } = link.target
  const record = kind === "finding" ? visit.record(id) : null
  return {
    meta: html`<span>review of ${named(kind, id, text ?? words(kind))}</span>\
<span>${person(link.author)}</span><span>${exactTime(link.at)}</span>`,
    sentence: html`<h1>${struckIf(link.withdrawn, stateBadge(link.verdict, title(link.verdict)))}</h1>`,
    scope: reviewBody(visit, link, true),
    picture: html`${says && html`<blockquote class="said" dir="auto">${beginning(says, 400)}</blockquote>`}\
${record && effectsOf(visit, record.roomId, visit.effects(id), record.label)}`,
    verdict: stands(
      struckIf(link.withdrawn, stateBadge(link.verdict)),
      link.answered === null ? "The author has not answered yet." : "The author has answered.",
    ),
  }
}

/** A dispute, correction, retraction or supersession. */
function ofStatement(visit: Visit, link: Exclude<Link, { kind: "finding_link" | "review" }>, own: Content): Screen {
  const { part, correction, evidence = [] } = accepted("link", link.content)
  const named = (versionId: string): Html => {
    const record = visit.record(versionId)
    return record === null
      ? html`<a href="${to(`/records/${versionId}`)}">a record</a>`
      : label(record.kind, versionId, record.label)
  }
  return {
    meta: html`<span><span class="label">${link.label}</span> link</span>\
<span>${person(link.author)}</span><span>${exactTime(link.at)}</span>${own}`,
    sentence: html`<h1>${struckIf(link.withdrawn, stateBadge(link.kind, `${title(link.kind)} ${link.target.label}`))}\
</h1>`,
    scope: html`<p class="said" dir="auto">${inlineMarkdown(link.explanation)}</p>\
${part && html`<p><strong>Disputed part:</strong> ${phrase(partInWords(part))}</p>`}\
${correction && html`<p><strong>Correction:</strong> ${phrase(correction)}</p>`}\
<p>${recordChip(link.target, 220)}</p>\
${link.answered && answeredBy(link.threadId, link.answered)}\
${link.replacement && html`<p>Replaced by ${recordChip(link.replacement, 220)}</p>`}\
${evidence.length > 0 && html`<p>Evidence: ${evidence.map((versionId) => html`${named(versionId)} `)}</p>`}`,
    picture: measuredBy(visit, link.roomId, link.target),
    verdict: stands(
      stateBadge(link.status, `${link.target.label} is ${words(link.status)}`),
      link.kind === "disputes" &&
        link.withdrawn === null &&
        (link.answered === null ? "No answer from its author yet." : "Its author has answered."),
    ),
  }
}

export function linkPage(visit: Visit): Shown {
  const link = visit.ask("link", visit.params)
  const room = visit.room(link.roomId)
  const json = readPath("link", { linkId: link.linkId })
  const way = takeBack(visit, link)
  const own = way && html`<span>${way}</span>`
  const screen =
    link.kind === "finding_link"
      ? ofFinding(visit, link, own)
      : link.kind === "review"
        ? ofReview(visit, link)
        : ofStatement(visit, link, own)
  const { threadId, entryId } = link.kind === "finding_link" ? link.card : link
  return {
    title:
      link.kind === "finding_link"
        ? `${link.finding.label} and ${link.experimentLabel}`
        : link.kind === "review"
          ? `Review of ${link.target.label ?? words(link.target.kind)}`
          : `${link.label}: ${words(link.kind)} ${link.target.label}`,
    rail: roomRail(room),
    wide: true,
    json,
    body: html`${firstScreen({
      ...screen,
      standing:
        link.withdrawn !== null &&
        link.kind !== "review" &&
        html`<div class="banner quiet" role="note" aria-label="Withdrawn">${takenBack(link.withdrawn)}</div>`,
      next: nextAct(visit, room, nextOfLink(link)) ?? whyNot(visit, room),
    })}
${fold(
  "about",
  "Provenance",
  "its place in the Thread",
  facts([
    ["Content digest", link.kind === "finding_link" ? null : digest(link.contentDigest)],
    ["Said at", html`<a href="${to(entryPath(threadId, entryId))}">its place in the Thread</a>`],
  ]),
)}
${ways([["JSON", json]])}`,
  }
}
