/** The page of an accepted plan. */
import { accepted } from "../../contract/reads/shared.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { address, entryPath, readPath } from "../addresses.ts"
import { type Html, html, to } from "../html.ts"
import { inlineMarkdown } from "../markdown.ts"
import { commandOf } from "../forms/command.ts"
import { act } from "../parts/actions.ts"
import { costFact, protocolParts } from "../parts/work.ts"
import { type Next, nextAct, steps } from "../parts/guide.ts"
import {
  list,
  materialList,
  section,
  digest,
  exactTime,
  facts,
  label,
  person,
  recordChip,
  repository,
  ways,
} from "../parts/parts.ts"
import { reviewSection } from "../parts/reviews.ts"
import { roomRail } from "../parts/room-frame.ts"
import type { Shown, Visit } from "../visit.ts"
import { words } from "../words.ts"

/** Says whether a sealed plan was opened, and whether its protocol matches the digest; null if it was not sealed. */
function seal(
  visit: Visit,
  { planId, acceptedBy, sealed, protocolMatchesSeal: matches }: AnswerOf<"plan">,
): Html | null {
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
  { planId, experimentId, experimentLabel, acceptedBy, sealed, protocol: stored }: AnswerOf<"plan">,
): Next {
  const protocol = stored === null ? null : accepted("protocol", stored)
  if (sealed !== null && sealed.openedAt === null && sealed.overdue)
    return {
      button:
        acceptedBy.userId === visit.person?.userId ? act("open_plan", { planId }, "Open the plan", "first") : null,
      why: html`${acceptedBy.username} should have opened it by ${exactTime(sealed.opensAt)}.`,
    }
  const { status, assigneeId } = visit.ask("experiment", { experimentId })
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

export function planPage(visit: Visit): Shown {
  const plan = visit.ask("plan", visit.params)
  const room = visit.ask("room", { roomId: plan.roomId })
  const content = accepted("plan", plan.content)
  const next = nextAct(visit, room, nextOfPlan(visit, plan))
  const [hypothesis] = plan.hypotheses
  const way = steps("plan", {
    hypothesis: hypothesis && { id: hypothesis.versionId, label: hypothesis.label },
    experiment: { id: plan.experimentId, label: plan.experimentLabel },
    plan: { id: plan.planId, label: plan.label },
  })
  return {
    title: `${plan.label} of ${plan.experimentLabel}`,
    rail: roomRail(room),
    json: readPath("plan", { planId: plan.planId }),
    body: html`<p class="meta"><span><span class="label">${plan.label}</span> plan</span>\
<span>for ${label("experiment", plan.experimentId, plan.experimentLabel)}</span><span>${person(plan.acceptedBy)}</span>\
<span>${exactTime(plan.acceptedAt)}</span></p>
<h1>Plan ${plan.label}</h1>
${way}${next}
${facts([
  ["Repository", repository(content.repository)],
  ["Intent", words(content.intent)],
  costFact(plan.costs),
  ["Content digest", digest(plan.contentDigest)],
  ["Pinned at", html`<a href="${to(entryPath(plan.threadId, plan.entryId))}">its place in the Thread</a>`],
])}
${section("protocol", "Protocol", [
  seal(visit, plan),
  plan.protocol === null ? null : protocolParts(plan.protocol, plan.planId),
])}
${section(
  "hypotheses",
  "Hypotheses it tests",
  plan.hypotheses.length === 0
    ? html`<p class="quiet">None.</p>`
    : plan.hypotheses.map((record) => recordChip(record, 160)),
)}
${section(
  "premises",
  "Premises",
  list(
    "cards",
    plan.premises,
    (record) =>
      html`<li>${recordChip(record, 160)}<p class="said" dir="auto">${inlineMarkdown(record.explanation)}</p></li>`,
  ),
)}
${section("materials", "Materials it needs", materialList(plan.requiredMaterials))}
${reviewSection(visit, room, plan.planId, plan.reviews, plan.reviewed)}
${next}
${ways([["JSON", readPath("plan", { planId: plan.planId })]])}`,
  }
}
