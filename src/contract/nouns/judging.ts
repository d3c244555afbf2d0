/**
 * What lets a reader judge a record, or the conclusion of a Thread, in a minute (protocol, section 8): where the
 * evidence for and against it comes from, what failed on the way, what is doubted and why, and what rests on it.
 */
import * as v from "valibot"
import { shape } from "../schema/fields.ts"
import { count, id, freeText, recordStatus, optionalFreeText, at, optionalText } from "../answers/fields.ts"
import { enumerations } from "../schema/enumerations.ts"
import { fromOtherRoom, evidenceTally } from "../answers/evidence.ts"
import { author, schemaVersion } from "../answers/parts.ts"
import { each } from "../typed.ts"
import { read } from "../definitions/read.ts"

/**
 * What a reader should know about the runs behind a finding before relying on it. None of it is a refusal or counts as
 * evidence.
 */
export const blemishes = shape({
  /** The attempts that it rests on: producing and baseline. */
  attempts: count,
  /**
   * Those of them that depart from their plan, that were registered as exploratory, and that were reported on after
   * their end.
   */
  departing: count,
  exploratory: count,
  late: count,
  /** Attempts of its experiment that it could have named: registered before it, and no reproduction of it. */
  unnamed: count,
})
export type Blemishes = v.InferOutput<typeof blemishes>

const ofAll = (some: number, all: number): string =>
  some === all ? (all === 1 ? "its attempt" : `all ${all} attempts`) : `${some} of ${all} attempts`

/** "2 of 3 attempts depart from their plan, 13 attempts are not named"; null if there is nothing to say. */
export function blemishesInWords({ attempts, departing, exploratory, late, unnamed }: Blemishes): string | null {
  const parts = [
    departing > 0
      ? `${ofAll(departing, attempts)} ${departing === 1 ? "departs from its plan" : "depart from their plan"}`
      : [],
    exploratory > 0 ? `${ofAll(exploratory, attempts)} ${exploratory === 1 ? "was" : "were"} exploratory` : [],
    late > 0 ? `${ofAll(late, attempts)} reported late` : [],
    unnamed > 0
      ? `${unnamed} ${unnamed === 1 ? "attempt" : "attempts"} of its experiment ` +
        `${unnamed === 1 ? "is" : "are"} not named`
      : [],
  ].flat()
  return parts.length === 0 ? null : parts.join(", ")
}

const record = {
  versionId: id,
  kind: v.picklist(enumerations.recordKind),
  label: v.string(),
  wording: freeText,
  status: recordStatus,
  ...fromOtherRoom,
}

const origins = shape({
  words: count,
  /** Statements by other authors than the record's own. */
  independent: count,
  people: count,
  independentPeople: count,
  /** Agents other than the record's own that made them. */
  otherAgents: count,
  /** The number of commits that the attempts behind them ran. */
  commits: count,
})
export type Origins = v.InferOutput<typeof origins>

const failedItem = shape({
  kind: v.picklist(["attempt_failed", "attempt_diverged", "experiment_cancelled"]),
  id,
  label: v.string(),
  why: optionalFreeText,
  at,
  author,
  experiment: shape({ experimentId: id, label: v.string(), ...fromOtherRoom }),
  ...fromOtherRoom,
})
export type FailedItem = v.InferOutput<typeof failedItem>

const doubt = shape({
  /** The research link that expresses the doubt; null for a failed reproduction. */
  linkId: v.nullable(id),
  /** The attempt that did not reproduce it. */
  attemptId: v.exactOptional(id),
  label: v.string(),
  kind: v.picklist([...enumerations.linkKind, "does_not_reproduce"]),
  /** A dispute that the record's author answered. */
  answered: v.exactOptional(v.literal(true)),
  /** What is doubted: the record itself, evidence about it, or a record that it rests on. */
  of: v.picklist(["itself", "bears_on_it", "it_rests_on"]),
  target: shape(record),
  explanation: freeText,
  author,
  at,
  ...fromOtherRoom,
})
export type Doubt = v.InferOutput<typeof doubt>

const resting = shape({
  ...record,
  /** The record through which this one rests on the subject; null if it does so directly. */
  through: v.nullable(shape({ versionId: id, label: v.string() })),
})
const resolving = shape({
  checkpointId: id,
  threadId: id,
  title: freeText,
  state: v.picklist(enumerations.checkpointState),
  says: freeText,
  cites: shape({ versionId: id, label: v.string(), ...fromOtherRoom }),
  ...fromOtherRoom,
})

const newest = <I extends v.GenericSchema>(item: I) => shape({ items: v.array(item), more: v.boolean() })

const common = {
  /** The experiments that address it or that its evidence comes from, and the states of their attempts. */
  work: shape({
    experiments: shape(each(enumerations.experimentStatus, () => count)),
    attempts: shape(each(["registered", ...enumerations.attemptOutcome] as const, () => count)),
  }),
  failed: newest(failedItem),
  doubts: newest(doubt),
}

const recordCase = shape({
  schemaVersion,
  ...record,
  roomId: id,
  /** What the counted evidence says together. */
  bearing: v.picklist(enumerations.evidenceBearing),
  evidenceTally,
  /** Where the newest counted statements come from, by verdict. */
  weight: shape({
    ...each([...enumerations.hypothesisVerdict, "reproductions", "failedReproductions"] as const, () => origins),
    all: origins,
  }),
  ...common,
  /** The records that rest on it, the nearest first, and the selected checkpoints that cite it or one of these. */
  restingOnIt: newest(resting),
  citedIn: newest(resolving),
})

const checkpointCase = shape({
  schemaVersion,
  checkpointId: id,
  roomId: id,
  threadId: id,
  state: v.picklist(enumerations.checkpointState),
  /** The records that it cites, in the same order. */
  citations: v.array(shape({ ...record, author, outcome: optionalText, evidenceTally, inDoubt: v.boolean() })),
  ...common,
})

export const judgingReads = [
  read({
    name: "record_case",
    path: "/api/research/records/{versionId}/case",
    summary:
      "Whether to believe a record, in one read: how many people and commits the evidence for and against it comes " +
      "from, what failed on the way, what is doubted and why, and what would fall with it.",
    answer: recordCase,
  }),
  read({
    name: "checkpoint_case",
    path: "/api/research/checkpoints/{checkpointId}/case",
    summary:
      "Whether to believe a conclusion or synthesis: the records that it cites with the evidence for and against " +
      "each, what failed on the way to them, and what is doubted and why.",
    answer: checkpointCase,
  }),
] as const
