/** How many bytes a page takes to load on a first visit, and that nothing on it moves while it loads. */
import { demoInBrowser } from "./scene.ts"
import t from "tap"
import { cold } from "./cold.ts"
import { pagesOf, signIn } from "./pages.ts"

/** Bytes transferred: of the first page, and of any other, an owner's among them. */
const [FIRST, ANY] = [100_000, 200_000]
/** The most layout shift that is allowed (Cumulative Layout Shift). */
const SHIFT = 0.02

t.setTimeout(300_000)
const { demo, browser } = await demoInBrowser()

t.test(
  "every page that a visitor may see is light, and does not move while it loads",
  { timeout: 300_000 },
  async (t) => {
    for (const { name, path, as } of await pagesOf(demo)) {
      if (as !== undefined) continue
      const { bytes, shift, painted } = await cold(browser, demo.baseUrl + path)
      t.comment(
        `${name}: ${(bytes / 1000).toFixed(0)} kB, moved ${shift.toFixed(3)}, ` +
          `first seen after ${painted.toFixed(0)} ms`,
      )
      t.ok(bytes > 10_000 && bytes < (path === "/" ? FIRST : ANY), `${name}: ${bytes} bytes`)
      t.ok(shift < SHIFT, `${name}: moved ${shift}`)
    }
  },
)

t.test(
  "so is every page of a signed-in person, whose answers are sent uncompressed; so is a Library page with its margin",
  { timeout: 300_000 },
  async (t) => {
    const context = await browser.newContext()
    await signIn(await context.newPage(), demo, "owner")
    const storageState = await context.storageState()
    const own = (await pagesOf(demo)).filter(({ as }) => as !== undefined)
    t.ok(own.filter(({ path }) => path.startsWith("/library")).length >= 6)
    for (const { name, path } of own)
      for (const width of path.startsWith("/library") ? [390, 1280] : [390]) {
        const { bytes, shift, painted } = await cold(browser, demo.baseUrl + path, {
          storageState,
          viewport: { width, height: 844 },
        })
        const what = `${name}, ${width} px`
        t.comment(
          `${what}: ${(bytes / 1000).toFixed(0)} kB, moved ${shift.toFixed(3)}, ` +
            `first seen after ${painted.toFixed(0)} ms`,
        )
        t.ok(bytes > 10_000 && bytes < ANY, `${what}: ${bytes} bytes`)
        t.ok(shift < SHIFT, `${what}: moved ${shift}`)
      }
  },
)
