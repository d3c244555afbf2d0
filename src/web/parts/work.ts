/** Parts of the pages of experiments and plans: who has the work, what it cost, and how it is done. */
import { type Costs, costsInWords } from "../../contract/answers/costs.ts"
import { accepted } from "../../contract/operations/index.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { type Html, html } from "../html.ts"
import { inlineMarkdown, markdown } from "../markdown.ts"
import { counted } from "../words.ts"
import { argv, clock, jsonBlock, person, table } from "./parts.ts"

type Held = Pick<AnswerOf<"experiment">, "assignee" | "lease">

/** The end of a lease, as text after its holder's name. Null without a lease. */
export const untilWhen = ({ lease }: { readonly lease?: Held["lease"] | undefined }): Html | null =>
  lease == null ? null : html` until ${clock(lease.until)}${lease.lapsed ? "; the lease has lapsed" : null}`

/**
 * The holder of an experiment: "held by ada · agent lab-3 until 14:20 UTC; the lease has lapsed". @param isOver whether
 * it is finished or called off, so that nobody holds it any more
 */
export const heldBy = ({ assignee, lease }: Held, isOver = false): Html | null =>
  assignee === null
    ? isOver
      ? null
      : html`nobody has it`
    : isOver
      ? html`by ${person(assignee)}`
      : html`held by ${person(assignee)}${untilWhen({ lease })}`

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

/** The arms of a protocol with their commands; null if it names none. @param stored a protocol as it was accepted */
export function armTable(stored: unknown, id: string): Html | null {
  const { arms } = accepted("protocol", stored)
  if (arms.length === 0) return null
  const isDescribed = arms.some(({ description }) => description !== undefined)
  const rows = arms.map(
    ({ name, argv: parts, description }, index) =>
      html`<tr id="arm-${id}-${index}"><th scope="row">${name}</th><td>${argv(parts)}</td>\
${isDescribed && html`<td>${description && inlineMarkdown(description)}</td>`}</tr>`,
  )
  return table("Arms", ["Arm", "Command", ...(isDescribed ? ["What sets it apart"] : [])], rows, "caption")
}

/** The steps of a protocol, what it begins with, and when it succeeds; null if it says none of these. */
export function protocolSteps(stored: unknown): Html | null {
  const { steps, entrypoint, configuration, successCriteria, baselineRepeats } = accepted("protocol", stored)
  const parts = [
    steps.length > 0 && html`<ol>${steps.map((step) => html`<li dir="auto">${inlineMarkdown(step)}</li>`)}</ol>`,
    entrypoint && html`<p>Entry point: ${argv(entrypoint.argv)}</p>`,
    baselineRepeats &&
      html`<p>Before anything else: ${counted(baselineRepeats.runs, "run")} of ${baselineRepeats.arm}.</p>`,
    successCriteria &&
      html`<p>It succeeds if:</p>\
<ul>${successCriteria.map((criterion) => html`<li dir="auto">${inlineMarkdown(criterion)}</li>`)}</ul>`,
    configuration && html`<details><summary>Configuration</summary>${jsonBlock(configuration)}</details>`,
  ].filter((part) => part !== undefined && part !== false)
  return parts.length === 0 ? null : html`${parts}`
}

/** Renders a protocol: its summary, arms and steps. @param stored a protocol as it was accepted */
export const protocolParts = (stored: unknown, id: string): Html =>
  html`${markdown(accepted("protocol", stored).summary)}${armTable(stored, id)}${protocolSteps(stored)}`
