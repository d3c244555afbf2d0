/** The front page of a Room: its answer, and lists of hypotheses, findings, failures, next steps and open questions. */
import { speakingPurposes, tallyFrom } from "../../contract/answers/evidence.ts"
import { staleSentence } from "../../contract/nouns/checkpoints.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { type Content, type Html, html, joined, to, withQuery } from "../html.ts"
import { markdownInLink, beginning, inlineMarkdown } from "../markdown.ts"
import { act, whyNot, roleIn } from "../parts/actions.ts"
import { stateBadge, stateMark } from "../parts/marks.ts"
import { empty, heading, label, named, person, table, time, clock, list } from "../parts/parts.ts"
import { reviewLine, selectedCheckpoint } from "../parts/judging.ts"
import type { Visit } from "../visit.ts"
import { words, counted } from "../words.ts"
import { writerName, reproducedByOthers } from "../../contract/answers/parts.ts"
import { stepItem } from "../parts/next-acts.ts"
import { untilWhen } from "../parts/work.ts"
import { firstParagraph } from "../../contract/text.ts"
import { drawnOnce, effectFigure, repeatedBy, tableOfRoom } from "./effects.ts"
import { numbersLine, numbersOf } from "../parts/numbers.ts"

/**
 * The parts of a Room's context that the front page needs. Hypotheses come from the brief, findings from a list of
 * their own.
 */
export const shownParts = [
  "room",
  "threads",
  "experiments",
  "findingLinks",
  "openQuestions",
  "conclusions",
  "syntheses",
] as const
export type Context = Pick<AnswerOf<"room_context">, (typeof shownParts)[number] | "activityWatermark">
export type Brief = AnswerOf<"room_brief">

/** Items shown of each list. The sections of the Room show all. */
const SHOWN = { failures: 3, next: 4, questions: 3, work: 3 }
/** Maximum numbers of pieces of evidence read for each hypothesis, and of records named on each side. */
const [PIECES, NAMED] = [12, 3]

type Pieces = ReturnType<Visit["tables"]["evidence"]["newestOn"]>
/** Renders the labels of the records that speak for a hypothesis, or against it. */
function speaking(pieces: Pieces, versionId: string, verdict: string): Content {
  const found = (pieces.get(versionId) ?? []).filter(
    (piece) => piece.standing === "counted" && piece.verdict === verdict,
  )
  const chips = [...new Map(found.map(({ by }) => [by.id, named(by.kind, by.id, by.label ?? words(by.kind))])).values()]
  if (chips.length === 0) return html`<span class="quiet">–</span>`
  return html`${joined(chips.slice(0, NAMED), " ")}\
${chips.length > NAMED ? html` <span class="meta">+${chips.length - NAMED}</span>` : null}`
}

/** Renders the first hypotheses with their verdicts, and the evidence for and against them. */
export function beliefs(visit: Visit, { room }: Context, { hypotheses }: Brief, most: number): Html {
  const shown = hypotheses.slice(0, most)
  const pieces = visit.tables.evidence.newestOn(
    shown.map(({ versionId }) => versionId),
    PIECES,
  )
  const rows = shown.map(({ versionId, label: text, says, status, evidence, verdict }) => {
    // What its author alone said may have been run again by others.
    const { verdictFrom } = evidence.independent > 0 ? {} : (visit.record(versionId) ?? {})
    const reproduced = verdictFrom == null ? null : reproducedByOthers(verdictFrom)
    const isInPart = pieces.get(versionId)?.some(({ standing, part }) => standing === "counted" && part !== undefined)
    const from =
      verdict === "untested"
        ? null
        : html`<br> <span class="meta">${tallyFrom(evidence)}${reproduced && `; ${reproduced}`}</span>`
    return html`<tr data-entry><td>${label("hypothesis", versionId, text)}</td><td>\
<a class="wording" href="${to(`/records/${versionId}`)}" dir="auto">${markdownInLink(says)}</a></td>
<td class="verdict">${stateBadge(verdict, isInPart ? `${words(verdict)} in part` : undefined)}\
${status === "current" ? null : html` ${stateBadge(status)}`}${from}</td>\
<td data-is="For" class="speaking">${speaking(pieces, versionId, "supports")}</td>\
<td data-is="Against" class="speaking">${speaking(pieces, versionId, "contradicts")}</td></tr>`
  })
  const all = html`<a href="${to(`/rooms/${room.roomId}/hypotheses`)}">All ${room.counts.hypothesis}</a>`
  const at = { roomId: room.roomId, threadId: room.openingThreadId }
  const nothing = empty(
    "No hypothesis yet. A hypothesis is a prediction that can turn out wrong.",
    whyNot(visit, room) ?? act("publish_hypothesis", at, "Write down a hypothesis", "first"),
  )
  const head = ["", "Hypothesis", "Verdict", "For", "Against"]
  return html`<section aria-labelledby="hypotheses">\
${heading(2, "hypotheses", "Hypotheses", room.counts.hypothesis > shown.length ? all : undefined)}
<div id="live-hypotheses" data-live>${rows.length === 0 ? nothing : table("Hypotheses", head, rows, "stacked")}</div>\
</section>`
}

type Links = Context["findingLinks"]
/** Returns a finding's verdicts on experiments and records, from its links and references, without duplicates. */
function bearsOn(visit: Visit, versionId: string, links: Links): Html[] {
  const verdicts = new Map<string, Html>()
  for (const { versionId: id, label: text, kind, purpose } of visit.record(versionId)?.references ?? [])
    if (purpose !== undefined && speakingPurposes.some((speaking) => speaking === purpose))
      verdicts.set(id, html`${stateMark(purpose)}${label(kind, id, text)}`)
  for (const link of links) {
    if (link.finding.versionId !== versionId || link.withdrawn !== null) continue
    for (const { versionId: id, label: text, verdict } of link.towardHypothesis)
      verdicts.set(id, html`${stateMark(verdict)}${label("hypothesis", id, text)}`)
    if (link.towardHypothesis.length === 0)
      verdicts.set(
        link.experimentId,
        html`${stateMark(link.towardQuestion.verdict)}${label("experiment", link.experimentId, link.experimentLabel)}`,
      )
  }
  return [...verdicts.values()]
}

/** Renders the newest findings of any outcome, and marks those that answer nothing yet. */
export function findings(visit: Visit, { room, findingLinks }: Context, most: number): Html {
  const { items } = visit.ask("publications", {}, { roomId: room.roomId, kinds: "finding", limit: most })
  const rows = items.map(({ versionId, label: text, outcome, status, wording, author, createdAt, reviewed }) => {
    const bears = bearsOn(visit, versionId, findingLinks)
    const stands = status === "current" ? (outcome ?? status) : status
    return html`<li data-entry>${label("finding", versionId, text)}<span>${stateBadge(stands)}</span>\
<a class="wording" href="${to(`/records/${versionId}`)}" dir="auto">${markdownInLink(wording)}</a><span class="meta">\
<span>${
      bears.length === 0 ? stateBadge("untested", "answers nothing yet") : joined(bears, " ")
    }</span>${reviewed ? html`<span>${reviewLine(reviewed)}</span>` : null}<span>${person(author)}</span>\
<span>${time(createdAt)}</span></span></li>`
  })
  // That page lists cited claims too.
  const count = room.counts.finding + room.counts.cited_claim
  const all = html`<a href="${to(`/rooms/${room.roomId}/findings`)}">All ${count}</a>`
  return html`<section aria-labelledby="findings">\
${heading(2, "findings", "Findings", count > items.length ? all : undefined)}
<div id="live-found" data-live>\
${
  rows.length === 0
    ? empty("No finding yet. A finding reports a result, which can be positive, negative or inconclusive.")
    : html`<ul class="found">${rows}</ul>`
}</div></section>`
}

type Failure = Brief["failures"][number]
/** A key that is the same for failures which differ only in numbers. */
const failureKey = ({ kind, why }: Failure): string => `${kind} ${why.replace(/[0-9]+/g, "0")}`

/** Renders what failed and why, in groups of similar failures. */
export function failures(roomId: string, { failures: all, omitted }: Brief): Html | null {
  // An attempt that diverged and failed is listed as failed.
  const failed = new Set(all.filter(({ kind }) => kind === "attempt_failed").map(({ id }) => id))
  const shown = all.filter(({ kind, id }) => !(kind === "attempt_diverged" && failed.has(id)))
  const groups = [...Map.groupBy(shown, failureKey).values()]
  if (groups.length === 0) return null
  const line = (same: readonly Failure[]) => {
    const kind = same[0]?.kind === "retraction" ? "link" : "attempt"
    return html`<li>${stateMark(kind === "link" ? "retracted" : "failed")}\
${joined(same.map(({ id, label: text }) => named(kind, id, text ?? words(kind))))} <span class="why" dir="auto">\
${beginning(same[0]?.why ?? "", 160)}</span></li>`
  }
  const isMore = groups.length > SHOWN.failures || omitted.failures !== undefined
  const more = isMore ? html`<a href="${to(`/rooms/${roomId}/attempts?status=failed`)}">All that failed</a>` : undefined
  return html`<section aria-labelledby="failed">${heading(2, "failed", "What failed", more)}\
<ul class="lines one" id="live-failed" data-live>${groups.slice(0, SHOWN.failures).map(line)}</ul></section>`
}

const takenAt = (visit: Visit, experimentId: string): string | undefined =>
  visit.ask("experiment_history", { experimentId }).items.findLast(({ operation }) => operation === "take_experiment")
    ?.at

/** Renders an open question as a link to its Thread. */
const question = ({ question: text, threadId }: Context["openQuestions"][number]): Html =>
  html`<a class="plainly" href="${to(`/threads/${threadId}`)}" \
title="The Thread of this question"><bdi>${markdownInLink(text)}</bdi></a>`

/** Renders the first open question, the next steps, and the experiments in progress with their assignees. */
export function next(
  visit: Visit,
  { room, experiments, openQuestions }: Context,
  { next: steps, work, claims }: Brief,
): Html {
  const asks = new Map(work.map(({ experimentId, question }) => [experimentId, question]))
  const taken = experiments.filter(
    ({ assignee, status }) => assignee !== null && (status === "claimed" || status === "in_progress"),
  )
  // Questions have a list of their own. One finding to reproduce is enough.
  const seen = new Set<string>()
  const own = steps
    .filter(
      ({ what }) => what !== "answer_question" && !(what === "reproduce_finding" && seen.has(what)) && seen.add(what),
    )
    .slice(0, SHOWN.next)
  const running = taken.slice(-SHOWN.work).map(
    ({ experimentId, label: text, question, assignee, updatedAt, ...held }) =>
      html`<li><div>${stateBadge("in_progress", "In hand")} ${label("experiment", experimentId, text)} \
<span class="why" dir="auto">${beginning(question, 90)}</span> <span class="meta"><span>${assignee && person(assignee)}\
${untilWhen(held)}</span><span>since ${time(takenAt(visit, experimentId) ?? updatedAt)}</span></span></div></li>`,
  )
  const claimed = claims.slice(0, SHOWN.work).map(({ claimId, what, object, by, agent, until, note }) => {
    const name = object.label === null ? words(object.kind) : named(object.kind, object.id, object.label)
    const release =
      visit.canAct && visit.person?.username === by
        ? html`<span><a href="${to(withQuery("/do/release_claim", { claimId }))}">Release it</a></span>`
        : null
    return html`<li><div>${stateBadge("in_progress", "Claimed")} <strong>${words(what)}</strong> ${name}\
${note === null ? null : html` <span class="why" dir="auto">${beginning(note, 90)}</span>`} <span class="meta">\
<span>${writerName({ username: by, agent })}</span><span>until ${clock(until)}</span>${release}</span></div></li>`
  })
  const items = own.map((step) => {
    const asked = step.what === "take_experiment" ? asks.get(step.object.id) : undefined
    return stepItem(step, visit, room, asked === undefined ? undefined : beginning(asked, 120))
  })
  const open = openQuestions
    .slice(0, 1)
    .map((first) => html`<li dir="auto"><div><strong>Open question</strong> ${question(first)}</div></li>`)
  return html`<section aria-labelledby="next">${heading(2, "next", "Next")}<ul class="lines" id="live-next" data-live>${
    open.length + items.length + running.length + claimed.length === 0
      ? html`<li class="quiet">Nothing is waiting.</li>`
      : [open, items, running, claimed]
  }</ul></section>`
}

/** Renders the open questions of checkpoints. A single one stands among the next steps. */
export function questions({ openQuestions }: Context): Html | null {
  if (openQuestions.length <= 1) return null
  const rest = openQuestions.length - SHOWN.questions
  return html`<section aria-labelledby="open">${heading(2, "open", "Open questions")}<ul class="lines one">\
${openQuestions
  .slice(0, SHOWN.questions)
  .map(
    (each) => html`<li dir="auto">${question(each)}</li>`,
  )}${rest > 0 ? html`<li class="meta">and ${rest} more</li>` : null}</ul></section>`
}

// The current answer of a Room, at the top of its front page, with the numbers that it rests on.

type Checkpoint = Context["conclusions"][number]

/** Maximum numbers of other answers, and of records that the leading answer cites. */
const SHOWN_ANSWER = { also: 2, cited: 8 }

/** Sorts by id. Ids grow with time even if a clock is wrong. */
const newestFirst = (items: readonly Checkpoint[]): Checkpoint[] =>
  [...items].sort((one, other) => (one.checkpointId < other.checkpointId ? 1 : -1))

interface Standing {
  readonly said: Html
  /** The picture of what was measured; null if nothing was. */
  readonly figure: Html | null
}

/** Renders the newest answer that holds, other answers, those that no longer hold, and the picture beside them. */
export function answers(visit: Visit, { conclusions, syntheses, threads, room }: Context): Standing {
  const titles = new Map(
    threads.flatMap(({ threadId, title, opening }) => (opening ? [] : [[threadId, title] as const])),
  )
  const all = newestFirst([...conclusions, ...syntheses])
  const leadingId = visit.tables.checkpoints.leadingOf(room.roomId)?.checkpointId
  const lead = all.find(({ checkpointId }) => checkpointId === leadingId)
  const others = all.filter((each) => !each.stale && each !== lead)
  const fallen = all.filter(({ stale }) => stale)
  const inThreads = new Map(threads.map(({ threadId, title }) => [threadId, title]))
  const old = list("answers", fallen, (each) => selectedCheckpoint(each, inThreads))
  const named = lead === undefined ? "" : [lead.answer, lead.conclusion, lead.synthesis].join(" ")
  const said = html`${lead === undefined ? noAnswer(visit, room, fallen.length) : leading(visit, lead, titles)}${
    others.length > 0 &&
    html`<ul class="also" aria-label="Other answers">\
${others.slice(0, SHOWN_ANSWER.also).map((each) => short(each, titles))}</ul>`
  }${old && html`<details class="left-out"><summary>${noLonger(fallen)}</summary>${old}</details>`}`
  const { roomId } = room
  return { said, figure: drawnOnce(visit, ["room", roomId, named], () => roomFigure(visit, roomId, named)) }
}

/** Renders the measured differences of a Room. @param named a text whose words name the rows that matter */
function roomFigure(visit: Visit, roomId: string, named: string): Html | null {
  const found = tableOfRoom(visit, roomId)
  if (found === null) return null
  const figure = effectFigure(visit, roomId, found.table, named, found.moved)
  return figure && html`${figure}${repeatedBy(visit, roomId, found.table.metric)}`
}

/** Says that there is no answer. If there are findings, members are offered to write one. */
function noAnswer(visit: Visit, room: Context["room"], fallen: number): Html {
  if (room.state === "archived") return html`<p>${stateBadge("archived", "Archived without a conclusion")}</p>`
  const role = roleIn(visit, room)
  const offer =
    (role === "member" || role === "owner") &&
    room.counts.finding > 0 &&
    html` ${act("post_research_checkpoint", { threadId: room.openingThreadId }, "Write the answer")}`
  return html`<p>${stateBadge("open", fallen > 0 ? "No answer holds" : "No answer yet")}${offer}</p>`
}

/** "1 conclusion no longer holds: F3, which it cites, is now retracted." */
function noLonger(fallen: readonly Checkpoint[]): string {
  const concluded = fallen.every(({ state }) => state === "concluded")
  const what = counted(fallen.length, concluded ? "conclusion" : "answer")
  const [reason] = fallen[0]?.staleReasons ?? []
  return (
    `${what} no longer ${fallen.length === 1 ? "holds" : "hold"}` +
    `${reason === undefined ? "." : `${fallen.length === 1 ? ":" : ". Of one,"} ${staleSentence(reason)}`}`
  )
}

/**
 * Renders the author, time and Thread of an answer. @param titles titles by id, without the opening Thread, which is
 * not shown
 */
const origin = ({ threadId, author, at }: Checkpoint, titles: ReadonlyMap<string, string>): Html => {
  const title = titles.get(threadId)
  return html`<span>${person(author)}</span><span>${time(at)}</span>\
${title === undefined ? null : html`<span>in <a href="${to(`/threads/${threadId}`)}" dir="auto">${title}</a></span>`}`
}

/** What an answer says, shortly: in its author's two sentences, or the first paragraph of what it concludes. */
export const saidIn = ({
  answer,
  conclusion,
  synthesis,
}: Pick<Checkpoint, "answer" | "conclusion" | "synthesis">): string => answer ?? firstParagraph(conclusion ?? synthesis)

function leading(visit: Visit, checkpoint: Checkpoint, titles: ReadonlyMap<string, string>): Html {
  const { checkpointId, state } = checkpoint
  const { citations, numbersCheck, roomId } = visit.ask("checkpoint", { checkpointId })
  const versionIds = citations.map(({ versionId }) => versionId)
  const said = saidIn(checkpoint)
  const path = to(`/checkpoints/${checkpointId}`)
  const rest = citations.length - SHOWN_ANSWER.cited
  const isConcluded = state === "concluded"
  const cited =
    citations.length > 0 &&
    html`<span class="cited">rests on ${joined(
      citations
        .slice(0, SHOWN_ANSWER.cited)
        .map(
          ({ kind, versionId, label: text, status }) =>
            html`${label(kind, versionId, text)}${status === "current" ? null : html` ${stateBadge(status)}`}`,
        ),
      " ",
    )}${rest > 0 && html` <a href="${path}">and ${rest} more</a>`}</span>`
  return html`<div class="banner ${isConcluded ? "good" : "quiet"} answer">\
<p class="said" dir="auto">\
${inlineMarkdown(said, numbersOf(visit, { roomId, versionIds, checkpointId, since: checkpoint.at }, said))}</p>
<p class="meta"><span>${stateBadge(state, isConcluded ? "Concluded" : "So far")}</span>\
<span>${reviewLine(checkpoint.reviewed)}${numbersLine(numbersCheck)}</span>${origin(checkpoint, titles)}${cited}\
<span><a href="${path}">${isConcluded ? "What it rests on" : "Read the whole synthesis"}</a></span></p></div>`
}

const short = (checkpoint: Checkpoint, titles: ReadonlyMap<string, string>): Html => {
  const { checkpointId, state } = checkpoint
  return html`<li>${stateBadge(state, state === "concluded" ? "Concluded" : "So far")} \
<a href="${to(`/checkpoints/${checkpointId}`)}" dir="auto">${markdownInLink(saidIn(checkpoint))}</a> \
<span class="meta"><span>${reviewLine(checkpoint.reviewed)}</span>${origin(checkpoint, titles)}</span></li>`
}
