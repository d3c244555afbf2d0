/** What a page costs a first-time visitor. */
import type { Browser, BrowserContextOptions } from "playwright-core"

/** Loads a page in a fresh browser, and measures its bytes, its layout shift and its first paint. */
export async function cold(browser: Browser, url: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, ...options })
  const page = await context.newPage()
  const network = await context.newCDPSession(page)
  await network.send("Network.enable")
  let bytes = 0
  network.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength))
  await page.goto(url, { waitUntil: "load" })
  const { shift, painted } = (await page.evaluate(`document.fonts.ready.then(() => new Promise((done) => {
    let shift = 0
    new PerformanceObserver((list) => { for (const { value } of list.getEntries()) shift += value }).observe({ type: \
"layout-shift", buffered: true })
    requestAnimationFrame(() => requestAnimationFrame(() =>
      new PerformanceObserver((list, observer) => {
        const [painted] = list.getEntriesByName("first-contentful-paint")
        if (painted === undefined) return
        observer.disconnect()
        done({ shift, painted: painted.startTime })
      }).observe({ type: "paint", buffered: true })))
  }))`)) as { shift: number; painted: number }
  await context.close()
  return { bytes, shift, painted }
}
