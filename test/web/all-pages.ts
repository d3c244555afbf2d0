/**
 * Every page of the app with the demo's story: checked with axe, for its width, for what is cut, and for the requests
 * it makes.
 */
import type { BrowserContextOptions } from "playwright-core"
import t from "tap"
import { startDemo } from "../../src/demo/demo.ts"
import { present } from "../../src/contract/typed.ts"
import { openLog } from "../../src/log.ts"
import { violations } from "./axe.ts"
import { launch } from "./browser.ts"
import { built } from "./built.ts"
import { cutWithoutSign } from "./cut.ts"
import { pagesOf, signIn } from "./pages.ts"
import { watched } from "./watched.ts"

// The test visits some fifty pages in a real browser, one after the other, which takes minutes on a busy machine.
const timeout = 420_000

/**
 * The widths of 1,280 pixels at 200 % and at 400 %: nothing has to be scrolled sideways (WCAG 2.2, 1.4.4 and 1.4.10).
 */
const ZOOMED = [640, 320]

/**
 * Checks every page in both themes at one width, signed out and then signed in. Each page is loaded once, then switched
 * to the other theme.
 */
export async function everyPageIsWhole(sight: string, options: BrowserContextOptions): Promise<void> {
  t.setTimeout(timeout)
  built()
  const demo = await startDemo({ host: "127.0.0.1", port: 0, kept: process.env.TOLD_DEMO, log: openLog("silent") })
  const browser = await launch()
  t.teardown(async () => {
    await browser.close()
    await demo.close()
  })
  const pages = await pagesOf(demo)

  t.test(`every page is whole ${sight}`, { timeout }, async (t) => {
    const { page, troubles, context } = await watched(browser, demo.baseUrl, options, [404])
    let isSignedIn = false
    const own = present(page.viewportSize())
    for (const { name, path, as } of pages) {
      if (as !== undefined && !isSignedIn) {
        await signIn(page, demo, as)
        isSignedIn = true
      }
      const response = await page.goto(demo.baseUrl + path)
      t.equal(response?.status(), name === "missing" ? 404 : 200, `${name} is answered`)
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme })
        t.same(
          await violations(page, colorScheme === "light" ? "all" : "colour"),
          [],
          `${name} has no violation in the ${colorScheme} theme`,
        )
      }
      for (const width of [own.width, ...ZOOMED]) {
        await page.setViewportSize({ ...own, width })
        t.equal(
          await page.evaluate("Math.max(0, document.documentElement.scrollWidth - innerWidth)"),
          0,
          `${name} is not wider than a screen of ${width}`,
        )
        t.same(await cutWithoutSign(page), [], `${name} shows at ${width} what goes on sideways`)
      }
      await page.setViewportSize(own)
      t.same(troubles(), [], `${name} makes no outside request and logs no error`)
    }
    await context.close()
  })
}
