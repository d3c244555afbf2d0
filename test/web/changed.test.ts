/** What changed stands in one table on a Room's and a checkpoint's page, and beside it who ran what again. */
import t from "tap"
import { openStudy } from "../support/study.ts"
import { violations } from "./axe.ts"
import { demoInBrowser } from "./scene.ts"
import { watched } from "./watched.ts"

t.setTimeout(180_000)
const { demo, browser } = await demoInBrowser()
const study = await openStudy(t)
const { own, roomId, checkpointId } = study

for (const path of [`/rooms/${roomId}`, `/checkpoints/${checkpointId}`])
  t.test(`${path.split("/")[1]}: folded to two lines with their counts, and unfolded one row a change`, async (t) => {
    const { page, troubles, context } = await watched(browser, own.baseUrl, { viewport: { width: 1440, height: 900 } })
    await page.goto(own.baseUrl + path)
    const changed = page.locator("#changed")
    const reproductions = page.locator("#reproductions")
    const words = async (part: typeof changed) => (await part.innerText()).replaceAll(/\s+/g, " ").trim()
    t.match(await words(changed.locator("summary")), /^What changed 4: (?:F\d [^;]+; ){3}and 1 more$/)
    t.match(
      await words(reproductions.locator("summary")),
      "Reproductions by kind 4 of 5 by others, 1 with their own code",
    )
    t.ok(((await changed.boundingBox())?.height ?? 99) < 60, "a line, until it is unfolded")

    await changed.locator("summary").click()
    const row = (label: string) => changed.getByRole("row").filter({ has: page.getByRole("link", { name: label }) })
    t.match(
      await words(row("F4")),
      "F4 corrected After 1,000 updates smoothing helps too. After 1,000 updates smoothing helps at 50 labels alone. " +
        "At 100 labels the interval holds zero. ada · agent mcp-agent L1",
    )
    t.match(await words(row("F7")), /^F7 disputed, not answered Cutout raises the error\. – .*L\d/)
    t.match(
      await words(row("F6")),
      /^F6 not reproduced error \(test\) of mixup .* −0\.\d+ points .* 0\.\d+ points .*grace/,
    )
    t.equal(await changed.getByRole("row").count(), 5, "and the others, below a head")
    await reproductions.locator("summary").click()
    t.match(await words(reproductions.getByRole("row").nth(1)), "another person the same code 3 2 1 F1, F6, F8")
    t.match(
      await words(reproductions.getByRole("row").nth(2)),
      "another agent of the author code of their own 1 1 0 F1",
    )

    // The header stays in sight, and would cover half of a row.
    await page.evaluate("scrollTo(0, 0)")
    t.same(await violations(page), [])
    if (process.env.SHOTS !== undefined)
      await page.screenshot({ path: `${process.env.SHOTS}${path.split("/")[1]}-wide.png`, fullPage: true })
    t.equal(await page.evaluate("document.documentElement.scrollWidth"), 1440)
    await page.setViewportSize({ width: 390, height: 844 })
    t.equal(await page.evaluate("document.documentElement.scrollWidth"), 390)
    const before = await row("F4").locator("td[data-is=before]").boundingBox()
    t.ok(before && before.x >= 0 && before.x + before.width <= 390 && before.width > 200, "on a phone a block a record")
    if (process.env.SHOTS !== undefined)
      await page.screenshot({ path: `${process.env.SHOTS}${path.split("/")[1]}-phone.png`, fullPage: true })
    t.same(troubles(), [])
    await context.close()
  })

t.test("the demo's Room tells its changes too; a Room without any says nothing of them", async (t) => {
  const page = await browser.newPage()
  await page.goto(`${demo.baseUrl}/rooms/${demo.rooms.main.roomId}`)
  t.match(
    await page.locator("#changed summary").innerText(),
    /^What changed 5: H5 disputed, not answered; F5 replaced; /,
  )
  await page.goto(`${demo.baseUrl}/rooms/${demo.rooms.empty.roomId}`)
  t.equal(await page.locator("#changed").count(), 0)
  await page.close()
})
