/**
 * Pages show evidence as the record has it: what rests on what, what counts, what was withdrawn, and the outcome of a
 * reproduction.
 */
import type { Page } from "playwright-core"
import t, { type Test } from "tap"
import { finding, hypothesis, reference } from "../support/bodies.ts"
import { openLab } from "../support/lab.ts"
import { launch as execution, Work } from "../research/record/work.ts"
import { built } from "./built.ts"
import { violations } from "./axe.ts"
import { launch } from "./browser.ts"
import { signInAs } from "./pages.ts"
import { watched } from "./watched.ts"

built()
const lab = await openLab(t)
const { baseUrl, people } = lab.house
const browser = await launch()
t.teardown(() => browser.close())
const shots = process.env.SHOTS

const room = await lab.room("Does a ramp lower the loss?")
const { roomId, threadId, ada, grace, mary } = room
const h1 = (await ada.write("publish_hypothesis", hypothesis(room))).result
const h2 = (
  await ada.write("publish_hypothesis", hypothesis(room, {}, "A ramp changes nothing after the first epoch."))
).result
const dispute = (
  await mary.write("assert_dispute", {
    targetVersionId: h1.versionId,
    explanation: "The ramp and the batch size were changed together.",
  })
).result
const work = await Work.begin(lab, room, { hypotheses: [h1.versionId] })
const attemptId = await work.attempt()
const contradicting = (
  await grace.write(
    "publish_finding",
    finding(
      room,
      { references: [reference(h1.versionId, "contradicts")], outcome: "negative" },
      "The ramp raised the loss by 0.02 nat.",
    ),
  )
).result

const { page, context, troubles } = await watched(browser, baseUrl, { colorScheme: "light" }, [409])
const at = (path: string) => page.goto(`${baseUrl}${path}`)
const record = (versionId: string) => at(`/records/${versionId}`)
const overview = () => at(`/rooms/${roomId}`)
const textOf = async (selector: string) =>
  ((await page.locator(selector).first().textContent()) ?? "").replace(/\s+/g, " ")

/** Checks the page with axe, and takes screenshots in both themes and on a phone if the run asks for them. */
async function isWhole(t: Test, name: string): Promise<void> {
  t.same(await violations(page), [], `${name} has no violation`)
  t.equal(
    await page.evaluate("Math.max(0, document.documentElement.scrollWidth - innerWidth)"),
    0,
    `${name} is not wider than the screen`,
  )
  if (shots !== undefined) await pictures(page, name)
}

async function pictures(of: Page, name: string): Promise<void> {
  const before = of.viewportSize()
  for (const [look, width, colorScheme] of [
    ["wide-light", 1280, "light"],
    ["phone-dark", 390, "dark"],
  ] as const) {
    await of.setViewportSize({ width, height: 900 })
    await of.emulateMedia({ colorScheme })
    await of.screenshot({ path: `${shots}/${name}-${look}.png`, fullPage: true })
  }
  await of.emulateMedia({ colorScheme: "light" })
  if (before !== null) await of.setViewportSize(before)
}

t.test("a finding that contradicts a disputed hypothesis is not shown as resting on it", async (t) => {
  await record(contradicting.versionId)
  t.equal(await page.getByText("It rests on").count(), 0)
  t.equal(await page.locator("#grounds").count(), 0, "nothing is listed under what it rests on")
  t.match(await textOf("#references"), /contradicts.*H1.*disputed/)
  await isWhole(t, "finding")
})

t.test(
  "the hypothesis shows the contradiction on its page and in every list, and a hypothesis without evidence is " +
    "shown as untested",
  async (t) => {
    await record(h1.versionId)
    t.match(
      await textOf("#live-strength"),
      /Contested.*1 contradicts by 1 person, independent of its author/,
      "it is disputed and contradicted",
    )
    t.match(
      await textOf("#live-bears li:has-text('contradicts')"),
      /contradicts.*F1.*raised the loss.*It speaks of this\..*another person.*counts/,
    )
    t.match(
      await textOf("#live-bears li:has-text('disputes')"),
      /batch size.*says how the record stands, and is not counted/,
    )
    t.match(
      await textOf("#live-standing"),
      /Disputed.*mary · agent mary.s agent \S+ disputed it.*The ramp and the batch size/,
      "who disputed it, and why, is shown beside it",
    )
    t.match(await textOf("#live-uses"), /F1 refers to it/)
    t.match(await textOf("#live-uses"), /E1.* addresses it/)
    await isWhole(t, "hypothesis")
    await at(`/rooms/${roomId}/hypotheses`)
    t.match(
      await textOf("li[data-entry]:has-text('H1')"),
      /disputed.*1 contradicts \(from 1 other person\).*F1.*raised the loss/,
    )
    t.match(await textOf("li[data-entry]:has-text('H2')"), /not yet checked by anyone/)
    await overview()
    t.match(
      await textOf("#live-hypotheses tr:has-text('H1')"),
      /H1.*contested.*disputed.*1 other person.*– ?F1/,
      "the evidence against it",
    )
    t.match(await textOf("#live-hypotheses tr:has-text('H2')"), /untested.*– ?–/)
    await isWhole(t, "overview")
  },
)

t.test("its author withdraws the dispute where they see it; it stays readable and no longer counts", async (t) => {
  await record(h1.versionId)
  t.equal(await page.getByRole("link", { name: "Withdraw it" }).count(), 0, "only its author is offered that")
  await signInAs(page, baseUrl, people.visitor)
  await record(h1.versionId)
  await page.locator("#live-standing").getByRole("link", { name: "Withdraw it" }).click()
  t.match(await textOf(".about"), /L1.*disputes.*H1/, "the form names what it is about")
  await page.getByLabel("Why?").fill("The batch sizes were the same after all.")
  await isWhole(t, "withdraw-form")
  await page.getByRole("button", { name: "Withdraw it" }).click()
  await page.waitForURL(/done=withdraw_link/)
  t.equal(new URL(page.url()).pathname, `/links/${dispute.linkId}`)
  t.match(await textOf("main"), /Withdrawn.*The batch sizes were the same after all\..*no longer counts/)
  t.equal(await page.getByRole("link", { name: "Withdraw it" }).count(), 0, "it is not offered a second time")
  await isWhole(t, "link")

  await record(h1.versionId)
  t.notMatch(await textOf("#live-standing"), /Disputed/)
  t.match(
    await page.locator("#live-standing s").textContent(),
    /The ramp and the batch size/,
    "struck through, in its place",
  )
  t.match(
    await textOf("#live-bears li:has-text('disputes')"),
    /Withdrawn.*The batch sizes were the same after all.*no longer counts/,
  )
  await isWhole(t, "hypothesis-withdrawn")
  await at(`/rooms/${roomId}/links`)
  t.match(await textOf("#live-list .cards"), /Withdrawn/)
  await overview()
  t.notMatch(await textOf("#live-hypotheses tr:has-text('H1')"), /disputed/)
  t.notMatch(
    await (await fetch(`${baseUrl}/api/research/records/${h1.versionId}?format=bibtex`)).text(),
    /disputes/,
    "nor in a citation",
  )
})

t.test("a finding is on the front page as soon as it is published, marked until it answers something", async (t) => {
  await overview()
  t.match(await textOf("#live-found li:has-text('F1')"), /F1.*contradicts ?H1/, "what it says under its own label")
  const own = (await grace.write("publish_finding", finding(room, {}, "Something else was seen."))).result
  await overview()
  t.match(await textOf("#live-found li:has-text('Something else')"), /answers nothing yet/)
  await grace.write("assert_retraction", { targetVersionId: own.versionId, explanation: "It was of another model." })
})

t.test("a withdrawn finding link counts nowhere, and its card says so", async (t) => {
  const { versionId } = (await grace.write("publish_finding", finding(room, {}, "No difference was seen."))).result
  const { linkId } = (
    await grace.write("link_experiment_finding", {
      findingVersionId: versionId,
      experimentId: work.experimentId,
      attemptId,
      towardQuestion: { verdict: "answers", explanation: "It was measured." },
      towardHypothesis: [{ versionId: h2.versionId, verdict: "supports", explanation: "As it predicts." }],
    })
  ).result
  await overview()
  t.match(await textOf("#live-found li:has-text('F3')"), /F3.*supports ?H2/)
  t.match(await textOf("#live-hypotheses tr:has-text('H2')"), /supported.*F3/)
  await record(h2.versionId)
  t.match(await textOf("#live-strength"), /Supported so far.*1 supports by 1 person, independent of its author/)
  await at(`/rooms/${roomId}/experiments`)
  t.match(await textOf("#live-experiments"), /answers/)
  await grace.write("withdraw_link", { linkId, explanation: "The wrong attempt was read." })
  await overview()
  t.match(await textOf("#live-found li:has-text('F3')"), /F3.*answers nothing yet/)
  await record(h2.versionId)
  t.match(await textOf("#live-strength"), /Not yet checked by anyone/)
  t.match(await textOf("#live-bears li"), /supports.*F3.*Withdrawn.*The wrong attempt was read/)
  await at(`/rooms/${roomId}/experiments`)
  t.match(await textOf("#live-experiments"), /none yet/)
  await at(`/experiments/${work.experimentId}`)
  t.match(await textOf("#live-findings"), /Withdrawn.*The wrong attempt was read/)
  await isWhole(t, "experiment")
  await at(`/threads/${threadId}`)
  t.match(await textOf(".verdict-within:has-text('Withdrawn')"), /Withdrawn.*The wrong attempt was read/)
  await at(`/rooms/${roomId}/graph?view=relations`)
  const rows = await page.locator("main tr").allTextContents()
  t.ok(rows.some((row) => /contradicts.*H1/s.test(row)))
  const struck = new Set(await page.locator("main s").allTextContents())
  t.ok(struck.has("supports") && struck.has("disputes"), "what was withdrawn is struck through")
  await isWhole(t, "graph")
})

t.test("an attempt names what it reproduced and who reproduced it", async (t) => {
  const again = crypto.randomUUID()
  const other = await Work.begin(lab, room, { holder: mary, question: "Does it hold elsewhere?" })
  await mary.write("register_attempt", {
    ...execution,
    attemptId: again,
    experimentId: other.experimentId,
    expectedRevision: 2,
    expectedStatus: "claimed",
    intent: "reproduction",
    reproduces: { attemptId },
    repository: { url: lab.house.repositories.public.url, commit: lab.house.repositories.public.commit },
    inputs: [],
  })
  const reportedAt = new Date().toISOString()
  await mary.write("report_attempt_event", {
    attemptId: again,
    expectedRevision: 1,
    expectedStatus: "registered",
    event: "started",
    reportedAt,
  })
  await at(`/attempts/${again}`)
  t.match(await textOf("main"), /started, outcome unknown/, "a running attempt is shown as running")
  t.notMatch(await textOf("main"), /(^|\s)\?(\s|$)/, "and no question mark is shown")
  await mary.write("report_attempt_event", {
    attemptId: again,
    expectedRevision: 2,
    expectedStatus: "started",
    event: "succeeded",
    reportedAt,
    reproduction: { verdict: "does_not_reproduce", explanation: "The loss was the same with and without." },
  })
  await at(`/attempts/${again}`)
  t.match(
    await textOf("#live-reproduction"),
    /It was meant to reproduce another attempt\. does not reproduce The loss was the same/,
  )
  await at(`/attempts/${attemptId}`)
  t.match(
    await textOf("#live-reproduction"),
    /Who reproduced it does not reproduce ?A2 by mary|does not reproduce.*The loss was the same/,
  )
  await isWhole(t, "attempt")
})

t.test("a conclusion says what has made it stale, in the Room, in its Thread and on its own page", async (t) => {
  const { timelineWatermark } = await lab.reader.read("thread_research_context", { threadId })
  const { checkpointId } = (
    await ada.write("post_research_checkpoint", {
      threadId,
      expectedWatermark: timelineWatermark,
      coversThrough: timelineWatermark,
      state: "concluded",
      synthesis: "One finding speaks against it.",
      conclusion: "A ramp does not lower the loss.",
      openQuestions: [],
      citations: [contradicting.versionId],
    })
  ).result
  await overview()
  t.match(await textOf("#live-where"), /A ramp does not lower the loss.*Concluded/)
  t.notMatch(await textOf("#live-where"), /stale/)
  await grace.write("assert_retraction", {
    targetVersionId: contradicting.versionId,
    explanation: "The wrong split was read.",
  })
  await ada.write("publish_hypothesis", hypothesis(room, {}, "A longer ramp helps."))
  for (const [path, where] of [
    [`/rooms/${roomId}`, "#live-where"],
    [`/threads/${threadId}`, "[aria-label=Checkpoint]"],
    [`/checkpoints/${checkpointId}`, "main"],
  ] as const) {
    await at(path)
    t.match(await textOf(where), /stale.*F1, which it cites, is retracted\..*H3 was published since\./i, path)
  }
  await isWhole(t, "checkpoint")
  await overview()
  t.match(
    await textOf("#live-where"),
    /No answer holds.*1 conclusion no longer holds: F1, which it cites, is retracted/,
  )
  t.match(await textOf("#live-failed"), /F1 was retracted: The wrong split was read/)
  t.match(await textOf("#live-next"), /Renew a conclusion/)
  await isWhole(t, "overview-fallen")
  await at(`/rooms/${roomId}/hypotheses`)
  t.match(
    await textOf("li[data-entry]:has-text('H1')"),
    /not yet checked.*F1 retracted.*does not count: F1 is retracted/,
  )
  await isWhole(t, "overview-stale")
  t.same(troubles(), [])
  await context.close()
})
