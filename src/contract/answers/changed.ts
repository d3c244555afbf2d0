/** What changed in a Room: records that were corrected, replaced or doubted, and the reproductions by their kind. */
import * as v from "valibot"
import { at, count, freeText, id, optionalFreeText, recordKind } from "./fields.ts"
import { enumerations } from "../schema/enumerations.ts"
import { author, writerName } from "./parts.ts"
import { fromOtherRoom } from "./evidence.ts"
import { shape } from "../schema/fields.ts"
import { oneLine } from "../text.ts"

/** A record that changed, or that something speaks against. */
export const changedRecord = shape({
  versionId: id,
  label: v.string(),
  kind: recordKind,
  ...fromOtherRoom,
  change: v.picklist(enumerations.recordChange),
  /** What it said: its wording, or the estimate that a reproduction repeats or that moved. */
  before: freeText,
  /** What holds now: the correction, the record that replaces it, the other estimate; null if nothing does. */
  now: optionalFreeText,
  /** For a dispute of a part: what it is about. */
  part: v.exactOptional(freeText),
  /** For a dispute: whether the author of the record has answered it. */
  isAnswered: v.exactOptional(v.boolean()),
  why: freeText,
  author,
  /** The link, or the attempt that reproduces it or reported other values. */
  source: shape({ kind: v.picklist(["link", "attempt"]), id, label: v.string(), ...fromOtherRoom }),
  at,
})
export type ChangedRecord = v.InferOutput<typeof changedRecord>

/** The reproductions of one kind: with which code, and by whom. */
export const reproductionKind = shape({
  implementation: v.picklist(enumerations.reproducedCode),
  by: v.picklist(enumerations.reproducedBy),
  reproductions: count,
  /** Those that reproduce the finding, wholly or in part, and those that do not. */
  reproduced: count,
  failed: count,
  /** The labels of the findings. */
  of: v.array(v.string()),
})
export type ReproductionKind = v.InferOutput<typeof reproductionKind>

const changes: { readonly [C in ChangedRecord["change"]]: string } = {
  corrected: "corrected",
  reworded: "reworded",
  superseded: "replaced",
  retracted: "retracted",
  disputed: "disputed",
  not_reproduced: "not reproduced",
  moved: "its values moved",
}
/** "disputed in its scope, answered": what happened to a record. */
export const changeInWords = ({ change, part, isAnswered }: ChangedRecord): string =>
  `${changes[change]}${part === undefined ? "" : ` in ${oneLine(part)}`}` +
  `${isAnswered === undefined ? "" : isAnswered ? ", answered" : ", not answered"}`

/** What happened to a record, in one sentence: what it said, what holds now, why, and who says so. */
export const changedInWords = (record: ChangedRecord): string =>
  `${record.label}, ${changeInWords(record)}: ${quotedLine(record.before)}` +
  `${record.now === null ? "" : ` ${nowIn(record)} ${quotedLine(record.now)}`}. ${oneLine(record.why)} ` +
  `(${writerName(record.author)}, ${record.source.label}, ${record.at.slice(0, 10)})`
/** A failed reproduction changes nothing in its finding: it measured something else. */
export const nowIn = ({ change }: ChangedRecord): string =>
  change === "not_reproduced" ? "was run again as" : "is now"
const quotedLine = (text: string): string => `"${oneLine(text)}"`

/** With which code a finding was reproduced, in words. */
export const codesInWords: { readonly [C in ReproductionKind["implementation"]]: string } = {
  same: "the same code",
  changed: "changed code",
  own: "code of their own",
  other_repository: "code of another repository",
  unknown: "code that is not known",
}
/** Who reproduced a finding, in words. */
export const reproducersInWords: { readonly [B in ReproductionKind["by"]]: string } = {
  another_person: "another person",
  another_agent: "another agent of the author",
  author: "the author",
}
/** "2 with the same code by another person (F1, F6; 1 failed)": the reproductions of one kind. */
export const kindInWords = ({ implementation, by, reproductions, failed, of }: ReproductionKind): string =>
  `${reproductions} with ${codesInWords[implementation]} by ${reproducersInWords[by]} ` +
  `(${of.join(", ")}${failed === 0 ? "" : `; ${failed} failed`})`

/** All kinds of reproductions in one sentence; null without any. */
export const kindsInWords = (kinds: readonly ReproductionKind[]): string | null =>
  kinds.length === 0 ? null : `Reproductions: ${kinds.map(kindInWords).join("; ")}.`

/** What changed, as reads tell it: the newest, and how many more there are. */
export interface WhatChanged {
  readonly changed: ChangedRecord[]
  readonly moreChanged: number
  readonly reproductionKinds: ReproductionKind[]
}
export const changedFields = {
  changed: v.array(changedRecord),
  moreChanged: count,
  reproductionKinds: v.array(reproductionKind),
}
