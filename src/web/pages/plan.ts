/** The page of an accepted plan. */
import { accepted } from "../../contract/operations/index.ts"
import { known } from "../../ledger/write/references.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { address, entryPath, readPath, type Html, html, joined, to } from "../html.ts"
import { beginning, inlineMarkdown, markdown } from "../markdown.ts"
import { commandOf } from "../forms/draft.ts"
import { act } from "../parts/actions.ts"
import { firstScreen, scopeLine, stands, roomRail, type Next, nextAct, steps } from "../parts/room-frame.ts"
import { stateBadge } from "../parts/marks.ts"
import { armTable, costFact, protocolSteps } from "../parts/work.ts"
import {
  list,
  materialList,
  digest,
  exactTime,
  facts,
  fold,
  label,
  person,
  recordChip,
  repository,
  ways,
} from "../parts/parts.ts"
import { reviewLine, reviewSection } from "../parts/judging.ts"
import type { Shown, Visit } from "../visit.ts"
import { words } from "../words.ts"

type Plan = AnswerOf<"plan">

/** Says whether a sealed plan was opened, and whether its protocol matches the digest; null if it was not sealed. */
function seal(visit: Visit, { planId, acceptedBy, sealed, protocolMatchesSeal: matches }: Plan): Html | null {
  if (sealed === null) return null
  const { openedAt, opensAt, overdue } = sealed
  const isOwn = acceptedBy.userId === visit.person?.userId
  return html`<div class="banner ${overdue || matches === false ? "retracted" : "active"}" role="note"><p><strong>${
    openedAt !== null ? "Opened." : overdue ? "Overdue." : "Sealed."
  }</strong> The protocol was sealed with ${digest(sealed.digest)}${
    openedAt === null
      ? html`, and ${overdue ? "was due" : "is due"} to be opened by ${exactTime(opensAt)}.`
      : html` and opened ${exactTime(openedAt)}. ${
          matches === null
            ? "Parts of it were withheld, so it can no longer be compared with the digest."
            : matches
              ? "It matches this digest."
              : "It does not match this digest."
        }`
  }</p>${
    openedAt === null && isOwn ? html`<p>${act("open_plan", { planId }, "Open the plan", "quiet")}</p>` : null
  }</div>`
}

/** Maximum number of arms offered as buttons. The table shows all of them. */
const ARMS = 6

/** Returns the next action on a plan: to open it, or to register an attempt for each of its arms. */
function nextOfPlan(
  visit: Visit,
  { planId, experimentId, experimentLabel, acceptedBy, sealed, protocol: stored }: Plan,
  { status, assigneeId }: Pick<AnswerOf<"experiment">, "status" | "assigneeId">,
): Next {
  const protocol = stored === null ? null : accepted("protocol", stored)
  if (sealed !== null && sealed.openedAt === null && sealed.overdue)
    return {
      button:
        acceptedBy.userId === visit.person?.userId ? act("open_plan", { planId }, "Open the plan", "first") : null,
      why: html`${acceptedBy.username} should have opened it by ${exactTime(sealed.opensAt)}.`,
    }
  const isRunning = status === "claimed" || status === "in_progress"
  const mine = assigneeId === visit.person?.userId && acceptedBy.userId === visit.person?.userId
  if (!isRunning || !mine)
    return {
      button: html`<a class="button quiet" href="${address("experiment", experimentId)}">See ${experimentLabel}</a>`,
      why: isRunning ? html`${acceptedBy.username} registers its attempts.` : "see its results.",
    }
  const draft = { experimentId, intent: "planned", "/planId": planId }
  const { arms = [] } = protocol ?? {}
  return {
    button:
      arms.length === 0
        ? act(
            "register_attempt",
            { ...draft, "/argv": commandOf(protocol?.entrypoint?.argv ?? []) },
            "Register an attempt",
            "first",
          )
        : html`${arms
            .slice(0, ARMS)
            .map((arm, index) =>
              act(
                "register_attempt",
                { ...draft, "/argv": commandOf(arm.argv) },
                `Register an attempt: ${arm.name}`,
                index === 0 ? "first" : "quiet",
              ),
            )}`,
    why: "register each attempt before you launch it.",
  }
}

/** How many attempts of the experiment are looked through for those of the plan. */
const RUNS = 20

/** A summary longer than this is not a sentence: the heading has its beginning, and a fold the whole. */
const SENTENCE = 240

/** How a plan stands: whether it is open, its experiment, what it may cost, and its reviews. */
function verdictOf(
  { sealed, experimentId, experimentLabel, costs, reviewed, content }: Plan,
  { status }: Pick<AnswerOf<"experiment">, "status">,
): Html {
  const { intent } = accepted("plan", content)
  return stands(
    sealed === null || sealed.openedAt !== null
      ? stateBadge("completed", "Pinned")
      : stateBadge("registered", sealed.overdue ? "Sealed, overdue" : "Sealed"),
    words(intent),
    html`${label("experiment", experimentId, experimentLabel)} ${stateBadge(status)}`,
    costFact(costs)?.[1],
    reviewLine(reviewed),
  )
}

export function planPage(visit: Visit): Shown {
  const plan = visit.ask("plan", visit.params)
  const { planId, experimentId, protocol } = plan
  const experiment = known("experiment", visit.tables.experiments.find(experimentId))
  const found = visit.tables.attempts.labelsOf(experimentId, RUNS + 1)
  const hasMore = found.length > RUNS
  const [run, ...others] = found.slice(0, RUNS).filter((attempt) => attempt.planId === planId)
  const andMore = others.length === 0 ? "" : hasMore ? " and more" : ` and ${others.length} more`
  const room = visit.room(plan.roomId)
  const content = accepted("plan", plan.content)
  const [hypothesis] = plan.hypotheses
  const way = steps("plan", {
    hypothesis: hypothesis && { id: hypothesis.versionId, label: hypothesis.label },
    experiment: { id: experimentId, label: plan.experimentLabel },
    plan: { id: planId, label: plan.label },
    attempt: run && { id: run.attemptId, label: `${run.label}${andMore}` },
  })
  const arms = protocol === null ? null : armTable(protocol, planId)
  const summary = protocol === null ? null : accepted("protocol", protocol).summary
  const isLong = summary !== null && summary.length > SENTENCE
  return {
    title: `${plan.label} of ${plan.experimentLabel}`,
    rail: roomRail(room),
    wide: true,
    json: readPath("plan", { planId }),
    body: html`${firstScreen({
      standing: seal(visit, plan),
      meta: html`<span><span class="label">${plan.label}</span> plan</span>\
<span>for ${label("experiment", experimentId, plan.experimentLabel)}</span><span>${person(plan.acceptedBy)}</span>\
<span>${exactTime(plan.acceptedAt)}</span>`,
      sentence:
        summary === null
          ? html`<h1>Plan ${plan.label}</h1>`
          : html`<h1 class="statement" dir="auto">${beginning(summary, SENTENCE)}</h1>`,
      scope: scopeLine("Runs", repository(content.repository)),
      way,
      picture:
        arms ?? (protocol === null ? null : html`<p class="claimed">${stateBadge("untested", "It names no arms")}</p>`),
      verdict: verdictOf(plan, experiment),
      next: nextAct(visit, room, nextOfPlan(visit, plan, experiment)),
    })}
${isLong ? fold("summary", "Summary", "in full", markdown(summary)) : null}
${protocol !== null && fold("protocol", "Steps, and when it succeeds", null, protocolSteps(protocol))}
${fold(
  "hypotheses",
  "Hypotheses it tests",
  joined(plan.hypotheses.map((record) => record.label)),
  list("cards", plan.hypotheses, (record) => html`<li>${recordChip(record)}</li>`),
)}
${fold(
  "premises",
  "Premises",
  joined(plan.premises.map((record) => record.label)),
  list(
    "cards",
    plan.premises,
    (record) =>
      html`<li>${recordChip(record)}<p class="said" dir="auto">${inlineMarkdown(record.explanation)}</p></li>`,
  ),
)}
${fold("materials", "Materials it needs", plan.requiredMaterials.length, materialList(plan.requiredMaterials))}
${reviewSection(visit, room, planId, plan.reviews, plan.reviewed)}
${fold(
  "about",
  "Provenance",
  "its digest and its place in the Thread",
  facts([
    ["Content digest", digest(plan.contentDigest)],
    ["Pinned at", html`<a href="${to(entryPath(plan.threadId, plan.entryId))}">its place in the Thread</a>`],
  ]),
)}
${ways([["JSON", readPath("plan", { planId })]])}`,
  }
}
