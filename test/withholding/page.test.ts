/** The owner of a Room withholds a message from its page, and it disappears from every open page. */
import { pattern } from "../support/pattern.ts"
import t from "tap"
import { violations } from "../web/axe.ts"
import { signInAs } from "../web/pages.ts"
import { Typist } from "../web/typist.ts"
import { ownInBrowser } from "../web/scene.ts"
import { passwordOf } from "../support/service.ts"

const { own, browser, at } = await ownInBrowser()
const ada = await own.setUp("ada")
const grace = await own.person("grace")
const { roomId, openingThreadId: threadId = "" } = (await ada.write("create_room", { title: "Warm-up" })).result
await ada.write("add_member", { roomId, username: "grace" })
const SECRET = "hf_kT9sQ2mV7xLpB4nR8wZ1cD6y"
const { entry } = await grace.write("post_message", { threadId, text: `The token is ${SECRET}.` } as never)
const pageOf = async (username?: string) => {
  const page = await (await browser.newContext()).newPage()
  if (username !== undefined) await signInAs(page, own.baseUrl, { username, password: passwordOf(username) })
  return page
}

t.test(
  "The page says what will be removed and what stays, asks once, and every open page loses the text",
  async (t) => {
    const reader = await pageOf()
    await reader.goto(at(`/threads/${threadId}`))
    await reader.waitForSelector('main[data-following="on"]')
    await reader.getByText(SECRET).waitFor()

    const page = await pageOf("ada")
    await page.goto(at(`/threads/${threadId}`))
    await page.locator("#timeline .menu").first().click()
    await page.getByRole("link", { name: "Withhold text of entry 1" }).click()
    await page.getByRole("heading", { name: "Withhold text of this message" }).waitFor()
    await page.getByRole("checkbox", { name: /Text The token is/ }).waitFor()
    await page.getByRole("heading", { name: "What stays" }).waitFor()
    t.strictSame(await violations(page), [])
    await page.evaluate(
      "(form => { form.noValidate = true; form.requestSubmit() })(document.querySelector('form.stack'))",
    )
    await page.getByText("Say why in a sentence.").waitFor()
    t.notMatch(await page.textContent(".refused"), /schema|withhold_content|is required/)
    await page.getByLabel("Why").selectOption("secret")
    await page.getByLabel("In a sentence").fill("A token, revoked since.")
    await page.getByText("This cannot be undone").waitFor()
    t.strictSame(await violations(page), [])
    await page.getByRole("button", { name: "Withhold it for good" }).click()
    await page.getByRole("heading", { name: "The text was withheld" }).waitFor()
    t.match(await page.textContent("main"), /Litestream|[Bb]ackups made before/)
    t.strictSame(await violations(page), [])

    const told = reader.locator(".withheld")
    await told.waitFor()
    t.match(
      await told.textContent(),
      pattern(
        /^Withheld by ada on \d{1,2} [A-Z][a-z]+ \d{4}: a secret that gives access\. The original text was removed /,
        /from the record for good\.$/,
      ),
    )
    t.notMatch(await reader.content(), SECRET)
    await reader.getByText("withheld part of").waitFor()
    for (const scheme of ["light", "dark"] as const) {
      await reader.emulateMedia({ colorScheme: scheme })
      t.strictSame(await violations(reader), [], scheme)
    }
    await reader.goto(at(`/rooms/${roomId}/activity`))
    await reader.getByText("withheld part of a message (secret): A token, revoked since.").first().waitFor()
    t.strictSame(await violations(reader), [])
  },
)

t.test("The keyboard alone withholds a message, from its Thread to the mark in its place", async (t) => {
  const { entry } = await grace.write("post_message", { threadId, text: "Her phone number is 555 0101." } as never)
  const page = await pageOf("ada")
  await page.goto(at(`/threads/${threadId}#entry-${entry?.entryId}`))
  // The address leads to the entry, so Tab goes on from there.
  const typist = new Typist(page)
  await typist.to("⋯")
  await typist.press("Enter")
  // The script opens the menu in place.
  await page.locator("#timeline details.menu[open]").waitFor()
  await typist.to("Withhold text of entry 3")
  await typist.press("Enter")
  await page.getByRole("heading", { name: "Withhold text of this message" }).waitFor()
  const form = new Typist(page)
  await form.write("Why", "Personal")
  await form.write("In a sentence", "She did not agree to it.")
  await form.send("Withhold it for good")
  await page.getByRole("heading", { name: "The text was withheld" }).waitFor()
  t.notMatch(await (await fetch(at(`/threads/${threadId}`))).text(), "555 0101")
})

t.test("The form and the page after it name the places of a record in words", async (t) => {
  const said = {
    assertion: {
      wording: "Warm-up lowers the loss.",
      predicate: { type: "concept", key: "lowers" },
      roles: [
        { role: "cause", definition: "What is changed.", value: { type: "text", value: "the warm-up of bob@lab" } },
        { role: "effect", definition: "What is measured.", value: { type: "text", value: "the loss" } },
      ],
    },
    concepts: { lowers: { label: "lowers", definition: "Makes it smaller." } },
    scope: "Here.",
  }
  const hypothesis = { kind: "hypothesis", roomId, threadId, ...said, premises: [], references: [] } as never
  const { result } = await grace.write("publish_hypothesis", hypothesis)
  const page = await pageOf("ada")
  await page.goto(at(`/do/withhold_content?roomId=${roomId}&/of/versionId=${result.versionId}`))
  const places = await page.locator(".passage strong").allInnerTexts()
  t.same(places.toSorted(), [
    "Label of the concept “lowers”",
    "Meaning of role 1",
    "Meaning of role 2",
    "Meaning of the concept “lowers”",
    "Scope",
    "Sentence",
    "Value of role 1",
    "Value of role 2",
  ])
  await page.getByRole("checkbox", { name: /Value of role 1/ }).check()
  await page.getByLabel("Why").selectOption("personal_data")
  await page.getByLabel("In a sentence").fill("An address.")
  await page.getByRole("button", { name: "Withhold it for good" }).click()
  await page.getByRole("heading", { name: "The text was withheld" }).waitFor()
  t.equal(await page.getByRole("rowheader").innerText(), "Value of role 1")
})

t.test("A reader who is neither the Room's owner nor an operator finds no link to it, and no form", async (t) => {
  const page = await pageOf("grace")
  await page.goto(at(`/threads/${threadId}`))
  t.equal(await page.getByRole("link", { name: "Withhold" }).count(), 0)
  await page.goto(at(`/do/withhold_content?roomId=${roomId}&/of/entryId=${entry?.entryId}`))
  t.match(await page.textContent("main"), /Only the owner of the Room or an operator/)
})
