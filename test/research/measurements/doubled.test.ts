/**
 * An attempt reports the same cell twice: the same value counts once, a different one is refused, unless it is declared
 * as a correction.
 */
import { pattern } from "../../support/pattern.ts"
import t from "tap"
import type { WriteInput } from "research-room/client"
import { limits } from "../../../src/contract/limits.ts"
import { openLab, refusalOf } from "../../support/lab.ts"
import { Work } from "../record/work.ts"

type Event = Partial<WriteInput<"report_attempt_event">>
type Metrics = NonNullable<Event["metrics"]>

const lab = await openLab(t)
const { reader } = lab
const work = await Work.begin(lab, await lab.room())
const { experimentId } = work
const error = (arm: string, seed: number, value: Metrics[number]["value"], more: Partial<Metrics[number]> = {}) => ({
  name: "error",
  value,
  dimensions: { arm, seed },
  ...more,
})
const meanOf = async () => {
  const { groups } = await reader.read("experiment_measurements", {
    experimentId,
    metric: "error",
    by: ["arm"],
    over: "seed",
  })
  return groups.map(({ key, n, mean }) => [key.arm, n, mean])
}

const attemptId = await work.attempt("started")
const progress = (more: Event) => work.tell(attemptId, "progress", more)
const points = async () => (await reader.read("attempt_metrics", { attemptId })).columns.value

t.test("the same values reported again count once, within an event and across several", async (t) => {
  const metrics = [error("shift", 1, 0.5), error("shift", 2, 0.7), error("shift", 3, "NaN")]
  await progress({ metrics: [...metrics, { ...error("shift", 1, 0.5), dimensions: { seed: 1, arm: "shift" } }] })
  await progress({ metrics: [...metrics, error("shift", 4, 0.9)] })
  t.strictSame(await points(), [0.5, 0.7, "NaN", 0.9])
  const { events } = await reader.read("attempt", { attemptId })
  t.strictSame(
    events.slice(-2).map(({ metricPoints }) => metricPoints),
    [3, 1],
  )
})

t.test("a different value is refused with both values named, and nothing of the event is stored", async (t) => {
  const metrics = [error("shift", 5, 1), error("shift", 2, 0.8)]
  t.match(await refusalOf(progress({ metrics })), {
    status: 422,
    refusal: "invalid_schema",
    issues: [
      {
        path: "/metrics/1/value",
        message: pattern(
          /^is 0\.8 for error at arm=shift, seed=2, which A\d+ reported as 0\.7 before; /,
          /name it in corrects to correct it$/,
        ),
      },
    ],
  })
  t.match(await refusalOf(progress({ metrics: [error("shift", 6, 1), error("shift", 6, 2)] })), {
    refusal: "invalid_schema",
    issues: [
      { path: "/metrics/1/value", message: /^is 2 for error at arm=shift, seed=6, which \/metrics\/0 gives as 1$/ },
    ],
  })
  t.strictSame(await points(), [0.5, 0.7, "NaN", 0.9])
  t.match(await refusalOf(progress({ metrics: [error("shift", 1, 0.5), error("shift", 3, 3)] })), {
    issues: [{ path: "/metrics/1/value", message: /reported as "NaN" before/ }],
  })
})

t.test("a value at another step, of another split or metric, or without dimensions is not a duplicate", async (t) => {
  const curve = (step: number, value: number) => error("slow", 1, value, { step })
  await progress({
    metrics: [curve(1, 9), curve(2, 8), error("slow", 1, 5, { split: "test" }), error("slow", 1, 7, { name: "loss" })],
  })
  await progress({ metrics: [curve(2, 8), curve(3, 7)] })
  t.match(await refusalOf(progress({ metrics: [curve(3, 6)] })), { issues: [{ message: /reported as 7 before/ }] })
  await progress({ metrics: [{ name: "plain", value: 1 }] })
  await progress({
    metrics: [
      { name: "plain", value: 2 },
      { name: "plain", value: 2 },
    ],
  })
  t.strictSame((await reader.read("attempt_metrics", { attemptId, metric: "plain" })).columns.value, [1, 2, 2])
  t.strictSame((await reader.read("attempt_metrics", { attemptId })).columns.value.slice(4, 9), [9, 8, 5, 7, 7])
})

t.test(
  "a correction changes a value, before and after the end; both stay readable, and the table takes the new one",
  async (t) => {
    const at = (seed: number) => ({ metric: "error", dimensions: { arm: "shift", seed } })
    t.match(await refusalOf(progress({ corrects: [at(2)] })), {
      issues: [{ path: "/corrects/0", message: "has neither a unit nor a new value in metrics" }],
    })
    t.match(await refusalOf(progress({ corrects: [at(99)], metrics: [error("shift", 99, 1)] })), {
      issues: [
        { path: "/corrects/0/dimensions", message: /^match no value of error that A\d+ reported in an earlier event$/ },
      ],
    })
    await progress({ corrects: [at(2)], metrics: [error("shift", 2, 0.75)] })
    await work.tell(attemptId, "succeeded")
    t.strictSame(
      (await meanOf()).find(([arm]) => arm === "shift"),
      ["shift", 3, (0.5 + 0.75 + 0.9) / 3],
    )
    await progress({ corrects: [at(3)], metrics: [error("shift", 3, 0.85)] })
    t.strictSame((await meanOf()).find(([arm]) => arm === "shift")?.[1], 4)
    t.strictSame(
      (await reader.read("attempt_metrics", { attemptId, metric: "error" })).columns.value.filter((value) =>
        [0.7, 0.75, "NaN", 0.85].includes(value),
      ),
      [0.7, "NaN", 0.75, 0.85],
    )
    const { events } = await reader.read("attempt", { attemptId })
    t.strictSame(events.at(-1)?.corrects, [at(3)])
  },
)

t.test("dimensions over their limits are refused by their path", async (t) => {
  const refused = async (dimensions: Record<string, string | number>) =>
    refusalOf(progress({ late: true, metrics: [{ name: "error", value: 1, dimensions }] }))
  const many = Object.fromEntries(Array.from({ length: limits.dimensions + 1 }, (_, index) => [`d${index}`, index]))
  t.match(await refused(many), { issues: [{ path: "/metrics/0/dimensions", message: /at most 8 dimensions/ }] })
  t.match(await refused({ arm: "a".repeat(limits.dimensionText + 1) }), {
    issues: [{ path: "/metrics/0/dimensions/arm", message: /64 characters/ }],
  })
  t.match(await refused({ Arm: "shift" }), {
    issues: [{ path: "/metrics/0/dimensions/Arm", message: /dimension such as arm or seed/ }],
  })
})
