/** A reproduction names the effect that it repeats, and its own numbers decide whether it reproduces it. */
import { pattern } from "../../support/pattern.ts"
import fc from "fast-check"
import t from "tap"
import { runs, seedWhenJudged } from "../../support/chance.ts"
import { because, hypothesis } from "../../support/bodies.ts"
import { openLab, refusalOf } from "../../support/lab.ts"
import { arm, measuring, pairs } from "./measured.ts"

const lab = await openLab(t)
const { reader } = lab
const room = await lab.room("Does the shift lower the error?")
const { ada, grace, mary, roomId } = room
const lines = await measuring(lab, room)
const { shift } = lines

const first = await lines.attempt(pairs(-1))
const { result: found } = await lines.publish(ada, [first])
const { versionId } = found
const repeats = { versionId, effect: 0 }
/** The warnings of a receipt, except the one that these tests' clock causes. */
const codes = ({ warnings }: { readonly warnings: readonly { readonly code: string }[] }) =>
  warnings.map(({ code }) => code).filter((code) => code !== "reported_before_registration")
const tally = async (of = found) => (await lab.record(of)).evidenceTally
const newest = async (id = versionId) => (await reader.read("record_evidence", { versionId: id })).items[0]

t.test("if its interval holds the first estimate it counts as reproducing, whatever the registrant says", async (t) => {
  const { attemptId, receipt } = await lines.reproduce(grace, { attemptId: first }, pairs(-1.01), {
    ...{ verdict: "does_not_reproduce", explanation: because, repeats },
  })
  t.match(receipt.warnings, [
    {
      code: "verdict_differs",
      message: pattern(
        /^You say does not reproduce; by its numbers it counts as reproduces\. The interval of −1\.0\d+, /,
        /95 % −1\.\d+ to −0\.\d+, holds the first estimate, −1\.0\d* \(F1\)\.$/,
      ),
    },
  ])
  t.match(await tally(), { reproductions: 1, failedReproductions: 0, independent: 1 })
  t.match(await newest(), {
    source: "reproduction",
    verdict: "reproduces",
    by: { kind: "attempt", id: attemptId },
    comparison: /holds the first estimate/,
  })
  const { reproduction } = await reader.read("attempt", { attemptId })
  t.match(reproduction, {
    verdict: "does_not_reproduce",
    repeats: [{ versionId, effect: 0, verdict: "reproduces", comparison: { agreement: "holds_estimate" } }],
  })
  t.match((await reader.read("attempt", { attemptId: first })).reproductions, [
    { attemptId, reproduction: { repeats: [{ verdict: "reproduces" }] } },
  ])
})

t.test("if only the sign agrees it reproduces partly, and if neither agrees it does not", async (t) => {
  const partly = await lines.reproduce(grace, { findingVersionId: versionId }, pairs(-0.4), {
    verdict: "partly_reproduces",
    explanation: because,
    repeats,
  })
  t.same(codes(partly.receipt), [])
  t.match(await newest(), {
    verdict: "partly_reproduces",
    comparison: /^The sign of −0\.4\d*, .* agrees with the first estimate, .*; its interval does not hold it\.$/,
  })
  await lines.reproduce(mary, { findingVersionId: versionId }, pairs(0.3), {
    verdict: "does_not_reproduce",
    explanation: because,
    repeats,
  })
  t.match(await newest(), {
    verdict: "does_not_reproduce",
    comparison: /^Neither the interval nor the sign of 0\.3\d*/,
  })
  t.match(await tally(), { reproductions: 2, failedReproductions: 1 })
  const { items } = await reader.read("room_next", { roomId })
  t.ok(
    items.some(({ what, object }) => what === "settle_reproduction" && object.id === versionId),
    "a failed one is to be settled",
  )
})

t.test(
  "an interval that also holds zero is inconclusive, and what was worked out counts whatever the registrant says",
  async (t) => {
    await lines.reproduce(mary, { findingVersionId: versionId }, pairs(-1, 4, 1.4), {
      verdict: "reproduces",
      explanation: because,
      repeats,
    })
    t.match(await newest(), {
      verdict: "inconclusive",
      comparison: /holds the first estimate, .*, and zero too: it tells little\.$/,
    })
    await lines.reproduce(mary, { findingVersionId: versionId }, pairs(2), {
      verdict: "inconclusive",
      explanation: because,
      repeats,
    })
    t.match(await newest(), { verdict: "does_not_reproduce", comparison: /^Neither/ }, "what was worked out counts")
    t.match(await tally(), { reproductions: 2, failedReproductions: 2 })
  },
)

t.test("a reproduction of an attempt counts for every finding that rests on it, earlier and later", async (t) => {
  const one = await lines.attempt([
    ...pairs(-2),
    ...arm("shift", [9, 8], { name: "seconds" }),
    ...arm("baseline", [5, 4.5], { name: "seconds" }),
  ])
  const seconds = { ...shift, metric: "seconds" }
  const { result: early } = await lines.publish(ada, [one])
  const { receipt } = await lines.reproduce(grace, { attemptId: one }, pairs(-2.01), {
    verdict: "reproduces",
    explanation: because,
    repeats: { versionId: early.versionId, effect: 0 },
  })
  t.same(codes(receipt), [])
  const { result: later } = await lines.publish(ada, [one], [seconds])
  for (const each of [early, later]) {
    t.match(await tally(each), { reproductions: 1 })
    t.match(await newest(each.versionId), { verdict: "reproduces", comparison: /holds the first estimate/ })
  }
  const { items } = await reader.read("room_next", { roomId })
  t.notOk(items.some(({ what, object }) => what === "reproduce_finding" && object.id === early.versionId))
})

t.test("a finding repeats another's effect, with several attempts or without a registered reproduction", async (t) => {
  const other = await lines.attempt(pairs(-0.99))
  const { result } = await lines.publish(grace, [other], [{ ...shift, repeats }])
  const { effects } = await lab.record(result)
  t.match(effects, [{ repeats: { versionId, label: "F1", effect: 0, comparison: { agreement: "holds_estimate" } } }])
  t.match(await newest(), {
    source: "reproduction",
    verdict: "reproduces",
    by: { id: result.versionId },
    comparison: /holds/,
  })
  t.match(await tally(), { reproductions: 3 })

  const reversed = await lines.attempt(pairs(-1.02))
  const turned = { ...shift, of: shift.against, against: shift.of, repeats }
  const { result: other2 } = await lines.publish(mary, [reversed], [turned])
  t.match(
    (await lab.record(other2)).effects,
    [{ estimate: 1.02, repeats: { comparison: { agreement: "holds_estimate" } } }],
    "the reverse direction is the same contrast",
  )

  const registered = await lines.begin(mary, { findingVersionId: versionId })
  await lines.tell(mary, registered, "succeeded", { metrics: pairs(-1) })
  const before = await tally()
  await lines.publish(mary, [registered], [{ ...shift, repeats }])
  t.equal(
    (await tally()).reproductions,
    before.reproductions + 1,
    "counted once, together with its registered reproduction",
  )
})

t.test("two findings of the same attempts and contrast count once, and the second author gets a warning", async (t) => {
  const attemptId = await lines.attempt([
    ...pairs(-3),
    ...arm("shift", [9, 8], { name: "seconds" }),
    ...arm("baseline", [5, 4.5], { name: "seconds" }),
  ])
  const { result: one } = await lines.publish(ada, [attemptId])
  const { warnings } = await lines.publish(
    grace,
    [attemptId],
    [{ ...shift, over: "seed", of: shift.against, against: shift.of }],
    {
      outcome: "negative",
    },
  )
  t.match(warnings, [{ code: "same_effect", versionId: one.versionId, label: one.label }])
  const other = await lines.publish(grace, [attemptId], [{ ...shift, metric: "seconds" }])
  t.same(
    other.warnings.filter(({ code }) => code === "same_effect"),
    [],
    "another metric is another result",
  )

  await lines.reproduce(mary, { findingVersionId: one.versionId }, pairs(-3), {
    verdict: "reproduces",
    explanation: because,
    repeats: { versionId: one.versionId, effect: 0 },
  })
  const { items } = await reader.read("publications", { roomId, kinds: ["finding"] })
  const second = items.find(({ outcome }) => outcome === "negative")
  t.match(second?.evidenceTally, { reproductions: 1 }, "a reproduction of one counts for the other")
})

t.test("late values change the verdict", async (t) => {
  const attemptId = await lines.attempt(pairs(-5))
  const { result } = await lines.publish(ada, [attemptId])
  const { attemptId: again } = await lines.reproduce(grace, { findingVersionId: result.versionId }, pairs(-5), {
    ...{ verdict: "reproduces", explanation: because, repeats: { versionId: result.versionId, effect: 0 } },
  })
  t.match(await tally(result), { reproductions: 1, failedReproductions: 0 })
  const corrected = pairs(1)
  await lines.tell(grace, again, "progress", {
    metrics: corrected.filter(({ dimensions }) => dimensions?.arm === "shift"),
    corrects: [0, 1, 2, 3, 4].map((seed) => ({ metric: "error", dimensions: { arm: "shift", seed } })),
  })
  t.match(await tally(result), { reproductions: 0, failedReproductions: 1 })
  t.match(await newest(result.versionId), { verdict: "does_not_reproduce", comparison: /^Neither/ })
  await lines.work.tell(attemptId, "progress", {
    metrics: corrected.filter(({ dimensions }) => dimensions?.arm === "shift"),
    corrects: [0, 1, 2, 3, 4].map((seed) => ({ metric: "error", dimensions: { arm: "shift", seed } })),
  })
  t.match((await lab.record(result)).effects, [
    { isStale: true, staleReason: "values_changed", now: { method: "paired", pairs: 5 } },
  ])
  t.match(await tally(result), { reproductions: 1, failedReproductions: 0 }, "the first effect has changed too")
})

t.test("an invalid repeat is refused, and a registrant who could have named an effect gets a warning", async (t) => {
  const other = await lines.attempt(arm("shift", [1, 2]))
  const attemptId = await lines.begin(grace, { findingVersionId: versionId })
  const issues = async (named: object, metrics = pairs(-1), event: "succeeded" | "cancelled" = "succeeded") => {
    const reproduction = { verdict: "reproduces" as const, explanation: because, repeats: { ...repeats, ...named } }
    const { refusal, issues: told } = await refusalOf(lines.tell(grace, attemptId, event, { metrics, reproduction }))
    return [refusal, ...told.map(({ path, message }) => `${path} ${message}`)]
  }
  t.same(await issues({ effect: 1 }), [
    "unknown_reference",
    "/reproduction/repeats/effect is not an effect of that finding",
  ])
  t.same(await issues({}, arm("shift", [1, 2])), [
    "unknown_reference",
    "/reproduction/repeats/effect cannot be worked out: against names a group without a finite value",
  ])
  t.match(await issues({ attemptIds: [first] }), [
    "unknown_reference",
    /versionId rests on A1 too: an effect is repeated with other attempts/,
  ])
  t.same(await issues({}, pairs(-1), "cancelled"), [
    "unknown_reference",
    "/reproduction/repeats can only come with success: an attempt that failed has no effect",
  ])
  const { result: elsewhere } = await lines.publish(ada, [await lines.attempt(pairs(-7))])
  t.match(await issues({ versionId: elsewhere.versionId }), [
    "unknown_reference",
    /^\/reproduction\/repeats\/versionId is neither the finding that this attempt reproduces/,
  ])
  const unit = pairs(-1).map((metric) => ({ ...metric, unit: "%" }))
  const { warnings } = await lines.tell(grace, attemptId, "succeeded", {
    metrics: unit,
    reproduction: { verdict: "reproduces", explanation: because },
  })
  t.match(warnings, [{ code: "effect_not_named", versionId, label: "F1" }])
  const same = await refusalOf(lines.publish(grace, [first], [{ ...shift, repeats }]))
  t.match(same.issues, [{ path: "/effects/0/repeats/versionId", message: /^rests on A1 too/ }])
  t.match((await refusalOf(lines.publish(grace, [other], [{ ...shift, of: shift.against }]))).issues, [
    { path: "/effects/0/against", message: "names the same group as of" },
  ])
})

t.test("a finding repeats no effect of another metric or unit, and none that does not exist", async (t) => {
  const seconds = { ...shift, metric: "seconds" }
  const both = [...pairs(-1), ...pairs(-1).map((each) => ({ ...each, name: "seconds" }))]
  const other = await lines.attempt(both)
  const inPoints = await lines.attempt(pairs(-1).map((each) => ({ ...each, unit: "%" })))
  const faults = async (effect: object) =>
    (await refusalOf(lines.publish(grace, [other], [{ ...shift, ...effect } as typeof shift]))).issues.map(
      ({ path, message }) => `${path} ${message}`,
    )
  t.match(await faults({ ...seconds, repeats }), [/^\/effects\/0\/repeats/], "another metric")
  const { result: points } = await lines.publish(ada, [inPoints])
  const withUnit = await lines.attempt(pairs(-1).map((each) => ({ ...each, unit: "nat" })))
  const inNats = { ...shift, repeats: { versionId: points.versionId, effect: 0 } }
  t.match((await refusalOf(lines.publish(grace, [withUnit], [inNats]))).issues, [{ message: /^is in % in F/ }])
  t.match(await faults({ repeats: { versionId, effect: 7 } }), [/^\/effects\/0\/repeats/], "an effect it does not have")
  const nothing = crypto.randomUUID()
  t.match(await faults({ repeats: { versionId: nothing, effect: 0 } }), [/^\/effects\/0\/repeats/])
  const { result: predicted } = await ada.write("publish_hypothesis", hypothesis(room))
  t.match(await faults({ repeats: { versionId: predicted.versionId, effect: 0 } }), [/^\/effects\/0\/repeats/])
})

t.test(
  "a reproduction repeats several effects, each with a verdict, and stands beside them with what they come to together",
  async (t) => {
    const at = (labels: number, difference: number) =>
      pairs(difference).map((each) => ({ ...each, dimensions: { ...each.dimensions, labels } }))
    const one = await lines.attempt([...at(50, -1), ...at(400, -0.4)])
    const effects = [50, 400].map((labels) => ({ ...shift, where: { labels } }))
    const { result } = await lines.publish(ada, [one], effects)
    const both = [0, 1].map((effect) => ({ versionId: result.versionId, effect }))
    const { attemptId } = await lines.reproduce(
      grace,
      { findingVersionId: result.versionId },
      [...at(50, -1.01), ...at(400, 0.3)],
      { verdict: "reproduces", explanation: because, repeats: both },
    )
    const { reproduction } = await reader.read("attempt", { attemptId })
    t.match(reproduction?.repeats, [
      { effect: 0, verdict: "reproduces", comparison: { difference: {} } },
      { effect: 1, verdict: "does_not_reproduce" },
    ])
    t.match(await newest(result.versionId), { verdict: "partly_reproduces" }, "some hold and some do not")
    const page = await (await fetch(`${lab.house.baseUrl}/attempts/${attemptId}`)).text()
    const [, said = ""] = page.split("As a reproduction: ")
    t.match(said.replaceAll(/<[^>]*>/g, ""), /^\s*partly reproduces/, "so says its page, whatever its author says")
    const [small, large] = (await lab.record(result)).effects ?? []
    const by = { kind: "attempt", id: attemptId }
    t.match(small?.reproductions, [
      { by, independence: { person: true, agent: true }, verdict: "reproduces", n: 5, isPooled: true },
    ])
    t.match(large?.reproductions, [{ by, verdict: "does_not_reproduce" }])
    const [first, second] = [small, small?.reproductions[0]]
    const weights = [first?.se ?? 0, second?.se ?? 0].map((se) => 1 / se ** 2)
    const sum = (weights[0] ?? 0) + (weights[1] ?? 0)
    const expected = ((first?.estimate ?? 0) * (weights[0] ?? 0) + (second?.estimate ?? 0) * (weights[1] ?? 0)) / sum
    t.match(small?.pooled, { k: 2, method: "common_effect" })
    t.ok(Math.abs((small?.pooled?.estimate ?? 0) - expected) < 1e-12, "two are weighted by their precision")
    t.ok(Math.abs((small?.pooled?.se ?? 0) - Math.sqrt(1 / sum)) < 1e-12)

    const again = await lines.begin(mary, { findingVersionId: result.versionId })
    const tell = (repeats: object[]) =>
      lines.tell(mary, again, "succeeded", {
        metrics: [...at(50, -1), ...at(400, -0.4)],
        reproduction: { verdict: "reproduces", explanation: because, repeats: repeats as never },
      })
    const faults = async (repeats: object[]) => (await refusalOf(tell(repeats))).issues.map(({ path }) => path)
    t.same(await faults([...both, ...both.slice(1)]), ["/reproduction/repeats/2/effect"], "none is named twice")
    t.same(
      await faults([both[0] ?? {}, { ...repeats }]),
      ["/reproduction/repeats/1/versionId"],
      "none of another finding",
    )
    t.same(await faults([]), ["/reproduction/repeats"])
    t.same(await faults(Array.from({ length: 13 }, () => both[0] ?? {})), ["/reproduction/repeats"])
    await tell(both)
    const [pooled] = (await lab.record(result)).effects ?? []
    t.match(pooled?.pooled, { k: 3, method: "random_effects" }, "three and more are pooled by random effects")
  },
)

t.test("a hypothesis counts the reproductions of its findings as their own reads do", async () => {
  const steps = fc.array(
    fc.record({
      of: fc.nat({ max: 2 }),
      by: fc.constantFrom("grace" as const, "mary" as const, "ada" as const),
      difference: fc.constantFrom(-1, -0.5, 0, 1),
    }),
    { minLength: 1, maxLength: 6 },
  )
  const property = fc.asyncProperty(steps, async (told) => {
    const place = await lab.room()
    const own = await measuring(lab, place)
    const { result: predicted } = await place.ada.write("publish_hypothesis", hypothesis(place))
    const findings: string[] = []
    for (const verdict of ["supports", "contradicts", "supports"] as const) {
      const { result } = await own.publish(place.ada, [await own.attempt(pairs(-1))])
      findings.push(result.versionId)
      await place.ada.write("link_experiment_finding", {
        ...{ experimentId: own.experimentId, findingVersionId: result.versionId },
        towardHypothesis: [{ versionId: predicted.versionId, verdict, explanation: because }],
        towardQuestion: { verdict: "answers", explanation: because },
      })
    }
    for (const { of, by, difference } of told) {
      const findingVersionId = findings[of] ?? ""
      await own.reproduce(place[by], { findingVersionId }, pairs(difference), {
        ...{ verdict: "inconclusive", explanation: because, repeats: { versionId: findingVersionId, effect: 0 } },
      })
    }
    const { verdictFrom } = await lab.record(predicted)
    for (const versionId of findings) {
      const { reproductions, failedReproductions } = (await lab.record({ versionId })).evidenceTally
      const counted = verdictFrom?.reproduced.find((each) => each.versionId === versionId)
      const [here, there] = [
        [counted?.reproductions ?? 0, counted?.failedReproductions ?? 0].join(),
        [reproductions, failedReproductions].join(),
      ]
      if (here !== there) throw new Error(`the hypothesis counts ${here}, the finding's read ${there}`)
    }
  })
  await fc.assert(property, { numRuns: runs(25, 4), ...(seedWhenJudged !== undefined && { seed: seedWhenJudged }) })
})
