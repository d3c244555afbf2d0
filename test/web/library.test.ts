/** The Library in the browser: saving, a shared Collection with notes, marks of what is new, annotations, a personal key. */
import type { Page } from "playwright-core"
import t from "tap"
import { passwordOf, startOwn } from "../support/service.ts"
import { violations } from "./axe.ts"
import { built } from "./built.ts"
import { launch } from "./browser.ts"
import { signInAs } from "./pages.ts"
import { watched } from "./watched.ts"

built()
const own = await startOwn()
await own.setUp()
await own.person("grace")
const browser = await launch()
t.teardown(async () => {
  await browser.close()
  await own.close()
})
const at = (path: string) => `${own.baseUrl}${path}`

const signIn = (page: Page, username: string) => signInAs(page, own.baseUrl, { username, password: passwordOf(username) }, "/library")

t.test("a paper is saved, filed, shared, noted and annotated", async (t) => {
  const ada = await watched(browser, own.baseUrl, {}, [404, 422])
  const grace = await watched(browser, own.baseUrl, { viewport: { width: 390, height: 844 }, colorScheme: "dark" }, [404, 422])
  await signIn(ada.page, "ada")
  t.same(await violations(ada.page), [], "an empty Library is whole")
  await ada.page.getByRole("link", { name: "Save papers" }).click()
  await ada.page.getByLabel("Arxiv ids").fill("1706.03762\nno paper")
  await ada.page.getByRole("button", { name: "Save papers" }).click()
  t.ok((await ada.page.locator(".fault").count()) > 0, "an id that is none is refused beside its field")
  await ada.page.getByLabel("Arxiv ids").fill("1706.03762\n2002.04745")
  await ada.page.getByRole("button", { name: "Save papers" }).click()
  await ada.page.waitForURL(/done=save_papers/)
  t.equal(await ada.page.locator("table tbody tr").count(), 2)

  await ada.page.getByRole("link", { name: "Create a Collection" }).click()
  await ada.page.getByLabel("Name").fill("Warm-up")
  await ada.page.getByRole("button", { name: "Create collection" }).click()
  await ada.page.waitForURL(/\/library\/collections\//)
  const collection = new URL(ada.page.url()).pathname
  await ada.page.getByRole("link", { name: "Add papers" }).click()
  await ada.page.getByLabel("Arxiv ids").fill("1706.03762")
  await ada.page.getByRole("button", { name: "Add papers" }).click()
  await ada.page.waitForURL(/done=add_papers/)
  await ada.page.getByRole("link", { name: "Share it" }).click()
  await ada.page.getByLabel("Username").fill("grace")
  await ada.page.getByRole("button", { name: "Invite to collection" }).click()
  await ada.page.waitForURL(/done=invite_to_collection/)
  t.same(await violations(ada.page), [], "a Collection is whole")

  await signIn(grace.page, "grace")
  await grace.page.getByRole("button", { name: "Accept Warm-up" }).click()
  await grace.page.waitForURL(/done=accept_collection_invitation/)
  await grace.page.getByRole("link", { name: "arXiv:1706.03762" }).click()
  await grace.page.getByLabel("Write a note").fill("Section **5.3** has the schedule.")
  await grace.page.getByRole("button", { name: "Post the note" }).click()
  await grace.page.waitForURL(/done=post_note/)
  t.same(await violations(grace.page), [], "a paper is whole")

  await ada.page.goto(at("/library"))
  t.match(await ada.page.locator("#collections").locator("xpath=../..").textContent(), /1 new/, "what grace wrote is new to ada")
  await ada.page.goto(at(collection))
  await ada.page.getByRole("button", { name: "Mark everything read" }).click()
  await ada.page.waitForURL(/done=mark_read/)
  t.notMatch(await ada.page.textContent("main"), /1 new/)

  await ada.page.getByRole("link", { name: "arXiv:1706.03762" }).click()
  await ada.page.getByRole("link", { name: "Write notes" }).click()
  await ada.page.getByLabel("Notes").fill("Compare with $n_w = 400$.")
  await ada.page.getByRole("button", { name: "Write annotation" }).click()
  await ada.page.waitForURL(/done=write_annotation/)
  t.equal(await ada.page.locator(".prose math").count(), 1)
  await ada.page.getByRole("link", { name: "Add a highlight" }).click()
  await ada.page.getByLabel("Quote").fill("We used warmup_steps = 4000.")
  await ada.page.getByLabel("Page").fill("7")
  await ada.page.getByLabel("Colour").selectOption("yellow")
  await ada.page.getByRole("button", { name: "Add highlight" }).click()
  await ada.page.waitForURL(/done=add_highlight/)
  t.match(await ada.page.locator("blockquote").textContent(), /warmup_steps/)
  t.same(await violations(ada.page), [])

  await ada.page.goto(at("/account"))
  await ada.page.getByRole("link", { name: "Issue a personal key" }).click()
  await ada.page.getByLabel("Label").fill("reading agent")
  await ada.page.getByLabel("read library").check()
  await ada.page.getByLabel("Reach").selectOption("owned")
  await ada.page.getByRole("button", { name: "Issue key" }).click()
  const token = (await ada.page.locator(".command").first().textContent()) ?? ""
  t.match(token, /^rrk_/)
  t.equal(
    (await fetch(at("/api/agent/library/identity"), { headers: { authorization: `Bearer ${token}` } })).status,
    200,
    "and it opens the Library",
  )
  await ada.page.goto(at("/account"))
  t.same(await violations(ada.page), [])
  await ada.page.getByRole("button", { name: "Revoke reading agent" }).click()
  await ada.page.waitForURL(/done=revoke_key/)
  t.equal((await fetch(at("/api/agent/library/identity"), { headers: { authorization: `Bearer ${token}` } })).status, 401)
  t.same([...ada.troubles(), ...grace.troubles()], [])
})

t.test("the Library of one person is nobody else's page", async (t) => {
  const response = await fetch(at("/library"), { redirect: "manual" })
  t.equal(response.status, 303)
  t.match(response.headers.get("location"), /^\/sign-in\?next=/)
})
