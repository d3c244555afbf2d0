/**
 * Makes src/demo/coverage.webp, the picture in the demo's first finding: the service's plot of the measurements of that
 * finding's attempt, encoded as an upload. Run it again if those numbers change: `node build/demo-picture.ts`.
 */
import { writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { ResearchRoomClient } from "../src/client/index.ts"
import { present } from "../src/contract/typed.ts"
import { startDemo } from "../src/demo/demo.ts"
import { uploaded } from "../src/attachments/image.ts"
import { openLog } from "../src/log.ts"
import { encoded } from "../test/support/pictures.ts"
import { launch } from "../test/web/browser.ts"

const MARGIN = 8

process.chdir(dirname(import.meta.dirname))
const demo = await startDemo({ host: "127.0.0.1", port: 0, log: openLog("silent"), deterministic: true })
const browser = await launch()
try {
  const reader = new ResearchRoomClient({ baseUrl: demo.baseUrl })
  const { items: rooms } = await reader.read("rooms", { query: "By how much, and how sure?" })
  const { items } = await reader.read("attempts", { roomId: present(rooms[0]).roomId })
  const page = await browser.newPage({ viewport: { width: 1000, height: 800 }, deviceScaleFactor: 1.25 })
  await page.goto(`${demo.baseUrl}/attempts/compare?ids=${present(items[0]).attemptId}`)
  const { x, y, width: across, height: down } = present(await page.locator("table").last().boundingBox())
  const clip = { x: x - MARGIN, y: y - MARGIN, width: across + 2 * MARGIN, height: down + 2 * MARGIN }
  const { webp } = await encoded(await page.screenshot({ clip, fullPage: true }))
  const { bytes, width, height } = await uploaded(webp, "image/webp", null)
  writeFileSync("src/demo/coverage.webp", bytes)
  console.log(`src/demo/coverage.webp: ${width} x ${height}, ${(bytes.length / 1000).toFixed(1)} kB`)
} finally {
  await browser.close()
  await demo.close()
}
process.exit()
