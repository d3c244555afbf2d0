/**
 * A finding rests its numbers on an effect, which the service computes, stores, and marks as stale when its values
 * change.
 */
import { pattern } from "../../support/pattern.ts"
import t from "tap"
import type { WriteInput } from "research-room/client"
import { finding } from "../../support/bodies.ts"
import { openLab, refusalOf } from "../../support/lab.ts"
import { storedFigure } from "../../../src/research/measurements/statistics.ts"
import { Work } from "../record/work.ts"
import { untilClean } from "../../support/clean.ts"

type Metrics = NonNullable<WriteInput<"report_attempt_event">["metrics"]>
type Effect = NonNullable<WriteInput<"publish_finding">["effects"]>[number]

const lab = await openLab(t)
const room = await lab.room()
const work = await Work.begin(lab, room)
const { experimentId } = work

const error = (arm: string, labels: number, values: readonly number[]): Metrics =>
  values.map((value, seed) => ({ name: "error", value, dimensions: { arm, labels, seed } }))
const attemptId = await work.attempt("started")
await work.tell(attemptId, "progress", {
  metrics: [
    ...error("baseline", 400, [5.1, 5.4, 4.9, 5.2]),
    ...error("shift", 400, [4.1, 4.2, 4.0, 4.4]),
    ...error("shift", 50, [9]),
  ],
})
await work.tell(attemptId, "succeeded")

const shift: Effect = {
  experimentId,
  metric: "error",
  of: { arm: "shift" },
  against: { arm: "baseline" },
  over: "seed",
  where: { labels: 400 },
}
const publish = (effects: Effect[], attemptIds = [attemptId]) =>
  room.ada.write("publish_finding", {
    ...finding(room),
    provenance: { execution: work.execution(attemptIds), papers: [] },
    effects,
  })

const { result } = await publish([shift])

t.test("the service computes the effect, and states it in a sentence", async (t) => {
  const { effects } = await lab.record(result)
  t.equal(effects.length, 1)
  t.match(effects[0], {
    metric: "error",
    method: "paired",
    pairs: 4,
    ofCount: 4,
    againstCount: 4,
    isStale: false,
    now: null,
    experimentLabel: "E1",
  })
  t.match(effects[0]?.sentence, /^error of shift − baseline at labels 400: −0\.9\d+, 95 % −1\.\d+ to −0\.\d+, 4 pairs$/)
})

t.test("an effect on an attempt that still runs is refused for that reason", async (t) => {
  const running = await work.attempt("started")
  await work.tell(running, "progress", { metrics: error("mixup", 400, [4.4, 4.5, 4.3, 4.6]) })
  const refusedWith = async (effect: Partial<Effect>, attemptIds: string[]) => {
    const { issues } = await refusalOf(publish([{ ...shift, ...effect }], attemptIds))
    return issues?.map(({ path, message }) => `${path} ${message}`)
  }
  const why = /: A\d+ is started; only success counts$/
  t.match(await refusedWith({}, [running]), [/metric has no value of error yet/])
  t.match(await refusedWith({}, [running]), [why])
  t.match(await refusedWith({ of: { arm: "mixup" } }, [attemptId, running]), [
    /of names a group without a finite value/,
  ])
  t.match(await refusedWith({ of: { arm: "mixup" } }, [attemptId, running]), [why])
  await work.tell(running, "succeeded")
})

t.test("an effect that cannot be computed is refused, with its path", async (t) => {
  const issues = async (effect: Partial<Effect>, attemptIds?: string[]) => {
    const refusal = await refusalOf(publish([{ ...shift, ...effect }], attemptIds))
    return [refusal.refusal, ...(refusal.issues ?? []).map(({ path, message }) => `${path} ${message}`)]
  }
  t.same(await issues({ metric: "accuracy" }), [
    "unknown_reference",
    "/effects/0/metric is not reported by any of the named attempts that succeeded",
  ])
  t.same(await issues({ of: { arm: "mixup" } }), [
    "unknown_reference",
    "/effects/0/of names a group without a finite value",
  ])
  t.same(await issues({ where: { labels: 1 } }), ["unknown_reference", "/effects/0/where matches no value"])
  const other = await work.attempt("succeeded")
  t.match(
    await issues({}, [other]),
    ["unknown_reference", /metric is not reported/],
    "of an attempt that the finding does not name",
  )
})

t.test(
  "an effect belongs to one experiment: only the values it is compared with may come from another's baseline",
  async (t) => {
    const elsewhere = await Work.begin(lab, room)
    const foreign = await elsewhere.attempt("started")
    await elsewhere.tell(foreign, "progress", {
      metrics: [...error("shift", 800, [3, 4]), ...error("baseline", 900, [5, 6])],
    })
    await elsewhere.tell(foreign, "succeeded")
    const own = await work.attempt("started")
    await work.tell(own, "progress", { metrics: [...error("baseline", 800, [5, 7]), ...error("shift", 900, [4, 4])] })
    await work.tell(own, "succeeded")
    const sent = (effect: Partial<Effect>, attemptIds: string[], baselineAttemptIds: string[]) =>
      room.ada.write("publish_finding", {
        ...finding(room),
        provenance: { execution: { ...work.execution(attemptIds), baselineAttemptIds }, papers: [] },
        effects: [{ ...shift, ...effect }],
      })
    const at = (labels: number) => ({ where: { labels } })
    for (const [what, effect] of [
      ["its values come from a baseline of another experiment", at(800)],
      ["it names the other experiment", { ...at(900), experimentId: elsewhere.experimentId }],
    ] as const) {
      const refusal = await refusalOf(sent(effect, [own], [foreign]))
      t.match(refusal, { status: 422, refusal: "unknown_reference" }, what)
      t.match(refusal.issues?.[0]?.path, "/effects/0/experimentId", what)
      t.match(refusal.issues?.[0]?.message, /^is not the experiment of A\d+, whose values are in "of"$/, what)
    }
    const { result } = await sent(at(900), [own], [foreign])
    t.match(
      (await lab.record(result)).effects[0],
      { estimate: -1.5, pairs: 2 },
      "a baseline may come from another experiment",
    )
  },
)

t.test("effects without an execution are refused, and the message says why", async (t) => {
  const refusal = await refusalOf(room.ada.write("publish_finding", { ...finding(room), effects: [shift] }))
  t.match([refusal.status, refusal.refusal], [422, "unknown_reference"])
  t.same(refusal.issues, [
    {
      path: "/provenance/execution",
      message: "is needed, because effects are worked out from the attempts that it names",
    },
  ])
})

t.test("a single value on one side gives a difference without a spread", async (t) => {
  const { result } = await publish([
    { ...shift, of: { arm: "shift", labels: 50 }, against: { arm: "baseline", labels: 400 }, where: {} },
  ])
  const [effect] = (await lab.record(result)).effects
  t.match(effect, { method: "welch", se: null, low: null, pairs: null })
  t.match(effect?.sentence, /no spread known, fewer than two pairs over seed: unpaired, 1 and 4 values$/)
})

t.test("a late metric makes the effect stale, with the new value beside it", async (t) => {
  await work.tell(attemptId, "progress", {
    late: true,
    metrics: error("baseline", 400, [5.1, 5.4, 4.9, 5.2, 5.0]).slice(4),
  })
  t.notOk((await lab.record(result)).effects[0]?.isStale, "a value without a partner changes no pair")
  await work.tell(attemptId, "progress", {
    late: true,
    metrics: error("shift", 400, [4.1, 4.2, 4.0, 4.4, 4.9]).slice(4),
  })
  const [effect] = (await lab.record(result)).effects
  t.match(effect, { isStale: true, pairs: 4, now: { pairs: 5 } })
  const { events } = await lab.reader.read("attempt", { attemptId })
  t.match(events.at(-1), { event: "progress", late: true })
  t.match(await refusalOf(work.tell(attemptId, "progress", { metrics: [] })), { refusal: "state_conflict" })
})

t.test("the finding's page and its Markdown show the effect, and that it is stale", async (t) => {
  const { versionId } = result
  const page = await (
    await fetch(`${lab.house.baseUrl}/records/${versionId}`, { headers: { accept: "text/html" } })
  ).text()
  t.match(page, /<h2 id="effects">Effects<\/h2>|id="effects"/)
  t.match(page.replaceAll(/<[^>]+>/g, " "), /error: shift − baseline[^]{0,200}labels 400\b[^]{0,200}−0\.9/)
  const text = await (
    await fetch(`${lab.house.baseUrl}/records/${versionId}`, { headers: { accept: "text/markdown" } })
  ).text()
  t.match(
    text,
    pattern(
      /^## Effects\n+- error of shift − baseline at labels 400: −0\.9\d+, .*Stale: /m,
      /Its values have changed since\. Now: error of shift/m,
    ),
  )
})

t.test("an effect says that values were withheld after publication, and remains even if none are left", async (t) => {
  const { roomId } = room
  const attemptId = await work.attempt("started")
  await work.tell(attemptId, "progress", {
    metrics: [...error("baseline", 400, [5.1, 5.4, 4.9]), ...error("shift", 400, [4.1, 4.2, 4])],
  })
  const sequence = (await lab.reader.read("room", { roomId })).activityWatermark
  await work.tell(attemptId, "succeeded")
  const { result } = await publish([shift], [attemptId])
  const withhold = async (fields: string[]) => {
    await lab.ada.write("withhold_content", {
      roomId,
      of: { sequence },
      fields,
      reason: "other",
      explanation: "It names somebody.",
    })
    t.match(await effect(), { isStale: true, staleReason: "values_withheld" }, "it is marked at once")
    // The values that remain are worked out again afterwards.
    await untilClean(lab.file)
  }
  const effect = async () => (await lab.record(result)).effects[0]
  const markdown = async () => (await fetch(`${lab.house.baseUrl}/records/${result.versionId}.md`)).text()
  const page = async () => (await fetch(`${lab.house.baseUrl}/records/${result.versionId}`)).text()
  t.match(await effect(), { pairs: 3, isStale: false, staleReason: null })

  await withhold(["/metrics/0/name"])
  t.match(await effect(), { pairs: 2, isStale: true, staleReason: "values_withheld", now: null })
  const { findings } = await lab.reader.read("room_brief", { roomId })
  t.match(findings.find(({ versionId }) => versionId === result.versionId)?.effects, [
    /2 pairs.* \(values withheld since\)/,
  ])
  for (const said of [await markdown(), await page()])
    t.match(
      said,
      /Names of values that its attempts reported have been withheld since; the figures are of the remaining values\./,
    )
  const { result: later } = await publish([shift], [attemptId])
  t.match(
    (await lab.record(later)).effects,
    [{ pairs: 2, isStale: false }],
    "a later finding is not marked for values withheld before it",
  )

  await withhold(["/metrics"])
  t.match(await effect(), {
    metric: "error",
    estimate: null,
    pairs: null,
    isStale: true,
    staleReason: "values_withheld",
    now: null,
  })
  t.match(await markdown(), /error of shift − baseline at labels 400: the values it was worked out from were withheld/)
})

t.test("an effect that claims bounds says whether it keeps to them, wherever it is told", async (t) => {
  const apart = await lab.room()
  const own = await Work.begin(lab, apart)
  const attemptId = await own.attempt("started")
  const metrics = [...error("baseline", 400, [5.1, 5.4, 4.9, 5.2]), ...error("shift", 400, [4.1, 4.2, 4.0, 4.4])]
  await own.tell(attemptId, "succeeded", { metrics })
  const published = () =>
    apart.ada.write("publish_finding", {
      ...finding(apart),
      provenance: { execution: own.execution([attemptId]), papers: [] },
      effects: [2, 0.25].map((within) => ({ ...shift, experimentId: own.experimentId, within })),
    })
  const { result } = await published()
  const { effects } = await lab.record(result)
  t.match(effects[0]?.sentence, /, 4 pairs, within ±2$/)
  t.match(effects[1]?.sentence, /, 4 pairs, not within ±0\.25$/)
  const brief = (budget: number) => lab.reader.text("room_brief", { roomId: apart.roomId, format: "markdown", budget })
  t.match(await brief(20_000), /, 4 pairs, within ±2; over the Room/)
  // Among several findings a brief tells effects in short.
  for (let count = 0; count < 5; count += 1) await published()
  t.match(await brief(2_000), /at labels 400 \(within ±2\), −0\.\S+ ±\S+ at labels 400 \(not within ±0\.25\)/)
})

t.test("equal differences are told in few digits, and stored comparisons keep those that they had", async (t) => {
  const even = await lab.room()
  const own = await Work.begin(lab, even)
  const attemptId = await own.attempt("started")
  const metrics = [...error("baseline", 400, [9, 9.1, 9.2, 9.15]), ...error("shift", 400, [1, 1.1, 1.2, 1.15])]
  await own.tell(attemptId, "succeeded", { metrics })
  const first: Effect = { ...shift, experimentId: own.experimentId }
  const { result } = await even.ada.write("publish_finding", {
    ...finding(even),
    provenance: { execution: own.execution([attemptId]), papers: [] },
    effects: [first],
  })
  const { roomId } = even
  const { effects } = await lab.record(result)
  const se = effects[0]?.se ?? 0
  t.ok(se > 0 && se < 1e-14, `${se} is what the computer rounds by`)
  t.equal(effects[0]?.sentence, "error of shift − baseline at labels 400: −8.000, 95 % −8.000 to −8.000, 4 pairs")
  const places = [
    `/api/research/rooms/${roomId}/brief?format=markdown`,
    `/api/research/rooms/${roomId}/measurements?metric=error&against=arm:baseline&format=markdown`,
    `/rooms/${roomId}`,
    `/records/${result.versionId}`,
  ]
  for (const place of places) {
    const text = await (await fetch(lab.house.baseUrl + place)).text()
    t.match(text, /−8\.000/, place)
    t.notMatch(text.replaceAll(/<[^>]*>/g, ""), /\d\.\d{9}/, `${place} has no digit that means nothing`)
  }
  t.equal(storedFigure(-8, 2.2e-16), "−8.000000000000000", "a replay of older comparisons gives what is stored")
})
