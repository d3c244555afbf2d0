/** Parts of the pages of experiments and plans: who has the work, what it cost, and how it is done. */
import { type Costs, costsInWords } from "../../contract/answers/costs.ts"
import { accepted } from "../../contract/reads/shared.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { type Html, html } from "../html.ts"
import { inlineMarkdown, markdown } from "../markdown.ts"
import { counted } from "../words.ts"
import { argv, clock, jsonBlock, person, table } from "./parts.ts"

type Held = Pick<AnswerOf<"experiment">, "assignee" | "lease">

/** The end of a lease, as text after its holder's name. Null without a lease. */
export const untilWhen = ({ lease }: { readonly lease?: Held["lease"] | undefined }): Html | null =>
  lease == null ? null : html` until ${clock(lease.until)}${lease.lapsed ? "; the lease has lapsed" : null}`

/** The holder of an experiment: "held by ada · agent lab-3 until 14:20 UTC; the lease has lapsed". */
export const heldBy = ({ assignee, lease }: Held): Html =>
  assignee === null ? html`nobody has it` : html`held by ${person(assignee)}${untilWhen({ lease })}`

/**
 * The total cost of attempts beside the budget of their plans, as a row of facts. Null if there is neither a cost nor a
 * budget.
 */
export function costFact(costs: Costs): readonly [string, Html] | null {
  const words = costsInWords(costs)
  if (words === null) return null
  const { took, allowed, over } = words
  const spent = took === null ? "nothing reported" : `${took} (${counted(costs.attempts, "attempt")})`
  return ["Cost, as reported", html`${spent}${allowed}${over === null ? null : html` <strong>${over}</strong>`}`]
}

/** Renders a protocol: its summary, steps, and arms with their commands. @param stored a protocol as it was accepted */
export function protocolParts(stored: unknown, id: string): Html {
  const { summary, steps, arms, entrypoint, configuration, successCriteria, ...rest } = accepted("protocol", stored)
  const { baselineRepeats } = rest
  return html`${markdown(summary)}
${steps.length === 0 ? null : html`<ol>${steps.map((step) => html`<li dir="auto">${inlineMarkdown(step)}</li>`)}</ol>`}
${entrypoint === undefined ? null : html`<p>Entry point: ${argv(entrypoint.argv)}</p>`}
${
  arms.length === 0
    ? null
    : table(
        "Arms",
        ["Arm", "Command", "What sets it apart"],
        arms.map(
          (arm) => html`<tr id="arm-${id}-${arms.indexOf(arm)}"><th scope="row">${arm.name}</th>
  <td>${argv(arm.argv)}</td><td>${arm.description === undefined ? null : inlineMarkdown(arm.description)}</td></tr>`,
        ),
        "caption",
      )
}
${
  baselineRepeats &&
  html`<p>Before anything else: ${counted(baselineRepeats.runs, "run")} of ${baselineRepeats.arm}.</p>`
}
${
  successCriteria === undefined
    ? null
    : html`<p>It succeeds if:</p>\
<ul>${successCriteria.map((criterion) => html`<li dir="auto">${inlineMarkdown(criterion)}</li>`)}</ul>`
}
${
  configuration === undefined
    ? null
    : html`<details><summary>Configuration</summary>${jsonBlock(configuration)}</details>`
}`
}
