/** Advice (protocol, section 8), as receipts, rehearsals and reads tell it: never a refusal. Its codes are those of the enumerations. */
import * as v from "valibot"
import { at, count, id, said } from "./fields.ts"
import { enumerations } from "../schema/enumerations.ts"
import { fromOtherRoom } from "./evidence.ts"
import { shape } from "../schema/fields.ts"

const some = v.exactOptional
const label = v.string()

/** A code, a sentence, and what it is about: the members that a code has no use for are left out. */
export const warning = shape({
  code: v.picklist(enumerations.warning),
  message: v.string(),
  /** The record, attempt or material that it is about, as the code says. */
  label: some(label),
  ...fromOtherRoom,
  versionId: some(id),
  kind: some(v.picklist(enumerations.recordKind)),
  wording: some(said),
  status: some(v.picklist(enumerations.recordStatus)),
  /** It is disputed, and its author has answered each dispute. */
  answered: some(v.literal(true)),
  /** Whether the record itself rests on it, or only something further down. */
  direct: some(v.boolean()),
  /** The record or the plan by which it rests on that. */
  through: some(shape({ versionId: some(id), planId: some(id), label, ...fromOtherRoom })),
  /** The plan that rests on what has fallen. */
  plan: some(shape({ planId: id, label, ...fromOtherRoom })),
  attemptId: some(id),
  experimentId: some(id),
  materialId: some(id),
  /** The checkpoint before it. */
  checkpointId: some(id),
  /** The place of an evidence entry in the finding, from 0. */
  evidence: some(count),
  outputLabel: some(said),
  /** What the attempt reported of that output. */
  reportedDigest: some(v.string()),
  /** Where a registration departs from its plan. */
  fields: some(v.array(v.string())),
  exitCode: some(count),
  reportedAt: some(v.string()),
  registeredAt: some(at),
  /** The claim of another agent on the same work, until when it lasts. */
  claimId: some(id),
  what: some(v.picklist(enumerations.claimedWork)),
  by: some(v.string()),
  agent: some(v.nullable(v.string())),
  until: some(at),
})
export type Warning = v.InferOutput<typeof warning>
