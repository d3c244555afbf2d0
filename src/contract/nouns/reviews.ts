/** Reviews: the verdict of a person who checked a finding, a checkpoint or a plan. A review is not evidence. */
import * as v from "valibot"
import { type ReviewVerdict, enumerations } from "../schema/enumerations.ts"
import { operation } from "../definitions/operation.ts"
import { quoting } from "../definitions/sentence.ts"
import { subject } from "../schema/parts.ts"
import { oneOf, distinct, text, uuid, shape, agentName } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { independence as degrees } from "../answers/evidence.ts"
import { count, id, at, optionalFreeText, freeText, withdrawn, answered } from "../answers/fields.ts"
import { author, schemaVersion, writerName, page } from "../answers/parts.ts"
import { read } from "../definitions/read.ts"

const did: { readonly [V in ReviewVerdict]: readonly [before: string, after: string] } = {
  agrees: ["agreed with", ""],
  agrees_with_reservations: ["agreed with", ", with reservations"],
  objects: ["objected to", ""],
}
const { reviewChecked, reviewVerdict } = enumerations

export const submitReview = operation({
  name: "submit_review",
  refusals: ["role_required", "link_exists"],
  sentence({ verdict, explanation }, label) {
    const [before, after] = did[verdict]
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

const verdict = v.picklist(enumerations.reviewVerdict)
const independence = shape({ person: degrees.entries.person, agent: degrees.entries.agent })

/**
 * The reviews that count: the newest of each author and agent that was not withdrawn. Null if nobody else has reviewed
 * it.
 */
export const reviewed = v.nullable(
  shape({
    agrees: count,
    agreesWithReservations: count,
    objects: count,
    /** People other than its author among the reviewers. */
    independent: count,
    /** Agents other than its own. Any agent of another person counts as one, and so does a person in the browser. */
    otherAgents: count,
    /** At most five. */
    newest: v.array(
      shape({
        linkId: id,
        targetId: id,
        verdict,
        author,
        independence,
        at,
        /** Of a checkpoint: given to an earlier one of its Thread with the same conclusion. */
        beforeRenewal: v.exactOptional(v.literal(true)),
      }),
    ),
  }),
)
export type Reviewed = NonNullable<v.InferOutput<typeof reviewed>>

const reviewFields = {
  linkId: id,
  kind: v.literal("review"),
  roomId: id,
  threadId: id,
  entryId: id,
  /** What is reviewed. `says` is its wording, its conclusion, or the plan in a sentence. */
  target: shape({
    kind: v.picklist(["finding", "checkpoint", "plan"]),
    id,
    label: v.nullable(v.string()),
    says: optionalFreeText,
  }),
  author,
  independence,
  at,
  verdict,
  checked: v.array(v.picklist(enumerations.reviewChecked)),
  explanation: freeText,
  /** Whether it is the newest of its author and agent that was not withdrawn. */
  counts: v.boolean(),
  withdrawn: v.nullable(withdrawn),
  /** For an objection: what the author of the reviewed object answered it with. */
  answered: v.nullable(answered),
  contentDigest: v.string(),
}
export const review = shape(reviewFields)
export type Review = v.InferOutput<typeof review>
export const reviewAnswer = shape({ schemaVersion, ...reviewFields })

const says: { readonly [V in ReviewVerdict]: string } = {
  agrees: "agrees",
  agrees_with_reservations: "agrees with reservations",
  objects: "objects",
}

/** What a reviewer did, from what weighs most. */
export const reviewerDid: { readonly [C in Review["checked"][number]]: string } = {
  rerun: "ran it again",
  numbers: "recomputed the numbers",
  code: "read the code",
  data: "looked at the data",
  wording: "read the text",
}

/** "another person", "another agent of ada": the relation of a reviewer to the author of what is reviewed. */
export const reviewerIs = ({
  author: { username },
  independence: { person, agent },
}: Pick<Review, "author" | "independence">): string =>
  person ? "another person" : agent === true ? `another agent of ${username}` : "the same person"

/** Marks the reviews that an earlier checkpoint with the same conclusion got. */
export const reviewedSince = (all: Reviewed | null, checkpointId: string): Reviewed | null =>
  all && {
    ...all,
    newest: all.newest.map((each) => (each.targetId === checkpointId ? each : { ...each, beforeRenewal: true })),
  }

/**
 * "grace · agent runner (another person) agrees with reservations": the newest reviews in words, and the number of
 * others.
 */
/** What is said where no evidence counts: a review checks a record, but reproduces nothing. */
export const withoutEvidence = (all: Reviewed | null | undefined): string =>
  all == null ? "not yet checked by anyone" : "reviewed, not reproduced yet"

export function reviewedInWords(all: Reviewed | null): string {
  if (all === null) return "not reviewed"
  const { newest, agrees, agreesWithReservations, objects } = all
  const more = agrees + agreesWithReservations + objects - newest.length
  const reviews = newest.map(
    (each) =>
      `${writerName(each.author)} (${reviewerIs(each)}) ` +
      `${says[each.verdict]}${each.beforeRenewal ? ", given before it was renewed" : ""}`,
  )
  return `reviewed: ${[...reviews, ...(more > 0 ? [`and ${more} more`] : [])].join(", ")}`
}

export const reviewReads = [
  read({
    name: "room_reviews",
    path: "/api/research/rooms/{roomId}/reviews",
    summary: "Reviews of a Room's findings, checkpoints and plans: who agrees or objects, what they checked, and why.",
    parameters: {
      target: v.exactOptional(subject("finding", "checkpoint", "plan")),
      verdict: v.exactOptional(oneOf(enumerations.reviewVerdict)),
      agent: v.exactOptional(agentName),
    },
    cursor: "uuid",
    answer: page(review),
  }),
] as const
