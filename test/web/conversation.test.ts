/**
 * A Thread is a conversation: what people wrote stands, what was done between is a line that unfolds, a finding and its
 * verdict are one card, and "Messages only" is remembered.
 */
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { present } from "../../src/contract/typed.ts"
import { labelRanges } from "../../src/web/parts/timeline.ts"
import { violations } from "./axe.ts"
import { launch } from "./browser.ts"
import { built } from "./built.ts"
import { makeRuns } from "./runs.ts"
import { watched } from "./watched.ts"

t.setTimeout(240_000)
built()
const house = await startResearchRoom()
const browser = await launch()
t.teardown(async () => {
  await browser.close()
  await house.close()
})
const ada = await house.browser(house.people.owner)
const { roomId, experimentId, attemptIds } = await makeRuns(house, 26, 2)
const { threadId } = await ada.read("experiment", { experimentId })
const [MESSAGES, ENTRIES] = [12, 170]
const watermark = async () => (await ada.read("thread_context", { threadId })).thread.timelineWatermark

const finding = (text: string) => ({
  ...{ kind: "finding", roomId, threadId, scope: "Here.", outcome: "positive", retrospective: false },
  ...{ provenance: { papers: [] }, materials: [], references: [] },
  assertion: {
    wording: text,
    predicate: { type: "concept", key: "holds" },
    roles: ["ramp", "loss"].map((role) => ({ role, definition: "A part.", value: { type: "boolean", value: true } })),
  },
  concepts: { holds: { label: "holds", definition: "Is so." } },
  evidence: [{ kind: "attempt_outcome", attemptId: attemptIds[0], explanation: "It ran." }],
})

t.before(async () => {
  const { versionId } = (await ada.write("publish_finding", finding("A longer ramp lowers the loss.") as never)).result
  await ada.write("link_experiment_finding", {
    ...{ experimentId, findingVersionId: versionId },
    towardQuestion: { verdict: "answers", explanation: "It was asked." },
    towardHypothesis: [],
  } as never)
  for (let n = 1; n <= MESSAGES; n += 1)
    await ada.write("post_message", { threadId, text: `Message ${n} of the conversation.` } as never)
  t.ok((await watermark()) >= ENTRIES, `${await watermark()} entries`)
})

t.test("labels in a row are told as a range", (t) => {
  t.equal(labelRanges(["A18", "A20", "A19"]), "A18 to A20")
  t.equal(labelRanges(["A2", "A1"]), "A1, A2")
  t.equal(labelRanges(["A7", "A1", "A2", "A3"]), "A1 to A3 and A7")
  t.equal(labelRanges(["A1", "A3", "A5", "A7", "A9"]), "A1, A3, A5 and 2 more")
  t.end()
})

for (const [width, colorScheme] of [
  [1440, "light"],
  [390, "light"],
  [1440, "dark"],
  [390, "dark"],
] as const)
  t.test(`a Thread of ${width} pixels, ${colorScheme}, shows all messages, and its runs are lines`, async (t) => {
    const viewport = { width, height: 900 }
    const { page, troubles, context } = await watched(browser, house.baseUrl, { viewport, colorScheme })
    await page.goto(`${house.baseUrl}/threads/${threadId}`)
    t.equal(await page.locator("#timeline .post").count(), MESSAGES)
    const height = Number(await page.evaluate("document.documentElement.scrollHeight"))
    t.ok(height <= 6_000, `${await watermark()} entries are ${height} pixels`)
    const run = page.locator("#timeline > .run").first()
    t.match(
      await run.locator("summary").innerText(),
      /ran A1 to A26: 24 succeeded, 1 failed, 1 started; \d+ other steps?$/,
    )
    await run.locator("summary").click()
    t.equal(await run.getByText("A1 reported progress").count(), 3)
    t.match(await run.locator(".receipt").last().innerText(), /A26 /)
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/thread-${width}.png`, fullPage: true })
    t.same(await violations(page), [])
    t.same(troubles(), [])
    await context.close()
  })

t.test("a finding and its verdict are one card, and each entry keeps its address", async (t) => {
  const { page, context } = await watched(browser, house.baseUrl)
  await page.goto(`${house.baseUrl}/threads/${threadId}`)
  const card = page.locator("#timeline > .has-card", { hasText: "A longer ramp lowers the loss." })
  t.equal(await card.count(), 1, "it is told once")
  t.match(await card.locator(".verdict-within").innerText(), /answers the question:/)
  const within = page.locator("#timeline .run .receipt").nth(20)
  const address = present(await within.getAttribute("id"))
  t.notOk(await within.isVisible(), "the run is folded")
  const [, after = ""] = /^step-(\d+)$/.exec(address) ?? []
  const { items } = await ada.read("thread_timeline", { threadId, after: Number(after) - 1, limit: 1 })
  const id = present(items[0]).entryId
  await page.goto(`${house.baseUrl}/threads/${threadId}?entry=${id}#entry-${id}`)
  t.ok(await page.locator(`#entry-${id}`).isVisible(), "an address within a run unfolds it")
  await context.close()
})

t.test("j passes the steps of a folded run, and steps out of a card", async (t) => {
  const { page, context } = await watched(browser, house.baseUrl)
  await page.goto(`${house.baseUrl}/threads/${threadId}`)
  t.notOk(await page.locator("#timeline [data-entry]").first().isVisible(), "the first entry is a folded step")
  const entry = () => page.evaluate("document.activeElement.closest('[data-entry]')?.textContent")
  await page.keyboard.press("j")
  t.match(await entry(), "A longer ramp lowers the loss.")
  for (const _ of ["its verdict", "the message"]) await page.keyboard.press("j")
  t.match(await entry(), "Message 1 of the conversation.")
  await context.close()
})

t.test("what happens meanwhile joins the run that the reader sees", async (t) => {
  const { page, context } = await watched(browser, house.baseUrl)
  await page.goto(`${house.baseUrl}/threads/${threadId}`)
  const { url, commit } = house.repositories.public
  const register = () =>
    ada.write("register_attempt", {
      ...{ attemptId: crypto.randomUUID(), experimentId, intent: "exploratory" },
      ...{ expectedRevision: 2, expectedStatus: "claimed", repository: { url, commit } },
      ...{ argv: ["train"], configuration: {}, inputs: [] },
    } as never)
  await register()
  await page.locator("#timeline > .receipt", { hasText: "A27" }).waitFor()
  await register()
  await page.locator("#timeline > .run summary", { hasText: "ran A27, A28: 2 registered" }).waitFor()
  t.equal(await page.locator("#timeline > .receipt", { hasText: "A27" }).count(), 1, "and is not told twice")
  await context.close()
})

t.test("Messages only is remembered until all is asked for again", async (t) => {
  for (const javaScriptEnabled of [true, false]) {
    const { page, context } = await watched(browser, house.baseUrl, { javaScriptEnabled })
    const shown = () => page.locator("#timeline > [data-sequence]").count()
    await page.goto(`${house.baseUrl}/threads/${threadId}`)
    const all = await shown()
    await page.getByRole("link", { name: /^Messages only/ }).click()
    await page.getByRole("link", { name: /^Show all/ }).waitFor()
    t.equal(await shown(), MESSAGES)
    await page.goto(`${house.baseUrl}/threads/${threadId}`)
    t.equal(await shown(), MESSAGES, "it is remembered")
    await page.getByRole("link", { name: /^Show all/ }).click()
    await page.getByRole("link", { name: /^Messages only/ }).waitFor()
    t.equal(await shown(), all)
    await context.close()
  }
})
