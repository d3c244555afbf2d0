/** The failures, next steps and open questions on the front page of a Room. */
import { writerName } from "../../contract/answers/index.ts"
import { withQuery } from "../addresses.ts"
import { type Html, html, joined, to } from "../html.ts"
import { beginning, markdownInLink } from "../markdown.ts"
import { stateBadge, stateMark } from "../parts/marks.ts"
import { stepItem } from "../parts/next-steps.ts"
import { untilWhen } from "../parts/holding.ts"
import { clock, heading, label, named, person, time } from "../parts/parts.ts"
import type { Visit } from "../visit.ts"
import { words } from "../words.ts"
import type { Brief, Context } from "./room-brief.ts"

/** Items shown of each list. The sections of the Room show all. */
const SHOWN = { failures: 3, next: 4, questions: 3, work: 3 }

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
    return html`<li>${stateMark(kind === "link" ? "retracted" : "failed")}${joined(same.map(({ id, label: text }) => named(kind, id, text ?? words(kind))))} <span class="why" dir="auto">${beginning(same[0]?.why ?? "", 160)}</span></li>`
  }
  const isMore = groups.length > SHOWN.failures || omitted.failures !== undefined
  const more = isMore ? html`<a href="${to(`/rooms/${roomId}/attempts?status=failed`)}">All that failed</a>` : undefined
  return html`<section aria-labelledby="failed">${heading(2, "failed", "What failed", more)}<ul class="lines one" id="live-failed" data-live>${groups.slice(0, SHOWN.failures).map(line)}</ul></section>`
}

/** Returns the time when an experiment was taken. */
const takenAt = (visit: Visit, experimentId: string): string | undefined =>
  visit.ask("experiment_history", { experimentId }).items.findLast(({ operation }) => operation === "take_experiment")?.at

/** Renders the experiments in progress with their assignees, and the next steps. */
export function next(visit: Visit, { room, experiments }: Context, { next: steps, work, claims }: Brief): Html {
  const asks = new Map(work.map(({ experimentId, question }) => [experimentId, question]))
  const taken = experiments.filter(({ assignee, status }) => assignee !== null && (status === "claimed" || status === "in_progress"))
  // Questions have a list of their own. One finding to reproduce is enough.
  const seen = new Set<string>()
  const own = steps
    .filter(({ what }) => what !== "answer_question" && !(what === "reproduce_finding" && seen.has(what)) && seen.add(what))
    .slice(0, SHOWN.next)
  const running = taken
    .slice(-SHOWN.work)
    .map(
      ({ experimentId, label: text, question, assignee, lease, updatedAt }) =>
        html`<li><div>${stateBadge("in_progress", "In hand")} ${label("experiment", experimentId, text)} <span class="why" dir="auto">${beginning(question, 90)}</span> <span class="meta"><span>${assignee && person(assignee)}${untilWhen(lease)}</span><span>since ${time(takenAt(visit, experimentId) ?? updatedAt)}</span></span></div></li>`,
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
    items.length + running.length + claimed.length === 0 ? html`<li class="quiet">Nothing is waiting.</li>` : [running, claimed, items]
  }</ul></section>`
}

/** Renders the open questions of checkpoints. */
export function questions({ openQuestions }: Context): Html | null {
  if (openQuestions.length === 0) return null
  const rest = openQuestions.length - SHOWN.questions
  return html`<section aria-labelledby="open">${heading(2, "open", "Open questions")}<ul class="lines one">${openQuestions
    .slice(0, SHOWN.questions)
    .map(
      ({ question, threadId }) =>
        html`<li dir="auto"><a class="plainly" href="${to(`/threads/${threadId}`)}" title="The Thread of this question"><bdi>${markdownInLink(question)}</bdi></a></li>`,
    )}${rest > 0 ? html`<li class="meta">and ${rest} more</li>` : null}</ul></section>`
}
