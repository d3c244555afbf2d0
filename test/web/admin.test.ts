/**
 * Administration in the browser: an operator disables and enables an account, and gives a Room away; everybody else
 * gets a 404.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import tap, { test } from "tap"
import { startDemo } from "../../src/demo/demo.ts"
import { openLog } from "../../src/log.ts"
import { launch } from "./browser.ts"
import { built } from "./built.ts"
import { signIn } from "./pages.ts"

built()
const demo = await startDemo({ host: "127.0.0.1", port: 0, kept: process.env.TOLD_DEMO, log: openLog("silent") })
const browser = await launch()
tap.teardown(async () => {
  await browser.close()
  await demo.close()
})
const { owner, member } = demo.people
const { roomId } = demo.rooms.empty
const sections = ["", "/people", "/rooms", "/credentials", "/keys", "/invitations", "/audit"]

test("a user who is not an operator gets the page for an unknown address, and no link to it", async (t) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  t.teardown(() => context.close())
  const page = await context.newPage()
  await signIn(page, demo, "member")
  t.equal(await page.getByRole("link", { name: "Admin" }).count(), 0)
  const seen = async (path: string) => {
    const response = await page.goto(demo.baseUrl + path)
    const text = (await page.content()).replaceAll(path, "").replaceAll(encodeURIComponent(path), "")
    return { status: response?.status(), text }
  }
  for (const section of [...sections, `/rooms/${roomId}`]) {
    t.strictSame(await seen(`/admin${section}`), await seen(`/nowhere${section}`), section)
    const asJson = async (path: string) => {
      const answer = await fetch(demo.baseUrl + path)
      return { status: answer.status, text: (await answer.text()).replaceAll(path, "") }
    }
    t.strictSame(await asJson(`/admin${section}`), await asJson(`/nowhere${section}`))
  }
})

test(
  "without a script: an account is disabled, enabled and made an " + "operator, each after one confirmation",
  async (t) => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    t.teardown(() => context.close())
    const page = await context.newPage()
    await signIn(page, demo, "owner")
    await page.getByRole("link", { name: "Admin" }).click()
    await page.getByRole("link", { name: "People", exact: true }).click()
    const row = page
      .getByRole("row")
      .filter({ has: page.getByRole("rowheader", { name: member.username, exact: true }) })
    const press = async (summary: string, button: RegExp) => {
      await row.locator("summary", { hasText: summary }).click()
      await row.getByRole("button", { name: button }).click()
      await page.waitForURL(/\/admin\/people$/)
    }
    await press("Disable", /^Disable /)
    t.match(await row.innerText(), /disabled/)
    t.equal((await fetch(`${demo.baseUrl}/api/agent/research/identity`, bearer())).status, 401)
    await press("Enable", /^Enable /)
    t.notMatch(await row.innerText(), /disabled/)
    await press("Make operator", /^Make .* an operator$/)
    t.match(await row.innerText(), /operator/)
    await press("Remove operator", /^Remove .* as operator$/)

    await page.goto(`${demo.baseUrl}/admin/audit?user=${member.username}`)
    const log = await page.locator("tbody").innerText()
    for (const done of ["disabled a person", "enabled a person", "made a person an operator"]) t.match(log, done)
    await page.getByLabel("What").selectOption("enable_person")
    await page.getByRole("button", { name: "Show" }).click()
    await page.waitForLoadState()
    t.equal(await page.locator("tbody tr").count(), 1)
  },
)

test("revoking says how many tokens end and that the person stays signed in; signing out ends that too", async (t) => {
  const [theirs, context] = [await browser.newContext(), await browser.newContext()]
  t.teardown(() => Promise.all([theirs.close(), context.close()]))
  const [their, page] = [await theirs.newPage(), await context.newPage()]
  await signIn(their, demo, "visitor")
  await signIn(page, demo, "owner")
  const { username } = demo.people.visitor
  await their.goto(`${demo.baseUrl}/account`)
  const isIn = async () => {
    await their.goto(demo.baseUrl)
    return (await their.getByRole("button", { name: "Sign out" }).count()) === 1
  }
  const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: username, exact: true }) })
  const tokens = async () => {
    const answer = await context.request.get(`${demo.baseUrl}/api/admin/people`)
    const { items } = (await answer.json()) as { items: { username: string; tokens: number }[] }
    return items.find((one) => one.username === username)?.tokens
  }
  const ends = await tokens()
  t.ok(Number.isInteger(ends))
  await page.goto(`${demo.baseUrl}/admin/people`)
  if (ends !== 0) {
    await row.locator("summary", { hasText: "Revoke all tokens" }).click()
    t.match(await row.innerText(), `${username} stays signed in.`)
    await row.getByRole("button", { name: `Revoke ${ends} token${ends === 1 ? "" : "s"} of ${username}` }).click()
    await page.waitForURL(/\/admin\/people$/)
    t.equal(await tokens(), 0)
  }
  t.equal(await row.locator("summary", { hasText: "Revoke all tokens" }).count(), 0, "nothing is left to revoke")
  t.ok(await isIn())
  await row.locator("summary", { hasText: "Sign out" }).click()
  await row.getByRole("button", { name: `Sign ${username} out everywhere` }).click()
  await page.waitForURL(/\/admin\/people$/)
  t.notOk(await isIn())
})

test("another user's credential, key and invitation are each ended after one confirmation", async (t) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  t.teardown(() => context.close())
  const page = await context.newPage()
  await signIn(page, demo, "member")
  await page.goto(`${demo.baseUrl}/account`)
  const inviting = page.getByRole("button", { name: "Make an invitation link" })
  if ((await inviting.count()) > 0) await inviting.click()
  await context.clearCookies()
  await signIn(page, demo, "owner")
  for (const [section, summary, row] of [
    ["credentials", "Revoke", page.locator("tr").filter({ hasText: "in use" }).first()],
    ["keys", "Revoke", page.locator("tr").filter({ hasText: "in use" }).first()],
    ["invitations", "Withdraw", page.locator("tr").filter({ hasText: "open until" }).first()],
  ] as const) {
    await page.goto(`${demo.baseUrl}/admin/${section}`)
    if (section === "invitations" && (await row.count()) === 0) continue
    const before = await page.getByText(/^(revoked|withdrawn .*)$/).count()
    await row.locator("summary", { hasText: summary }).first().click()
    await row.getByRole("button", { name: new RegExp(`^${summary}`) }).click()
    await page.waitForURL(new RegExp(`/admin/${section}$`))
    t.equal(await page.getByText(/^(revoked|withdrawn .*)$/).count(), before + 1, section)
  }
  const lines = await fetch(`${demo.baseUrl}/api/admin/audit?kind=revoke_key`, {
    headers: { cookie: (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ") },
  })
  t.match(await lines.json(), { items: [{ by: { username: owner.username } }] })
})

test("a Room gets another owner, with a reason that its activity shows", async (t) => {
  const context = await browser.newContext()
  t.teardown(() => context.close())
  const page = await context.newPage()
  await signIn(page, demo, "owner")
  await page.goto(`${demo.baseUrl}/admin/rooms/${roomId}`)
  await page.getByLabel("New owner").selectOption({ label: member.username })
  await page.getByLabel("Why").fill("Its owner has left.")
  await page.getByRole("button", { name: "Make owner" }).click()
  await page.waitForURL(/\/admin\/rooms\?done=transfer_room/)
  const row = page.getByRole("row").filter({ has: page.locator(`a[href="/admin/rooms/${roomId}"]`) })
  t.match(await row.innerText(), new RegExp(member.username))
  await page.goto(`${demo.baseUrl}/rooms/${roomId}/activity`)
  t.match(await page.locator("main").innerText(), /transferred the Room to another owner: Its owner has left\./)
})

test("its owner hands it back from the Room's page of people", async (t) => {
  const context = await browser.newContext()
  t.teardown(() => context.close())
  const page = await context.newPage()
  await signIn(page, demo, "member")
  await page.goto(`${demo.baseUrl}/rooms/${roomId}/people`)
  const row = page
    .getByRole("row")
    .filter({ has: page.getByRole("rowheader", { name: owner.username }) })
    .first()
  await row.locator("summary", { hasText: "Make owner" }).click()
  await row.getByRole("button", { name: /^Make \w+ the owner/ }).click()
  await page.waitForURL(/done=transfer_room/)
  const room = (await (await fetch(`${demo.baseUrl}/api/research/rooms/${roomId}`)).json()) as {
    owner: { username: string }
  }
  t.equal(room.owner.username, owner.username)
})

test("each section fits on a phone, in the dark theme", async (t) => {
  const folder = process.env.RESEARCH_ROOM_TEST_PICTURES
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme: "dark" })
  t.teardown(() => context.close())
  const page = await context.newPage()
  await signIn(page, demo, "owner")
  for (const section of sections) {
    t.equal((await page.goto(`${demo.baseUrl}/admin${section}`))?.status(), 200)
    t.equal(
      await page.evaluate("Math.max(0, document.documentElement.scrollWidth - innerWidth)"),
      0,
      `${section} is not wider than the screen`,
    )
    if (folder === undefined) continue
    mkdirSync(folder, { recursive: true })
    await page.screenshot({ path: join(folder, `phone${section.replace("/", "-")}.png`), fullPage: false })
  }
  if (folder === undefined) return
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.emulateMedia({ colorScheme: "light" })
  for (const section of [...sections, `/rooms/${roomId}`]) {
    await page.goto(`${demo.baseUrl}/admin${section}`)
    await page.screenshot({ path: join(folder, `wide${section.replaceAll("/", "-").slice(0, 14)}.png`) })
  }
})

/** The member's credential, which ends with their account. */
function bearer(): RequestInit {
  return { headers: { authorization: `Bearer ${demo.credentials.member_all.token}` } }
}
