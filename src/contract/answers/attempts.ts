/** What the reads of attempts answer: what was registered, what was reported of it, and its series of metrics. */
import * as v from "valibot"
import { affordances } from "./affordances.ts"
import { cost } from "../schema/cost.ts"
import { shownFigures } from "./figures.ts"
import { at, count, dated, id, optionalSaid, orWithheld, type Said, said } from "./fields.ts"
import { page, author, schemaVersion } from "./parts.ts"
import { enumerations } from "../schema/enumerations.ts"
import { fromOtherRoom, independence } from "./evidence.ts"
import { comparison } from "./measurements.ts"
import { shape } from "../schema/fields.ts"
import { materialSummary } from "./materials.ts"

const json = v.unknown()
const attemptStatus = v.picklist(enumerations.attemptStatus)

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
const reproduction = shape({
  /** As its registrant says it. */
  verdict: v.picklist(enumerations.reproductionVerdict),
  explanation: said,
  /** The effect of a finding that it repeats, by its place from 0, and what its own effect says of that one; it counts for this. */
  repeats: v.exactOptional(
    shape({
      versionId: id,
      effect: count,
      attemptIds: v.exactOptional(v.array(id)),
      countsAs: v.exactOptional(v.picklist(enumerations.reproductionVerdict)),
      comparison: v.exactOptional(comparison),
    }),
  ),
})
/** Which attempt it is, and how it stands. */
export const attemptIs = {
  attemptId: id,
  label: v.string(),
  experimentId: id,
  experimentLabel: v.string(),
  roomId: id,
  registrant: author,
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
  /** What it cost, as its registrant said last. */
  cost: v.nullable(cost),
  planMatch: v.nullable(planMatch),
  affordances: affordances(attemptStatus),
  /** With findingVersionId: how the finding names it. */
  role: v.exactOptional(v.picklist(enumerations.attemptRole)),
}
export const measured = v.union([v.number(), v.picklist(enumerations.nonFinite)])
/** Where a value stands: its arm, its seed, its size. */
const dimensions = v.record(v.string(), v.union([said, v.number(), v.boolean()]))
const lastValue = {
  name: said,
  split: optionalSaid,
  /** Null where the value was reported without dimensions. */
  dimensions: v.nullable(dimensions),
  unit: optionalSaid,
  step: v.nullable(count),
  value: measured,
}
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
      /** Whether it came after the end. */
      late: v.exactOptional(v.boolean()),
      exitCode: v.exactOptional(count),
      cost: v.exactOptional(cost),
      figures: shownFigures,
      failure: v.exactOptional(shape({ stage: said, explanation: said })),
      reproduction: v.exactOptional(reproduction),
      /** What earlier events told wrongly: units, or values of which this event has new ones. */
      corrects: v.exactOptional(
        v.array(
          shape({ metric: said, split: v.exactOptional(said), dimensions: v.exactOptional(dimensions), unit: v.exactOptional(said) }),
        ),
      ),
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
      registrant: author,
      reproduction: v.nullable(reproduction),
      independence,
      ...fromOtherRoom,
    }),
  ),
  /** The last value of each metric, split and dimensions; the unit as corrected where it was. */
  metrics: v.array(shape({ ...lastValue, reportedAt: at })),
  /** Whether there are more than these first ones by name: the points of all of them have a read of their own. */
  metricsTruncated: v.boolean(),
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
  /** Whether older outputs are left out. */
  outputsTruncated: v.boolean(),
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
    metric: v.array(said),
    split: v.array(optionalSaid),
    dimensions: v.array(v.nullable(dimensions)),
    unit: v.array(optionalSaid),
    step: v.array(v.nullable(count)),
    value: v.array(measured),
    reportedAt: v.array(at),
  }),
})
