/**
 * The author of an attempt adds a table of values on its page; a faulty one stays in the box, with the faulty lines
 * named.
 */
import t from "tap"
import { ResearchRoomClient } from "research-room/client"
import { violations } from "./axe.ts"
import { signIn } from "./pages.ts"
import { demoInBrowser } from "./scene.ts"
import { watched } from "./watched.ts"

t.setTimeout(120_000)
const { demo, browser, at } = await demoInBrowser()
const { roomId, openingThreadId: threadId } = demo.rooms.empty
const owner = new ResearchRoomClient({ baseUrl: demo.baseUrl, token: demo.credentials.owner_all.token })
const proposal = { roomId, threadId, question: "Does it?", scope: "Here.", hypotheses: [] }
const { experimentId } = (await owner.write("propose_experiment", proposal)).result
await owner.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
const attemptId = crypto.randomUUID()
const { url, commit } = demo.repositories.public
await owner.write("register_attempt", {
  ...{ attemptId, experimentId, expectedRevision: 2, expectedStatus: "claimed", intent: "exploratory" },
  ...{ repository: { url, commit }, argv: ["run"], configuration: {}, inputs: [] },
})
const reportedAt = new Date().toISOString()
await owner.write("report_attempt_event", {
  attemptId,
  event: "started",
  expectedRevision: 1,
  expectedStatus: "registered",
  reportedAt,
})
const { page, troubles, context } = await watched(browser, demo.baseUrl)
t.teardown(() => context.close())
const address = at(`/attempts/${attemptId}`)
const attempt = `${demo.baseUrl}/api/research/attempts/${attemptId}`

t.test("a reader does not see the box", async (t) => {
  await page.goto(address)
  t.equal(await page.locator("#add-metrics").count(), 0)
})

t.test("a table with a fault stays, and the wrong line is named", async (t) => {
  await signIn(page, demo, "owner")
  await page.goto(address)
  await page.getByText("Add values from a table").click()
  await page.getByLabel("Table", { exact: true }).fill("metric,value,arm\nerror,0.1,shift\nerror,much,shift\n")
  await page.getByRole("button", { name: "Read the table" }).click()
  await page.getByText("Nothing was reported.").waitFor()
  t.match(await page.locator("#add-metrics").innerText(), /Line 3 much is not a number\./)
  t.match(await page.getByLabel("Table", { exact: true }).inputValue(), /^metric,value,arm\nerror,0\.1/)
  t.same(await violations(page), [])

  t.equal(
    await page.locator("main").getAttribute("data-room"),
    null,
    "the answer to a form is not requested again when the Room changes",
  )
})

t.test("a table is reported, and shown", async (t) => {
  await page.getByLabel("Table", { exact: true }).fill("arm,size,seed,error\nshift,50,1,0.125\nshift,50,2,0.25\n")
  await page.getByLabel("Other columns that are dimensions").fill("size")
  await page.getByRole("button", { name: "Read the table" }).click()
  await page.getByText("Not reported yet.").waitFor()
  t.match(await page.locator("#add-metrics").innerText(), /error: metric, 2 values\n+seed, arm, size: dimensions/)
  t.same(await violations(page), [])
  t.equal(((await (await fetch(attempt)).json()) as { metrics: unknown[] }).metrics.length, 0, "nothing is kept yet")
  await page.getByRole("button", { name: "Report the values" }).click()
  await page.waitForURL(/done=report_attempt_event/)
  t.match(await page.locator("#metrics").locator("xpath=../..").innerText(), /0\.25/)
  const read = (await (await fetch(attempt)).json()) as {
    metrics: { dimensions: object }[]
  }
  t.same(
    read.metrics.map(({ dimensions }) => dimensions),
    [1, 2].map((seed) => ({ arm: "shift", seed, size: 50 })),
  )
  t.same(troubles(), [])
})
