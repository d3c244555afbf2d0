/**
 * Whether to believe a record, in one read: who its evidence comes from, what failed, what is in doubt, what would fall
 * with it; also as of an earlier entry.
 */
import t from "tap"
import { because, finding, hypothesis, nobody, premise, reference } from "../../support/bodies.ts"
import { holds } from "../record/holds.ts"
import { openLab, refusedAs } from "../../support/lab.ts"
import { losses, Work } from "../record/work.ts"

const lab = await openLab(t)
const { reader } = lab
const room = await lab.room("Does a ramp lower the loss?")
const { roomId, threadId, ada, grace, mary } = room
const none = { words: 0, independent: 0, people: 0, independentPeople: 0, otherAgents: 0, commits: 0 }

const h1 = (await ada.write("publish_hypothesis", hypothesis(room))).result
const caseOf = (versionId: string, at?: number) =>
  reader.read("record_case", { versionId, ...(at === undefined ? {} : { at }) })

const blank = await caseOf(h1.versionId)
const work = await Work.begin(lab, room, { hypotheses: [h1.versionId] })
const ran = await work.attempt()
const broken = await work.attempt("failed")
const stopped = await work.attempt("preflight_failed")
const dropped = await Work.begin(lab, room, { hypotheses: [h1.versionId] })
const { activityWatermark: before } = await reader.read("room", { roomId })
await dropped.tellCancelled("The machine is gone for good.")
const output = {
  kind: "attempt_output",
  attemptId: ran,
  outputLabel: losses.outputLabel,
  explanation: because,
} as const
const positive = (
  await ada.write(
    "publish_finding",
    finding(room, {
      references: [reference(h1.versionId, "supports")],
      evidence: [
        { ...output, digest: losses.digest },
        { ...output, digest: `sha256:${"b".repeat(64)}` },
      ],
      provenance: { papers: [], execution: work.execution([ran]) },
    }),
  )
).result
const negative = (
  await grace.write(
    "publish_finding",
    finding(room, { outcome: "negative", references: [reference(h1.versionId, "contradicts")] }, "It raised the loss."),
  )
).result

t.test("a record without evidence is untested, and nothing failed, is in doubt or would fall with it", (t) => {
  t.match(blank, { label: "H1", status: "current", bearing: "untested", wording: "A ramp lowers the loss." })
  t.strictSame(blank.weight.all, none)
  for (const list of [blank.failed, blank.doubts, blank.restingOnIt, blank.citedIn])
    t.strictSame(list, { items: [], more: false })
  t.strictSame(blank.work.experiments, { open: 0, claimed: 0, in_progress: 0, completed: 0, cancelled: 0 })
  t.end()
})

t.test(
  "the case counts the people and commits behind the verdicts, and the checked parts of each piece of evidence",
  async (t) => {
    const told = await caseOf(h1.versionId)
    t.equal(told.bearing, "contested")
    t.strictSame(told.weight, {
      supports: { words: 1, independent: 0, people: 1, independentPeople: 0, otherAgents: 0, commits: 1 },
      contradicts: { words: 1, independent: 1, people: 1, independentPeople: 1, otherAgents: 1, commits: 0 },
      inconclusive: none,
      reproductions: none,
      failedReproductions: none,
      all: { words: 2, independent: 1, people: 2, independentPeople: 1, otherAgents: 1, commits: 1 },
    })
    const { items } = await reader.read("record_evidence", { versionId: h1.versionId })
    t.strictSame(items.find(({ by }) => by.id === positive.versionId)?.checked, {
      outputs: 2,
      outputsEqual: 1,
      named: 1,
      attempts: 3,
    })
    t.strictSame(items.find(({ by }) => by.id === negative.versionId)?.checked, {
      outputs: 0,
      outputsEqual: 0,
      named: 0,
      attempts: 0,
    })
  },
)

t.test(
  "it lists failures and their reasons: attempts, each once, and abandoned experiments, newest first",
  async (t) => {
    const { failed, work: told } = await caseOf(h1.versionId)
    t.strictSame(
      failed.items.map(({ kind, id }) => [kind, id]),
      [
        ["experiment_cancelled", dropped.experimentId],
        ["attempt_failed", stopped],
        ["attempt_failed", broken],
      ],
    )
    holds(t, failed.items, [
      { why: "The machine is gone for good.", author: { username: "ada" } },
      { why: "running: It did not go well.", experiment: { label: "E1" } },
      {},
    ])
    t.match(told, {
      experiments: { claimed: 1, cancelled: 1 },
      attempts: { succeeded: 1, failed: 1, preflight_failed: 1, registered: 0 },
    })
  },
)

t.test(
  "it lists doubts and their reasons: about the record, its evidence and what it rests on, without withdrawn ones",
  async (t) => {
    const h2 = (
      await ada.write(
        "publish_hypothesis",
        hypothesis(room, { premises: [premise(h1.versionId)] }, "And so does a long one."),
      )
    ).result
    const h3 = (
      await mary.write(
        "publish_hypothesis",
        hypothesis(room, { premises: [premise(h2.versionId)] }, "And the longest most."),
      )
    ).result
    const dispute = async (targetVersionId: string) =>
      (await mary.write("assert_dispute", { targetVersionId, explanation: `Doubted: ${targetVersionId}` })).result
    const ofBase = await dispute(h1.versionId)
    await dispute(positive.versionId)
    const own = await caseOf(h1.versionId)
    t.strictSame(
      own.doubts.items.map(({ of, target, kind }) => `${kind} ${target.label} ${of}`),
      ["disputes F1 bears_on_it", "disputes H1 itself"],
    )
    t.equal(own.bearing, "contested")
    t.match((await caseOf(h2.versionId)).doubts.items, [
      { of: "it_rests_on", target: { label: "H1", status: "disputed" } },
    ])
    t.strictSame(
      own.restingOnIt.items.map(({ label, through }) => [label, through?.label ?? null]),
      [
        ["H2", null],
        ["H3", "H2"],
      ],
      "what would fall with it, nearest first",
    )
    await mary.write("withdraw_link", { linkId: ofBase.linkId, explanation: "I misread it." })
    t.strictSame(
      (await caseOf(h1.versionId)).doubts.items.map(({ target }) => target.label),
      ["F1"],
    )
    const { timelineWatermark } = await reader.read("thread_research_context", { threadId })
    const { result } = await ada.write("post_research_checkpoint", {
      threadId,
      expectedWatermark: timelineWatermark,
      coversThrough: timelineWatermark,
      state: "concluded",
      synthesis: "All in all.",
      openQuestions: [],
      conclusion: "Longest is best.",
      citations: [h3.versionId, positive.versionId],
    })
    t.match((await caseOf(h1.versionId)).citedIn.items, [
      { checkpointId: result.checkpointId, state: "concluded", says: "Longest is best.", cites: { label: "H3" } },
    ])

    const concluded = await reader.read("checkpoint_case", { checkpointId: result.checkpointId })
    t.strictSame(
      concluded.citations.map(({ label, status, outcome }) => [label, status, outcome]),
      [
        ["H3", "current", null],
        ["F1", "disputed", "positive"],
      ],
    )
    t.match(concluded.doubts.items, [{ of: "itself", target: { label: "F1" } }])
    t.strictSame(
      concluded.failed.items.map(({ id }) => id),
      [stopped, broken],
      "from the experiments of what it cites",
    )
  },
)

t.test("as of an earlier entry it gives what counted then", async (t) => {
  const then = await caseOf(h1.versionId, before)
  t.equal(then.bearing, "untested")
  t.strictSame([then.doubts.items.length, then.restingOnIt.items.length, then.failed.items.length], [0, 0, 2])
  t.equal(then.asOf?.sequence, before)
})

t.test("an unknown record is 404", async (t) => {
  t.equal(await refusedAs(reader.read("record_case", { versionId: nobody })), "404 unknown_record")
  t.equal(await refusedAs(reader.read("checkpoint_case", { checkpointId: nobody })), "404 room_unavailable")
})
