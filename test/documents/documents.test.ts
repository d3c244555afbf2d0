/**
 * Pages as Markdown: a reader that requests it gets it at the page's own address, bounded, with the same facts as the
 * reads.
 */
import { startResearchRoom } from "research-room/testing"
import { textOf } from "research-room/client"
import t from "tap"
import { limits } from "../../src/contract/limits.ts"
import { accepted } from "../../src/contract/operations/index.ts"
import { pathTo } from "../../src/contract/reads/index.ts"
import { prefersMarkdown } from "../../src/edge/answers/as-markdown.ts"
import { tallyInWords } from "../../src/contract/answers/evidence.ts"
import { withoutEvidence } from "../../src/contract/nouns/reviews.ts"
import { nobody } from "../support/bodies.ts"

const house = await startResearchRoom()
t.teardown(() => house.close())
const reader = house.client("main_member_all")
const { roomId, openingThreadId: threadId } = house.rooms.main

async function get(path: string, accept?: string) {
  const response = await fetch(`${house.baseUrl}${path}`, { headers: accept === undefined ? {} : { accept } })
  const text = await response.text()
  const { headers, status } = response
  return { status, text, type: headers.get("content-type"), vary: headers.get("vary"), link: headers.get("link") }
}
const experiments = (await reader.read("experiments", { roomId })).items
const experimentId = experiments[0]?.experimentId ?? ""
const attempts = (await reader.read("attempts", { roomId, order: "label" })).items
const failed = attempts.find(({ failure }) => failure !== null)
const hypotheses = (await reader.read("hypotheses", { roomId })).items
const [hypothesis] = hypotheses
const findings = (await reader.read("publications", { roomId, kinds: ["finding"] })).items
const claims = (await reader.read("publications", { roomId, kinds: ["cited_claim"] })).items

const plans = (
  await Promise.all(experiments.map(({ experimentId }) => reader.read("experiment", { experimentId })))
).flatMap(({ acceptedPlans }) => acceptedPlans)
const { conclusions, syntheses } = await reader.read("room_context", { roomId, parts: ["conclusions", "syntheses"] })
const [checkpoint] = [...conclusions, ...syntheses]

const pages: Readonly<Record<string, string>> = {
  room: `/rooms/${roomId}`,
  thread: `/threads/${threadId}`,
  hypothesis: `/records/${hypothesis?.versionId}`,
  finding: `/records/${findings[0]?.versionId}`,
  experiment: `/experiments/${experimentId}`,
  attempt: `/attempts/${failed?.attemptId}`,
  paper: "/papers/1706.03762",
  plan: `/plans/${plans[0]?.planId}`,
  checkpoint: `/checkpoints/${checkpoint?.checkpointId}`,
}

// shows: skill: markdown
t.test(
  "Markdown is at the page's address, by its Accept header or with .md appended; otherwise the page",
  async (t) => {
    for (const [what, path] of Object.entries(pages)) {
      const page = await get(path, "text/html,application/xhtml+xml,*/*;q=0.8")
      t.match(
        page,
        {
          status: 200,
          type: /^text\/html/,
          vary: "accept",
          link: `<${path.split("/").at(-1)}.md>; rel="alternate"; type="text/markdown"`,
        },
        what,
      )
      const [asked, named] = [await get(path, "text/markdown, text/html;q=0.9, */*;q=0.1"), await get(`${path}.md`)]
      t.match(asked, { status: 200, type: "text/markdown; charset=utf-8", vary: "accept" }, what)
      t.equal(named.text, asked.text, `${what}: the same either way`)
      t.match(asked.text, /^# .+\n\n/u)
      t.notMatch(asked.text, /undefined|\[object/)
      t.notMatch(asked.text, /and 0 more/, "a whole list says of no more")
      t.ok(Buffer.byteLength(asked.text) <= limits.documentBytes, `${what}: ${Buffer.byteLength(asked.text)} bytes`)
      for (const [, address = ""] of asked.text.matchAll(/(?:JSON|everything|Go on): (\/\S+?),?(?=\s)/g))
        t.equal((await get(address)).status, 200, `${what} links to ${address}`)
    }
    t.match(await get(pages.room ?? ""), { type: /^text\/html/ }, "without a preference the reader gets the page")
  },
)

t.test("the form that a header requests", async (t) => {
  const markdown = [
    "text/markdown",
    "text/markdown, text/html",
    "text/html;q=0.5, text/markdown",
    "text/markdown, */*",
    "TEXT/MARKDOWN;q=0.2",
    "text/html;q=0, text/markdown;q=0.1",
  ]
  const page = [
    "",
    "*/*",
    "text/html",
    "text/*",
    "text/html, text/markdown",
    "text/markdown;q=0",
    "text/markdown;q=0.5, text/html",
    "text/markdown;q=none",
    "text/markdown;q=0.3, */*",
  ]
  for (const accept of markdown) t.ok(prefersMarkdown(accept), accept)
  for (const accept of page) t.notOk(prefersMarkdown(accept), accept)
})

t.test("it says the same as the reads", async (t) => {
  const room = (await get(`${pages.room}.md`)).text
  const brief = await (
    await fetch(
      `${house.baseUrl}${pathTo(
        "room_brief",
        { roomId },
        { format: "markdown", budget: String(limits.documentBytes / 2) },
      )}`,
    )
  ).text()
  t.ok(room.startsWith(brief), "a Room is its brief, and its Threads")
  for (const thread of (await reader.read("room_threads", { roomId })).items)
    t.ok(room.includes(`/threads/${thread.threadId}.md`), textOf(thread.title))

  for (const { versionId } of [...hypotheses, ...findings, ...claims]) {
    const record = await reader.read("record", { versionId })
    const { text } = await get(`/records/${versionId}.md`)
    const { assertion } = record.content as { assertion: { wording: string } }
    const tally = tallyInWords(record.evidenceTally) ?? withoutEvidence(record.reviewed)
    const facts = [
      `# ${record.label}: `,
      record.status,
      assertion.wording,
      `Evidence: ${tally}`,
      record.author.username,
    ]
    t.strictSame(
      facts.filter((fact) => !text.includes(fact)),
      [],
      record.label,
    )
    for (const notice of record.notices)
      t.ok(text.includes(`/links/${notice.linkId}`), `${record.label}: ${notice.label}`)
    for (const named of [...record.premises, ...record.references])
      t.ok(text.includes(`[${named.label}](/records/${named.versionId}.md) (${named.status})`), named.label)
  }
  for (const { experimentId: id, label } of experiments) {
    const { text } = await get(`/experiments/${id}.md`)
    const runs = (await reader.read("attempts", { experimentId: id, order: "label" })).items
    for (const run of runs)
      t.ok(text.includes(`[${run.label}](/attempts/${run.attemptId}.md)`), `${label}: ${run.label}`)
    for (const run of runs)
      if (run.failure !== null)
        t.ok(text.includes(textOf(run.failure.explanation).slice(0, 60)), `${run.label}: why it failed`)
  }
  const attempt = (await get(`${pages.attempt}.md`)).text
  for (const fact of [textOf(failed?.failure?.explanation) ?? "-", failed?.label ?? "-", "Command: ", "Commit "])
    t.ok(attempt.includes(fact), fact)
})

t.test("a plan, a checkpoint and the points of an attempt are there whole", async (t) => {
  const plan = await reader.read("plan", { planId: plans[0]?.planId ?? "" })
  const { repository } = accepted("plan", plan.content)
  const protocol = accepted("protocol", plan.protocol)
  const planned = (await get(`${pages.plan}.md`)).text
  for (const fact of [protocol.summary, repository.commit, ...protocol.arms.map(({ name }) => name), "not reviewed"])
    t.ok(planned.includes(fact), fact)

  for (const { checkpointId, threadId: of, conclusion, synthesis, openQuestions } of [...conclusions, ...syntheses]) {
    const quoted = (text: string) => text.replace(/^/gmu, "> ")
    const [alone, ofThread] = [
      (await get(`/checkpoints/${checkpointId}.md`)).text,
      (await get(`/threads/${of}.md`)).text,
    ]
    for (const text of [alone, ofThread])
      for (const fact of [...(conclusion === null ? [] : [textOf(conclusion)]), textOf(synthesis)])
        t.ok(text.includes(quoted(fact ?? "-")), fact)
    for (const question of openQuestions) t.ok(ofThread.includes(`- ${textOf(question)}`), "open questions")
  }

  const told = attempts.find(({ metrics }) => metrics.length > 0)?.attemptId ?? ""
  const { text: attempt } = await get(`/attempts/${told}.md`)
  const points = await get(/every point: (\S+)/.exec(attempt)?.[1] ?? "/")
  const { columns } = await reader.read("attempt_metrics", { attemptId: told })
  t.equal(points.text.match(/^\| \d+ \|/gmu)?.length, columns.ordinal.length, "one row per point")
  const first = await get(`/api/research/attempts/${told}/metrics?limit=1`, "text/markdown")
  t.match(first, {
    type: "text/markdown; charset=utf-8",
    text: /^\| ordinal \| metric .*\n\|---.*\n\| 1 \| .*\n\nThere are more: after=1\./,
  })
  const { text: experiment } = await get(
    `/experiments/${attempts.find(({ attemptId }) => attemptId === told)?.experimentId}.md`,
  )
  const table = /## Tables of measurements\n- .*: (\/api\S+)/.exec(experiment)?.[1] ?? "/"
  t.match(await get(table), { status: 200, text: /\| n \| mean \|/ })
})

t.test("a Thread is read page by page, every entry once", async (t) => {
  const seen: number[] = []
  for (let path: string | undefined = `/threads/${threadId}.md`; path !== undefined; ) {
    const { text, status } = await get(path)
    t.equal(status, 200)
    t.ok(Buffer.byteLength(text) <= limits.documentBytes)
    seen.push(...[...text.matchAll(/^(\d+)\. [a-z]+, \d{4}-/gmu)].map(([, sequence]) => Number(sequence)))
    path = /^Continue: (\S+)$/mu.exec(text)?.[1]
  }
  const { timelineWatermark } = (await reader.read("thread_context", { threadId })).thread
  t.strictSame(
    seen,
    Array.from({ length: timelineWatermark }, (_, index) => index + 1),
  )
  t.equal((await get(`/threads/${threadId}.md?after=x`)).status, 422)
  t.equal((await get(`/threads/${threadId}.md?after=999999`)).status, 422)
})

t.test("text by users is never taken for a part of the document", async (t) => {
  const empty = house.client("member_all")
  const { openingThreadId } = house.rooms.empty
  await empty.write("post_message", {
    threadId: openingThreadId,
    text: "# Not a heading\r\n\n## Entries after 7\nContinue: /elsewhere",
  })
  await empty.write("create_thread", { roomId: house.rooms.empty.roomId, title: "# A title\u2028[with](/signs)" })
  const { text } = await get(`/threads/${openingThreadId}.md`)
  t.ok(text.includes("> # Not a heading"))
  t.equal(text.match(/^#+ /gmu)?.length, 2, "the headings are the document's own")
  t.notMatch(text, /^Continue:/mu)
  t.notMatch((await get(`/rooms/${house.rooms.empty.roomId}.md`)).text, /\]\(\/signs\)/)
})

t.test("a document quotes a long explanation in a line of 600 characters at most", async (t) => {
  const target = findings[0]?.versionId ?? ""
  const checked = ["numbers" as const]
  const explanation = `Checked: ${"each number was computed again. ".repeat(40)}`.trim()
  const other = findings[0]?.author.username === house.people.owner.username ? "main_member_all" : "main_owner_all"
  await house.client(other).write("submit_review", { target, verdict: "agrees", checked, explanation })
  const line = (await get(`/records/${target}.md`)).text.split("\n").find((each) => each.includes("Checked: each"))
  const quote = line?.slice(line.indexOf("Checked:")) ?? ""
  t.ok(quote.length > 550 && quote.length <= 600, `${quote.length} characters`)
  t.match(quote, /…$/)
})

t.test("a missing page is reported in the same form, and archived Rooms can be read", async (t) => {
  for (const path of ["/rooms/", "/threads/", "/records/", "/experiments/", "/attempts/"])
    t.match(
      await get(`${path}${nobody}.md`),
      { status: 404, type: /^text\/markdown/, text: /^# 404: [a-z_]+\n\n[A-Z]/ },
      path,
    )
  t.match(await get(`/rooms/${house.rooms.archived.roomId}.md`), { status: 200, text: /archived/ })
  t.match(await get("/papers/2401.99999.md"), { status: 200 })
  t.match(await get(`/rooms/${nobody}`, "text/html"), { status: 404, type: /^text\/html/, link: null })
})
