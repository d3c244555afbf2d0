/** Three agents, one question: everything that the record says of their Room is so, on every door. */
import t from "tap"
import { RefusedError, type ResearchRoomClient } from "research-room/client"
import { codesOf } from "../../support/lab.ts"
import { errors, openStudy, studyAnswer, studyTable } from "../../support/study.ts"

const study = await openStudy(t)
const { own, reader, roomId, checkpointId } = study

t.test("runs of 1,000 and of 5,000 updates, told by a flag alone, are cells of their own", async (t) => {
  const { from, table } = await reader.read("room_table", { roomId })
  t.match(from, { kind: "checkpoint", id: checkpointId })
  const cells = (arm: string) =>
    table?.groups
      .filter(({ key }) => key.arm === arm && key.labels === 400)
      .map(({ settings, contrast }) => [settings.updates, Number(contrast?.estimate.toFixed(4))])
  t.same(cells("shift"), [
    [1000, -0.0012],
    [5000, -0.0034],
  ])
  t.match(
    table?.groups.every(({ contrast }) => contrast === null || contrast.pairedAcross === null),
    true,
    "no pair is made across code or settings",
  )
})

t.test("a cell of a table opens on the runs with its own settings", async (t) => {
  const asked = new URLSearchParams({ ...studyTable, by: studyTable.by.join() })
  for (const [updates, runs] of [
    [5000, /A1</],
    [1000, /A4</],
  ] as const) {
    const cell = new URLSearchParams(["arm:shift", "labels:50", `updates:${updates}`].map((each) => ["cell", each]))
    const page = await (await fetch(`${own.baseUrl}/rooms/${roomId}/table?${asked}&${cell}`)).text()
    const [, section = ""] = /<section aria-labelledby="cell"([\s\S]*?)<\/section>/.exec(page) ?? []
    const [attempts = ""] = /<table[^>]*>\s*<caption[^>]*>Attempts[\s\S]*?<\/table>/.exec(section) ?? []
    t.match(attempts, runs)
    t.match(attempts, new RegExp(`--updates ${updates}`))
    t.notMatch(attempts, new RegExp(`--updates ${6000 - updates}`))
  }
})

t.test("the conclusion was not born stale: what its author knew is a note", async (t) => {
  const checkpoint = await reader.read("checkpoint", { checkpointId })
  t.match(checkpoint, { stale: false, staleReasons: [] })
  t.same(
    checkpoint.knownThen.map(({ label, status }) => `${label} ${status}`),
    ["F4 corrected", "F7 disputed"],
    "F5's correction is one of the wording and puts nothing in doubt",
  )
  const brief = await fetch(`${own.baseUrl}/api/research/rooms/${roomId}/brief?format=markdown`)
  t.match(await brief.text(), "known when it was written: F4 was already corrected then (L1).")
})

t.test("a hypothesis counts the reproductions of its findings, and names the contrast and the size", async (t) => {
  const h1 = await study.record("H1")
  t.match(h1, {
    verdict: "contradicted",
    verdictFrom: {
      reproduced: [{ label: "F1", reproductions: 2, failedReproductions: 0, otherAgents: 2, otherCode: 1 }],
    },
  })
  const told = await (
    await fetch(`${own.baseUrl}/api/research/rooms/${roomId}/brief?format=markdown&budget=64000`)
  ).text()
  t.match(
    told,
    /contradicted by measured effects; newest: F1 contradicts it .*, which 2 other agents reproduced, 1 with /,
  )
  t.match(
    told,
    /measured error \(test\) of shift − baseline at labels 50 −/,
    "the effect that tells most, with its size",
  )
  t.match(told, /H2, supported in part, by measured effects/, "half right has a word")
  const { items } = await reader.read("record_evidence", { versionId: study.idOf("H2") })
  t.same(
    items.map(({ by, part }) => [by.label, part]),
    [
      ["F4", "after 1,000 updates"],
      ["F2", "at 50 and 100 labels"],
    ],
    "and so has each verdict",
  )
  const document = await (await fetch(`${own.baseUrl}/records/${study.idOf("H2")}.md`)).text()
  t.match(document, /^- supports, \[F2\]\S+ at 50 and 100 labels \(/m)
  for (const label of ["H1", "H2", "H3"]) {
    const { verdictFrom } = await study.record(label)
    for (const each of verdictFrom?.reproduced ?? []) {
      const { evidenceTally } = await study.record(each.label)
      const { reproductions, failedReproductions } = evidenceTally
      t.match(each, { reproductions, failedReproductions }, `${label} counts what the page of ${each.label} counts`)
    }
  }
})

t.test("the verdict of a contrast over the Room's table stands beside each effect", async (t) => {
  const { table } = await reader.read("room_table", { roomId })
  for (const label of ["F1", "F3", "F5", "F10"])
    for (const effect of (await study.record(label)).effects ?? []) {
      const cell = table?.groups.find(
        ({ key, attempts }) =>
          key.arm === effect.of.arm &&
          key.labels === effect.where.labels &&
          attempts.includes(label === "F3" ? "A4" : (attempts[0] ?? "")),
      )
      t.ok(effect.inTable, `${label} has a cell at ${String(effect.where.labels)} labels`)
      if (cell?.contrast && Object.keys(cell.settings).length === 0)
        t.match(effect.inTable, { estimate: cell.contrast.estimate, isDistinct: cell.contrast.isDistinct })
    }
  const told = await (
    await fetch(`${own.baseUrl}/api/research/rooms/${roomId}/brief?format=markdown&budget=64000`)
  ).text()
  t.match(told, /over the Room .*, told apart \(of 33\)/)
  t.match(told, /over the Room .*, not told apart \(of 33\)/)
  const path = `${own.baseUrl}/records/${study.idOf("F1")}`
  const [page, document] = await Promise.all([path, `${path}.md`].map(async (each) => (await fetch(each)).text()))
  t.match(document, /at labels 50: .*over the Room −2\.39 ±0\.27 points, told apart \(of 33\); A7 reproduces/)
  t.match(page, /All runs of the Room<\/th>.*?−2\.39.*?told apart.*?−1\.23.*?told apart.*?−0\.34/s)
})

t.test("what changed is told once for all: before, now, why and by whom", async (t) => {
  const told = [
    [
      "F4",
      "corrected",
      "After 1,000 updates smoothing helps too.",
      "After 1,000 updates smoothing helps at 50 labels alone.",
    ],
    ["F5", "reworded", "Dropout changes nothing.", "Dropout changes nothing at a rate of 0.2."],
    ["F7", "disputed", "Cutout raises the error.", null],
  ] as const
  const { changed, reproductionKinds, moreChanged } = await reader.read("room", { roomId })
  t.equal(moreChanged, 0)
  for (const [label, change, before, now] of told) {
    const found = changed.find((each) => each.label === label)
    t.match(found, { change, before, source: { kind: "link", label: /^L\d/ }, author: { agent: /-agent$/ } })
    t.equal(found?.now, now)
  }
  t.equal(changed.find(({ label }) => label === "F7")?.isAnswered, false)
  t.match(changed.find(({ label }) => label === "F4")?.why, "At 100 labels the interval holds zero.")
  const mixup = changed.find(({ change }) => change === "not_reproduced")
  t.match(mixup, {
    label: "F6",
    before: /^error \(test\) of mixup − baseline at labels 50 −0\.\d+ points/,
    now: /^error \(test\) of mixup − baseline at labels 50 0\.\d+ points/,
    source: { kind: "attempt" },
    author: { username: "grace" },
  })
  t.equal(changed.length, 4)
  t.same(
    reproductionKinds.map(({ by, implementation, reproductions, failed, of }) => [
      ...[by, implementation, reproductions, failed, of.join()],
    ]),
    [
      ["another_person", "same", 3, 1, "F1,F6,F8"],
      ["another_agent", "own", 1, 0, "F1"],
      ["author", "same", 1, 0, "F2"],
    ],
  )
  const checkpoint = await reader.read("checkpoint", { checkpointId })
  t.same([checkpoint.changed, checkpoint.reproductionKinds], [changed, reproductionKinds], "it cites all of them")

  const text = async (path: string) => (await fetch(`${own.baseUrl}${path}`)).text()
  const brief = await text(`/api/research/rooms/${roomId}/brief?format=markdown&budget=64000`)
  const sentence =
    'F4, corrected: "After 1,000 updates smoothing helps too." is now "After 1,000 updates smoothing helps at 50 ' +
    'labels alone.". At 100 labels the interval holds zero. (ada · agent mcp-agent, L1, '
  t.match(brief, sentence)
  t.match(
    brief,
    /^- F6, not reproduced: ".* −0\.95 points.*" was run again as ".* 0\.664 points/m,
    "F6 itself is as it was",
  )
  t.match(brief, "Reproductions: 3 with the same code by another person (F1, F6, F8; 1 failed); ")
  t.match(await text(`/checkpoints/${checkpointId}.md`), sentence)
  t.match(JSON.parse(await text(`/api/research/rooms/${roomId}/brief?budget=64000`)), {
    changed: changed.filter(({ change }) => change !== "disputed"),
  })
})

t.test("4,000 bytes hold the answer, the table and at least five of ten findings, in whole sentences", async (t) => {
  const answer = await fetch(`${own.baseUrl}/api/research/rooms/${roomId}/brief?format=markdown&budget=4000`)
  const brief = await answer.text()
  t.ok(Buffer.byteLength(brief) <= 4_000)
  t.match(brief, studyAnswer)
  t.match(brief, /\| shift \| .*−2\.39 ±0\.27\*/, "the table, with its largest differences")
  t.match(brief, /and \d+ more rows/, "and the others counted")
  const findings = brief.split("\n").filter((line) => /^- F\d+, (?:positive|negative|inconclusive)/.test(line))
  t.ok(findings.length >= 5, `${findings.length} findings`)
  for (const line of findings) {
    t.match(line, /Measured: error \(test\) of \w+ − baseline: \S+ ±\S+ points at labels 50( \(within .+?\))?, /)
    t.notMatch(line, "…", "no sentence is cut")
  }
  t.match(brief, "A11 does not reproduce (another person with the same code)")
  const order = ["Where it stands", "Unanswered disputes", "Findings", "Work", "What to do next", "Hypotheses"]
  const places = order.map((title) => brief.indexOf(`## ${title}`))
  t.same(
    places,
    places.toSorted((one, other) => one - other),
  )
  t.match(brief, `- and ${10 - findings.length} more\n`, "what is left out is counted")
})

t.test("so do 4,000 bytes of JSON, whose findings leave out what says nothing", async (t) => {
  const text = await (await fetch(`${own.baseUrl}/api/research/rooms/${roomId}/brief?budget=4000`)).text()
  t.ok(Buffer.byteLength(text) <= 4_000)
  const { stands, findings, omitted } = await reader.read("room_brief", { roomId, budget: 4_000 })
  t.match(stands, [{ says: studyAnswer, table: /\| shift \| .*−2\.39 ±0\.27\*/ }])
  t.equal(stands[0]?.knownThen, undefined)
  t.ok(findings.length >= 5, `${findings.length} findings`)
  for (const finding of findings) {
    const effect = /^error \(test\) of \w+ − baseline: \S+ ±\S+ points/
    t.match(finding, { outcome: /^\w+$/, says: /\.$/, effects: [effect] })
    t.equal(finding.evidence, undefined)
  }
  t.match(
    findings.find(({ label }) => label === "F8"),
    { tally: "1 reproduction, from 1 other person" },
  )
  t.match(
    findings.find(({ label }) => label === "F7"),
    { status: "disputed" },
  )
  t.equal(omitted.findings?.count, 10 - findings.length)
  const whole = await reader.read("room_brief", { roomId, budget: 64_000 })
  t.match(whole.findings[0], { status: "current", evidence: { reproductions: 0 }, inDoubt: false, reviewed: null })
})

t.test("a search finds the conclusion by its answer, whole", async (t) => {
  for (const query of ["shifting", "at every size", "few labels shift"]) {
    const page = await (await fetch(`${own.baseUrl}/search?${String(new URLSearchParams({ query }))}`)).text()
    t.match(page, "<mark>")
    t.ok(page.replaceAll(/<\/?mark>/g, "").includes(studyAnswer), query)
  }
})

t.test("the text and the reason of a correction stand on its target's read and page", async (t) => {
  for (const label of ["F4", "F5"]) {
    const record = await study.record(label)
    const [notice] = record.notices
    t.match(notice, { kind: "corrects", correction: /\.$/, explanation: /\.$/ }, label)
    const page = await (await fetch(`${own.baseUrl}/records/${record.versionId}`)).text()
    t.match(page, notice?.correction, `${label}'s page has the text`)
    t.match(page, notice?.explanation, "and the reason")
  }
})

t.test("reproductions stand beside the effect that they repeat, with who ran which code", async (t) => {
  const [first] = (await study.record("F1")).effects ?? []
  t.match(first?.reproductions, [
    { verdict: "reproduces", independence: { person: true, agent: true, code: false, commit: true } },
    { verdict: "reproduces", independence: { person: false, agent: true, code: true } },
  ])
  t.match(first?.pooled, { k: 3, method: "random_effects" })
  const [mixup] = (await study.record("F6")).effects ?? []
  t.match(mixup?.reproductions, [{ verdict: "does_not_reproduce" }])
})

const doors = async (label: string) =>
  Promise.all(
    [
      `/records/${study.idOf(label)}`,
      `/records/${study.idOf(label)}.md`,
      `/api/research/rooms/${roomId}/brief?format=markdown&budget=64000`,
    ].map(async (path) => ({ path, text: await (await fetch(`${own.baseUrl}${path}`)).text() })),
  )
const next = async () => (await reader.read("room_next", { roomId })).items
/** What `next` asks for, as "review_conclusion" or "write_finding E4". */
const asked = async () =>
  (await next()).map(({ what, object: { label } }) => `${what}${label === null ? "" : ` ${label}`}`)
const claimed = async () => (await reader.read("room_next", { roomId })).claims.map(({ what, agent }) => [what, agent])
const { "http-agent": http, "mcp-agent": mcp, "python-agent": python } = study.agents
const { goOn, idOf } = study

t.test("a denominator counts what could have been chosen, not what reproduced the finding", async (t) => {
  const counted = async (label: string) => {
    const { blemishes, execution } = (await study.record(label)) as {
      blemishes?: { unnamed: number }
      execution?: { denominator: { attempts: number; later: { attempts: number; reproductions: number } } }
    }
    return [blemishes?.unnamed, execution?.denominator.attempts, execution?.denominator.later]
  }
  t.same(await counted("F1"), [2, 3, { attempts: 3, reproductions: 2 }], "two of three, though five more ran since")
  t.same(await counted("F2"), [2, 3, { attempts: 4, reproductions: 1 }])
  t.same(await counted("F3"), [0, 1, { attempts: 0, reproductions: 0 }])
  for (const { path, text } of await doors("F1")) {
    t.match(text, "2 attempts of its experiment are not named", path)
    t.notMatch(text, /[3-9] attempts of its experiment are not named/, path)
  }
})

t.test("next asks for each thing that is left, and for nothing that is done", async (t) => {
  t.same(await asked(), [
    ...["answer_dispute F7", "settle_reproduction F6", "review_conclusion", "report_outcome A5"],
    ...["answer_question", "reproduce_finding F10", "reproduce_finding F3"],
    "reproduce_finding F2",
  ])
  const { evidenceTally } = await study.record("F2")
  t.match(
    evidenceTally,
    { reproductions: 1, otherAgents: 0 },
    "of F2, which is asked for, its author alone ran it again",
  )
})

t.test("one run of three planned arms does not depart from its plan, and its experiment wants a finding", async (t) => {
  const arms = ["baseline", "shift", "smoothing"]
  const command = (named: string) => ["python", "mlp.py", "--arm", named, "--updates", "5000"]
  const experiment = await goOn.propose(http, "Do shifting and smoothing add up?")
  await goOn.take(http, experiment)
  const { affordances } = await http.read("experiment", { experimentId: idOf(experiment) })
  const { result: plan } = await http.write("accept_plan", {
    ...{ experimentId: idOf(experiment), ...affordances.expected, repository: goOn.repository },
    ...{ hypotheses: [], premises: [], intent: "exploratory", requiredMaterials: [] },
    protocol: { summary: "Run it.", steps: [], arms: arms.map((name) => ({ name, argv: command(name) })) },
  })
  const planned = { intent: "planned" as const, planId: plan.planId, argv: command(arms.join(",")) }
  const run = await goOn.start(http, experiment, 5000, planned)
  t.notOk((await asked()).includes(`write_finding ${experiment}`), "its run has not ended")
  await goOn.tell(http, run, "succeeded", { metrics: errors(run, 5000, ["shift", "smoothing"]) })
  t.match(await reader.read("attempt", { attemptId: idOf(run) }), {
    planMatch: { argvMatchesPlan: true, arms: { covers: arms, missing: [], added: [] }, deviations: [] },
  })

  t.ok((await asked()).includes(`write_finding ${experiment}`))
  await http.write("claim_work", { object: idOf(experiment), what: "write_finding", minutes: 240 })
  await http.write("claim_work", { object: idOf(experiment), what: "run", minutes: 240 })
  t.notOk((await asked()).includes(`write_finding ${experiment}`), "another is at it")
  const again = await goOn.publish(
    http,
    "Shifting alone helps at 50 labels.",
    [experiment, run],
    goOn.effects(experiment, "shift", [50]),
  )
  t.same(await claimed(), [["run", "http-agent"]], "the claim on the finding ended with it")
  t.notOk((await asked()).includes(`write_finding ${experiment}`))
  t.match(await study.record(again), { blemishes: { attempts: 1, departing: 0, exploratory: 0, unnamed: 0 } })
  for (const { path, text } of await doors(again)) t.notMatch(text, /departs? from (?:its|their) plan/, path)
  const { affordances: ends } = await http.read("experiment", { experimentId: idOf(experiment) })
  await http.write("report_experiment_status", {
    ...{ experimentId: idOf(experiment), ...ends.expected, status: "completed", summary: "They add up in part." },
  })
  t.same(await claimed(), [], "nothing is left to run of an experiment that is completed")
})

t.test(
  "a claim on a reproduction ends with its outcome; one in an experiment of its own wants no finding",
  async (t) => {
    await python.write("claim_work", { object: idOf("F2"), what: "reproduce", minutes: 240 })
    t.notOk((await asked()).includes("reproduce_finding F2"))
    const experiment = await goOn.propose(python, "Does smoothing help in Grace's hands?")
    await goOn.take(python, experiment)
    await goOn.reproduce(python, "F2", experiment, ["smoothing"], 0)
    t.same(await claimed(), [])
    t.notOk((await asked()).includes("reproduce_finding F2"), "now another agent has")
    t.notOk((await asked()).includes(`write_finding ${experiment}`))
  },
)

t.test("of two agents that renew one conclusion in the same minute, one is told and refused", async (t) => {
  t.ok((await asked()).includes("renew_conclusion"), "a finding came after it")
  const { threadId } = study
  const claim = (by: ResearchRoomClient) =>
    by.write("claim_work", { threadId, what: "write_checkpoint" as const, minutes: 240 })
  t.same(codesOf(await claim(mcp)), [])
  t.notOk((await asked()).includes("renew_conclusion"), "it is claimed by who takes it")
  const { warnings } = await claim(http)
  t.match(warnings, [{ code: "claimed_by", agent: "mcp-agent", what: "write_checkpoint" }])
  const read = await goOn.watermark()
  const renew = (by: ResearchRoomClient, conclusion: string) =>
    by.write("post_research_checkpoint", {
      ...{ threadId, expectedWatermark: read, coversThrough: read, state: "concluded", synthesis: "As before." },
      ...{ answer: studyAnswer, conclusion, openQuestions: [], citations: [] },
    })
  const [one, other] = await Promise.allSettled([renew(mcp, "Shift and smooth."), renew(http, "Shift.")])
  t.equal(one.status, "fulfilled")
  t.equal(other.status, "rejected")
  if (other.status === "rejected" && other.reason instanceof RefusedError)
    t.match(other.reason, { refusal: "state_conflict", current: { between: [{ by: /mcp-agent/ }], moreBetween: 0 } })
  t.same(await claimed(), [["write_checkpoint", "http-agent"]], "the claim of the one who wrote it has ended")
  t.notOk((await asked()).includes("renew_conclusion"))
})

t.test("a claim on a review ends with the review, and next no longer asks for it", async (t) => {
  t.ok((await asked()).includes("review_conclusion"))
  const { checkpoint } = await reader.read("thread_research_context", { threadId: study.threadId })
  const target = checkpoint?.checkpointId ?? ""
  await python.write("claim_work", { object: target, what: "review", minutes: 240 })
  t.notOk((await asked()).includes("review_conclusion"))
  await python.write("submit_review", { target, verdict: "agrees", checked: ["wording"], explanation: "It follows." })
  t.same(await claimed(), [["write_checkpoint", "http-agent"]])
  t.notOk((await asked()).includes("review_conclusion"))
})
