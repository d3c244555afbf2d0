/**
 * Later statements about an exact record: corrections, supersessions, disputes, retractions. The record itself never
 * changes.
 */
import * as v from "valibot"
import { partInWords, quoting } from "../definitions/sentence.ts"
import { enumerations, type LinkKind, type RecordStatus } from "../schema/enumerations.ts"
import { distinct, oneOf, text, uuid } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { operation } from "../definitions/operation.ts"
import { ref, subject } from "../schema/parts.ts"
import { described } from "../schema/validation.ts"

const explanation = text(limits.explanation)
const about = { targetVersionId: subject("record"), explanation }
const replacementVersionId = ref("record", { not: "targetVersionId" })
const onRecord = {
  permissions: ["post_thread"],
  target: "link",
  refusals: ["link_exists"],
  result: { linkId: uuid, label: v.string() },
} as const
const target = "0198f3a0-0000-7000-8000-000000000009"
const replacement = "0198f3a0-0000-7000-8000-00000000000a"

export const linkOperations = [
  operation({
    name: "assert_correction",
    ...onRecord,
    sentence: ({ targetVersionId, correction, changes }, label, named) =>
      `corrected ${changes === "wording" ? "the wording of " : ""}${named(targetVersionId)} ` +
      `(${label})${quoting(correction)}`,
    summary:
      "States what to correct in a record, with a replacement if there is one. " +
      "A record may have several corrections; they have no order of rank.",
    fields: {
      ...about,
      correction: text(limits.statement),
      changes: v.exactOptional(
        described(
          oneOf(enumerations.correctionChanges),
          "meaning, if omitted. A correction of the wording is shown with its target and puts nothing in doubt.",
        ),
      ),
      replacementVersionId: v.exactOptional(replacementVersionId),
    },
    example: {
      targetVersionId: target,
      explanation: "The unit was mistaken.",
      correction: "Read nats where it says bits.",
    },
  }),
  operation({
    name: "assert_supersession",
    ...onRecord,
    sentence: ({ targetVersionId, replacementVersionId, explanation }, label, named) =>
      `superseded ${named(targetVersionId)} by ${named(replacementVersionId)} (${label})${quoting(explanation)}`,
    summary: "States that a record is superseded by another one.",
    fields: { ...about, replacementVersionId },
    example: {
      targetVersionId: target,
      explanation: "The later finding covers more seeds.",
      replacementVersionId: replacement,
    },
  }),
  operation({
    name: "assert_dispute",
    ...onRecord,
    sentence: ({ targetVersionId, explanation, part }, label, named) =>
      `disputed ${named(targetVersionId)}${part === undefined ? "" : ` in ${partInWords(part)}`} ` +
      `(${label})${quoting(explanation)}`,
    summary: "Disputes a record or a part of it, with records as evidence if there are any.",
    fields: {
      ...about,
      part: v.exactOptional(
        described(
          text(limits.explanation),
          "A JSON Pointer into the record's content, such as /scope, or words of its wording.",
        ),
      ),
      evidence: v.exactOptional(distinct(ref("record"), limits.citations)),
    },
    example: { targetVersionId: target, explanation: "The reproduction does not show the difference." },
  }),
  operation({
    name: "assert_retraction",
    ...onRecord,
    refusals: ["role_required", "link_exists"],
    sentence: ({ targetVersionId, explanation }, label, named) =>
      `retracted ${named(targetVersionId)} (${label})${quoting(explanation)}`,
    summary: "Retracts a record: by its author, or by the Room's owner.",
    permissions: ["publish_records"],
    fields: about,
    example: { targetVersionId: target, explanation: "The evaluation script read the wrong split." },
  }),
  operation({
    name: "withdraw_link",
    refusals: ["role_required", "unknown_link", "state_conflict"],
    sentence: ({ explanation }, label) => `withdrew ${label}${quoting(explanation)}`,
    summary:
      "Withdraws your own finding link, dispute, correction, supersession or review. " +
      "It stays readable but no longer counts.",
    permissions: ["post_thread"],
    target: "link",
    fields: { linkId: subject("link", "finding_link", "review"), explanation },
    result: { linkId: uuid, label: v.nullable(v.string()) },
    example: { linkId: "0198f3a0-0000-7000-8000-00000000000b", explanation: "The finding was about another model." },
  }),
] as const

// The effect of each kind of research link on its target.

export const linkKinds = {
  corrects: { operation: "assert_correction", status: "corrected", repeatable: true, final: false },
  supersedes: { operation: "assert_supersession", status: "superseded", repeatable: false, final: false },
  retracts: { operation: "assert_retraction", status: "retracted", repeatable: false, final: true },
  disputes: { operation: "assert_dispute", status: "disputed", repeatable: true, final: false },
} as const satisfies Record<
  LinkKind,
  {
    operation: (typeof linkOperations)[number]["name"]
    status: RecordStatus
    /** Whether one member may assert it again with another explanation. */
    repeatable: boolean
    /** Whether its author cannot withdraw it. */
    final: boolean
  }
>

/** The stronger of two statuses: retracted, superseded, corrected, disputed, current, in this order. */
export const strongerStatus = (one: RecordStatus, other: RecordStatus): RecordStatus =>
  enumerations.recordStatus.indexOf(one) > enumerations.recordStatus.indexOf(other) ? one : other
