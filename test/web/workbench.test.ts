/**
 * An engineer and sixteen runs: sorted, ticked, compared, compared with a baseline, zoomed, read with the keyboard,
 * exported.
 */
import { readFileSync } from "node:fs"
import { parse } from "csv-parse/sync"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { limits } from "../../src/contract/limits.ts"
import { violations } from "./axe.ts"
import { launch } from "./browser.ts"
import { built } from "./built.ts"
import { lossAt, makeRuns } from "./runs.ts"
import { watched } from "./watched.ts"

t.setTimeout(240_000)
built()
const house = await startResearchRoom()
const browser = await launch()
t.teardown(async () => {
  await browser.close()
  await house.close()
})
const { roomId, experimentId, attemptIds } = await makeRuns(house, 18)
const POINTS = 1_000
const bench = `/rooms/${roomId}/attempts`

t.test("from the table of attempts to a tenth of a nat, with the mouse and the keyboard", async (t) => {
  const { page, troubles, context } = await watched(browser, house.baseUrl)
  const labels = () => page.locator("tbody .label[href*='/attempts/']").allTextContents()
  await page.goto(house.baseUrl + bench)
  t.same(
    await labels(),
    attemptIds.map((_, index) => `A${index + 1}`),
    "in the order of labels",
  )

  // Sorts by a metric: the lowest first, values that are not numbers last, and then reversed.
  await page.getByRole("link", { name: "loss (valid)" }).click()
  t.equal(await page.getByRole("columnheader", { name: "loss (valid)" }).getAttribute("aria-sort"), "ascending")
  const sorted = await labels()
  const last = (run: number) => lossAt(run, POINTS - 1)
  const lowest = attemptIds
    .map((_, run) => run)
    .filter((run) => run !== 2)
    .sort((one, other) => last(one) - last(other))
  t.same(sorted, [...lowest.map((run) => `A${run + 1}`), "A3"])
  await page.getByRole("link", { name: "loss (valid)" }).click()
  t.same(await labels(), [...sorted.slice(0, -1).reverse(), "A3"])
  await page.getByRole("link", { name: "Attempt", exact: true }).click()

  // Ticks with keyboard and mouse together: the first, and with Shift all up to the sixteenth.
  await page.getByRole("checkbox", { name: "Compare A1", exact: true }).focus()
  await page.keyboard.press("Space")
  await page.getByRole("checkbox", { name: "Compare A16" }).click({ modifiers: ["Shift"] })
  await page.getByRole("button", { name: "Compare 16" }).click()
  t.equal(await page.textContent("h1"), "Comparing 16 attempts")
  t.equal(await page.locator("figure.curves").count(), 3)
  t.equal(await page.locator("figure.curves").first().locator("svg.lines path").count(), 16, "none is left out")
  const colours = await page.evaluate(
    "[...document.querySelector('svg.lines').children].map((line) => getComputedStyle(line).stroke)",
  )
  t.equal(new Set(colours as string[]).size, 16, "each has a colour of its own")

  await page.getByRole("link", { name: "Each attempt" }).click()
  await page.getByLabel("Baseline").selectOption("A1")
  await page.getByRole("button", { name: "Compare with baseline" }).click()
  const lastValues = page.getByRole("group", { name: "Last values" })
  const told = (run: number) => Number(last(run).toFixed(6))
  const by = told(1) - told(0)
  t.match(
    await lastValues.getByRole("row", { name: /^A2 / }).textContent(),
    new RegExp(`\\${by < 0 ? "−" : "+"}${Math.abs(Number(by.toPrecision(4)))}`),
  )
  const settings = page.getByRole("group", { name: "Settings that differ" })
  t.same(
    await settings.getByRole("row", { name: /^A5 / }).locator("td.changed").allTextContents(),
    ["0.016", "4"],
    "only differences from the baseline are tinted: A5 has its optimizer and warm-up",
  )
  t.equal(await settings.locator("tr.base .changed").count(), 0)
  t.match(await settings.textContent(), /Settings that differ/)

  // Zooms in: drags over the end of the curves, where they differ by a tenth on an axis from 2 to 12.
  const figure = page.locator("figure.curves").nth(1)
  t.match(await figure.textContent(), /A3.*NaN/)
  const plot = figure.locator("svg.plot")
  await plot.scrollIntoViewIfNeeded()
  const box = await plot.boundingBox()
  if (box === null) throw new Error("there is no picture")
  t.ok(box.width > 800, "it is wide")
  await page.mouse.move(box.x + box.width * 0.7, box.y + 200)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.95, box.y + 205, { steps: 4 })
  await page.mouse.up()
  await figure.getByRole("link", { name: "Whole range" }).waitFor()
  const field = async () => ({
    low: Number(await plot.getAttribute("data-low")),
    high: Number(await plot.getAttribute("data-high")),
    from: Number(await plot.getAttribute("data-from")),
  })
  const near = await field()
  t.ok(near.from > 600 && near.high - near.low < 1, "a tenth of a nat is now at least a tenth of the picture")

  // Reads with the keyboard: the slider announces the step and every value, and so does the list below the picture.
  const slider = figure.getByRole("slider", { name: /Read loss \(train\)/ })
  await slider.focus()
  await page.keyboard.press("Home")
  await figure.locator("input[aria-valuetext*='A16 ']").waitFor()
  const said = await slider.getAttribute("aria-valuetext")
  t.match(said, new RegExp(`^step ${near.from}: A1 `))
  const read = Number(/A1 ([\d.]+);/.exec(said ?? "")?.[1])
  t.ok(
    Array.from({ length: 60 }, (_, index) => near.from - 30 + index).some(
      (step) => Math.abs(lossAt(0, step) - read) < 1e-4,
    ),
    "the value was reported near that step",
  )
  await page.keyboard.press("ArrowRight")
  await figure.locator(`input[aria-valuetext]:not([aria-valuetext^="step ${near.from}:"])`).waitFor()

  // A log axis, then the full range again.
  await figure.getByRole("link", { name: "Log axis" }).click()
  await figure.getByRole("link", { name: "Linear axis" }).waitFor()
  t.equal(await page.evaluate("document.activeElement.textContent"), "Linear axis", "the pressed link keeps the focus")
  await figure.getByRole("link", { name: "Whole range" }).click()
  await figure.getByRole("link", { name: "Whole range" }).waitFor({ state: "detached" })
  t.ok((await field()).high > 11)
  t.same(await violations(page), [])

  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "CSV" }).first().click(),
  ])
  const rows: Record<string, string>[] = parse(readFileSync(await download.path()), {
    columns: true,
    record_delimiter: "\r\n",
  })
  t.equal(rows.length, 16)
  t.match(rows[1], { label: "A2", "optimizer.name": "lion", "--seed": "1" })
  t.equal(rows[2]?.["loss (train)"], "NaN")
  t.same(troubles(), [])
  await context.close()
})

t.test("without a script links and forms do the same", async (t) => {
  const { page, context, troubles } = await watched(browser, house.baseUrl, { javaScriptEnabled: false })
  await page.goto(`${house.baseUrl}${bench}?experimentId=${experimentId}&status=failed`)
  t.equal(await page.locator("tbody tr").count(), 1)
  t.match(await page.textContent("tbody"), /training: The node was taken away at night/)
  await page.getByLabel("Outcome").selectOption("")
  await page.getByRole("button", { name: "Filter" }).click()
  await page.getByText("Columns: ").click()
  await page.getByRole("checkbox", { name: "--seed" }).uncheck()
  await page.getByRole("button", { name: "Show these" }).click()
  await page.waitForLoadState()
  t.equal(await page.getByRole("columnheader", { name: "--seed" }).count(), 0)
  for (const label of ["A1", "A3"]) await page.getByRole("checkbox", { name: `Compare ${label}`, exact: true }).check()
  await page.getByRole("button", { name: "Compare", exact: true }).click()
  t.equal(await page.textContent("h1"), "Comparing 2 attempts")
  // Ticks the whole table at once, then none.
  await page.goto(house.baseUrl + bench)
  await page.getByRole("link", { name: "Select all 18" }).click()
  t.equal(await page.locator("tbody :checked").count(), 18)
  await page.getByRole("link", { name: "Select none" }).click()
  t.equal(await page.locator("tbody :checked").count(), 0)
  await page.getByRole("link", { name: "Select all 18" }).click()
  await page.getByRole("checkbox", { name: "Compare A18", exact: true }).uncheck()
  await page.getByRole("button", { name: "Compare", exact: true }).click()
  t.equal(await page.textContent("h1"), "Comparing 17 attempts")
  await page.goto(`${house.baseUrl}/attempts/compare?ids=${attemptIds[0]},${attemptIds[2]}&view=attempts`)
  const figure = page.locator("figure.curves").nth(1)
  await figure.getByText("Range", { exact: true }).click()
  await figure.getByLabel("From step").fill("800")
  await figure.getByRole("button", { name: "Show" }).click()
  t.equal(await page.textContent("h1"), "loss (train) over steps")
  const alone = page.locator("figure.curves")
  t.equal(await alone.locator("svg.plot").getAttribute("data-from"), "800")
  await alone.getByText("As a table").click()
  t.match(await alone.getByRole("row", { name: /^A3 / }).textContent(), /NaN from/)
  t.same(troubles(), [])
  await context.close()
})

t.test("a setting against a metric, and what is left out is named", async (t) => {
  const { page, context } = await watched(browser, house.baseUrl)
  await page.goto(house.baseUrl + bench)
  await page.getByRole("link", { name: "Scatter plot" }).click()
  await page.getByLabel("Setting", { exact: true }).selectOption("optimizer.rate")
  await page.getByLabel("Metric", { exact: true }).selectOption("loss (train)")
  await page.getByLabel("Log axes").check()
  await page.getByRole("button", { name: "Draw" }).click()
  await page.waitForLoadState()
  t.equal(await page.locator("svg.at").count(), attemptIds.length, "a value that is not a number is at the top")
  t.same(await violations(page), [])
  await context.close()
})

t.test("if a legend cannot show all attempts, it says how many are shown", async (t) => {
  const many = await makeRuns(house, limits.comparedAttempts + 2, 10)
  const { page, context } = await watched(browser, house.baseUrl)
  await page.goto(`${house.baseUrl}/attempts/compare?ids=${many.attemptIds.join(",")}&view=attempts`)
  t.match(await page.textContent("main"), /32 of the 34 attempts you chose are shown/)
  t.equal(await page.locator("figure.curves").first().locator("svg.lines path").count(), 32)
  await context.close()
})
