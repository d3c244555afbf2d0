/** The receipt of a finding or of a reproduction tells the effects as they were worked out, on every door. */
import t from "tap"
import { overHttp } from "../../mcp/agent.ts"
import { ask, type Json } from "../../support/ask.ts"
import { because, finding } from "../../support/bodies.ts"
import { openLab } from "../../support/lab.ts"
import { reportedAt } from "../record/work.ts"
import { measuring, pairs } from "./measured.ts"

const lab = await openLab(t)
const room = await lab.room()
const lines = await measuring(lab, room)
const { baseUrl } = lab.house
const { token } = await lab.credential("ada", room.roomId)
const first = await lines.attempt(pairs(-1))
const body = {
  ...finding(room),
  provenance: { execution: lines.work.execution([first]), papers: [] },
  effects: [lines.shift, { ...lines.shift, of: { arm: "baseline" }, against: { arm: "shift" } }],
}
const sent = async (path: string, write: object, query = "") => {
  const answer = await ask(`${baseUrl}/api/agent/${path}${query}`, { token, body: write as Json })
  t.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}
const whole = (write: object, requestId: string = crypto.randomUUID()) => ({ schemaVersion: 3, requestId, ...write })

t.test("a finding's effects, in a rehearsal, a receipt, its retry, a batch and a small one", async (t) => {
  const told = [
    { sentence: /^error of shift − baseline: −1\.0\d*, 95 % −1\.\d+ to −0\.\d+, 5 pairs$/ },
    { sentence: /^error of baseline − shift: 1\.0\d*, 95 % 0\.\d+ to 1\.\d+, 5 pairs$/ },
  ]
  const write = whole(body)
  t.match(await sent("findings", write, "?rehearse=1"), { rehearsed: true, effects: told })
  const receipt = await sent("findings", write)
  t.match(receipt, { effects: told })
  const { effects } = await lab.record(receipt.result as unknown as { versionId: string })
  const figures = effects.map(({ sentence, estimate, low, high }) => ({ sentence, estimate, low, high }))
  t.same(receipt.effects, figures, "the figures of the record")
  t.match(await sent("findings", write), { replayed: true, effects: receipt.effects })
  const writes = [{ operation: "publish_finding", body: whole({ ...body, scope: "In a batch." }) }]
  t.match(await sent("research/batch", { schemaVersion: 3, writes }), { receipts: [{ effects: told }] })
  const agent = await overHttp(baseUrl, token)
  t.teardown(agent.close)
  t.match(await agent.call("write", { operation: "publish_finding", input: { ...body, scope: "By MCP." } }), {
    isError: false,
    text: /"effects":\[\{"sentence":"error of shift − baseline: −1\.0/,
  })
  t.notOk("effects" in (await sent("findings", whole({ ...body, effects: [] }))), "nothing without effects")
})

t.test("the effects of a reproduction, with the verdict on each", async (t) => {
  const { result } = await lines.publish(room.ada, [first])
  const attemptId = await lines.begin(room.grace, { findingVersionId: result.versionId })
  const { affordances } = await lab.reader.read("attempt", { attemptId })
  const outcome = {
    ...{ attemptId, event: "succeeded" as const, reportedAt, metrics: pairs(-0.4) },
    ...(affordances.expected as { expectedRevision: number; expectedStatus: "started" }),
    reproduction: {
      ...{ verdict: "reproduces" as const, explanation: because },
      repeats: [{ versionId: result.versionId, effect: 0 }],
    },
  }
  const told = [
    {
      ...{ sentence: /agrees with the first estimate/, estimate: Number, low: Number, high: Number },
      ...{ repeats: { versionId: result.versionId, effect: 0 }, verdict: "partly_reproduces" },
    },
  ]
  t.match(await room.grace.write("report_attempt_event", outcome), { effects: told })
  const other = await lines.begin(room.mary, { findingVersionId: result.versionId })
  t.notOk("effects" in (await lines.tell(room.mary, other, "progress", { metrics: pairs(-1) })))
})
