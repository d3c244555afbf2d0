/**
 * Claims: an agent says what it is working on, so that others choose other work. A claim forbids nothing and ends on
 * its own.
 */
import * as v from "valibot"
import { limits } from "../limits.ts"
import { enumerations } from "../schema/enumerations.ts"
import { uuid, oneOf, whole, text, agentName } from "../schema/fields.ts"
import { at } from "../answers/fields.ts"
import { operation } from "../definitions/operation.ts"
import { oneLine } from "../text.ts"
import { words, quoting } from "../definitions/sentence.ts"
import { subject } from "../schema/parts.ts"

const { claimMinutesMin: fewest, claimMinutesMax: most } = limits
const { claimedWork } = enumerations
const permissions = ["post_thread"] as const
const result = { claimId: uuid, until: at, label: v.null() }

export const claimOperations = [
  operation({
    name: "claim_work",
    refusals: ["experiment_not_open", "state_conflict"],
    sentence: ({ what, minutes, note, for: to }) =>
      `${to === undefined ? "claimed work" : `offered work to ${oneLine(to)}`} for ${minutes} minutes, ` +
      `${words(what)}${quoting(note)}`,
    summary:
      "Says that you are working on something, so that others choose other work. " +
      "Each of your writes about it renews the claim; it ends on its own. It forbids nothing: " +
      "others who do the same get the warning claimed_by. A new claim replaces your earlier one for the same work. " +
      "A Thread with a note takes an arm or a question that nobody proposed; for offers the work to another agent.",
    permissions,
    target: "work_claim",
    atLeastOneOf: ["object", "threadId"],
    requiredWhen: [
      { field: "object", when: { field: "what", in: ["reproduce"] } },
      { field: "threadId", when: { field: "what", in: ["write_checkpoint"] } },
    ],
    onlyWhen: [
      { field: "object", when: { field: "what", in: claimedWork.filter((what) => what !== "write_checkpoint") } },
    ],
    fields: {
      object: v.exactOptional(subject("record", "experiment", "plan", "attempt", "checkpoint")),
      threadId: v.exactOptional(subject("thread")),
      what: oneOf(claimedWork),
      minutes: v.pipe(whole(fewest), v.maxValue(most, `must be at most ${most}`)),
      note: v.exactOptional(text(limits.explanation)),
      for: v.exactOptional(agentName),
    },
    result,
    example: {
      object: "0198f3a0-0000-7000-8000-000000000005",
      what: "run",
      minutes: 45,
      note: "Seeds 4 and 5 are running.",
    },
  }),
  operation({
    name: "release_claim",
    refusals: ["role_required", "state_conflict"],
    sentence: (_content) => "released a claim",
    summary: "Ends a claim early; by the person whose agent made it.",
    permissions,
    target: "work_claim",
    fields: { claimId: subject("work_claim") },
    result,
    example: { claimId: "0198f3a0-0000-7000-8000-00000000000c" },
  }),
] as const
