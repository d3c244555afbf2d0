/** Contexts: a whole Room, or a Thread with its research, in one snapshot. */
import * as v from "valibot"
import { shape, oneOf } from "../schema/fields.ts"
import { experimentSummary } from "./experiments.ts"
import { freeText, id, count } from "../answers/fields.ts"
import { recordSummary } from "./record-answers.ts"
import { findingLink } from "./links.ts"
import { schemaVersion } from "../answers/parts.ts"
import { roomSummary, roomOfThread } from "./rooms.ts"
import { thread } from "./threads.ts"
import { checkpointSummary } from "./checkpoints.ts"
import { words } from "../definitions/parameters.ts"
import { read } from "../definitions/read.ts"

/**
 * An answer of which a reader may ask for some members. All members are there if none are chosen, so its type has all
 * of them; the tests validate answers against both forms.
 */
const inParts = <E extends v.ObjectEntries>(entries: E, always: readonly (keyof E)[], more: v.ObjectEntries) => {
  const parts = Object.fromEntries(
    Object.entries(entries).map(([name, schema]) => [
      name,
      always.includes(name) ? schema : v.exactOptional(more[name] ?? schema),
    ]),
  )
  return v.union([shape(entries), shape(parts)]) as v.GenericSchema as ReturnType<typeof shape<E>>
}
const { affordances: _affordances, ...bareExperiment } = experimentSummary.entries
/** With affordances=0. */
const withoutAffordances = { experiments: v.array(v.union([experimentSummary, shape(bareExperiment)])) }

const openQuestion = shape({ question: freeText, checkpointId: id, threadId: id })
export type OpenQuestion = v.InferOutput<typeof openQuestion>
const lists = {
  experiments: v.array(experimentSummary),
  hypotheses: v.array(recordSummary),
  findingLinks: v.array(findingLink),
  publications: v.array(recordSummary),
  /** For each list that was cut to its newest items, where it continues. */
  truncated: v.record(v.string(), v.string()),
  openQuestions: v.array(openQuestion),
}

const roomContextFields = {
  schemaVersion,
  room: roomSummary,
  counts: roomSummary.entries.counts,
  threads: v.array(thread),
  ...lists,
  concluded: v.boolean(),
  conclusion: v.nullable(checkpointSummary),
  /** The selected checkpoint of every Thread in which it is concluded. */
  conclusions: v.array(checkpointSummary),
  /** The selected checkpoint of every Thread in which it is open. */
  syntheses: v.array(checkpointSummary),
  activityWatermark: count,
}
const always = ["schemaVersion", "truncated", "activityWatermark"] as const
const roomContext = inParts(roomContextFields, always, withoutAffordances)

const threadContextFields = {
  schemaVersion,
  thread,
  room: shape(roomOfThread),
  checkpoint: v.nullable(checkpointSummary),
  ...lists,
  timelineWatermark: count,
  activityWatermark: count,
}
const threadResearchContext = inParts(threadContextFields, [...always, "timelineWatermark"], withoutAffordances)

const partsOf = (fields: object, beyond: readonly string[]) =>
  Object.keys(fields).filter((name) => !beyond.includes(name))
/** The blocks that `parts` can select: every member that is not always there. */
const contextParts = {
  room: partsOf(roomContextFields, always),
  thread: partsOf(threadContextFields, [...always, "timelineWatermark"]),
}

const choosing = (parts: readonly string[]) => ({
  parts: v.exactOptional(words(parts)),
  affordances: v.exactOptional(oneOf(["0", "1"])),
})

export const contextReads = [
  read({
    name: "room_context",
    costly: true,
    path: "/api/research/rooms/{roomId}/research-context",
    summary:
      "A whole Room in one snapshot: its state, every Thread, and the newest experiments, hypotheses, " +
      "findings and publications. Keep its activityWatermark. parts selects some members; " +
      "affordances=0 leaves the affordances out.",
    parameters: choosing(contextParts.room),
    answer: roomContext,
  }),
  read({
    name: "thread_research_context",
    costly: true,
    path: "/api/research/threads/{threadId}/research-context",
    summary: "A Thread with its research, in one snapshot; parts and affordances as for a Room.",
    parameters: choosing(contextParts.thread),
    answer: threadResearchContext,
  }),
] as const
