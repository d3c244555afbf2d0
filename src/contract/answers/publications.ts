/** What is answered of records, of what was said of them, and of their concepts. */
import * as v from "valibot"
import { answered, at, count, dated, id, optionalSaid, optionalText, said, client, recordKind, recordStatus, withdrawn } from "./fields.ts"
import { blemishes } from "./blemishes.ts"
import { effect } from "./measurements.ts"
import { cslAuthor } from "./description.ts"
import { each } from "../each.ts"
import { enumerations } from "../schema/enumerations.ts"
import { evidenceTally, fromOtherRoom } from "./evidence.ts"
import { review, reviewed } from "./reviews.ts"
import { verdict } from "./verdict.ts"
import { shape } from "../schema/fields.ts"
import { warning } from "./warnings.ts"
import { author, schemaVersion } from "./parts.ts"

export const notice = shape({
  linkId: id,
  label: v.string(),
  kind: v.picklist(enumerations.linkKind),
  explanation: said,
  author,
  at,
  replacementVersionId: v.nullable(id),
  correction: optionalSaid,
  /** Of a dispute that speaks of a part only: a JSON Pointer into the record, or words of its wording. */
  part: v.exactOptional(said),
  /** Its author took it back: it no longer counts. */
  withdrawn: v.exactOptional(withdrawn),
  /** A dispute that the record's author answered. */
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
  /** Of a hypothesis: what the words that count say together. */
  verdict: v.exactOptional(verdict.verdict),
  /** Of a finding. */
  reviewed: v.exactOptional(reviewed),
  /** It rests on a record that was retracted or superseded, directly or further down. */
  inDoubt: v.boolean(),
}

export const recordSummary = shape({ ...recordFields, wording: said })

export type RecordSummary = v.InferOutput<typeof recordSummary>

/** A record as another names it, whatever is said of it there. */
export const relatedFields = {
  versionId: id,
  label: v.string(),
  kind: recordKind,
  wording: said,
  status: recordStatus,
  notices: v.array(notice),
  ...fromOtherRoom,
}

export const resolved = shape({ ...relatedFields, explanation: said, purpose: v.exactOptional(said) })

/** The execution behind a finding, with how many attempts of its experiment there are beside those it names. */
const execution = shape({
  experimentId: id,
  experimentLabel: v.string(),
  planId: v.nullable(id),
  planLabel: optionalText,
  /** Of the experiment and its plan. */
  ...fromOtherRoom,
  attempts: v.array(
    shape({
      attemptId: id,
      label: v.string(),
      role: v.picklist(enumerations.attemptRole),
      intent: v.picklist(enumerations.attemptIntent),
      status: v.picklist(enumerations.attemptStatus),
      outcome: v.nullable(v.picklist(enumerations.attemptOutcome)),
      experimentId: id,
      ...fromOtherRoom,
    }),
  ),
  denominator: shape({
    attempts: count,
    /** Those of the experiment that the finding names: as its own, as what it compares with, or in its evidence only. */
    named: shape({ producing: count, baseline: count, cited: count }),
    outcomes: shape({ registered: count, ...each(enumerations.attemptOutcome, () => count) }),
  }),
})

export type Execution = v.InferOutput<typeof execution>

export const record = shape({
  schemaVersion,
  ...recordFields,
  /** Of a hypothesis: from whom the words are that its verdict comes from. */
  verdictFrom: v.exactOptional(verdict.verdictFrom),
  content: v.record(v.string(), v.unknown()),
  client,
  warnings: v.array(warning),
  references: v.array(resolved),
  premises: v.array(resolved),
  usedBy: shape({ premises: count, references: count, evidence: count, reuses: count, verdicts: count, reproductions: count }),
  materials: v.array(v.unknown()),
  execution: v.nullable(execution),
  /** Of a finding that names attempts. */
  blemishes: v.nullable(blemishes),
  /** Of a finding: the differences of measured values that it rests on. */
  effects: v.array(effect),
  /** The newest reviews of a finding, those that were taken back included. */
  reviews: v.array(review),
  ...dated,
})

export type RecordAnswer = v.InferOutput<typeof record>

/** How a record is cited, in the words of CSL-JSON. Its id never changes; what stands on the record now is in status and note. */
export const cslItems = v.array(
  v.looseObject({
    id: v.string(),
    type: v.literal("document"),
    title: v.string(),
    author: v.array(cslAuthor),
    issued: v.looseObject({ "date-parts": v.array(v.array(count)) }),
    URL: v.string(),
    status: recordStatus,
    note: v.string(),
  }),
)

const conceptFields = {
  versionId: id,
  key: v.string(),
  label: said,
  definition: said,
  recordLabel: v.string(),
  recordKind,
  roomId: id,
}

export const conceptSummary = shape(conceptFields)

export type ConceptSummary = v.InferOutput<typeof conceptSummary>

export const concept = shape({ schemaVersion, ...conceptFields })
