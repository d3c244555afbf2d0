/**
 * Advisory warnings (protocol, section 8, last point): the same for every write in its receipt and in its rehearsal.
 */
import t from "tap"
import { limits } from "../../../src/contract/limits.ts"
import { because, finding, hypothesis, premise, reference, sha256 } from "../../support/bodies.ts"
import { openLab } from "../../support/lab.ts"
import { launch, losses, Work } from "./work.ts"

const lab = await openLab(t)
const { reader } = lab
const room = await lab.room()
const { ada } = room
type Receipt = { readonly warnings: readonly unknown[] }
const codes = ({ warnings }: Receipt) => (warnings as { code: string }[]).map(({ code }) => code)

/** Returns the warnings of a write, and checks that a rehearsal just before gives the same. */
async function advised(write: (options: { rehearse?: boolean }) => Promise<Receipt>): Promise<string[]> {
  const rehearsed = codes(await write({ rehearse: true }))
  const said = codes(await write({}))
  t.strictSame(rehearsed, said, "the rehearsal gives the warnings of the receipt")
  return said
}

const stated = async (more = {}) => (await ada.write("publish_hypothesis", hypothesis(room, more))).result.versionId
const fallen = await stated()
await ada.write("assert_retraction", { targetVersionId: fallen, explanation: because })
const place = { roomId: room.roomId, threadId: room.threadId }
const grounded = { retrospective: true } as const

t.test("a write that names a fallen record", async (t) => {
  const proposal = { ...place, question: "Is it so?", scope: "Here.", hypotheses: [fallen] }
  t.strictSame(await advised((how) => ada.write("propose_experiment", proposal, how)), ["names_retracted"])
  t.strictSame(await advised((how) => ada.write("reuse_record", { threadId: room.threadId, versionId: fallen }, how)), [
    "names_retracted",
  ])
  const speaking = finding(room, { ...grounded, references: [reference(fallen, "contradicts")] })
  t.strictSame(
    await advised((how) => ada.write("publish_finding", speaking, how)),
    ["names_retracted"],
    "it does not rest on it",
  )
  const resting = hypothesis(room, { premises: [premise(fallen)], references: [reference(fallen)] })
  t.strictSame(
    await advised((how) => ada.write("publish_hypothesis", resting, how)),
    ["rests_on_retracted"],
    "and each record is reported once",
  )
  const { timelineWatermark } = (await reader.read("thread_context", { threadId: room.threadId })).thread
  const checkpoint = {
    threadId: room.threadId,
    expectedWatermark: timelineWatermark,
    coversThrough: 0,
    synthesis: because,
    openQuestions: [],
  }
  const cited = await ada.write("post_research_checkpoint", { ...checkpoint, state: "open", citations: [fallen] })
  t.strictSame(codes(cited), ["names_retracted"])
})

t.test("a plan whose hypotheses or premises fell", async (t) => {
  const tested = await stated()
  const work = await Work.begin(lab, room)
  const planId = await work.plan({ hypotheses: [tested] })
  await ada.write("assert_dispute", { targetVersionId: tested, explanation: because })
  const { experimentId } = work
  const { expected } = (await reader.read("experiment", { experimentId })).affordances
  const { url, commit } = lab.house.repositories.public
  const run = { ...launch, repository: { url, commit }, attemptId: crypto.randomUUID(), experimentId, ...expected }
  const receipt = await ada.write("register_attempt", { ...run, intent: "planned", planId })
  t.match(receipt.warnings, [
    {
      code: "plan_rests_on_disputed",
      versionId: tested,
      plan: { planId },
      message: /^P\d+ rests on H\d+, which is disputed/,
    },
  ])
})

t.test("a material that is unobtainable or disputed", async (t) => {
  const { materialId } = (await ada.write("register_material", { ...place, reference: sha256("9"), name: "shards" }))
    .result
  const report = { materialId, uri: "https://data.example.org/shards" }
  await ada.write("report_material_location", { ...report, state: "unavailable" })
  const using = finding(room, { ...grounded, materials: [{ materialId, purpose: "Read." }] })
  t.strictSame(await advised((how) => ada.write("publish_finding", using, how)), ["material_unobtainable"])
  await room.grace.write("report_material_location", { ...report, state: "available" })
  t.strictSame(await advised((how) => ada.write("publish_finding", using, how)), ["material_disputed"])
})

t.test("a finding that is not retrospective and cites neither evidence nor execution", async (t) => {
  t.strictSame(await advised((how) => ada.write("publish_finding", finding(room), how)), ["cites_nothing"])
  t.strictSame(await advised((how) => ada.write("publish_finding", finding(room, grounded), how)), [])
})

t.test("a write that repeats itself", async (t) => {
  const sound = await stated()
  const doubled = hypothesis(room, { premises: [premise(sound), premise(sound)] })
  t.strictSame(await advised((how) => ada.write("publish_hypothesis", doubled, how)), ["premise_repeated"])
  const work = await Work.begin(lab, room)
  const attemptId = await work.attempt("succeeded", [losses])
  const execution = { experimentId: work.experimentId, attemptIds: [attemptId], baselineAttemptIds: [attemptId] }
  const twice = finding(room, { provenance: { execution, papers: [] } })
  t.strictSame(await advised((how) => ada.write("publish_finding", twice, how)), ["attempt_in_two_roles"])
})

t.test("a write that contradicts itself", async (t) => {
  const work = await Work.begin(lab, room)
  const { experimentId } = work
  const attemptId = await work.attempt("started")
  const { expected } = (await reader.read("attempt", { attemptId })).affordances
  const event = { attemptId, ...expected, event: "succeeded" as const } as never as {
    attemptId: string
    event: "succeeded"
  }
  const reported = (more: object) =>
    ada.write("report_attempt_event", { ...event, ...more } as never, { rehearse: true })
  const now = Date.now()
  const time = (milliseconds: number) => new Date(milliseconds).toISOString()
  t.strictSame(codes(await reported({ reportedAt: time(now), exitCode: 1 })), ["exit_code_contradicts"])
  t.strictSame(codes(await reported({ reportedAt: time(now), exitCode: 0 })), [])
  t.strictSame(codes(await reported({ reportedAt: time(now + 3_600_000) })), ["reported_in_future"])
  t.strictSame(codes(await reported({ reportedAt: time(now - 3_600_000) })), ["reported_before_registration"])
  const { registeredAt } = await reader.read("attempt", { attemptId })
  const slack = limits.clockSlackSeconds * 1_000
  for (const [before, codesThen] of [
    [slack, []],
    [slack + 1, ["reported_before_registration"]],
  ] as const)
    t.strictSame(
      codes(await reported({ reportedAt: time(Date.parse(registeredAt) - before) })),
      codesThen,
      `clocks may differ by a minute: ${before} ms`,
    )

  const found = (await ada.write("publish_finding", finding(room, grounded))).result
  const other = await stated()
  const link = {
    experimentId,
    findingVersionId: found.versionId,
    attemptId,
    towardHypothesis: [{ versionId: other, verdict: "supports" as const, explanation: because }],
    towardQuestion: { verdict: "answers" as const, explanation: because },
  }
  t.strictSame(await advised((how) => ada.write("link_experiment_finding", link, how)), [
    "attempt_not_named",
    "hypothesis_not_addressed",
  ])

  const idle = await Work.begin(lab, room)
  const report = {
    experimentId: idle.experimentId,
    expectedRevision: 2,
    expectedStatus: "claimed" as const,
    summary: because,
  }
  t.strictSame(codes(await ada.write("report_experiment_status", { ...report, status: "completed" })), [
    "completed_without_attempt",
  ])
})

t.test(
  "a checkpoint that covers less than an earlier one, or reopens a concluded one, gives the earlier one's id",
  async (t) => {
    const { threadId } = (await ada.write("create_thread", { roomId: room.roomId, title: "Elsewhere" })).result
    for (const text of ["one", "two"]) await ada.write("post_message", { threadId, text })
    const posted = async (coversThrough: number, more: { state: "open" | "concluded"; conclusion?: string }) => {
      const expectedWatermark = (await reader.read("thread_context", { threadId })).thread.timelineWatermark
      const body = {
        threadId,
        expectedWatermark,
        coversThrough,
        synthesis: because,
        openQuestions: [],
        citations: [],
        ...more,
      }
      return ada.write("post_research_checkpoint", body)
    }
    const first = await posted(2, { state: "concluded", conclusion: "It is so." })
    t.strictSame([codes(first), first.result.supersedesCheckpointId], [[], null])
    const second = await posted(1, { state: "open" })
    t.strictSame(codes(second), ["covers_less", "reopens_conclusion"])
    t.equal(second.result.supersedesCheckpointId, first.result.checkpointId)
    const { checkpointId } = second.result
    t.equal((await reader.read("checkpoint", { checkpointId })).supersedesCheckpointId, first.result.checkpointId)
    t.equal((await posted(3, { state: "open" })).result.supersedesCheckpointId, checkpointId)
  },
)

t.test("warning codes are defined once, and listed in the manifest", async (t) => {
  const { enumerations } = (await (await fetch(`${lab.house.baseUrl}/api/manifest`)).json()) as {
    enumerations: { warning: string[] }
  }
  for (const code of [
    "rests_on_retracted",
    "names_disputed",
    "material_disputed",
    "completed_without_attempt",
    "covers_less",
  ])
    t.ok(enumerations.warning.includes(code), code)
})
