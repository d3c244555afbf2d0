/**
 * The Library in the browser: pasting papers, a shared Collection with notes, tags, search, reading and files, on a
 * desktop and a phone.
 */
import { pattern } from "../support/pattern.ts"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import t from "tap"
import { readText } from "../library/library.ts"
import { passwordOf, temporaryFolder } from "../support/service.ts"
import { violations } from "./axe.ts"
import { signIn as signInDemo, signInAs } from "./pages.ts"
import { demoInBrowser, ownInBrowser } from "./scene.ts"
import { watched } from "./watched.ts"

t.setTimeout(240_000)
const { own, browser, at } = await ownInBrowser()
await own.setUp()
await own.person("grace")

const signIn = (page: Page, username: string) =>
  signInAs(page, own.baseUrl, { username, password: passwordOf(username) }, "/library")
const phone = { viewport: { width: 390, height: 844 }, colorScheme: "dark" } as const
const done = (page: Page, operation: string) => page.waitForURL(new RegExp(`done=${operation}`))
const sideways = (page: Page) => page.evaluate("document.documentElement.scrollWidth - innerWidth")

t.test("papers are pasted, filed, shared, noted and annotated", async (t) => {
  const ada = await watched(browser, own.baseUrl, {}, [404, 422])
  const grace = await watched(browser, own.baseUrl, phone, [404, 422])
  await signIn(ada.page, "ada")
  t.same(await violations(ada.page), [], "an empty Library has no violation")
  await ada.page
    .getByLabel("Add papers")
    .fill("1706.03762 https://arxiv.org/abs/2002.04745v2\nhttps://example.org/paper")
  await ada.page.getByRole("button", { name: "Save", exact: true }).click()
  await ada.page.locator("#pasted").waitFor()
  t.match(
    await ada.page.locator("#pasted").innerText(),
    /3 papers saved[\s\S]*arXiv:1706\.03762, arXiv:2002\.04745, a reference/,
  )
  t.equal(await ada.page.locator(".papers > li").count(), 3)
  t.same(await violations(ada.page), [], "the outcome is announced to screen readers")

  await ada.page.getByRole("link", { name: "New", exact: true }).click()
  await ada.page.getByLabel("Name").fill("Warm-up")
  await ada.page.getByRole("button", { name: "Start the Collection" }).click()
  await ada.page.waitForURL(/\/library\/collections\//)
  const collection = new URL(ada.page.url()).pathname
  await ada.page.getByLabel("Add papers").fill("1706.03762")
  await ada.page.getByRole("button", { name: "Save", exact: true }).click()
  t.match(await ada.page.locator("#pasted").innerText(), /1 paper added to “Warm-up”/)
  await ada.page.getByRole("link", { name: "Share" }).click()
  await ada.page.getByLabel("Name of their account").fill("grace")
  await ada.page.getByRole("button", { name: "Invite them" }).click()
  await done(ada.page, "invite_to_collection")
  t.same(await violations(ada.page), [], "a Collection has no violation")

  await signIn(grace.page, "grace")
  await grace.page.getByRole("button", { name: "Accept Warm-up" }).click()
  await done(grace.page, "accept_collection_invitation")
  await grace.page.getByRole("link", { name: "arXiv:1706.03762" }).click()
  await grace.page.getByLabel("Write a note").fill("Section **5.3** has the schedule.")
  await grace.page.getByRole("button", { name: "Post note" }).click()
  await done(grace.page, "post_note")
  t.same(await violations(grace.page), [], "a paper has no violation")
  t.equal(await sideways(grace.page), 0)

  await ada.page.goto(at("/library"))
  t.match(await ada.page.locator("[data-collection]").innerText(), /1 new/, "grace's note is new to ada")
  await ada.page.goto(at(collection))
  await ada.page.getByRole("button", { name: "Mark all as read" }).click()
  await done(ada.page, "mark_read")
  t.notMatch(await ada.page.textContent("main"), /1 new/)

  await ada.page.getByRole("link", { name: "arXiv:1706.03762" }).click()
  await ada.page.getByRole("textbox", { name: "Your notes" }).fill("Compare with $n_w = 400$.")
  await ada.page.getByRole("button", { name: "Save notes" }).click()
  await done(ada.page, "write_annotation")
  t.equal(await ada.page.locator(".prose math").count(), 1)
  await ada.page.getByText("Edit", { exact: true }).click()
  await ada.page.getByRole("textbox", { name: "Your notes" }).fill("Compare with the zebra schedule.")
  await ada.page.getByRole("button", { name: "Save notes" }).click()
  await ada.page.getByText("Compare with the zebra schedule.").first().waitFor()
  await ada.page.getByRole("link", { name: "Add highlight" }).click()
  await ada.page.getByLabel("The passage, word for word").fill("We used warmup_steps = 4000.")
  await ada.page.getByLabel("Page").fill("7")
  await ada.page.getByLabel("Colour").selectOption("yellow")
  await ada.page.getByRole("button", { name: "Keep it" }).click()
  await done(ada.page, "add_highlight")
  t.match(await ada.page.locator("blockquote").textContent(), /warmup_steps/)
  t.same(await violations(ada.page), [])

  await ada.page.goto(at("/library"))
  await ada.page.getByPlaceholder("Title, author, abstract, your notes").fill("zebra")
  await ada.page.keyboard.press("Enter")
  await ada.page.waitForURL(/query=zebra/)
  t.strictSame(
    await ada.page.locator(".papers .wording").allInnerTexts(),
    ["arXiv:1706.03762"],
    "and found by the new annotation",
  )

  await ada.page.goto(at("/account"))
  await ada.page.getByRole("link", { name: "Issue a personal key" }).click()
  await ada.page.getByLabel("What is it for?").fill("reading agent")
  await ada.page.getByLabel("read papers and Collections").check()
  await ada.page.getByLabel("What can it reach?").selectOption("owned")
  await ada.page.getByRole("button", { name: "Issue the key" }).click()
  const token = (await ada.page.locator(".command").first().textContent()) ?? ""
  t.match(token, /^rrk_/)
  const identity = () => fetch(at("/api/agent/library/identity"), { headers: { authorization: `Bearer ${token}` } })
  t.equal((await identity()).status, 200, "and it opens the Library")
  await ada.page.goto(at("/account"))
  t.same(await violations(ada.page), [])
  await ada.page.locator("summary", { hasText: "Revoke reading agent" }).click()
  await ada.page.getByText("“reading agent” stops working at once. You stay signed in.").waitFor()
  await ada.page.getByRole("button", { name: "Revoke reading agent" }).click()
  await done(ada.page, "revoke_key")
  t.equal((await identity()).status, 401)
  t.same([...ada.troubles(), ...grace.troubles()], [])
})

t.test("a file is previewed before it is sent", async (t) => {
  const { page, troubles } = await watched(browser, own.baseUrl)
  await signIn(page, "ada")
  const folder = temporaryFolder()
  const file = join(folder, "two.bib")
  writeFileSync(
    file,
    "@misc{one, title={Of a file}, eprint={2402.00001}, archiveprefix={arXiv}}\n@book{knuth, title={The Art}, " +
      "isbn={0-201-89683-5}}\n",
  )
  await page.getByLabel("From a file").setInputFiles(file)
  const box = page.getByLabel("Add papers")
  while (!(await box.inputValue()).includes("Of a file")) await page.evaluate("new Promise(requestAnimationFrame)")
  const recognised = page.locator("#recognised")
  await recognised.getByText("2 papers recognised, not saved yet").waitFor()
  t.match(
    await recognised.innerText(),
    pattern(
      /arXiv:2402\.00001 Of a file[\s\S]*The Art[\s\S]*1 part could not be read:[\s\S]*is not an ISBN: /,
      /its check digit is wrong/,
    ),
  )
  t.same(await violations(page), [])
  await page.getByRole("button", { name: "Save", exact: true }).click()
  t.match(await page.locator("#pasted").innerText(), /2 papers saved[\s\S]*1 part could not be read/)
  t.match(await page.locator(".papers > li").nth(1).innerText(), /Of a file/)
  t.same(troubles(), [])
})

t.test(
  "without a script, uncertain matches are shown before they are saved, and one more press saves them",
  async (t) => {
    const { page, troubles } = await watched(browser, own.baseUrl, { javaScriptEnabled: false })
    await signIn(page, "ada")
    await page
      .getByLabel("Add papers")
      .fill("Knuth, D. The Art of Computer Programming. 1968.\n\n10.1002/j.1538-7305.1948.tb01338.x")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText("1 paper recognised; 1 reference kept as written, not saved yet").waitFor()
    await page.getByRole("button", { name: "Save 2 papers" }).click()
    t.match(await page.locator("#pasted").innerText(), /2 papers saved/)
    await page.getByRole("link", { name: "doi:10.1002/j.1538-7305.1948.tb01338.x" }).last().click()
    t.equal(
      await page.getByRole("link", { name: "doi:10.1002/j.1538-7305.1948.tb01338.x" }).getAttribute("href"),
      "https://doi.org/10.1002/j.1538-7305.1948.tb01338.x",
    )
    await page.getByLabel("More tags, separated by commas").fill("information")
    await page.keyboard.press("Enter")
    await done(page, "tag_papers")
    await page.getByRole("textbox", { name: "Your notes" }).fill("Where *entropy* comes from.")
    await page.getByRole("button", { name: "Save notes" }).click()
    await done(page, "write_annotation")
    await page.getByRole("button", { name: "Add to Collection" }).click()
    await done(page, "add_papers")
    await page.getByLabel("Write a note").fill("Equation 4.")
    await page.getByRole("button", { name: "Post note" }).click()
    await done(page, "post_note")
    t.match(await page.locator("main").innerText(), /Equation 4\.[\s\S]*/)
    t.same(troubles(), [])
  },
)

/** What a person does with saved papers, by keyboard if there is one: tagging, searching, reading, and exporting. */
for (const [sight, options] of [
  ["on a desktop", {}],
  ["on a phone", phone],
  ["without a script", { javaScriptEnabled: false }],
] as const) {
  t.test(`papers are tagged, found and read ${sight}`, async (t) => {
    const { demo, browser, at } = await demoInBrowser()
    const { page, troubles } = await watched(browser, demo.baseUrl, { ...options, acceptDownloads: true })
    await signInDemo(page, demo, "owner")
    await page.goto(at("/library/papers/2504.13837"))
    await page.getByLabel("More tags, separated by commas").fill("Reinforcement, to read")
    await page.keyboard.press("Enter")
    await done(page, "tag_papers")
    t.strictSame(await page.locator(".tags .tag > a").allInnerTexts(), ["reinforcement", "to read"])
    t.match(
      await page.locator("#cited").locator("xpath=../..").innerText(),
      /C\d+ cited claim[\s\S]*Does RL add solutions, or only find them faster\?/,
      "and the Rooms that cite it are listed",
    )
    await page.getByLabel("Page", { exact: true }).fill("7")
    await page.getByLabel("of how many").fill("23")
    await page.keyboard.press("Enter")
    await done(page, "set_reading_position")
    t.match(await page.locator("#reading").locator("xpath=..").innerText(), /page 7 of 23/)
    t.equal(
      await page.getByRole("link", { name: "PDF at arXiv" }).getAttribute("href"),
      "https://arxiv.org/pdf/2504.13837",
    )
    t.equal(await sideways(page), 0)

    await page.getByRole("link", { name: "reinforcement", exact: true }).click()
    await page.waitForURL(/tag=reinforcement/)
    t.strictSame(await page.locator(".papers .wording").allInnerTexts(), ["arXiv:2504.13837"])
    t.match(await page.locator(".papers > li").innerText(), /page 7 of 23/)
    await page.goto(at("/library"))
    const find = page.getByRole("search", { name: "Saved papers" })
    await find.getByRole("combobox").selectOption("title")
    await find.getByRole("button", { name: "Find" }).click()
    await page.waitForURL(/sort=title/)
    const titles = await page.locator(".papers .wording").allInnerTexts()
    t.ok(titles.length >= 9)
    t.strictSame(
      titles,
      [...titles].sort((one, other) => one.localeCompare(other, "en")),
    )
    await find.getByRole("searchbox").fill("vaswani")
    await page.keyboard.press("Enter")
    await page.waitForURL(/query=vaswani/)
    t.strictSame(await page.locator(".papers .wording").allInnerTexts(), ["Attention Is All You Need"])
    t.equal(await sideways(page), 0)

    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "RIS", exact: true }).click(),
    ])
    const chunks: Buffer[] = []
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
    const { papers } = await readText(Buffer.concat(chunks).toString("utf8"))
    t.equal(download.suggestedFilename(), "library.ris")
    t.match(
      papers,
      [{ paperId: "1706.03762", given: { title: "Attention Is All You Need" } }],
      "the file holds what is listed",
    )

    await page.goto(at("/library/papers/2504.13837"))
    await page.getByRole("button", { name: "Remove to read" }).click()
    await done(page, "untag_papers")
    t.strictSame(await page.locator(".tags .tag > a").allInnerTexts(), ["reinforcement"])
    if (options !== phone && !("javaScriptEnabled" in options)) t.same(await violations(page), [])
    t.same(troubles(), [])
  })
}

t.test("nobody else can open a person's Library", async (t) => {
  const response = await fetch(at("/library"), { redirect: "manual" })
  t.equal(response.status, 303)
  t.match(response.headers.get("location"), /^\/sign-in\?next=/)
})
