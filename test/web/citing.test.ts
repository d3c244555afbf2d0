/** From the Library to a Room: a highlight, or a passage pasted from the paper, becomes a cited claim in one step. */
import { Browser } from "research-room/testing"
import t from "tap"
import { violations } from "./axe.ts"
import { signIn } from "./pages.ts"
import { demoInBrowser } from "./scene.ts"

t.setTimeout(120_000)
const { demo, browser, at } = await demoInBrowser()
const arxivId = "2304.00001"
const quote = "We used warmup_steps = 4000."
const ada = await Browser.signIn({ baseUrl: demo.baseUrl }, demo.people.owner)
await ada.write("save_papers", { identifiers: [arxivId] })
const kept = await ada.write("add_highlight", { arxivId, expectedRevision: 0, quote, page: 7, colour: "yellow" })
const paperPage = `/library/papers/${kept.result.paperId}`
const { roomId, openingThreadId } = demo.rooms.empty

interface Claim {
  readonly quote: string
  readonly paper: { readonly arxivId: string }
  readonly locator: { readonly page?: string }
}
const claims = async (): Promise<Claim[]> => {
  const path = `/api/research/rooms/${roomId}/research-context`
  const { publications } = (await (await fetch(at(path))).json()) as {
    publications: { kind: string; versionId: string }[]
  }
  const cited = publications.filter(({ kind }) => kind === "cited_claim")
  return Promise.all(
    cited.map(async ({ versionId }) => {
      const record = await (await fetch(at(`/api/research/records/${versionId}`))).json()
      return (record as { content: Claim }).content
    }),
  )
}

for (const javaScriptEnabled of [true, false])
  t.test(javaScriptEnabled ? "with the script" : "without a script", async (t) => {
    const context = await browser.newContext({ javaScriptEnabled })
    const page = await context.newPage()
    t.teardown(() => context.close())
    await signIn(page, demo, "owner")
    const input = (name: string) => page.locator(`[name="${name}"]:not([type=hidden])`)
    /** Writes what a claim needs besides its passage, and publishes it. */
    const publish = async (claim: string) => {
      await input("/assertion/wording").fill(claim)
      await input("/scope").fill("The base model.")
      if ((await page.locator("[name='/threadId'][type=hidden]").count()) === 0)
        await input("/threadId").fill(at(`/threads/${openingThreadId}`))
      await page.getByRole("button", { name: "Publish the claim" }).click()
      await page.waitForLoadState()
      if (!page.url().includes("done=")) await page.getByRole("button", { name: "Publish the claim" }).click()
      await page.waitForURL(/done=publish_cited_claim/)
    }
    const carried = async () =>
      [await input("/paper/arxivId").inputValue(), await input("/quote").inputValue()].concat(
        await input("/locator/page").inputValue(),
      )

    await t.test("a highlight", async (t) => {
      await page.goto(at(paperPage))
      const highlight = page.locator("#highlights ~ * li, section[aria-labelledby=highlights] li", { hasText: quote })
      if (javaScriptEnabled) {
        t.same(await violations(page), [])
        await page.setViewportSize({ width: 390, height: 844 })
        await page.getByText("Cite a passage", { exact: true }).click()
        t.equal(await page.evaluate("document.documentElement.scrollWidth"), 390, "nothing is beside a phone's screen")
        await page.setViewportSize({ width: 1280, height: 800 })
      }
      await highlight.first().getByLabel("Room").selectOption(roomId)
      const before = await claims()
      await highlight.first().getByRole("button", { name: "Cite it in this Room" }).click()
      await page.getByRole("heading", { level: 1, name: "Cite a claim of a paper" }).waitFor()
      t.same(await carried(), [arxivId, quote, "7"])
      t.equal((await claims()).length, before.length, "nothing is stored yet")
      await publish(`The schedule warms up for 4000 steps (${javaScriptEnabled}).`)
      const found = await claims()
      t.equal(found.length, before.length + 1)
      t.match(
        found.find((claim) => claim.quote === quote),
        { paper: { arxivId }, locator: { page: "7" } },
      )
    })

    await t.test("a passage that is pasted", async (t) => {
      const pasted = `The learning rate is varied over training. ${"It rises, then falls. ".repeat(100)}`.trim()
      await page.goto(at(paperPage))
      await page.getByText("Cite a passage", { exact: true }).click()
      const form = page.locator("form.cite", { has: page.locator("textarea") })
      await form.getByLabel("The passage, word for word").fill(pasted)
      await form.getByLabel("On page").fill("8")
      await form.getByLabel("Room").selectOption(roomId)
      await form.getByRole("button", { name: "Cite it in this Room" }).click()
      await page.getByRole("heading", { level: 1, name: "Cite a claim of a paper" }).waitFor()
      t.same(await carried(), [arxivId, pasted, "8"])
      await publish(`The learning rate rises and falls (${javaScriptEnabled}).`)
      t.ok((await claims()).some((claim) => claim.quote === pasted && claim.locator.page === "8"))
    })
  })
