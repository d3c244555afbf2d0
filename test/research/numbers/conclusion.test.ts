/**
 * A run that lies about its loss is found by its log. A conclusion with one invented number is told by its rehearsal,
 * its receipt, its page, the brief, the document and MCP; nothing is refused for it.
 */
import { randomUUID } from "node:crypto"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { ask } from "../../support/ask.ts"
import { openLab } from "../record/lab.ts"
import { arm, measuring } from "../measurements/measured.ts"

// shows: skill: numbers
t.test("an invented number", async (t) => {
  const lab = await openLab(t)
  const room = await lab.room("Invented")
  const measured = await measuring(lab, room)
  const attemptId = await measured.attempt([...arm("baseline", [5.1, 5.3, 5.2]), ...arm("shift", [4.1, 4.4, 4.25])])
  const { result } = await measured.publish(room.ada, [attemptId])
  const { roomId, threadId } = room
  const conclusion = "Shift lowers the error by 0.95 in E1, and to 3.77 with a longer warm-up of shift."
  const text = async (path: string, accept = "text/html") =>
    (await fetch(`${lab.house.baseUrl}${path}`, { headers: { accept } })).text()
  const watermark = async () => (await lab.reader.read("thread_context", { threadId })).thread.timelineWatermark
  const write = async (rehearse: boolean) => {
    const through = await watermark()
    return room.ada.write(
      "post_research_checkpoint",
      {
        ...{ threadId, expectedWatermark: through, coversThrough: through, state: "concluded" as const },
        ...{ synthesis: "One experiment.", openQuestions: [], conclusion, citations: [result.versionId] },
      },
      { rehearse },
    )
  }
  const lacking = { code: "number_unresolved", path: "/conclusion", text: "3.77", start: 45, end: 49 }

  const warned = (receipt: unknown) =>
    (receipt as { warnings: { code: string }[] }).warnings.filter(({ code }) => code === lacking.code)
  t.match(warned(await write(true)), [lacking], "the rehearsal names the one number, with its place")
  t.equal(conclusion.slice(lacking.start, lacking.end), lacking.text)

  const receipt = await write(false)
  t.match(warned(receipt), [lacking], "nothing is refused for it, and the receipt says the same")
  const { checkpointId } = receipt.result
  const { numbersCheck } = await lab.reader.read("checkpoint", { checkpointId })
  t.match(numbersCheck, { numbers: 2, resolve: 1, unknown: 1, unresolved: ["3.77"] })
  const words = "1 of its 2 numbers are in the record; not found: 3.77"
  t.ok((await text(`/checkpoints/${checkpointId}`)).includes(words), "its page")
  t.ok((await text(`/checkpoints/${checkpointId}.md`, "text/markdown")).includes(words), "its document")
  const brief = await lab.reader.text("room_brief", { roomId, format: "markdown" })
  t.ok(brief.includes(words), "the brief")
  const { stands } = await lab.reader.read("room_brief", { roomId })
  t.match(stands, [{ numbers: words }])
})

t.test("a run that lies about its loss is found by its log", async (t) => {
  const demo = await startResearchRoom()
  t.teardown(() => demo.close())
  const { roomId, openingThreadId: threadId } = demo.rooms.empty
  const owner = demo.client("owner_all")
  const reader = demo.client("owner_all", { retries: 0 })
  const printed = Array.from({ length: 300 }, (_, step) => `step ${step} loss ${(2 - step / 1000).toFixed(3)}`)
  const { body } = await ask(`${demo.baseUrl}/api/agent/research/logs`, {
    ...{ raw: new Uint8Array(Buffer.from(printed.join("\n"))), token: demo.credentials.owner_all.token },
    headers: { "content-type": "text/plain; charset=utf-8" },
  })
  const digest = String(body.digest)
  const { targetId: experimentId } = await owner.write("propose_experiment", {
    ...{ roomId, threadId, question: "Is it so?", scope: "Here.", hypotheses: [] },
  })
  await owner.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  const attemptId = randomUUID()
  const { url, commit } = demo.repositories.public
  let { result } = await owner.write("register_attempt", {
    ...{ attemptId, experimentId, intent: "exploratory", expectedRevision: 2, expectedStatus: "claimed" },
    ...{ repository: { url, commit }, argv: ["run"], configuration: {}, inputs: [] },
  })
  for (const more of [
    { event: "started" as const },
    { event: "succeeded" as const, log: { digest }, metrics: [{ name: "loss", value: 0.31 }] },
  ]) {
    const expected = { expectedRevision: result.revision, expectedStatus: result.status }
    const receipt = await owner.write("report_attempt_event", {
      ...{ attemptId, ...expected, reportedAt: new Date().toISOString(), ...more },
    } as never)
    result = receipt.result as typeof result
  }
  const text = `${result.label} ended with a loss of 0.31.`
  const { numbers } = await reader.read("check_text", { roomId, text })
  t.match(numbers, [{ state: "resolves", is: { kind: "metric", value: 0.31 } }], "it is what the run reported")
  const log = await (await fetch(`${demo.baseUrl}/api/research/attempts/${attemptId}/log?format=text&tail=1`)).text()
  t.match(log, /step 299 loss 1\.701/, "and its own log says another loss")
})
