/**
 * The evidence model (protocol, section 8): what a record rests on, and what speaks for or against it. Everything about
 * the meaning of evidence is here or in src/research/evidence.
 */
import * as v from "valibot"
import { type RecordStatus, enumerations } from "../schema/enumerations.ts"
import { shape } from "../schema/fields.ts"
import { count, id, optionalText, optionalFreeText, freeText } from "./fields.ts"

/** Purposes with which a record rests on the one it refers to: if that falls, the record is in doubt. */
export const groundingPurposes = ["premise", "derived_from", "extends", "refines"] as const

/** Purposes with which a reference is evidence for or against the record it refers to. */
export const speakingPurposes = ["supports", "contradicts"] as const

/** Whether a record has fallen: nothing new should rest on it. */
export const hasFallen = (status: RecordStatus): status is "retracted" | "superseded" =>
  status === "retracted" || status === "superseded"
/** The same for a status in SQL. */
export const FALLEN = (status: string): string => `${status} IN ('retracted', 'superseded')`
/** Whether a row of `standings` is doubted: corrected, or disputed without an answer of its author. */
export const DOUBTED = (row: string): string =>
  `(${row}.status = 'corrected' OR ${row}.status = 'disputed' AND ${row}.open_dispute IS NOT NULL)`
/** Whether links about a record exist that its readers should know first. */
export const isSpokenOf = (status: RecordStatus): status is Exclude<RecordStatus, "current"> => status !== "current"

/** The evidence for and against a record: the newest statement of each source that has not fallen. */
export const evidenceTally = shape({
  supports: count,
  contradicts: count,
  inconclusive: count,
  /** Reproductions that reproduced it, wholly or in part. */
  reproductions: count,
  failedReproductions: count,
  /** Other people than its author who made these statements. */
  independent: count,
  /**
   * Other agents than its own that made them. Any agent of another person counts as one, and so does a person in the
   * browser.
   */
  otherAgents: count,
  /** Statements based on other code: another repository, or an implementation that was changed or is one's own. */
  otherCode: count,
  /** Statements whose source is corrected, or disputed without an answer. */
  doubted: count,
})
export type EvidenceTally = v.InferOutput<typeof evidenceTally>
/** The column of each count in the table of tallies. */
export const tallyColumns = {
  supports: "supports",
  contradicts: "contradicts",
  inconclusive: "inconclusive",
  reproductions: "reproductions",
  failedReproductions: "failed_reproductions",
  independent: "independent",
  otherAgents: "other_agents",
  otherCode: "other_code",
  doubted: "doubted",
} as const satisfies Record<keyof EvidenceTally, string>

/** Added to a label that another Room gave. */
export const fromOtherRoom = {
  labelFromOtherRoom: v.exactOptional(v.literal(true)),
  originRoomId: v.exactOptional(id),
}

/** How the source of evidence differs from the record it is about; null if unknown. */
export const independence = shape({
  person: v.boolean(),
  /** Another agent of the same person, or any of another person. */
  agent: v.nullable(v.boolean()),
  /** Another repository, or an implementation that was changed or is one's own. */
  code: v.nullable(v.boolean()),
  /** Another commit of the same repository; null for another repository. */
  commit: v.nullable(v.boolean()),
  /** Other digests or another set of seeds. */
  inputs: v.nullable(v.boolean()),
})
export type Independence = v.InferOutput<typeof independence>

/** One piece of evidence about a record. */
export const evidenceItem = shape({
  /** Its place among the evidence about the record, in the order of arrival; the cursor of the list. */
  sequence: count,
  source: v.picklist(enumerations.evidenceSource),
  /** Null for a reproduction without a verdict yet. */
  verdict: v.nullable(v.picklist(enumerations.evidenceVerdict)),
  /** The source: a record, a reproduction, or a research link. */
  by: shape({
    kind: v.string(),
    id,
    label: optionalText,
    wording: optionalFreeText,
    status: optionalText,
    ...fromOtherRoom,
  }),
  experiment: v.exactOptional(shape({ experimentId: id, label: v.string(), ...fromOtherRoom })),
  attempt: v.exactOptional(shape({ attemptId: id, label: v.string(), ...fromOtherRoom })),
  explanation: optionalFreeText,
  /** The part of the record that the verdict is on, such as `at 400 labels`; left out for all of it. */
  part: v.exactOptional(freeText),
  author: shape({ userId: id, username: v.string(), agent: optionalText }),
  independent: v.boolean(),
  independence,
  at: v.string(),
  standing: v.picklist(enumerations.evidenceStanding),
  /**
   * For a finding: the outputs that it cites, how many of them have the reported digest, and how many of its
   * experiment's attempts it names.
   */
  checked: v.exactOptional(shape({ outputs: count, outputsEqual: count, named: count, attempts: count })),
  /** For a reproduction that repeats an effect: how the two effects compare, in a sentence. */
  comparison: v.exactOptional(freeText),
  /** The finding link or research link to read or withdraw. */
  linkId: v.nullable(id),
  /** If its author withdrew it: when, and why. */
  withdrawn: v.exactOptional(shape({ at: v.string(), explanation: freeText })),
})

export type EvidenceItem = v.InferOutput<typeof evidenceItem>

/** One use of a record by another object. */
export const recordUse = shape({
  sequence: count,
  how: v.picklist(enumerations.recordUse),
  by: shape({
    kind: v.string(),
    id,
    label: optionalText,
    wording: optionalFreeText,
    status: optionalText,
    ...fromOtherRoom,
  }),
  at: v.string(),
})

export type RecordUse = v.InferOutput<typeof recordUse>

const otherOf = (count: number, one: string, more: string): string => (count === 1 ? one : `${count} ${more}`)

/**
 * "from 2 other people", "from another agent of ada with other code": how independent the counted evidence is. @param
 * author the record's author
 */
export function tallyFrom(
  { independent, otherAgents, otherCode, ...counts }: EvidenceTally,
  author = "its author",
): string {
  const all =
    counts.supports + counts.contradicts + counts.inconclusive + counts.reproductions + counts.failedReproductions
  const who =
    independent > 0
      ? `from ${otherOf(independent, "1 other person", "other people")}`
      : otherAgents > 0
        ? `from ${otherOf(otherAgents, "another agent", "other agents")} of ${author}`
        : "from its author alone"
  return otherCode === 0 ? who : `${who}, ${otherCode === all ? "" : `${otherCode} `}with other code`
}

/**
 * "2 for it, 1 reproduction, from 2 other people": a tally in words; null if nothing counts. @param author the record's
 * author
 */
export function tallyInWords(tally: EvidenceTally, author?: string): string | null {
  const { supports, contradicts, inconclusive, reproductions, failedReproductions, doubted } = tally
  const parts = [
    [supports, "for it"],
    [contradicts, "against it"],
    [inconclusive, "inconclusive"],
    [reproductions, reproductions === 1 ? "reproduction" : "reproductions"],
    [failedReproductions, failedReproductions === 1 ? "failed reproduction" : "failed reproductions"],
  ] as const
  const counts = parts.filter(([count]) => count > 0)
  if (counts.length === 0) return null
  return [
    ...counts.map(([count, what]) => `${count} ${what}`),
    tallyFrom(tally, author),
    ...(doubted === 0 ? [] : [`${doubted} doubted`]),
  ].join(", ")
}

/**
 * "another agent of ada with other code and the same inputs": how independent a piece of evidence is. @param username
 * its author
 */
export function independenceInWords({ person, agent, code, commit, inputs }: Independence, username: string): string {
  const who = person ? "another person" : agent === true ? `another agent of ${username}` : "by the author"
  const which = (other: boolean | null, what: string) =>
    other === null ? [] : [`${other ? "other" : "the same"} ${what}`]
  // At another commit, whether the code that matters is the same is not known.
  const differing = [...which(code === false && commit === true ? null : code, "code"), ...which(inputs, "inputs")]
  const where = commit === true ? `${who} at another commit` : who
  return differing.length === 0 ? where : `${where} with ${differing.join(" and ")}`
}
