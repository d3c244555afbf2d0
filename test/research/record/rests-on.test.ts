/**
 * A record that rests on a retracted, superseded, corrected or disputed one says so itself, and so on down the chain; a
 * record that it contradicts is not one it rests on.
 */
import type { ResearchRoomClient } from "research-room/client"
import t from "tap"
import { because, claim, finding, hypothesis, premise, reference } from "../../support/bodies.ts"
import { holds } from "./holds.ts"
import { type LabRoom, openLab, refusalOf } from "../../support/lab.ts"
import { losses, Work } from "./work.ts"

const lab = await openLab(t)
const { reader } = lab
const room = await lab.room()

type Publish = (room: LabRoom, on: string) => Promise<{ result: { versionId: string }; warnings: unknown[] }>

/** Every way in which a record may rest on another. */
const rests: Readonly<Record<string, Publish>> = {
  "a hypothesis, by a premise": (at, on) =>
    at.grace.write("publish_hypothesis", hypothesis(at, { premises: [premise(on)] })),
  "a hypothesis, by a reference": (at, on) =>
    at.grace.write("publish_hypothesis", hypothesis(at, { references: [reference(on, "refines")] })),
  "a finding, by a reference": (at, on) =>
    at.grace.write("publish_finding", finding(at, { retrospective: true, references: [reference(on, "extends")] })),
  "a finding, by evidence": (at, on) =>
    at.grace.write(
      "publish_finding",
      finding(at, { retrospective: true, evidence: [{ kind: "record", versionId: on, explanation: because }] }),
    ),
  "a cited claim, by a reference": (at, on) =>
    at.grace.write("publish_cited_claim", claim(at, { references: [reference(on, "derived_from")] })),
  "a hypothesis, by a record that is one of its roles": (at, on) =>
    at.grace.write("publish_hypothesis", naming(at, { type: "record", versionId: on })),
  "a hypothesis, by a definition it borrows": (at, on) =>
    at.grace.write("publish_hypothesis", naming(at, { type: "concept_ref", versionId: on, key: "lowers" })),
  "a finding, by its plan's premise": (at, on) => underPlan(at, { premises: [premise(on)] }),
  "a finding, by the plan of an attempt it names": (at, on) =>
    ofPlanned(at, on, (work, planned) => work.execution([planned])),
  "a finding, by the plan of a baseline attempt": (at, on) =>
    ofPlanned(at, on, async (work, planned) => work.execution([await work.attempt()], [planned])),
}

/** Ways of naming another record without resting on it. */
const rests_not: Readonly<Record<string, Publish>> = {
  "a reference that supports it": (at, on) =>
    at.grace.write("publish_finding", finding(at, { retrospective: true, references: [reference(on, "supports")] })),
  "a reference that contradicts it": (at, on) =>
    at.grace.write("publish_finding", finding(at, { retrospective: true, references: [reference(on, "contradicts")] })),
  "a related one": (at, on) =>
    at.grace.write("publish_cited_claim", claim(at, { references: [reference(on, "related")] })),
  "a plan that tests it": (at, on) => underPlan(at, { hypotheses: [on] }),
}

/** Publishes a hypothesis with a role whose value names a record. */
function naming(at: LabRoom, value: object) {
  const body = hypothesis(at)
  const [first, ...others] = body.assertion.roles
  return { ...body, assertion: { ...body.assertion, roles: [{ ...first, value }, ...others] } } as typeof body
}

async function underPlan(at: LabRoom, more: Parameters<Work["plan"]>[0]) {
  const work = await Work.begin(lab, at)
  const planId = await work.plan(more)
  const execution = work.execution([await work.attempt("succeeded", [losses], planId)], [], planId)
  return at.grace.write("publish_finding", finding(at, { provenance: { execution, papers: [] } }))
}

/** Publishes a finding that names an attempt of a plan with that premise, but not the plan. */
async function ofPlanned(
  at: LabRoom,
  on: string,
  naming: (work: Work, planned: string) => Execution | Promise<Execution>,
) {
  const work = await Work.begin(lab, at)
  const planned = await work.attempt("succeeded", [losses], await work.plan({ premises: [premise(on)] }))
  return at.grace.write(
    "publish_finding",
    finding(at, { provenance: { execution: await naming(work, planned), papers: [] } }),
  )
}
type Execution = ReturnType<Work["execution"]>

const publish = async (client: ResearchRoomClient = room.ada) =>
  (await client.write("publish_hypothesis", hypothesis(room))).result
const retract = (targetVersionId: string) =>
  room.ada.write("assert_retraction", { targetVersionId, explanation: because })
const dispute = (targetVersionId: string) =>
  room.mary.write("assert_dispute", { targetVersionId, explanation: because })
const supersede = (targetVersionId: string, replacementVersionId: string) =>
  room.grace.write("assert_supersession", { targetVersionId, replacementVersionId, explanation: because })
const correct = (targetVersionId: string, more = {}) =>
  room.grace.write("assert_correction", { targetVersionId, explanation: because, correction: "Read 7.", ...more })
const warningsOf = async (versionId: string) => (await lab.record({ versionId })).warnings

for (const [what, write] of Object.entries(rests)) {
  t.test(what, async (t) => {
    const base = await publish()
    const { result, warnings } = await write(room, base.versionId)
    t.strictSame(warnings, [])
    // Warnings that come through a plan say so.
    const [direct, code, who] = what.includes("plan")
      ? [false, "plan_rests_on_", "P\\d+ rests"]
      : [true, "rests_on_", "It rests"]
    const above = (
      await room.mary.write(
        "publish_finding",
        finding(room, { retrospective: true, references: [reference(result.versionId, "extends")] }),
      )
    ).result
    const named = { versionId: base.versionId, label: base.label, kind: "hypothesis" }

    await dispute(base.versionId)
    holds(
      t,
      await warningsOf(result.versionId),
      [{ ...named, code: `${code}disputed`, direct }],
      "a dispute puts it in doubt",
    )
    await correct(base.versionId)
    holds(
      t,
      await warningsOf(result.versionId),
      [{ ...named, code: `${code}corrected`, direct }],
      "and so does a correction",
    )
    await retract(base.versionId)
    holds(t, await warningsOf(result.versionId), [
      {
        ...named,
        code: `${code}retracted`,
        status: "retracted",
        direct,
        message: new RegExp(`^${who} on ${base.label}, which is retracted\\.$`),
      },
    ])
    holds(
      t,
      await warningsOf(above.versionId),
      [
        {
          ...named,
          code: "rests_on_retracted",
          direct: false,
          through: { versionId: result.versionId },
          message: new RegExp(`^It rests on ${base.label}, which is retracted, through [HFC]\\d+\\.$`),
        },
      ],
      "and one further down",
    )

    const late = await write(room, base.versionId)
    holds(t, late.warnings, [{ ...named, code: `${code}retracted` }], "whoever rests on it now is told at once")
    t.strictSame(await warningsOf(late.result.versionId), late.warnings)
  })
}

for (const [what, write] of Object.entries(rests_not)) {
  t.test(`not through ${what}`, async (t) => {
    const base = await publish()
    const { result } = await write(room, base.versionId)
    await dispute(base.versionId)
    await retract(base.versionId)
    const own = (await warningsOf(result.versionId)).filter(({ code }) => !code.startsWith("plan_"))
    t.strictSame(own, [])
    t.strictSame(
      (await write(room, base.versionId)).warnings.filter((warning) =>
        /^rests_on/.test((warning as { code: string }).code),
      ),
      [],
    )
  })
}

t.test("not through its own replacement or correction, nor through what it replaced", async (t) => {
  const [first, second] = [await publish(), await publish()]
  await supersede(first.versionId, second.versionId)
  await retract(second.versionId)
  t.strictSame(await warningsOf(first.versionId), [], "a record is not in doubt because of its replacement")
  t.strictSame(await warningsOf(second.versionId), [], "nor because of the record it replaces")
  const [user, third] = [await publish(), await publish()]
  await correct(user.versionId, { replacementVersionId: third.versionId })
  await dispute(third.versionId)
  t.strictSame(await warningsOf(user.versionId), [])
})

t.test("each way of falling has its own code, the nearest come first, and none comes twice", async (t) => {
  const bases = await Promise.all([publish(), publish(), publish()])
  const [disputed = "", superseded = "", retracted = ""] = bases.map(({ versionId }) => versionId)
  const middle = (
    await room.ada.write("publish_hypothesis", hypothesis(room, { premises: [premise(retracted), premise(disputed)] }))
  ).result
  const top = (
    await room.ada.write(
      "publish_finding",
      finding(room, {
        references: [
          reference(middle.versionId, "extends"),
          reference(superseded, "derived_from"),
          reference(superseded, "related"),
          reference(disputed, "refines"),
        ],
      }),
    )
  ).result
  await dispute(disputed)
  await supersede(superseded, (await publish()).versionId)
  await retract(retracted)
  holds(t, await warningsOf(top.versionId), [
    ...[
      { versionId: disputed, code: "rests_on_disputed", direct: true },
      { versionId: superseded, code: "rests_on_superseded", direct: true },
    ].sort((one, other) => (one.versionId < other.versionId ? -1 : 1)),
    { versionId: retracted, code: "rests_on_retracted", direct: false },
  ])
  await retract(middle.versionId)
  t.equal((await warningsOf(top.versionId)).length, 4)
})

t.test("records do not replace each other in a circle", async (t) => {
  const [first, second, third] = [await publish(), await publish(), await publish()]
  await supersede(first.versionId, second.versionId)
  await supersede(second.versionId, third.versionId)
  for (const late of [second, third]) {
    const refusal = await refusalOf(supersede(late.versionId, first.versionId))
    holds(t, refusal, { status: 422, refusal: "unknown_reference", issues: [{ path: "/replacementVersionId" }] })
  }
})

t.test("warnings cross Rooms, and appear in reads of a plan and of a link", async (t) => {
  const other = await lab.room()
  const base = await publish()
  const there = (
    await other.grace.write("publish_hypothesis", hypothesis(other, { premises: [premise(base.versionId)] }))
  ).result
  const work = await Work.begin(lab, other)
  const planId = await work.plan({ hypotheses: [there.versionId] })
  t.strictSame((await reader.read("plan", { planId })).warnings, [])
  const { result: link } = await other.mary.write("assert_dispute", {
    targetVersionId: there.versionId,
    explanation: because,
  })
  await retract(base.versionId)
  const fallen = { code: "rests_on_retracted", versionId: base.versionId }
  holds(t, await warningsOf(there.versionId), [{ ...fallen, direct: true }])
  holds(t, (await reader.read("plan", { planId })).warnings, [
    { code: "rests_on_disputed", versionId: there.versionId, direct: true },
    { ...fallen, direct: false },
  ])
  holds(
    t,
    await reader.read("link", { linkId: link.linkId }),
    { warnings: [{ ...fallen, direct: true }] },
    "a link says it of its target",
  )
})

t.test("a chain of thirty records, and a chain that branches and joins again", async (t) => {
  const base = await publish()
  let left = base.versionId
  let right = base.versionId
  for (let depth = 0; depth < 15; depth += 1) {
    const [on, beside] = [[premise(left), premise(right)], [premise(right)]]
    left = (await room.ada.write("publish_hypothesis", hypothesis(room, { premises: on }))).result.versionId
    right = (await room.ada.write("publish_hypothesis", hypothesis(room, { premises: beside }))).result.versionId
  }
  await retract(base.versionId)
  for (const versionId of [left, right])
    holds(t, await warningsOf(versionId), [{ versionId: base.versionId, direct: false }])
})
