/**
 * Layout faults that were seen on pages: wide tables on a phone, roots, lists that touched what follows.
 */
import t from "tap"
import { ask } from "../support/ask.ts"
import { message } from "../support/bodies.ts"
import { signIn } from "./pages.ts"
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
      "(box => box.scrollWidth > box.clientWidth + 100)([...document.querySelectorAll('.prose .table')].at(-1))",
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

t.test("on a phone the section that is shown is in sight", async (t) => {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
  await signIn(page, demo, "owner")
  const { roomId } = demo.rooms.main
  for (const section of ["people", "links"]) {
    await page.goto(at(`/rooms/${roomId}/${section}`))
    const { x = -1, width = 0 } = (await page.locator(".rail [aria-current]").boundingBox()) ?? {}
    t.ok(x >= 0 && x + width <= 390, `${section}: from ${x} to ${x + width} px`)
  }
  await page.close()
})

t.test("on a phone everything that can be pressed in a Room's list of links is on the screen", async (t) => {
  const { roomId } = demo.rooms.main
  const words = new Set<string>()
  for (const who of ["owner", "member"] as const) {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
    const page = await context.newPage()
    await signIn(page, demo, who)
    await page.goto(at(`/rooms/${roomId}/links`))
    for (const fold of await page.locator("main details").all())
      await fold.evaluate("(details) => { details.open = true }")
    for (const state of await page.locator("main .state").all()) words.add(await state.innerText())
    for (const pressed of await page.locator("main :is(a, button, input, summary):visible").all()) {
      const { x = -1, width = 0 } = (await pressed.boundingBox()) ?? {}
      const name = (await pressed.innerText()) || (await pressed.getAttribute("name"))
      if (name === "Withdraw it") words.add(name)
      t.ok(x >= 0 && x + width <= 390, `${who}, ${name}: from ${x} to ${x + width} px`)
    }
    await context.close()
  }
  const kinds = ["corrects", "supersedes", "disputes", "retracts", "answers", "supports", "Withdraw it"]
  t.strictSame(
    kinds.filter((kind) => !words.has(kind)),
    [],
    "each kind of link is there, and the button of one's own",
  )
})

t.test("the word of a review does not run into its text", async (t) => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(at(`/rooms/${demo.rooms.main.roomId}`))
  const over = await page.evaluate(`(() => {
    const list = Object.assign(document.createElement("ul"), { className: "evidence" })
    list.innerHTML = '<li><span class="state"><i class="mark half warn"></i>' +
      'agrees with reservations</span><div>The split was read again.</div></li>'
    document.getElementById("main").prepend(list)
    const word = document.createRange()
    word.selectNodeContents(list.querySelector(".state"))
    return word.getBoundingClientRect().right - list.querySelector("div").getBoundingClientRect().left
  })()`)
  t.ok(Number(over) <= 0, `the word ends ${-Number(over)} px before the text`)
  await page.close()
})

t.test("the numbers beside a heading lead to as many, and a hit says its Room", async (t) => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  const { roomId } = demo.rooms.main
  await page.goto(at(`/rooms/${roomId}`))
  const beside = page.locator("section[aria-labelledby=findings] .beside")
  const inRail = page.getByRole("navigation", { name: "Room" }).getByRole("link", { name: /^Findings/ })
  t.equal(
    /\d+/.exec(await beside.innerText())?.[0],
    /\d+/.exec(await inRail.innerText())?.[0],
    "the rail and the heading count the same",
  )
  const title = await page.locator("h1").innerText()
  await page.goto(at("/search?query=GRPO"))
  t.match(await page.locator("section[aria-labelledby=record] li").first().innerText(), `in ${title.slice(0, 40)}`)
  await page.goto(at(`/search?query=GRPO&roomId=${roomId}`))
  t.notMatch(await page.locator("section[aria-labelledby=record] li").first().innerText(), `in ${title.slice(0, 40)}`)
  await page.close()
})

t.test("the short fields of one thing stand beside each other, below its name", async (t) => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await signIn(page, demo, "owner")
  await page.goto(at("/do/issue_key"))
  await page.getByText("When it expires, and who uses it").click()
  const agent = page.getByRole("group", { name: "The agent" })
  const tops = await Promise.all(
    ["Name", "Version", "Model"].map(async (label) => (await agent.getByLabel(label).boundingBox())?.y),
  )
  t.equal(new Set(tops).size, 1, `the name, version and model of an agent are at ${tops.join(", ")} px`)
  await page.close()
})
