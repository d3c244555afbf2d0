/** What each read should show of a Room at one place of its sequence, and what it was answered. */
import { same } from "./content.ts"
import { type Members, parsed, type Read } from "./history.ts"
import type { Model } from "./model.ts"
import type { Experiment } from "./state.ts"

type Shown = Record<string, unknown>
/** The two sides of a comparison: what an answer shows, and what it should show at a place. */
interface Comparison {
  readonly found: (answer: Shown) => unknown
  readonly expected: (model: Model, at: number, params: Members) => unknown
}
const list = (value: unknown) => value as Shown[]

/** The attempts of an experiment as a read counts them: only statuses with attempts. */
const counted = (attempts: unknown) =>
  Object.fromEntries(
    Object.entries(attempts as Record<string, number>).filter(([status, count]) => status !== "total" && count > 0),
  )
const total = (attempts: Readonly<Record<string, number>>) =>
  Object.values(attempts).reduce((sum, count) => sum + count, 0)

const experimentFound = (shown: Shown) => ({
  id: shown.experimentId,
  label: shown.label,
  status: shown.status,
  revision: shown.revision,
  assignee: shown.assigneeId,
  question: shown.question,
  attempts: counted(shown.attempts),
  total: (shown.attempts as Shown).total,
  expected: (shown.affordances as Shown).expected,
})
const experimentExpected = ({ id, label, status, revision, assignee, question, attempts }: Experiment) => ({
  id,
  label,
  status,
  revision,
  assignee,
  question,
  attempts: counted(attempts),
  total: total(attempts),
  expected: { expectedRevision: revision, expectedStatus: status },
})

/** A page of a list that grows at its end. */
function pageOf<T>(items: readonly T[], { after = 0, limit = 50 }: Members): { items: T[]; hasMore: boolean } {
  const rest = items.slice(Number(after))
  return { items: rest.slice(0, Number(limit)), hasMore: rest.length > Number(limit) }
}
const page = (items: (answer: Shown) => unknown) => (answer: Shown) => ({
  items: items(answer),
  hasMore: answer.hasMore,
})

const recordFound = ({ versionId, label, status, notices }: Shown) => ({
  versionId,
  label,
  status,
  notices: list(notices).length,
})

const comparisons: Readonly<Record<string, Comparison>> = {
  room_context: {
    found: (answer) => ({
      watermarks: [answer.activityWatermark, (answer.room as Shown).activityWatermark],
      state: (answer.room as Shown).state,
      concluded: answer.concluded,
      threads: list(answer.threads).map(({ threadId, timelineWatermark, selectedCheckpointId, stale }) => [
        threadId,
        timelineWatermark,
        selectedCheckpointId,
        stale,
      ]),
      experiments: list(answer.experiments).map((shown) => ({ ...experimentFound(shown), plans: shown.plans })),
      hypotheses: list(answer.hypotheses).map(recordFound),
      publications: list(answer.publications).map(recordFound),
      findingLinks: list(answer.findingLinks).map(({ linkId, replies }) => [linkId, replies]),
      counts: ["threads", "experiment", "plan", "attempt", "hypothesis", "finding", "link"].map(
        (kind) => (answer.counts as Shown)[kind],
      ),
    }),
    expected(model, at) {
      const records = model.records
        .all(at)
        .map(({ id, label, kind, status, notices }) => ({ kind, shown: { versionId: id, label, status, notices } }))
      const hypotheses = records.filter(({ kind }) => kind === "hypothesis").map(({ shown }) => shown)
      const labelled = ["E", "P", "A", "H", "F", "L"].map((prefix) => model.labels.get(prefix)?.countAt(at) ?? 0)
      const opening = model.threads.at(at, model.truth.openingThreadId)
      return {
        watermarks: [at, at],
        state: (model.archive.at(at) ?? null) === null ? "active" : "archived",
        concluded: (opening?.concludedAt ?? null) !== null,
        threads: model.threads.all(at).map(({ id, watermark, selected, stale }) => [id, watermark, selected, stale]),
        experiments: model.experiments
          .all(at)
          .map((experiment) => ({ ...experimentExpected(experiment), plans: experiment.plans.length })),
        hypotheses,
        publications: records.filter(({ kind }) => kind !== "hypothesis").map(({ shown }) => shown),
        findingLinks: model.findingLinks
          .all(at)
          .map(({ linkId, entryId }) => [linkId, model.replies.get(entryId)?.countAt(at) ?? 0]),
        counts: [model.threads.countAt(at), ...labelled],
      }
    },
  },
  experiment: {
    found: (answer) => ({ ...experimentFound(answer), plans: list(answer.acceptedPlans).map(({ planId }) => planId) }),
    expected(model, at, { experimentId }) {
      const experiment = model.experiments.at(at, experimentId)
      return experiment && { ...experimentExpected(experiment), plans: experiment.plans }
    },
  },
  experiment_history: {
    found: page((answer) =>
      list(answer.items).map(({ revision, operation, author, status, assigneeId, planId }) => ({
        revision,
        operation,
        author: (author as Shown).userId,
        status,
        assigneeId,
        planId,
      })),
    ),
    expected: (model, at, params) => pageOf(model.revisions.get(String(params.experimentId))?.at(at) ?? [], params),
  },
  attempt: {
    found: ({ status, revision, events, outputs }) => ({
      status,
      revision,
      events: list(events).map(({ event }) => event),
      outputs: list(outputs).map(({ outputLabel }) => outputLabel),
    }),
    expected(model, at, { attemptId }) {
      const attempt = model.attempts.at(at, attemptId)
      return (
        attempt && {
          status: attempt.status,
          revision: attempt.revision,
          events: attempt.events,
          outputs: attempt.outputs,
        }
      )
    },
  },
  thread_timeline: {
    found: page((answer) =>
      list(answer.items).map(({ entryId, sequence, kind, author, replyToEntryId, replyCount, card }) => [
        entryId,
        sequence,
        kind,
        (author as Shown).userId,
        replyToEntryId,
        replyCount,
        (card as Shown | undefined)?.status ?? null,
      ]),
    ),
    expected(model, at, params) {
      const { items, hasMore } = pageOf(model.timelines.get(String(params.threadId))?.at(at) ?? [], params)
      const shown = items.map((entryId) => {
        const entry = model.entries.at(at, entryId)
        const status = entry?.standingOf == null ? null : model.records.at(at, entry.standingOf)?.status
        return [
          entryId,
          entry?.sequence,
          entry?.kind,
          entry?.author,
          entry?.replyTo,
          model.replies.get(entryId)?.countAt(at) ?? 0,
          status,
        ]
      })
      return { items: shown, hasMore }
    },
  },
  room_activity: {
    found: page((answer) => answer.items),
    expected: (model, at, params) => pageOf(model.truth.feed.slice(0, at), params),
  },
  room_status: {
    found: ({ activityWatermark, assignments, room }) => ({
      activityWatermark,
      state: (room as Shown).state,
      assignments: list(assignments).map(({ experimentId, status }) => [experimentId, status]),
    }),
    expected: (model, at, { person }) => ({
      activityWatermark: at,
      state: (model.archive.at(at) ?? null) === null ? "active" : "archived",
      assignments: model.experiments
        .all(at)
        .filter(({ assignee, status }) => assignee === person && (status === "claimed" || status === "in_progress"))
        .map(({ id, status }) => [id, status]),
    }),
  },
}

export const isCompared = (name: string): boolean => Object.hasOwn(comparisons, name)

/** The first members in which two values differ, in readable form. */
function difference(found: unknown, expected: unknown): string {
  const [one, other] = [found, expected] as [Shown | undefined, Shown | undefined]
  const member = Object.keys(one ?? {}).find((name) => !same(one?.[name], other?.[name]))
  const [shown, told] = member === undefined ? [found, expected] : [one?.[member], other?.[member]]
  return `${member ?? "it"} is ${JSON.stringify(shown)?.slice(0, 400)}, not ${JSON.stringify(told)?.slice(0, 400)}`
}

/**
 * Returns a function that says why a read could not have had its answer at a place, or null. The answer is parsed once.
 */
export function readFaults(model: Model, { name, params, person, answer }: Read): (at: number) => string | null {
  const { found, expected } = comparisons[name] as Comparison
  const shown = found(parsed<Shown>(answer))
  return (at) => {
    const told = expected(model, at, { ...params, person })
    return same(shown, told) ? null : difference(shown, told)
  }
}
