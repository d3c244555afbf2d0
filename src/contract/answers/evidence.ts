/**
 * The words of the evidence model (protocol, section 8): what a record rests on, and what bears on it. A reader who asks what
 * evidence means asks here or in src/research/evidence.
 */
import * as v from "valibot"
import { count, id, optionalSaid, optionalText as text, said } from "./fields.ts"
import { enumerations, type RecordStatus } from "../schema/enumerations.ts"
import { shape } from "../schema/fields.ts"

/** Purposes by which a reference rests on what it names: if that falls, this is in doubt. */
export const groundingPurposes = ["premise", "derived_from", "extends", "refines"] as const

/** Purposes by which a reference is evidence for or against what it names. */
export const speakingPurposes = ["supports", "contradicts"] as const

/** Whether a record has fallen: nobody should build on it any more. */
export const hasFallen = (status: RecordStatus): status is "retracted" | "superseded" => status === "retracted" || status === "superseded"
/** The same of an SQL expression that is a status. */
export const FALLEN = (status: string): string => `${status} IN ('retracted', 'superseded')`
/** Whether the record of a row of `standings` is doubted: it is corrected, or disputed and its author has not answered. */
export const DOUBTED = (row: string): string =>
  `(${row}.status = 'corrected' OR ${row}.status = 'disputed' AND ${row}.open_dispute IS NOT NULL)`
/** Whether something was said of a record that its readers should know first. */
export const isSpokenOf = (status: RecordStatus): status is Exclude<RecordStatus, "current"> => status !== "current"

/** What has been said for and against a record: of each object that speaks its newest word, fallen ones left out. */
export const evidenceTally = shape({
  supports: count,
  contradicts: count,
  inconclusive: count,
  /** Reproductions that reproduced it, wholly or in part. */
  reproductions: count,
  /** Reproductions that did not reproduce it. */
  failedReproductions: count,
  /** Other people than its author who said these words. */
  independent: count,
  /** Other agents than its own that said them; any agent of another person is one, and so is a person in the browser. */
  otherAgents: count,
  /** Those of the words behind which other code ran: another repository or commit. */
  otherCode: count,
  /** Those of the words whose speaker is corrected, or disputed without an answer. */
  doubted: count,
})
export type EvidenceTally = v.InferOutput<typeof evidenceTally>
/** The column of each member in the table of tallies. */
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

/** Beside a label that another Room gave. */
export const fromOtherRoom = {
  labelFromOtherRoom: v.exactOptional(v.literal(true)),
  originRoomId: v.exactOptional(id),
}

/** How what speaks differs from what it speaks of; null where it can't be told. */
export const independence = shape({
  person: v.boolean(),
  /** Another agent of the same person, or any of another person. */
  agent: v.nullable(v.boolean()),
  /** Another repository or commit. */
  code: v.nullable(v.boolean()),
  /** Other digests or another set of seeds. */
  inputs: v.nullable(v.boolean()),
})
export type Independence = v.InferOutput<typeof independence>

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
  author: shape({ userId: id, username: v.string(), agent: text }),
  independent: v.boolean(),
  independence,
  at: v.string(),
  standing: v.picklist(enumerations.evidenceStanding),
  /**
   * Of a finding that speaks, what was checked of it: outputs that it cites, those of them whose digest is the one reported; and how
   * many of all attempts of its experiment it names.
   */
  checked: v.exactOptional(shape({ outputs: count, outputsEqual: count, named: count, attempts: count })),
  /** Of a reproduction that repeats an effect: what its own effect says of that one, in a sentence. */
  comparison: v.exactOptional(said),
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
  citation_fallen: ({ status = "no longer current" }) => `, which it cites, is ${status}.`,
  citation_in_doubt: () => ", which it cites, rests on what has fallen.",
}
export const staleBecause = (reason: StaleReason): string => stale[reason.code](reason)

/** The same with the label before it: a sentence of its own. */
export const staleSentence = (reason: StaleReason): string => `${reason.label ?? "A record"}${staleBecause(reason)}`

const otherOf = (count: number, one: string, more: string): string => (count === 1 ? one : `${count} ${more}`)

/** "from 2 other people", "from another agent of ada with other code": how independent the words are that count. @param author whose record it is */
export function tallyFrom({ independent, otherAgents, otherCode, ...counts }: EvidenceTally, author = "its author"): string {
  const all = counts.supports + counts.contradicts + counts.inconclusive + counts.reproductions + counts.failedReproductions
  const who =
    independent > 0
      ? `from ${otherOf(independent, "1 other person", "other people")}`
      : otherAgents > 0
        ? `from ${otherOf(otherAgents, "another agent", "other agents")} of ${author}`
        : "from its author alone"
  return otherCode === 0 ? who : `${who}, ${otherCode === all ? "" : `${otherCode} `}with other code`
}

/** "2 for it, 1 reproduction, from 2 other people": a tally in words; null where nothing counts. @param author whose record it is */
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

/** "another agent of ada with other code and the same inputs": how independent a piece of evidence is. @param username who says it */
export function independenceInWords({ person, agent, code, inputs }: Independence, username: string): string {
  const who = person ? "another person" : agent === true ? `another agent of ${username}` : "the author's own word"
  const which = (other: boolean | null, what: string) => (other === null ? [] : [`${other ? "other" : "the same"} ${what}`])
  const differing = [...which(code, "code"), ...which(inputs, "inputs")]
  return differing.length === 0 ? who : `${who} with ${differing.join(" and ")}`
}
