/**
 * Writes pictures of every page of the demo to dist/screenshots, in both themes and at both widths. Arguments select
 * pages by name: `npm run screenshots -- room thread`.
 */
import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { startDemo } from "../src/demo/demo.ts"
import { openLog } from "../src/log.ts"
import { launch } from "../test/web/browser.ts"
import { pagesOf, signIn } from "../test/web/pages.ts"

process.chdir(dirname(import.meta.dirname))
const folder = "dist/screenshots"
mkdirSync(folder, { recursive: true })

const demo = await startDemo({ host: "127.0.0.1", port: 0, log: openLog("silent") })
const browser = await launch()
const only = process.argv.slice(2)
const pages = (await pagesOf(demo)).filter(({ name }) => only.length === 0 || only.includes(name))
const widths = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } }

try {
  for (const [width, viewport] of Object.entries(widths)) {
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await browser.newContext({ viewport, colorScheme, baseURL: demo.baseUrl })
      const page = await context.newPage()
      let signedIn = false
      for (const { name, path, as } of pages) {
        if (as !== undefined && !signedIn) {
          await signIn(page, demo, as)
          signedIn = true
        } else if (as === undefined && signedIn) {
          await context.clearCookies()
          signedIn = false
        }
        await page.goto(demo.baseUrl + path, { waitUntil: "load" })
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true })
      }
      await context.close()
    }
  }
  console.log(`${pages.length} pages, 4 pictures each, in ${folder}`)
} finally {
  await browser.close()
  await demo.close()
}
