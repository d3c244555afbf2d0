/** A record is one screen, then folds: sentence, picture, verdict and next step are read without scrolling. */
import { ResearchRoomClient } from "research-room/client"
import t from "tap"
import { openStudy } from "../support/study.ts"
import { violations } from "./axe.ts"
import { signIn } from "./pages.ts"
import { demoInBrowser } from "./scene.ts"
import { watched } from "./watched.ts"

t.setTimeout(240_000)
const { demo, browser, at } = await demoInBrowser()
const study = await openStudy(t)
const size = { width: 1440, height: 900 }

/** What must be on the first screen, where it ends, and which headings are read before anything is unfolded. */
const SEEN = `({
  bottoms: ["h1", ".scope", ".effects, .claimed", ".bearing", ".next-act"].map((place) => {
    const found = document.querySelector("#main " + place.split(", ").join(", #main "))
    return [place, found === null ? null : Math.round(found.getBoundingClientRect().bottom)]
  }),
  headings: [...document.querySelectorAll("#main :is(h1, h2, h3)")].filter((each) => each.checkVisibility()).length,
  nexts: document.querySelectorAll("#main .next-act").length,
  width: document.documentElement.scrollWidth,
})`
interface Seen {
  readonly bottoms: readonly (readonly [string, number | null])[]
  readonly headings: number
  readonly nexts: number
  readonly width: number
}

t.test(
  "each kind of record says on its first screen what it claims, what was measured, and what is next",
  async (t) => {
    const reader = new ResearchRoomClient({ baseUrl: demo.baseUrl })
    const { hypotheses, publications } = await reader.read("room_context", { roomId: demo.rooms.main.roomId })
    const { page, context, troubles } = await watched(browser, demo.baseUrl, { viewport: size })
    await signIn(page, demo, "member")
    const records = [...hypotheses, ...publications].filter(({ label }) =>
      ["H1", "H4", "H8", "F1", "F3", "F8", "F10", "C1"].includes(label),
    )
    t.equal(records.length, 8)
    for (const { label, versionId, kind, status } of records) {
      await page.setViewportSize(size)
      await page.goto(at(`/records/${versionId}`))
      const { bottoms, headings, nexts, width } = (await page.evaluate(SEEN)) as Seen
      const isDrawn = kind !== "cited_claim" && !(kind === "hypothesis" && label === "H6")
      const isOpen = kind !== "cited_claim" && status !== "retracted"
      for (const [place, bottom] of bottoms)
        if ((isDrawn || !place.startsWith(".effects")) && (isOpen || place !== ".next-act"))
          t.ok(bottom !== null && bottom <= size.height, `${label}: ${place} ends at ${bottom}`)
      t.ok(headings <= 8, `${label} has ${headings} headings`)
      t.equal(nexts, isOpen ? 1 : 0, `${label} offers one next step`)
      t.equal(width, size.width)
      if (["H4", "F1", "C1"].includes(label)) t.same(await violations(page), [], label)
      await page.setViewportSize({ width: 390, height: 844 })
      t.equal(await page.evaluate("document.documentElement.scrollWidth"), 390, `${label} on a phone`)
      const html = await (await fetch(at(`/records/${versionId}`))).text()
      t.ok(html.length <= 60_000, `${label}: ${html.length} bytes`)
    }
    t.same(troubles(), [])
    await context.close()
  },
)

t.test("so do the records of three agents, with who repeated what and with which code", async (t) => {
  const page = await browser.newPage({ viewport: size })
  for (const label of ["F1", "F2", "F5", "F7", "F8", "H1", "H2"]) {
    await page.goto(`${study.own.baseUrl}/records/${study.idOf(label)}`)
    const { bottoms, headings } = (await page.evaluate(SEEN)) as Seen
    for (const [place, bottom] of bottoms)
      if (place !== ".next-act") t.ok(bottom !== null && bottom <= size.height, `${label}: ${place} ends at ${bottom}`)
    t.ok(headings <= 8, `${label} has ${headings} headings`)
  }
  await page.goto(`${study.own.baseUrl}/records/${study.idOf("F1")}`)
  const margin = await page.getByRole("complementary", { name: "Verdict and next step" }).innerText()
  t.match(margin, /Reproduced by .*python-agent \(same code at another commit\)/)
  t.match(margin, /Reproduced by .*mcp-agent \(own implementation\)/)
  t.notMatch(margin, /Untested/)
  t.notMatch(await page.locator("#main").innerText(), /No evidence was given/)
  await page.goto(`${study.own.baseUrl}/records/${study.idOf("H2")}`)
  t.match(await page.locator(".verdict").first().innerText(), /in part: .*supports at 50 and 100 labels by F2/)
  await page.close()
})

t.test(
  "the first page of their Room says which change helps, how sure, who repeated it, and what is open",
  async (t) => {
    const page = await browser.newPage({ viewport: size })
    await page.goto(`${study.own.baseUrl}/rooms/${study.roomId}`)
    const seen = (await page.evaluate(`[...document.querySelectorAll("#main *")]
    .filter((each) => each.children.length === 0 || each.matches("tr, p, li"))
    .filter((each) => { const { bottom, height } = each.getBoundingClientRect(); return height > 0 && bottom <= 900 })
    .map((each) => each.innerText?.replace(/\\\\s+/g, " ")).join("\\n")`)) as string
    t.match(seen, /Shifting the digits by a pixel helps most at every size/, "the answer")
    const rows = (await page.evaluate(`[...document.querySelectorAll(".whiskers tbody tr")]
    .filter((row) => row.getBoundingClientRect().bottom <= 900)
    .map((row) => row.innerText.replace(/\\s+/g, " "))`)) as string[]
    const shift = rows.find((row) => row.startsWith("shift updates 5000"))
    t.match(
      shift,
      /−2\.\d\d ?, told apart, −\d\.\d\d to −\d\.\d\d n \d+.*reproduced by 2 others/,
      "how sure, and who repeated it",
    )
    t.match(shift, /−1\.\d\d ?, told apart,.*−0\.\d\d/, "at each size")
    t.ok(rows.filter((row) => !row.startsWith("baseline")).length >= 9, "and beside it the others")
    t.match(
      await page.locator("#live-hypotheses").innerText(),
      /contradicted\s+from its author alone; F1 reproduced by 2 other agents/,
      "what others reproduced counts for the hypothesis too",
    )
    t.match(seen, /Do shifting and smoothing add up\?|Answer the dispute of/, "what is open")
    await page.close()
  },
)

t.test("a finding that was reviewed and not reproduced says so, and not that nobody checked it", async (t) => {
  const page = await browser.newPage({ viewport: size })
  const path = `${study.own.baseUrl}/records/${study.idOf("F10")}`
  const told = async () => {
    await page.goto(path)
    const evidence = /Evidence: ([^.]+)\./.exec(await (await fetch(`${path}.md`)).text())?.[1]
    return [await page.locator(".bearing").innerText(), evidence]
  }
  t.same(await told(), ["Not yet checked by anyone", "not yet checked by anyone"])
  await study.agents["python-agent"].write("submit_review", {
    target: study.idOf("F10"),
    verdict: "agrees_with_reservations",
    checked: ["numbers"],
    explanation: "The numbers are as stated; ten seeds are few.",
  })
  t.same(await told(), ["Reviewed, not reproduced yet", "reviewed, not reproduced yet"])
  await page.goto(`${study.own.baseUrl}/rooms/${study.roomId}/findings`)
  const row = page.locator("li[data-entry]").filter({ hasText: "F10" }).first()
  t.match(await row.innerText(), /reviewed, not reproduced yet/)
  await page.close()
})
