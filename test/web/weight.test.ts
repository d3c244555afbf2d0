/** What a page weighs on the wire when nothing of it is known yet, and that nothing on it moves while it comes. */
import { demoInBrowser } from "./scene.ts"
import type { Browser, BrowserContextOptions } from "playwright-core"
import t from "tap"
import { pagesOf, signIn } from "./pages.ts"

/** Bytes on the wire: of the first page, and of any other, formulas included. */
const [FIRST, ANY] = [100_000, 200_000]
/** How much of what is seen may move (Cumulative Layout Shift). */
const SHIFT = 0.02

t.setTimeout(300_000)
const { demo, browser } = await demoInBrowser()

/** A page in a browser that was nowhere yet: its bytes, how much moved, and when something was first seen. */
async function cold(browser: Browser, url: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, ...options })
  const page = await context.newPage()
  const network = await context.newCDPSession(page)
  await network.send("Network.enable")
  let bytes = 0
  network.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength))
  await page.goto(url, { waitUntil: "load" })
  const { shift, painted } = (await page.evaluate(`document.fonts.ready.then(() => new Promise((done) => {
    let shift = 0
    new PerformanceObserver((list) => { for (const { value } of list.getEntries()) shift += value }).observe({ type: "layout-shift", buffered: true })
    requestAnimationFrame(() => requestAnimationFrame(() => done({ shift, painted: performance.getEntriesByName("first-contentful-paint")[0]?.startTime })))
  }))`)) as { shift: number; painted?: number }
  await context.close()
  return { bytes, shift, painted }
}

t.test("every page that a visitor may see is light, and stands still while it comes", { timeout: 300_000 }, async (t) => {
  for (const { name, path, as } of await pagesOf(demo)) {
    if (as !== undefined) continue
    const { bytes, shift, painted } = await cold(browser, demo.baseUrl + path)
    t.comment(`${name}: ${(bytes / 1000).toFixed(0)} kB, moved ${shift.toFixed(3)}, first seen after ${painted?.toFixed(0)} ms`)
    t.ok(bytes > 10_000 && bytes < (path === "/" ? FIRST : ANY), `${name}: ${bytes} bytes`)
    t.ok(shift < SHIFT, `${name}: moved ${shift}`)
  }
})

t.test("so is every page of a Library, on a phone and beside its margin", { timeout: 300_000 }, async (t) => {
  const context = await browser.newContext()
  await signIn(await context.newPage(), demo, "owner")
  const storageState = await context.storageState()
  const ofLibrary = (await pagesOf(demo)).filter(({ path }) => path.startsWith("/library"))
  t.ok(ofLibrary.length >= 6)
  for (const { name, path } of ofLibrary)
    for (const viewport of [
      { width: 390, height: 844 },
      { width: 1280, height: 800 },
    ]) {
      const { bytes, shift, painted } = await cold(browser, demo.baseUrl + path, { storageState, viewport })
      const what = `${name}, ${viewport.width} px`
      t.comment(`${what}: ${(bytes / 1000).toFixed(0)} kB, moved ${shift.toFixed(3)}, first seen after ${painted?.toFixed(0)} ms`)
      t.ok(bytes > 10_000 && bytes < ANY, `${what}: ${bytes} bytes`)
      t.ok(shift < SHIFT, `${what}: moved ${shift}`)
    }
})
