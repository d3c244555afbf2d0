/**
 * Every interface says what the evidence says: receipts for agents, people and MCP, reads, Markdown, the tools of MCP
 * and the pages (protocol, sections 8, 9 and 15).
 */
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import t from "tap"
import { overHttp } from "../../mcp/agent.ts"
import { because, finding, hypothesis, nobody, reference } from "../../support/bodies.ts"
import { openLab, refusedAs } from "../../support/lab.ts"
import { Work } from "../record/work.ts"

const lab = await openLab(t)
const { reader } = lab
const { baseUrl, repositories } = lab.house
const room = await lab.room("Does a ramp lower the loss?")
const { roomId, ada, grace, mary } = room
const { token } = await lab.credential("ada", roomId, { label: "at every door" })
const agent = await overHttp(baseUrl, token)
t.teardown(() => agent.close())

/** Reads the text of a page, without markup. */
async function page(path: string): Promise<string> {
  const html = await (await fetch(`${baseUrl}${path}`)).text()
  return html
    .replaceAll(/<(script|style|svg|template)[^]*?<\/\1>/g, "")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ")
}
const document = async (path: string) => (await fetch(`${baseUrl}${path}`)).text()
const told = async (tool: string, input: object) => (await agent.call(tool, input)).text

t.test("a conclusion replaces the previous one, through any interface", async (t) => {
  const { threadId } = (await ada.write("create_thread", { roomId, title: "Concluded again and again" })).result
  let watermark = 1
  const body = (conclusion: string) => ({
    threadId,
    expectedWatermark: watermark,
    coversThrough: watermark,
    state: "concluded" as const,
    synthesis: "So far.",
    conclusion,
    openQuestions: [],
    citations: [],
  })
  const replaced: (string | null)[] = []
  const made: string[] = []
  const posted = (result: { checkpointId: string; supersedesCheckpointId: string | null }) => {
    made.push(result.checkpointId)
    replaced.push(result.supersedesCheckpointId)
    watermark += 1
  }
  posted((await ada.write("post_research_checkpoint", body("By an agent."))).result)
  posted((await lab.grace.write("post_research_checkpoint", body("By a person."))).result)
  posted((await agent.write("post_research_checkpoint", body("By MCP."))).result as never)
  const folder = t.testdir({})
  writeFileSync(join(folder, "research_room.py"), await document("/research_room.py"))
  const program = `import json, os, re, research_room
room = research_room.Room(os.environ["BASE"], os.environ["TOKEN"])
body = {re.sub("[A-Z]", lambda sign: "_" + sign[0].lower(), name): \
value for name, value in json.loads(os.environ["BODY"]).items()}
print(json.dumps(dict(room.post_research_checkpoint(**body)["result"])))`
  const env = { ...process.env, BASE: baseUrl, TOKEN: token, BODY: JSON.stringify(body("By Python.")) }
  const python = await promisify(execFile)("python3", ["-c", program], { cwd: folder, env })
  posted(JSON.parse(python.stdout))
  t.strictSame(replaced, [null, ...made.slice(0, -1)])

  const [first = "", , , last = ""] = made
  t.equal((await reader.read("checkpoint", { checkpointId: last })).supersedesCheckpointId, made[2])
  t.match(
    await told("read", { name: "checkpoint", parameters: { checkpointId: last } }),
    `"supersedesCheckpointId":"${made[2]}"`,
  )
  t.match(await page(`/checkpoints/${last}`), /Replaces the checkpoint before it/)
  t.match(await page(`/checkpoints/${first}`), /A newer checkpoint of this Thread replaces it/)
  t.notMatch(await page(`/checkpoints/${first}`), /Replaces/)
  for (const brief of [
    await document(`/api/research/threads/${threadId}/brief`),
    await told("brief", { threadId }),
    await document(`/threads/${threadId}.md`),
  ]) {
    t.match(brief, "By Python.")
    t.notMatch(
      brief.split("## Entries")[0],
      /By an agent|By a person|By MCP/,
      "a replaced conclusion is not shown as current",
    )
  }
})

t.test("an unknown Thread id is reported as an unknown Thread in every interface", async (t) => {
  const sentence = /There is no such Thread/
  const writes = [
    () => ada.write("post_message", { threadId: nobody, text: "Where?" }),
    () => ada.write("publish_finding", finding({ roomId, threadId: nobody })),
    () =>
      ada.write("propose_experiment", { roomId, threadId: nobody, question: "Where?", scope: "Here.", hypotheses: [] }),
    () => lab.ada.write("post_message", { threadId: nobody, text: "Where?" }),
    () => reader.read("thread_brief", { threadId: nobody }),
    () => reader.read("thread_timeline", { threadId: nobody }),
  ]
  for (const write of writes) {
    const refusal = await write().catch((error: Error) => error)
    t.match(
      refusal,
      { status: 404, refusal: "room_unavailable", message: sentence },
      "its code is the interface's for a Room or a Thread",
    )
  }
  const ofAnother = { roomId, threadId: lab.house.rooms.main.openingThreadId }
  t.equal(await refusedAs(ada.write("publish_hypothesis", hypothesis(ofAnother))), "404 room_unavailable")
  for (const [tool, input] of [
    ["brief", { threadId: nobody }],
    ["open", { threadId: nobody }],
    ["write", { operation: "post_message", input: { threadId: nobody, text: "Where?" } }],
  ] as const)
    t.match(await told(tool, input), sentence, tool)
  t.match(await page(`/threads/${nobody}`), sentence)
  t.match(await document(`/threads/${nobody}.md`), sentence)
})

t.test(
  "every interface gives the same evidence for findings of the same attempts, and for who reproduced them",
  async (t) => {
    const { versionId } = (await ada.write("publish_hypothesis", hypothesis(room))).result
    const work = await Work.begin(lab, room, { hypotheses: [versionId] })
    const planId = await work.plan()
    const [attemptId] = [await work.attempt(), await work.attempt("failed")]
    const said = (wording: string, plan?: string) =>
      finding(
        room,
        {
          outcome: "negative",
          provenance: { execution: work.execution([attemptId], [], plan), papers: [] },
          references: [reference(versionId, "contradicts")],
        },
        wording,
      )
    const first = await grace.write("publish_finding", said("The ramp raised the loss.", planId))
    const ofPlan = {
      code: "attempt_not_of_plan",
      label: "A1",
      message: /names P1, but A1 was registered without a plan/,
    }
    t.match(first.warnings, [ofPlan])
    const again = { operation: "publish_finding", input: said("It was raised again.", planId) }
    const same = { code: "same_effect", label: first.target.label }
    const byMcp = [
      { code: "attempt_not_of_plan", message: ofPlan.message },
      { code: "same_effect", message: new RegExp(`^${same.label} reports the same result`) },
    ]
    t.match((await agent.call("rehearse", again)).body.warnings, byMcp, "MCP shows its author both")
    await mary.write("publish_finding", said("It was raised, says mary."))
    const repeated = crypto.randomUUID()
    const { url, commit } = repositories.public
    await mary.write("register_attempt", {
      attemptId: repeated,
      experimentId: work.experimentId,
      intent: "reproduction",
      reproduces: { attemptId },
      repository: { url, commit },
      argv: ["run"],
      configuration: {},
      inputs: [],
    })
    const at = { attemptId: repeated, reportedAt: new Date().toISOString() }
    await mary.write("report_attempt_event", {
      ...at,
      event: "started",
      expectedRevision: 1,
      expectedStatus: "registered",
    })
    await mary.write("report_attempt_event", {
      ...at,
      event: "succeeded",
      expectedRevision: 2,
      expectedStatus: "started",
      reproduction: { verdict: "reproduces", explanation: because },
    })
    const found = first.result.versionId

    t.match(
      (await lab.record({ versionId })).evidenceTally,
      { contradicts: 1, independent: 1 },
      "two findings of one attempt count as one voice",
    )
    t.match(await document(`/records/${versionId}.md`), /Evidence: 1 against it, from 1 other person\./)
    t.match(await told("open", { versionId }), /Evidence: 1 against it, from 1 other person\./)
    t.match(await page(`/records/${versionId}`), /1 contradicts by 1 person, independent of its author/)
    t.match(
      await page(`/records/${versionId}`),
      /does not count: replaced by a newer verdict from the same finding or attempts/,
    )

    t.match((await lab.record({ versionId: found })).evidenceTally, { reproductions: 1, independent: 1 })
    t.match(await told("evidence", { versionId: found }), /"source":"reproduction","verdict":"reproduces"/)
    t.match(
      await told("open", { versionId: found }),
      /Evidence: 1 reproduction, from 1 other person\.[^]*reproduces, \[A3\]/,
    )
    t.match(await page(`/records/${found}`), /1 reproduction by 1 person, independent of its author/)
    for (const warned of [await told("open", { versionId: found }), await page(`/records/${found}`)])
      t.match(warned, /names P1, but A1 was registered without a plan/)

    const brief = await reader.read("room_brief", { roomId, budget: 64_000 })
    t.strictSame(
      brief.findings.map(({ label, outcome, evidence }) => [label, outcome, evidence?.reproductions]),
      [
        ["F2", "negative", 1],
        ["F1", "negative", 1],
      ],
    )
    t.strictSame(
      brief.failures.map(({ label }) => label),
      ["A2"],
      "a sound negative finding is not a failure",
    )
    for (const markdown of [await told("brief", { roomId }), await document(`/rooms/${roomId}.md`)]) {
      const [, after = ""] = markdown.split(/^## What failed/m)
      t.match(
        markdown,
        /^## Findings\n(?:.*\n)*?- F1, negative: The ramp raised the loss\. \[1 reproduction, from 1 other person; /m,
      )
      t.notMatch(after.split("\n## ")[0], /F[12]/)
    }
    const overview = await page(`/rooms/${roomId}`)
    t.match(overview, /Findings .*F1 negative .*What failed failed A2 running/)
    t.notMatch(/What failed (.*?) (?:What changed|Reproductions by kind|Sign in|Threads)/.exec(overview)?.[1], /F[12]/)
  },
)

t.test(
  "an answered dispute reads as answered, and a conclusion that cites a fallen record as stale, in every interface",
  async (t) => {
    const { versionId } = (await ada.write("publish_hypothesis", hypothesis(room, {}, "A ramp is enough."))).result
    const dispute = await mary.write("assert_dispute", {
      targetVersionId: versionId,
      explanation: "The batch was changed too.",
    })
    const { linkId } = dispute.result
    const doors = async () => [
      await document(`/records/${versionId}.md`),
      await told("open", { versionId }),
      await page(`/records/${versionId}`),
      await page(`/links/${linkId}`),
    ]
    for (const said of await doors()) t.notMatch(said, /answered/)
    await ada.write("post_message", {
      threadId: room.threadId,
      text: "It was the same.",
      replyToEntryId: dispute.entry?.entryId ?? "",
    })
    for (const said of await doors())
      t.match(said, /answered by its author's reply|Its author has answered|Its author answered by a reply/)
    t.match(
      await page(`/records/${versionId}`),
      /disputed it[^.]*: The batch was changed too\. Its author has answered\./,
    )

    const fallen = (await grace.write("publish_finding", finding(room, {}, "It was the wrong split."))).result
    const known = (await grace.write("publish_finding", finding(room, {}, "It was the wrong seed."))).result
    await grace.write("assert_retraction", { targetVersionId: known.versionId, explanation: because })
    const { thread } = await reader.read("thread_context", { threadId: room.threadId })
    const concluded = {
      threadId: room.threadId,
      expectedWatermark: thread.timelineWatermark,
      coversThrough: thread.timelineWatermark,
      state: "concluded",
      synthesis: "So far.",
      conclusion: "It does.",
      openQuestions: [],
      citations: [fallen.versionId, versionId, known.versionId],
    }
    const receipt = await agent.write("post_research_checkpoint", concluded)
    t.match(receipt.warnings, [
      { code: "names_disputed" },

      { code: "names_retracted", message: `It names ${known.label}, which is retracted.` },
    ])
    await grace.write("assert_retraction", { targetVersionId: fallen.versionId, explanation: because })
    const { checkpointId = "" } = receipt.result as { checkpointId?: string }
    const reason = { code: "citation_fallen", label: fallen.label, status: "retracted" }
    t.match(
      (await reader.read("checkpoint", { checkpointId })).staleReasons,
      [reason],
      "an answered dispute is not a reason, and neither is what had fallen before",
    )
    for (const said of [await told("brief", { roomId }), await document(`/threads/${room.threadId}.md`)])
      t.match(said, new RegExp(`known when it was written: ${known.label} was already retracted then`))
    for (const said of [
      await told("brief", { roomId }),
      await told("brief", { threadId: room.threadId }),
      await page(`/rooms/${roomId}`),
      await page(`/threads/${room.threadId}`),
      await page(`/checkpoints/${checkpointId}`),
    ])
      t.match(said, new RegExp(`${fallen.label} ?, which it cites, is retracted`))
  },
)

t.test("the search page applies its filters as the read does", async (t) => {
  const { items } = await reader.read("search", { query: "grace", roomId })
  t.match(
    items.filter(({ kind }) => kind === "person"),
    [{ title: "grace" }],
    "people of the Room",
  )
  const path = (more: string) => `/search?query=ramp&${more}`
  t.match(await page(`/search?query=grace&roomId=${roomId}&kinds=person`), /person grace/)
  t.notMatch(await page(path(`roomId=${lab.house.rooms.empty.roomId}`)), /raised the loss/)
  t.match(await page(path(`roomId=${roomId}&author=mary`)), /F2 finding mary/)
  t.notMatch(await page(path(`roomId=${roomId}&author=mary`)), /A ramp lowers the loss/)
  for (const wrong of ["status=zzz", "author=nobody-at-all", `roomId=${nobody}`, "since=yesterday", "kinds=zzz"]) {
    const answer = await fetch(`${baseUrl}${path(wrong)}`)
    t.ok([404, 422].includes(answer.status), `${wrong}: ${answer.status}`)
  }
})
