/** What the reads of experiments, of their proposals and of their plans answer. */
import * as v from "valibot"
import { affordances } from "./affordances.ts"
import { cost } from "../schema/cost.ts"
import { costs } from "./costs.ts"
import { at, count, dated, id, said } from "./fields.ts"
import { author, schemaVersion } from "./parts.ts"
import { each } from "../each.ts"
import { enumerations } from "../schema/enumerations.ts"
import { shape } from "../schema/fields.ts"
import { materialSummary } from "./materials.ts"
import { relatedFields } from "./publications.ts"
import { review, reviewed } from "./reviews.ts"
import { warning } from "./warnings.ts"

const json = v.unknown()
const related = shape(relatedFields)
const statement = v.nullable(shape({ text: said, by: author, at }))

const experimentStatus = v.picklist(enumerations.experimentStatus)
/** Which experiment it is, and where it was proposed by whom. */
const experimentIs = {
  experimentId: id,
  label: v.string(),
  roomId: id,
  threadId: id,
  entryId: id,
  proposer: author,
}
/** Without a write of the holder about the experiment it lapses at `until`; then others may take the experiment over. */
export const lease = shape({ minutes: count, until: at, lapsed: v.boolean() })
const experimentFields = {
  ...experimentIs,
  assigneeId: v.nullable(id),
  assignee: v.nullable(author),
  lease: v.nullable(lease),
  status: experimentStatus,
  revision: count,
  question: said,
  scope: said,
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
  /** A plan that commits to a protocol without showing it: when it was opened, or whether that is overdue. Null for a plan that was never sealed. */
  sealed: v.nullable(shape({ digest: v.string(), opensAt: at, openedAt: v.nullable(at), overdue: v.boolean() })),
  /** What its attempts may cost in all. */
  budget: v.nullable(cost),
  reviewed,
}
export const experiment = shape({
  schemaVersion,
  ...experimentFields,
  hypotheses: v.array(related),
  suggestedProtocol: v.nullable(json),
  /** What the last assignee to give it back left for the next. */
  handoff: statement,
  /** What was said when it was completed or cancelled. */
  conclusion: statement,
  acceptedPlans: v.array(shape(planFields)),
  costs,
  ...dated,
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
  /** The body as it was accepted. */
  content: v.record(v.string(), json),
})
export type Revision = v.InferOutput<typeof revision>
export const proposal = shape({
  schemaVersion,
  proposalId: id,
  ...experimentIs,
  createdAt: at,
  updatedAt: at,
  revision: count,
  status: experimentStatus,
  question: said,
  scope: said,
  hypotheses: v.array(related),
  suggestedProtocol: v.nullable(json),
})

export const plan = shape({
  schemaVersion,
  ...planFields,
  content: v.record(v.string(), json),
  /** Null while it is sealed. */
  protocol: v.nullable(json),
  /** Whether the protocol of an opened plan gives the digest that was sealed; null where none was, and where parts of it were withheld. */
  protocolMatchesSeal: v.nullable(v.boolean()),
  hypotheses: v.array(related),
  premises: v.array(shape({ ...related.entries, explanation: said })),
  /** What the attempts that follow it cost, beside its budget. */
  costs,
  requiredMaterials: v.array(shape({ material: v.nullable(materialSummary), purpose: said })),
  warnings: v.array(warning),
  /** The newest reviews of it, those that were taken back included. */
  reviews: v.array(review),
  ...dated,
})
