/** The answers of the reads of experiments, proposals, plans and materials. */
import * as v from "valibot"
import { affordances, author, schemaVersion, person } from "./parts.ts"
import { cost, costs } from "./costs.ts"
import { at, count, id, freeText, optionalFreeText, optionalText as text } from "./fields.ts"
import { each } from "../typed.ts"
import { enumerations } from "../schema/enumerations.ts"
import { shape } from "../schema/fields.ts"
import { relatedFields } from "./publications.ts"
import { review, reviewed } from "./reviews.ts"
import { warning } from "./advice.ts"
import { fromOtherRoom } from "./evidence.ts"

const materialFields = {
  materialId: id,
  label: v.string(),
  materialOriginRoom: id,
  labelFromOtherRoom: v.boolean(),
  originRoomId: fromOtherRoom.originRoomId,
  reference: v.string(),
  digest: text,
  name: freeText,
  description: optionalFreeText,
  mediaType: optionalFreeText,
  sizeBytes: v.nullable(count),
  valuesDigest: text,
  registeredBy: author,
  registeredAt: at,
  contentDigest: v.string(),
  obtainability: v.picklist(enumerations.obtainability),
}
export const materialSummary = shape(materialFields)
const uses = shape({
  total: count,
  items: v.array(shape({ id, label: v.string(), roomId: id, name: freeText, ...fromOtherRoom })),
})
export const material = shape({
  schemaVersion,
  ...materialFields,
  content: v.record(v.string(), v.unknown()),
  locations: v.array(
    shape({
      reporter: person,
      roomId: id,
      at,
      uri: freeText,
      state: v.picklist(enumerations.locationState),
      observedDigest: text,
      explanation: optionalFreeText,
    }),
  ),
  consumedBy: uses,
  producedBy: uses,
  requiredBy: uses,
})

export type MaterialSummary = v.InferOutput<typeof materialSummary>
export type MaterialAnswer = v.InferOutput<typeof material>

const json = v.unknown()
const related = shape(relatedFields)
const statement = v.nullable(shape({ text: freeText, by: author, at }))

const experimentStatus = v.picklist(enumerations.experimentStatus)
const experimentIdentity = {
  experimentId: id,
  label: v.string(),
  roomId: id,
  threadId: id,
  entryId: id,
  proposer: author,
}
/**
 * It lapses at `until` unless the assignee writes about the experiment before; then others may take the experiment
 * over.
 */
const lease = shape({ minutes: count, until: at, lapsed: v.boolean() })
/** The terms of a holder, in lists that leave them out where there are none. */
export const terms = { lease: v.exactOptional(lease) }
interface Terms {
  readonly lease?: v.InferOutput<typeof lease> | null | undefined
}

/** Whether the holder of an experiment lost it. */
export const mayTakeOver = ({ lease }: Terms): boolean => lease?.lapsed === true

/** The terms of a holder in words, after the name. */
export const termsInWords = ({ lease }: Terms): string =>
  lease == null
    ? ""
    : lease.lapsed
      ? ` until ${lease.until}, when the lease lapsed: another member can take it over`
      : ` until ${lease.until}`
const experimentFields = {
  ...experimentIdentity,
  assigneeId: v.nullable(id),
  assignee: v.nullable(author),
  lease: v.nullable(lease),
  status: experimentStatus,
  revision: count,
  question: freeText,
  scope: freeText,
  plans: count,
  attempts: shape({
    total: count,
    ...each(enumerations.attemptStatus, () => count),
  }),
  createdAt: at,
  updatedAt: at,
  affordances: affordances(experimentStatus),
}
export const experimentSummary = shape({ ...experimentFields, hypotheses: v.array(id) })
export type ExperimentSummary = v.InferOutput<typeof experimentSummary>

const planFields = {
  planId: id,
  label: v.string(),
  experimentId: id,
  experimentLabel: v.string(),
  roomId: id,
  threadId: id,
  entryId: id,
  acceptedBy: author,
  acceptedAt: at,
  contentDigest: v.string(),
  /**
   * For a plan that commits to a protocol without showing it: when it was opened, or whether that is overdue. Null for
   * a plan that was never sealed.
   */
  sealed: v.nullable(shape({ digest: v.string(), opensAt: at, openedAt: v.nullable(at), overdue: v.boolean() })),
  /** The most that all its attempts together may cost. */
  budget: v.nullable(cost),
  reviewed,
}
export const experiment = shape({
  schemaVersion,
  ...experimentFields,
  hypotheses: v.array(related),
  suggestedProtocol: v.nullable(json),
  /** What the last assignee who released it wrote for the next. */
  handoff: statement,
  /** The statement with which it was completed or cancelled. */
  conclusion: statement,
  acceptedPlans: v.array(shape(planFields)),
  costs,
})
export type ExperimentAnswer = v.InferOutput<typeof experiment>
export const revision = shape({
  revision: count,
  operation: v.string(),
  at,
  author,
  status: experimentStatus,
  assigneeId: v.nullable(id),
  planId: v.nullable(id),
  /** The accepted body. */
  content: v.record(v.string(), json),
})
export type Revision = v.InferOutput<typeof revision>
export const proposal = shape({
  schemaVersion,
  proposalId: id,
  ...experimentIdentity,
  createdAt: at,
  updatedAt: at,
  revision: count,
  status: experimentStatus,
  question: freeText,
  scope: freeText,
  hypotheses: v.array(related),
  suggestedProtocol: v.nullable(json),
})

export const plan = shape({
  schemaVersion,
  ...planFields,
  content: v.record(v.string(), json),
  /** Null while it is sealed. */
  protocol: v.nullable(json),
  /**
   * Whether the protocol of an opened plan matches the sealed digest; null if it was not sealed, or parts of it were
   * withheld.
   */
  protocolMatchesSeal: v.nullable(v.boolean()),
  hypotheses: v.array(related),
  premises: v.array(shape({ ...related.entries, explanation: freeText })),
  /** The costs of the attempts that follow it, and its budget. */
  costs,
  requiredMaterials: v.array(shape({ material: v.nullable(materialSummary), purpose: freeText })),
  warnings: v.array(warning),
  /** Its newest reviews, including withdrawn ones. */
  reviews: v.array(review),
})
