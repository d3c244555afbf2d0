/**
 * A hypothesis gathers the effects of the findings about it, in either direction, and pools them if at least three
 * share no attempt.
 */
import t from "tap"
import { openLab, refusalOf } from "../../support/lab.ts"
import { hypothesis } from "../../support/bodies.ts"
import { pooled } from "../../../src/research/measurements/statistics.ts"
import { measuring, pairs } from "./measured.ts"

const lab = await openLab(t)
const room = await lab.room()
const lines = await measuring(lab, room)
const { versionId } = (await room.ada.write("publish_hypothesis", hypothesis(room))).result
const { experimentId, shift } = lines

const supports = async (findingVersionId: string) =>
  room.ada.write("link_experiment_finding", {
    ...{ experimentId, findingVersionId, towardHypothesis: [{ versionId, verdict: "supports", explanation: "So." }] },
    towardQuestion: { verdict: "answers", explanation: "So." },
  })
const effects = () => lab.reader.read("record_effects", { versionId })

const before = await effects()
const first = await lines.attempt(pairs(-1))
const one = (await lines.publish(room.ada, [first])).result
await supports(one.versionId)
const second = await lines.attempt(pairs(-1.2))
const { of, against } = shift
const turned = { ...shift, of: against, against: of }
const two = (await lines.publish(room.grace, [second], [turned])).result
await supports(two.versionId)

t.test("without an effect there is nothing to gather", async (t) => {
  t.same(before.contrasts, [])
  t.equal(
    (await refusalOf(lab.reader.read("record_effects", { versionId: crypto.randomUUID() }))).refusal,
    "unknown_record",
  )
})

t.test("the same contrast in the other direction is one contrast", async (t) => {
  const { contrasts } = await effects()
  t.equal(contrasts.length, 1)
  const [{ what, estimates, pooled: together } = { what: "", estimates: [], pooled: null }] = contrasts
  t.equal(what, "error of shift − baseline")
  t.same(
    estimates.map(({ label, n, author, isPooled }) => [label, n, author.username, isPooled]),
    [
      ["F1", 5, "ada", false],
      ["F2", 5, "grace", false],
    ],
  )
  t.ok(
    estimates.every(({ estimate }) => estimate < 0),
    "both in the direction of the first",
  )
  t.equal(together, null, "two are not pooled")
})

t.test("three are pooled, without those that share an attempt with another", async (t) => {
  const third = await lines.attempt(pairs(-0.9))
  await supports((await lines.publish(room.mary, [third])).result.versionId)
  // It names a fourth attempt and the first one, whose values are already pooled.
  const fourth = await lines.attempt(pairs(-5))
  await supports((await lines.publish(room.mary, [first, fourth])).result.versionId)
  const [contrast] = (await effects()).contrasts
  const taken = contrast?.estimates.filter(({ isPooled }) => isPooled) ?? []
  t.same(
    taken.map(({ label }) => label),
    ["F1", "F2", "F3"],
  )
  t.equal(contrast?.estimates.length, 4)
  const expected = pooled(taken.map(({ estimate, se }) => ({ estimate, se: se ?? 0 })))
  t.match(contrast?.pooled, { k: 3, estimate: expected?.estimate, low: expected?.low, high: expected?.high })
  t.type(contrast?.pooled?.heterogeneity, "string")
  const page = await (await fetch(`${lab.house.baseUrl}/records/${versionId}`)).text()
  t.match(page.replaceAll(/<[^>]+>/g, " "), /Together\s+−1\.\d+\s[^]{0,60}3 estimates/)
})
