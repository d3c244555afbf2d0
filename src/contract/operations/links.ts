/** Later statements about an exact record: corrections, supersessions, disputes, retractions. The record itself never changes. */
import * as v from "valibot"
import { partInWords, quoting } from "../definitions/sentence.ts"
import { distinct, text, uuid } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { operation } from "../definitions/operation.ts"
import { ref, subject } from "../schema/ref.ts"
import { described } from "../schema/described.ts"

const explanation = text(limits.explanation)
const targetVersionId = subject("record")
const replacementVersionId = ref("record", { not: "targetVersionId" })
const result = { linkId: uuid, label: v.string() }
const target = "0198f3a0-0000-7000-8000-000000000009"
const replacement = "0198f3a0-0000-7000-8000-00000000000a"

const assertCorrection = operation({
  name: "assert_correction",
  refusals: ["link_exists"],
  sentence: ({ targetVersionId, correction }, label, named) => `corrected ${named(targetVersionId)} (${label})${quoting(correction)}`,
  summary:
    "States what to correct in a record, with a replacement if there is one. A record may have several corrections; they have no order of rank.",
  permissions: ["post_thread"],
  target: "link",
  fields: { targetVersionId, explanation, correction: text(limits.statement), replacementVersionId: v.exactOptional(replacementVersionId) },
  result,
  example: { targetVersionId: target, explanation: "The unit was mistaken.", correction: "Read nats where it says bits." },
})

const assertSupersession = operation({
  name: "assert_supersession",
  refusals: ["link_exists"],
  sentence: ({ targetVersionId, replacementVersionId, explanation }, label, named) =>
    `superseded ${named(targetVersionId)} by ${named(replacementVersionId)} (${label})${quoting(explanation)}`,
  summary: "States that a record is superseded by another one.",
  permissions: ["post_thread"],
  target: "link",
  fields: { targetVersionId, explanation, replacementVersionId },
  result,
  example: { targetVersionId: target, explanation: "The later finding covers more seeds.", replacementVersionId: replacement },
})

const assertDispute = operation({
  name: "assert_dispute",
  refusals: ["link_exists"],
  sentence: ({ targetVersionId, explanation, part }, label, named) =>
    `disputed ${named(targetVersionId)}${part === undefined ? "" : ` in ${partInWords(part)}`} (${label})${quoting(explanation)}`,
  summary: "Disputes a record or a part of it, with records as evidence if there are any.",
  permissions: ["post_thread"],
  target: "link",
  fields: {
    targetVersionId,
    explanation,
    part: v.exactOptional(
      described(text(limits.explanation), "A JSON Pointer into the record's content, such as /scope, or words of its wording."),
    ),
    evidence: v.exactOptional(distinct(ref("record"), limits.citations)),
  },
  result,
  example: { targetVersionId: target, explanation: "The reproduction does not show the difference." },
})

const assertRetraction = operation({
  name: "assert_retraction",
  refusals: ["role_required", "link_exists"],
  sentence: ({ targetVersionId, explanation }, label, named) => `retracted ${named(targetVersionId)} (${label})${quoting(explanation)}`,
  summary: "Retracts a record: by its author, or by the Room's owner.",
  permissions: ["publish_records"],
  target: "link",
  fields: { targetVersionId, explanation },
  result,
  example: { targetVersionId: target, explanation: "The evaluation script read the wrong split." },
})

const withdrawLink = operation({
  name: "withdraw_link",
  refusals: ["role_required", "unknown_link", "state_conflict"],
  sentence: ({ explanation }, label) => `withdrew ${label}${quoting(explanation)}`,
  summary: "Withdraws your own finding link, dispute, correction, supersession or review. It stays readable but no longer counts.",
  permissions: ["post_thread"],
  target: "link",
  fields: { linkId: subject("link", "finding_link", "review"), explanation },
  result: { linkId: uuid, label: v.nullable(v.string()) },
  example: { linkId: "0198f3a0-0000-7000-8000-00000000000b", explanation: "The finding was about another model." },
})

export const linkOperations = [assertCorrection, assertSupersession, assertDispute, assertRetraction, withdrawLink] as const
