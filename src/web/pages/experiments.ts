/** Experiments as a table: label, question, state, assignee, attempts as outcome dots, and verdicts so far. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { enumerations } from "../../contract/schema/enumerations.ts"
import { hasFallen } from "../../contract/answers/evidence.ts"
import { readPath } from "../addresses.ts"
import { type Html, html, to } from "../html.ts"
import { beginningInLink } from "../markdown.ts"
import { act, forMembers } from "../parts/actions.ts"
import { untilWhen } from "../parts/work.ts"
import { stateBadge, stateMark } from "../parts/marks.ts"
import { live, nextPage, tableOr, label, person } from "../parts/parts.ts"
import { following } from "../parts/room-frame.ts"
import type { Shown, Visit } from "../visit.ts"
import { counted, words } from "../words.ts"

type Experiment = AnswerOf<"experiments">["items"][number]
type FindingLinks = ReturnType<Visit["tables"]["findingLinks"]["verdictsOn"]>
/** More attempts than this are shown as counts. */
const DOTS = 12

/** Renders how attempts ended: a dot for each attempt, or a count for each outcome. */
export function outcomeDots(attempts: Experiment["attempts"]): Html {
  if (attempts.total === 0) return html`<span class="quiet">none</span>`
  const counts = enumerations.attemptStatus.flatMap((status) =>
    attempts[status] === 0 ? [] : [[status, attempts[status]] as const],
  )
  const name = (status: string) => (status === "started" ? "started, outcome unknown" : words(status))
  if (attempts.total > DOTS)
    return html`<span class="dots">\
${counts.map(([status, count]) => html`${stateMark(status, `${count} ${name(status)}`)}${count} `)}</span>`
  return html`<span class="dots">\
${counts.flatMap(([status, count]) => Array.from({ length: count }, () => stateMark(status, name(status))))}</span>`
}

/** Renders the last verdicts on the question, newest last, without those of withdrawn links and fallen findings. */
const verdicts = (links: FindingLinks, experimentId: string) => {
  const standing = links.filter(
    ({ experimentId: of, withdrawn, finding }) =>
      of === experimentId && withdrawn === null && !hasFallen(finding.status),
  )
  return standing.length === 0
    ? html`<span class="quiet">none yet</span>`
    : html`${standing.slice(-3).map(({ towardQuestion }) => html`${stateBadge(towardQuestion.verdict)} `)}`
}

const row = (
  experiment: Experiment,
  links: FindingLinks,
): Html => html`<tr data-entry><td>${label("experiment", experiment.experimentId, experiment.label)}</td>
  <td><a class="wording" href="${to(`/experiments/${experiment.experimentId}`)}" dir="auto">\
${beginningInLink(experiment.question, 180)}</a></td>
  <td>${stateBadge(experiment.status)}</td>
  <td data-is="assignee">${
    experiment.assignee === null
      ? html`<span class="quiet">nobody</span>`
      : html`${person(experiment.assignee)}${untilWhen(experiment)}`
  }</td>
  <td data-is="attempts">${outcomeDots(experiment.attempts)}</td>
  <td>${verdicts(links, experiment.experimentId)}</td></tr>`

export function experimentsPage(visit: Visit): Shown {
  const roomId = visit.id("roomId")
  const room = visit.room(roomId)
  const { items, nextCursor } = visit.ask("experiments", {}, { roomId, after: visit.parameter("after") })
  const links = visit.tables.findingLinks.verdictsOn(items.map(({ experimentId }) => experimentId))
  const rows = items.map((experiment) => row(experiment, links))
  const head = ["", "Question", "State", "Assignee", "Attempts", "Answer"]
  return {
    title: `Experiments · ${room.title}`,
    ...following(room, "/experiments"),
    json: readPath("experiments", {}, { roomId }),
    body: html`<h1>Experiments</h1><p class="meta"><span>${counted(room.counts.experiment, "experiment")} in the order \
they were proposed</span></p>
${forMembers(
  visit,
  room,
  act("propose_experiment", { roomId, threadId: room.openingThreadId }, "Propose an experiment"),
)}
${live("experiments", tableOr("No experiment yet.", "Experiments", head, rows, "stacked"))}
${nextPage(visit, nextCursor, "Later experiments")}`,
  }
}
