/** The table of attempts tells results before settings, and fits a screen of 1,440 pixels and a phone. */
import t from "tap"
import { errors, openStudy } from "../support/study.ts"
import { violations } from "./axe.ts"
import { demoInBrowser } from "./scene.ts"
import { watched } from "./watched.ts"

t.setTimeout(180_000)
const { demo, browser } = await demoInBrowser()
const study = await openStudy(t)

/** How far the table and each of its cells reach beyond the screen, and what its head says. */
const SEEN = `(() => {
  const table = document.querySelector(".bench .table")
  const cells = [...table.querySelectorAll("th, td")].filter((cell) => cell.checkVisibility())
  return {
    page: document.documentElement.scrollWidth,
    hidden: table.scrollWidth - table.clientWidth,
    right: Math.max(...cells.map((cell) => cell.getBoundingClientRect().right)),
    head: [...table.querySelectorAll("thead th")].map((cell) => cell.innerText.trim()),
  }
})()`
interface Seen {
  readonly page: number
  readonly hidden: number
  readonly right: number
  readonly head: readonly string[]
}

const rooms = [
  ["study", study.own.baseUrl, study.roomId],
  ["demo", demo.baseUrl, demo.rooms.main.roomId],
] as const
for (const [name, baseUrl, roomId] of rooms)
  t.test(`${name}: results stand before settings, and nothing lies beyond the screen`, async (t) => {
    const { page, troubles, context } = await watched(browser, baseUrl, { viewport: { width: 1440, height: 900 } })
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto(`${baseUrl}/rooms/${roomId}/attempts`)
      const { page: wide, hidden, right, head } = (await page.evaluate(SEEN)) as Seen
      t.equal(wide, width, `${width}: the page is as wide as the screen`)
      t.ok(hidden <= 0, `${width}: ${hidden} px of the table are hidden`)
      t.ok(right <= width, `${width}: the last cell ends at ${right}`)
      t.match(head[4], name === "study" ? "error (test)" : /held-out pass|kl|reward|lost/i, "a result comes first")
      if (width === 1440) t.ok(head.length >= 7, `${head.join(", ")}`)
      if (process.env.SHOTS !== undefined)
        await page.screenshot({ path: `${process.env.SHOTS}${name}-${width}.png`, fullPage: true })
    }
    t.same(await violations(page), [])
    t.same(troubles(), [])
    await context.close()
  })

t.test("a cell holds the mean of each arm, as it was reported", async (t) => {
  const values = errors("A1", 5000, ["shift", "smoothing"])
  const mean = (arm: string) => {
    const own = values.flatMap(({ value, dimensions }) => (dimensions?.arm === arm ? Number(value) : []))
    return own.reduce((sum, value) => sum + value, 0) / own.length
  }
  const { items } = await study.reader.read("attempt_table", { roomId: study.roomId })
  const [found] = items.find(({ label }) => label === "A1")?.means ?? []
  t.match(found, { key: "error (test)", unit: "fraction", moreArms: 0 })
  const told = found?.arms ?? []
  t.same(
    told.map(({ arm, values: count }) => [arm, count]),
    [
      ["baseline", 30],
      ["shift", 30],
      ["smoothing", 30],
    ],
  )
  for (const { arm, mean: own } of told)
    t.ok(Math.abs(Number(own) - mean(String(arm))) < 1e-12, `${String(arm)}: ${own}`)
  t.same(items.find(({ label }) => label === "A5")?.means, [], "an attempt that reported nothing has none")

  const page = await browser.newPage()
  await page.goto(`${study.own.baseUrl}/rooms/${study.roomId}/attempts`)
  const cell = page.getByRole("row").filter({ hasText: "A1" }).first().locator(".means li")
  t.match((await cell.allInnerTexts()).join(), /^baseline 14\.\d+ %,shift 12\.\d+ %,smoothing 13\.\d+ %$/)
  await page.close()
})
