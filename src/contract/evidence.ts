/**
 * The words of the evidence model (protocol, section 8): what a record rests on, and what bears on it. Whoever asks what
 * evidence means asks here or in src/research/evidence.
 */
import * as v from "valibot"
import { count, id, optionalSaid, optionalText as text, said } from "./answer-fields.ts"
import { enumerations, type RecordStatus } from "./enumerations.ts"
import { shape } from "./fields.ts"

/** Purposes by which a reference rests on what it names: if that falls, this is in doubt. */
export const groundingPurposes = ["premise", "derived_from", "extends", "refines"] as const

/** Purposes by which a reference is evidence for or against what it names. */
export const speakingPurposes = ["supports", "contradicts"] as const

/** Whether a record has fallen: nobody should build on it without having read why. */
export const hasFallen = (status: RecordStatus): status is Exclude<RecordStatus, "current"> => status !== "current"
/** The same of an SQL expression that is a status. */
export const FALLEN = (status: string): string => `${status} <> 'current'`

/** What has been said for and against a record: the newest word of each author per source, fallen sources left out. */
export const evidenceTally = shape({
  supports: count,
  contradicts: count,
  inconclusive: count,
  /** Reproductions with any verdict. */
  reproductions: count,
  /** Those of the words counted whose author is not the record's own. */
  independent: count,
})
export type EvidenceTally = v.InferOutput<typeof evidenceTally>

export type Bearing = (typeof enumerations.evidenceBearing)[number]

/** What a record's evidence says of it, in a word. */
export function bearingOf({ supports, contradicts, inconclusive, reproductions }: EvidenceTally, status: RecordStatus): Bearing {
  if ((supports > 0 && contradicts > 0) || status === "disputed") return "contested"
  if (supports > 0) return "supported"
  if (contradicts > 0) return "contradicted"
  return inconclusive + reproductions > 0 ? "inconclusive" : "untested"
}

/** Beside a label that another Room gave. */
export const fromOtherRoom = {
  labelFromOtherRoom: v.exactOptional(v.literal(true)),
  originRoomId: v.exactOptional(id),
}

/** One piece of what bears on a record. */
export const evidenceItem = shape({
  /** Its place among what bears on the record, in the order it landed; the cursor of the list. */
  sequence: count,
  source: v.picklist(enumerations.evidenceSource),
  /** Null for a reproduction that has not told yet. */
  verdict: v.nullable(v.picklist(enumerations.evidenceVerdict)),
  /** The object that speaks: a record, a reproduction attempt, or a research link. */
  by: shape({ kind: v.string(), id, label: text, wording: optionalSaid, status: text, ...fromOtherRoom }),
  experiment: v.exactOptional(shape({ experimentId: id, label: v.string(), ...fromOtherRoom })),
  attempt: v.exactOptional(shape({ attemptId: id, label: v.string(), ...fromOtherRoom })),
  explanation: optionalSaid,
  author: shape({ userId: id, username: v.string() }),
  independent: v.boolean(),
  at: v.string(),
  standing: v.picklist(enumerations.evidenceStanding),
  /**
   * Of a finding that speaks, what was checked of it: outputs that it cites, those of them whose digest is the one reported; and how
   * many of all attempts of its experiment it names.
   */
  checked: v.exactOptional(shape({ outputs: count, outputsEqual: count, named: count, attempts: count })),
  /** The finding link or research link that says it, for reading it or taking it back. */
  linkId: v.nullable(id),
  /** Its author took it back, and why. */
  withdrawn: v.exactOptional(shape({ at: v.string(), explanation: said })),
})

export type EvidenceItem = v.InferOutput<typeof evidenceItem>

/** One use of a record by another object. */
export const recordUse = shape({
  sequence: count,
  how: v.picklist(enumerations.recordUse),
  by: shape({ kind: v.string(), id, label: text, wording: optionalSaid, status: text, ...fromOtherRoom }),
  at: v.string(),
})

export type RecordUse = v.InferOutput<typeof recordUse>

/** Why a checkpoint is stale. */
export const staleReason = shape({
  code: v.picklist(enumerations.staleReason),
  versionId: v.exactOptional(id),
  label: v.exactOptional(v.string()),
  status: v.exactOptional(v.picklist(enumerations.recordStatus)),
  ...fromOtherRoom,
})
export type StaleReason = v.InferOutput<typeof staleReason>

/** What has made a checkpoint stale, as what follows the label of the record that did. */
const stale: { readonly [C in StaleReason["code"]]: (reason: StaleReason) => string } = {
  published_since: () => " was published since.",
  not_covered: () => " was there before it, past what it covers.",
  citation_fallen: ({ status = "no longer current" }) => `, which it cites, is now ${status}.`,
}
export const staleBecause = (reason: StaleReason): string => stale[reason.code](reason)

/** The same with the label before it: a sentence of its own. */
export const staleSentence = (reason: StaleReason): string => `${reason.label ?? "A record"}${staleBecause(reason)}`

/** "2 for it, 1 reproduction, 2 of 3 independent": a tally in words; null where nothing counts. */
export function tallyInWords({ supports, contradicts, inconclusive, reproductions, independent }: EvidenceTally): string | null {
  const parts = [
    [supports, "for it"],
    [contradicts, "against it"],
    [inconclusive, "inconclusive"],
    [reproductions, reproductions === 1 ? "reproduction" : "reproductions"],
  ] as const
  const counts = parts.filter(([count]) => count > 0)
  const total = counts.reduce((sum, [count]) => sum + count, 0)
  return total === 0 ? null : `${counts.map(([count, what]) => `${count} ${what}`).join(", ")}, ${independent} of ${total} independent`
}
