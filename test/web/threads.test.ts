/**
 * A long Thread as its readers see it: how it began, where the new entries begin, links, quoting, and previewing before
 * sending.
 */
import t from "tap"
import { action, hypothesis, message } from "../support/bodies.ts"
import { passwordOf } from "../support/service.ts"
import { violations } from "./axe.ts"
import { signInAs } from "./pages.ts"
import { ownInBrowser } from "./scene.ts"
import { watched } from "./watched.ts"

const { own, browser, at } = await ownInBrowser()
const ada = await own.setUp()
const { roomId } = (await ada.write("create_room", { title: "Ramps", question: "How long should a ramp be?" })).result
const { threadId } = (await ada.write("create_thread", { roomId, title: "Long", message: "It began with a ramp." }))
  .result
const post = (text: string) => ada.write("post_message", { threadId, ...message(text) } as never)
const posts = async (from: number, count: number) => {
  for (let first = from; first < from + count; first += 25)
    await Promise.all(
      Array.from({ length: Math.min(25, from + count - first) }, (_, index) => post(`Step ${first + index}.`)),
    )
}
const { versionId } = (await ada.write("publish_hypothesis", hypothesis({ roomId, threadId }) as never)).result

t.test("a returning reader sees how it began, how much they have read, and where the new entries begin", async (t) => {
  await posts(0, 30)
  const { page } = await watched(browser, own.baseUrl)
  await page.goto(at(`/threads/${threadId}`))
  t.equal(await page.locator("#timeline > [data-sequence]").count(), 33, "a short Thread is shown whole")
  await page.goto(at(`/rooms/${roomId}`))
  await posts(30, 170)

  await page.goto(at(`/rooms/${roomId}/threads`))
  await page.getByRole("link", { name: "Long" }).first().click()
  await page.locator(".new-from").waitFor()
  t.match(await page.locator("main").textContent(), "It began with a ramp.", "the opening post is there")
  t.match(await page.getByRole("link", { name: /earlier$/ }).textContent(), "29 earlier")
  t.match(await page.getByRole("link", { name: /later$/ }).textContent(), "122 later")
  const marks = page.locator("#timeline > li")
  t.equal(await marks.nth(2).textContent(), "New since you were here", "the last two entries already read are above it")
  t.match(await marks.nth(3).getAttribute("data-sequence"), "34")
  t.ok(
    (await page.locator("#timeline > [data-sequence]").count()) <= 50,
    "and the page is bounded, however long the Thread is",
  )
  t.same(await violations(page), [])

  const straight = await page.context().newPage()
  await straight.goto(at(`/threads/${threadId}`))
  await straight.waitForURL(/seen=/)
  await straight.close()
})

t.test("labels and bare addresses become links; a word that is not a label does not", async (t) => {
  await post(`See H1, not H77 nor \`H1\`, and https://arxiv.org/abs/2401.01234v2.

\`\`\`python
def ramp(step):  # linear
    return "H1"
\`\`\``)
  const { page } = await watched(browser, own.baseUrl)
  await page.goto(at(`/threads/${threadId}?after=202`))
  const prose = page.locator("#timeline .prose").last()
  const links = await prose.locator("a").all()
  t.same(await Promise.all(links.map((link) => link.getAttribute("href"))), [
    `/records/${versionId}`,
    "https://arxiv.org/abs/2401.01234v2",
  ])
  t.ok((await prose.locator("pre .hljs-keyword").count()) > 0, "code is highlighted")
  t.equal(await prose.locator("data").count(), 0, "no markup is left over")
})

t.test("a title that is itself a link contains no other link", async (t) => {
  const wording =
    "A ramp as in https://arxiv.org/abs/2401.01234 and [here](https://example.org/) lowers the loss of H1."
  const body = action(hypothesis({ roomId, threadId }))
  await ada.write("publish_hypothesis", { ...body, assertion: { ...body.assertion, wording } } as never)
  const { page } = await watched(browser, own.baseUrl)
  for (const path of [`/rooms/${roomId}/hypotheses`, "/people/ada"]) {
    await page.goto(at(path))
    const link = page.locator("a.wording", { hasText: "A ramp as in" })
    t.match(
      await link.textContent(),
      /A ramp as in https:\/\/arxiv.org\/abs\/2401.01234 and here lowers the loss of H1\./,
    )
    t.match(await link.getAttribute("href"), /^\/records\//)
  }
})

t.test("a selection is quoted in the reply, with the source of formulas, and a preview shows in place", async (t) => {
  await ada.write("post_message", { threadId, ...message("The ramp of $n_w$ steps helps.") } as never)
  const { page } = await watched(browser, own.baseUrl, { viewport: { width: 390, height: 844 } })
  await signInAs(page, own.baseUrl, { username: "ada", password: passwordOf("ada") })
  await page.goto(at(`/threads/${threadId}`))
  const entry = page.locator("#timeline > [data-entry]").last()
  await page.evaluate("getSelection().selectAllChildren([...document.querySelectorAll('#timeline .prose p')].at(-1))")
  await page.keyboard.press("r")
  const box = entry.getByLabel("Your reply")
  t.equal(await box.inputValue(), "> The ramp of $n_w$ steps helps.\n\n")
  await box.pressSequentially("By **how much**?")
  await entry.getByRole("tab", { name: "Preview" }).click()
  await entry.locator(".preview blockquote math").waitFor()
  t.equal(await entry.locator(".preview strong").textContent(), "how much")
  t.same(await violations(page), [])
  await entry.getByRole("tab", { name: "Preview" }).press("ArrowLeft")
  t.match(await box.inputValue(), "how much", "and the typed text is still there")
  await box.press("Control+Enter")
  await page.waitForURL(/done=post_message/)
  t.match(await page.locator("#timeline .chosen blockquote").textContent(), "steps helps")
})
