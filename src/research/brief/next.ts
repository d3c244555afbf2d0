/** Derives the next steps in a Room from states, evidence and checkpoints, each with the operation that does it. */
import type { StaleReason } from "../../contract/answers/evidence.ts"
import { parse } from "../../contract/json.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { type ClaimedWork, enumerations } from "../../contract/schema/enumerations.ts"
import { limits } from "../../contract/limits.ts"
import { type OperationName, operationNamed } from "../../contract/operations/index.ts"
import { shortened } from "../../contract/text.ts"
import type { Claim } from "../claims/claims.ts"
import { isLost, lostInWords } from "../experiments/holders.ts"
import type { Candidates, Leads, Compared, Place } from "./candidates.ts"

export type NextItem = AnswerOf<"room_next">["items"][number]

/** Why a conclusion is stale, worded to follow the label of the object that made it stale. */
const reasons: { readonly [C in StaleReason["code"]]: string } = {
  citation_fallen: "no longer holds or is in doubt",
  citation_in_doubt: "rests on a record that no longer holds",
  published_since: "came after it",
  not_covered: "is not covered",
}
/** The most steps of each kind. A reader takes one at a time. */
const EACH = 5
const QUOTED = 160

/** What a step is about, the operation that does it, and the kind of work by which it can be claimed. */
interface Step {
  readonly kind: string
  readonly operation: OperationName
  readonly work?: ClaimedWork
}
const kindsOfSteps: Readonly<Record<NextItem["what"], Step>> = {
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

/** The run of a baseline that a plan asks for, or without which nobody knows what one run of each arm differs by. */
function repeatOf({ experimentId, revision, status, ran, planId, protocol, isSeeded }: Compared) {
  const runs = parse(ran)
  const { baselineRepeats: asked, arms = [] } = protocol === null ? {} : parse(protocol)
  const baseline = asked?.arm ?? arms.find(({ name }) => runs.some(({ arm }) => arm === name))?.name
  const first = runs.find(({ arm }) => arm === baseline)
  const expected = { experimentId, expectedRevision: revision, expectedStatus: status }
  const body =
    first === undefined
      ? { ...expected, intent: "planned", planId }
      : { ...expected, intent: "rerun", rerunOf: first.attemptId }
  if (asked !== undefined && (first?.runs ?? 0) < asked.runs) {
    const why =
      `Its plan asks for ${asked.runs} runs of ${asked.arm} before anything else; ` + `${first?.runs ?? 0} succeeded.`
    return { why, body }
  }
  if (first === undefined || runs.length < 2 || isSeeded === 1 || runs.some((each) => each.runs > 1)) return undefined
  const why =
    `It compares ${runs.length} arms with one run each. Another run of ${baseline} would tell what the same code and ` +
    "settings differ by."
  return { why, body }
}

export type NextSteps = Pick<AnswerOf<"room_next">, "items" | "leftOut">

/** @param now milliseconds since 1970 @param claimed returns the current claims on some ids */
export function nextSteps(
  candidates: Candidates,
  place: Place,
  known: Leads,
  now: number,
  claimed: (ids: readonly string[]) => readonly Pick<Claim, "what" | "objectId">[],
): NextSteps {
  const { roomId } = place
  const asked = candidates.beingAsked(
    roomId,
    known.openQuestions.map(({ question }) => question),
  )
  const steps: NextItem[] = []
  function add(
    what: NextItem["what"],
    { id, label = null }: { readonly id: string; readonly label?: string | null },
    why: string,
    body: NextItem["body"],
    { kind, operation }: Step = kindsOfSteps[what],
  ): void {
    const permission = operationNamed(operation)?.permissions.join(" and ") ?? ""
    steps.push({ what, object: { kind, id, label }, why, operation, permission, body })
  }
  for (const { source, kind, id, label, why, by, threadId, replyTo } of known.disputes) {
    const reason = `${by} ${source === "dispute" ? "disputes" : "objects to"} it: ${shortened(why, QUOTED)}`
    const body = replyTo === null ? { targetVersionId: id } : { threadId, replyToEntryId: replyTo }
    add("answer_dispute", { id, label }, reason, body, {
      kind,
      operation: replyTo === null ? "assert_correction" : "post_message",
    })
  }
  for (const {
    checkpointId: id,
    threadId,
    title,
    state,
    stale,
    staleReasons,
    reviewed,
    timelineWatermark,
  } of known.stands) {
    const conclusion = `conclusion of "${shortened(title, 80)}"`
    if (state === "concluded" && stale === 1) {
      const because = parse(staleReasons).slice(0, 3)
      const why = because.map(({ code, label }) => `${label} ${reasons[code]}`).join(", ")
      const moved = { expectedWatermark: timelineWatermark, coversThrough: timelineWatermark }
      add("renew_conclusion", { id }, `The ${conclusion} is stale: ${why}.`, { threadId, ...moved, state: "concluded" })
    } else if (state === "concluded" && reviewed === null)
      add("review_conclusion", { id }, `Nobody but its author has reviewed the ${conclusion}.`, { target: id })
  }
  for (const { attemptId, label, status, revision, registrant, updatedAt } of candidates.running(place)) {
    const why = `${registrant} registered it; its status has been ${status} since ${updatedAt}.`
    add("report_outcome", { id: attemptId, label }, why, {
      attemptId,
      expectedRevision: revision,
      expectedStatus: status,
    })
  }
  for (const each of candidates.compared(place)) {
    const step = repeatOf(each)
    if (step !== undefined) add("repeat_baseline", { id: each.experimentId, label: each.label }, step.why, step.body)
  }
  for (const { experimentId, label, threadId, question } of candidates.unwritten(place)) {
    const why = `Its attempts have ended, and no finding reports them: ${shortened(question, QUOTED)}`
    const provenance = { execution: { experimentId }, papers: [] }
    add("write_finding", { id: experimentId, label }, why, { kind: "finding", roomId, threadId, provenance })
  }
  for (const { planId, label, acceptor, opensAt } of candidates.sealed(place))
    if (Date.parse(opensAt) <= now)
      add("open_plan", { id: planId, label }, `${acceptor} was to open it by ${opensAt}.`, { planId })
  for (const { question, threadId } of known.openQuestions)
    if (!asked.has(question))
      add("answer_question", { id: threadId }, shortened(question, QUOTED), {
        roomId,
        threadId,
        question,
        hypotheses: [],
      })
  for (const { versionId: id, label, says, rank, status, isAddressed, threadId } of known.hypotheses)
    if (rank === 0 && status === "current" && isAddressed === 0) {
      const why = `There is no evidence on it yet: ${shortened(says, QUOTED)}`
      add("test_hypothesis", { id, label }, why, { roomId, threadId, hypotheses: [id] })
    }
  for (const each of known.work) {
    const { experimentId, label, question, status, revision, assignee, agent } = each
    if (status !== "open" && !isLost(each, now)) continue
    const held = assignee !== null && lostInWords({ username: assignee, agent }, each)
    const body = { experimentId, expectedRevision: revision, expectedStatus: status }
    add("take_experiment", { id: experimentId, label }, `${held || "It is open"}: ${shortened(question, QUOTED)}`, body)
  }
  for (const { versionId: id, label, evidence, outcome, status, experimentId, isRepeated } of known.findings) {
    if (experimentId === null) continue
    const body = { experimentId, intent: "reproduction", reproduces: { findingVersionId: id } }
    if (parse(evidence).failedReproductions > 0) {
      const why = "A reproduction of it failed: another one would tell which is right, or its author corrects it."
      add("settle_reproduction", { id, label }, why, body)
    }
    if (outcome === "positive" && status === "current" && isRepeated === 0)
      add(
        "reproduce_finding",
        { id, label },
        "No other agent has reproduced it, and no reproduction is under way.",
        body,
      )
  }
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
