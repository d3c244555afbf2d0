/** Chooses the next steps in a Room among those that the domains tell, each with the operation that does it. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { type ClaimedWork, enumerations } from "../../contract/schema/enumerations.ts"
import { limits } from "../../contract/limits.ts"
import { type OperationName, operationNamed } from "../../contract/operations/index.ts"
import { pathTo } from "../../contract/reads/index.ts"
import { oneLine, shortened } from "../../contract/text.ts"
import type { ListText, NextItem, Step } from "../../ledger/domains/brief.ts"

/** The most steps of each kind. A reader takes one at a time. */
const EACH = 5

/** What a step is about, the operation that does it, and the kind of work by which it can be claimed. */
interface Kind {
  readonly kind: string
  readonly operation: OperationName
  readonly work?: ClaimedWork
}
const kindsOfSteps: Readonly<Record<NextItem["what"], Kind>> = {
  answer_dispute: { kind: "record", operation: "assert_correction", work: "review" },
  settle_reproduction: { kind: "finding", operation: "register_attempt", work: "reproduce" },
  renew_conclusion: { kind: "checkpoint", operation: "post_research_checkpoint", work: "write_checkpoint" },
  review_conclusion: { kind: "checkpoint", operation: "submit_review", work: "review" },
  report_outcome: { kind: "attempt", operation: "report_attempt_event", work: "run" },
  repeat_baseline: { kind: "experiment", operation: "register_attempt", work: "run" },
  open_plan: { kind: "plan", operation: "open_plan" },
  answer_question: { kind: "thread", operation: "propose_experiment" },
  test_hypothesis: { kind: "hypothesis", operation: "propose_experiment", work: "run" },
  take_experiment: { kind: "experiment", operation: "take_experiment", work: "run" },
  write_finding: { kind: "experiment", operation: "publish_finding", work: "write_finding" },
  reproduce_finding: { kind: "finding", operation: "register_attempt", work: "reproduce" },
}
/** The ids that a step is about: its object, and the Thread of a checkpoint or the experiment of a reproduction. */
const idsOf = ({ what, object, body: { threadId, experimentId } }: NextItem): string[] =>
  [object.id, what === "renew_conclusion" ? threadId : experimentId].filter((each) => typeof each === "string")

function itemOf({ what, id, label, why, body, ...own }: Step): NextItem {
  const { kind, operation } = { ...kindsOfSteps[what], ...own }
  const permission = operationNamed(operation)?.permissions.join(" and ") ?? ""
  return { what, object: { kind, id, label }, why, operation, permission, body }
}

/** What somebody claims, and the work on it. */
export interface ClaimedObject {
  readonly what: ClaimedWork
  readonly objectId: string
}

/** Leaves out steps that somebody claims. @param claimed returns the current claims on some ids */
export function nextSteps(
  told: readonly Step[],
  claimed: (ids: readonly string[]) => readonly ClaimedObject[],
): Pick<AnswerOf<"room_next">, "items" | "leftOut"> {
  const steps = told.map(itemOf)
  const taken = claimed(steps.flatMap(idsOf))
  const isClaimed = (step: NextItem) =>
    taken.some(({ what, objectId }) => what === kindsOfSteps[step.what].work && idsOf(step).includes(objectId))
  const free = steps.filter((step) => !isClaimed(step))
  const items = enumerations.nextStep
    .flatMap((what) => free.filter((each) => each.what === what).slice(0, EACH))
    .slice(0, limits.pageItems)
  const left = Map.groupBy(
    free.filter((each) => !items.includes(each)),
    ({ what }) => what,
  )
  return { items, leftOut: [...left].map(([what, { length: count }]) => ({ what, count })) }
}

/** Cuts the texts of a prepared body, which an agent reads in full before it sends the body. */
const cutTexts = (body: NextItem["body"], characters: number): NextItem["body"] =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      typeof value === "string" ? shortened(value, characters) : value,
    ]),
  )

/** The steps as a list of a brief. */
export const nextInBrief = {
  title: "What to do next",
  line: ({ what, object, why, operation }) =>
    `${what.replaceAll("_", " ")} ${object.label ?? object.id}: ${oneLine(why)} (${operation})`,
  link: ({ roomId }) => pathTo("room_next", { roomId }),
  items: (steps: readonly NextItem[]) => (most: number) =>
    steps.map((step) => ({ ...step, why: shortened(step.why, most), body: cutTexts(step.body, most * 2) })),
} satisfies ListText<"next"> & { items: unknown }
