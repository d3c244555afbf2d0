/**
 * What the pictures of runs show: every setting by its full name, every attempt that could not be placed, both axes, a
 * single step.
 */
import t from "tap"
import { type Curve, picture } from "../../src/web/charts/curves.ts"
import { scatter } from "../../src/web/pages/workbench.ts"
import { lineOf } from "../../src/web/charts/axis.ts"

const setting = { basePath: "", now: 0 }
type Rows = Parameters<typeof scatter>[0]
const row = (index: number, ran: string | null, value: number | string | null) =>
  ({
    attemptId: `0198f3a0-dead-4ead-8ead-${String(index).padStart(12, "0")}`,
    label: `A${index}`,
    status: "succeeded",
    outcome: "succeeded",
    pair: { setting: ran, metric: value === null ? null : { value } },
  }) as unknown as Rows[number]
const axes = { setting: "arm", metric: "pass@1", unit: "share", isLog: false }

t.test("Thirty arms have a row each with its full name, and attempts without a place are named", async (t) => {
  const arm = (index: number) => `80 demonstrations of the eighth way, then GRPO with a group of ${index}`
  const text = scatter(
    [...Array.from({ length: 30 }, (_, at) => row(at + 1, arm(at + 1), at)), row(31, null, 1), row(32, "plain", null)],
    axes,
  ).write(setting)
  for (let index = 1; index <= 30; index += 1) t.match(text, `<span>${arm(index)}</span>`)
  t.notMatch(text, "…", "no name is cut")
  t.equal(text.match(/href="\/attempts\//g)?.length, 30, "each attempt is drawn")
  t.match(text, "Not drawn: A31, A32 (2 attempts), which lack arm or pass@1.")
  t.match(text, /<span>arm<\/span><span>pass@1 in share, last value<\/span>/, "both axes have a title")
})

t.test("Numbers against numbers have a title on both axes too", async (t) => {
  const text = scatter([row(1, "1", 0.5), row(2, "2", 0.25), row(3, "3", "NaN")], axes).write(setting)
  t.match(text, /<text class="title"[^>]*>pass@1 in share, last value</)
  t.match(text, /<text class="title"[^>]*>arm</)
  t.match(text, "Values that are not numbers are above the picture.")
  const log = scatter([row(1, "1", 0.5), row(2, "0", 0.25)], { ...axes, isLog: true }).write(setting)
  t.match(log, "Not drawn: A2 (1 attempt), whose values are not above 0")
})

const curve = (index: number, step: readonly number[], value: readonly number[]): Curve =>
  ({
    index,
    attemptId: `a${index}`,
    label: `A${index + 1}`,
    points: step.length,
    stretch: 1,
    columns: { step, value },
  }) as unknown as Curve
const whole = { from: undefined, to: undefined, low: undefined, high: undefined, isLog: false }
const drawn = (curves: readonly Curve[]) =>
  picture(curves, whole, { title: "loss in nat", description: "loss", baseline: undefined }).write(setting)

t.test("A single step is in the middle, with its own number below and its values around its own", async (t) => {
  const text = drawn([curve(0, [1_000], [0.3133])])
  t.notMatch(text, "1,001")
  t.match(text, ">1,000</text>")
  t.match(text, ">A1</text>", "a curve of one number is named too")
  const [low, high] = [Number(/data-low="([^"]+)"/.exec(text)?.[1]), Number(/data-high="([^"]+)"/.exec(text)?.[1])]
  t.ok(low > 0.2 && high < 0.4, `values from ${low} to ${high}`)
})

t.test("Axes have titles, and sixteen curves that end at the same place have separate labels", async (t) => {
  const text = drawn(Array.from({ length: 16 }, (_, index) => curve(index, [0, 10], [1, 0.5 + index / 1e4])))
  t.match(text, /<text class="title"[^>]*>loss in nat</)
  t.match(text, /<text class="title"[^>]*>step</)
  const places = [...text.matchAll(/<text class="end" x="95.00%" y="([\d.]+)">(A\d+)/g)]
    .map(([, y]) => Number(y))
    .sort((one, other) => one - other)
  t.equal(places.length, 16)
  t.ok(
    places.every((y, index) => index === 0 || y - (places[index - 1] ?? 0) > 11),
    "no label covers another",
  )
  t.ok((places[0] ?? 0) > 0 && (places.at(-1) ?? 999) < 320, "all of them are in the picture")
})

t.test("Each of thirty-two lines is drawn differently", async (t) => {
  t.equal(new Set(Array.from({ length: 32 }, (_, index) => lineOf(index))).size, 32)
  t.equal(
    new Set(Array.from({ length: 16 }, (_, index) => lineOf(index).split(" ")[0])).size,
    16,
    "sixteen have a colour each",
  )
})
