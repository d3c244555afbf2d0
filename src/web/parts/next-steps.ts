/** Renders the next steps of a Room from its brief, each with a button. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { withQuery } from "../addresses.ts"
import { type Content, type Html, html, to } from "../html.ts"
import { beginning } from "../markdown.ts"
import type { Visit } from "../visit.ts"
import { type RoomLike, roleIn } from "./actions.ts"
import { actionButton, named } from "./parts.ts"
import { title } from "../words.ts"

type Step = AnswerOf<"room_next">["items"][number]

/** The words of each kind of step. A reason of its own replaces the one from the read, which is for programs. */
const steps: Readonly<Record<string, readonly [step: string, button: string, why?: string]>> = {
  answer_dispute: ["Answer the dispute of", "Answer"],
  settle_reproduction: ["Settle the reproductions of", "Reproduce it again"],
  renew_conclusion: ["Renew a conclusion", "Renew"],
  review_conclusion: ["Review a conclusion", "Review"],
  report_outcome: ["Report how it ended:", "Report", "No outcome was reported yet."],
  write_finding: ["Report what came of", "Publish a finding"],
  open_plan: ["Open", "Open it", "It is overdue."],
  answer_question: ["Answer a question", "Propose an experiment"],
  test_hypothesis: ["Test", "Propose an experiment", "Nobody has tested it."],
  take_experiment: ["Take", "Take it"],
  reproduce_finding: ["Reproduce", "Reproduce it", "Nobody has reported a reproduction yet."],
}

/** The words of a step. A kind without words here shows its own name. */
const wordsOf = (what: string) => steps[what] ?? [title(what), title(what)]

/** The body of a step as parameters of its form's address: members by name, nested members by pointer. */
function parametersOf(body: Step["body"], prefix = ""): [string, string][] {
  return Object.entries(body).flatMap(([name, value]): [string, string][] => {
    if (Array.isArray(value)) return value.map((each) => [prefix + name, String(each)])
    if (typeof value === "object" && value !== null) return parametersOf({ ...value }, `${prefix || "/"}${name}/`)
    return [[prefix + name, String(value)]]
  })
}

/** The button of a step. Null if the visitor is not a member. */
function button({ what, operation, body, object }: Step, visit: Visit, room: RoomLike): Content {
  const role = roleIn(visit, room)
  if ((role !== "member" && role !== "owner") || room.state === "archived") return null
  const isHeld = what === "take_experiment" && body.expectedStatus !== "open"
  const text = isHeld ? "Take it over" : wordsOf(what)[1]
  const label = html`${text}${object.label === null ? null : html`<span class="aside"> ${object.label}</span>`}`
  // Taking an experiment needs no form.
  if (what === "take_experiment")
    return actionButton(
      operation,
      Object.fromEntries(parametersOf(body).map(([name, value]) => [`/${name}`, value])),
      label,
    )
  const query = new URLSearchParams(parametersOf(body))
  return html`<a class="button quiet" href="${to(`${withQuery(`/do/${operation}`, {})}?${query}`)}">${label}</a>`
}

/** Renders a step. @param detail replaces the read's reason */
export const stepItem = (step: Step, visit: Visit, room: RoomLike, detail?: Content): Html => {
  const { what, object, why } = step
  const [text, , own] = wordsOf(what)
  const name = object.label === null ? null : html` ${named(object.kind, object.id, object.label)}`
  return html`<li><div><strong>${text}${name}</strong> <span class="why">${detail ?? beginning(own ?? why, 90)}</span>\
</div>${button(step, visit, room)}</li>`
}
