/**
 * The graph of a Room as an argument read at a glance: hypotheses, with what supports and what contradicts each in two
 * columns.
 */
import t from "tap"
import { violations } from "./axe.ts"
import { demoInBrowser } from "./scene.ts"
import { watched } from "./watched.ts"

t.setTimeout(120_000)
const { demo, browser, at } = await demoInBrowser()
const graph = `/rooms/${demo.rooms.main.roomId}/graph`

t.test(
  "supporting and contradicting findings are in two columns, the fallen struck through, the independent marked",
  async (t) => {
    const { page, context, troubles } = await watched(browser, demo.baseUrl, { viewport: { width: 1440, height: 900 } })
    await page.goto(at(graph))
    t.match(await page.locator(".asks").innerText(), /does it come to solve what it could not solve before/)
    const row = (label: string) =>
      page.locator("tr.argues").filter({ has: page.locator("th .label", { hasText: new RegExp(`^${label}$`) }) })
    const side = async (label: string, name: "For" | "Against") =>
      (await row(label).locator(`td[data-is=${name}]`).innerText()).replace(/\s+/g, " ")
    t.match(await side("H4", "For"), /^F7 .*grace/)
    t.match(await side("H4", "Against"), /^F6 .*ada.*independent/)
    t.match(await row("H4").locator("s").allInnerTexts(), [/^F5 /], "a superseded finding is struck through")
    t.match(await side("H2", "Against"), /^F3 .*retracted/)
    t.equal(await row("H2").locator("td[data-is=For] li:not(.out)").count(), 3, "each finding appears once")
    t.match(await row("H7").locator(".dots").first().getAttribute("aria-label"), /5 attempts: 2 succeeded, 3 failed/)
    t.match(
      await page.getByRole("list", { name: "Legend" }).innerText(),
      /speaks for it.*speaks against it.*independent/s,
    )
    const high = Number(await page.evaluate("document.documentElement.scrollHeight"))
    t.ok(high <= 1_800, `it is ${high} pixels high: two screens at most`)

    await row("H4").locator("td[data-is=Against] a").first().focus()
    const lit = () => page.locator("tr.argues.lit th .label").allInnerTexts()
    t.same(await lit(), ["H4", "H5"], "everything that F6 refers to is highlighted with it")
    t.same(await violations(page), [])
    await page.setViewportSize({ width: 390, height: 844 })
    t.equal(await page.evaluate("document.documentElement.scrollWidth"), 390, "on a phone nothing overflows")
    t.same(await violations(page), [])
    t.same(troubles(), [])
    await context.close()
  },
)
