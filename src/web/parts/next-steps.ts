/** What would move a Room, as the brief tells it: each step in words, with the button that takes it. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { withQuery } from "../addresses.ts"
import { type Content, type Html, html, to } from "../html.ts"
import { beginning } from "../markdown.ts"
import type { Visit } from "../visit.ts"
import { type RoomLike, roleIn } from "./actions.ts"
import { actionButton, named } from "./parts.ts"
import { title } from "../words.ts"

type Step = AnswerOf<"room_next">["items"][number]

/** Every kind of step: what it asks of a person, the words of its button, and why where the read's own reason is for programs. */
const steps: Readonly<Record<string, readonly [asks: string, button: string, why?: string]>> = {
  answer_dispute: ["Answer the dispute of", "Answer"],
  settle_reproduction: ["Settle the reproductions of", "Reproduce it again"],
  renew_conclusion: ["Renew a conclusion", "Renew"],
  review_conclusion: ["Review a conclusion", "Review"],
  report_outcome: ["Report how it ended:", "Report", "No outcome was reported yet."],
  open_plan: ["Open", "Open it", "It is overdue."],
  answer_question: ["Answer a question", "Propose an experiment"],
  test_hypothesis: ["Test", "Propose an experiment", "Nobody has tested it."],
  take_experiment: ["Take", "Take it"],
  reproduce_finding: ["Reproduce", "Reproduce it", "Nobody has reported a reproduction yet."],
}

/** A kind of step that has no words here is named as it is. */
const wordsOf = (what: string) => steps[what] ?? [title(what), title(what)]

/** The body of a step as the address of its form: members by name, those of members by their pointer. */
function begun(body: Step["body"], prefix = ""): [string, string][] {
  return Object.entries(body).flatMap(([name, value]): [string, string][] => {
    if (Array.isArray(value)) return value.map((each) => [prefix + name, String(each)])
    if (typeof value === "object" && value !== null) return begun({ ...value }, `${prefix || "/"}${name}/`)
    return [[prefix + name, String(value)]]
  })
}

/** The button of a step, for members; nothing for others. */
function button({ what, operation, body, object }: Step, visit: Visit, room: RoomLike): Content {
  const role = roleIn(visit, room)
  if ((role !== "member" && role !== "owner") || room.state === "archived") return null
  const isHeld = what === "take_experiment" && body.expectedStatus !== "open"
  const text = isHeld ? "Take it over" : wordsOf(what)[1]
  const said = html`${text}${object.label === null ? null : html`<span class="aside"> ${object.label}</span>`}`
  // Taking an experiment needs no form: one press does it.
  if (what === "take_experiment")
    return actionButton(operation, Object.fromEntries(begun(body).map(([name, value]) => [`/${name}`, value])), said)
  const query = new URLSearchParams(begun(body))
  return html`<a class="button quiet" href="${to(`${withQuery(`/do/${operation}`, {})}?${query}`)}">${said}</a>`
}

/** @param detail what is said of a step in place of the read's reason */
export const stepItem = (step: Step, visit: Visit, room: RoomLike, detail?: Content): Html => {
  const { what, object, why } = step
  const [asks, , own] = wordsOf(what)
  const name = object.label === null ? null : html` ${named(object.kind, object.id, object.label)}`
  return html`<li><div><strong>${asks}${name}</strong> <span class="why">${detail ?? beginning(own ?? why, 90)}</span></div>${button(step, visit, room)}</li>`
}
