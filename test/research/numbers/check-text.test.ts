/** Any text is checked against a Room: over HTTP without a credential, in many forms, and with hostile input. */
import t from "tap"
import { openLab } from "../../support/lab.ts"
import { arm, measuring } from "../measurements/measured.ts"
import { Filler } from "../record/filler.ts"
import { launch, reportedAt } from "../record/work.ts"

t.test("the numbers of a text and what they are", async (t) => {
  const lab = await openLab(t)
  const room = await lab.room("Numbers")
  const lesser = await measuring(lab, room)
  const attemptId = await lesser.attempt([
    ...arm("baseline", [5.1, 5.3, 5.2]),
    ...arm("shift", [4.1, 4.4, 4.25]),
    { name: "memory", value: 12_345, unit: "MiB" },
    { name: "entropy", value: 2.643, unit: "nat" },
  ])
  const { result } = await lesser.publish(room.ada, [attemptId])
  const { roomId } = room
  const check = (text: string, more: { versionId?: string; attemptIds?: string[] } = {}) =>
    lab.reader.read("check_text", { roomId, text, ...more })
  const states = async (text: string, more = {}) =>
    (await check(text, more)).numbers.map(({ text: number, state }) => `${number}: ${state}`)

  await t.test("a mean with its spread, its interval and its count", async (t) => {
    const { numbers, labels, summary } = await check(
      "In E1, shift reached an error of 4.250 ± 0.150 (3 seeds), see A1.",
    )
    t.match(numbers, [
      {
        ...{ text: "4.250", state: "resolves" },
        is: { kind: "mean", metric: "error", of: { kind: "experiment", label: "E1" }, group: { arm: "shift" }, n: 3 },
      },
      { text: "0.150", state: "resolves", is: { role: "sd" } },
      { text: "3", state: "resolves", is: { kind: "count" } },
    ])
    t.match(labels, [
      { text: "E1", state: "current" },
      { text: "A1", state: "current" },
    ])
    t.equal(summary.resolve, 3)
  })

  await t.test(
    "an effect of the record itself, its interval, and the same with the sign or the arm altered",
    async (t) => {
      const own = { versionId: result.versionId }
      t.same(await states("The error of shift is 0.95 lower than that of baseline.", own), ["0.95: resolves"])
      t.same(await states("The error of shift is 0.95 higher than that of baseline.", own), ["0.95: unknown"])
      t.same(await states("The error of shift against baseline: −0.95.", own), ["−0.95: resolves"])
      t.same(await states("The error of shift against baseline: +0.95.", own), ["+0.95: unknown"])
    },
  )

  await t.test("units, thousands, and what stands nowhere", async (t) => {
    t.same(await states("A1 took memory 12,345 MiB."), ["12,345 MiB: resolves"])
    t.same(await states("A1 took memory 12.06 GiB."), ["12.06 GiB: resolves"])
    t.same(await states("A1 took memory 12,345 ms."), ["12,345 ms: may_be"])
    t.same(await states("A1 had an entropy of 2.643 nats."), ["2.643 nats: resolves"])
    t.same(await states("Something was 77.123."), ["77.123: unknown"])
    t.same(await states("On 2026-11-28 with version 1.2.3, Table 4 and 95 % confidence."), [
      "2026-11-28: setting",
      "1.2.3: setting",
      "4: setting",
      "95 %: setting",
    ])
  })

  await t.test("a value of the split that the sentence names, and not of another", async (t) => {
    const split = (name: string, value: number) => ({ name: "accuracy", split: name, value })
    await lesser.attempt([split("train", 0.9375), split("test", 0.8125)])
    await lesser.attempt([split("train", 0.9125), split("test", 0.7725)])
    t.same(await states("A2 had a test accuracy of 0.8125."), ["0.8125: resolves"])
    t.same(await states("A2 had a train accuracy of 0.8125."), ["0.8125: may_be"])
  })

  await t.test("how many of the attempts came out so, not how many there are", async (t) => {
    await lesser.work.attempt("failed", [])
    t.same(await states("In E1, 1 of 4 trials failed."), ["1: resolves", "4: resolves"])
    t.same(await states("In E1, 4 of 4 trials failed."), ["4: unknown", "4: resolves"])
  })

  await t.test("labels that do not exist, and papers that nobody filed", async (t) => {
    const { labels, papers } = await check("F1 and F99 follow arXiv:2509.08713.")
    t.match(labels, [
      { text: "F1", state: "current" },
      { text: "F99", state: "unknown" },
    ])
    t.match(papers, [{ state: "unknown" }])
  })

  await t.test("what nobody can mean is told in time", async (t) => {
    const hostile = [
      "7".repeat(60_000),
      "0.5 ".repeat(10_000),
      `${"9".repeat(400)} and 1e999 and ١٢٣ and 1,234.5 and 1.234,5`,
      "-".repeat(59_000),
      "1,".repeat(30_000),
      ".".repeat(60_000),
      "E1 ".repeat(20_000),
      "\u202e4.25\u202c error of shift",
    ]
    for (const text of hostile) {
      const began = performance.now()
      const { summary } = await check(text)
      t.ok(performance.now() - began < 2_000, `${text.slice(0, 12)} in ${Math.round(performance.now() - began)} ms`)
      t.ok(summary.numbers <= 2_000)
    }
    const { numbers, summary } = await check(hostile[2] ?? "")
    t.equal(numbers.length, 5)
    t.equal(summary.unknown, 5)
    t.equal((await check("0.5 ".repeat(10_000))).summary.unread, 8_000)
  })

  await t.test("wrong requests are refused by name", async (t) => {
    const send = async (body: unknown, type = "application/json") => {
      const response = await fetch(`${lab.house.baseUrl}/api/research/rooms/${roomId}/check_text`, {
        ...{ method: "POST", headers: { "content-type": type }, body: JSON.stringify(body) },
      })
      return [response.status, ((await response.json()) as { refusal?: string }).refusal]
    }
    t.same(await send({ text: "1" }), [200, undefined])
    t.same(await send({}), [422, "invalid_parameter"])
    t.same(await send({ text: "x".repeat(60_001) }), [422, "invalid_parameter"])
    t.same(await send({ text: "1", more: 1 }), [422, "invalid_parameter"])
    t.same(await send([1]), [422, "invalid_schema"])
    t.same((await send({ text: "1" }, "text/plain"))[1], "not_json")
    t.same((await send({ text: "1", attemptIds: ["0198f3a0-dead-4ead-8ead-00000000dead"] }))[1], "unknown_attempt")
    const got = await fetch(`${lab.house.baseUrl}/api/research/rooms/${roomId}/check_text`)
    t.equal(got.status, 405)
  })
})

t.test("a write reads the 200 attempts of an experiment that its text names, and none of one of 201", async (t) => {
  const lab = await openLab(t)
  const { roomId, threadId, ada } = await lab.room("Many")
  const filler = new Filler(lab.file)
  t.teardown(() => filler.close())
  const owner = filler.person("ada")
  /** Registers attempts of one experiment, of which the first has a loss. */
  const experiment = (attempts: number, loss: number) => {
    const { experimentId } = filler.does(owner, "propose_experiment", {
      ...{ roomId, threadId, question: "Which?", scope: "Here.", hypotheses: [] },
    }).result
    filler.does(owner, "take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
    const expected = { expectedRevision: 2, expectedStatus: "claimed" } as const
    const [attemptId = ""] = Array.from({ length: attempts }, () => {
      const attemptId = filler.instance.world.id()
      filler.does(owner, "register_attempt", { attemptId, experimentId, ...launch, ...expected })
      return attemptId
    })
    const at = { attemptId, reportedAt }
    const registered = { expectedRevision: 1, expectedStatus: "registered" } as const
    filler.does(owner, "report_attempt_event", { ...at, event: "started", ...registered })
    const started = { expectedRevision: 2, expectedStatus: "started" } as const
    const metrics = [{ name: "loss", value: loss }]
    filler.does(owner, "report_attempt_event", { ...at, event: "succeeded", ...started, metrics })
  }
  await filler.fill(() => {
    experiment(200, 7.125)
    experiment(201, 3.625)
  })
  const through = (await lab.reader.read("thread_context", { threadId })).thread.timelineWatermark
  /** The numbers of a conclusion that its rehearsal does not find. */
  const unresolved = async (conclusion: string) => {
    const body = {
      ...{ threadId, expectedWatermark: through, coversThrough: through, state: "concluded" as const },
      ...{ synthesis: "Two experiments.", openQuestions: [], conclusion, citations: [] },
    }
    const { warnings } = await ada.write("post_research_checkpoint", body, { rehearse: true })
    return warnings.flatMap((warning) => (warning.code === "number_unresolved" ? [warning.text] : []))
  }
  t.same(await unresolved("E1 had a loss of 7.125."), [])
  t.same(await unresolved("E2 had a loss of 3.625."), ["3.625"])
  t.same(await unresolved("In A201 of E2 the loss was 3.625."), [], "a named attempt is read all the same")
})
