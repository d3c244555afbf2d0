/**
 * Measures the first paint of every page of the demo in a fresh browser: the median of three, each in a context of its
 * own. Exits with 1 if a page is too slow. Arguments select pages by name.
 */
import { dirname } from "node:path"
import { startDemo } from "../src/demo/demo.ts"
import { openLog } from "../src/log.ts"
import { launch } from "../test/web/browser.ts"
import { cold } from "../test/web/cold.ts"
import { pagesOf, signIn } from "../test/web/pages.ts"

process.chdir(dirname(import.meta.dirname))
/** Milliseconds from the request to the first contentful paint. */
const MOST = 300
const TIMES = 3

const demo = await startDemo({ host: "127.0.0.1", port: 0, log: openLog("silent") })
const browser = await launch()
try {
  const only = process.argv.slice(2)
  const pages = (await pagesOf(demo)).filter(({ name }) => only.length === 0 || only.includes(name))
  const signedIn = await browser.newContext()
  await signIn(await signedIn.newPage(), demo, "owner")
  const storageState = await signedIn.storageState()
  // Warm up: the service and the browser have compiled nothing yet.
  for (const { path } of pages.slice(0, 3)) await cold(browser, demo.baseUrl + path)
  const rows: { readonly name: string; readonly painted: number; readonly bytes: number }[] = []
  for (const { name, path, as } of pages) {
    const seen = []
    for (let time = 0; time < TIMES; time += 1)
      seen.push(await cold(browser, demo.baseUrl + path, as === undefined ? {} : { storageState }))
    const painted = seen.map(({ painted }) => painted).toSorted((one, other) => one - other)[1] ?? 0
    rows.push({ name, painted, bytes: seen[0]?.bytes ?? 0 })
  }
  for (const { name, painted, bytes } of rows.toSorted((one, other) => other.painted - one.painted))
    console.log(`${painted.toFixed(0).padStart(5)} ms ${(bytes / 1000).toFixed(0).padStart(5)} kB  ${name}`)
  const late = rows.filter(({ painted }) => painted > MOST)
  console.log(
    late.length === 0
      ? `all ${rows.length} within ${MOST} ms`
      : `${late.length} of ${rows.length} take longer than ${MOST} ms`,
  )
  process.exitCode = late.length === 0 ? 0 : 1
} finally {
  await browser.close()
  await demo.close()
}
