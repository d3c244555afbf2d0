/**
 * The measurements in a Room of the evaluation: two arms at three sizes over five seeds, an effect, its reproduction,
 * and a board.
 */
import type { Filler } from "../research/record/filler.ts"
import { finding } from "../support/bodies.ts"
import { launch, reportedAt } from "../research/record/work.ts"

type Person = ReturnType<Filler["person"]>
interface Place {
  readonly roomId: string
  readonly threadId: string
}

const SEEDS = [0, 1, 2, 3, 4]
/** By how much the shift lowers the error at each number of labels. */
const FALLS: Readonly<Record<number, number>> = { 50: 2, 100: 1, 400: 0 }
/** Student's t for 95 % and four degrees of freedom, from a printed table. */
const T = 2.7764451

const jitter = (seed: number, scale: number): number => ((seed * 7) % 5) * scale
const differences = (labels: number, scale: number): number[] =>
  SEEDS.map((seed) => -(FALLS[labels] ?? 0) + jitter(seed, scale) - 2 * scale)
const cells = (sizes: readonly number[], scale: number) =>
  sizes.flatMap((labels) =>
    SEEDS.flatMap((seed) => {
      const base = 5 + seed / 10
      const value = base + (differences(labels, scale)[seed] ?? 0)
      return [
        { name: "error", value: base, unit: "%", dimensions: { arm: "baseline", labels, seed } },
        { name: "error", value, unit: "%", dimensions: { arm: "shift", labels, seed } },
      ]
    }),
  )

/** Adds the measurements, and returns the answers a reader should find. */
export function measure(filler: Filler, [ada, grace]: readonly [Person, Person], place: Place) {
  const { experimentId } = filler.does(ada, "propose_experiment", {
    ...{
      ...place,
      question: "Does the shift lower the error with few labels?",
      scope: "The toy task.",
      hypotheses: [],
    },
  }).result
  filler.does(ada, "take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  const ended = (who: Person, attemptId: string, more: object) => {
    const at = { attemptId, reportedAt }
    filler.does(who, "report_attempt_event", {
      ...at,
      event: "started",
      expectedRevision: 1,
      expectedStatus: "registered",
    })
    filler.does(who, "report_attempt_event", {
      ...at,
      event: "succeeded",
      expectedRevision: 2,
      expectedStatus: "started",
      ...more,
    })
  }
  const attemptId = filler.attempt(ada, experimentId, 2, "claimed")
  ended(ada, attemptId, { metrics: cells([50, 100, 400], 0.05) })
  const contrast = { experimentId, metric: "error", of: { arm: "shift" }, against: { arm: "baseline" }, over: "seed" }
  const { versionId } = filler.does(ada, "publish_finding", {
    ...finding(place, {}, "The shift lowers the error where labels are few."),
    provenance: { execution: { experimentId, attemptIds: [attemptId], baselineAttemptIds: [] }, papers: [] },
    effects: [50, 400].map((labels) => ({ ...contrast, where: { labels } })),
  }).result
  const again = filler.instance.world.id()
  const repository = { url: launch.repository.url, commit: "9".repeat(40) }
  const reproduces = { findingVersionId: versionId }
  filler.does(grace, "register_attempt", {
    attemptId: again,
    experimentId,
    ...launch,
    intent: "reproduction",
    reproduces,
    repository,
  })
  ended(grace, again, {
    metrics: cells([50], 0.06),
    reproduction: { verdict: "reproduces", explanation: "As before.", repeats: { versionId, effect: 0 } },
  })
  filler.does(grace, "declare_board", {
    ...{
      ...place,
      title: "Error with 50 labels",
      metric: "error",
      direction: "lower",
      over: "seed",
      where: { labels: 50 },
    },
    ...{ evaluator: { repository: launch.repository }, data: [] },
  })
  const summary = "The shift helps with few labels."
  const done = { experimentId, expectedRevision: 2, expectedStatus: "claimed", status: "completed", summary } as const
  filler.does(ada, "report_experiment_status", done)

  const own = differences(50, 0.05)
  const mean = own.reduce((sum, each) => sum + each, 0) / own.length
  const sd = Math.sqrt(own.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (own.length - 1))
  const half = (T * sd) / Math.sqrt(own.length)
  return {
    byHowMuch: `${mean.toFixed(3)} %`,
    howSure: `${(mean - half).toFixed(3)} to ${(mean + half).toFixed(3)}`,
    seeds: `${SEEDS.length} pairs`,
    reproduced: "grace at another commit: reproduces",
    whereItHolds: "50, 100",
    best: "shift",
  }
}
