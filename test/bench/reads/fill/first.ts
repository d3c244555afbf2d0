/** The first object of every kind in a Room of its own, written by the service's own code. */
import { digestOf } from "../../../../src/contract/json.ts"
import type { House } from "../../data/house.ts"
import { otherWord } from "./clone.ts"
import { finding, findingOver, newReference, planned, proposal, started, succeeded } from "../../data/targets.ts"

export type First = ReturnType<typeof tellFirst>

/** Words in the first message that the other messages replace. */
export const spoken = {
  common: "learningrate",
  rare: "seldomword",
  /** One of the words whose number of messages grows with the data. */
  other: otherWord(7),
  text: "What the loss does in the first thousand steps is what we look at here. ".repeat(4),
} as const
/** The number of messages with the rare word, however many messages there are. */
export const RARE = 100

export function tellFirst(house: House) {
  const { roomId, openingThreadId: threadId } = house.does("create_room", { title: "A large Room" }, house.owner).result
  house.does("add_member", { roomId, username: house.member.username }, house.owner)
  const crowded = house.does("create_room", { title: "A crowded Room", question: undefined }, house.owner).result
  const here = { roomId, threadId }
  const asked = house.does("post_message", { threadId, text: "What do we know of it?" })
  const text = `${spoken.common} ${spoken.rare} ${spoken.text}`
  const said = house.does("post_message", { threadId, text, replyToEntryId: asked.entry?.entryId })
  const hypothesis = house.does("publish_hypothesis", { ...here, premises: [], references: [] })
  const hypothesisId = hypothesis.result.versionId
  const plan = planned(house)
  // An experiment of this Room, with an attempt and a finding over it.
  const { experimentId } = house.does("propose_experiment", { ...here, hypotheses: [hypothesisId] }).result
  house.does("take_experiment", { experimentId })
  const { planId } = house.does("accept_plan", {
    experimentId,
    repository: house.pin,
    hypotheses: [hypothesisId],
  }).result
  const attemptId = succeeded(house, { experimentId, planId })
  const findingId = house.does("publish_finding", { ...findingOver(house, experimentId, attemptId), ...here }).result
    .versionId
  const relation = house.does("link_experiment_finding", {
    experimentId,
    findingVersionId: findingId,
    attemptId,
    towardHypothesis: [
      { versionId: hypothesisId, verdict: "supports", explanation: "The predicted difference was seen." },
    ],
  }).result
  const dispute = house.does("assert_dispute", { targetVersionId: hypothesisId }).result
  const paper = "1706.03762"
  const claim = house.does("publish_cited_claim", { ...here, paper: { arxivId: paper, version: 7 } }).result
  const openExperimentId = house.does("propose_experiment", { ...here, hypotheses: [hypothesisId] }).result.experimentId
  const valuesDigest = digestOf("the same values")
  const { materialId } = house.does("register_material", { ...here, reference: newReference(), valuesDigest }).result
  house.does("report_material_location", { materialId })
  const watermark = house.instance.tables.threads.summary(threadId)?.timelineWatermark ?? 0
  house.does("post_research_checkpoint", {
    threadId,
    expectedWatermark: watermark,
    coversThrough: watermark,
    citations: [findingId],
  })
  const amendedId = proposal(house)
  const runningAttemptId = started(house, plan)
  finding(house, plan.experimentId, succeeded(house, plan))
  return {
    roomId,
    threadId,
    crowdedRoomId: crowded.roomId,
    crowdedThreadId: crowded.openingThreadId,
    askedEntryId: asked.entry?.entryId ?? "",
    saidEntryId: said.entry?.entryId ?? "",
    cardEntryId: hypothesis.entry?.entryId ?? "",
    hypothesisId,
    findingId,
    claimId: claim.versionId,
    relationId: relation.linkId,
    disputeId: dispute.linkId,
    experimentId,
    openExperimentId,
    amendedId,
    attemptId,
    runningAttemptId,
    materialId,
    paper,
    valuesDigest,
  }
}
