/**
 * What a write is answered: a receipt with its advice (protocol, section 8), or a refusal. Advice never refuses
 * anything: warnings, whose codes are in the enumerations, and similar hypotheses, experiments and attempts. Rehearsals
 * and reads give it too.
 */
import * as v from "valibot"
import { shape } from "../schema/fields.ts"
import { enumerations } from "../schema/enumerations.ts"
import { fromOtherRoom } from "./evidence.ts"
import { id, freeText, count, at, optionalFreeText } from "./fields.ts"
import { schemaVersion, target, readAs } from "./parts.ts"
import { schemaVersions } from "../service.ts"
import { landedEffect } from "./measurements.ts"

const optional = v.exactOptional
const label = v.string()

/** A code, a sentence, and the objects concerned; members that do not apply to a code are absent. */
export const warning = shape({
  code: v.picklist(enumerations.warning),
  message: v.string(),
  /** The record, attempt or material concerned, depending on the code. */
  label: optional(label),
  ...fromOtherRoom,
  versionId: optional(id),
  kind: optional(v.picklist(enumerations.recordKind)),
  wording: optional(freeText),
  status: optional(v.picklist(enumerations.recordStatus)),
  /** Present if it is disputed and its author has answered each dispute. */
  answered: optional(v.literal(true)),
  /** Present if it was so already when what rests on it was written. */
  knownThen: optional(v.literal(true)),
  /** Whether the record rests on it directly, or only indirectly. */
  direct: optional(v.boolean()),
  /** The record or the plan through which it rests on that. */
  through: optional(shape({ versionId: optional(id), planId: optional(id), label, ...fromOtherRoom })),
  /** The plan that rests on something fallen. */
  plan: optional(shape({ planId: id, label, ...fromOtherRoom })),
  attemptId: optional(id),
  experimentId: optional(id),
  materialId: optional(id),
  /** The previous checkpoint. */
  checkpointId: optional(id),
  /** The index of an evidence entry in the finding. */
  evidence: optional(count),
  outputLabel: optional(freeText),
  /** The digest of that output as the attempt reported it. */
  reportedDigest: optional(v.string()),
  /** The fields in which a registration departs from its plan. */
  fields: optional(v.array(v.string())),
  exitCode: optional(count),
  reportedAt: optional(v.string()),
  registeredAt: optional(at),
  /** A number that is not in the record: the member of the body, and its place in that text. */
  path: optional(v.string()),
  text: optional(v.string()),
  start: optional(count),
  end: optional(count),
  /** Another agent's claim on the same work, and when it ends. */
  claimId: optional(id),
  what: optional(v.picklist(enumerations.claimedWork)),
  by: optional(v.string()),
  agent: optional(v.nullable(v.string())),
  until: optional(at),
})
export type Warning = v.InferOutput<typeof warning>

// Hypotheses, experiments and attempts similar to a text or an object, and their outcomes.

/** The history of older versions has no agent. */
const author = shape({ userId: v.string(), username: v.string(), agent: v.exactOptional(v.nullable(v.string())) })

export const similarItem = shape({
  kind: v.picklist(enumerations.similarKind),
  id: v.string(),
  label: v.string(),
  ...fromOtherRoom,
  roomId: v.string(),
  threadId: v.string(),
  /**
   * The wording of a record, or the question of an experiment or of an attempt's experiment; shortened if it is long.
   */
  says: freeText,
  author,
  at: v.string(),
  /** The standing of a record, the status of an experiment or attempt. */
  status: v.string(),
  /**
   * Its outcome in a sentence: why an attempt failed, how an experiment ended, the evidence on a hypothesis; null if
   * there is none.
   */
  cameOfIt: optionalFreeText,
})
export type SimilarItem = v.InferOutput<typeof similarItem>

/** Added to a receipt, and to a rehearsal. */
export const alreadyTried = {
  /** The most similar first. */
  similar: v.array(similarItem),
  /** Attempts with the same commit, argv and configuration, in any Room, the newest first. */
  sameExecution: v.array(similarItem),
}
export type AlreadyTried = { readonly [K in keyof typeof alreadyTried]: readonly SimilarItem[] }

export const similarAnswer = shape({ schemaVersion, roomId: v.string(), ...alreadyTried })

export const receipt = shape({
  /** That of the operation's family. */
  schemaVersion: v.picklist([schemaVersions.research, schemaVersions.library]),
  operation: v.string(),
  requestId: v.exactOptional(id),
  clientMessageId: v.exactOptional(id),
  acceptedAt: at,
  roomId: v.nullable(id),
  threadId: v.nullable(id),
  target,
  targetId: v.string(),
  result: v.record(v.string(), v.unknown()),
  entry: v.nullable(shape({ entryId: id, sequence: count })),
  activity: v.nullable(shape({ sequence: count, digest: v.string() })),
  warnings: v.array(warning),
  /** For a proposal, a hypothesis or an attempt: similar records, and earlier attempts with the same settings. */
  similar: v.exactOptional(alreadyTried.similar),
  sameExecution: v.exactOptional(alreadyTried.sameExecution),
  /** For a finding that rests on effects, and for the outcome of a reproduction that repeats some. */
  effects: v.exactOptional(v.array(landedEffect)),
  /** For a report with a table of values. */
  readAs: v.exactOptional(readAs),
  replayed: v.exactOptional(v.literal(true)),
  credentialChanged: v.exactOptional(v.literal(true)),
  rehearsed: v.exactOptional(v.literal(true)),
  current: v.exactOptional(v.unknown()),
})

export type Receipt = v.InferOutput<typeof receipt>

export const refusal = shape({
  schemaVersion: count,
  error: v.string(),
  refusal: v.string(),
  committed: v.nullable(v.literal(false)),
  retryable: v.boolean(),
  retryAfter: v.nullable(count),
  current: v.nullable(v.record(v.string(), v.unknown())),
  issues: v.array(shape({ path: v.string(), message: freeText })),
})
