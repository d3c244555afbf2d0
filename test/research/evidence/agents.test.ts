/**
 * Two agents of one person work in a Room: everything they wrote names them, and their evidence says how independent it
 * is.
 */
import type { ResearchRoomClient, WriteInput } from "research-room/client"
import t from "tap"
import { areOtherAgents } from "../../../src/research/evidence/words.ts"
import { because, claim, finding, hypothesis } from "../../support/bodies.ts"
import { openLab } from "../../support/lab.ts"
import { reportedAt, Work } from "../record/work.ts"

const lab = await openLab(t)
const { reader } = lab
const room = await lab.room()
const { roomId } = room
const agent = (label: string) => lab.client("ada", roomId, { label })
const [mcp, sweeper] = [await agent("mcp"), await agent("sweeper")]
const [ofMcp, ofSweeper] = [
  { username: "ada", agent: "mcp" },
  { username: "ada", agent: "sweeper" },
]

const predicted = (await mcp.write("publish_hypothesis", hypothesis(room))).result
const quoted = (await sweeper.write("publish_cited_claim", claim(room))).result
const work = await Work.begin(lab, room, { holder: mcp, hypotheses: [predicted.versionId] })
const planId = await work.plan()
const attemptId = await work.attempt("succeeded", [], planId)
const found = (
  await mcp.write(
    "publish_finding",
    finding(room, { provenance: { papers: [], execution: work.execution([attemptId]) } }),
  )
).result

/** Registers a reproduction at a commit and with a seed, and reports that it reproduces. */
async function reproduced(
  who: Pick<ResearchRoomClient, "write">,
  reproduces: NonNullable<WriteInput<"register_attempt">["reproduces"]>,
  repository: { readonly url: string; readonly commit: string },
  seed: number,
): Promise<string> {
  const id = crypto.randomUUID()
  const run = {
    repository: { url: repository.url, commit: repository.commit },
    argv: ["run"],
    configuration: { seed },
    inputs: [],
  }
  await who.write("register_attempt", {
    attemptId: id,
    experimentId: work.experimentId,
    intent: "reproduction",
    reproduces,
    ...run,
  })
  const at = { attemptId: id, reportedAt }
  await who.write("report_attempt_event", {
    ...at,
    event: "started",
    expectedRevision: 1,
    expectedStatus: "registered",
  })
  const verdict = { verdict: "reproduces", explanation: because } as const
  await who.write("report_attempt_event", {
    ...at,
    event: "succeeded",
    expectedRevision: 2,
    expectedStatus: "started",
    reproduction: verdict,
  })
  return id
}

t.test("records, experiments, plans and attempts name the agent, in reads, lists, documents and pages", async (t) => {
  t.match((await lab.record(found)).author, ofMcp)
  t.match((await lab.record(quoted)).author, ofSweeper)
  const { experimentId } = work
  t.match(await reader.read("experiment", { experimentId }), {
    proposer: ofMcp,
    assignee: ofMcp,
    acceptedPlans: [{ acceptedBy: ofMcp }],
  })
  t.match((await reader.read("experiment_history", { experimentId })).items[0]?.author, ofMcp)
  t.match((await reader.read("attempt", { attemptId })).registrant, ofMcp)
  const { result } = await sweeper.write("assert_dispute", { targetVersionId: found.versionId, explanation: because })
  t.match((await reader.read("link", { linkId: result.linkId })).author, ofSweeper)
  t.match((await lab.record(found)).notices, [{ author: ofSweeper }])
  t.match((await reader.read("room_brief", { roomId })).disputes, [{ by: "ada", agent: "sweeper" }])
  await sweeper.write("withdraw_link", { linkId: result.linkId, explanation: because })
  const document = await (await fetch(`${lab.house.baseUrl}/records/${found.versionId}.md`)).text()
  t.match(document, /by ada · agent mcp,/)
  const page = await (await fetch(`${lab.house.baseUrl}/experiments/${experimentId}`)).text()
  t.match(page, /· agent <span dir="auto">mcp<\/span>/)
})

t.test("lists and search can be narrowed to an agent", async (t) => {
  const { items: own } = await reader.read("room_publications", { roomId, agent: "sweeper" })
  t.strictSame(
    own.map(({ versionId }) => versionId),
    [quoted.versionId],
  )
  t.strictSame((await reader.read("experiments", { roomId, agent: "sweeper" })).items, [])
  t.equal((await reader.read("attempts", { roomId, agent: "mcp" })).items.length, 1)
  const { items } = await reader.read("search", { query: "ramp", roomId, agent: "sweeper" })
  t.strictSame([...new Set(items.map(({ author }) => author.agent))], ["sweeper"])
  t.ok(items.some(({ id }) => id === quoted.versionId))
  t.strictSame((await reader.read("search", { query: "ramp", roomId, agent: "nobody" })).items, [])
})

t.test("evidence says how independent it is, in reads, documents and pages", async (t) => {
  const { public: pinned } = lab.house.repositories
  const otherCode = { url: pinned.url, commit: pinned.otherCommit }
  const same = await reproduced(sweeper, { attemptId }, pinned, 1)
  const [open] = (await reader.read("attempt", { attemptId })).reproductions
  t.match(open, {
    attemptId: same,
    registrant: ofSweeper,
    independence: { person: false, agent: true, code: false, commit: false, inputs: null },
  })
  const again = await reproduced(sweeper, { findingVersionId: found.versionId }, otherCode, 2)
  t.match((await reader.read("record_evidence", { versionId: found.versionId })).items[0], {
    by: { id: again },
    author: ofSweeper,
    independent: false,
    independence: { person: false, agent: true, code: false, commit: true, inputs: null },
  })
  t.match((await lab.record(found)).evidenceTally, { reproductions: 2, independent: 0, otherAgents: 1, otherCode: 0 })
  await reproduced(lab.grace, { attemptId: again }, otherCode, 3)
  t.match((await reader.read("attempt", { attemptId: again })).reproductions[0]?.independence, {
    person: true,
    agent: true,
    code: false,
    commit: false,
    inputs: true,
  })
  const text = async (path: string) => await (await fetch(`${lab.house.baseUrl}${path}`)).text()
  t.match(await text(`/records/${found.versionId}.md`), /2 reproductions, from another agent of ada\./)
  t.match(
    await text(`/records/${found.versionId}.md`),
    /reproduces, .*ada · agent sweeper.*; another agent of ada at another commit/,
  )
  t.match(
    await text(`/api/research/rooms/${roomId}/brief?format=markdown`),
    /2 reproductions, from another agent\s+of its author\]/,
  )
  t.match(await text(`/rooms/${roomId}/findings`), /from another agent of ada/)
  t.match(await text(`/attempts/${again}`), /grace<\/a>, another person with the same code and other inputs/)
})

t.test("Whether an agent that is not known is another one is not known either", async (t) => {
  const [one, other] = [
    { authorId: "ada", agent: "mcp" },
    { authorId: "ada", agent: null },
  ]
  t.equal(areOtherAgents([other], one), null)
  t.equal(areOtherAgents([one], other), null)
  t.equal(areOtherAgents([other, { authorId: "ada", agent: "sweeper" }], one), null)
  t.equal(areOtherAgents([other, one], one), false, "the same one among them is")
  t.equal(areOtherAgents([{ authorId: "ada", agent: "sweeper" }], one), true)
  t.equal(areOtherAgents([{ authorId: "grace", agent: null }], one), true, "another person's is another")
})
