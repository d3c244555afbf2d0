/** A reader, an engineer and an owner each do their work, on a desktop and on a phone. */
import t from "tap"
import { signIn } from "./pages.ts"
import { demoInBrowser } from "./scene.ts"
import { watched } from "./watched.ts"

const { demo, browser, at } = await demoInBrowser()
const { roomId } = demo.rooms.main
const room = `/rooms/${roomId}`

for (const [where, viewport] of [
  ["at a desk", { width: 1280, height: 800 }],
  ["on a phone", { width: 390, height: 844 }],
] as const) {
  const isPhone = viewport.width < 500

  t.test(`a reader ${where} finds out how the question stands, and what contradicts a hypothesis`, async (t) => {
    const { page, context, troubles } = await watched(browser, demo.baseUrl, { viewport })
    await page.goto(at("/"))
    await page.locator(`main a[href="${room}"]`).first().click()
    await page.waitForURL(at(room))
    t.ok(await page.locator("#live-where").isVisible())
    const hypothesis = page.locator('main a[href^="/records/"]', { hasText: "H4" }).first()
    await hypothesis.click()
    await page.waitForURL(/\/records\//)
    t.match(await page.textContent("main"), /contradicts/)
    await page.getByRole("searchbox", { name: "Search the record" }).fill("coverage")
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/search\?query=coverage/)
    t.ok((await page.locator("main [data-entry], main li a").count()) > 0, "the search finds it")
    t.same(troubles(), [])
    await context.close()
  })

  t.test(`an engineer ${where} sees why an attempt failed, and registers a reproduction`, async (t) => {
    const { page, context, troubles } = await watched(browser, demo.baseUrl, { viewport })
    await signIn(page, demo, "member")
    await page.goto(at(`${room}/attempts?status=failed`))
    await page.locator('main a[href^="/attempts/"]', { hasText: "A24" }).first().click()
    await page.waitForURL(/\/attempts\//)
    t.match(await page.textContent("main"), /[Ff]ailed/)
    await page.goto(at(`${room}/experiments`))
    await page.locator('main a[href^="/experiments/"]', { hasText: "E1" }).first().click()
    await page.getByRole("link", { name: "Register a reproduction" }).first().click()
    const asked = page.getByRole("group", { name: "What should it reproduce?" })
    await asked.waitFor()
    t.equal(await asked.getByText("optional").count(), 0, "a required field is not called optional")
    t.notOk(await page.getByLabel("Plan it follows").isVisible(), "no field belongs to another kind of attempt")
    t.same(troubles(), [])
    await context.close()
  })

  t.test(`an owner ${where} decides who may write, and finds anything from the header`, async (t) => {
    const { page, context, troubles } = await watched(browser, demo.baseUrl, { viewport })
    await signIn(page, demo, "owner")
    const search = page.getByRole("searchbox", { name: "Search the record" })
    await search.click()
    const wide = (await search.boundingBox())?.width ?? 0
    t.ok(wide > 200, `the search field shows what is typed (${wide} px)`)
    await page.keyboard.type("coverage")
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/search\?query=coverage/)
    const header = await page.locator("header.top").boundingBox()
    t.ok((header?.height ?? 0) < 70, "the header is one row")
    await page.goto(at(`${room}/people`))
    const revoke = await page.locator("tr summary", { hasText: "Revoke" }).first().boundingBox()
    t.ok(revoke !== null && revoke.x + revoke.width <= viewport.width, "a credential can be revoked within the screen")
    const remove = page.locator("summary", { hasText: "Remove" }).first()
    await remove.click()
    t.ok(
      await page
        .getByRole("button", { name: /^Remove / })
        .first()
        .isVisible(),
      "and a member is removed after one confirmation",
    )
    t.equal(
      await page.evaluate("Math.max(0, document.documentElement.scrollWidth - innerWidth)"),
      0,
      isPhone ? "nothing is wider than the phone" : where,
    )
    t.same(troubles(), [])
    await context.close()
  })
}
