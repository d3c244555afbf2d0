/**
 * Every form that the pages of the demo and of a Room of agents' work lead to, on a phone in the dark with all of it
 * unfolded: axe finds nothing, and nothing is wider than the screen.
 */
import t from "tap"
import { openStudy } from "../support/study.ts"
import { passwordOf } from "../support/service.ts"
import { violations } from "./axe.ts"
import { type Named, pagesOf, pagesOfStudy, signInAs } from "./pages.ts"
import { demoInBrowser } from "./scene.ts"

t.setTimeout(240_000)
const { demo, browser } = await demoInBrowser()
const study = await openStudy(t)

/** What makes forms of one operation differ: the choices that their address makes. */
const CHOICES = ["event", "intent", "kind", "state"]

/** Finds the forms that pages link to: one for each operation and choice. */
async function formsOf(pages: readonly Named[], read: (path: string) => Promise<string>): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const { path } of pages)
    for (const [, link = ""] of (await read(path)).matchAll(/href="([^"]*\/do\/[^"]*)"/g)) {
      const { pathname, searchParams, search } = new URL(link.replaceAll("&amp;", "&"), demo.baseUrl)
      const chosen = CHOICES.map((name) => searchParams.get(name) ?? searchParams.get(`/${name}`) ?? "")
      const key = [pathname, ...chosen].join(" ").trim()
      if (!found.has(key)) found.set(key, pathname + search)
    }
  return found
}

const all = new Set<string>()
for (const [where, baseUrl, person, pages] of [
  ["the demo", demo.baseUrl, demo.people.owner, await pagesOf(demo)],
  [
    "the study",
    study.own.baseUrl,
    { username: "ada", password: passwordOf("ada") },
    (await pagesOfStudy(study)).map(({ name, path }) => ({ name, path: path.slice(study.own.baseUrl.length) })),
  ],
] as const) {
  t.test(`the forms of ${where} are whole on a phone in the dark`, async (t) => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme: "dark" })
    const page = await context.newPage()
    await signInAs(page, baseUrl, person)
    const direct = pages.filter(({ path }) => path.startsWith("/do/"))
    const read = async (path: string) => (await context.request.get(baseUrl + path)).text()
    const linked = await formsOf(
      pages.filter(({ path }) => !path.startsWith("/do/")),
      read,
    )
    const forms = new Map([...direct.map(({ name, path }) => [name, path] as const), ...linked])
    for (const [name, path] of forms) {
      if (all.has(name)) continue
      all.add(name)
      const response = await page.goto(baseUrl + path, { waitUntil: "domcontentloaded" })
      t.equal(response?.status(), 200, `${name} is answered`)
      await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
      t.same(await violations(page), [], `${name} has no violation`)
      t.equal(await page.evaluate("document.documentElement.scrollWidth"), 390, `${name} is as wide as the screen`)
    }
    await context.close()
  })
}

t.test("among them are the forms that people use most", async (t) => {
  const operations = new Set([...all].map((name) => /\/do\/(\w+)/.exec(name)?.[1]))
  for (const operation of [
    ...["publish_hypothesis", "publish_finding", "publish_cited_claim", "propose_experiment", "register_attempt"],
    ...["report_attempt_event", "submit_review", "assert_dispute", "post_research_checkpoint", "withhold_content"],
  ])
    t.ok(operations.has(operation), operation)
})
