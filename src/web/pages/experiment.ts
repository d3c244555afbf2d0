/** The page of an experiment: question, state, plans, attempts, findings, history and next actions. */
import { figure, interval } from "../../research/measurements/figures.ts"
import { limits } from "../../contract/limits.ts"
import { readPath, withQuery, entryPath } from "../addresses.ts"
import { intervalTable } from "../charts/intervals.ts"
import { attributes, type Html, html, joined, to } from "../html.ts"
import {
  heading,
  empty,
  exactTime,
  facts,
  label,
  person,
  recordChip,
  time,
  ways,
  list,
  live,
  section,
} from "../parts/parts.ts"
import { orNull, type Visit, type Shown } from "../visit.ts"
import { counted, nameOfDimension, shortened } from "../words.ts"
import { nameOf, placeOf } from "./compare-measures.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import type { LinkedNumber } from "../linked-numbers.ts"
import { beginning, inlineMarkdown, markdown, phrase } from "../markdown.ts"
import { afforded, doing } from "../parts/actions.ts"
import { numbersOf } from "../parts/numbers.ts"
import { findingsOf, linkedIn, nextAct, steps } from "../parts/guide.ts"
import { nextOfExperiment } from "../parts/next-acts.ts"
import { doneBy } from "../parts/done-to.ts"
import { costFact, heldBy, protocolParts } from "../parts/work.ts"
import { stateBadge } from "../parts/marks.ts"
import { following } from "../parts/room-frame.ts"
import { ofOwn, struckIf, takenBack } from "../parts/withdrawal.ts"
import { outcomeDots } from "./experiments.ts"
import { workbench } from "./workbench.ts"

// The measurements of an experiment: one metric by group with means and intervals, and the whole table as files.

/** Maximum number of groups drawn, and of single values in all of them together. */
const [GROUPS, DOTS] = [24, 400]

/**
 * Renders the metric in the parameter `measured`, or the first; null if no successful attempt reported values with
 * dimensions.
 */
function experimentMeasures(visit: Visit, experimentId: string): Html | null {
  const place = { experimentIds: [experimentId] }
  const known =
    orNull(() => visit.tables.measured(place, {}))?.metrics.filter(({ dimensions }) => dimensions.length > 0) ?? []
  const chosen = visit.url.searchParams.get("measured")
  const metric = known.find((each) => nameOf(each.metric, each.split) === chosen) ?? known[0]
  if (metric === undefined) return null
  const { metric: name, split } = metric
  const query = { metric: name, ...(split !== null && { split }) }
  const table =
    orNull(() => visit.tables.measured(place, { ...query, points: "1" })) ??
    orNull(() => visit.tables.measured(place, query))
  if (table === null) return null
  const { by, partedBy, over, unit, groups, leftOut } = table
  const shown = groups.slice(0, GROUPS)
  const hasDots = shown.reduce((sum, { points = [] }) => sum + points.length, 0) <= DOTS
  const [first = "Group", ...rest] = [...by, ...partedBy].map(nameOfDimension)
  const rows = shown.map((group) => {
    const { n, mean, low, high, se, points = [], notes } = group
    const [own = "all", ...others] = placeOf(group, table)
    const spread = low === null || high === null ? (n === 1 ? "one value" : "") : interval(low, high, se)
    const estimate =
      mean === null
        ? html`<span class="quiet">no finite value</span>`
        : html`<strong>${figure(mean, se)}</strong> \
<span class="quiet"${attributes({ title: notes.join("; ") || null })}>${spread}</span>`
    const dots = hasDots ? points.map(({ value }) => value) : []
    return { head: own, cells: [...others, n], mid: mean, low, high, dots, numbers: estimate }
  })
  const file = (format: string) => readPath("experiment_measurements", { experimentId }, { ...query, format })
  const others = known.filter((each) => each !== metric).map((each) => nameOf(each.metric, each.split))
  return html`<section aria-labelledby="measured">${heading(2, "measured", "What was measured")}
${intervalTable(
  {
    caption: `${nameOf(name, split)} by group`,
    head: [first, ...rest, "n"],
    measures: `${nameOf(name, split)}${unit === null ? "" : ` in ${unit}`}, mean and 95 % interval`,
    numbers: "Mean",
  },
  rows,
)}
<p class="meta">${over === null ? null : html`<span>${nameOfDimension(over)} folded</span>`}\
${
  leftOut.otherIntents === 0
    ? null
    : html`<span>${counted(leftOut.otherIntents, "rerun or reproduction", "reruns and reproductions")} left out</span>`
}${
  groups.length > shown.length
    ? html`<span>${counted(groups.length - shown.length, "more group")} in the files</span>`
    : null
}<span><a href="${to(file("csv"))}">CSV</a></span><span><a href="${to(file("markdown"))}">Markdown</a></span></p>${
    others.length === 0
      ? null
      : html`<p class="meta">Other metrics: \
${joined(
  others
    .slice(0, limits.groupAttempts)
    .map(
      (each) =>
        html`<a href="${to(withQuery(`/experiments/${experimentId}`, { measured: each }))}#measured">${each}</a>`,
    ),
)}</p>`
  }</section>`
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

function plans({ acceptedPlans, suggestedProtocol, experimentId }: Experiment): Html {
  if (acceptedPlans.length === 0 && suggestedProtocol === null)
    return empty(
      "No plan is pinned yet. Before planned attempts, the assignee pins a plan to a commit " +
        "of a public repository.",
    )
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
  return html`${accepted.length === 0 ? null : html`<ul>${accepted}</ul>`}${
    suggestedProtocol === null
      ? null
      : html`<details${acceptedPlans.length === 0 ? html` open` : null}>\
<summary>The protocol suggested with the proposal${acceptedPlans.length === 0 ? " (not accepted yet)" : ""}</summary>
    ${protocolParts(suggestedProtocol, experimentId)}</details>`
  }`
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
  return html`<li>${recordChip(finding, 200)}${takenBack(withdrawn)}
<ul class="verdicts"><li>${struckIf(withdrawn, stateBadge(towardQuestion.verdict))} toward the question. \
${phrase(towardQuestion.explanation)}</li>
  ${towardHypothesis.map(
    ({ versionId, label: text, verdict, explanation }) =>
      html`<li>${struckIf(withdrawn, stateBadge(verdict))} ${label("hypothesis", versionId, text)} \
${phrase(explanation)}</li>`,
  )}</ul>
<p class="meta"><span>said by ${person(author)}</span>\
${attemptId && html`<span>from ${label("attempt", attemptId, attemptLabel ?? "attempt")}</span>`}${
  reviewedBy.length === 0 ? null : html`<span>answered by ${reviewedBy.join(", ")}</span>`
}<span><a href="${to(`/links/${linkId}`)}">the link</a></span>${ofOwn(visit, link)}</p></li>`
}

/** Returns the verdict of the newest finding link that was not withdrawn. */
const verdictOf = (links: readonly Link[]): Html | undefined => {
  const link = links.find(({ withdrawn }) => withdrawn == null)
  return link && stateBadge(link.towardQuestion.verdict)
}

export function experimentPage(visit: Visit): Shown {
  const experiment = visit.ask("experiment", visit.params)
  const { experimentId, roomId, attempts } = experiment
  const room = visit.ask("room", { roomId })
  const { items: revisions } = visit.ask("experiment_history", { experimentId })
  const { items: links } = visit.ask("experiment_findings", { experimentId })
  const next = nextAct(visit, room, nextOfExperiment(visit, experiment, links))
  const plan = experiment.acceptedPlans.at(-1)
  const [attempt] = attempts.total === 0 ? [] : visit.ask("attempts", {}, { experimentId, limit: 1 }).items
  const { newest } = findingsOf(visit, { experimentId }, linkedIn(links))
  const [hypothesis] = experiment.hypotheses
  const way = steps("experiment", {
    hypothesis: hypothesis && { id: hypothesis.versionId, label: hypothesis.label },
    experiment: { id: experimentId, label: experiment.label },
    plan: plan && { id: plan.planId, label: plan.label },
    attempt: attempt && {
      id: attempt.attemptId,
      label: attempts.total === 1 ? attempt.label : `${attempt.label} and ${attempts.total - 1} more`,
    },
    finding: newest && { id: newest.versionId, label: newest.label },
    verdict: verdictOf(links),
  })
  const said = (text: string, since: string) => numbersOf(visit, { roomId, experimentIds: [experimentId], since }, text)
  return {
    title: `${experiment.label}: ${shortened(experiment.question, 80)}`,
    ...following(room),
    json: readPath("experiment", { experimentId }),
    body: html`<p class="meta" id="live-state" data-live><span>\
<span class="label">${experiment.label}</span> experiment</span><span>${stateBadge(experiment.status)}</span>\
<span>${heldBy(experiment)}</span><span>proposed by ${person(experiment.proposer)} ${time(experiment.createdAt)}</span>\
</p>
<h1 class="statement" dir="auto">${inlineMarkdown(experiment.question)}</h1>
<div id="live-way" data-live>${way}${next}</div>
<div id="live-said" data-live>${statement("Conclusion", experiment.conclusion, said)}\
${experiment.status === "open" ? statement("Handed over", experiment.handoff, said) : null}</div>
<section aria-labelledby="scope">${heading(2, "scope", "Scope")}<p class="said" dir="auto">\
${inlineMarkdown(experiment.scope)}</p>
  ${
    experiment.hypotheses.length === 0
      ? html`<p class="quiet">It addresses no hypothesis.</p>`
      : html`<p>Addresses ${experiment.hypotheses.map((record) => recordChip(record, 120))}</p>`
  }</section>
${section("plans", "Plans", live("plans", plans(experiment)))}
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
${experimentMeasures(visit, experimentId)}
${section(
  "findings",
  "Findings",
  live(
    "findings",
    list("cards", links, (link) => findingLink(visit, link), empty("No finding is related to this experiment yet.")),
  ),
)}
${section("history", "History", live("history", history(revisions)))}
${doing(
  visit,
  () =>
    html`<section aria-labelledby="next">${heading(2, "next", "What you can do")}<div id="live-next" data-live>${next}\
${afforded(visit, room, experiment.affordances, { experimentId })}</div></section>`,
)}
${facts([
  ["Revision", experiment.revision],
  [
    "Proposed at",
    html`<a href="${to(entryPath(experiment.threadId, experiment.entryId))}">its place in the Thread</a>`,
  ],
  ["Attempts", counted(attempts.total, "attempt")],
  costFact(experiment.costs),
])}
${ways([
  ["JSON", readPath("experiment", { experimentId })],
  ["History as JSON", readPath("experiment_history", { experimentId })],
  ["In the graph", `/rooms/${roomId}/graph?focus=${experimentId}`],
])}`,
  }
}
