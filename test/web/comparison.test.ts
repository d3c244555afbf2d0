/**
 * A comparison that shows which arm is best and why, in one table and its pictures, with a script and without; one
 * press turns it into a finding.
 */
import { ResearchRoomClient } from "research-room/client"
import { Browser } from "research-room/testing"
import t from "tap"
import { violations } from "./axe.ts"
import { makeMeasured } from "./measured.ts"
import { signIn } from "./pages.ts"
import { demoInBrowser } from "./scene.ts"
import { watched } from "./watched.ts"

t.setTimeout(240_000)
const { demo, browser, at } = await demoInBrowser()
const signedIn = (who: "owner" | "member") => Browser.signIn({ baseUrl: demo.baseUrl }, demo.people[who])
const { attemptIds, reproductionIds } = await makeMeasured(demo, await signedIn("owner"), await signedIn("member"))
const reader = new ResearchRoomClient({ baseUrl: demo.baseUrl })
const path = `/attempts/compare?ids=${[...attemptIds, ...reproductionIds].join(",")}`
const line = (text: string): string => text.replace(/\s+/g, " ").trim()

for (const javaScriptEnabled of [true, false])
  t.test(
    `the best arm is bold if it differs clearly from the others, ${javaScriptEnabled ? "with" : "without"} a script`,
    async (t) => {
      const { page, context, troubles } = await watched(browser, demo.baseUrl, { javaScriptEnabled })
      await signIn(page, demo, "owner")
      await page.goto(at(path))
      const results = page.getByRole("group", { name: "Settings and results" }).first()
      const row = async (name: RegExp) => line(await results.getByRole("row", { name }).innerText())
      t.match(
        await row(/^baseline 50 /),
        /^baseline 50 A1 A4 5 15\.\d+ ± 0\.\d+/,
        "seeds are folded into mean, interval and n",
      )
      t.match(await results.getByRole("columnheader", { name: /error/ }).innerText(), /↓/, "lower is better")
      t.same((await results.locator("strong").allInnerTexts()).length, 3, "the best at each number of labels")
      t.match(await row(/^shift 100 /), /9\.\d+ ±/)

      await page.getByRole("list", { name: "Compare with" }).getByRole("link", { name: "arm baseline" }).click()
      await page.waitForURL(/against=arm/)
      t.equal(await results.locator("td.better").count(), 3, "only differences beyond the spread are tinted")
      t.match(await row(/^smoothing 400 /), /\+0\.0\d/)
      const differences = page.getByRole("group", { name: "Differences in error" })
      t.match(
        line(await differences.getByRole("row", { name: /^shift 50 / }).innerText()),
        /5 pairs −3\.\d+ −4\.\d+ to −3\.\d+ differs$/,
      )
      t.match(line(await differences.getByRole("row", { name: /^smoothing 400 / }).innerText()), /not told apart$/)
      t.match(await page.getByRole("region", { name: "error" }).innerText(), /Every group: attempts ran different code/)

      const curves = page.locator("figure.curves")
      t.equal(await curves.count(), 1, "one picture for the metric that has steps")
      t.equal(await curves.locator("svg.lines path.line").count(), 3, "one line a group")
      t.equal(await curves.locator("svg.lines path.band").count(), 3)
      t.same(
        (await curves.locator("text.end").allTextContents()).sort(),
        ["baseline", "shift", "smoothing"],
        "labelled at their ends",
      )
      await page.getByRole("link", { name: "Show single series" }).click()
      t.equal(await curves.locator("svg.lines path.member").count(), 30, "the members open on demand")
      if (javaScriptEnabled) t.same(await violations(page), [])

      await page.goto(at(`${path}&against=arm:baseline`))
      await page.getByRole("link", { name: "Publish a finding from this view" }).click()
      t.equal(await page.locator("[name='/effects/0/of']").inputValue(), "arm: shift")
      t.equal(await page.locator("[name='/effects/0/where']").inputValue(), "labels: 50")
      t.match(
        await page.getByText("Numbers it rests on").innerText(),
        /error of arm: shift − arm: baseline at labels: 50/,
      )
      t.ok(await page.getByRole("checkbox", { name: /^A6:/ }).first().isChecked(), "its attempts are already chosen")
      t.same(troubles(), [])
      await context.close()
    },
  )

t.test("the page of an experiment shows its measurements by group, without a script too", async (t) => {
  const { page, context, troubles } = await watched(browser, demo.baseUrl, { javaScriptEnabled: false })
  const { experimentId } = await makeMeasured(demo, await signedIn("owner"), await signedIn("member"))
  await page.goto(at(`/experiments/${experimentId}`))
  const measured = page.getByRole("region", { name: "What was measured" })
  const rows = measured.getByRole("row")
  t.match(
    line(await rows.filter({ hasText: "shift" }).first().innerText()),
    /^shift 50 5 1\d\.\d+ 1\d\.\d+ to 1\d\.\d+$/,
  )
  await measured.getByRole("link", { name: "loss" }).click()
  t.match(line(await measured.innerText()), /loss in nat, mean and 95 % interval/i)
  t.match(await measured.getByRole("link", { name: "CSV" }).getAttribute("href"), /metric=loss&format=csv$/)
  t.same(troubles(), [])
  await context.close()
})

t.test("a finding of some attempts starts with what these measured, and with no other group", async (t) => {
  const { page, context, troubles } = await watched(browser, demo.baseUrl, { javaScriptEnabled: false })
  await signIn(page, demo, "owner")
  const [, shift = ""] = attemptIds
  const { experimentId, roomId, threadId } = await reader.read("attempt", { attemptId: shift })
  const execution = "/provenance/execution"
  const given = { roomId, threadId, [`${execution}/experimentId`]: experimentId, [`${execution}/attemptIds`]: shift }
  await page.goto(at(`/do/publish_finding?${new URLSearchParams(given)}`))
  t.equal(await page.locator("[name='/effects/0/of']").inputValue(), "arm: shift")
  t.equal(await page.locator("[name='/effects/1/of']").count(), 0, "smoothing was measured by other attempts")
  t.same(troubles(), [])
  await context.close()
})
