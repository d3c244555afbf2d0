/**
 * The evidence on a record, as any reader sees it: who gives it, whether it counts and why not, and who uses the
 * record.
 */
import t from "tap"
import { because, finding, hypothesis, nobody, premise, reference } from "../../support/bodies.ts"
import { holds } from "../record/holds.ts"
import { everyItem, type LabRoom, type Name, openLab, refusalOf, refusedAs } from "../../support/lab.ts"
import { Work } from "../record/work.ts"

const lab = await openLab(t)
const { reader } = lab
const room = await lab.room()
const none = {
  supports: 0,
  contradicts: 0,
  inconclusive: 0,
  reproductions: 0,
  failedReproductions: 0,
  independent: 0,
  otherAgents: 0,
  otherCode: 0,
  doubted: 0,
}

const predict = async (who: Name = "ada", at: LabRoom = room) =>
  (await at[who].write("publish_hypothesis", hypothesis(at))).result
const find = async (who: Name = "grace", more = {}, at: LabRoom = room) =>
  (await at[who].write("publish_finding", finding(at, more))).result
const work = await Work.begin(lab, room)
type Verdict = "supports" | "contradicts" | "inconclusive"
const link = async (who: Name, findingVersionId: string, versionId: string, verdict: Verdict) =>
  (
    await room[who].write("link_experiment_finding", {
      experimentId: work.experimentId,
      findingVersionId,
      towardHypothesis: [{ versionId, verdict, explanation: `It ${verdict} it.` }],
      towardQuestion: { verdict: "answers", explanation: because },
    })
  ).result
const bearing = async (versionId: string) => (await reader.read("record_evidence", { versionId })).items
const tallyOf = async (versionId: string) => (await lab.record({ versionId })).evidenceTally

// shows: skill: evidence
t.test("a link's verdict and the finding's own reference count once, as the newest of them", async (t) => {
  const predicted = await predict()
  t.strictSame(await tallyOf(predicted.versionId), none)
  const found = await find("grace", { references: [reference(predicted.versionId, "contradicts")] })
  t.strictSame(
    await tallyOf(predicted.versionId),
    { ...none, contradicts: 1, independent: 1, otherAgents: 1 },
    "a contradiction by reference is evidence",
  )
  await link("grace", found.versionId, predicted.versionId, "inconclusive")
  t.strictSame(
    await tallyOf(predicted.versionId),
    { ...none, inconclusive: 1, independent: 1, otherAgents: 1 },
    "replaced by its link",
  )
  holds(t, await bearing(predicted.versionId), [
    {
      sequence: 2,
      source: "finding_link",
      verdict: "inconclusive",
      by: { kind: "finding", id: found.versionId, label: found.label, status: "current" },
      experiment: { experimentId: work.experimentId, label: "E1" },
      explanation: "It inconclusive it.",
      author: { username: "grace" },
      independent: true,
      standing: "counted",
    },
    {
      sequence: 1,
      source: "reference",
      verdict: "contradicts",
      by: { id: found.versionId },
      standing: "replaced",
      linkId: null,
    },
  ])
  await link("ada", found.versionId, predicted.versionId, "supports")
  t.strictSame(
    await tallyOf(predicted.versionId),
    { ...none, supports: 1 },
    "the newest link of a finding is its verdict, whoever made it; one by the record's own author is not independent",
  )
  const [summary] = (await reader.read("hypotheses", { roomId: room.roomId, label: predicted.label })).items
  t.strictSame(summary?.evidenceTally, await tallyOf(predicted.versionId), "lists show it too")
})

t.test("a source that falls no longer counts, and counts again when that link is withdrawn", async (t) => {
  const predicted = await predict()
  const found = await find("grace", { references: [reference(predicted.versionId, "supports")] })
  const { result: dispute } = await room.mary.write("assert_dispute", {
    targetVersionId: found.versionId,
    explanation: because,
  })
  t.strictSame(
    await tallyOf(predicted.versionId),
    { ...none, supports: 1, independent: 1, otherAgents: 1, doubted: 1 },
    "a doubted source counts, and is marked",
  )
  const replaced = {
    targetVersionId: found.versionId,
    explanation: because,
    replacementVersionId: (await find()).versionId,
  }
  const { result: superseded } = await room.mary.write("assert_supersession", replaced)
  t.strictSame(await tallyOf(predicted.versionId), none, "a fallen source does not count")
  holds(t, await bearing(predicted.versionId), [{ standing: "fallen", by: { status: "superseded" } }])
  await room.mary.write("withdraw_link", { linkId: superseded.linkId, explanation: "It does not." })
  await room.mary.write("withdraw_link", { linkId: dispute.linkId, explanation: "I misread it." })
  t.strictSame(await tallyOf(predicted.versionId), { ...none, supports: 1, independent: 1, otherAgents: 1 })
  t.equal((await lab.record(found)).status, "current")
  holds(
    t,
    (await lab.record(found)).notices,
    [
      { kind: "disputes", withdrawn: { explanation: "I misread it." } },
      { kind: "supersedes", withdrawn: {} },
    ],
    "what was said stays readable",
  )
})

t.test(
  "disputes, corrections and retractions count as bearing on a record, and change its status rather than the tally",
  async (t) => {
    const found = await find()
    const aimed = { targetVersionId: found.versionId, explanation: because }
    await room.mary.write("assert_dispute", aimed)
    await room.mary.write("assert_correction", { ...aimed, correction: "Read 7." })
    await room.mary.write("assert_supersession", { ...aimed, replacementVersionId: (await find()).versionId })
    await room.grace.write("assert_retraction", aimed)
    holds(t, await bearing(found.versionId), [
      { source: "research_link", verdict: "retracts", by: { kind: "link" }, standing: "uncounted", independent: false },
      { verdict: "corrects", independent: true },
      { verdict: "disputes", explanation: because },
    ])
    t.strictSame(await tallyOf(found.versionId), none)
  },
)

t.test("a reproduction is listed on what it reproduces, with its verdict once it has an outcome", async (t) => {
  const found = await find()
  const attemptId = crypto.randomUUID()
  const { public: repository } = lab.house.repositories
  await room.mary.write("register_attempt", {
    attemptId,
    experimentId: work.experimentId,
    intent: "reproduction",
    reproduces: { findingVersionId: found.versionId },
    repository: { url: repository.url, commit: repository.commit },
    argv: ["run"],
    configuration: {},
    inputs: [],
  })
  holds(t, await bearing(found.versionId), [
    { source: "reproduction", verdict: null, by: { kind: "attempt", id: attemptId }, standing: "uncounted" },
  ])
  const tell = (event: "started" | "succeeded", more = {}) =>
    reader.read("attempt", { attemptId }).then(({ affordances }) =>
      room.mary.write("report_attempt_event", {
        attemptId,
        event,
        ...affordances.expected,
        reportedAt: "2026-11-20T09:30:00.000Z",
        ...more,
      }),
    )
  const reproduction = { verdict: "does_not_reproduce", explanation: "The difference is within the noise." } as const
  t.equal(
    await refusedAs(tell("started", { reproduction })),
    "422 invalid_schema /reproduction",
    "not before its outcome",
  )
  await tell("started")
  await tell("succeeded", { reproduction })
  holds(t, await bearing(found.versionId), [
    {
      verdict: "does_not_reproduce",
      explanation: reproduction.explanation,
      standing: "counted",
      independent: true,
      by: { status: "succeeded" },
    },
  ])
  t.strictSame(await tallyOf(found.versionId), { ...none, failedReproductions: 1, independent: 1, otherAgents: 1 })
  holds(t, await reader.read("record_case", { versionId: found.versionId }), {
    bearing: "contradicted",
    doubts: { items: [{ kind: "does_not_reproduce", attemptId, explanation: reproduction.explanation }] },
  })
  holds(t, await reader.read("attempt", { attemptId }), { reproduction })
  holds(t, (await lab.record(found)).usedBy, { reproductions: 1 })

  const told = await find("mary", { provenance: { execution: work.execution([attemptId]), papers: [] } })
  holds(
    t,
    await bearing(found.versionId),
    [
      {
        source: "reproduction",
        verdict: null,
        by: { id: told.versionId, label: told.label },
        attempt: { attemptId },
        standing: "uncounted",
      },
      { by: { id: attemptId }, standing: "counted" },
    ],
    "and so does the finding that reports it, which counts as the attempt does",
  )
  t.strictSame(await tallyOf(found.versionId), { ...none, failedReproductions: 1, independent: 1, otherAgents: 1 })

  const own = await work.attempt("started")
  t.equal(
    await refusedAs(work.tell(own, "succeeded", { reproduction })),
    "422 invalid_schema /reproduction",
    "an attempt that reproduces nothing has no such verdict",
  )
})

t.test("evidence on a record is listed newest first, page by page", async (t) => {
  const predicted = await predict()
  for (const purpose of ["supports", "contradicts", "supports"] as const)
    await find("grace", { references: [reference(predicted.versionId, purpose)] })
  const { versionId } = predicted
  const whole = await reader.read("record_evidence", { versionId })
  t.strictSame(
    whole.items.map(({ sequence }) => sequence),
    [3, 2, 1],
  )
  const first = await reader.read("record_evidence", { versionId, limit: 2 })
  t.strictSame([first.items.map(({ sequence }) => sequence), first.nextCursor, first.hasMore], [[3, 2], 2, true])
  t.strictSame(await everyItem(reader.items("record_evidence", { versionId, limit: 1 })), whole.items)
})

t.test("every list and read of records includes the tally", async (t) => {
  const at = await lab.room()
  const predicted = await predict("ada", at)
  const { versionId } = predicted
  await find("grace", { references: [reference(versionId, "supports")] }, at)
  await at.mary.write("reuse_record", { threadId: at.threadId, versionId })
  const { roomId, threadId } = at
  const answers = {
    record: await lab.record(predicted),
    hypothesis: await reader.read("hypothesis", { versionId }),
    hypotheses: await reader.read("hypotheses", { roomId }),
    publications: await reader.read("publications", {}),
    room_publications: await reader.read("room_publications", { roomId }),
    thread_records: await reader.read("thread_records", { threadId }),
    room_context: await reader.read("room_context", { roomId }),
    thread_research_context: await reader.read("thread_research_context", { threadId }),
    thread_timeline: await reader.read("thread_timeline", { threadId }),
  }
  type Shown = { readonly versionId?: string; readonly evidenceTally?: unknown }
  const shown = (value: unknown): Shown[] =>
    typeof value !== "object" || value === null ? [] : [value as Shown, ...Object.values(value).flatMap(shown)]
  for (const [name, answer] of Object.entries(answers)) {
    const tallies = shown(answer).filter((each) => each.versionId === versionId && each.evidenceTally !== undefined)
    t.ok(tallies.length > 0, name)
    for (const { evidenceTally } of tallies)
      t.strictSame(evidenceTally, { ...none, supports: 1, independent: 1, otherAgents: 1 }, name)
  }
})

t.test("the users of a record, and how they use it, newest first", async (t) => {
  const predicted = await predict()
  const versionId = predicted.versionId
  const above = (await room.ada.write("publish_hypothesis", hypothesis(room, { premises: [premise(versionId)] })))
    .result
  const found = await find("grace", {
    references: [reference(versionId, "related")],
    evidence: [{ kind: "record", versionId, explanation: because }],
  })
  const { linkId } = await link("grace", found.versionId, versionId, "supports")
  const there = await lab.room()
  await there.mary.write("reuse_record", { threadId: there.threadId, versionId })
  const { items } = await reader.read("record_uses", { versionId })
  holds(t, items, [
    { how: "reuse", by: { kind: "entry", labelFromOtherRoom: true, originRoomId: there.roomId } },
    { how: "verdict", by: { kind: "finding_link", id: linkId } },
    { how: "evidence", by: { id: found.versionId, label: found.label } },
    { how: "reference", by: { id: found.versionId } },
    { how: "premise", by: { kind: "hypothesis", id: above.versionId, label: above.label, status: "current" } },
  ])
  holds(t, (await lab.record(predicted)).usedBy, {
    premises: 1,
    references: 1,
    evidence: 1,
    reuses: 1,
    verdicts: 1,
    reproductions: 0,
  })
  const paged = await everyItem(reader.items("record_uses", { versionId, limit: 2 }))
  t.strictSame(paged, items, "page by page the same")
  t.equal(await refusedAs(reader.read("record_uses", { versionId: nobody })), "404 unknown_record")
  t.equal(await refusedAs(reader.read("record_evidence", { versionId: nobody })), "404 unknown_record")
})

t.test("a person can withdraw their own link, once, but not another's, nor a retraction", async (t) => {
  const [predicted, found] = [await predict(), await find()]
  const { linkId } = await link("grace", found.versionId, predicted.versionId, "supports")
  const back = (who: Name, id = linkId) =>
    room[who].write("withdraw_link", { linkId: id, explanation: "It was about another model." })
  t.equal(await refusedAs(back("ada")), "403 role_required")
  const receipt = await back("grace")
  holds(t, receipt, {
    target: { kind: "finding_link", id: linkId, label: null },
    targetId: linkId,
    operation: "withdraw_link",
  })
  holds(t, await reader.read("link", { linkId }), {
    withdrawn: { explanation: "It was about another model.", at: receipt.acceptedAt },
  })
  t.strictSame(await tallyOf(predicted.versionId), none)
  holds(t, await bearing(predicted.versionId), [{ standing: "withdrawn" }])
  holds(t, await refusalOf(back("grace")), { status: 409, refusal: "state_conflict", current: { linkId } })
  t.ok(
    (await link("grace", found.versionId, predicted.versionId, "supports")).linkId,
    "the same link may be made again",
  )
  t.strictSame(await tallyOf(predicted.versionId), { ...none, supports: 1, independent: 1, otherAgents: 1 })

  const { result: retraction } = await room.grace.write("assert_retraction", {
    targetVersionId: found.versionId,
    explanation: because,
  })
  t.equal(await refusedAs(back("grace", retraction.linkId)), "422 invalid_schema /linkId")
  t.equal(await refusedAs(back("grace", nobody)), "404 unknown_link")
  const aimed = { targetVersionId: predicted.versionId, explanation: because }
  const { result: first } = await room.mary.write("assert_dispute", aimed)
  t.equal(await refusedAs(room.mary.write("assert_dispute", aimed)), "409 link_exists")
  await back("mary", first.linkId)
  await room.mary.write("assert_dispute", aimed)
  for (const [kind, more] of [
    ["assert_correction", { correction: "Read 7." }],
    ["assert_supersession", { replacementVersionId: found.versionId }],
  ] as const) {
    const felled = await predict()
    const said = { targetVersionId: felled.versionId, explanation: because, ...more }
    const { result: link } = await room.mary.write(kind, said as never)
    t.not((await lab.record(felled)).status, "current", kind)
    await back("mary", link.linkId)
    t.equal((await lab.record(felled)).status, "current", `${kind}, withdrawn`)
    t.ok((await room.mary.write(kind, said as never)).result.linkId, "and made again")
  }
  holds(t, await lab.record(predicted), { status: "disputed", notices: [{ withdrawn: {} }, { withdrawn: undefined }] })
})

// shows: skill: stale
t.test("a concluded checkpoint gives the reasons why it is stale", async (t) => {
  const at = await lab.room()
  const conclude = async (coversThrough: number, citations: readonly string[] = []) => {
    const { timelineWatermark } = (await reader.read("thread_context", { threadId: at.threadId })).thread
    const { result } = await at.ada.write("post_research_checkpoint", {
      threadId: at.threadId,
      expectedWatermark: timelineWatermark,
      coversThrough: Math.min(coversThrough, timelineWatermark),
      state: "concluded",
      synthesis: "So.",
      conclusion: "It does.",
      openQuestions: [],
      citations,
    })
    return result.checkpointId
  }
  const first = await predict("ada", at)
  const [disputed, cited] = [await predict("ada", at), await predict("ada", at)]
  await at.mary.write("assert_dispute", { targetVersionId: disputed.versionId, explanation: because })
  const checkpointId = await conclude(2, [disputed.versionId, cited.versionId])
  const read = () => reader.read("checkpoint", { checkpointId })
  holds(
    t,
    await read(),
    {
      stale: true,
      staleReasons: [{ code: "not_covered", label: cited.label, status: "current" }],
      knownThen: [{ versionId: disputed.versionId, label: disputed.label, status: "disputed", by: { kind: "link" } }],
    },
    "what was doubted before it is known, and no reason",
  )
  const later = await find("grace", {}, at)
  await at.ada.write("assert_retraction", { targetVersionId: cited.versionId, explanation: because })
  const staleReasons = [
    { code: "citation_fallen", versionId: cited.versionId, label: cited.label, status: "retracted" },
    { code: "published_since", versionId: later.versionId, label: later.label, status: "current" },
    { code: "not_covered", versionId: cited.versionId, status: "retracted" },
  ]
  holds(t, await read(), { stale: true, staleReasons })
  const context = await reader.read("room_context", { roomId: at.roomId })
  holds(t, context, {
    concluded: true,
    conclusion: { checkpointId, staleReasons },
    conclusions: [{ checkpointId }],
    syntheses: [],
  })
  const fresh = await conclude(1_000)
  holds(t, await reader.read("checkpoint", { checkpointId: fresh }), { stale: false, staleReasons: [] })
  t.not(first.label, cited.label)
})
