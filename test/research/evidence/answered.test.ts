/**
 * Fallen, doubted and answered records; whose verdicts count; and how plans and replacements affect doubt (protocol,
 * section 8).
 */
import t from "tap"
import { because, finding, hypothesis, premise, reference } from "../../support/bodies.ts"
import { holds } from "../record/holds.ts"
import { codesOf, openLab, refusedAs } from "../../support/lab.ts"
import { Work } from "../record/work.ts"

const lab = await openLab(t)
const { reader } = lab
const room = await lab.room()
const { threadId } = room
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
const { public: repository } = lab.house.repositories
const pin = { url: repository.url, commit: repository.commit }

const predict = async (more = {}) => (await room.ada.write("publish_hypothesis", hypothesis(room, more))).result
const find = async (more = {}) => (await room.grace.write("publish_finding", finding(room, more))).result
const aimed = ({ versionId }: { versionId: string }) => ({ targetVersionId: versionId, explanation: because })
const conclude = async (citations: readonly string[]) => {
  const { timelineWatermark } = (await reader.read("thread_context", { threadId })).thread
  const { result } = await room.ada.write("post_research_checkpoint", {
    threadId,
    expectedWatermark: timelineWatermark,
    coversThrough: timelineWatermark,
    state: "concluded",
    synthesis: "So.",
    conclusion: "It does.",
    openQuestions: [],
    citations,
  })
  return async () => (await reader.read("checkpoint", { checkpointId: result.checkpointId })).staleReasons
}
const disputesInBrief = async () =>
  (await reader.read("room_brief", { roomId: room.roomId, budget: 64_000 })).disputes.map(({ id }) => id)

t.test("the author's reply to a dispute answers it, and the dispute then reads as answered", async (t) => {
  const found = await find()
  const reasons = await conclude([found.versionId])
  const { result, entry } = await room.mary.write("assert_dispute", aimed(found))
  holds(t, await reasons(), [{ code: "citation_fallen", status: "disputed" }])
  t.strictSame(await disputesInBrief(), [found.versionId])
  t.match(await reader.read("record_case", { versionId: found.versionId }), { bearing: "contested" })
  const replyToEntryId = entry?.entryId ?? ""
  const page = async () => (await fetch(`${lab.house.baseUrl}/links/${result.linkId}`)).text()
  t.match(await page(), "No answer from its author yet.")
  await room.ada.write("post_message", { threadId, text: "I doubt it too.", replyToEntryId })
  t.strictSame(await disputesInBrief(), [found.versionId], "nobody else can answer for the author")
  const reply = await room.grace.write("post_message", { threadId, text: "The seeds are in A1.", replyToEntryId })
  t.match(await page(), "Its author has answered.")
  const answered = { by: "reply", entryId: reply.entry?.entryId, at: reply.acceptedAt }
  holds(
    t,
    await lab.record(found),
    { status: "disputed", notices: [{ linkId: result.linkId, answered }] },
    "it says so",
  )
  holds(t, await reader.read("link", { linkId: result.linkId }), { answered })
  t.strictSame(await disputesInBrief(), [])
  t.strictSame(await reasons(), [], "an answered dispute makes nothing stale")
  t.match(await reader.read("record_case", { versionId: found.versionId }), {
    bearing: "untested",
    doubts: { items: [{ answered: true }] },
  })
  const resting = await room.ada.write("publish_hypothesis", hypothesis(room, { premises: [premise(found.versionId)] }))
  t.match(resting.warnings, [{ code: "rests_on_disputed", answered: true }], "the warning remains, with the answer")
  await room.ada.write("assert_dispute", aimed(found))
  t.strictSame(await disputesInBrief(), [found.versionId], "until somebody disputes it again")
})

t.test("a later correction by the author answers a dispute until it is withdrawn", async (t) => {
  const found = await find()
  const { result: dispute } = await room.mary.write("assert_dispute", aimed(found))
  await room.mary.write("assert_correction", { ...aimed(found), correction: "Read 7." })
  const answered = async () =>
    (await lab.record(found)).notices.find(({ linkId }) => linkId === dispute.linkId)?.answered
  t.equal(await answered(), undefined, "another person's correction does not answer it")
  const { result: own } = await room.grace.write("assert_correction", { ...aimed(found), correction: "Read 8." })
  t.match(await answered(), { by: "correction", linkId: own.linkId })
  await room.grace.write("withdraw_link", { linkId: own.linkId, explanation: "No." })
  t.equal(await answered(), undefined)
})

t.test("a message may reply to an entry that shows an object, and to no other receipt", async (t) => {
  const proposed = await room.ada.write("propose_experiment", {
    roomId: room.roomId,
    threadId,
    question: "So?",
    scope: "Here.",
    hypotheses: [],
  })
  const { experimentId } = proposed.result
  const took = await room.ada.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  const say = (entry: { entryId: string } | null) =>
    room.mary.write("post_message", { threadId, text: "Why?", replyToEntryId: entry?.entryId ?? "" })
  t.ok((await say(proposed.entry)).entry)
  t.equal(await refusedAs(say(took.entry)), "422 unknown_reference /replyToEntryId")
  const attemptId = crypto.randomUUID()
  const run = { attemptId, experimentId, repository: pin, argv: ["run"], configuration: {}, inputs: [] }
  const registered = await room.ada.write("register_attempt", {
    ...run,
    intent: "exploratory",
    expectedRevision: 2,
    expectedStatus: "claimed",
  })
  t.ok((await say(registered.entry)).entry)
  const tell = (expectedRevision: number, expectedStatus: "registered" | "started", event: "started" | "succeeded") =>
    room.ada.write("report_attempt_event", {
      attemptId,
      event,
      expectedRevision,
      expectedStatus,
      reportedAt: new Date().toISOString(),
    })
  t.equal(await refusedAs(say((await tell(1, "registered", "started")).entry)), "422 unknown_reference /replyToEntryId")
  t.ok((await say((await tell(2, "started", "succeeded")).entry)).entry)
})

t.test("the page of a Thread offers a member a reply to each such entry, and to no other", async (t) => {
  const { items } = await lab.reader.read("thread_timeline", { threadId })
  const browser = await lab.house.browser("visitor")
  const markup = await (await browser.request("GET", `/threads/${threadId}`)).text()
  const offered = new Set(
    [...markup.matchAll(/name="replyToEntryId" value="([0-9a-f-]+)" data-reply/g)].map(([, entryId]) => entryId),
  )
  const isTaken = (entryId: string) =>
    room.mary.write("post_message", { threadId, text: "I see.", replyToEntryId: entryId }).then(
      () => true,
      () => false,
    )
  const taken = await Promise.all(items.map(({ entryId }) => isTaken(entryId)))
  t.strictSame(
    items.filter(({ entryId }) => offered.has(entryId)),
    items.filter((_, index) => taken[index]),
  )
  t.ok(offered.size > 5 && offered.size < items.length, `${offered.size} of ${items.length}`)
  const anybodys = await (await fetch(`${lab.house.baseUrl}/threads/${threadId}`)).text()
  t.notMatch(anybodys, "data-reply")
})

t.test("findings of the same attempts count as one voice, and the second author gets a warning", async (t) => {
  const work = await Work.begin(lab, room)
  const attemptId = await work.attempt()
  const provenance = { execution: work.execution([attemptId]), papers: [] }
  const predicted = await predict()
  const first = await find({ provenance, references: [reference(predicted.versionId, "supports")] })
  const again = await room.mary.write(
    "publish_finding",
    finding(room, { provenance, references: [reference(predicted.versionId, "supports")] }),
  )
  t.match(again.warnings, [{ code: "same_effect", versionId: first.versionId, label: first.label }])
  t.strictSame((await lab.record(predicted)).evidenceTally, { ...none, supports: 1, independent: 1, otherAgents: 1 })
  const other = await work.attempt()
  await find({
    provenance: { execution: work.execution([attemptId, other]), papers: [] },
    references: [reference(predicted.versionId, "supports")],
  })
  t.strictSame(
    (await lab.record(predicted)).evidenceTally,
    { ...none, supports: 2, independent: 2, otherAgents: 2 },
    "the newest verdict of each voice counts",
  )
  await find({ references: [reference(predicted.versionId, "supports")] })
  t.strictSame(
    (await lab.record(predicted)).evidenceTally,
    { ...none, supports: 3, independent: 2, otherAgents: 2 },
    "people are counted, not their findings",
  )
})

t.test("a reproduction of an attempt reaches every finding that rests on it, earlier or later", async (t) => {
  const work = await Work.begin(lab, room)
  const attemptId = await work.attempt()
  const provenance = { execution: work.execution([attemptId]), papers: [] }
  const before = await find({ provenance })
  const ran = async (verdict: "reproduces" | "inconclusive" | "does_not_reproduce") => {
    const repeated = crypto.randomUUID()
    const run = { repository: pin, argv: ["run"], configuration: {}, inputs: [] }
    const registration = {
      attemptId: repeated,
      experimentId: work.experimentId,
      intent: "reproduction",
      reproduces: { attemptId },
    } as const
    await room.mary.write("register_attempt", { ...registration, ...run })
    const at = { attemptId: repeated, reportedAt: new Date().toISOString() }
    await room.mary.write("report_attempt_event", {
      ...at,
      event: "started",
      expectedRevision: 1,
      expectedStatus: "registered",
    })
    await room.mary.write("report_attempt_event", {
      ...at,
      event: "succeeded",
      expectedRevision: 2,
      expectedStatus: "started",
      reproduction: { verdict, explanation: because },
    })
    return repeated
  }
  const repeated = await ran("reproduces")
  t.strictSame((await lab.record(before)).evidenceTally, { ...none, reproductions: 1, independent: 1, otherAgents: 1 })
  holds(t, (await reader.read("record_evidence", { versionId: before.versionId })).items, [
    {
      source: "reproduction",
      verdict: "reproduces",
      by: { kind: "attempt", id: repeated },
      explanation: because,
      standing: "counted",
    },
  ])
  t.match(await reader.read("record_case", { versionId: before.versionId }), { bearing: "supported" })
  const after = await find({
    provenance: { execution: work.execution([await work.attempt()], [attemptId]), papers: [] },
  })
  t.strictSame(
    (await lab.record(after)).evidenceTally,
    { ...none, reproductions: 1, independent: 1, otherAgents: 1 },
    "a baseline too",
  )
  await ran("inconclusive")
  t.strictSame((await lab.record(before)).evidenceTally, {
    ...none,
    reproductions: 1,
    inconclusive: 1,
    independent: 1,
    otherAgents: 1,
  })
})

t.test("a withdrawn link does not count as a use", async (t) => {
  const [predicted, found] = [await predict(), await find()]
  const work = await Work.begin(lab, room)
  const { result } = await room.grace.write("link_experiment_finding", {
    experimentId: work.experimentId,
    findingVersionId: found.versionId,
    towardHypothesis: [{ versionId: predicted.versionId, verdict: "supports", explanation: because }],
    towardQuestion: { verdict: "answers", explanation: because },
  })
  t.equal((await lab.record(predicted)).usedBy.verdicts, 1)
  await room.grace.write("withdraw_link", { linkId: result.linkId, explanation: "No." })
  t.equal((await lab.record(predicted)).usedBy.verdicts, 0)
})

t.test("a link that somebody else makes to the author's own finding is not independent", async (t) => {
  const predicted = await predict()
  const own = (await room.ada.write("publish_finding", finding(room))).result
  const work = await Work.begin(lab, room)
  await room.mary.write("link_experiment_finding", {
    experimentId: work.experimentId,
    findingVersionId: own.versionId,
    towardHypothesis: [{ versionId: predicted.versionId, verdict: "supports", explanation: because }],
    towardQuestion: { verdict: "answers", explanation: because },
  })
  t.strictSame((await lab.record(predicted)).evidenceTally, { ...none, supports: 1 })
})

t.test(
  "a record that rests on a fallen one is marked in every list, and makes its citations stale; a replacement is not",
  async (t) => {
    const ground = await predict()
    const above = await predict({ premises: [premise(ground.versionId)] })
    const further = await predict({ references: [reference(above.versionId, "extends")] })
    const reasons = await conclude([further.versionId])
    t.strictSame(await reasons(), [])
    const renewed = await predict({ references: [reference(ground.versionId, "refines")] })
    const onRenewed = await predict({ premises: [premise(renewed.versionId)] })
    const superseded = { ...aimed(ground), replacementVersionId: renewed.versionId }
    const { result: link } = await room.ada.write("assert_supersession", superseded)
    holds(
      t,
      (await reasons()).filter(({ code }) => code === "citation_in_doubt"),
      [{ code: "citation_in_doubt", versionId: further.versionId, status: "current" }],
    )
    const marked = async () =>
      (await reader.read("publications", { roomId: room.roomId })).items
        .filter(({ inDoubt }) => inDoubt)
        .map(({ versionId }) => versionId)
    t.strictSame(
      (await marked()).sort(),
      [above.versionId, further.versionId].sort(),
      "but not its replacement, nor what rests on the replacement",
    )
    t.strictSame((await lab.record(renewed)).warnings, [])
    t.strictSame((await lab.record(onRenewed)).warnings, [])
    t.match((await lab.record(further)).warnings, [{ code: "rests_on_superseded", through: { label: above.label } }])
    await room.ada.write("withdraw_link", { linkId: link.linkId, explanation: "No." })
    t.strictSame(await marked(), [])
    await room.ada.write("assert_retraction", aimed(ground))
    t.strictSame(
      (await marked()).includes(renewed.versionId),
      true,
      "without the supersession, the former replacement rests on it",
    )
  },
)

t.test("disputing, correcting, superseding or following up a fallen record gives a warning", async (t) => {
  const found = await find()
  const { entryId } = await lab.record(found)
  const warned = async (written: Promise<Parameters<typeof codesOf>[0]>) => codesOf(await written)
  t.strictSame(
    await warned(room.mary.write("assert_dispute", aimed(found))),
    [],
    "a first dispute gets no warning about itself",
  )
  await room.grace.write("assert_retraction", aimed(found))
  const other = await find()
  t.strictSame(await warned(room.ada.write("assert_dispute", aimed(found))), ["names_retracted"])
  t.strictSame(await warned(room.ada.write("assert_correction", { ...aimed(found), correction: "7" })), [
    "names_retracted",
  ])
  t.strictSame(
    await warned(room.ada.write("assert_supersession", { ...aimed(found), replacementVersionId: other.versionId })),
    ["names_retracted"],
  )
  t.strictSame(
    await warned(room.ada.write("create_thread", { roomId: room.roomId, title: "On it", replyToEntryId: entryId })),
    ["names_retracted"],
  )
})

t.test("a warning that comes through a plan says so, in the receipt and in every later read", async (t) => {
  const ground = await predict()
  const work = await Work.begin(lab, room)
  const planId = await work.plan({ premises: [premise(ground.versionId)], hypotheses: [] })
  const attemptId = await work.attempt("succeeded", [], planId)
  await room.ada.write("assert_retraction", aimed(ground))
  const provenance = { execution: work.execution([attemptId], [], planId), papers: [] }
  const written = await room.grace.write("publish_finding", finding(room, { provenance }))
  const told = {
    code: "plan_rests_on_retracted",
    versionId: ground.versionId,
    direct: false,
    through: { planId, label: "P1" },
  }
  t.match(written.warnings, [told])
  t.match((await lab.record(written.result)).warnings, [told])
})

t.test(
  "a finding that names a plan for attempts not under it gets a warning, with the parts of its denominator",
  async (t) => {
    const work = await Work.begin(lab, room)
    const planId = await work.plan()
    const [own, other, cited] = [
      await work.attempt(),
      await work.attempt("succeeded", [], planId),
      await work.attempt(),
    ]
    const written = await room.grace.write(
      "publish_finding",
      finding(room, {
        provenance: { execution: work.execution([own], [other], planId), papers: [] },
        evidence: [{ kind: "attempt_outcome", attemptId: cited, explanation: because }],
      }),
    )
    const told = written.warnings.filter(({ code }) => code === "attempt_not_of_plan")
    t.match(told, [{ attemptId: own }])
    const { warnings, execution } = await lab.record(written.result)
    t.match(
      warnings.filter(({ code }) => code === "attempt_not_of_plan"),
      [{ attemptId: own }],
    )
    t.strictSame(execution?.denominator.named, { producing: 1, baseline: 1, cited: 1 })
  },
)
