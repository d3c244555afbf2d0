/** Every page of the app, with the demo's story in it: as assistive tools see it, in both themes and widths, and what it asks of the network. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import t from "tap"
import { startDemo } from "../../src/demo/demo.ts"
import { openLog } from "../../src/log.ts"
import { built } from "./built.ts"
import { launch } from "./browser.ts"
import { pagesOf, signIn } from "./pages.ts"
import { watched } from "./watched.ts"

built()
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
const demo = await startDemo({ host: "127.0.0.1", port: 0, log: openLog("silent") })
const browser = await launch()
t.teardown(async () => {
  await browser.close()
  await demo.close()
})
const pages = await pagesOf(demo)

interface Violation {
  readonly id: string
  readonly help: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

const sights = [
  { name: "wide and light", options: { viewport: { width: 1280, height: 800 }, colorScheme: "light" } },
  { name: "on a phone and dark", options: { viewport: { width: 390, height: 844 }, colorScheme: "dark" } },
] as const

for (const { name: sight, options } of sights) {
  t.test(`every page is whole ${sight}`, async (t) => {
    const { page, troubles, context } = await watched(browser, demo.baseUrl, options, [404])
    let isSignedIn = false
    for (const { name, path, as } of pages) {
      if (as !== undefined && !isSignedIn) {
        await signIn(page, demo, as)
        isSignedIn = true
      }
      const response = await page.goto(demo.baseUrl + path)
      t.equal(response?.status(), name === "missing" ? 404 : 200, `${name} is answered`)
      await page.evaluate(axe)
      const violations = (await page.evaluate(
        "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
      )) as Violation[]
      t.same(
        violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`),
        [],
        `${name} has no violation`,
      )
      t.equal(
        await page.evaluate("Math.max(0, document.documentElement.scrollWidth - innerWidth)"),
        0,
        `${name} is not wider than the screen`,
      )
      t.same(troubles(), [], `${name} asks for nothing outside and says no error`)
    }
    await context.close()
  })
}
