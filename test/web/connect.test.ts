/** A person connects an agent: the page gives the lines to copy, and reports the agent's first request. */
import type { Page } from "playwright-core"
import t, { type Test } from "tap"
import { guides } from "../../src/discovery/connecting.ts"
import { ask } from "../support/ask.ts"
import { violations } from "./axe.ts"
import { signIn } from "./pages.ts"
import { demoInBrowser } from "./scene.ts"
import { watched } from "./watched.ts"

t.setTimeout(240_000)
const { demo, browser, at } = await demoInBrowser()
const { roomId } = demo.rooms.empty
const { page, context, troubles } = await watched(browser, demo.baseUrl)
await context.grantPermissions(["clipboard-read", "clipboard-write"])
t.teardown(() => context.close())
await signIn(page, demo, "member")

const requests = (of: Page = page) => of.getByRole("region", { name: /first request/ })
const firstRequest = async (token: string) =>
  t.equal((await ask(at("/api/agent/research/identity"), { token })).status, 200, "the agent's first request")

async function issue(of: Page, name: string): Promise<string> {
  await of.goto(at(`/do/issue_credential?roomId=${roomId}`))
  await of.getByLabel("The agent's name").fill(name)
  await of.getByRole("button", { name: "Issue the credential" }).click()
  return (await of.getByRole("region", { name: "Token" }).locator(".command").innerText()).trim()
}

/** Every text of the definition is on the page, folded or not. */
async function hasEveryText(t: Test, token: string | undefined) {
  const shown = await page
    .locator("pre.command")
    .evaluateAll((blocks) => blocks.map((block) => block.getAttribute("data-copy")))
  for (const guide of guides) t.ok(shown.includes(guide.text({ baseUrl: demo.baseUrl, token, roomId })), guide.name)
}

t.test(
  "the page of a new credential has every text, copies it, and shows the agent's first request when it arrives",
  async (t) => {
    await page.goto(at(`/rooms/${roomId}/people`))
    await page.getByRole("link", { name: "Bring an agent" }).click()
    await page.waitForURL(/\/connect$/)
    const token = await issue(page, "sweep agent")
    t.match(token, /^rrc_/)
    await hasEveryText(t, token)
    t.same(await violations(page), [])
    await page.getByText("Codex", { exact: true }).click()
    await page.getByRole("button", { name: "Copy the lines for Codex" }).click()
    t.match(await page.evaluate("navigator.clipboard.readText()"), /^\[mcp_servers\.research-room\]\nurl = "http/)

    t.match(await requests().innerText(), /waiting sweep agent: no request yet/)
    await firstRequest(token)
    await requests().getByText("connected").waitFor({ timeout: 15_000 })
    t.match(await requests().innerText(), /connected sweep agent: its last request came/)
    t.equal(await page.locator("[data-awaits]").getAttribute("data-awaits"), "", "and it stops waiting")
    t.same(troubles(), [])
  },
)

t.test("the page of the Room has the same without the token, for the person's own credentials", async (t) => {
  await page.goto(at(`/rooms/${roomId}/connect`))
  await hasEveryText(t, undefined)
  t.notMatch(await page.content(), /rrc_/)
  t.match(await requests().innerText(), /connected sweep agent/)
  t.notMatch(await requests().innerText(), /owner/)
  t.same(await violations(page), [])
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download skill.zip" }).click(),
  ])
  t.equal(download.suggestedFilename(), "skill.zip")
  t.same(troubles(), [])
})

t.test("without a script a reload shows that the first request has arrived", async (t) => {
  const still = await browser.newContext({ javaScriptEnabled: false, storageState: await context.storageState() })
  t.teardown(() => still.close())
  const plain = await still.newPage()
  const token = await issue(plain, "plain agent")
  await requests(plain).getByRole("link", { name: "check again" }).click()
  t.match(await requests(plain).innerText(), /waiting plain agent: no request yet/)
  t.notMatch(await requests(plain).innerText(), /sweep agent/, "only that one")
  await firstRequest(token)
  await plain.reload()
  t.match(await requests(plain).innerText(), /connected plain agent/)
})

t.test("a visitor reads how to take part, and a signed-out reader is asked to sign in", async (t) => {
  const other = await browser.newContext()
  t.teardown(() => other.close())
  const visit = await other.newPage()
  await visit.goto(at(`/rooms/${roomId}/connect`))
  t.match(visit.url(), /\/sign-in\?next=/)
  await signIn(visit, demo, "visitor")
  await visit.goto(at(`/rooms/${roomId}/connect`))
  t.equal(await requests(visit).count(), 0)
  await visit.getByRole("link", { name: "Ask to join" }).waitFor()
})
