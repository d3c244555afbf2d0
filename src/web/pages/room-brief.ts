/** The brief of a Room as people read it: its newest answer, what is believed, what was found, what failed, what is next. */
import { speakingPurposes, staleSentence, tallyFrom } from "../../contract/answers/evidence.ts"
import { writerName } from "../../contract/answers/index.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { withQuery } from "../addresses.ts"
import { type Content, type Html, html, joined, to } from "../html.ts"
import { beginning, inlineMarkdown, markdownInLink, phrase } from "../markdown.ts"
import { act, whyNot } from "../parts/actions.ts"
import { standsAt } from "../parts/conclusion.ts"
import { untilWhen } from "../parts/holding.ts"
import { stateBadge } from "../parts/marks.ts"
import { reviewLine } from "../parts/reviews.ts"
import { stepItem } from "../parts/next-steps.ts"
import { clock, empty, heading, label, named, person, recordChip, table, time } from "../parts/parts.ts"
import type { Visit } from "../visit.ts"
import { counted, words } from "../words.ts"

export type Context = AnswerOf<"room_context">
type Brief = AnswerOf<"room_brief">
type Checkpoint = Context["conclusions"][number]

/** What the front page shows of each list; the sections of the Room show all. */
const SHOWN = { hypotheses: 6, findings: 6, failures: 3, next: 5, questions: 4, also: 3, cited: 4, work: 4 }
/** Bytes of the brief that the page is made of. */
export const BRIEF_BYTES = 24_000
/** Pieces that are looked through for what speaks for and against a hypothesis. */
const PIECES = 12

/** By their ids, which grow with time whatever a clock says. */
const newestFirst = (items: readonly Checkpoint[]): Checkpoint[] =>
  [...items].sort((one, other) => (one.checkpointId < other.checkpointId ? 1 : -1))

/** Where a Room stands: its newest answer that holds, those of other Threads, and those that no longer hold. */
export function answers(visit: Visit, { conclusions, syntheses, threads, room }: Context): Html {
  const titles = new Map(threads.flatMap(({ threadId, title, opening }) => (opening ? [] : [[threadId, title] as const])))
  const all = newestFirst([...conclusions, ...syntheses])
  const [lead, ...others] = all.filter(({ stale }) => !stale)
  const fallen = all.filter(({ stale }) => stale)
  return html`${lead === undefined ? noAnswer(room, fallen.length) : leading(visit, lead, titles)}${
    others.length === 0
      ? null
      : html`<ul class="also" aria-label="Other answers">${others.slice(0, SHOWN.also).map((each) => short(each, titles))}</ul>`
  }${
    fallen.length === 0
      ? null
      : html`<details class="left-out"><summary>${noLonger(fallen)}</summary><ul class="answers">${fallen.map((each) => standsAt(each, new Map(threads.map(({ threadId, title }) => [threadId, title]))))}</ul></details>`
  }`
}

const noAnswer = ({ state }: Context["room"], fallen: number): Html =>
  html`<p>${stateBadge(state === "archived" ? "archived" : "open", state === "archived" ? "Archived without a conclusion" : fallen > 0 ? "No answer holds" : "No answer yet")}</p>`

/** "1 conclusion no longer holds: F3, which it cites, is now retracted." */
function noLonger(fallen: readonly Checkpoint[]): string {
  const concluded = fallen.every(({ state }) => state === "concluded")
  const what = counted(fallen.length, concluded ? "conclusion" : "answer")
  const [reason] = fallen[0]?.staleReasons ?? []
  return `${what} no longer ${fallen.length === 1 ? "holds" : "hold"}${reason === undefined ? "." : `: ${staleSentence(reason)}`}`
}

/** Who said it and when, and in which Thread where that is not the Room's opening one. @param titles of the other Threads, by id */
const origin = ({ threadId, author, at }: Checkpoint, titles: ReadonlyMap<string, string>): Html => {
  const title = titles.get(threadId)
  return html`<span>${person(author)}</span><span>${time(at)}</span>${title === undefined ? null : html`<span>in <a href="${to(`/threads/${threadId}`)}" dir="auto">${title}</a></span>`}`
}

function leading(visit: Visit, checkpoint: Checkpoint, titles: ReadonlyMap<string, string>): Html {
  const { checkpointId, state, conclusion, synthesis } = checkpoint
  const { citations } = visit.ask("checkpoint", { checkpointId })
  return html`<div class="banner ${state === "concluded" ? "good" : "quiet"} answer"><p class="meta"><span>${stateBadge(state, state === "concluded" ? "Concluded" : "So far")}</span><span>${reviewLine(checkpoint.reviewed)}</span>${origin(checkpoint, titles)}<span><a href="${to(`/checkpoints/${checkpointId}`)}">${state === "concluded" ? "what it rests on" : "the whole synthesis"}</a></span></p>
<p class="said" dir="auto">${conclusion === null ? beginning(synthesis, 420) : inlineMarkdown(conclusion)}</p>${
    citations.length === 0
      ? null
      : html`<p class="cited">${citations.slice(0, SHOWN.cited).map((record) => recordChip(record, 60))}${citations.length > SHOWN.cited ? html`<span class="meta">and ${citations.length - SHOWN.cited} more</span>` : null}</p>`
  }</div>`
}

const short = (checkpoint: Checkpoint, titles: ReadonlyMap<string, string>): Html => {
  const { checkpointId, state, conclusion, synthesis } = checkpoint
  return html`<li>${stateBadge(state, state === "concluded" ? "Concluded" : "So far")} <a href="${to(`/checkpoints/${checkpointId}`)}" dir="auto">${markdownInLink(conclusion ?? synthesis)}</a> <span class="meta"><span>${reviewLine(checkpoint.reviewed)}</span>${origin(checkpoint, titles)}</span></li>`
}

/** Every hypothesis with its verdict, and what speaks for and against it. */
export function beliefs(visit: Visit, { room }: Context, { hypotheses }: Brief): Html {
  const shown = hypotheses.slice(0, SHOWN.hypotheses)
  const pieces = visit.tables.evidence.newestOn(
    shown.map(({ versionId }) => versionId),
    PIECES,
  )
  const speaking = (versionId: string, verdict: string): Content => {
    const found = (pieces.get(versionId) ?? []).filter((piece) => piece.standing === "counted" && piece.verdict === verdict)
    const chips = new Map(found.map(({ by }) => [by.id, named(by.kind, by.id, by.label ?? words(by.kind))]))
    return chips.size === 0 ? html`<span class="quiet">–</span>` : joined([...chips.values()], " ")
  }
  const rows = shown.map(({ versionId, label: text, says, status, evidence, verdict }) => {
    const author = verdict === "untested" ? null : tallyFrom(evidence)
    return html`<tr data-entry><td>${label("hypothesis", versionId, text)}</td><td><a class="wording" href="${to(`/records/${versionId}`)}" dir="auto">${markdownInLink(says)}</a></td>
<td>${stateBadge(verdict)}${status === "current" ? null : html`<br>${stateBadge(status)}`}${author === null ? null : html`<br><span class="meta">${author}</span>`}</td><td data-is="For">${speaking(versionId, "supports")}</td><td data-is="Against">${speaking(versionId, "contradicts")}</td></tr>`
  })
  const all = html`<a href="${to(`/rooms/${room.roomId}/hypotheses`)}">all ${room.counts.hypothesis}</a>`
  const at = { roomId: room.roomId, threadId: room.openingThreadId }
  const nothing = empty(
    "No hypothesis yet. A hypothesis is a prediction that can turn out wrong.",
    whyNot(visit, room) ?? act("publish_hypothesis", at, "Publish a hypothesis", "first"),
  )
  return html`<section aria-labelledby="hypotheses">${heading(2, "hypotheses", "Hypotheses", room.counts.hypothesis > shown.length ? all : null)}
<div id="live-hypotheses" data-live>${rows.length === 0 ? nothing : table("Hypotheses", ["", "Hypothesis", "Verdict", "For", "Against"], rows, "stacked")}</div></section>`
}

type Links = Context["findingLinks"]
/** What a finding says of experiments and records, by its links and its own references; each once. */
function bearsOn(visit: Visit, versionId: string, links: Links): Html[] {
  const said = new Map<string, Html>()
  for (const { versionId: id, label: text, kind, purpose } of visit.ask("record", { versionId }).references)
    if (purpose !== undefined && speakingPurposes.some((speaking) => speaking === purpose))
      said.set(id, html`${stateBadge(purpose)} ${label(kind, id, text)}`)
  for (const link of links) {
    if (link.finding.versionId !== versionId || link.withdrawn !== null) continue
    for (const { versionId: id, label: text, verdict } of link.towardHypothesis)
      said.set(id, html`${stateBadge(verdict)} ${label("hypothesis", id, text)}`)
    if (link.towardHypothesis.length === 0)
      said.set(
        link.experimentId,
        html`${stateBadge(link.towardQuestion.verdict)} ${label("experiment", link.experimentId, link.experimentLabel)}`,
      )
  }
  return [...said.values()]
}

/** Findings of every outcome, newest first; those that answer nothing yet are marked. */
export function findings(visit: Visit, { room, findingLinks }: Context): Html {
  const { items } = visit.ask("publications", {}, { roomId: room.roomId, kinds: "finding", limit: SHOWN.findings })
  const rows = items.map(({ versionId, label: text, outcome, status, wording, author, createdAt, reviewed }) => {
    const bears = bearsOn(visit, versionId, findingLinks)
    return html`<li data-entry><a class="wording" href="${to(`/records/${versionId}`)}" dir="auto">${markdownInLink(wording)}</a>
<p class="meta"><span>${label("finding", versionId, text)}</span>${outcome === null ? null : html`<span>${stateBadge(outcome)}</span>`}${status === "current" ? null : html`<span>${stateBadge(status)}</span>`}<span>${
      bears.length === 0 ? stateBadge("untested", "answers nothing yet") : joined(bears)
    }</span>${reviewed ? html`<span>${reviewLine(reviewed)}</span>` : null}<span>${person(author)}</span><span>${time(createdAt)}</span></p></li>`
  })
  const all = html`<a href="${to(`/rooms/${room.roomId}/findings`)}">all ${room.counts.finding}</a>`
  return html`<section aria-labelledby="findings">${heading(2, "findings", "Findings", room.counts.finding > items.length ? all : null)}
<div id="live-found" data-live>${rows.length === 0 ? empty("No finding yet. A finding says what came out, also when nothing did.") : html`<ul class="cards tight">${rows}</ul>`}</div></section>`
}

type Failure = Brief["failures"][number]
/** What is no failure: a negative result that was reached soundly is a finding. */
const SOUND: ReadonlySet<string> = new Set(["negative_finding"])
/** Failures that differ in numbers alone, told once. */
const alike = ({ kind, why }: Failure): string => `${kind} ${why.replace(/[0-9]+/g, "0")}`

/** What was tried and came to nothing, and why, in a line each. */
export function failures({ failures: all }: Brief): Html | null {
  // An attempt that diverged and failed is listed as failed.
  const failed = new Set(all.filter(({ kind }) => kind === "attempt_failed").map(({ id }) => id))
  const told = all.filter(({ kind, id }) => !SOUND.has(kind) && !(kind === "attempt_diverged" && failed.has(id)))
  const groups = [...Map.groupBy(told, alike).values()].slice(0, SHOWN.failures)
  if (groups.length === 0) return null
  const line = (same: readonly Failure[]) => {
    const kind = same[0]?.kind === "retraction" ? "link" : "attempt"
    return html`<li>${stateBadge(kind === "link" ? "retracted" : "failed")} ${joined(same.map(({ id, label: text }) => named(kind, id, text ?? words(kind))))} <span class="why" dir="auto">${beginning(same[0]?.why ?? "", 100)}</span></li>`
  }
  return html`<section aria-labelledby="failed">${heading(2, "failed", "What failed")}<ul class="lines" id="live-failed" data-live>${groups.map(line)}</ul></section>`
}

/** What is next and who has it. */
export function next(visit: Visit, { room, experiments }: Context, { next: steps, work, claims }: Brief): Html {
  const asks = new Map(work.map(({ experimentId, question }) => [experimentId, question]))
  const held = experiments.filter(({ assignee, status }) => assignee !== null && (status === "claimed" || status === "in_progress"))
  // Questions have a list of their own; of what can be reproduced, one is enough to begin with.
  const seen = new Set<string>()
  const own = steps
    .filter(({ what }) => what !== "answer_question" && !(what === "reproduce_finding" && seen.has(what)) && seen.add(what))
    .slice(0, SHOWN.next)
  const inHand = held
    .slice(-SHOWN.work)
    .map(
      ({ experimentId, label: text, question, assignee, lease, updatedAt }) =>
        html`<li><div>${stateBadge("in_progress", "In hand")} ${label("experiment", experimentId, text)} <span class="why" dir="auto">${beginning(question, 90)}</span> <span class="meta"><span>${assignee && person(assignee)}${untilWhen(lease)}</span><span>last change ${time(updatedAt)}</span></span></div></li>`,
    )
  const claimed = claims.slice(0, SHOWN.work).map(({ claimId, what, object, by, agent, until, note }) => {
    const name = object.label === null ? words(object.kind) : named(object.kind, object.id, object.label)
    const release =
      visit.past === undefined && visit.person?.username === by
        ? html`<span><a href="${to(withQuery("/do/release_claim", { claimId }))}">Release it</a></span>`
        : null
    return html`<li><div>${stateBadge("in_progress", "Claimed")} <strong>${words(what)}</strong> ${name}${note === null ? null : html` <span class="why" dir="auto">${beginning(note, 90)}</span>`} <span class="meta"><span>${writerName({ username: by, agent })}</span><span>until ${clock(until)}</span>${release}</span></div></li>`
  })
  const items = own.map((step) => {
    const question = step.what === "take_experiment" ? asks.get(step.object.id) : undefined
    return stepItem(step, visit, room, question === undefined ? undefined : beginning(question, 120))
  })
  return html`<section aria-labelledby="next">${heading(2, "next", "Next")}<ul class="lines" id="live-next" data-live>${
    items.length + inHand.length + claimed.length === 0 ? html`<li class="quiet">Nothing is waiting.</li>` : [inHand, claimed, items]
  }</ul></section>`
}

/** The questions that checkpoints leave open. */
export function questions({ openQuestions }: Context): Html | null {
  if (openQuestions.length === 0) return null
  const rest = openQuestions.length - SHOWN.questions
  return html`<section aria-labelledby="open">${heading(2, "open", "Open questions")}<ul class="lines">${openQuestions
    .slice(0, SHOWN.questions)
    .map(
      ({ question, threadId }) =>
        html`<li dir="auto">${phrase(question)} <a class="meta" href="${to(`/threads/${threadId}`)}">Thread</a></li>`,
    )}${rest > 0 ? html`<li class="meta">and ${rest} more</li>` : null}</ul></section>`
}
