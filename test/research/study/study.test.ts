/** Three agents, one question: everything that the record says of their Room is so, on every door. */
import t from "tap"
import { openStudy, studyAnswer } from "../../support/study.ts"

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
    /H1, contradicted by effects, newest F1 contradicts it .*, which 2 other agents reproduced, 1 with other code/,
  )
  t.match(
    told,
    /measured error \(test\) of shift − baseline at labels 50 −/,
    "the effect that tells most, with its size",
  )
  t.match(told, /H2, supported in part, by effects/, "half right has a word")
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
    t.match(line, /Measured: error \(test\) of \w+ − baseline: \S+ ±\S+ points at labels 50, /)
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
