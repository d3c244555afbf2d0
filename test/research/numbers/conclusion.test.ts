/**
 * A run that lies about its loss is found by its log. A conclusion with one invented number is told by its rehearsal,
 * its receipt, its page, the brief, the document and MCP; nothing is refused for it.
 */
import { randomUUID } from "node:crypto"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { withNumbers } from "../../../src/web/linked-numbers.ts"
import { ask } from "../../support/ask.ts"
import { finding } from "../../support/bodies.ts"
import { openLab } from "../../support/lab.ts"
import { eras, overHttp } from "../../mcp/agent.ts"
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
  t.ok((await text(`/rooms/${roomId}`)).includes(words), "the Room's first page")
  const brief = await lab.reader.text("room_brief", { roomId, format: "markdown" })
  t.ok(brief.includes(words), "the brief")
  const { stands } = await lab.reader.read("room_brief", { roomId })
  t.match(stands, [{ numbers: words, numbersCheck: { numbers: 2, resolve: 1, unknown: 1 } }])

  const asked = { roomId, text: conclusion, versionId: result.versionId }
  for (const era of eras) {
    const agent = await overHttp(lab.house.baseUrl, undefined, era)
    const checked = await agent.call("read", { name: "check_text", parameters: asked })
    t.match(checked.body, {
      summary: { numbers: 2, resolve: 1, unknown: 1 },
      numbers: [
        { text: "0.95", state: "resolves" },
        { text: "3.77", state: "unknown" },
      ],
    })
    t.match((await agent.call("read", { name: "checkpoint", parameters: { checkpointId } })).body, { numbersCheck })
    await agent.close()
  }

  const done = await measured.work.complete("Shift ended at an error of 4.25, and blur at 6.66.")
  t.match(warned(done), [{ path: "/summary", text: "6.66", start: 45, end: 49 }], "a completed experiment says it too")
})

t.test("where nothing that was measured is a number, no number is found, and nothing breaks", async (t) => {
  const lab = await openLab(t)
  const room = await lab.room("No numbers")
  const measured = await measuring(lab, room)
  const nothing = [...arm("baseline", [0, 0, 0]), ...arm("shift", [0, 0, 0])].map((each) => ({
    ...each,
    value: "NaN" as const,
  }))
  const attemptId = await measured.attempt(nothing)
  const { roomId } = room
  const text = "Shift lowers the error by 0.95 to 4.25 in E1, A1 and all 3 seeds."
  const { numbers, labels } = await lab.reader.read("check_text", { roomId, text, attemptIds: [attemptId] })
  t.strictSame(
    numbers.map(({ text: number, state }) => `${number}: ${state}`),
    ["0.95: unknown", "4.25: unknown", "3: resolves"],
    "the seeds were there",
  )
  t.match(labels, [{ state: "current" }, { state: "current" }])
  await room.ada.write("post_message", { threadId: room.threadId, text })
  t.match(await (await fetch(`${lab.house.baseUrl}/threads/${room.threadId}`)).text(), "by 0.95 to 4.25")
})

t.test("a number at a step of a curve, and seeds that are given by a flag alone", async (t) => {
  const lab = await openLab(t)
  const room = await lab.room("Steps")
  const measured = await measuring(lab, room)
  const curve = [9.5, 7.25, 6.125].map((value, at) => ({ name: "loss", value, step: (at + 1) * 100 }))
  await measured.attempt(curve)
  const { roomId } = room
  const states = async (text: string) =>
    (await lab.reader.read("check_text", { roomId, text })).numbers.map(({ text: each, state }) => `${each}: ${state}`)
  t.strictSame(await states("A1 had a loss of 7.25 at step 200."), ["7.25: resolves", "200: setting"])
  t.strictSame(await states("A1 had a loss of 7.25 at step 300."), ["7.25: unknown", "300: setting"])
  t.strictSame(await states("A1 ended with a loss of 6.125."), ["6.125: resolves"])
  const { url, commit } = lab.house.repositories.public
  for (const [seed, value] of [3.1, 3.3, 3.5].entries())
    await measured.attempt([{ name: "error", value }], {
      repository: { url, commit },
      argv: ["python", "train.py", "--arm", "blur", "--seed", `${seed}`],
    })
  t.strictSame(await states("Blur reached an error of 3.3 over 3 seeds, in A2 to A4."), [
    "3.3: resolves",
    "3: resolves",
  ])
  t.strictSame(await states("Blur reached an error of 3.4 over 3 seeds, in A2 to A4."), ["3.4: unknown", "3: resolves"])
})

t.test("on pages a number that resolves is a link to where it comes from", async (t) => {
  const lab = await openLab(t)
  const room = await lab.room("Linked")
  const measured = await measuring(lab, room)
  const attemptId = await measured.attempt([...arm("baseline", [5.1, 5.3, 5.2]), ...arm("shift", [4.1, 4.4, 4.25])])
  const { threadId } = room
  const said = "In E1 the error of shift is 4.25, and `4.25` in code; at 9.75 it is not."
  const { result } = await measured.publish(room.ada, [attemptId], [], {
    assertion: finding(room, {}, said).assertion,
    limitations: "The error of shift is 4.25 over three seeds; nobody ran 8.88.",
  })
  const page = async (path: string) => (await fetch(`${lab.house.baseUrl}${path}`)).text()
  const { experimentId } = measured
  const link = (number: string) =>
    new RegExp(
      `<a class="number" href="/experiments/${experimentId}" aria-describedby="(number-[0-9]+)">` +
        `${number.replace(".", "\\.")}</a>` +
        `<span class="tip" role="tooltip" id="\\1">mean of error \\(arm = shift\\), E1: exactly 4\\.25, ` +
        "over 3 values, from A1</span>",
      "g",
    )
  const record = await page(`/records/${result.versionId}`)
  t.equal(record.match(link("4.25"))?.length, 2, "in its wording and its limitations")
  t.match(record, "<code>4.25</code>", "code is as it was written")
  t.match(record, "at 9.75 it is not", "and so is what is nowhere in the record")
  t.match(record, /numbers are in the record; not found: 9\.75, 8\.88/)
  t.match(await lab.reader.read("record", { versionId: result.versionId }), {
    numbersCheck: { unknown: 2, unresolved: ["9.75", "8.88"] },
  })
  await room.ada.write("post_message", { threadId, text: "E1 gives **4.25** as the error of shift, not 4.52." })
  const thread = await page(`/threads/${threadId}`)
  t.match(thread, link("4.25"))
  t.notMatch(thread, /class="number"[^>]*>4\.52/)
  t.strictSame(thread.match(/id="(number-[0-9]+)"/g)?.length, new Set(thread.match(/id="(number-[0-9]+)"/g)).size)
})

t.test("a finding that compares two arms speaks of them, and a metric may be named by its split", async (t) => {
  const lab = await openLab(t)
  const room = await lab.room("Two arms")
  const measured = await measuring(lab, room)
  const attemptId = await measured.attempt([
    ...arm("baseline", [5.1, 5.3, 5.2]),
    ...arm("shift", [4.1, 4.4, 4.25]),
    ...arm("baseline", [6.1, 6.3, 6.2], { name: "held-out loss" }),
    { name: "loss", split: "held-out", value: 7.125 },
  ])
  const { roomId } = room
  const { result } = await measured.publish(room.ada, [attemptId])
  const states = async (text: string, versionId?: string) => {
    const { numbers } = await lab.reader.read("check_text", { roomId, text, ...(versionId && { versionId }) })
    return numbers.map(({ text: number, state }) => `${number} ${state}`)
  }
  const said = "The error falls from 5.2 to 4.25, and not to 3.77."
  t.strictSame(await states(said, result.versionId), ["5.2 resolves", "4.25 resolves", "3.77 unknown"])
  t.strictSame(await states("A1 ends with a held-out loss of 7.125, not of 7.152."), [
    "7.125 resolves",
    "7.152 unknown",
  ])
})

t.test("when the ground of a number moves, both values are told", async (t) => {
  const lab = await openLab(t)
  const room = await lab.room("Moved")
  const measured = await measuring(lab, room)
  const attemptId = await measured.attempt([...arm("baseline", [5.1, 5.3, 5.2]), ...arm("shift", [4.1, 4.4, 4.25])])
  const { result } = await measured.publish(room.ada, [attemptId], [], {
    assertion: finding(
      room,
      {},
      "In E1 the error of shift is 4.25. At seed 1 the error of shift is 4.4. It is not 9.75.",
    ).assertion,
  })
  const { versionId } = result
  const check = async () => (await lab.reader.read("record", { versionId })).numbersCheck
  t.match(await check(), { moved: 0, unresolved: ["9.75"] })
  const { affordances } = await room.ada.read("attempt", { attemptId })
  await room.ada.write("report_attempt_event", {
    ...{ attemptId, ...affordances.expected, event: "progress", late: true, reportedAt: new Date().toISOString() },
    metrics: arm("shift", [4.1, 4.7, 4.55], { step: 1 }),
  } as never)
  t.match(await check(), { moved: 2, unresolved: ["9.75"] }, "a mean and a last value")
  const page = await (await fetch(`${lab.house.baseUrl}/records/${versionId}`)).text()
  t.match(
    page,
    /class="number moved"[^>]*>4\.25<\/a><span[^>]*>mean of error \(arm = shift\), E1: it was 4\.25, and is 4\.45/,
  )
  t.match(
    page,
    /class="number moved"[^>]*>4\.4<\/a><span[^>]*>error \(arm = shift, seed = 1\), A1: it was 4\.4, and is 4\.7/,
  )
  t.match(page, /2 of them as they were before; not found: 9\.75/)
})

t.test("numbers in rendered markup, whatever stands around them", (t) => {
  const number = (text: string, start: number) => ({
    ...{ text, start },
    link: { path: "/experiments/1", tip: 'exactly <5> & "more"', id: `number-${start}`, hasMoved: false },
  })
  const linked = (markup: string, ...numbers: string[]) =>
    withNumbers(markup, numbers.map(number), "/base")
      .replace(/<span class="tip".*?<\/span><\/span>/g, "")
      .replace(/<span class="with-tip"><a class="number" href="\/base\/experiments\/1" [^>]*>(.*?)<\/a>/g, "[$1]")
  t.equal(linked("<p>0.5 and 10.5, 0.50</p>", "0.5"), "<p>[0.5] and 10.5, 0.50</p>")
  t.equal(linked("<p>10.5, then 0.5</p>", "0.5"), "<p>10.5, then [0.5]</p>", "no part of another number")
  t.equal(linked("<code>7</code> <a href='/7'>7</a> 7", "7"), "<code>7</code> <a href='/7'>7</a> [7]")
  t.equal(linked("<math><mn>1</mn></math> then 2", "1", "2"), "<math><mn>1</mn></math> then [2]", "a formula hides one")
  t.equal(linked("a 5 % <em>5</em> H5", "5 %", "5"), "a [5 %] <em>[5]</em> H5")
  t.equal(linked("no number", "3"), "no number")
  t.match(withNumbers("5", [number("5", 1)], ""), "exactly &lt;5&gt; &amp; &quot;more&quot;")
  t.equal(linked('<img alt="a > 7 <b>"> 7', "7"), '<img alt="a > 7 <b>"> [7]', "an attribute stays as it is")
  t.end()
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
