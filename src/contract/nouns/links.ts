/**
 * Links: later statements about an exact record (corrections, supersessions, disputes, retractions), and what a finding
 * says of an experiment and its hypotheses. The record itself never changes.
 */
import * as v from "valibot"
import { text, oneOf, distinctBy, list, shape, uuid, whole, distinct, agentName } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { enumerations, type LinkKind, type RecordStatus } from "../schema/enumerations.ts"
import { operation } from "../definitions/operation.ts"
import { words, quoting, partInWords } from "../definitions/sentence.ts"
import { subject, ref } from "../schema/parts.ts"
import { described } from "../schema/validation.ts"
import { fromOtherRoom } from "../answers/evidence.ts"
import { relatedFields, notice } from "./record-answers.ts"
import { id, at, freeText, recordStatus, withdrawn, answered, optionalText, count } from "../answers/fields.ts"
import { author, schemaVersion, page } from "../answers/parts.ts"
import { warning } from "../answers/receipts.ts"
import { reviewAnswer } from "./reviews.ts"
import { read } from "../definitions/read.ts"

const explanation = text(limits.explanation)

const bearing = oneOf(enumerations.evidenceBearing)

export const linkExperimentFinding = operation({
  name: "link_experiment_finding",
  refusals: ["link_exists"],
  sentence: ({ findingVersionId, experimentId, towardQuestion, towardHypothesis }, _label, named) =>
    `related ${named(findingVersionId)} to ${named(experimentId)}: it ${[
      ...towardHypothesis.map(
        ({ versionId, verdict, part }) =>
          `${words(verdict)} ${named(versionId)}${part === undefined ? "" : ` ${part}`}`,
      ),
      `${words(towardQuestion.verdict)} the question`,
    ].join(" and ")}${quoting(towardQuestion.explanation)}`,
  summary:
    "Relates a finding to an experiment with a split verdict: on each hypothesis, and on the question. " +
    "It changes no state.",
  permissions: ["post_thread"],
  target: "finding_link",
  entry: { kind: "link_experiment_finding", form: "card" },
  fields: {
    experimentId: subject("experiment"),
    findingVersionId: ref("finding"),
    attemptId: v.exactOptional(ref("attempt", { of: "experimentId" })),
    towardHypothesis: distinctBy(
      list(
        shape({
          versionId: ref("hypothesis"),
          verdict: oneOf(enumerations.hypothesisVerdict),
          explanation,
          part: v.exactOptional(
            described(text(200), 'The part of the hypothesis that the verdict is on, such as "at 400 labels".'),
          ),
        }),
        limits.verdicts,
      ),
      "versionId",
      "list",
    ),
    towardQuestion: shape({ verdict: oneOf(enumerations.questionVerdict), explanation }),
  },
  result: {
    linkId: uuid,
    label: v.null(),
    /**
     * The verdict of each hypothesis before and after, and how many people other than its author made counted
     * statements.
     */
    verdicts: v.array(
      shape({
        versionId: uuid,
        label: v.string(),
        ...fromOtherRoom,
        before: bearing,
        verdict: bearing,
        independent: whole(),
      }),
    ),
  },
  example: {
    experimentId: "0198f3a0-0000-7000-8000-000000000005",
    findingVersionId: "0198f3a0-0000-7000-8000-000000000009",
    attemptId: "0198f3a0-7777-4abc-8def-000000000007",
    towardHypothesis: [
      {
        versionId: "0198f3a0-0000-7000-8000-000000000004",
        verdict: "supports",
        explanation: "The predicted difference was seen.",
      },
    ],
    towardQuestion: { verdict: "answers", explanation: "For this model size, yes." },
  },
})

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
  linkExperimentFinding,
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

const related = shape(relatedFields)
const { notices: _notices, ...namedFields } = relatedFields

const researchLinkFields = {
  linkId: id,
  kind: v.picklist(enumerations.linkKind),
  label: v.string(),
  roomId: id,
  threadId: id,
  entryId: id,
  author,
  at,
  explanation: freeText,
  /** Without its notices, which are below. */
  target: shape(namedFields),
  replacement: v.nullable(related),
  /** The present status of the target. */
  status: recordStatus,
  notices: v.array(notice),
  /** If its author withdrew it: it stays readable but no longer counts. */
  withdrawn: v.nullable(withdrawn),
  /** For a dispute: what the record's author answered it with. */
  answered: v.nullable(answered),
  content: v.record(v.string(), v.unknown()),
  contentDigest: v.string(),
}
const researchLink = shape(researchLinkFields)
export type ResearchLink = v.InferOutput<typeof researchLink>

const findingLinkFields = {
  linkId: id,
  kind: v.literal("finding_link"),
  roomId: id,
  experimentId: id,
  experimentLabel: v.string(),
  finding: shape({ ...relatedFields, outcome: optionalText }),
  attemptId: v.nullable(id),
  attemptLabel: optionalText,
  author,
  at,
  towardQuestion: shape({ verdict: v.picklist(enumerations.questionVerdict), explanation: freeText }),
  towardHypothesis: v.array(
    shape({
      versionId: id,
      label: v.string(),
      status: recordStatus,
      verdict: v.picklist(enumerations.hypothesisVerdict),
      explanation: freeText,
      /** The part of the hypothesis that the verdict is on; left out for all of it. */
      part: v.exactOptional(freeText),
      ...fromOtherRoom,
    }),
  ),
  card: shape({ entryId: id, threadId: id }),
  replies: count,
  /** Everybody except the author who replied to its card. */
  reviewedBy: v.array(v.string()),
  withdrawn: v.nullable(withdrawn),
}
export const findingLink = shape(findingLinkFields)
export type FindingLink = v.InferOutput<typeof findingLink>

/** A link of any kind. */
const link = v.variant("kind", [
  shape({ schemaVersion, ...researchLinkFields, warnings: v.array(warning) }),
  shape({ schemaVersion, ...findingLinkFields }),
  reviewAnswer,
])

export const linkReads = [
  read({
    name: "room_links",
    path: "/api/research/rooms/{roomId}/links",
    summary: "Corrections, supersessions, disputes and retractions of a Room's records.",
    parameters: {
      kind: v.exactOptional(oneOf(enumerations.linkKind)),
      targetVersionId: v.exactOptional(subject("record")),
      targetAuthorId: v.exactOptional(subject("person")),
      agent: v.exactOptional(agentName),
    },
    cursor: "uuid",
    answer: page(researchLink),
  }),
  read({
    name: "link",
    path: "/api/research/links/{linkId}",
    summary: "One link: a research link, one that relates a finding to an experiment, or a review.",
    answer: link,
  }),
  read({
    name: "experiment_findings",
    path: "/api/research/experiments/{experimentId}/findings",
    summary: "The findings related to an experiment, with their verdicts, replies and reviewers.",
    cursor: "uuid",
    answer: page(findingLink),
  }),
] as const
