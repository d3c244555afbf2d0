/** Experiments: a table of them, and the page of one with its question, state, plans, attempts and findings. */
import { hasFallen } from "../../contract/answers/evidence.ts"
import { readPath, entryPath, type Html, html, joined, to } from "../html.ts"
import {
  heading,
  empty,
  exactTime,
  facts,
  fold,
  label,
  person,
  recordChip,
  time,
  ways,
  list,
  live,
  section,
  ofHypothesis,
  nextPage,
  tableOr,
} from "../parts/parts.ts"
import type { Visit, Shown } from "../visit.ts"
import { counted, shortened, words } from "../words.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import type { LinkedNumber } from "../linked-numbers.ts"
import { beginning, inlineMarkdown, markdown, phrase, beginningInLink } from "../markdown.ts"
import { afforded, doing, act, forMembers } from "../parts/actions.ts"
import { numbersOf } from "../parts/numbers.ts"
import { firstScreen, scopeLine, stands, following, nextAct, steps } from "../parts/room-frame.ts"
import { nextOfExperiment, findingsOf, type Found, linkedIn } from "../parts/next-acts.ts"
import { doneBy } from "../../contract/operations/receipts.ts"
import { costFact, heldBy, protocolParts, untilWhen } from "../parts/work.ts"
import { stateBadge, stateMark } from "../parts/marks.ts"
import { ofOwn, struckIf, takenBack } from "../parts/evidence.ts"
import { effectsOf } from "./forest.ts"
import { measuresOf } from "./measures.ts"
import { workbench } from "./workbench.ts"
import { enumerations } from "../../contract/schema/enumerations.ts"

// Experiments as a table: label, question, state, assignee, attempts as outcome dots, and verdicts so far.

type ListedExperiment = AnswerOf<"experiments">["items"][number]
type FindingLinks = ReturnType<Visit["tables"]["findingLinks"]["verdictsOn"]>
/** More attempts than this are shown as counts. */
const DOTS = 12

/** Renders how attempts ended: a dot for each attempt, or a count for each outcome. */
function outcomeDots(attempts: ListedExperiment["attempts"]): Html {
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
  experiment: ListedExperiment,
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

type Experiment = AnswerOf<"experiment">
type Link = AnswerOf<"experiment_findings">["items"][number]

const statement = (
  name: string,
  content: Experiment["handoff"],
  said: (text: string, since: string) => readonly LinkedNumber[],
): Html | null =>
  content &&
  html`<div class="banner active" role="note" aria-label="${name}"><strong>${name}</strong>\
${markdown(content.text, said(content.text, content.at))}\
<p class="meta"><span>${person(content.by)}</span><span>${exactTime(content.at)}</span></p>
    </div>`

/** The plans, and the protocol suggested with the proposal, which stays open until a plan replaces it. */
function plans({ acceptedPlans, suggestedProtocol, experimentId }: Experiment): Html {
  const accepted = acceptedPlans.map(
    (plan) =>
      html`<li>${label("plan", plan.planId, plan.label)} pinned by ${person(plan.acceptedBy)} \
${time(plan.acceptedAt)} <a href="${to(`/plans/${plan.planId}`)}">arms, commit and protocol</a>\
${
  plan.sealed === null || plan.sealed.openedAt !== null
    ? null
    : html` <span class="tag">${plan.sealed.overdue ? "sealed, overdue" : "sealed"}</span>`
}</li>`,
  )
  const isSuggested = acceptedPlans.length === 0 && suggestedProtocol !== null
  const none = html`<p class="quiet">No plan is pinned yet. Before planned attempts, the assignee pins a plan to a \
commit of a public repository.</p>`
  return html`${fold(
    "plans",
    "Plans",
    acceptedPlans.length === 0 ? "none pinned yet" : joined(acceptedPlans.map((plan) => plan.label)),
    live("plans", accepted.length === 0 ? none : html`<ul>${accepted}</ul>`),
  )}${fold(
    "suggested",
    "The protocol suggested with the proposal",
    isSuggested && "not accepted yet",
    suggestedProtocol === null ? null : protocolParts(suggestedProtocol, experimentId),
  )}`
}

const history = (revisions: AnswerOf<"experiment_history">["items"]): Html =>
  html`<ol class="history">${revisions.map(({ operation, author, at, status, content }) => {
    const text = [content.explanation, content.reason, content.handoff, content.summary].find(
      (each) => typeof each === "string",
    )
    return html`<li>${person(author)}: ${doneBy(operation).replace(/ with$/, "")} ${stateBadge(status)} \
<span class="clocks">${time(at)}</span>\
${text === undefined ? null : html`<p class="said" dir="auto">${beginning(text, 400)}</p>`}</li>`
  })}</ol>`

function findingLink(visit: Visit, link: Link): Html {
  const { finding, towardQuestion, towardHypothesis, author, linkId, attemptId, attemptLabel, reviewedBy, withdrawn } =
    link
  return html`<li>${recordChip(finding)}${takenBack(withdrawn)}
<ul class="verdicts"><li>${struckIf(withdrawn, stateBadge(towardQuestion.verdict))} the question: \
${phrase(towardQuestion.explanation)}</li>
  ${towardHypothesis.map(
    (hypothesis) =>
      html`<li>${struckIf(withdrawn, stateBadge(hypothesis.verdict))} ${ofHypothesis(hypothesis)}: \
${phrase(hypothesis.explanation)}</li>`,
  )}</ul>
<p class="meta"><span>said by ${person(author)}</span>\
${attemptId && html`<span>from ${label("attempt", attemptId, attemptLabel ?? "attempt")}</span>`}${
  reviewedBy.length === 0 ? null : html`<span>answered by ${reviewedBy.join(", ")}</span>`
}<span><a href="${to(`/links/${linkId}`)}">the link</a></span>${ofOwn(visit, link)}</p></li>`
}

/** The newest finding link that was not withdrawn. */
const answering = (links: readonly Link[]): Link | undefined => links.find(({ withdrawn }) => withdrawn == null)

/** What was measured by group, else the effects of the newest finding, else that nothing was measured. */
function pictureOf(visit: Visit, { experimentId, roomId, attempts }: Experiment, { all, newest }: Found): Html {
  const effects = all.flatMap((finding) => finding.effects())
  const byGroup = attempts.total === 0 ? null : measuresOf(visit, { experimentId }, effects)
  if (byGroup !== null) return byGroup.picture
  const effectsShown = newest && effectsOf(visit, roomId, newest.effects(), newest.label)
  return effectsShown ?? html`<p class="claimed">${stateBadge("untested", "Nothing was measured by group yet")}</p>`
}

/** How an experiment stands: its state, what answers it, who has it, and how its attempts ended. */
function verdictOf({ attempts, status, costs, ...held }: Experiment, links: readonly Link[]): Html {
  const counting = links.filter(({ withdrawn, finding }) => withdrawn == null && !hasFallen(finding.status))
  const said = Map.groupBy(counting, ({ towardQuestion }) => towardQuestion.verdict)
  return stands(
    stateBadge(status),
    ...[...said].map(([verdict, same]) => {
      const by = same.map(({ finding }) => label("finding", finding.versionId, finding.label))
      return html`${stateBadge(verdict)} by ${joined(by)}`
    }),
    heldBy(held, status === "completed" || status === "cancelled"),
    attempts.total === 0 ? "No attempt yet." : html`${counted(attempts.total, "attempt")} ${outcomeDots(attempts)}`,
    costFact(costs)?.[1],
  )
}

export function experimentPage(visit: Visit): Shown {
  const experiment = visit.ask("experiment", visit.params)
  const { experimentId, roomId, attempts, hypotheses } = experiment
  const room = visit.room(roomId)
  const { items: revisions } = visit.ask("experiment_history", { experimentId })
  const { items: links } = visit.ask("experiment_findings", { experimentId })
  const plan = experiment.acceptedPlans.at(-1)
  const [attempt] = attempts.total === 0 ? [] : visit.ask("attempts", {}, { experimentId, limit: 1 }).items
  const found = findingsOf(visit, { experimentId }, linkedIn(links))
  const { newest } = found
  const [hypothesis] = hypotheses
  const answer = answering(links)
  const way = steps("experiment", {
    hypothesis: hypothesis && { id: hypothesis.versionId, label: hypothesis.label },
    experiment: { id: experimentId, label: experiment.label },
    plan: plan && { id: plan.planId, label: plan.label },
    attempt: attempt && {
      id: attempt.attemptId,
      label: attempts.total === 1 ? attempt.label : `${attempt.label} and ${attempts.total - 1} more`,
    },
    finding: newest && { id: newest.versionId, label: newest.label },
    verdict: answer && stateBadge(answer.towardQuestion.verdict),
  })
  const said = (text: string, since: string) => numbersOf(visit, { roomId, experimentIds: [experimentId], since }, text)
  return {
    title: `${experiment.label}: ${shortened(experiment.question, 80)}`,
    ...following(room),
    wide: true,
    json: readPath("experiment", { experimentId }),
    body: html`${firstScreen({
      meta: html`<span><span class="label">${experiment.label}</span> experiment</span>\
<span>proposed by ${person(experiment.proposer)} ${time(experiment.createdAt)}</span>`,
      sentence: html`<h1 class="statement" dir="auto">${inlineMarkdown(experiment.question)}</h1>`,
      scope: scopeLine("Where it holds", html`<span dir="auto">${inlineMarkdown(experiment.scope)}</span>`),
      way,
      picture: html`${statement("Conclusion", experiment.conclusion, said)}\
${experiment.status === "open" ? statement("Handed over", experiment.handoff, said) : null}\
${pictureOf(visit, experiment, found)}`,
      verdict: verdictOf(experiment, links),
      next: nextAct(visit, room, nextOfExperiment(visit, experiment, links)),
    })}
<section aria-labelledby="attempts">\
${heading(
  2,
  "attempts",
  html`Attempts ${outcomeDots(attempts)}`,
  attempts.total < 2
    ? undefined
    : html`<a href="${to(`/rooms/${roomId}/attempts?experimentId=${experimentId}`)}">On the workbench</a>`,
)}
  ${
    attempts.total === 0
      ? html`<div id="live-attempts" data-live>\
${empty("There are no attempts yet. The assignee registers each attempt before launching it.")}</div>`
      : workbench(visit, { path: `/experiments/${experimentId}`, roomId, experimentId })
  }</section>
${section(
  "findings",
  "Findings",
  live(
    "findings",
    list("cards", links, (link) => findingLink(visit, link), empty("No finding is related to this experiment yet.")),
  ),
)}
${plans(experiment)}
${fold(
  "hypotheses",
  "Hypotheses it addresses",
  hypotheses.length === 0 ? "none" : joined(hypotheses.map((record) => record.label)),
  list("cards", hypotheses, (record) => html`<li>${recordChip(record)}</li>`),
)}
${fold("history", "History", counted(revisions.length, "step"), live("history", history(revisions)))}
${fold(
  "about",
  "Provenance",
  `revision ${experiment.revision}`,
  facts([
    ["Revision", experiment.revision],
    [
      "Proposed at",
      html`<a href="${to(entryPath(experiment.threadId, experiment.entryId))}">its place in the Thread</a>`,
    ],
  ]),
)}
${doing(
  visit,
  () =>
    experiment.affordances.operations.length > 0 &&
    html`<section aria-labelledby="next">${heading(2, "next", "What you can do")}<div id="live-next" data-live>\
${afforded(visit, room, experiment.affordances, { experimentId })}</div></section>`,
)}
${ways([
  ["JSON", readPath("experiment", { experimentId })],
  ["History as JSON", readPath("experiment_history", { experimentId })],
  ["In the graph", `/rooms/${roomId}/graph?focus=${experimentId}`],
])}`,
  }
}
