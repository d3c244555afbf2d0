/** What a body must not contain (protocol, sections 1 and 3): all faults reported at once, each with its path. */
import t from "tap"
import { because, finding, hypothesis } from "../../support/bodies.ts"
import { openLab, refusedAs } from "../../support/lab.ts"
import { Work } from "./work.ts"

const lab = await openLab(t)
const room = await lab.room()
const said = hypothesis(room)
const { assertion } = said
const undeclared = { type: "concept", key: "raises" } as const

t.test("undeclared concepts are reported beside schema faults in one invalid_schema", async (t) => {
  const [cause] = assertion.roles
  const both = { ...said, assertion: { ...assertion, predicate: undeclared, roles: [cause] } }
  t.equal(
    await refusedAs(room.ada.write("publish_hypothesis", both as never)),
    "422 invalid_schema /assertion/roles /assertion/predicate/key",
  )
  t.equal(
    await refusedAs(
      room.ada.write("publish_hypothesis", { ...said, assertion: { ...assertion, predicate: undeclared } }),
    ),
    "422 unknown_reference /assertion/predicate/key",
    "if only references are wrong, unknown_reference",
  )
})

t.test("names of roles and of arms are unique within their list", async (t) => {
  const [cause, effect] = assertion.roles as never as [
    (typeof assertion.roles)[number],
    (typeof assertion.roles)[number],
  ]
  const roles = [cause, { ...effect, role: cause.role }]
  t.equal(
    await refusedAs(room.ada.write("publish_hypothesis", { ...said, assertion: { ...assertion, roles } })),
    "422 invalid_schema /assertion/roles/1/role",
  )
  const arm = { name: "with", argv: ["train"] }
  const proposed = {
    roomId: room.roomId,
    threadId: room.threadId,
    question: "Is it so?",
    scope: "Here.",
    hypotheses: [],
  }
  const suggestedProtocol = { summary: "Two arms.", steps: [], arms: [arm, { ...arm, argv: ["train", "--more"] }] }
  t.equal(
    await refusedAs(room.ada.write("propose_experiment", { ...proposed, suggestedProtocol })),
    "422 invalid_schema /suggestedProtocol/arms/1/name",
  )
})

t.test("lists of ids hold no duplicates in any letter case", async (t) => {
  const { versionId } = (await room.ada.write("publish_hypothesis", said)).result
  const proposed = { roomId: room.roomId, threadId: room.threadId, question: "Is it so?", scope: "Here." }
  t.equal(
    await refusedAs(
      room.ada.write("propose_experiment", { ...proposed, hypotheses: [versionId, versionId.toUpperCase()] }),
    ),
    "422 invalid_schema /hypotheses",
  )
})

t.test(
  "supports and contradicts for one hypothesis in one link is 422 invalid_schema at /towardHypothesis",
  async (t) => {
    const work = await Work.begin(lab, room)
    const { versionId } = (await room.ada.write("publish_hypothesis", said)).result
    const found = (await room.ada.write("publish_finding", finding(room))).result
    const link = {
      experimentId: work.experimentId,
      findingVersionId: found.versionId,
      towardHypothesis: [
        { versionId, verdict: "supports" as const, explanation: because },
        { versionId: versionId.toUpperCase(), verdict: "contradicts" as const, explanation: because },
      ],
      towardQuestion: { verdict: "answers" as const, explanation: because },
    }
    t.equal(await refusedAs(room.ada.write("link_experiment_finding", link)), "422 invalid_schema /towardHypothesis")
  },
)

t.test(
  "failure is only for preflight_failed and failed, conclusion only for a concluded checkpoint: elsewhere they are 422",
  async (t) => {
    const work = await Work.begin(lab, room)
    const attemptId = await work.attempt()
    const { expected } = (await lab.reader.read("attempt", { attemptId })).affordances
    const event = {
      attemptId,
      ...expected,
      event: "progress" as const,
      reportedAt: new Date().toISOString(),
    } as never as object
    const reported = (more: object) => refusedAs(room.ada.write("report_attempt_event", { ...event, ...more } as never))
    t.equal(await reported({ failure: { stage: "run", explanation: because } }), "422 invalid_schema /failure")
    t.equal(
      await reported({ reproduction: { verdict: "reproduces", explanation: because } }),
      "422 invalid_schema /reproduction",
    )
    t.equal(await reported({ event: "failed" }), "422 invalid_schema /failure", "and there it is required")
    const { thread } = await lab.reader.read("thread_research_context", { threadId: room.threadId })
    const checkpoint = {
      threadId: room.threadId,
      expectedWatermark: thread.timelineWatermark,
      coversThrough: 0,
      synthesis: because,
      openQuestions: [],
      citations: [],
      conclusion: "It is so.",
    }
    t.equal(
      await refusedAs(room.ada.write("post_research_checkpoint", { ...checkpoint, state: "open" })),
      "422 invalid_schema /conclusion",
    )
  },
)

t.test("the manifest and the exported schemas declare it", async (t) => {
  const { operations } = (await (await fetch(`${lab.house.baseUrl}/api/manifest`)).json()) as {
    operations: { name: string; onlyWhen: { field: string }[] }[]
  }
  const only = Object.fromEntries(
    operations
      .filter(({ onlyWhen }) => onlyWhen.length > 0)
      .map(({ name, onlyWhen }) => [name, onlyWhen.map(({ field }) => field)]),
  )
  t.strictSame(only, {
    report_attempt_event: ["failure", "reproduction", "figures"],
    post_research_checkpoint: ["conclusion"],
    claim_work: ["object"],
  })
})
