/** Rooms of any size with known answers to eighteen questions, however much else they hold. */
import { because, finding, hypothesis, reference } from "../support/bodies.ts"
import type { Filler } from "../research/record/filler.ts"
import { measure } from "./measured.ts"
import { reportedAt } from "../research/record/work.ts"

type Person = ReturnType<Filler["person"]>

/** The answers a reader should find. */
export interface Known {
  readonly roomId: string
  /** Where the reader stopped, and what was done since. */
  readonly watermark: number
  readonly answers: Readonly<Record<string, string>>
}

const subjects = [
  "ramp",
  "clipping",
  "width",
  "dropout",
  "rotary embedding",
  "weight decay",
  "batch",
  "augmentation",
  "distillation",
  "pruning",
]
const measures = ["loss", "accuracy", "perplexity", "calibration", "throughput", "coverage", "memory", "variance"]
const places = ["small model", "large model", "toy task", "held-out set", "second seed", "long context"]
const pick = (from: readonly string[], index: number): string => from[index % from.length] ?? ""
/** The other texts of the Room: sentences of ordinary length, no two the same. */
const chatter = (index: number): string =>
  `In run ${index} the ${pick(subjects, index)} changed the ${pick(measures, Math.floor(index / 7))} of the ` +
  `${pick(places, Math.floor(index / 3))} by ${(index % 97) / 100}, within what seeds differ by; ` +
  `nobody has looked at it with another ${pick(subjects, index + 3)} yet.`

const RECORDS = 11

/**
 * Fills a Room with the given number of records, at least 11: the eleven that the questions are about, first and last,
 * and others between them.
 * @param people its owner and two members
 */
export function makeRoom(
  filler: Filler,
  [ada, grace, mary]: readonly [Person, Person, Person],
  records: number,
): Known {
  const { roomId, openingThreadId } = filler.does(ada, "create_room", {
    title: `What ${records} records know`,
    question: "Does a ramp help?",
  }).result
  for (const { username } of [grace, mary]) filler.does(ada, "add_member", { roomId, username })
  const place = { roomId, threadId: openingThreadId }
  const predicted = (wording: string) => filler.does(ada, "publish_hypothesis", hypothesis(place, {}, wording)).result
  const found = (who: Person, wording: string, more: Parameters<typeof finding>[1] = {}, at = place) =>
    filler.does(who, "publish_finding", finding(at, more, wording)).result
  const about = (versionId: string, purpose: "supports" | "contradicts") => ({
    references: [reference(versionId, purpose)],
  })

  predicted("Widening lowers the loss.")
  const doubted = predicted("Clipping alone lowers the loss.")
  const third = predicted("A ramp of 400 steps lowers the final loss by 0.07.")
  found(ada, "With the ramp the loss fell by 0.08 over five seeds.", about(third.versionId, "supports"))
  const against = found(grace, "At the larger batch the ramp made no difference.", {
    ...about(third.versionId, "contradicts"),
    outcome: "negative",
  })
  found(mary, "Reproduced on another cluster: 0.07.", about(third.versionId, "supports"))

  const held = filler.does(ada, "propose_experiment", {
    ...place,
    question: "Does quenching the momentum buffer at restart avoid the spike?",
    scope: "Restarts after step 10,000.",
    hypotheses: [],
  }).result
  filler.does(grace, "take_experiment", {
    experimentId: held.experimentId,
    expectedRevision: 1,
    expectedStatus: "open",
  })
  filler.does(grace, "report_experiment_status", {
    experimentId: held.experimentId,
    expectedRevision: 2,
    expectedStatus: "claimed",
    status: "in_progress",
  })
  const failing = (stage: string, explanation: string) => {
    const attemptId = filler.attempt(grace, held.experimentId, 3, "in_progress")
    const event = { attemptId, reportedAt }
    filler.does(grace, "report_attempt_event", {
      ...event,
      event: "started",
      expectedRevision: 1,
      expectedStatus: "registered",
    })
    return filler.does(grace, "report_attempt_event", {
      ...event,
      event: "failed",
      expectedRevision: 2,
      expectedStatus: "started",
      failure: { stage, explanation },
    })
  }
  failing("allocation", "Out of memory: the buffer of all replicas takes 96 GiB.")
  const old = found(ada, "The spike comes from the data loader.")
  const better = found(ada, "The spike comes from stale momentum, not from the data loader.")
  filler.does(ada, "assert_supersession", {
    targetVersionId: old.versionId,
    replacementVersionId: better.versionId,
    explanation: because,
  })

  const measured = measure(filler, [ada, grace], place)
  fill(filler, [ada, grace, mary], place, records - RECORDS)

  const aside = filler.does(mary, "create_thread", { roomId, title: "What the spike is" }).result.threadId
  const fallen = found(mary, "The spike is gone without momentum.", {}, { roomId, threadId: aside })
  const conclude = (threadId: string, conclusion: string, openQuestions: string[], citations: string[]) => {
    const expectedWatermark = filler.instance.tables.threads.summary(threadId)?.timelineWatermark ?? 0
    filler.does(ada, "post_research_checkpoint", {
      threadId,
      expectedWatermark,
      coversThrough: expectedWatermark,
      state: "concluded",
      synthesis: "All that was run.",
      conclusion,
      openQuestions,
      citations,
    })
  }
  conclude(aside, "The spike is a matter of momentum.", [], [fallen.versionId])
  filler.does(mary, "assert_retraction", {
    targetVersionId: fallen.versionId,
    explanation: "The runs were not restarted.",
  })
  conclude(
    openingThreadId,
    "A ramp helps at small batches only.",
    ["Does the ramp help beyond a batch of 4,096?"],
    [third.versionId],
  )

  const { watermark } = { watermark: filler.instance.ledger.activity.watermark(roomId) }
  const last = failing("training", "The loss became infinite at step 212: the scaler overflowed.")
  filler.does(mary, "assert_dispute", { targetVersionId: doubted.versionId, explanation: "No run had clipping alone." })
  const attempt = filler.instance.tables.attempts.find(last.targetId)
  return {
    roomId,
    watermark,
    answers: {
      stands: "A ramp helps at small batches only.",
      belief: "current: 2 for, 1 against, 2 of 3 independent",
      against: `${against.label}, grace: At the larger batch the ramp made no difference.`,
      failed: "allocation: Out of memory: the buffer of all replicas takes 96 GiB.",
      lately: `${attempt?.label}: training: The loss became infinite at step 212: the scaler overflowed.`,
      underWay: `${held.label}: grace`,
      next: `answer_dispute ${doubted.label} by assert_correction`,
      since:
        `register_attempt ${attempt?.label}, report_attempt_event ${attempt?.label}, report_attempt_event ` +
        `${attempt?.label}, assert_dispute`,
      tried: held.label,
      replaced: `${old.label} superseded by ${better.label}`,
      stale: `What the spike is: ${fallen.label} retracted`,
      open: "Does the ramp help beyond a batch of 4,096?",
      ...measured,
    },
  }
}

/** Everything else in the Room: records, failed and successful work, messages, Threads, disputes and verdicts. */
function fill(
  filler: Filler,
  people: readonly Person[],
  { roomId, threadId: opening }: { roomId: string; threadId: string },
  count: number,
): void {
  const threads: string[] = []
  const at = (index: number) => ({ roomId, threadId: threads[index % Math.max(threads.length, 1)] ?? opening })
  let predicted: string | undefined
  for (let index = 0; index < count; index += 1) {
    const who = people[index % people.length] as Person
    if (index % 100 === 0)
      threads.push(filler.does(who, "create_thread", { roomId, title: chatter(index).slice(0, 80) }).result.threadId)
    if (index % 3 === 0)
      predicted = filler.does(who, "publish_hypothesis", hypothesis(at(index), {}, chatter(index))).result.versionId
    else {
      const references =
        predicted === undefined || index % 3 === 1
          ? []
          : [reference(predicted, index % 2 === 0 ? "supports" : "contradicts")]
      const made = filler.does(
        who,
        "publish_finding",
        finding(at(index), { references, outcome: index % 5 === 0 ? "negative" : "positive" }, chatter(index)),
      )
      if (index % 50 === 1)
        filler.does(who, "assert_dispute", { targetVersionId: made.result.versionId, explanation: chatter(index) })
    }
    if (index % 5 === 0) filler.does(who, "post_message", { threadId: at(index).threadId, text: chatter(index + 1) })
    if (index % 20 === 0) {
      const { experimentId } = filler.does(who, "propose_experiment", {
        ...at(index),
        question: chatter(index),
        scope: "Here.",
        hypotheses: [],
      }).result
      if (index % 40 === 0) continue
      filler.does(who, "take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
      filler.attempt(who, experimentId, 2, "claimed", index % 60 === 0 ? "failed" : "succeeded")
      filler.does(who, "report_experiment_status", {
        experimentId,
        expectedRevision: 2,
        expectedStatus: "claimed",
        status: "completed",
        summary: "It is run.",
      })
    }
  }
}
