/**
 * What happened is one list wherever it stands: by day, narrowed at once, with labels that lead to their objects, an
 * address to follow it, and what an owner rarely does in one menu.
 */
import { Browser } from "research-room/testing"
import t from "tap"
import { violations } from "./axe.ts"
import { signIn } from "./pages.ts"
import { demoInBrowser } from "./scene.ts"

const { demo, browser, at } = await demoInBrowser()
const { roomId } = demo.rooms.main
const activity = `/rooms/${roomId}/activity`
const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, javaScriptEnabled: false })
const page = await context.newPage()
await signIn(page, demo, "owner")
const lines = page.locator(".happened [data-entry]")

const grace = await Browser.signIn({ baseUrl: demo.baseUrl }, demo.people.member)
await grace.write("post_message", { threadId: demo.rooms.main.openingThreadId, text: "The week was quiet." })
await grace.write("post_message", { threadId: demo.rooms.empty.openingThreadId, text: "The sweep is done." })

t.test("the first page has the news of all Rooms in one such list, without those of one line each", async (t) => {
  await page.goto(at("/"))
  const said = (await page.locator("section[aria-labelledby=news]").innerText()).replace(/\s+/g, " ")
  t.match(said, /Does RL add solutions, or only find them faster\? \d+ new ?A Room to write in 1 new/)
  t.match(said, /Today grace wrote: The sweep is done\. in A Room to write in just now/)
  t.match(said, /grace wrote: The week was quiet\. in Does RL add solutions/)
  t.equal(await page.locator("section[aria-labelledby=news] .happened .day", { hasText: "Today" }).count(), 1)
})

t.test("a Room's activity is told by day, and each label leads to its object", async (t) => {
  const hypothesis = { threadId: demo.rooms.main.openingThreadId, text: "H2 stands, I think." }
  await grace.write("post_message", hypothesis)
  await page.goto(at(activity))
  const days = await page.locator(".happened .day").allInnerTexts()
  t.equal(days[0], "Today")
  t.match(days[1], /^\d{1,2} \w{3} \d{4}$/)
  t.equal(new Set(days).size, days.length, "each day once")
  await lines.first().getByRole("link", { name: "H2", exact: true }).click()
  await page.waitForURL(/\/records\//)
  t.match(await page.locator("main").innerText(), /^H2/m)
})

t.test("it is narrowed by kind, person and agent with one click each, together and on an address", async (t) => {
  await page.goto(at(activity))
  const chip = (name: string) => page.getByRole("navigation", { name: "Show only" }).getByRole("link", { name })
  await chip("Links").click()
  await page.waitForURL(/kind=links/)
  t.ok((await lines.count()) > 2)
  for (const said of await lines.allInnerTexts())
    t.match(said, /related|disputed|corrected|retracted|superseded|withdrew/)
  await chip("grace").click()
  await page.waitForURL(/kind=links&by=grace/)
  for (const said of await lines.allInnerTexts()) t.match(said, /^grace/)
  t.equal(await chip("Links").getAttribute("aria-current"), "true")
  await page.goto(at(`${activity}?by=nobody`))
  t.match(await page.locator("main").innerText(), /No such entry among entries/)
})

t.test("the feed's address is on the page, and answers", async (t) => {
  await page.goto(at(activity))
  const feed = page.getByRole("link", { name: /feed\.atom$/ })
  t.equal((await fetch((await feed.innerText()).trim())).status, 200)
})

t.test("an owner's rare acts are in one menu at the entry, and others have none", async (t) => {
  await page.goto(at(activity))
  const menu = page.locator(".menu:visible").first()
  t.equal(
    await lines
      .first()
      .getByRole("link", { name: /Withhold/ })
      .isVisible(),
    false,
  )
  await menu.locator("summary").click()
  for (const name of [/^Withhold/, /^Verify/, /^JSON/])
    t.ok(await menu.getByRole("link", { name }).isVisible(), `${name}`)
  t.ok(await menu.getByRole("button", { name: "Copy link" }).isVisible())
  await menu.getByRole("link", { name: "Verify" }).click()
  await page.waitForURL(/verify=1#activity-\d+$/)
  t.equal(await page.locator("tr:target .digest").count(), 1)
  const other = await (await fetch(at(activity))).text()
  t.notMatch(other, 'class="menu"')
})

t.test("a Thread has a link to each entry's menu, which opens in place, or on the page of the entry", async (t) => {
  const thread = at(`/threads/${demo.rooms.main.openingThreadId}`)
  const menu = page.locator("#timeline a.menu").first()
  await page.goto(thread)
  const of = (await menu.getAttribute("href"))?.split("#")[1] ?? ""
  await menu.click()
  await page.waitForURL(/more=1#entry-/)
  const link = (shown: typeof page) => shown.locator(`#${of} .menu`).getByRole("link", { name: /^Withhold/ })
  t.ok(await link(page).isVisible(), "without a script")
  const scripted = await browser.newContext({ storageState: await context.storageState() })
  const live = await scripted.newPage()
  await live.goto(thread)
  await live.locator(`#${of} a.menu`).click()
  await link(live).waitFor()
  t.equal(new URL(live.url()).search, "", "with one the page stays")
  t.same(await violations(live), [])
  await scripted.close()
})

t.test("axe finds nothing in it, with an open menu, on a phone and in the dark", async (t) => {
  const { cookies } = await context.storageState()
  for (const [width, colorScheme] of [
    [1440, "light"],
    [390, "dark"],
  ] as const) {
    const own = await browser.newContext({ viewport: { width, height: 844 }, colorScheme })
    await own.addCookies(cookies)
    const small = await own.newPage()
    await small.goto(at(activity))
    await small.locator(".menu:visible summary").first().click()
    t.equal(await small.evaluate("document.documentElement.scrollWidth"), width, "nothing is wider than the screen")
    t.same(await violations(small), [], `${width} ${colorScheme}`)
    await own.close()
  }
})
