/**
 * A day of a newcomer and an owner: where to begin, what is waiting, and what is and is not allowed, with the keyboard.
 */
import type { Page } from "playwright-core"
import t from "tap"
import { passwordOf } from "../support/service.ts"
import { violations } from "./axe.ts"
import { signInAs } from "./pages.ts"
import { ownInBrowser } from "./scene.ts"
import { watched } from "./watched.ts"

const { own, browser, at } = await ownInBrowser()

const signIn = (page: Page, username: string) =>
  signInAs(page, own.baseUrl, { username, password: passwordOf(username) })

t.test("a fresh service says where its set-up link is, until somebody has used it", async (t) => {
  const { page } = await watched(browser, own.baseUrl)
  await page.goto(at("/"))
  t.match(await page.textContent("main"), /printed a set-up link/)
  await own.setUp()
  await own.person("grace")
  await page.goto(at("/"))
  t.notMatch(await page.textContent("main"), /printed a set-up link/)
})

t.test(
  "a request to join waits for the owner on every page, and a newcomer is warned before filling a form in vain",
  async (t) => {
    const ada = await watched(browser, own.baseUrl)
    const grace = await watched(browser, own.baseUrl, { viewport: { width: 390, height: 844 } })
    await signIn(ada.page, "ada")
    await signIn(grace.page, "grace")
    t.equal(await ada.page.locator(".waiting").count(), 0, "nothing waits yet")
    await ada.page.getByRole("link", { name: "Create a Room" }).click()
    await ada.page.getByLabel("Title").fill("Does warm-up matter?")
    await ada.page.getByRole("button", { name: "Create the Room" }).click()
    await ada.page.waitForURL(/\/rooms\/[0-9a-f-]{36}/)
    const room = new URL(ada.page.url()).pathname
    const roomId = room.split("/")[2] ?? ""

    await grace.page.goto(at(`/do/publish_hypothesis?roomId=${roomId}`))
    t.equal(await grace.page.locator("main form").count(), 0, "no form that would be refused")
    t.match(await grace.page.textContent("main"), /not a member/)
    await grace.page.getByRole("link", { name: "Ask to join" }).click()
    await grace.page.getByLabel("Message").fill("I run the same sweep.")
    await grace.page.getByRole("button", { name: "Ask to join" }).click()
    await grace.page.waitForURL(/done=request_to_join/)

    await ada.page.goto(at("/"))
    t.match(await ada.page.title(), /^\(1\) /)
    t.match(await ada.page.textContent("section[aria-labelledby=waiting]"), /grace asks to join Does warm-up matter\?/)
    t.same(await violations(ada.page), [])
    await ada.page.goto(at("/account"))
    t.match(await ada.page.textContent(".waiting"), /^1/, "on every page")
    await ada.page.locator(".waiting").click()
    const asked = ada.page.locator("section[aria-labelledby=waiting]")
    t.match(await asked.textContent(), "I run the same sweep.")
    await asked.getByRole("button", { name: "Accept grace" }).click()
    await asked.waitFor({ state: "detached" })
    t.match(await ada.page.textContent(".done"), "Saved.", "it is answered in its place")
    t.equal(await ada.page.locator(".waiting").count(), 0, "what was decided no longer waits")

    // A reply waits for the person it answers, until they write something themselves.
    await ada.page.goto(at(room))
    await ada.page.locator("#live-threads a").first().click()
    await ada.page.getByLabel("Write in this Thread").fill("A ramp of $\\eta_0$ steps, **linear**.")
    await ada.page.keyboard.press("Control+Enter")
    await ada.page.waitForURL(/done=post_message/)
    const thread = new URL(ada.page.url()).pathname
    await grace.page.goto(at(thread))
    await grace.page.keyboard.press("j")
    await grace.page.keyboard.press("r")
    await grace.page.keyboard.type("Since when?")
    await grace.page.keyboard.press("Control+Enter")
    await grace.page.waitForURL(/done=post_message/)
    t.match(
      await grace.page.locator(".in-reply").last().textContent(),
      /ada: A ramp of η_?0 steps, linear\./,
      "a quote is plain text",
    )
    await ada.page.waitForSelector("[data-replies]")
    t.equal(await ada.page.textContent("[data-replies]"), "1 reply", "the first reply's link appears by itself")
    t.match(await ada.page.getAttribute("[data-replies]", "href"), /\/replies\//)
    await ada.page.goto(at("/"))
    t.match(await ada.page.textContent("section[aria-labelledby=waiting]"), /grace replied to you in/)
    await ada.page.goto(at(`${room}/activity`))
    t.notMatch(await ada.page.textContent("main"), /Post message message/)
    t.same(ada.troubles(), [])
    t.same(grace.troubles(), [])
  },
)

t.test(
  "removing somebody asks once; ? lists the keyboard shortcuts on every page, and Ctrl+K leads anywhere",
  async (t) => {
    const { page, troubles } = await watched(browser, own.baseUrl)
    await signIn(page, "ada")
    const room = await page.locator(".rooms a").first().getAttribute("href")
    await page.goto(at(`${room}/people`))
    t.notOk(await page.getByRole("button", { name: "Remove grace" }).isVisible(), "one press does not remove anybody")
    await page.locator("summary", { hasText: "Remove" }).click()
    t.ok(await page.getByRole("button", { name: "Remove grace" }).isVisible())
    t.same(await violations(page), [])

    await page.goto(at("/account"))
    await page.keyboard.press("?")
    t.ok(await page.locator("#key-list").isVisible())
    await page.keyboard.press("Escape")
    await page.keyboard.press("Control+k")
    await page.keyboard.type("warm-up")
    await page.waitForSelector("#palette-list [role=option]")
    await page.locator("#palette-list", { hasText: "Does warm-up matter?" }).waitFor()
    t.same(await violations(page), [])
    // Its own list folds letters as the search does.
    await page.fill("#palette-query", "\uff32\u00f3\u00f6m\u015b")
    await page.locator("#palette-list [role=option]", { hasText: "Rooms" }).first().waitFor()
    await page.fill("#palette-query", "warm-up")
    await page.locator("#palette-list", { hasText: "Does warm-up matter?" }).waitFor()
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/(rooms|threads)\//)
    t.same(troubles(), [])
  },
)

t.test(
  "the chosen theme is kept, without a script too; help explains the marks; paper shows dates and the address",
  async (t) => {
    const { page, context, troubles } = await watched(browser, own.baseUrl, {
      javaScriptEnabled: false,
      colorScheme: "light",
    })
    await page.goto(at("/help"))
    const paper = () => page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    const light = await paper()
    await page.getByRole("button", { name: "Dark" }).click()
    await page.locator('html[data-theme="dark"] main').waitFor()
    t.not(await paper(), light)
    t.equal(await page.getAttribute("html", "data-theme"), "dark")
    await page.getByRole("button", { name: "As my system" }).click()
    await page.locator('html:not([data-theme="dark"]) main').waitFor()
    t.equal(await paper(), light)
    t.match(await page.textContent("main"), /A member says that it is wrong/)
    await page.emulateMedia({ media: "print" })
    t.match(await page.textContent(".on-paper"), /\/help$/)
    t.ok(await page.locator(".on-paper").isVisible())
    t.notOk(await page.locator(".top").isVisible())
    t.same(troubles(), [])
    await context.close()
  },
)

t.test("attempts are in the order of their labels, and a comparison omits none", async (t) => {
  const { startDemo } = await import("../../src/demo/demo.ts")
  const { openLog } = await import("../../src/log.ts")
  const demo = await startDemo({ host: "127.0.0.1", port: 0, kept: process.env.TOLD_DEMO, log: openLog("silent") })
  t.teardown(() => demo.close())
  const { page } = await watched(browser, demo.baseUrl)
  await page.goto(`${demo.baseUrl}/rooms/${demo.rooms.main.roomId}/attempts`)
  const labels = await page.locator("tbody th .label").allTextContents()
  t.ok(labels.length > 10)
  t.same(
    labels,
    labels.map((_, index) => `A${index + 1}`),
  )
  const answer = await fetch(`${demo.baseUrl}/api/research/attempts?roomId=${demo.rooms.main.roomId}&order=label`)
  const { items } = (await answer.json()) as { items: { attemptId: string }[] }
  const ids = items.slice(0, 9).map(({ attemptId }) => attemptId)
  await page.goto(`${demo.baseUrl}/attempts/compare?view=attempts&ids=${ids.join(",")}`)
  t.equal(await page.textContent("h1"), "Comparing 9 attempts")
  t.equal(await page.locator("[aria-label=Which] .legend li").count(), 9)
  t.notMatch(await page.textContent("main"), /asked for are shown/)
})
