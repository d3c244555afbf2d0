/**
 * Says what happened to an attempt, in one dialog: the end of a run whose start was never reported, with its values,
 * nothing of which is refused; with the script and without it.
 */
import t from "tap"
import { ResearchRoomClient } from "research-room/client"
import { violations } from "./axe.ts"
import { signIn } from "./pages.ts"
import { demoInBrowser } from "./scene.ts"
import { Typist } from "./typist.ts"
import { watched } from "./watched.ts"

t.setTimeout(120_000)
const { demo, browser, at } = await demoInBrowser()
const { roomId, openingThreadId: threadId } = demo.rooms.empty
const owner = new ResearchRoomClient({ baseUrl: demo.baseUrl, token: demo.credentials.owner_all.token })
const proposal = { roomId, threadId, question: "Does it?", scope: "Here.", hypotheses: [] }
const { experimentId } = (await owner.write("propose_experiment", proposal)).result
await owner.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
const { url, commit } = demo.repositories.public

async function registered(
  more: { intent: "exploratory" } | { intent: "reproduction"; reproduces: { attemptId: string } },
) {
  const attemptId = crypto.randomUUID()
  await owner.write("register_attempt", {
    ...{ attemptId, experimentId, expectedRevision: 2, expectedStatus: "claimed" as const, ...more },
    ...{ repository: { url, commit }, argv: ["run"], configuration: {}, inputs: [] },
  })
  return attemptId
}
interface Read {
  readonly label: string
  readonly outcome: string
  readonly events: readonly { readonly event: string }[]
  readonly metrics: readonly { readonly value: number }[]
}
const read = async (attemptId: string): Promise<Read> =>
  (await fetch(`${demo.baseUrl}/api/research/attempts/${attemptId}`)).json() as Promise<Read>
const events = async (attemptId: string) =>
  (await read(attemptId)).events.map(({ event }) => event).filter((event) => event !== "registered")

const { page, troubles, context } = await watched(browser, demo.baseUrl)
t.teardown(() => context.close())
const TABLE = "arm,seed,error\nshift,1,0.125\nshift,2,0.25\n"

t.test("a run whose start was never reported is started and ended in four acts, none refused", async (t) => {
  const attemptId = await registered({ intent: "exploratory" })
  const { label } = await read(attemptId)
  await page.goto(at(`/do/report_attempt_event?attemptId=${attemptId}`))
  await signIn(page, demo, "owner")
  await page.goto(at(`/attempts/${attemptId}`))
  await page
    .getByRole("link", { name: `Report what happened to ${label}` })
    .first()
    .click()
  await page.getByRole("heading", { level: 1, name: `What happened to ${label}?` }).waitFor()
  const choices = await page.getByRole("radio").evaluateAll((all) => all.map(({ value }) => value))
  t.same(choices, ["succeeded", "failed", "cancelled", "started", "preflight_failed"], "nothing that would be refused")
  const shown = await page.locator("form.stack").innerText()
  t.notMatch(shown, /reproduce|The failure|Reported afterwards/, "nor what concerns other runs")
  t.same(await violations(page), [])

  await page.getByLabel("It succeeded").check()
  await page.getByLabel("Table of values").fill(TABLE)
  await page.getByText("error: metric, 2 values").waitFor()
  t.match(await page.locator("#table-read").innerText(), /seed, arm: dimensions/, "what was read is shown at once")
  t.same(await events(attemptId), [], "nothing is kept yet")
  await page.getByRole("button", { name: "Report it" }).click()
  await page.waitForURL(/done=report_attempt_event/)
  t.match(await read(attemptId), { outcome: "succeeded", metrics: [{ value: 0.125 }, { value: 0.25 }] })
  t.same(await events(attemptId), ["started", "succeeded"])
  t.same(troubles(), [])
})

t.test("the keyboard alone says what happened, and publishes the finding with its verdict", async (t) => {
  const attemptId = await registered({ intent: "exploratory" })
  const { label } = await read(attemptId)
  await page.goto(at(`/attempts/${attemptId}`))
  const outcome = new Typist(page)
  await outcome.send(`Report what happened to ${label}`)
  await page.getByRole("heading", { level: 1, name: `What happened to ${label}?` }).waitFor()
  await outcome.tick("It succeeded")
  await outcome.write("Table of values", TABLE)
  await page.getByText("error: metric, 2 values").waitFor()
  await outcome.send("Report it")
  await page.waitForURL(/done=report_attempt_event/)
  t.match(await read(attemptId), { outcome: "succeeded", metrics: [{ value: 0.125 }, { value: 0.25 }] })

  const finding = new Typist(page)
  await finding.send("Publish a finding")
  await page.waitForURL(/do\/publish_finding/)
  await finding.write("What did you find?", "With a shift the error is 0.19.")
  await page.locator("[data-structure] .tag").first().waitFor()
  await finding.write("How did it come out?", "positive")
  const focused = () => page.evaluate("document.activeElement.name")
  for (let tabs = 0; tabs < 100 && (await focused()) !== "/says/towardQuestion/verdict"; tabs += 1)
    await finding.press("Tab")
  await page.keyboard.type("answers")
  await finding.send("Publish the finding")
  await page.waitForURL(/done=publish_finding/)
  t.match(await page.locator("#main").innerText(), /answers\s+the question of E\d/)
  t.ok(outcome.keys + finding.keys < 200, `${outcome.keys} and ${finding.keys} keys beside the text`)
  t.same(troubles(), [])
})

t.test(
  "a log is chosen as a file, and its digest is filled in; without a script nobody is asked for one",
  async (t) => {
    const attemptId = await registered({ intent: "exploratory" })
    const form = at(`/do/report_attempt_event?attemptId=${attemptId}`)
    await page.goto(form)
    t.equal(await page.locator('[name^="/session"]').count(), 0)
    await page.getByLabel("It succeeded").check()
    await page.getByText("Outputs and log").click()
    const chooser = page.waitForEvent("filechooser")
    await page.getByRole("link", { name: "Upload a log" }).click()
    await (await chooser).setFiles({ name: "train.log", mimeType: "", buffer: Buffer.from("step 1\nstep 2\n") })
    await page.getByRole("link", { name: "Upload a log again" }).waitFor()
    t.match(await page.locator('[name="/log/digest"]').inputValue(), /^sha256:/)
    t.same(await violations(page), [])
    await page.getByRole("button", { name: "Report it" }).click()
    await page.waitForURL(/done=report_attempt_event/)
    const log = await fetch(at(`/api/research/attempts/${attemptId}/log?format=text`))
    t.equal(await log.text(), "step 1\nstep 2\n")

    const plain = await browser.newContext({ javaScriptEnabled: false, storageState: await context.storageState() })
    t.teardown(() => plain.close())
    const still = await plain.newPage()
    await still.goto(form.replace(attemptId, await registered({ intent: "exploratory" })))
    await still.getByText("Outputs and log").click()
    t.equal(await still.locator('[name="/outputs/0/outputLabel"]').isVisible(), true)
    t.equal(await still.locator('[name="/log/digest"]').isVisible(), false)
  },
)

t.test("a failure asks where and how, and is sent with its start", async (t) => {
  const attemptId = await registered({ intent: "exploratory" })
  await page.goto(at(`/do/report_attempt_event?attemptId=${attemptId}`))
  await page.getByLabel("It failed").check()
  await page.getByLabel("Where did it fail?").fill("training")
  await page.getByLabel("How?").fill("The node was taken away.")
  await page.getByRole("button", { name: "Report it" }).click()
  await page.waitForURL(/done=report_attempt_event/)
  t.equal((await read(attemptId)).outcome, "failed")
  t.same(await events(attemptId), ["started", "failed"])

  await page.goto(at(`/do/report_attempt_event?attemptId=${attemptId}`))
  const choices = await page.getByRole("radio").evaluateAll((all) => all.map(({ value }) => value))
  t.same(choices, ["progress"], "after the end, only values can be added")
  await page.getByLabel("Table of values").fill(TABLE)
  await page.getByText("error: metric, 2 values").waitFor()
  await page.getByRole("button", { name: "Report it" }).click()
  await page.waitForURL(/done=report_attempt_event/)
  t.equal((await read(attemptId)).metrics.length, 2)
})

t.test("a reproduction alone is asked whether the result held", async (t) => {
  const reproduces = { attemptId: await registered({ intent: "exploratory" }) }
  const attemptId = await registered({ intent: "reproduction", reproduces })
  await page.goto(at(`/do/report_attempt_event?attemptId=${attemptId}`))
  t.equal(await page.getByLabel("The result").isVisible(), false)
  await page.getByLabel("It succeeded").check()
  await page.getByLabel("The result").selectOption({ label: "held" })
  await page.getByLabel("How so?").fill("The same error.")
  await page.getByRole("button", { name: "Report it" }).click()
  await page.waitForURL(/done=report_attempt_event/)
  t.match(await read(attemptId), { outcome: "succeeded", reproduction: { verdict: "reproduces" } })
})

t.test("without a script a table is read before it is reported, and a fault is named", async (t) => {
  const plain = await browser.newContext({ javaScriptEnabled: false })
  t.teardown(() => plain.close())
  const still = await plain.newPage()
  await signIn(still, demo, "owner")
  const attemptId = await registered({ intent: "exploratory" })
  await still.goto(at(`/do/report_attempt_event?attemptId=${attemptId}`))
  await still.getByLabel("It succeeded").check()
  await still.getByLabel("Table of values").fill("metric,value,arm\nerror,much,shift\n")
  await still.getByRole("button", { name: "Report it" }).click()
  t.match(await still.locator("#table-read").innerText(), /Line 2 much is not a number\./)
  await still.getByLabel("Table of values").fill(TABLE)
  await still.getByRole("button", { name: "Report it" }).click()
  t.match(await still.locator("#table-read").innerText(), /error: metric, 2 values/)
  t.match(await still.locator("#changes").innerText(), /Nothing is reported yet/)
  t.same(await events(attemptId), [])
  await still.getByRole("button", { name: "Report it" }).click()
  await still.waitForURL(/done=report_attempt_event/)
  t.same(await events(attemptId), ["started", "succeeded"])
})
