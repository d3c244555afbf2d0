/**
 * No table is cut without a sign: what goes on beyond its edge has a shadow there, says how many of its columns do not
 * fit, and is scrolled with the keyboard. The head of a comparison stays.
 */
import t from "tap"
import { openStudy } from "../support/study.ts"
import { violations } from "./axe.ts"
import { launch } from "./browser.ts"
import { built } from "./built.ts"
import { cutWithoutSign } from "./cut.ts"
import { pagesOfStudy } from "./pages.ts"

t.setTimeout(120_000)
built()
const study = await openStudy(t)
const browser = await launch()
t.teardown(() => browser.close())
const pages = await pagesOfStudy(study)
const comparison = pages.find(({ name }) => name === "study-compare")?.path ?? ""

t.test("each page of three agents' Room shows what goes on sideways, on a screen and on a phone", async (t) => {
  const page = await browser.newPage()
  let cut = 0
  for (const { name, path } of pages) {
    t.equal((await page.goto(path))?.status(), 200, name)
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      t.same(await cutWithoutSign(page), [], `${name} at ${width}`)
      t.equal(await page.evaluate("document.documentElement.scrollWidth"), width, `${name} is no wider than ${width}`)
      cut += await page.locator(".table[data-cut]").count()
    }
  }
  t.ok(cut > 0, `${cut} tables are wider than their place`)
  await page.close()
})

t.test("a comparison says how many columns do not fit, keeps its head, and is scrolled by keys", async (t) => {
  const page = await browser.newPage({ viewport: { width: 390, height: 500 } })
  // Playwright's own waiting builds a function from text, which the page's policy forbids.
  const until = async (condition: string): Promise<void> => {
    while (!(await page.evaluate(condition))) await page.waitForTimeout(20)
  }
  await page.goto(comparison)
  const results = page.getByRole("group", { name: "Settings and results" }).first()
  const told = async () => /(\d+) of (\d+) columns don’t fit/.exec(await results.innerText())
  const [, beyond, all] = (await told()) ?? []
  t.ok(Number(beyond) > 0 && Number(beyond) < Number(all), `${beyond} of ${all}`)
  t.equal(Number(all), await results.locator("thead th").count())
  const [, below, rows] = /(\d+) of (\d+) rows don’t fit: scroll down/.exec(await results.innerText()) ?? []
  t.ok(Number(below) > 0 && Number(below) < Number(rows), `${below} of ${rows} rows`)
  t.equal(Number(rows), await results.locator("tbody tr").count())
  const described = await results.getAttribute("aria-describedby")
  t.match(await page.locator(`[id="${described}"]`).innerText(), /columns don’t fit: scroll sideways/)
  t.same(await violations(page), [])
  await results.focus()
  for (let press = 0; press < 6; press += 1) await page.keyboard.press("ArrowRight")
  await until('document.querySelector(".held").scrollLeft > 50')
  t.match(
    await results.evaluate((box) => {
      box.scrollTop = 200
      const [head, place] = [box.querySelector("th"), box].map((each) => each?.getBoundingClientRect().top)
      return { scrolled: box.scrollTop > 0, stays: Math.abs((head ?? 0) - (place ?? 1)) < 2 }
    }),
    { scrolled: true, stays: true },
  )
  await page.setViewportSize({ width: 3_000, height: 2_000 })
  await until('document.querySelector(".held .cut-note") === null')
  t.equal(await results.getAttribute("aria-describedby"), null, "where it fits, nothing is said")
  await page.close()
})

t.test("without a script the shadow is there all the same", async (t) => {
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  await page.goto(comparison)
  t.match(await page.evaluate('getComputedStyle(document.querySelector(".held")).backgroundAttachment'), /local/)
  await context.close()
})
