/** What the reads of experiments, plans, attempts and materials answer. */
import * as v from "valibot"
import { at, count, dated, id, optionalSaid, optionalText as text, said, type Said, orWithheld } from "./answer-fields.ts"
import { page, person, schemaVersion } from "./answer-parts.ts"
import { resolved } from "./publication-answers.ts"
import { each } from "./each.ts"
import { enumerations } from "./enumerations.ts"
import { fromOtherRoom } from "./evidence.ts"
import { shape } from "./fields.ts"
import { warning } from "./warnings.ts"

const json = v.unknown()
const attemptStatus = v.picklist(enumerations.attemptStatus)

const affordance = shape({
  operation: v.string(),
  path: v.string(),
  permission: text,
  by: v.string(),
  userId: v.nullable(id),
  values: v.exactOptional(v.record(v.string(), v.array(v.string()))),
})
/** What the server would accept next, from whom, with the block to copy as the guard. */
const affordances = <S extends v.GenericSchema>(status: S) =>
  shape({ expected: shape({ expectedRevision: count, expectedStatus: status }), operations: v.array(affordance) })

const { purpose: _purpose, explanation: _explanation, ...resolvedFields } = resolved.entries
const related = shape(resolvedFields)
const statement = v.nullable(shape({ text: said, by: person, at }))

const experimentStatus = v.picklist(enumerations.experimentStatus)
const experimentFields = {
  experimentId: id,
  label: v.string(),
  roomId: id,
  threadId: id,
  entryId: id,
  proposer: person,
  assigneeId: v.nullable(id),
  assignee: v.nullable(person),
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
  acceptedBy: person,
  acceptedAt: at,
  contentDigest: v.string(),
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
  ...dated,
})
export type ExperimentAnswer = v.InferOutput<typeof experiment>
export const revision = shape({
  revision: count,
  operation: v.string(),
  at,
  author: person,
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
  experimentId: id,
  label: v.string(),
  roomId: id,
  threadId: id,
  entryId: id,
  proposer: person,
  createdAt: at,
  updatedAt: at,
  revision: count,
  status: experimentStatus,
  question: said,
  scope: said,
  hypotheses: v.array(related),
  suggestedProtocol: v.nullable(json),
})

const materialFields = {
  materialId: id,
  label: v.string(),
  materialOriginRoom: id,
  labelFromOtherRoom: v.boolean(),
  originRoomId: fromOtherRoom.originRoomId,
  reference: v.string(),
  digest: text,
  name: said,
  description: optionalSaid,
  mediaType: optionalSaid,
  sizeBytes: v.nullable(count),
  valuesDigest: text,
  registeredBy: person,
  registeredAt: at,
  contentDigest: v.string(),
  obtainability: v.picklist(enumerations.obtainability),
}
export const materialSummary = shape(materialFields)
const uses = shape({ total: count, items: v.array(shape({ id, label: v.string(), roomId: id, name: said, ...fromOtherRoom })) })
export const material = shape({
  schemaVersion,
  ...materialFields,
  content: v.record(v.string(), json),
  locations: v.array(
    shape({
      reporter: person,
      roomId: id,
      at,
      uri: said,
      state: v.picklist(enumerations.locationState),
      observedDigest: text,
      explanation: optionalSaid,
    }),
  ),
  consumedBy: uses,
  producedBy: uses,
  requiredBy: uses,
})

export type MaterialSummary = v.InferOutput<typeof materialSummary>
export type MaterialAnswer = v.InferOutput<typeof material>

export const plan = shape({
  schemaVersion,
  ...planFields,
  content: v.record(v.string(), json),
  hypotheses: v.array(related),
  premises: v.array(shape({ ...related.entries, explanation: said })),
  requiredMaterials: v.array(shape({ material: v.nullable(materialSummary), purpose: said })),
  warnings: v.array(warning),
  ...dated,
})

const planMatch = shape({
  planId: id,
  repositoryMatchesPlan: v.boolean(),
  commitMatchesPlan: v.boolean(),
  argvMatchesPlan: v.nullable(v.boolean()),
  argvComparedWith: optionalSaid,
  argvMatches: v.boolean(),
  materialsMatchPlan: v.boolean(),
  deviations: v.array(shape({ field: v.string(), planned: json, registered: json })),
})
const reproduction = shape({ verdict: v.picklist(enumerations.reproductionVerdict), explanation: said })
/** Which attempt it is, and how it stands. */
export const attemptIs = {
  attemptId: id,
  label: v.string(),
  experimentId: id,
  experimentLabel: v.string(),
  roomId: id,
  registrant: person,
  intent: v.picklist(enumerations.attemptIntent),
  status: attemptStatus,
  outcome: v.nullable(v.picklist(enumerations.attemptOutcome)),
  registeredAt: at,
  updatedAt: at,
  /** Why it failed, as its registrant told it; null while it has not. */
  failure: v.nullable(shape({ stage: said, explanation: said })),
}
const attemptFields = {
  ...attemptIs,
  threadId: id,
  entryId: id,
  revision: count,
  planId: v.nullable(id),
  rerunOf: v.nullable(id),
  reproduces: v.nullable(v.union([shape({ attemptId: id }), shape({ findingVersionId: id })])),
  /** What a reproduction said of what it reproduces, once it had an outcome. */
  reproduction: v.nullable(reproduction),
  contentDigest: v.string(),
  planMatch: v.nullable(planMatch),
  affordances: affordances(attemptStatus),
  namedAs: v.exactOptional(v.picklist(enumerations.attemptRole)),
}
export const measured = v.union([v.number(), v.picklist(enumerations.nonFinite)])
const lastValue = { name: said, split: optionalSaid, unit: optionalSaid, step: v.nullable(count), value: measured }
export const attemptSummary = shape({
  ...attemptFields,
  argv: v.array(said),
  /** The last value of its first metrics by name; metricsTruncated where the attempt's own read has more. */
  metrics: v.array(shape(lastValue)),
  metricsTruncated: v.boolean(),
})
export type AttemptSummary = v.InferOutput<typeof attemptSummary>
export const attempt = shape({
  schemaVersion,
  ...attemptFields,
  repository: shape({ url: v.string(), commit: v.string() }),
  argv: v.array(said),
  configuration: v.record(v.string(), json),
  environment: v.nullable(orWithheld<Record<string, Said>>(v.record(v.string(), said))),
  intendedDeviation: optionalSaid,
  inputs: v.array(shape({ name: said, material: v.nullable(materialSummary) })),
  events: v.array(
    shape({
      event: v.string(),
      /** The server's clock. */
      receivedAt: at,
      revision: count,
      /** The registrant's clock. */
      reportedAt: v.nullable(at),
      message: v.exactOptional(said),
      exitCode: v.exactOptional(count),
      failure: v.exactOptional(shape({ stage: said, explanation: said })),
      reproduction: v.exactOptional(reproduction),
      client: v.exactOptional(v.record(v.string(), said)),
      metricPoints: v.exactOptional(count),
      outputLabels: v.exactOptional(v.array(said)),
    }),
  ),
  eventsTruncated: v.boolean(),
  /** The newest attempts that set out to reproduce this one, with what they say of it. */
  reproductions: v.array(
    shape({
      attemptId: id,
      label: v.string(),
      roomId: id,
      status: attemptStatus,
      registrant: person,
      reproduction: v.nullable(reproduction),
      ...fromOtherRoom,
    }),
  ),
  /** The last value of each metric and split. */
  metrics: v.array(shape({ ...lastValue, reportedAt: at })),
  outputs: v.array(
    shape({
      outputLabel: said,
      digest: v.string(),
      mediaType: v.exactOptional(said),
      sizeBytes: v.exactOptional(count),
      materialId: v.exactOptional(id),
      description: v.exactOptional(said),
      reportedAt: at,
      receivedAt: at,
    }),
  ),
  content: v.record(v.string(), json),
  ...dated,
})

export type AttemptAnswer = v.InferOutput<typeof attempt>

const { items: _items, ...envelope } = page(json, dated).entries
export const metricColumns = shape({
  ...envelope,
  /** Always there: more points may come. */
  nextCursor: count,
  attemptId: id,
  columns: shape({
    ordinal: v.array(count),
    name: v.array(said),
    split: v.array(optionalSaid),
    unit: v.array(optionalSaid),
    step: v.array(v.nullable(count)),
    value: v.array(measured),
    reportedAt: v.array(at),
  }),
})
