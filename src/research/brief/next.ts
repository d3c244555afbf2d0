/** Derives the next steps in a Room from states, evidence and checkpoints, each with the operation that does it. */
import type { StaleReason } from "../../contract/answers/evidence.ts"
import { parse } from "../../contract/json.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { type ClaimedWork, enumerations } from "../../contract/schema/enumerations.ts"
import { limits } from "../../contract/limits.ts"
import type { OperationName } from "../../contract/operations/index.ts"
import { operationNamed } from "../../contract/operations/index.ts"
import { shortened } from "../../contract/text.ts"
import { writerName } from "../../contract/answers/index.ts"
import type { Claim } from "../claims/claims.ts"
import { leaseOf } from "../experiments/admission.ts"
import type { Candidates, Leads } from "./candidates.ts"
import type { Place } from "./rows.ts"

export type NextItem = AnswerOf<"room_next">["items"][number]

/** Why a conclusion is stale, worded to follow the label of the object that made it stale. */
const reasons: { readonly [C in StaleReason["code"]]: string } = {
  citation_fallen: "has fallen or is doubted",
  citation_in_doubt: "rests on what has fallen",
  published_since: "came after it",
  not_covered: "is not covered",
}
/** The most steps of each kind. A reader takes one at a time. */
const EACH = 5
const QUOTED = 160

/** The kind of work by which each step can be claimed. */
const works: { readonly [S in NextItem["what"]]?: ClaimedWork } = {
  answer_dispute: "review",
  settle_reproduction: "reproduce",
  renew_conclusion: "write_checkpoint",
  review_conclusion: "review",
  report_outcome: "run",
  test_hypothesis: "run",
  take_experiment: "run",
  reproduce_finding: "reproduce",
}
/** The ids that a step is about: its object, and the Thread of a checkpoint or the experiment of a reproduction. */
const idsOf = ({ what, object, body: { threadId, experimentId } }: NextItem): string[] =>
  [object.id, what === "renew_conclusion" ? threadId : experimentId].filter((each) => typeof each === "string")

/** @param now milliseconds since 1970 @param claimed returns the current claims on some ids */
export function nextSteps(
  candidates: Candidates,
  place: Place,
  known: Leads,
  now: number,
  claimed: (ids: readonly string[]) => readonly Pick<Claim, "what" | "objectId">[],
): NextItem[] {
  const step = (
    what: NextItem["what"],
    object: NextItem["object"],
    why: string,
    operation: OperationName,
    body: NextItem["body"],
  ): NextItem => ({ what, object, why, operation, permission: operationNamed(operation)?.permissions.join(" and ") ?? "", body })
  const { roomId } = place
  const askedQuestions = candidates.beingAsked(
    roomId,
    known.openQuestions.map(({ question }) => question),
  )
  const steps: NextItem[] = [
    ...known.disputes.map(({ source, kind, id, label, why, by, threadId, replyTo }) => {
      const reason = `${by} ${source === "dispute" ? "disputes" : "objects to"} it: ${shortened(why, QUOTED)}`
      return replyTo === null
        ? step("answer_dispute", { kind, id, label }, reason, "assert_correction", { targetVersionId: id })
        : step("answer_dispute", { kind, id, label }, reason, "post_message", { threadId, replyToEntryId: replyTo })
    }),
    ...known.stands
      .filter(({ state, stale }) => state === "concluded" && stale === 1)
      .map(({ threadId, title, staleReasons, timelineWatermark, checkpointId }) =>
        step(
          "renew_conclusion",
          { kind: "checkpoint", id: checkpointId, label: null },
          `The conclusion of "${shortened(title, 80)}" is stale: ${parse(staleReasons)
            .slice(0, 3)
            .map(({ code, label }) => `${label} ${reasons[code]}`)
            .join(", ")}.`,
          "post_research_checkpoint",
          { threadId, expectedWatermark: timelineWatermark, coversThrough: timelineWatermark, state: "concluded" },
        ),
      ),
    ...known.stands
      .filter(({ state, stale, reviewed }) => state === "concluded" && stale === 0 && reviewed === null)
      .map(({ title, checkpointId }) =>
        step(
          "review_conclusion",
          { kind: "checkpoint", id: checkpointId, label: null },
          `Nobody but its author has reviewed the conclusion of "${shortened(title, 80)}".`,
          "submit_review",
          { target: checkpointId },
        ),
      ),
    ...candidates.running(place).map(({ attemptId, label, status, revision, registrant, updatedAt }) =>
      step(
        "report_outcome",
        { kind: "attempt", id: attemptId, label },
        `${registrant} registered it; its status has been ${status} since ${updatedAt}.`,
        "report_attempt_event",
        {
          attemptId,
          expectedRevision: revision,
          expectedStatus: status,
        },
      ),
    ),
    ...candidates
      .sealed(place)
      .filter(({ opensAt }) => Date.parse(opensAt) <= now)
      .map(({ planId, label, acceptor, opensAt }) =>
        step("open_plan", { kind: "plan", id: planId, label }, `${acceptor} was to open it by ${opensAt}.`, "open_plan", { planId }),
      ),
    ...known.openQuestions
      .filter(({ question }) => !askedQuestions.has(question))
      .map(({ question, threadId }) =>
        step("answer_question", { kind: "thread", id: threadId, label: null }, shortened(question, QUOTED), "propose_experiment", {
          roomId,
          threadId,
          question,
          hypotheses: [],
        }),
      ),
    ...known.hypotheses
      .filter(({ rank, status, isAddressed }) => rank === 0 && status === "current" && isAddressed === 0)
      .map(({ versionId, label, says, threadId }) =>
        step(
          "test_hypothesis",
          { kind: "hypothesis", id: versionId, label },
          `There is no evidence on it yet: ${shortened(says, QUOTED)}`,
          "propose_experiment",
          {
            roomId,
            threadId,
            hypotheses: [versionId],
          },
        ),
      ),
    ...known.work
      .filter((each) => each.status === "open" || leaseOf(each, now)?.lapsed === true)
      .map(({ experimentId, label, question, status, revision, assignee, agent, leaseUntil }) =>
        step(
          "take_experiment",
          { kind: "experiment", id: experimentId, label },
          `${assignee === null ? "It is open" : `${writerName({ username: assignee, agent })} held it; the lease lapsed at ${leaseUntil}`}: ${shortened(question, QUOTED)}`,
          "take_experiment",
          { experimentId, expectedRevision: revision, expectedStatus: status },
        ),
      ),
    ...known.findings
      .filter(({ tally, experimentId }) => parse(tally).failedReproductions > 0 && experimentId !== null)
      .map(({ versionId, label, experimentId }) =>
        step(
          "settle_reproduction",
          { kind: "finding", id: versionId, label },
          "A reproduction of it failed: another one would tell which is right, or its author corrects it.",
          "register_attempt",
          { experimentId, intent: "reproduction", reproduces: { findingVersionId: versionId } },
        ),
      ),
    ...known.findings
      .filter(
        ({ outcome, status, experimentId, isRepeated }) =>
          outcome === "positive" && status === "current" && experimentId !== null && isRepeated === 0,
      )
      .map(({ versionId, label, experimentId }) =>
        step(
          "reproduce_finding",
          { kind: "finding", id: versionId, label },
          "Nobody has reproduced it, and no reproduction is under way.",
          "register_attempt",
          { experimentId, intent: "reproduction", reproduces: { findingVersionId: versionId } },
        ),
      ),
  ]
  const taken = claimed(steps.flatMap(idsOf))
  const isClaimed = (step: NextItem) => taken.some(({ what, objectId }) => what === works[step.what] && idsOf(step).includes(objectId))
  const free = steps.filter((step) => !isClaimed(step))
  return enumerations.nextStep.flatMap((what) => free.filter((each) => each.what === what).slice(0, EACH)).slice(0, limits.pageItems)
}
