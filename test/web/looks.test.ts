/**
 * Layout faults that were seen on pages: wide tables on a phone, roots, lists that touched what follows.
 */
import t from "tap"
import { ask } from "../support/ask.ts"
import { message } from "../support/bodies.ts"
import { demoInBrowser } from "./scene.ts"

const { demo, browser, at } = await demoInBrowser()
const { token } = demo.credentials.member_all
const { openingThreadId: threadId } = demo.rooms.empty
const columns = Array.from({ length: 14 }, (_, index) => `a setting with a long name ${index}`)
const table = [columns, columns.map(() => "---"), columns.map((_, index) => String(index / 7))]
  .map((row) => `| ${row.join(" | ")} |`)
  .join("\n")
const text = `A root: $$\\sqrt{\\frac{\\eta_0}{n^2}}$$\n\n${table}`
const posted = await ask(`${demo.baseUrl}/api/agent/threads/${threadId}/messages`, { token, body: message(text) })
t.equal(posted.status, 200)

t.test("a wide table and a formula stay within the screen of a phone, and can be scrolled", async (t) => {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
  await page.goto(at(`/threads/${threadId}`))
  const shown = page.locator(".prose table").last()
  await shown.waitFor()
  t.equal(await page.evaluate("document.documentElement.scrollWidth"), 390, "the page is not wider than the screen")
  t.ok(
    await page.evaluate(
      "(table => table.scrollWidth > table.clientWidth + 100)([...document.querySelectorAll('.prose table')].at(-1))",
    ),
    "the table is wider, inside its own frame",
  )
  await page.close()
})

t.test("a root sign covers all of its radicand", async (t) => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.goto(at(`/threads/${threadId}`))
  const root = page.locator("msqrt").last()
  await root.waitFor()
  const { above, below } = (await page.evaluate(
    "(root => { const [a, b] = [root.getBoundingClientRect(), root.firstElementChild.getBoundingClientRect()]; " +
      "return { above: b.top - a.top, below: a.bottom - b.bottom } })([...document.querySelectorAll('msqrt')].at(-1))",
  )) as { above: number; below: number }
  t.ok(above > 0.5, `its line is above (${above} px)`)
  t.ok(below >= -0.5, `and its sign ends with it (${below} px)`)
  await page.close()
})

t.test("a list of terms does not touch what follows it", async (t) => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  for (const path of [`/rooms/${demo.rooms.main.roomId}`, `/rooms/${demo.rooms.main.roomId}/about`]) {
    await page.goto(at(path))
    const gaps = (await page.evaluate(
      "[...document.querySelectorAll('main dl')].filter(dl => dl.nextElementSibling && " +
        "dl.nextElementSibling.offsetHeight > 0 && dl.offsetHeight > 0).map(dl => " +
        "dl.nextElementSibling.getBoundingClientRect().top - dl.getBoundingClientRect().bottom)",
    )) as number[]
    t.ok(
      gaps.every((gap) => gap >= 6),
      `${path}: ${gaps.join(", ")}`,
    )
  }
  await page.close()
})
