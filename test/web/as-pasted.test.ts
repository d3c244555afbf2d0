/** What people paste is shown as what it became before anything is kept; an invitation is copied and then listed. */
import { Browser } from "research-room/testing"
import t from "tap"
import { publicAddress } from "../../src/web/forms/reading.ts"
import { signIn } from "./pages.ts"
import { demoInBrowser } from "./scene.ts"

const { demo, browser, at } = await demoInBrowser()
const { roomId, openingThreadId: threadId } = demo.rooms.main
const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
await signIn(page, demo, "owner")

t.test("an SSH address is read as the public one, any other text as it is", async (t) => {
  for (const [text, address] of [
    ["git@github.com:owner/name", "https://github.com/owner/name"],
    [" git@GitHub.com:owner/name.git ", "https://github.com/owner/name"],
    ["ssh://git@git.example.org/owner/name.git", "https://git.example.org/owner/name"],
    ["https://github.com/owner/name", undefined],
    ["git@github.com:name", undefined],
    ["git@github.com:a/b/c", undefined],
  ] as const)
    t.equal(publicAddress(text), address, text)
})

t.test("a plan's SSH address and short commit are shown whole, and kept when the form is sent again", async (t) => {
  const ada = await Browser.signIn({ baseUrl: demo.baseUrl }, demo.people.owner)
  const asked = { roomId, threadId, question: "Does it hold?", scope: "Here.", hypotheses: [] }
  const { experimentId } = (await ada.write("propose_experiment", asked)).result
  await ada.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  const { items } = (await (await fetch(at(`/api/research/attempts?roomId=${roomId}`))).json()) as {
    items: { attemptId: string }[]
  }
  const { repository } = (await (await fetch(at(`/api/research/attempts/${items[0]?.attemptId}`))).json()) as {
    repository: { url: string; commit: string }
  }
  const { host, pathname } = new URL(repository.url)
  await page.goto(at(`/experiments/${experimentId}`))
  await page.getByRole("link", { name: "Pin the plan" }).first().click()
  await page.getByLabel("Public repository").fill(`git@${host}:${pathname.slice(1)}.git`)
  await page.getByLabel("Commit", { exact: true }).fill(repository.commit.slice(0, 8))
  await page.getByLabel("How will it be done?").fill("Two arms.")
  await page.getByRole("button", { name: "Pin the plan" }).click()
  const said = await page.locator("main").innerText()
  t.match(said, `.git” is ${repository.url}.`)
  t.match(said, `“${repository.commit.slice(0, 8)}” is ${repository.commit}, which A`)
  t.equal(await page.getByLabel("Public repository").inputValue(), repository.url)
  t.equal(await page.getByLabel("Commit", { exact: true }).inputValue(), repository.commit)
  const plans = async () =>
    ((await (await fetch(at(`/api/research/experiments/${experimentId}`))).json()) as { acceptedPlans: object[] })
      .acceptedPlans.length
  t.equal(await plans(), 0, "nothing is kept yet")
  await page.getByRole("button", { name: "Pin the plan" }).click()
  await page.waitForURL(/done=accept_plan/)
  t.equal(await plans(), 1)
})

t.test("an invitation stands in a list with what became of it, and has a button to copy its link", async (t) => {
  await page.goto(at(`/rooms/${roomId}/people`))
  await page.getByRole("button", { name: "Invite a new person" }).click()
  t.equal(await page.locator("[data-copier]").getAttribute("data-copy"), await page.locator("pre.command").innerText())
  const link = await page.locator("pre.command").innerText()
  const listed = page.getByRole("group", { name: "Your invitations" })
  await page.goto(at(`/rooms/${roomId}/people`))
  t.match(await listed.innerText(), /open until/)
  const theirs = await (await browser.newContext()).newPage()
  await theirs.goto(link)
  await theirs.getByLabel("Name").fill("noor_2")
  await theirs.getByLabel("Password").fill("a long password of noor")
  await theirs.locator("main form button").click()
  await theirs.waitForURL(new RegExp(`/rooms/${roomId}`))
  await page.goto(at("/account"))
  t.match(await listed.innerText(), /accepted by noor_2/)
})

t.test("outcomes are words alone: triangles and their colours are for and against", async (t) => {
  await page.goto(at(`/rooms/${roomId}/findings`))
  const outcome = page.locator(".state", { hasText: /^(positive|negative)$/ })
  t.ok((await outcome.count()) > 3)
  t.equal(await outcome.locator(".mark").count(), 0)
  t.notMatch(await outcome.first().getAttribute("class"), /good|bad/)
  await page.goto(at(`/rooms/${roomId}/hypotheses`))
  t.ok((await page.locator(".state.good .mark").count()) > 0, "a verdict keeps its mark")
})

t.test("a Room's settings are where its name is, for its owner alone", async (t) => {
  await page.goto(at(`/rooms/${roomId}`))
  const settings = page.getByRole("main").getByRole("link", { name: "Settings", exact: true })
  const title = await page.getByRole("heading", { level: 1 }).boundingBox()
  const link = await settings.boundingBox()
  if (title === null || link === null) throw new Error("both are on the page")
  t.ok(link.y >= title.y && link.y < title.y + title.height + 150, "it stands by the name")
  await settings.click()
  await page.getByRole("heading", { level: 1, name: /Settings/i }).waitFor()
  const theirs = await (await browser.newContext()).newPage()
  await theirs.goto(at(`/rooms/${roomId}`))
  t.equal(await theirs.getByRole("link", { name: "Settings", exact: true }).count(), 0)
})
