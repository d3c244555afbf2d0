/** One accepted plan, as it was accepted. */
import { accepted } from "../../contract/reads/accepted.ts"
import { entryPath } from "../addresses.ts"
import { html, to } from "../html.ts"
import { inlineMarkdown } from "../markdown.ts"
import { stateBadge } from "../parts/marks.ts"
import { digest, exactTime, facts, heading, label, person, recordChip, repository, ways } from "../parts/parts.ts"
import { protocolParts } from "../parts/protocol.ts"
import { roomRail } from "../parts/room-frame.ts"
import type { Shown, Visit } from "../visit.ts"
import { words } from "../words.ts"

export function planPage(visit: Visit): Shown {
  const plan = visit.ask("plan", visit.params)
  const room = visit.ask("room", { roomId: plan.roomId })
  const content = accepted("plan", plan.content)
  return {
    title: `${plan.label} of ${plan.experimentLabel}`,
    rail: roomRail(room),
    json: `/api/research/plans/${plan.planId}`,
    body: html`<p class="meta"><span><span class="label">${plan.label}</span> accepted plan</span><span>for ${label("experiment", plan.experimentId, plan.experimentLabel)}</span><span>${person(plan.acceptedBy)}</span><span>${exactTime(plan.acceptedAt)}</span></p>
<h1>Plan ${plan.label}</h1>
${facts([
  ["Repository", repository(content.repository)],
  ["Intent", words(content.intent)],
  ["Content digest", digest(plan.contentDigest)],
  ["Accepted at", html`<a href="${to(entryPath(plan.threadId, plan.entryId))}">its place in the Thread</a>`],
])}
<section aria-labelledby="protocol">${heading(2, "protocol", "Protocol")}${protocolParts(content.protocol, plan.planId)}</section>
<section aria-labelledby="hypotheses">${heading(2, "hypotheses", "Hypotheses it tests")}${plan.hypotheses.length === 0 ? html`<p class="quiet">None.</p>` : plan.hypotheses.map((record) => recordChip(record, 160))}</section>
${
  plan.premises.length === 0
    ? null
    : html`<section aria-labelledby="premises">${heading(2, "premises", "Premises")}<ul class="cards">${plan.premises.map(
        (record) =>
          html`<li>${recordChip(record, 160)}<p class="said" dir="auto">${inlineMarkdown(record.explanation)}</p>
  </li>`,
      )}</ul></section>`
}
${
  plan.requiredMaterials.length === 0
    ? null
    : html`<section aria-labelledby="materials">${heading(2, "materials", "Materials it needs")}<ul>${plan.requiredMaterials.map(({ material, purpose }) => material && html`<li>${label("material", material.materialId, material.label)} ${material.name} ${stateBadge(material.obtainability)}: ${purpose}</li>`)}</ul>
  </section>`
}
${ways([["JSON", `/api/research/plans/${plan.planId}`]])}`,
  }
}
