/**
 * Different ways of reading: from right to left, in one of two themes, without motion, on paper; and names lead to the
 * people they belong to.
 */
import type { Page } from "playwright-core"
import t from "tap"
import { hypothesis, premise } from "../support/bodies.ts"
import { openLab } from "../support/lab.ts"
import { violations } from "./axe.ts"
import { launch } from "./browser.ts"
import { built } from "./built.ts"
import { signInAs } from "./pages.ts"
import { watched } from "./watched.ts"

t.setTimeout(180_000)
built()
const lab = await openLab(t)
const { baseUrl, people } = lab.house
const browser = await launch()
t.teardown(() => browser.close())
const { page, context, troubles } = await watched(browser, baseUrl)
t.teardown(() => context.close())
const shots = process.env.SHOTS
const at = (path: string) => page.goto(`${baseUrl}${path}`)
/** The computed style of the first matching element. */
const styleOf = (of: Page, selector: string, property: string, part?: string) =>
  of.evaluate(
    `getComputedStyle(document.querySelector(${JSON.stringify(selector)}), ` +
      `${JSON.stringify(part ?? null)}).${property}`,
  )
/** The direction of its text. */
const direction = (selector: string) => styleOf(page, selector, "direction")

const CLAIM = "يرفع التدريب بالتعزيز نسبة الحل في المحاولة الأولى بمقدار $0.08$ على الأقل."
const TITLE = "האם למידת חיזוק מוסיפה פתרונות?"
const SAID = "أظن أن **النتيجة** صحيحة: $n_w = 2000$."
const room = await lab.room(TITLE)
const { roomId, ada, grace } = room
const claim = (await ada.write("publish_hypothesis", hypothesis(room, {}, CLAIM))).result
const thread = (await grace.write("create_thread", { roomId, title: TITLE, message: SAID })).result

t.test("right-to-left text runs right to left everywhere, and leaves the text around it in order", async (t) => {
  await at(`/rooms/${roomId}`)
  t.equal(await direction("h1"), "rtl")
  t.equal(await direction("#live-hypotheses a.wording"), "rtl")
  t.equal(await direction("#live-threads li a"), "rtl")
  t.equal(await direction("#live-threads li .meta"), "ltr")
  t.same(await violations(page), [])
  if (shots !== undefined) await page.screenshot({ path: `${shots}/right-to-left-room.png`, fullPage: true })
  await at(`/records/${claim.versionId}`)
  t.equal(await direction("h1.statement"), "rtl")
  t.equal(await direction("p.meta"), "ltr")
  t.equal(await styleOf(page, "h1.statement", "textAlign"), "start")
  if (shots !== undefined) await page.screenshot({ path: `${shots}/right-to-left-record.png`, fullPage: true })
  await at(`/threads/${thread.threadId}`)
  t.equal(await direction("h1"), "rtl")
  t.equal(await direction(".timeline .prose"), "rtl")
  t.equal(await direction(".timeline .by"), "ltr")
  if (shots !== undefined) await page.screenshot({ path: `${shots}/right-to-left-thread.png`, fullPage: true })
  await at(`/rooms/${roomId}/graph`)
  await at(`/search?query=${encodeURIComponent("التدريب")}`)
  t.equal(await direction(".cards .wording"), "rtl")
  t.same(troubles(), [])
})

t.test("right-to-left text runs that way while it is typed", async (t) => {
  await signInAs(page, baseUrl, people.owner)
  await at(`/threads/${thread.threadId}`)
  await page.getByLabel("Write in this Thread").fill(SAID)
  t.equal(await direction("#text-thread"), "rtl")
  await at(`/do/publish_hypothesis?roomId=${roomId}&threadId=${room.threadId}`)
  await page.locator(".statement-form textarea, form textarea").first().fill(CLAIM)
  t.equal(await direction("form.stack textarea, .statement-form textarea, form textarea"), "rtl")
})

t.test("quotes in a reply, search results and chips show words, never the syntax of Markdown or TeX", async (t) => {
  const rate = "The **rate** `eta` is $\\frac{\\eta_0}{\\sqrt{n}}$ for $n \\le 400$. "
  const long = rate + "And so on, at length. ".repeat(20)
  const { result } = await ada.write("create_thread", { roomId, title: "Signs" })
  const { entry } = await ada.write("post_message", { threadId: result.threadId, text: long })
  await grace.write("post_message", { threadId: result.threadId, text: "I see.", replyToEntryId: entry?.entryId ?? "" })
  const first = await ada.write("publish_hypothesis", hypothesis(room, {}, long.slice(0, 300)))
  const second = await ada.write(
    "publish_hypothesis",
    hypothesis(room, { premises: [premise(first.targetId)] }, "So it is."),
  )
  await at(`/threads/${result.threadId}`)
  const raw = /\$|\\[a-z]|\*\*|`/
  t.notMatch(await page.locator(".in-reply").innerText(), raw)
  await at("/search?query=length")
  for (const text of await page.locator(".cards .wording").allInnerTexts()) t.notMatch(text, raw)
  for (const view of ["", "?view=relations"]) {
    await at(`/rooms/${roomId}/graph${view}`)
    t.notMatch(await page.locator("main").innerText(), raw)
  }
  await at(`/records/${second.targetId}`)
  const chip = (await page.locator("main a.chip", { hasText: "The rate" }).first().textContent()) ?? ""
  t.notMatch(chip, raw)
  t.ok(chip.length > 130 && chip.length < 170, `a chip has the beginning of a wording: ${chip}`)
})

t.test("a name leads to the person or agent", async (t) => {
  await at(`/threads/${thread.threadId}`)
  const name = people.member.username
  await page.locator(".timeline a.person", { hasText: name }).first().click()
  t.equal(new URL(page.url()).pathname, `/people/${name}`)
  t.same(await violations(page), [])
  await at(`/search?query=${name}`)
  t.equal(
    await page.locator(`main .cards a.wording[href$="/people/${people.member.userId}"]`).count(),
    1,
    "in search results they lead there too",
  )
})

t.test("the chosen theme stays, without a script too, until it is left to the system again", async (t) => {
  const { page, context } = await watched(browser, baseUrl, { colorScheme: "light", javaScriptEnabled: false })
  const paper = () => styleOf(page, "html", "backgroundColor")
  await page.goto(baseUrl)
  const light = await paper()
  await page.getByRole("button", { name: "Dark" }).click()
  const dark = await paper()
  t.not(dark, light)
  await page.goto(`${baseUrl}/rooms/${roomId}`)
  t.equal(await paper(), dark, "on the next page")
  t.equal(await page.getByRole("button", { name: "Dark" }).getAttribute("aria-pressed"), "true")
  await page.getByRole("button", { name: "As my system" }).click()
  t.equal(await paper(), light)
  await context.close()
})

t.test("nothing moves for a reader who asked for no motion", async (t) => {
  const { page, context } = await watched(browser, baseUrl, { reducedMotion: "reduce" })
  for (const path of ["/", `/rooms/${roomId}`, `/threads/${thread.threadId}`]) {
    await page.goto(`${baseUrl}${path}`)
    const moving = await page.evaluate(`[...document.querySelectorAll("*")].filter((element) => {
      const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(element)
      return animationName !== "none" || transitionDuration !== "0s" || scrollBehavior === "smooth"
    }).length`)
    t.equal(moving, 0, path)
  }
  await context.close()
})

t.test("on paper there are dates and the address, and nothing to press; folded parts are printed", async (t) => {
  await page.emulateMedia({ media: "print" })
  for (const path of [`/rooms/${roomId}`, `/records/${claim.versionId}`, `/threads/${thread.threadId}`]) {
    await at(path)
    const main = await page.locator("main").innerText()
    t.match(main, `${baseUrl}${path}`, "the address")
    t.notMatch(main, /Sign in|Publish a hypothesis|Reply|Follow up/, path)
    t.equal(
      await page.locator("form:visible, main button:not(.digest):visible, nav:visible, header:visible").count(),
      0,
    )
    if (path.startsWith("/records")) continue
    t.equal(await styleOf(page, "main time[title]", "fontSize"), "0px", "no age, which would soon be wrong on paper")
    t.match(await styleOf(page, "main time[title]", "content", "::after"), /\d{4}, \d\d:\d\d UTC/)
  }
  await page.emulateMedia({ media: null })
})
