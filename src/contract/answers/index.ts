/**
 * All answers of the service: receipts and refusals here, the rest in files by subject. The OpenAPI document and the
 * client's types are made from them; the tests validate answers against them.
 */
import * as v from "valibot"
import { at, count, id, freeText } from "./fields.ts"
import { shape } from "../schema/fields.ts"
import { landedEffect } from "./measurements.ts"
import { alreadyTried, warning } from "./advice.ts"
import { readAs, target } from "./parts.ts"
import { schemaVersions } from "../service.ts"
export * from "./parts.ts"
export * from "./rooms.ts"
export * from "./timeline.ts"
export * from "./publications.ts"

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
