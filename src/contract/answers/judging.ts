/**
 * What lets a reader judge a record, or what a Thread has come to, in a minute (protocol, section 8): from whom and from what
 * the words for and against it come, what failed on the way, what is doubted and why, and what would fall with it.
 */
import * as v from "valibot"
import { at, count, dated, id, optionalSaid, optionalText as text, recordStatus, said } from "./fields.ts"
import { author, schemaVersion } from "./parts.ts"
import { each } from "../each.ts"
import { enumerations } from "../schema/enumerations.ts"
import { evidenceTally, fromOtherRoom } from "./evidence.ts"
import { shape } from "../schema/fields.ts"

const record = {
  versionId: id,
  kind: v.picklist(enumerations.recordKind),
  label: v.string(),
  wording: said,
  status: recordStatus,
  ...fromOtherRoom,
}

/** Some of the words that count, and where they come from. */
const origins = shape({
  words: count,
  /** Those whose author is not the record's own. */
  independent: count,
  people: count,
  independentPeople: count,
  /** Agents other than the record's own that said them. */
  otherAgents: count,
  /** Different commits that the attempts behind them ran. */
  commits: count,
})
export type Origins = v.InferOutput<typeof origins>

const failedItem = shape({
  kind: v.picklist(["attempt_failed", "attempt_diverged", "experiment_cancelled"]),
  id,
  label: v.string(),
  why: optionalSaid,
  at,
  author,
  experiment: shape({ experimentId: id, label: v.string(), ...fromOtherRoom }),
  ...fromOtherRoom,
})
export type FailedItem = v.InferOutput<typeof failedItem>

const doubt = shape({
  /** The research link that says it; null of a reproduction that failed. */
  linkId: v.nullable(id),
  /** The attempt that did not reproduce it. */
  attemptId: v.exactOptional(id),
  label: v.string(),
  kind: v.picklist([...enumerations.linkKind, "does_not_reproduce"]),
  /** A dispute that the record's author answered. */
  answered: v.exactOptional(v.literal(true)),
  /** What is doubted: the record itself, one that bears on it, or one that it rests on. */
  of: v.picklist(["itself", "bears_on_it", "it_rests_on"]),
  target: shape(record),
  explanation: said,
  author,
  at,
  ...fromOtherRoom,
})
export type Doubt = v.InferOutput<typeof doubt>

const resting = shape({
  ...record,
  /** The record nearer to it that this one rests on; null where it rests on the record itself. */
  through: v.nullable(shape({ versionId: id, label: v.string() })),
})
const resolving = shape({
  checkpointId: id,
  threadId: id,
  title: said,
  state: v.picklist(enumerations.checkpointState),
  says: said,
  cites: shape({ versionId: id, label: v.string(), ...fromOtherRoom }),
  ...fromOtherRoom,
})

/** The newest of a list, and whether there is more. */
const newest = <I extends v.GenericSchema>(item: I) => shape({ items: v.array(item), more: v.boolean() })

const common = {
  /** The experiments that address it or that its evidence comes from, and how their attempts stand. */
  work: shape({
    experiments: shape(each(enumerations.experimentStatus, () => count)),
    attempts: shape(each(["registered", ...enumerations.attemptOutcome] as const, () => count)),
  }),
  failed: newest(failedItem),
  doubts: newest(doubt),
}

export const recordCase = shape({
  schemaVersion,
  ...record,
  roomId: id,
  /** What the words that count say together. */
  bearing: v.picklist(enumerations.evidenceBearing),
  evidenceTally,
  /** Of the newest words that count. */
  weight: shape({
    ...each([...enumerations.hypothesisVerdict, "reproductions", "failedReproductions"] as const, () => origins),
    all: origins,
  }),
  ...common,
  /** The records that rest on it, nearest first, and the selected checkpoints that cite it or one of these. */
  restingOnIt: newest(resting),
  citedIn: newest(resolving),
  ...dated,
})

export const checkpointCase = shape({
  schemaVersion,
  checkpointId: id,
  roomId: id,
  threadId: id,
  state: v.picklist(enumerations.checkpointState),
  /** The records that it cites, in its order. */
  citations: v.array(shape({ ...record, author, outcome: text, evidenceTally, inDoubt: v.boolean() })),
  ...common,
  ...dated,
})
