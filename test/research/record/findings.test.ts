/**
 * Findings: evidence of every kind, the execution behind them with its denominator, and a record's summary of its
 * provenance.
 */
import t from "tap"
import { because, claim, finding, freshId, hypothesis, reference, sha256 } from "../../support/bodies.ts"
import { holds } from "./holds.ts"
import { everyItem, openLab } from "../../support/lab.ts"
import { losses, Work } from "./work.ts"

const lab = await openLab(t)
const { reader } = lab
const room = await lab.room()

/** Returns the provenance summary of a published finding. */
async function summaryOf(more: Parameters<typeof finding>[1]): Promise<string> {
  const { result } = await room.ada.write("publish_finding", finding(room, more))
  return (await lab.record(result)).provenanceSummary
}

// shows: A finding names its experiment, plan, attempts and baselines, and cites outputs by digest or an attempt's
//   outcome; a record read shows execution, materials and warnings.
t.test("evidence of every kind, an execution with baselines, materials and references", async (t) => {
  const work = await Work.begin(lab, room)
  const elsewhere = await Work.begin(lab, room)
  const planId = await work.plan()
  const producing = await work.attempt()
  const failed = await work.attempt("failed")
  await work.attempt("cancelled")
  const baseline = await elsewhere.attempt()
  const compared = await work.attempt()
  const { versionId: claimId } = (await room.ada.write("publish_cited_claim", claim(room))).result
  const { versionId: hypothesisId } = (await room.grace.write("publish_hypothesis", hypothesis(room))).result
  const { result: material } = await room.ada.write("register_material", {
    roomId: room.roomId,
    threadId: room.threadId,
    reference: sha256("1"),
    name: "Counts",
  })
  const { materialId } = material

  const body = finding(room, {
    outcome: "inconclusive",
    evidence: [
      { kind: "attempt_output", attemptId: producing, ...losses, explanation: because },
      { kind: "attempt_outcome", attemptId: failed, explanation: because },
      { kind: "material", materialId, explanation: because },
      { kind: "record", versionId: claimId, explanation: because },
      {
        kind: "paper",
        arxivId: "2401.01234v2",
        locator: { section: "2", page: "iv", figure: "1b" },
        quote: "It was so.",
      },
    ],
    provenance: { execution: work.execution([producing], [baseline, compared], planId), papers: [] },
    materials: [{ materialId, purpose: "It is drawn from." }],
    references: [reference(hypothesisId)],
    limitations: "One seed.",
  })
  const receipt = await room.ada.write("publish_finding", body)
  holds(
    t,
    receipt,
    { target: { kind: "finding", label: "F1" }, result: { label: "F1" }, warnings: [{ code: "attempt_not_of_plan" }] },
    "nothing else is wrong with it",
  )
  t.equal(receipt.targetId, receipt.result.versionId)

  const record = await lab.record(receipt.result)
  holds(t, record, {
    kind: "finding",
    label: "F1",
    status: "current",
    notices: [],
    outcome: "inconclusive",
    warnings: [{ code: "attempt_not_of_plan" }],
    entryId: receipt.entry?.entryId,
    author: { username: "ada" },
  })
  t.equal(record.provenanceSummary, `Results of 1 attempt of E1 under P1, curated by their author.`)
  holds(t, record.references, [
    {
      versionId: hypothesisId,
      label: "H1",
      kind: "hypothesis",
      status: "current",
      purpose: "supports",
      explanation: reference(hypothesisId).explanation,
    },
  ])
  holds(t, record.materials, [{ material: { materialId, label: "M1" }, purpose: "It is drawn from." }])
  const { evidence, client: _none, ...rest } = record.content as Record<string, unknown>
  holds(
    t,
    evidence,
    body.evidence.map((entry) => (entry.kind === "paper" ? { ...entry, arxivId: "2401.01234" } : entry)),
    "as accepted; an arXiv id without its version",
  )
  holds(t, rest, { limitations: "One seed.", outcome: "inconclusive" })

  t.strictSame(
    record.execution,
    {
      experimentId: work.experimentId,
      experimentLabel: "E1",
      planId,
      planLabel: "P1",
      attempts: [
        {
          attemptId: producing,
          label: "A1",
          role: "producing",
          intent: "exploratory",
          status: "succeeded",
          outcome: "succeeded",
          experimentId: work.experimentId,
        },
        {
          attemptId: baseline,
          label: "A4",
          role: "baseline",
          intent: "exploratory",
          status: "succeeded",
          outcome: "succeeded",
          experimentId: elsewhere.experimentId,
        },
        {
          attemptId: compared,
          label: "A5",
          role: "baseline",
          intent: "exploratory",
          status: "succeeded",
          outcome: "succeeded",
          experimentId: work.experimentId,
        },
        {
          attemptId: failed,
          label: "A2",
          role: "evidence",
          intent: "exploratory",
          status: "failed",
          outcome: "failed",
          experimentId: work.experimentId,
        },
      ],
      denominator: {
        attempts: 4,
        named: { producing: 1, baseline: 1, cited: 1 },
        outcomes: { registered: 0, unknown: 0, preflight_failed: 0, succeeded: 2, failed: 1, cancelled: 1 },
        later: { attempts: 0, reproductions: 0 },
      },
    },
    "all attempts of the experiment by outcome, and how many of them it names in any role; " +
      "another experiment's baseline is not among them",
  )
  const listed = await everyItem(
    reader.items("attempts", { findingVersionId: receipt.result.versionId, experimentId: work.experimentId }),
  )
  t.equal(listed.length, 3, "as many as in the list of its attempts")
  holds(t, (await lab.record({ versionId: claimId })).usedBy, { evidence: 1, premises: 0, references: 0, reuses: 0 })
  holds(t, (await lab.record({ versionId: hypothesisId })).usedBy, { references: 1 })
})

t.test("one success out of fourteen reads as exactly that, and later attempts are counted too", async (t) => {
  const work = await Work.begin(lab, room)
  const lucky = await work.attempt()
  for (const ending of [
    "failed",
    "failed",
    "preflight_failed",
    "cancelled",
    "failed",
    "failed",
    "failed",
    "failed",
    "failed",
    "failed",
  ] as const)
    await work.attempt(ending)
  await work.attempt("registered")
  const running = await work.attempt("started")
  await work.attempt("started")
  const { result } = await room.ada.write(
    "publish_finding",
    finding(room, { provenance: { execution: work.execution([lucky]), papers: [] } }),
  )
  const denominator = async () => ((await lab.record(result)).execution as { denominator: unknown }).denominator
  t.strictSame(await denominator(), {
    attempts: 14,
    named: { producing: 1, baseline: 0, cited: 0 },
    outcomes: { registered: 1, unknown: 2, preflight_failed: 1, succeeded: 1, failed: 8, cancelled: 1 },
    later: { attempts: 0, reproductions: 0 },
  })
  await work.tell(running, "succeeded")
  holds(
    t,
    await denominator(),
    { attempts: 14, named: { producing: 1 }, outcomes: { unknown: 1, succeeded: 2 } },
    "a late outcome moves it",
  )
  await work.attempt("failed")
  const { blemishes } = (await lab.record(result)) as unknown as { blemishes: { unnamed: number } }
  t.equal(blemishes.unnamed, 13)
  const { public: pinned } = lab.house.repositories
  await room.grace.write("register_attempt", {
    attemptId: freshId(),
    experimentId: work.experimentId,
    intent: "reproduction",
    reproduces: { attemptId: lucky },
    repository: { url: pinned.url, commit: pinned.commit },
    argv: ["node", "main.js"],
    configuration: {},
    inputs: [],
  })
  holds(
    t,
    await denominator(),
    { attempts: 14, outcomes: { registered: 1, failed: 8 }, later: { attempts: 1, reproductions: 1 } },
    "what came later, and reproductions, could not be chosen",
  )
  holds(t, await lab.record(result), { blemishes: { unnamed: 13 } }, "and is no reproach")
})

t.test("attempts are in the order of their labels, however many there are", async (t) => {
  const own = await lab.room()
  const work = await Work.begin(lab, own)
  const attemptIds: string[] = []
  for (let made = 0; made < 11; made += 1) attemptIds.push(await work.attempt("failed"))
  const { result } = await own.ada.write(
    "publish_finding",
    finding(own, { provenance: { execution: work.execution(attemptIds.toReversed()), papers: [] } }),
  )
  const { attempts } = (await lab.record(result)).execution as { attempts: { label: string }[] }
  t.strictSame(
    attempts.map(({ label }) => label),
    attemptIds.map((_, index) => `A${index + 1}`),
  )
})

// shows: A finding may be negative, inconclusive, paperless or retrospective.
t.test("negative, inconclusive, paperless and retrospective findings require no more than any other", async (t) => {
  for (const outcome of ["positive", "negative", "inconclusive"] as const) {
    const { result, warnings } = await room.grace.write("publish_finding", finding(room, { outcome }))
    holds(t, warnings, [{ code: "cites_nothing" }], "advice, never a refusal")
    holds(t, await lab.record(result), { outcome, execution: null, materials: [], warnings: [] })
  }
  const without = "curated by their author; no recorded execution stands behind them."
  t.equal(await summaryOf({}), `Paperless results, ${without}`)
  t.equal(await summaryOf({ retrospective: true }), `Retrospective, paperless results, ${without}`)
  t.equal(await summaryOf({ provenance: { papers: ["arXiv:2401.01234"] } }), `Results from 1 paper, ${without}`)
  const quoted = { kind: "paper", arxivId: "2401.01234", locator: {}, quote: "So." } as const
  const papers = ["https://arxiv.org/abs/2401.01234v3", "A talk at a workshop"]
  t.equal(
    await summaryOf({ retrospective: true, evidence: [quoted], provenance: { papers } }),
    `Retrospective results from 2 papers, ${without}`,
    "one paper counts once, whatever its notation",
  )
})

// shows: Publishing or linking a finding completes nothing and endorses nothing.
t.test("publishing or linking a finding completes nothing and moves nothing", async (t) => {
  const work = await Work.begin(lab, room)
  const attemptId = await work.attempt()
  const before = await reader.read("experiment", { experimentId: work.experimentId })
  const { result } = await room.grace.write(
    "publish_finding",
    finding(room, { provenance: { execution: work.execution([attemptId]), papers: [] } }),
  )
  await room.grace.write("link_experiment_finding", {
    experimentId: work.experimentId,
    findingVersionId: result.versionId,
    towardHypothesis: [],
    towardQuestion: { verdict: "answers", explanation: because },
  })
  t.strictSame(await reader.read("experiment", { experimentId: work.experimentId }), before)
  await work.complete()
  t.equal(
    (
      await room.grace.write(
        "publish_finding",
        finding(room, { provenance: { execution: work.execution([attemptId]), papers: [] } }),
      )
    ).warnings.filter(({ code }) => code !== "same_effect").length,
    0,
    "nor does it need an active experiment",
  )
})
