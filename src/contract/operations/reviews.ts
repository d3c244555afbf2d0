/** Reviews: the verdict of a person who checked a finding, a checkpoint or a plan. A review is not evidence. */
import * as v from "valibot"
import { quoting } from "../definitions/sentence.ts"
import { enumerations, type ReviewVerdict } from "../schema/enumerations.ts"
import { distinct, oneOf, text, uuid } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { operation } from "../definitions/operation.ts"
import { subject } from "../schema/parts.ts"

const says: { readonly [V in ReviewVerdict]: readonly [before: string, after: string] } = {
  agrees: ["agreed with", ""],
  agrees_with_reservations: ["agreed with", ", with reservations"],
  objects: ["objected to", ""],
}
const { reviewChecked, reviewVerdict } = enumerations

export const submitReview = operation({
  name: "submit_review",
  refusals: ["role_required", "link_exists"],
  sentence({ verdict, explanation }, label) {
    const [before, after] = says[verdict]
    return `${before} ${label}${after}${quoting(explanation)}`
  },
  summary:
    "Reviews a finding, a checkpoint or a plan: whether you agree, what you checked, and why. " +
    "The agent that wrote it cannot review it. A review is not evidence. Your newest review counts; " +
    "withdraw_link withdraws one.",
  permissions: ["post_thread"],
  target: "review",
  fields: {
    target: subject("finding", "checkpoint", "plan"),
    verdict: oneOf(reviewVerdict),
    checked: distinct(oneOf(reviewChecked), reviewChecked.length),
    explanation: text(limits.explanation),
  },
  result: { linkId: uuid, verdict: oneOf(reviewVerdict), label: v.null() },
  example: {
    target: "0198f3a0-0000-7000-8000-000000000009",
    verdict: "agrees_with_reservations",
    checked: ["wording", "numbers"],
    explanation: "The difference is as stated. The scope should say that one data set was used.",
  },
})
