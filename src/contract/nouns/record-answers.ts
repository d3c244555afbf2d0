/** What is answered about records and the concepts that they define. */
import * as v from "valibot"
import { shape } from "../schema/fields.ts"
import {
  id,
  freeText,
  at,
  optionalFreeText,
  withdrawn,
  answered,
  recordKind,
  recordStatus,
  optionalText,
  attemptOutcome,
  count,
  client,
} from "../answers/fields.ts"
import { enumerations } from "../schema/enumerations.ts"
import { author, verdict, schemaVersion } from "../answers/parts.ts"
import { fromOtherRoom, evidenceTally } from "../answers/evidence.ts"
import { reviewed, review } from "./reviews.ts"
import { each } from "../typed.ts"
import { warning } from "../answers/receipts.ts"
import { blemishes } from "./judging.ts"
import { effect } from "../answers/measurements.ts"
import { recordNumbers } from "../answers/numbers.ts"
import { cslItemsOf } from "./people.ts"

export const notice = shape({
  linkId: id,
  label: v.string(),
  kind: v.picklist(enumerations.linkKind),
  explanation: freeText,
  author,
  at,
  replacementVersionId: v.nullable(id),
  correction: optionalFreeText,
  /** For a dispute of only a part: a JSON Pointer into the record, or words of its wording. */
  part: v.exactOptional(freeText),
  /** Of a correction: one of the wording puts nothing in doubt. */
  changes: v.exactOptional(v.picklist(enumerations.correctionChanges)),
  /** If its author withdrew it: it no longer counts. */
  withdrawn: v.exactOptional(withdrawn),
  /** For a dispute that the record's author answered. */
  answered: v.exactOptional(answered),
  ...fromOtherRoom,
})

export type Notice = v.InferOutput<typeof notice>

const recordFields = {
  versionId: id,
  kind: recordKind,
  label: v.string(),
  roomId: id,
  threadId: id,
  entryId: id,
  author,
  createdAt: at,
  contentDigest: v.string(),
  status: recordStatus,
  notices: v.array(notice),
  outcome: v.nullable(v.picklist(enumerations.findingOutcome)),
  provenanceSummary: v.string(),
  evidenceTally,
  /** For a hypothesis: what the counted evidence says together. */
  verdict: v.exactOptional(verdict.verdict),
  /** For a finding. */
  reviewed: v.exactOptional(reviewed),
  /** Whether it rests, directly or indirectly, on a record that was retracted or superseded. */
  inDoubt: v.boolean(),
}

export const recordSummary = shape({ ...recordFields, wording: freeText })

export type RecordSummary = v.InferOutput<typeof recordSummary>

/** A record that another one names, with its standing. */
export const relatedFields = {
  versionId: id,
  label: v.string(),
  kind: recordKind,
  wording: freeText,
  status: recordStatus,
  notices: v.array(notice),
  ...fromOtherRoom,
}

export const resolved = shape({ ...relatedFields, explanation: freeText, purpose: v.exactOptional(freeText) })

/**
 * The execution behind a finding, with the attempts of its experiment that it could be chosen from: registered before
 * it, and no reproductions of it.
 */
const execution = shape({
  experimentId: id,
  experimentLabel: v.string(),
  planId: v.nullable(id),
  planLabel: optionalText,
  /** The Room of the experiment and its plan. */
  ...fromOtherRoom,
  attempts: v.array(
    shape({
      attemptId: id,
      label: v.string(),
      role: v.picklist(enumerations.attemptRole),
      intent: v.picklist(enumerations.attemptIntent),
      status: v.picklist(enumerations.attemptStatus),
      outcome: v.nullable(attemptOutcome),
      experimentId: id,
      ...fromOtherRoom,
    }),
  ),
  denominator: shape({
    attempts: count,
    /**
     * The attempts of the experiment that the finding names: as producing it, as baselines, or only in its evidence.
     */
    named: shape({ producing: count, baseline: count, cited: count }),
    outcomes: shape({ registered: count, ...each(enumerations.attemptOutcome, () => count) }),
    /** The attempts that it could not be chosen from: those registered since, and reproductions of it. */
    later: shape({ attempts: count, reproductions: count }),
  }),
})

export type Execution = v.InferOutput<typeof execution>

export const record = shape({
  schemaVersion,
  ...recordFields,
  /** For a hypothesis: where its verdict comes from. */
  verdictFrom: v.exactOptional(verdict.verdictFrom),
  content: v.record(v.string(), v.unknown()),
  client,
  warnings: v.array(warning),
  references: v.array(resolved),
  premises: v.array(resolved),
  usedBy: shape({
    premises: count,
    references: count,
    evidence: count,
    reuses: count,
    verdicts: count,
    reproductions: count,
  }),
  materials: v.array(v.unknown()),
  execution: v.nullable(execution),
  /** For a finding that names attempts. */
  blemishes: v.nullable(blemishes),
  /** For a finding: the measured differences that it rests on. */
  effects: v.array(effect),
  /** For a finding. */
  numbersCheck: v.nullable(recordNumbers),
  /** The newest reviews of a finding, including withdrawn ones. */
  reviews: v.array(review),
})

export type RecordAnswer = v.InferOutput<typeof record>

/** The citation of a record in CSL-JSON. Its id never changes; its present status is in status and note. */
export const cslItems = cslItemsOf("document", { status: recordStatus, note: v.string() })

const conceptFields = {
  versionId: id,
  key: v.string(),
  label: freeText,
  definition: freeText,
  recordLabel: v.string(),
  recordKind,
  roomId: id,
}

export const conceptSummary = shape(conceptFields)

export type ConceptSummary = v.InferOutput<typeof conceptSummary>

export const concept = shape({ schemaVersion, ...conceptFields })
